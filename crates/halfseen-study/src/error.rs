//! Defines the errors of a study: the problem, its place, and the remedy.

use halfseen::error::{list, short};
use std::fmt;

/// Result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Failure of a call. Every message is one sentence with a remedy where there is one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the fields' names and the messages document them
pub enum Error {
    /// The library refused: parameters, numerical failure, interruption.
    #[error(transparent)]
    Library(#[from] halfseen::Error),
    /// The file cannot be opened or written, or is none of a study.
    #[error("{path}: {problem}")]
    File { path: String, problem: String },
    /// The study was made by a version of the program whose format is another.
    #[error(
        "{path}: another version of halfseen made this study (format {found}, and this one reads {known}); open it with that version, whose `halfseen study export` writes its values as CSV"
    )]
    OtherFormat { path: String, found: i64, known: i64 },
    /// The store failed in a call; what was answered before is kept.
    #[error("the study's store: {problem}; nothing of this call was stored")]
    Store { problem: String },
    /// Another process holds the store for longer than a minute.
    #[error(
        "another process has been writing to the study for more than a minute; try again, nothing of this call was stored"
    )]
    Busy,
    /// The database cannot be reached, or ended the call for the sake of others; it was tried again.
    #[error("the study's database: {problem}; nothing of this call was stored, try again")]
    Unavailable { problem: String },
    /// The connection was lost while the database committed, and it could not be asked whether it had:
    /// the call was stored, or not.
    #[error(
        "the connection to the database was lost while it stored this call, which may be stored or not; make the call again: what is stored is not stored twice (but look at the open asks before asking for a number of new subjects again)"
    )]
    Uncertain,
    /// Values were deleted and are not yet overwritten.
    #[error(
        "the values are deleted, but not yet overwritten in the store ({problem}); erase the subject again"
    )]
    NotOverwritten { problem: String },
    /// A line of a file is invalid.
    #[error("line {line}: {problem}")]
    Line { line: u64, problem: String },
    /// The schema or the setup is invalid.
    #[error("{problem}")]
    Setup { problem: String },
    /// No subject, attribute or ask has this name.
    #[error("there is no {what} '{}'{}", short(name), remedy(remedy_text))]
    Unknown { what: &'static str, name: String, remedy_text: String },
    /// Lines of a file of answers were refused, and nothing of it was stored.
    #[error(
        "{} of {lines} lines were refused and nothing was stored: {}",
        refused.len(), first_of(refused)
    )]
    Refused { lines: u64, refused: Vec<RefusedLine> },
    /// The request contradicts the state of a subject or an ask.
    #[error("subject '{}': {problem}", short(subject))]
    Subject { subject: String, problem: String },
    /// Reads or money do not suffice for all subjects of a call.
    #[error("{}", spent(limit, [*total, *used, *next], *enough, *wanted))]
    Spent {
        /// Limit: `total_budget` or `total_cost`.
        limit: &'static str,
        /// Its value.
        total: f64,
        /// Amount that was made or asked for before the call.
        used: f64,
        /// Amount of the first ask that it does not suffice for.
        next: f64,
        /// Number of subjects, of those of the call, that it suffices for.
        enough: usize,
        /// Number of subjects of the call.
        wanted: u64,
    },
}

/// Line of a file of answers that was refused, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct RefusedLine {
    /// Line of the file, from 1; the header is line 1.
    pub line: u64,
    /// Subject that the line names.
    pub subject: String,
    /// Reason, with the remedy.
    pub problem: String,
}

impl fmt::Display for RefusedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, subject '{}': {}", self.line, short(&self.subject), self.problem)
    }
}

/// Returns the first lines, as one text.
fn first_of(refused: &[RefusedLine]) -> String {
    let lines: Vec<String> = refused.iter().take(3).map(RefusedLine::to_string).collect();
    let more = if refused.len() > 3 { "; ..." } else { "" };
    lines.join("; ") + more
}

/// Says for how many subjects of a call a limit suffices.
fn spent(limit: &str, [total, used, next]: [f64; 3], enough: usize, wanted: u64) -> String {
    let made =
        format!("{used} of {total} are made or asked for, and the next ask takes up to {next}");
    let remedy = format!("release asks that will not be answered, or raise {limit} by a new study");
    if wanted == 1 {
        return format!("{limit} is spent: {made}; {remedy}");
    }
    let fewer = if enough == 0 { String::new() } else { format!("ask for {enough}, ") };
    let before =
        if enough == 0 { made } else { format!("{used} of {total} were made or asked for before") };
    format!(
        "{limit} suffices for {enough} of these {wanted} subjects, and nothing was asked: {before}; {fewer}{remedy}"
    )
}

fn remedy(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("; {text}") }
}

impl Error {
    pub(crate) fn setup(problem: impl Into<String>) -> Error {
        Error::Setup { problem: problem.into() }
    }

    pub(crate) fn subject(subject: &str, problem: impl Into<String>) -> Error {
        Error::Subject { subject: subject.to_owned(), problem: problem.into() }
    }

    pub(crate) fn file(path: &std::path::Path, problem: impl fmt::Display) -> Error {
        Error::File { path: path.display().to_string(), problem: problem.to_string() }
    }

    /// Returns the error of a name that is none of these.
    pub(crate) fn unknown(what: &'static str, name: &str, known: &[String]) -> Error {
        let near = halfseen::error::nearest(name, known);
        let near = near.map_or(String::new(), |near| format!("did you mean '{near}'? "));
        let remedy_text = format!("{near}there are: {}", list(known));
        Error::Unknown { what, name: name.to_owned(), remedy_text }
    }
}
