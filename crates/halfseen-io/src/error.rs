//! Names which file could not be read, where it broke, and what to do about it.
//!
//! [`Error`] is opaque: [`Error::subject`] is the file (or the figure), [`Error::kind`] what went
//! wrong with its numbers and its place. A message is one sentence of at most 1 kB that starts with
//! the subject and ends with a remedy.

use halfseen::error::short;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong with which file; see [`Error::kind`].
#[derive(Debug, thiserror::Error)]
#[error("{}: {kind}", tail(subject))]
pub struct Error {
    subject: String,
    // not a source: the message already holds it, and reports of chains would say it twice
    kind: Box<ErrorKind>,
}

/// Every way to fail. Rows count from 1 (the first below the header), lines from 1 (the header's).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the fields' names and the messages say it
pub enum ErrorKind {
    /// The operating system does not give the file.
    #[error("cannot be read ({reason}); check the path and its permissions")]
    Unreadable { reason: String },
    /// There is not one byte, or only blank lines.
    #[error("the file is empty; a table needs a header and at least one row")]
    Empty,
    /// There is a header and nothing below.
    #[error("the file holds a header of {columns} columns and no row; is it cut off?")]
    NoRows { columns: usize },
    /// A row has more or fewer fields than the header.
    #[error("row {row} (line {line}) has {found} fields where the header has {expected}; {}", ragged_remedy(*found, *expected))]
    Ragged { row: usize, line: u64, expected: usize, found: usize },
    /// A record is longer than the limit, mostly because a quote is not closed.
    #[error(
        "the record at line {line} is longer than {limit} bytes; close its quotes, or raise the limit on a record's length"
    )]
    RecordTooLong { line: u64, limit: usize },
    /// A line is longer than the limit.
    #[error(
        "line {line} is longer than {limit} bytes; is the file cut into lines? Else raise the limit on a line's length"
    )]
    LineTooLong { line: u64, limit: usize },
    /// A line is not as its format has it.
    #[error("line {line}: '{}' {problem}", short(text))]
    Malformed { line: u64, text: String, problem: &'static str },
    /// A cell of a numeric column is text.
    #[error(
        "row {row} (line {line}), column '{}': '{}' is no number; correct it, or write ? if the value is missing",
        short(column),
        short(text)
    )]
    NotNumber { row: usize, line: u64, column: String, text: String },
    /// A cell holds a category that its column does not declare.
    #[error(
        "row {row} (line {line}), column '{}': '{}' is none of its declared categories; declare it, or correct the cell",
        short(column),
        short(text)
    )]
    UndeclaredCategory { row: usize, line: u64, column: String, text: String },
    /// A column has a type that no table holds.
    #[error("column '{}' is {what}; {remedy}", short(column))]
    UnsupportedColumn { column: String, what: String, remedy: &'static str },
    /// The index of a column is larger than the limit.
    #[error(
        "line {line}: the index {index} is beyond the limit of {limit} columns; number the attributes from 1 on"
    )]
    TooManyColumns { line: u64, index: String, limit: usize },
    /// The table would need more memory than the file gives reason for.
    #[error(
        "the table has more than {limit} cells, far more than its file explains; raise the limit if it is meant"
    )]
    TooManyCells { limit: usize },
    /// The file ends inside quotes.
    #[error(
        "the record at line {line} opens a quote that the file never closes; close it, or double it if it is meant as text"
    )]
    UnclosedQuote { line: u64 },
    /// A column has no name.
    #[error(
        "column {column} has no name in the header; name it, or remove it (pandas: to_csv(index=False))"
    )]
    UnnamedColumn { column: usize },
    /// A text is not UTF-8.
    #[error(
        "line {line} is not UTF-8 text; save the file as UTF-8 (for example: iconv -f latin1 -t utf-8)"
    )]
    NotUtf8 { line: u64 },
    /// A cell of a numeric column is infinite, or too large for a double.
    #[error(
        "row {row} (line {line}), column '{}': {} is not a finite number; correct it, or leave the cell empty if the value is missing",
        short(column),
        short(text)
    )]
    NotFinite { row: usize, line: u64, column: String, text: String },
    /// The second reading of a file did not find what the first had found.
    #[error(
        "row {row}, column '{}': the file changed while it was read; read it again when it is complete",
        short(column)
    )]
    Changed { row: usize, column: String },
    /// The compressed data are broken or cut off.
    #[error("the gzip data are broken or cut off ({problem}); fetch or compress the file again")]
    BadGzip { problem: String },
    /// The Parquet data are broken, cut off, or not as the format has them.
    #[error(
        "the Parquet data are broken or cut off ({}); fetch or write the file again",
        short(problem)
    )]
    BadParquet { problem: String },
    /// An integer is too large for a double to hold it exactly.
    #[error(
        "row {row}, column '{}': {value} is beyond 2^53, where doubles skip integers; write an identifier as text, else as a double",
        short(column)
    )]
    Inexact { row: usize, column: String, value: String },
    /// The content is no CSV, and it can be told what it is.
    #[error("looks like {what}, not like CSV; {remedy}")]
    LooksLike { what: &'static str, remedy: &'static str },
    /// The first bytes are not those of an IDX file.
    #[error(
        "is no IDX file: it starts with the bytes {found:02x?} where 00 00, a type and a number of dimensions belong"
    )]
    WrongMagic { found: Vec<u8> },
    /// An IDX file holds something other than unsigned bytes.
    #[error(
        "holds IDX elements of type 0x{code:02x} ({name}) and only unsigned bytes (0x08) are supported; convert it"
    )]
    ElementType { code: u8, name: &'static str },
    /// An IDX file is shorter than its header says.
    #[error(
        "is cut off: its header asks for {expected} bytes and only {found} are there; fetch it again"
    )]
    Truncated { expected: u64, found: u64 },
    /// An IDX file is longer than its header says.
    #[error("goes on after the {expected} bytes that its header asks for; is it the right file?")]
    TrailingBytes { expected: u64 },
    /// An IDX array has a shape that its use does not allow.
    #[error(
        "holds an array of shape {} where {expected} are needed; are images and labels mixed up?",
        shape_text(shape)
    )]
    WrongShape { shape: Vec<usize>, expected: &'static str },
    /// The pictures of two files differ in size.
    #[error(
        "holds images of {found} pixels where the files before it have {expected}; read them separately"
    )]
    ImageSizesDiffer { expected: usize, found: usize },
    /// Images and labels do not go together.
    #[error(
        "holds {images} images and its labels ({}) are {labels}; are they of the same set?",
        tail(labels_file)
    )]
    CountsDiffer { images: usize, labels: usize, labels_file: String },
    /// Of a pair of IDX files one is absent.
    #[error("has '{}' but not its {missing} file; put it into the same folder", short(present))]
    MissingPartner { present: String, missing: &'static str },
    /// A folder without IDX files.
    #[error(
        "is a folder without IDX files (*images*idx3* with *labels*idx1*); give a file, or the folder that holds them"
    )]
    NoIdxFiles,
    /// A figure without a point that could be drawn.
    #[error("there is no point to draw; give at least one with finite x and y{}", if *log_x { " and x above 0" } else { "" })]
    NoPoints { log_x: bool },
    /// The drawing routines failed.
    #[error("cannot be drawn ({problem})")]
    Drawing { problem: String },
    /// The library refused the table.
    #[error("{0}")]
    Library(halfseen::Error),
}

impl Error {
    pub(crate) fn new(subject: impl Into<String>, kind: ErrorKind) -> Self {
        Self { subject: subject.into(), kind: Box::new(kind) }
    }

    /// The file, folder or figure that the error is about.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// What went wrong, with its numbers and place.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }
}

/// Keeps the last 200 characters of a path, where the file's name is.
fn tail(path: &str) -> String {
    let characters = path.chars().count();
    let kept: String =
        path.chars().skip(characters.saturating_sub(200)).flat_map(printable).collect();
    if characters > 200 { format!("…{kept}") } else { kept }
}

/// Escapes control characters and leaves quotes alone.
fn printable(c: char) -> impl Iterator<Item = char> {
    let (plain, escaped) =
        if c.is_control() { (None, Some(c.escape_default())) } else { (Some(c), None) };
    plain.into_iter().chain(escaped.into_iter().flatten())
}

fn ragged_remedy(found: usize, expected: usize) -> &'static str {
    if found > expected {
        "put quotes around text that holds commas"
    } else {
        "fill or remove the row"
    }
}

fn shape_text(shape: &[usize]) -> String {
    let mut text = shape.iter().take(10).map(usize::to_string).collect::<Vec<_>>().join(" x ");
    if shape.len() > 10 {
        text.push_str(&format!(" and {} more", shape.len() - 10));
    }
    if text.is_empty() { "()".into() } else { text }
}

#[cfg(test)]
mod tests;
