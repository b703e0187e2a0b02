//! Reads ARFF, the format of Weka, into a table.
//!
//! **Header.** `@relation`, then `@attribute name type` for each column, then `@data`; keywords in
//! any case. Types are `numeric`, `real` and `integer` (all of them numbers), `string`, and lists
//! of categories `{a,b}`; dates and relations are refused. Names and texts with blanks, commas,
//! braces or `%` need single or double quotes, inside which a backslash escapes. `%` starts a
//! comment.
//!
//! **Rows.** One line each, cells separated by commas or blanks; unquoted `?` is missing. In a
//! numeric column `NaN` and `NA` are missing too. A category must be declared. Categories and
//! strings become text columns. The levels of a category column keep the declared order, which does
//! not imply a ranking.
//!
//! **Sparse rows** are `{index value, index value}`, with increasing indices from 0. An omitted
//! number is 0, and an omitted category is the first declared one (Weka's convention): absent is
//! not missing. A string must be given. Rows are all dense or all sparse; sparse numbers are stored
//! sparse.
//!
//! Gzip is recognised by content.

mod header;
mod rows;
mod token;

pub(crate) use header::resembles;

use crate::error::{Error, ErrorKind, Result};
use crate::lines::Lines;
use crate::meter::Meter;
use crate::source::Source;
use halfseen::data::Table;
use rows::Rows;

/// Options for reading ARFF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArffOptions {
    /// Largest number of bytes of a line. Default: 16 MiB.
    pub line_limit: usize,
    /// Largest number of cells of text columns in sparse rows; each cell takes 4 bytes even if the
    /// row omits it. Default: 268 435 456 (1 GiB).
    pub cell_limit: usize,
}

impl Default for ArffOptions {
    fn default() -> Self {
        Self { line_limit: 16 << 20, cell_limit: 1 << 28 }
    }
}

/// Reads an ARFF file, gzipped or not, into a table of shape (n_examples, n_columns).
///
/// # Errors
/// If the file cannot be read or decompressed, has no row, or a line is too long or malformed; if
/// an attribute is a date or a relation, or two share a name; if a row has more or fewer cells than
/// attributes, a number is invalid or infinite, a category is not declared, or text is not UTF-8.
pub fn read_arff<'a>(source: impl Into<Source<'a>>, options: &ArffOptions) -> Result<Table> {
    let source = source.into();
    let mut batches = Batches::open(&source, options, source.meter().clone(), false)?;
    batches.next(usize::MAX)?.ok_or_else(|| batches.no_rows())
}

/// Rows of an ARFF file in batches.
pub(crate) struct Batches<'s> {
    lines: Lines<'s>,
    rows: Rows,
}

impl<'s> Batches<'s> {
    /// Opens a file, for the last time if `last` is true.
    pub(crate) fn open(
        source: &'s Source<'_>,
        options: &ArffOptions,
        meter: Meter,
        last: bool,
    ) -> Result<Self> {
        let content = if last { source.open_last()? } else { source.open()? };
        let mut lines = Lines::new(content, options.line_limit)?;
        let rows = Rows::new(header::read(&mut lines)?, options.cell_limit, meter);
        Ok(Batches { lines, rows })
    }

    /// Returns a table of at most so many of the next rows; `None` at the end.
    pub(crate) fn next(&mut self, rows: usize) -> Result<Option<Table>> {
        while self.rows.len() < rows {
            let Some((number, line)) = self.lines.next()? else { break };
            if let Err(kind) = self.rows.push(number, line) {
                return Err(self.lines.fail(kind));
            }
        }
        let taken = (self.rows.len() > 0).then(|| self.rows.take());
        taken.transpose().map_err(|e| self.lines.fail(ErrorKind::Library(e)))
    }

    /// Returns the number of columns of a batch.
    pub(crate) fn columns(&self) -> usize {
        self.rows.columns()
    }

    /// Returns the error of a file without rows.
    pub(crate) fn no_rows(&self) -> Error {
        self.lines.fail(ErrorKind::NoRows { columns: self.rows.columns() })
    }
}
