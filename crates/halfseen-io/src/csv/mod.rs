//! Reads CSV into a table, distinguishing numeric from text columns by their content.
//!
//! **Format.** A header, then one record per row. Commas separate columns; records end with LF, CR
//! LF or CR. Quoted fields may hold commas, line ends and doubled quotes. A byte order mark and
//! blank lines are skipped. Gzip is recognised by content.
//!
//! **Cells.** Blanks and tabs around an unquoted cell are removed. Empty, `NA`, `?` and `NaN` in
//! any case are missing, quoted or not. A column without values, or with only finite numbers as
//! values, is numeric. Every other column is text and keeps its cells as written (`007` stays
//! `007`), with levels in order of first appearance.
//!
//! **Two passes.** The type of a column is known only after its last row. The first pass stores all
//! cells as numbers, row by row, in the matrix of the future table. From the first text on it
//! stores no numbers and only records the columns with text. A purely numeric file is then
//! complete; any other is read again with all types known. Memory holds the table and one chunk of
//! the file.

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

/// Options for reading CSV.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// Largest number of bytes of a record, which bounds the memory for an unclosed quote. Default:
    /// 16 MiB.
    pub record_limit: usize,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self { record_limit: 16 << 20 }
    }
}

/// Reads a CSV file, gzipped or not, into a table of shape (n_examples, n_columns).
///
/// All numeric columns are in one matrix of f64, in the order of the table; missing cells are NaN.
///
/// # Errors
/// If the file cannot be read or decompressed, looks like another format, is empty or has no row;
/// if a name is missing or repeated, a row has more or fewer fields than the header, a record is
/// longer than [`CsvOptions::record_limit`], a quote is not closed, text is not UTF-8, or a cell of
/// a numeric column is infinite. See [`ErrorKind`].
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
