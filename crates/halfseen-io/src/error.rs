//! Names the file that could not be read, the place of the failure, and a remedy.
//!
//! [`Error`] is opaque: [`Error::subject`] is the file (or figure), [`Error::kind`] the failure
//! with its numbers and place. A message is one sentence of at most 1 kB that starts with the
//! subject and usually ends with a remedy.

use halfseen::error::{short, size};

/// Result of every fallible operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Failure to read a file or draw a figure; see [`Error::kind`].
#[derive(Debug, thiserror::Error)]
#[error("{}: {kind}", tail(subject))]
pub struct Error {
    subject: String,
    // not a source: the message contains it already, and error chains would repeat it
    kind: Box<ErrorKind>,
}

/// Every kind of failure. Rows count from 1 (below the header), lines from 1 (the header).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the names of the fields and the messages explain them
pub enum ErrorKind {
    /// The operating system cannot read the file.
    #[error("cannot be read ({reason}); check the path and its permissions")]
    Unreadable { reason: String },
    /// The path leads to a folder.
    #[error("is a folder; give a file")]
    Folder,
    /// The compressed or the Parquet data are damaged, truncated or invalid.
    #[error(
        "the {format} data are damaged or truncated ({}); fetch or write the file again",
        short(problem)
    )]
    Damaged { format: &'static str, problem: String },
    /// The content is in a format that is not read, which was recognised.
    #[error("looks like {what}, not like CSV; {remedy}")]
    LooksLike { what: &'static str, remedy: &'static str },
    /// The file has no bytes, or only blank lines.
    #[error("the file is empty; a table needs a header and at least one row")]
    Empty,
    /// The file has a header but no rows.
    #[error("the file has a header of {columns} columns but no rows; is it truncated?")]
    NoRows { columns: usize },
    /// A column has no name.
    #[error(
        "column {column} has no name in the header; name it, or remove it (pandas: to_csv(index=False))"
    )]
    UnnamedColumn { column: usize },
    /// A column has a type that tables do not support.
    #[error("column '{}' is {what}; {remedy}", short(column))]
    UnsupportedColumn { column: String, what: &'static str, remedy: &'static str },
    /// A row has more or fewer fields than the header.
    #[error("row {row} (line {line}) has {found} fields, but the header has {expected}; {}", ragged_remedy(*found, *expected))]
    Ragged { row: usize, line: u64, expected: usize, found: usize },
    /// A line violates its format; the problem says how, and what to do.
    #[error("line {line} {problem}")]
    BadLine { line: u64, problem: String },
    /// A cell cannot be read; the problem says why, and what to do.
    #[error("row {row}{}, column '{}': {problem}", on_line(*line), short(column))]
    BadCell { row: usize, line: Option<u64>, column: String, problem: String },
    /// The table has too many cells for the size of its file.
    #[error(
        "the table has more than {limit} cells, far more than the size of its file suggests; raise the limit if this is intended"
    )]
    TooManyCells { limit: usize },
    /// The table takes more memory than the process may take.
    #[error(
        "the table takes {} of memory after {rows} rows, and {} are allowed; raise the limit (in the program --memory), or give fewer rows or columns (in the program --rows draws some)",
        size(*needed as f64), size(*limit as f64)
    )]
    TooMuchMemory { needed: u64, rows: usize, limit: u64 },
    /// A pipe is longer than the memory in which it is kept to be read twice.
    #[error(
        "data from a pipe are kept in memory while they are read, and there are more than the {} that are allowed; save them to a file, or raise the limit (in the program --memory)",
        size(*limit as f64)
    )]
    PipeTooLong { limit: u64 },
    /// A figure has no point that can be drawn.
    #[error("there is no point to draw; give at least one with finite x and y{}", if *log_x { " and x above 0" } else { "" })]
    NoPoints { log_x: bool },
    /// The library refused the table.
    #[error("{0}")]
    Library(halfseen::Error),
}

impl ErrorKind {
    pub(crate) fn not_utf8(line: u64) -> ErrorKind {
        let remedy = "save the file as UTF-8 (for example: iconv -f latin1 -t utf-8)";
        ErrorKind::BadLine { line, problem: format!("is not UTF-8 text; {remedy}") }
    }

    pub(crate) fn not_number(row: usize, line: u64, column: String, text: &str) -> ErrorKind {
        let remedy = "correct it, or write ? if the value is missing";
        let problem = format!("'{}' is not a number; {remedy}", short(text));
        ErrorKind::BadCell { row, line: Some(line), column, problem }
    }

    pub(crate) fn not_finite(row: usize, line: u64, column: String, text: &str) -> ErrorKind {
        let remedy = "correct it, or leave the cell empty if the value is missing";
        let problem = format!("{} is not a finite number; {remedy}", short(text));
        ErrorKind::BadCell { row, line: Some(line), column, problem }
    }

    #[cfg(feature = "parquet")]
    pub(crate) fn damaged_parquet(problem: impl Into<String>) -> ErrorKind {
        ErrorKind::Damaged { format: "Parquet", problem: problem.into() }
    }
}

fn on_line(line: Option<u64>) -> String {
    line.map_or(String::new(), |line| format!(" (line {line})"))
}

impl Error {
    pub(crate) fn new(subject: impl Into<String>, kind: ErrorKind) -> Self {
        Self { subject: subject.into(), kind: Box::new(kind) }
    }

    /// Returns the file, folder or figure that the error is about.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the kind of failure, with its numbers and place.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }
}

/// Keeps the last 200 characters of a path, which include the file name.
fn tail(path: &str) -> String {
    let characters = path.chars().count();
    let kept: String =
        path.chars().skip(characters.saturating_sub(200)).flat_map(printable).collect();
    if characters > 200 { format!("…{kept}") } else { kept }
}

/// Escapes control characters but not quotes.
fn printable(c: char) -> impl Iterator<Item = char> {
    let (plain, escaped) =
        if c.is_control() { (None, Some(c.escape_default())) } else { (Some(c), None) };
    plain.into_iter().chain(escaped.into_iter().flatten())
}

fn ragged_remedy(fields: usize, expected: usize) -> &'static str {
    if expected == 1 {
        "the header must name every column: remove lines above it, or name the separator"
    } else if fields > expected {
        "put quotes around text that holds the separator"
    } else {
        "fill or remove the row"
    }
}

#[cfg(test)]
mod tests;
