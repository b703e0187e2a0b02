//! Reads ARFF, Weka's format, into a table.
//!
//! **The header.** `@relation`, then `@attribute name type` for each column, then `@data`; keywords
//! in any case. Types are `numeric`, `real` and `integer` (numbers all three), `string`, and lists
//! of categories `{a,b}`; dates and relations are refused. Names and texts that hold blanks,
//! commas, braces or `%` stand in single or double quotes, where a backslash escapes. `%` starts a
//! comment.
//!
//! **The rows.** One line each, cells separated by commas or blanks; `?` without quotes is missing.
//! In a numeric column `NaN` and `NA` are missing too. A category must be declared. Categories and
//! strings become text columns; the levels of a category column are the declared ones in their
//! order, which nothing reads as a ranking.
//!
//! **Sparse rows** are `{index value, index value}`, indices from 0, increasing. A number that is
//! not named is 0, a category that is not named is the first declared one (Weka's convention):
//! absent is not missing. A string must be named. Rows are all dense or all sparse; sparse numbers
//! are stored sparse.
//!
//! Gzip is recognised by content.

mod header;
mod rows;
mod token;

pub(crate) use header::resembles;

use crate::error::{ErrorKind, Result};
use crate::lines::Lines;
use crate::source::Source;
use halfseen::data::Table;
use rows::Rows;

/// How to read ARFF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArffOptions {
    /// The most bytes that one line may have. Default: 16 MiB.
    pub line_limit: usize,
    /// The most cells of text columns that sparse rows may make: they take 4 bytes each, named in
    /// the row or not. Default: 268 435 456 (1 GiB).
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
/// If the file cannot be read or unpacked, has no row, a line is too long or not as the format has
/// it; if an attribute is a date or a relation, or two share a name; if a row has more or fewer
/// cells than attributes, a number is none or infinite, a category is not declared, or text is not
/// UTF-8.
pub fn read_arff<'a>(source: impl Into<Source<'a>>, options: &ArffOptions) -> Result<Table> {
    let source = source.into();
    let mut lines = Lines::new(source.open()?, options.line_limit)?;
    let mut rows = Rows::new(header::read(&mut lines)?, options.cell_limit);
    while let Some((number, line)) = lines.next()? {
        if let Err(kind) = rows.push(number, line) {
            return Err(lines.fail(kind));
        }
    }
    if rows.is_empty() {
        return Err(lines.fail(ErrorKind::NoRows { columns: rows.columns() }));
    }
    rows.into_table().map_err(|e| source.fail(ErrorKind::Library(e)))
}
