//! Reads CSV as people and spreadsheets write it: separated by commas, semicolons or tabs; and keeps
//! spreadsheets from taking texts for formulas.

use crate::error::{Error, Result};
use std::borrow::Cow;
use std::io::Read;

/// Separators of cells. In files without commas between cells, numbers may have a decimal comma.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// Rows of a file below its header, each with the line on which it begins. Empty ones, which
/// spreadsheets leave at the end of a table, are left out.
pub(crate) struct Rows<'a> {
    text: &'a [u8],
    reader: csv::Reader<&'a [u8]>,
    /// True if numbers may have a decimal comma.
    pub(crate) takes_commas: bool,
}

/// Returns the rows of a text, which may differ in length, and the names of its columns. The cells
/// are separated by what separates this column from others in the header.
pub(crate) fn rows<'a>(text: &'a [u8], column: &str) -> Result<(Rows<'a>, Vec<String>)> {
    let by = separator(text, column);
    let mut reader = csv::ReaderBuilder::new().flexible(true).delimiter(by).from_reader(text);
    let header = reader.headers().map_err(|e| broken(&e))?;
    let name = |cell: &str| plain(cell.trim_start_matches('\u{feff}').trim()).to_owned();
    let header = header.iter().map(name).collect();
    Ok((Rows { text, reader, takes_commas: by != b',' }, header))
}

/// Returns the separator by which the header has this column; a comma if there is none.
fn separator(text: &[u8], column: &str) -> u8 {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text).trim_ascii_start();
    let header = unquoted(text, |byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let is_column = |cell: &[u8]| {
        let cell = cell.trim_ascii();
        let bare = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\""));
        bare.unwrap_or(cell).trim_ascii().eq_ignore_ascii_case(column.as_bytes())
    };
    let has_it = |by: &u8| unquoted(header, |byte| byte == *by).any(is_column);
    SEPARATORS.into_iter().find(has_it).unwrap_or(b',')
}

/// Splits a text where bytes end a part, unless they are within quotes.
fn unquoted(text: &[u8], ends: impl Fn(u8) -> bool) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    text.split(move |&byte| {
        quoted ^= byte == b'"';
        !quoted && ends(byte)
    })
}

impl Iterator for Rows<'_> {
    type Item = Result<(u64, csv::StringRecord)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = csv::StringRecord::new();
        loop {
            match self.reader.read_record(&mut record) {
                Ok(false) => return None,
                Ok(true) if record.iter().all(|cell| cell.trim().is_empty()) => {}
                Ok(true) => return Some(Ok((self.line_of(&record), record))),
                Err(error) => return Some(Err(broken(&error))),
            }
        }
    }
}

impl Rows<'_> {
    /// Returns the line on which a record begins.
    fn line_of(&self, record: &csv::StringRecord) -> u64 {
        let Some(at) = record.position() else { return 0 };
        // Where lines end with CR and LF, a record begins before the LF.
        let is_before = self.text.get(at.byte() as usize) == Some(&b'\n');
        at.line() + u64::from(is_before)
    }
}

pub(crate) fn at(line: u64, problem: impl Into<String>) -> Error {
    Error::Line { line, problem: problem.into() }
}

/// Refuses a row of another length than the header's.
pub(crate) fn check_length(line: u64, record: &csv::StringRecord, header: usize) -> Result<()> {
    if record.len() == header {
        return Ok(());
    }
    Err(at(line, format!("it has {} cells, and the header has {header}", record.len())))
}

pub(crate) fn broken(error: &csv::Error) -> Error {
    let line = error.position().map_or(1, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::Utf8 { .. } => at(line, "it is not UTF-8 text; save the file as CSV UTF-8"),
        _ => at(line, format!("it cannot be read as CSV: {error}")),
    }
}

/// Returns the whole text.
pub(crate) fn all_of(mut text: impl Read) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    text.read_to_end(&mut all).map_err(|e| at(1, format!("it cannot be read: {e}")))?;
    Ok(all)
}

/// Returns a number with a decimal point in the place of its decimal comma. Only digits, a comma and
/// digits, perhaps with an exponent, are surely such a number; other texts stay as they are.
pub(crate) fn with_point(text: &str) -> Cow<'_, str> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.trim();
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let is_power = digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    match number.strip_prefix('-').unwrap_or(number).split_once(',') {
        Some((whole, decimals)) if digits(whole) && digits(decimals) && is_power => {
            Cow::Owned(text.replace(',', "."))
        }
        _ => Cow::Borrowed(text),
    }
}

/// Beginnings of what a spreadsheet takes for a formula.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

/// Returns a text that a spreadsheet does not take for a formula: with a quote before it, which
/// [`plain`] takes away again.
pub(crate) fn safe(text: &str) -> String {
    let starts = text.starts_with(FORMULA);
    if starts && text.parse::<f64>().is_err() { format!("'{text}") } else { text.to_owned() }
}

pub(crate) fn plain(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if rest.starts_with(FORMULA) => rest,
        _ => text,
    }
}
