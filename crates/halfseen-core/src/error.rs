//! Defines the errors: the problem, its place, and the remedy.
//!
//! [`Error`] is opaque: [`Error::kind`] gives numbers and place, [`Error::class`] the origin (the
//! program's exit code). Every message is one line, with a remedy where there is one; names are cut
//! at 64 characters and lists at 10 entries.

mod class;
mod text;

pub(crate) use text::no_intervals;
pub use text::nothing_observed;
pub use text::shown;
pub use text::too_few_reads;
pub use text::too_many_reads;
pub use text::{check_version, maybe};
pub use text::{grouped, list, nearest, short, significant, size};
use text::{line, many, remedy};

/// Result of everything in this library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Failure of a call; see [`Error::kind`].
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(#[from] Box<ErrorKind>);

/// Origin of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// A parameter or an argument that the caller can change.
    Parameter,
    /// The data, or a file, do not allow the request.
    Data,
    /// The computation left the range of floating-point numbers.
    Numerical,
    /// The caller's [`Monitor`](halfseen_solve::Monitor) asked to stop.
    Interrupted,
}

/// Every kind of failure, with its numbers and its place. Rows count from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the fields' names and the messages document them
pub enum ErrorKind {
    /// Something is asked for that the learner, or the model, cannot do; with the remedy.
    #[error("{0}")]
    Request(String),
    /// The table does not allow what is asked for; with the remedy.
    #[error("{0}")]
    Table(String),
    /// A cell does not fit what was declared or learned.
    #[error("row {row}, column '{}': {problem}", short(column))]
    WrongCell { row: usize, column: String, problem: String },
    /// A parameter lies outside its declared range. NaN is in no range.
    #[error("{name} = {} is not allowed: it must be {}", short(value), line(allowed))]
    OutOfRange { name: &'static str, value: String, allowed: String },
    /// A text is not a value of the parameter's kind.
    #[error("{name} = '{}' cannot be read: it must be {}", short(text), line(expected))]
    NotAValue { name: &'static str, text: String, expected: String },
    /// The total budget is too small for the next query.
    #[error(
        "total_budget = {total} is too small for another example: {made} reads were made, open queries asked for {open}, and the next query asks for {asked}; forget open queries that will not be answered, or start with a larger total_budget"
    )]
    BudgetSpent { total: u64, made: u64, open: u64, asked: u64 },
    /// The total cost is too small for the next query.
    #[error(
        "a total cost of {} is too small for another example: reads cost {} so far, open queries {}, and the next query {}; forget open queries that will not be answered, or raise the total cost",
        shown(*total), shown(*made), shown(*open), shown(*asked)
    )]
    CostSpent { total: f64, made: f64, open: f64, asked: f64 },
    /// A number is not a valid row weight.
    #[error("row {row}: the weight is {}, but weights must be from 0 to 1e100", shown(*value))]
    WrongWeight { row: usize, value: f64 },
    /// A parameter value needs something that was not given.
    #[error("{name} = {value} needs {what}")]
    Needs { name: &'static str, value: &'static str, what: &'static str },
    /// A declaration of an attribute or of a panel (price, moment, columns) is invalid.
    #[error("{what} of '{}': {}", short(name), line(problem))]
    WrongDeclaration { what: &'static str, name: String, problem: String },
    /// No column has this name.
    #[error(
        "there is no column '{}'{}; the columns are: {}",
        short(name),
        maybe(nearest),
        list(known)
    )]
    UnknownColumn { name: String, nearest: Option<String>, known: Vec<String> },
    /// Two lengths that must be equal differ.
    #[error("{}: expected {expected}, got {found}", line(what))]
    WrongLength { what: String, expected: usize, found: usize },
    /// There are too few rows.
    #[error("{} needs at least {least} rows, got {rows}", line(what))]
    TooFewRows { what: String, least: usize, rows: usize },
    /// The table has no attribute.
    #[error("there is no attribute to learn from: the table has only the target column")]
    NoAttributes,
    /// A cell is infinite, or NaN where missing values are not allowed.
    #[error(
        "row {row}, column '{}': {value} is not a finite number; correct it, or leave the cell empty if the value is missing",
        short(column)
    )]
    NotFinite { row: usize, column: String, value: f64 },
    /// The square of a cell would leave the range of floating-point numbers.
    #[error(
        "row {row}, column '{}': {} is too large: values are squared, and the limit is 1e100; correct it, give the column in a larger unit, or widen the bounds that scale it",
        short(column), shown(*value)
    )]
    TooLarge { row: usize, column: String, value: f64 },
    /// A cell is missing and this family of learners does not allow that.
    #[error(
        "row {row}, column '{}': the value is missing, but this learner needs every cell that it reads; impute the mean (in the program --missing mean) or drop such rows",
        short(column)
    )]
    MissingCell { row: usize, column: String },
    /// The target's values do not fit the learner or the task.
    #[error("target column '{}': {}", short(column), line(problem))]
    WrongTarget { column: String, problem: String },
    /// A part of the rows cannot be absorbed or merged.
    #[error("part '{}': {problem}", short(part))]
    InPart { part: String, problem: Box<ErrorKind> },
    /// Tables of one fit differ in their columns.
    #[error(
        "{} a column '{}', unlike the tables before; all parts need the same columns, and --ignore leaves some out",
        if *is_more { "it has" } else { "it lacks" }, short(name)
    )]
    OtherColumns { name: String, is_more: bool },
    /// A column has another kind than in the tables before.
    #[error(
        "column '{}' had {expected} in the tables before, but has {found} now; declare its kind for all parts, as in --as {}=category",
        short(column),
        short(column)
    )]
    KindDiffers { column: String, expected: &'static str, found: &'static str },
    /// Sums of parts are of fits that differ.
    #[error(
        "{} is {} there and {} here; merge parts of one fit only",
        short(what),
        short(theirs),
        short(own)
    )]
    OtherPlan { what: String, own: String, theirs: String },
    /// Weights per attribute are requested of a predictor that has none.
    #[error(
        "this predictor is not linear, so it has no weight per attribute; zero and mean fit a linear model to data with missing values, budgeted and full learners to other data"
    )]
    NotLinear,
    /// A fit would take more memory than it may.
    #[error(
        "{} needs about {} of memory for {} rows and {} columns but may use {}; {}use {}, or allow more (--memory in the program, set_memory_limit in Python)",
        short(learner), size(*needed), grouped(*rows as u64), grouped(*columns as u64), size(*allowed), many(widest), line(remedy)
    )]
    TooMuchMemory {
        learner: String,
        rows: usize,
        columns: usize,
        /// In bytes.
        needed: f64,
        /// In bytes.
        allowed: f64,
        /// Text column that has most of the columns, and its number of categories.
        widest: Option<(String, usize)>,
        remedy: String,
    },
    /// The address space of the process is too small for products of matrices.
    #[error(
        "{} needs about {} of memory and multiplies matrices, which reserves {} of address space on this processor. The process may have {} (ulimit -v): allow more, or use a learner without such products, as aerr",
        short(what), size(*needed), size(*reserved), size(*limit)
    )]
    LittleAddressSpace {
        /// Learner or model.
        what: String,
        /// In bytes.
        needed: f64,
        /// In bytes.
        reserved: f64,
        /// In bytes.
        limit: f64,
    },
    /// A query belongs to another learner (other parameters, schema or seed).
    #[error(
        "query {number} was asked by another learner: its fingerprint is {found:016x}, this learner's is {expected:016x}"
    )]
    WrongLearner { number: u64, expected: u64, found: u64 },
    /// A query is not open: answered before, forgotten, or never asked.
    #[error("query {number} is not open: it was answered before, forgotten, or never asked")]
    NotOpen { number: u64 },
    /// An answer does not fit its query.
    #[error("the answer to query {number} does not fit: {}", line(problem))]
    WrongAnswer { number: u64, problem: String },
    /// A query cannot be adopted: changed, or not of this learner's shape.
    #[error("query {number} cannot be used: {}; use it unchanged, as in the log", line(problem))]
    WrongQuery { number: u64, problem: String },
    /// A query or an example is to be taken under a number that was used before.
    #[error(
        "query or example {number} cannot be taken: the number was used before, and the next one is {next}; adopt queries and observe examples in the order of their numbers, in a learner that has not asked them"
    )]
    NumberUsed { number: u64, next: u64 },
    /// A saved model or learner state is not valid.
    #[error("{what}, key '{}': {}", short(key), line(problem))]
    BadFile { what: &'static str, key: String, problem: String },
    /// Numbers overflowed.
    #[error(
        "{what} reached {value:e}; give the attributes and the target in units in which they are neither huge nor tiny, or use a smaller step if the learner has one"
    )]
    Diverged { what: &'static str, value: f64 },
    /// A matrix routine failed. The problem may name its remedy after a colon or semicolon.
    #[error("{what} failed: {}{}", line(problem), remedy(problem))]
    Numerical { what: &'static str, problem: String },
    /// The monitor asked to stop before there was anything to return.
    #[error("interrupted while {during}")]
    Interrupted { during: &'static str },
}

impl Error {
    /// Returns that a model's file has a problem at a key.
    pub(crate) fn in_model(key: impl Into<String>, problem: impl Into<String>) -> Error {
        Error::in_file("model", key, problem)
    }

    /// Does the same of another kind of file.
    pub(crate) fn in_file(
        what: &'static str,
        key: impl Into<String>,
        problem: impl Into<String>,
    ) -> Error {
        ErrorKind::BadFile { what, key: key.into(), problem: problem.into() }.into()
    }

    /// Returns the problem, with its numbers and place.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Returns the class of the error.
    pub fn class(&self) -> ErrorClass {
        self.0.class()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(kind))
    }
}

/// Translates the errors of a solver of `halfseen_solve` into those of tables.
impl From<halfseen_solve::Error> for Error {
    fn from(error: halfseen_solve::Error) -> Self {
        use halfseen_solve::Error as Of;
        match error {
            Of::OutOfRange { name, value, allowed } => {
                ErrorKind::OutOfRange { name, value, allowed }
            }
            Of::WrongLength { what, expected, found } => {
                ErrorKind::WrongLength { what, expected, found }
            }
            Of::WrongTarget { what, problem } => {
                ErrorKind::WrongTarget { column: what.to_owned(), problem }
            }
            Of::TooFewRows { what, least, rows } => ErrorKind::TooFewRows { what, least, rows },
            Of::NoColumns => ErrorKind::NoAttributes,
            Of::NotFinite { row, column, value } => ErrorKind::NotFinite { row, column, value },
            Of::Numerical { what, problem } => ErrorKind::Numerical { what, problem },
            Of::Interrupted { during } => ErrorKind::Interrupted { during },
            Of::BadState { problem } => {
                ErrorKind::BadFile { what: "learner state", key: "iterate".to_owned(), problem }
            }
        }
        .into()
    }
}
