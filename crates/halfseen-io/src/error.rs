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
    /// The file has no bytes, or only blank lines.
    #[error("the file is empty; a table needs a header and at least one row")]
    Empty,
    /// The file has a header but no rows.
    #[error("the file has a header of {columns} columns but no rows; is it truncated?")]
    NoRows { columns: usize },
    /// A row has more or fewer fields than the header.
    #[error("row {row} (line {line}) has {found} fields, but the header has {expected}; {}", ragged_remedy(*found, *expected))]
    Ragged { row: usize, line: u64, expected: usize, found: usize },
    /// A record is longer than the limit, usually because of an unclosed quote.
    #[error(
        "the record at line {line} is longer than {limit} bytes; close its quotes, or shorten its cells"
    )]
    RecordTooLong { line: u64, limit: usize },
    /// A line is longer than the limit.
    #[error(
        "line {line} is longer than {limit} bytes; does the file have line ends? Otherwise raise the limit on the length of a line"
    )]
    LineTooLong { line: u64, limit: usize },
    /// A line violates its format.
    #[error("line {line}: '{}' {problem}", short(text))]
    Malformed { line: u64, text: String, problem: &'static str },
    /// A cell of a numeric column is text.
    #[error(
        "row {row} (line {line}), column '{}': '{}' is not a number; correct it, or write ? if the value is missing",
        short(column),
        short(text)
    )]
    NotNumber { row: usize, line: u64, column: String, text: String },
    /// A cell holds a category that its column does not declare.
    #[error(
        "row {row} (line {line}), column '{}': '{}' is not a declared category; declare it, or correct the cell",
        short(column),
        short(text)
    )]
    UndeclaredCategory { row: usize, line: u64, column: String, text: String },
    /// A column has a type that tables do not support.
    #[error("column '{}' is {what}; {remedy}", short(column))]
    UnsupportedColumn { column: String, what: String, remedy: &'static str },
    /// The index of a column is larger than the limit.
    #[error(
        "line {line}: the index {index} is beyond the limit of {limit} columns; number the attributes from 1 on"
    )]
    TooManyColumns { line: u64, index: String, limit: usize },
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
    /// A number may be meant in two ways, and nothing in the file decides.
    #[error(
        "row {row} (line {line}), column '{}': '{}' may have a decimal comma or a comma between thousands; say which (in the program --decimal comma or --decimal point)",
        short(column),
        short(text)
    )]
    AmbiguousNumber { row: usize, line: u64, column: String, text: String },
    /// The file ends inside a quoted field.
    #[error(
        "the record at line {line} opens a quote that the file never closes; close it, or double it if it is part of the text"
    )]
    UnclosedQuote { line: u64 },
    /// A column has no name.
    #[error(
        "column {column} has no name in the header; name it, or remove it (pandas: to_csv(index=False))"
    )]
    UnnamedColumn { column: usize },
    /// The text is not UTF-8.
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
    /// The second pass over a file found other content than the first.
    #[error(
        "row {row}, column '{}': the file changed while it was read; read it again when it is complete",
        short(column)
    )]
    Changed { row: usize, column: String },
    /// The compressed data are damaged or truncated.
    #[error("the gzip data are damaged or truncated ({problem}); fetch or compress the file again")]
    BadGzip { problem: String },
    /// The Parquet data are damaged, truncated or invalid.
    #[error(
        "the Parquet data are damaged or truncated ({}); fetch or write the file again",
        short(problem)
    )]
    BadParquet { problem: String },
    /// An integer is too large for an exact double.
    #[error(
        "row {row}, column '{}': {value} is beyond 2^53, where doubles cannot represent all integers; write an identifier as text, any other number as a double",
        short(column)
    )]
    Inexact { row: usize, column: String, value: String },
    /// The content is in another format than CSV, which was recognised.
    #[error("looks like {what}, not like CSV; {remedy}")]
    LooksLike { what: &'static str, remedy: &'static str },
    /// The first bytes are not those of an IDX file.
    #[error(
        "is not an IDX file: it starts with the bytes {found:02x?} instead of 00 00, a type and a number of dimensions"
    )]
    WrongMagic { found: Vec<u8> },
    /// An IDX file holds elements other than unsigned bytes.
    #[error(
        "holds IDX elements of type 0x{code:02x} ({name}), but only unsigned bytes (0x08) are supported; convert it"
    )]
    ElementType { code: u8, name: &'static str },
    /// An IDX file is shorter than its header says.
    #[error(
        "is truncated: its header requires {expected} bytes, but only {found} are present; fetch it again"
    )]
    Truncated { expected: u64, found: u64 },
    /// An IDX file is longer than its header says.
    #[error("continues after the {expected} bytes that its header requires; is it the right file?")]
    TrailingBytes { expected: u64 },
    /// An IDX array has the wrong shape for its use.
    #[error(
        "holds an array of shape {} where {expected} are expected; are images and labels swapped?",
        shape_text(shape)
    )]
    WrongShape { shape: Vec<usize>, expected: &'static str },
    /// The images of two files differ in size.
    #[error(
        "holds images of {found} pixels, but previous files have {expected}; read them separately"
    )]
    ImageSizesDiffer { expected: usize, found: usize },
    /// The numbers of images and labels differ.
    #[error(
        "holds {images} images, but its labels file ({}) holds {labels} labels; do they belong together?",
        tail(labels_file)
    )]
    CountsDiffer { images: usize, labels: usize, labels_file: String },
    /// One file of a pair of IDX files is missing.
    #[error("has '{}' but not its {missing} file; put it into the same folder", short(present))]
    MissingPartner { present: String, missing: &'static str },
    /// A folder has no IDX files.
    #[error(
        "is a folder without IDX files (*images*idx3* with *labels*idx1*); give a file, or the folder that holds them"
    )]
    NoIdxFiles,
    /// A figure has no point that can be drawn.
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

fn ragged_remedy(found: usize, expected: usize) -> &'static str {
    if expected == 1 {
        "the header must name every column: remove lines above it, or name the separator"
    } else if found > expected {
        "put quotes around text that holds the separator"
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
