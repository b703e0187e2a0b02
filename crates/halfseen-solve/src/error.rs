//! Names every way in which a solver can refuse its input or fail.

/// What is wrong. Rows and columns count from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A parameter outside of its range.
    #[error("{name} is {value}: it must be {allowed}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: String,
        /// What may be given.
        allowed: String,
    },
    /// A list that is too short or too long.
    #[error("{found} {what} were given: {expected} are needed")]
    WrongLength {
        /// What the list holds.
        what: String,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Labels that are no classes.
    #[error("{what}: {problem}")]
    WrongTarget {
        /// What the labels are called.
        what: &'static str,
        /// What is wrong with them.
        problem: String,
    },
    /// Too few examples.
    #[error("{what} needs {least} rows or more: there are {rows}")]
    TooFewRows {
        /// What needs them.
        what: String,
        /// How many it needs.
        least: usize,
        /// How many there are.
        rows: usize,
    },
    /// Features without columns.
    #[error("there are no columns")]
    NoColumns,
    /// A feature or target that is not finite.
    #[error("row {row}, {column} is {value}: it must be finite")]
    NotFinite {
        /// The row.
        row: usize,
        /// The column's name.
        column: String,
        /// What it holds.
        value: f64,
    },
    /// A routine that failed, or numbers out of range.
    #[error("{what} failed: {problem}")]
    Numerical {
        /// The routine.
        what: &'static str,
        /// What it found.
        problem: String,
    },
    /// Interrupted before there was any point to return.
    #[error("interrupted while {during}")]
    Interrupted {
        /// What it was doing.
        during: &'static str,
    },
    /// A saved iterate that cannot be one.
    #[error("the saved iterate {problem}")]
    BadState {
        /// What is wrong with it.
        problem: String,
    },
}

/// The result of a solver.
pub type Result<T> = std::result::Result<T, Error>;
