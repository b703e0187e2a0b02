//! Reads the table at a path, in a format recognised by content.

use crate::error::Result;
#[cfg(feature = "parquet")]
use crate::parquet::{ParquetOptions, read_parquet};
use crate::source::Source;
use crate::text::csv::{self, CsvOptions};
use crate::text::remark::Remark;
use crate::text::sniff::{Format, recognise};
use crate::text::svmlight::{SvmlightOptions, read_svmlight};
use halfseen::data::Table;
use std::path::Path;

/// Reads a file, whose format is recognised by content.
///
/// Parquet starts with `PAR1`. SVMlight starts with a number and pairs index:value; lines of a single
/// number may come first. Everything else is read as CSV.
///
/// # Errors
/// As for the reader of the format with default options.
pub fn read_data(path: impl AsRef<Path>) -> Result<Table> {
    read_data_with(path.as_ref(), &CsvOptions::default()).map(|(table, _)| table)
}

/// Reads as [`read_data`] does, CSV with these options; a declared separator means CSV. Returns
/// also remarks on how the file was read.
///
/// # Errors
/// As for [`read_data`].
pub fn read_data_with<'a>(
    source: impl Into<Source<'a>>,
    options: &CsvOptions,
) -> Result<(Table, Vec<Remark>)> {
    let source = source.into().rewindable()?;
    let format = match options.delimiter {
        Some(_) => Format::Csv,
        None => recognise(&source)?,
    };
    let table = match format {
        Format::Csv => return csv::read(&source, options),
        Format::Svmlight => read_svmlight(source, &SvmlightOptions::default()),
        #[cfg(feature = "parquet")]
        Format::Parquet => read_parquet(source, &ParquetOptions::default()),
    };
    table.map(|table| (table, Vec::new()))
}
