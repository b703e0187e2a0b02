//! Defines the errors: the problem, its place, and the remedy.
//!
//! [`Error`] is opaque: [`Error::kind`] gives numbers and place, [`Error::class`] the origin (the
//! program's exit code). Every message is one line, with a remedy where there is one; names are cut
//! at 64 characters and lists at 10 entries.

mod class;
mod text;

pub(crate) use text::shown;
pub use text::{grouped, list, nearest, short, significant, size};
use text::{line, many, maybe, raise, readable, remedy};

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
    /// A parameter lies outside its declared range. NaN is in no range.
    #[error("{name} = {} is not allowed: it must be {}", short(value), line(allowed))]
    OutOfRange { name: &'static str, value: String, allowed: String },
    /// A text is not a value of the parameter's kind.
    #[error("{name} = '{}' cannot be read: it must be {}", short(text), line(expected))]
    NotAValue { name: &'static str, text: String, expected: String },
    /// The learner has no parameter of this name.
    #[error(
        "learner {} has no parameter '{}'{}; it has: {}",
        short(learner),
        short(name),
        maybe(nearest),
        list(known)
    )]
    UnknownParameter { learner: String, name: String, nearest: Option<String>, known: Vec<String> },
    /// No learner is registered under this name.
    #[error("there is no learner '{}'{}; there are: {}", short(name), maybe(nearest), list(known))]
    UnknownLearner { name: String, nearest: Option<String>, known: Vec<String> },
    /// The learner needs more reads per example.
    #[error(
        "{} needs a budget of at least {least} reads per example, got {budget}: a gradient or a second moment needs two values of one example",
        short(learner)
    )]
    BudgetTooSmall { learner: String, budget: usize, least: usize },
    /// More reads per example than there are attributes to read.
    #[error("a budget of {budget} reads per example is more than {}", readable(*panels))]
    BudgetTooLarge { budget: usize, panels: usize },
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
    /// The learner needs whole examples and cannot ask.
    #[error(
        "{} cannot ask and tell, because it needs whole examples; choose a learner that asks, such as fiml or aerr",
        short(learner)
    )]
    SeesWhole { learner: String },
    /// The learner would store more numbers than fit in memory.
    #[error(
        "{} would store {needed} second moments for {columns} columns, but at most {most} are allowed; a learner such as aerr stores a few numbers per column",
        short(learner)
    )]
    TooManyMoments { learner: String, columns: usize, needed: u64, most: u64 },
    /// The learner does not accept row weights.
    #[error(
        "learner {} does not accept row weights, {reason}; omit them, or use a learner that accepts them, such as karma, robust-lp or ridge",
        short(learner)
    )]
    TakesNoWeights { learner: String, reason: &'static str },
    /// The learner cannot learn from a pilot.
    #[error(
        "learner {} cannot learn from a pilot; omit it, or use fiml, which counts its rows as far as they agree with the others",
        short(learner)
    )]
    TakesNoPilot { learner: String },
    /// A number is not a valid row weight.
    #[error("row {row}: the weight is {}, but weights must be from 0 to 1e100", shown(*value))]
    WrongWeight { row: usize, value: f64 },
    /// A parameter value needs something that was not given.
    #[error("{name} = {value} needs {what}")]
    Needs { name: &'static str, value: &'static str, what: &'static str },
    /// A declaration of an attribute or of a panel (price, moment, columns) is invalid.
    #[error("{what} of '{}': {}", short(name), line(problem))]
    WrongDeclaration { what: &'static str, name: String, problem: String },
    /// The learner chooses its reads, and was given passively observed attributes.
    #[error(
        "learner {} chooses its reads and cannot learn from the attributes that happen to be observed; use aerr, aelr or fiml with passive = all",
        short(learner)
    )]
    Chooses { learner: String },
    /// The learner learns from answers to its queries only, and was given other reads.
    #[error(
        "learner {} learns only from answers to its queries; ask or adopt a query and tell its answers, or use fiml, which learns from any reads",
        short(learner)
    )]
    TakesOnlyAnswers { learner: String },
    /// The copy of the learner draws queries, but holds no reads to learn from.
    #[error(
        "this copy only draws queries: it does not hold the reads of {examples} examples; tell answers to the learner that it was copied from, and ask that for a model"
    )]
    WithoutReads { examples: u64 },
    /// Products may lie outside the interval where the power series of a loss is used.
    #[error(
        "the logistic loss needs a bound on |<w,x>| below {limit:.4} (pi / sqrt 2), where the estimates by its series have finite variance; radius times norm_bound and the known attributes give {reach:.4}: lower radius, or choose loss = hinge"
    )]
    OutsideSeries { reach: f64, limit: f64 },
    /// No column has this name.
    #[error(
        "there is no column '{}'{}; the columns are: {}",
        short(name),
        maybe(nearest),
        list(known)
    )]
    UnknownColumn { name: String, nearest: Option<String>, known: Vec<String> },
    /// Two columns share one name.
    #[error(
        "column {second} has the same name as column {first}, '{}'; rename one of them",
        short(name)
    )]
    DuplicateColumn { name: String, first: usize, second: usize },
    /// Two lengths that must be equal differ.
    #[error("{}: expected {expected}, got {found}", line(what))]
    WrongLength { what: String, expected: usize, found: usize },
    /// There are too few rows.
    #[error("{} needs at least {least} rows, got {rows}", line(what))]
    TooFewRows { what: String, least: usize, rows: usize },
    /// The table has no attribute.
    #[error("there is no attribute to learn from: the table has only the target column")]
    NoAttributes,
    /// No row has an observed attribute.
    #[error("none of the {rows} rows has an observed attribute: there is nothing to learn from")]
    NothingObserved { rows: usize },
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
    /// A cell of a column of dates is none.
    #[error(
        "row {row}, column '{}': '{}' is not a date in the form of the rows that were learned from; correct it, or leave the cell empty if the value is missing",
        short(column),
        short(text)
    )]
    NotADate { row: usize, column: String, text: String },
    /// A cell is missing and this family of learners does not allow that.
    #[error(
        "row {row}, column '{}': the value is missing, but this learner needs every cell that it reads; impute the mean (in the program --missing mean) or drop such rows",
        short(column)
    )]
    MissingCell { row: usize, column: String },
    /// The second moment of an attribute was declared to be 0, but a read is not 0.
    #[error(
        "row {row}, column '{}': the value is {value} in scaled units, but its second moment was declared to be 0; such an attribute is never drawn, so estimates would be biased: correct the moment",
        short(column)
    )]
    MomentContradicted { row: usize, column: String, value: f64 },
    /// The target is missing in some rows.
    #[error(
        "target column '{}' is missing in {count} rows (first: row {first}); remove those rows",
        short(column)
    )]
    MissingTarget { column: String, first: usize, count: usize },
    /// All targets are equal.
    #[error(
        "target column '{}' is constant (every value is {}); there is nothing to learn",
        short(column),
        short(value)
    )]
    ConstantTarget { column: String, value: String },
    /// The target's values do not fit the learner or the task.
    #[error("target column '{}': {}", short(column), line(problem))]
    WrongTarget { column: String, problem: String },
    /// A column has text where numbers are needed, or the reverse.
    #[error(
        "column '{}' had {expected} when the model was fitted, but has {found} now",
        short(column)
    )]
    WrongKind { column: String, expected: &'static str, found: &'static str },
    /// A part of the rows cannot be absorbed or merged.
    #[error("part '{}': {problem}", short(part))]
    InPart { part: String, problem: Box<ErrorKind> },
    /// A part was absorbed before.
    #[error(
        "it was absorbed before; absorb every part once, and name other parts of this name otherwise (fit --partial SUMS --part NAME)"
    )]
    PartTwice,
    /// A part has another number of rows than in the pass before.
    #[error(
        "it has {now} rows with a target, and had {before} in the pass before: it changed, or was not read to its end; make its sums again, or name another part otherwise"
    )]
    PartChanged { before: u64, now: u64 },
    /// A part has no table.
    #[error("there is nothing in it; leave it out")]
    EmptyPart,
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
    /// A column of text has too many categories to be learned from in parts.
    #[error(
        "column '{}' has more than {most} categories, and each is a column of the sums; leave it out by --ignore, or put categories together",
        short(column)
    )]
    TooManyCategories { column: String, most: usize },
    /// A column has missing cells, and the learner needs every cell.
    #[error(
        "some cells of column '{}' are missing; impute them by --missing mean, or choose zero or mean",
        short(column)
    )]
    HolesInColumn { column: String },
    /// Sums of parts are of fits that differ.
    #[error(
        "{} is {} there and {} here; only parts of one fit can be merged",
        short(what),
        short(theirs),
        short(own)
    )]
    OtherPlan { what: String, own: String, theirs: String },
    /// Something needs the rows themselves, and not sums over them.
    #[error(
        "{} needs the rows themselves, and cannot be learned from parts; {}",
        short(what),
        line(remedy)
    )]
    NeedsRows { what: String, remedy: String },
    /// Sums are asked for a model of a learner that needs them as units.
    #[error(
        "{} learns in a second pass over the rows, for which these sums are the units (in the program --units, in Python units=)",
        short(learner)
    )]
    NeedsUnits { learner: String },
    /// Weights per attribute are requested of a predictor that has none.
    #[error(
        "this predictor is not linear, so it has no weight per attribute; zero and mean fit a linear model to data with missing values, budgeted and full learners to other data"
    )]
    NotLinear,
    /// One weight per attribute is requested of a predictor that has curves of attributes beside.
    #[error(
        "this model has curves of attributes beside its weights, so that it is not one linear model; fit again with shape=linear"
    )]
    HasCurves,
    /// Attacks or certificates are requested of a predictor that is not additive.
    #[error(
        "attacks and certificates need an additive model, but this one imputes a missing cell from the other cells; ridge imputes means, and robust-lp prepares for deletions"
    )]
    NotAdditive,
    /// Intervals are requested of a model that has none.
    #[error(
        "there are no prediction intervals: {reason}; fiml models of numeric targets have them, and other models of numbers with rows for calibration (in the program --conformal)"
    )]
    NoIntervals { reason: &'static str },
    /// A fit would take more memory than it may.
    #[error(
        "{} needs about {} of memory for {} rows and {} columns but may use {}; {}use {}, or {}",
        short(learner), size(*needed), grouped(*rows as u64), grouped(*columns as u64), size(*allowed), many(widest), line(remedy), raise(*own)
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
        /// True if the learner's parameter `memory` is the limit, and not that of the process.
        own: bool,
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
    /// Too many of the model's columns are absent from a table.
    #[error(
        "{absent} of the model's {total} columns are absent from this table (first: '{}'); is it the right file?",
        short(first)
    )]
    TooManyAbsent { absent: usize, total: usize, first: String },
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
    /// A query cannot be adopted or released: changed, or not of this learner's shape.
    #[error("query {number} cannot be used: {}; use it unchanged, as in the log", line(problem))]
    WrongQuery { number: u64, problem: String },
    /// A query or an example is to be taken under a number that was used before.
    #[error(
        "query or example {number} cannot be taken: the number was used before, and the next one is {next}; adopt queries and observe examples in the order of their numbers, in a learner that has not asked them"
    )]
    NumberUsed { number: u64, next: u64 },
    /// Another copy of the session asked a query of the same number.
    #[error(
        "query {number} was asked by another session, or by another copy of this one: its tag is {found:016x}, that of the open query {expected:016x}; tell the answer to the session that asked"
    )]
    ForeignQuery { number: u64, expected: u64, found: u64 },
    /// An answer names an attribute that the query does not ask for.
    #[error("query {number} does not ask for '{}'; it asks for {}", short(attribute), list(asked))]
    NotAsked { number: u64, attribute: String, asked: Vec<String> },
    /// The value of an answer is infinite or NaN.
    #[error(
        "query {number}, attribute '{}': {value} is not a finite number; correct it, or report the value as missing, with the reason",
        short(attribute)
    )]
    AnswerNotFinite { number: u64, attribute: String, value: f64 },
    /// The value of an answer lies outside its declared bounds, and bounds are strict.
    #[error(
        "query {number}, attribute '{}': {} lies outside its bounds, {} to {}; correct it, or accept such values with strict = false",
        short(attribute), shown(*value), shown(*low), shown(*high)
    )]
    OutOfBounds { number: u64, attribute: String, value: f64, low: f64, high: f64 },
    /// A second answer for the same attribute contradicts the first.
    #[error(
        "query {number}, '{}': the answer was {} before and is {} now; an answer cannot be changed: forget the query and ask again",
        short(attribute),
        short(before),
        short(now)
    )]
    ToldOtherwise { number: u64, attribute: String, before: String, now: String },
    /// Reads are to be exported, but none were kept.
    #[error("this session keeps no reads; let it keep them before the first answer")]
    KeepsNoReads,
    /// The file at a place holds another session.
    #[error(
        "{} holds session {found:016x}, but this one is {own:016x}; save it under another name",
        short(path)
    )]
    OtherInstance { path: String, own: u64, found: u64 },
    /// The file at a place was saved later, or by another copy of the session.
    #[error(
        "{} holds generation {found} of this session, saved by another copy; this one is at generation {own}: load the file and tell it the answers of this copy, or save under another name",
        short(path)
    )]
    OlderGeneration { path: String, own: u64, found: u64 },
    /// A file cannot be read or written.
    #[error("{} cannot be {what}: {}; choose another place", short(path), line(problem))]
    FileAccess { path: String, what: &'static str, problem: String },
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

/// Translates the errors of a solver of [`crate::solve`] into those of tables.
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

#[cfg(test)]
mod tests;
