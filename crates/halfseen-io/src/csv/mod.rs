//! Reads CSV into a table, telling numeric from text columns by their content.
//!
//! **The format.** A header, then one row per record; columns are separated by commas; records end
//! with LF, CR LF or CR. Fields may be quoted, and then hold commas, line ends and doubled quotes.
//! A byte order mark and blank lines are skipped. Gzip is recognised by content.
//!
//! **Cells.** Blanks and tabs around a cell are removed, unless it is quoted. Empty, `NA`, `?` and
//! `NaN` in any case are missing, quoted or not. A column whose other cells are all finite numbers
//! is numeric, and so is one without any value; every other column is text and keeps its cells as
//! they are written (`007` stays `007`), with levels in order of first appearance.
//!
//! **Two passes.** What a column is cannot be known before its last row. So the first pass is
//! optimistic: it stores all cells as numbers, row by row, in what becomes the table's matrix, and
//! as soon as it meets a text it stores no more and only notes which columns hold text. A purely
//! numeric file is done then. Any other is read a second time, with all kinds known. The memory
//! needed is that of the table and one chunk of the file.

pub(crate) mod cell;
mod header;
mod known;
mod optimistic;
mod quoted;
mod records;
pub(crate) mod text;

pub(crate) use optimistic::matrix;

use crate::error::{ErrorKind, Result};
use crate::source::Source;
use halfseen::data::Table;
use records::Records;

/// How to read CSV.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// The most bytes that one record may have, which bounds the memory that a quote never closed
    /// can take. Default: 16 MiB.
    pub record_limit: usize,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self { record_limit: 16 << 20 }
    }
}

/// Reads a CSV file, gzipped or not, into a table of shape (n_examples, n_columns).
///
/// All numeric columns are in one matrix of f64, in the order of the table, with NaN where a cell
/// is missing.
///
/// # Errors
/// If the file cannot be read or unpacked, looks like another format, is empty or has no row; if a
/// name is absent or occurs twice, a row has more or fewer fields than the header, a record is
/// longer than [`CsvOptions::record_limit`], a quote stays open, text is not UTF-8, or a cell of a
/// numeric column is infinite. See [`ErrorKind`].
pub fn read_csv<'a>(source: impl Into<Source<'a>>, options: &CsvOptions) -> Result<Table> {
    let source = source.into().rewindable()?;
    let mut records = Records::new(source.open()?, options.record_limit)?;
    let names = header::read(&mut records)?;
    let first = optimistic::read(&mut records, &names)?;
    if first.is_text.contains(&true) {
        let mut again = Records::new(source.open()?, options.record_limit)?;
        again.next()?; // the header
        return known::read(&mut again, names, &first);
    }
    first.into_table(names).map_err(|e| source.fail(ErrorKind::Library(e)))
}
