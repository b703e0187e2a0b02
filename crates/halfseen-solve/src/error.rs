//! Defines the errors of solvers.

/// Error of a solver. Rows and columns count from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Parameter outside its range.
    #[error("{name} is {value}: it must be {allowed}")]
    OutOfRange {
        /// Name of the parameter.
        name: &'static str,
        /// Given value.
        value: String,
        /// Allowed values.
        allowed: String,
    },
    /// List of the wrong length.
    #[error("{found} {what} were given: {expected} are needed")]
    WrongLength {
        /// Content of the list.
        what: String,
        /// Required length.
        expected: usize,
        /// Actual length.
        found: usize,
    },
    /// Invalid labels.
    #[error("{what}: {problem}")]
    WrongTarget {
        /// Name of the labels.
        what: &'static str,
        /// Problem found.
        problem: String,
    },
    /// Too few examples.
    #[error("{what} needs {least} rows or more: there are {rows}")]
    TooFewRows {
        /// Task that needs them.
        what: String,
        /// Required number.
        least: usize,
        /// Actual number.
        rows: usize,
    },
    /// No feature columns.
    #[error("there are no columns")]
    NoColumns,
    /// Non-finite feature or target.
    #[error("row {row}, {column} is {value}: it must be finite")]
    NotFinite {
        /// Row number.
        row: usize,
        /// Column name.
        column: String,
        /// Value found.
        value: f64,
    },
    /// Failed routine, or numbers out of range.
    #[error("{what} failed: {problem}")]
    Numerical {
        /// Routine.
        what: &'static str,
        /// Problem found.
        problem: String,
    },
    /// Interrupted before there was a point to return.
    #[error("interrupted while {during}")]
    Interrupted {
        /// Interrupted task.
        during: &'static str,
    },
    /// Invalid saved iterate.
    #[error("the saved iterate {problem}")]
    BadState {
        /// Problem found.
        problem: String,
    },
}

/// Result of a solver.
pub type Result<T> = std::result::Result<T, Error>;
