//! Reads CSV into a table, distinguishing numeric from text columns by their content.
//!
//! **Format.** A header, then one record per row. Commas separate columns, or
//! the semicolons, tabs or vertical bars of which all of the first records have as many; records end with LF, CR
//! LF or CR. Quoted fields may hold commas, line ends and doubled quotes. A byte order mark and
//! blank lines are skipped. Gzip is recognised by content.
//!
//! **Cells.** Blanks and tabs around an unquoted cell are removed. Empty, `NA`, `?`, `NaN` in any
//! case and the spellings of [`CsvOptions::missing`] are missing, quoted or not. A column without
//! values, or with only finite numbers as values, is numeric. Among numbers, the spellings of
//! pandas (`N/A`, `null`, `None`, `<NA>`, ...), `na`, `.` and `-` are missing too. Every other column
//! is text and keeps its cells as written (`007` stays `007`), with levels in order of first
//! appearance.
//!
//! **Numbers.** A column all of whose cells are numbers with a decimal comma (`1.234,5`), or all
//! with commas between thousands (`1,234,567.8`), is numeric. Where cells such as `1,234` leave both
//! open, the other columns of the file decide; without them the file is refused until
//! [`CsvOptions::decimal`] is declared.
//!
//! **Index.** A first column without a name that counts the rows from 0 or 1 is left out.
//!
//! **Passes.** The type of a column is known only after its last row. The first pass stores all
//! cells as numbers, row by row, in the matrix of the future table. From the first text on it
//! stores no numbers and only records the columns with text. A purely numeric file is then
//! complete; any other is read again with all types known. Between the two, a file with texts that
//! may stand for numbers is read once more to decide on them. Memory holds the table and one chunk
//! of the file, and no more than [`halfseen::memory::limit`].

mod batches;
pub(crate) mod cell;
mod dialect;
mod header;
mod inspect;
mod known;
mod numbers;
mod optimistic;
mod quoted;
mod records;
mod rows;
mod separator;
pub(crate) mod short;
pub(crate) mod text;

pub(crate) use batches::Batches;
pub use numbers::Decimal;
#[cfg(feature = "parquet")]
pub(crate) use optimistic::matrix;

use crate::error::{ErrorKind, Result};
use crate::source::Source;
use crate::text::remark::Remark;
use dialect::Dialect;
use halfseen::data::Table;
use inspect::Reading;
use records::Records;

/// Options for reading CSV.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// Largest number of bytes of a record, which bounds the memory for an unclosed quote. Default:
    /// 16 MiB.
    pub record_limit: usize,
    /// Further spellings of missing cells, in all columns. Default: none.
    pub missing: Vec<String>,
    /// Separator of the columns, an ASCII character. Default: the one that the first records show.
    pub delimiter: Option<u8>,
    /// Decimal sign of all numbers; the other sign may group thousands. Default: a decimal point,
    /// unless all cells of a column show otherwise.
    pub decimal: Option<Decimal>,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self { record_limit: 16 << 20, missing: Vec::new(), delimiter: None, decimal: None }
    }
}

/// Reads a CSV file, gzipped or not, into a table of shape (n_examples, n_columns).
///
/// All numeric columns are in one matrix of f64, in the order of the table; missing cells are NaN.
///
/// # Errors
/// If the file cannot be read or decompressed, looks like another format, is empty or has no row;
/// if a name is missing or repeated, a row has more or fewer fields than the header, a record is
/// longer than [`CsvOptions::record_limit`], a quote is not closed, text is not UTF-8, a cell of a
/// numeric column is infinite, or numbers may be meant in two ways; if the table takes more memory
/// than [`halfseen::memory::limit`]. See [`ErrorKind`].
pub fn read_csv<'a>(source: impl Into<Source<'a>>, options: &CsvOptions) -> Result<Table> {
    read(&source.into().rewindable()?, options).map(|(table, _)| table)
}

/// Reads a CSV file from a source that can be opened again; returns also remarks on it.
pub(crate) fn read(source: &Source<'_>, options: &CsvOptions) -> Result<(Table, Vec<Remark>)> {
    let CsvOptions { record_limit, missing, delimiter, decimal } = options;
    let by = delimiter.map_or_else(|| separator::find(source, *record_limit), Ok)?;
    let dialect = Dialect { by, decimal: *decimal, missing: missing.clone() };
    let mut remarks = Vec::new();
    if delimiter.is_none() && by != b',' {
        remarks.push(Remark::Separated { by });
    }
    let open = || Records::new(source.open()?, *record_limit, dialect.clone());
    let again = || {
        let mut records = open()?;
        records.next()?; // the header
        Ok(records)
    };
    let mut records = open()?;
    let header = header::read(&mut records)?;
    let first = optimistic::read(&mut records, &header, usize::MAX, source.meter())?;
    if header.skipped > 0 {
        remarks.push(Remark::Index);
    }
    let names = header.names;
    let odd = first.is_text.iter().zip(&first.is_odd).any(|(text, odd)| *text && *odd);
    let readings = if odd {
        inspect::read(&mut again()?, &names, &first, *decimal, |_| true, &mut remarks)?
    } else {
        let reading = |text: &bool| if *text { Reading::Text } else { Reading::Plain };
        first.is_text.iter().map(reading).collect()
    };
    let is_text = |column: usize| readings.get(column) == Some(&Reading::Text);
    first.refuse_infinite(&names, is_text).map_err(|kind| source.fail(kind))?;
    let table = if first.is_text.contains(&true) {
        known::read(&mut again()?, &names, &first, &readings, source.meter())?
    } else {
        first.into_table(names).map_err(|e| source.fail(ErrorKind::Library(e)))?
    };
    Ok((table, remarks))
}
