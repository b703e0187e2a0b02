//! Reads the data at a path: a table in a format recognised by content, or a folder of IDX files.

use crate::arff::{ArffOptions, read_arff};
use crate::csv::{self, CsvOptions};
use crate::error::Result;
use crate::idx::{IdxData, read_idx_folder};
#[cfg(feature = "parquet")]
use crate::parquet::{ParquetOptions, read_parquet};
use crate::remark::Remark;
use crate::sniff::{Format, recognise};
use crate::source::Source;
use crate::svmlight::{SvmlightOptions, read_svmlight};
use halfseen::data::Table;
use std::path::Path;

/// Data read from a path.
#[derive(Debug, Clone)]
pub enum Data {
    /// A file of named columns.
    Table(Table),
    /// A folder of images with labels.
    Images(IdxData),
}

/// Reads a file, whose format is recognised by content, or a folder of IDX files.
///
/// ARFF starts with `@relation` and `@attribute`, and Parquet with `PAR1`. SVMlight starts with a
/// number and pairs index:value; lines of a single number may come first. Everything else is read
/// as CSV.
///
/// # Errors
/// As for the reader of the format with default options, or [`read_idx_folder`].
pub fn read_data(path: impl AsRef<Path>) -> Result<Data> {
    read_data_with(path.as_ref(), &CsvOptions::default()).map(|(data, _)| data)
}

/// Reads as [`read_data`] does, CSV with these options; a declared separator means CSV. Returns
/// also remarks on how the file was read.
///
/// # Errors
/// As for [`read_data`].
pub fn read_data_with<'a>(
    source: impl Into<Source<'a>>,
    options: &CsvOptions,
) -> Result<(Data, Vec<Remark>)> {
    let source = source.into();
    if let Some(folder) = source.folder() {
        return Ok((Data::Images(read_idx_folder(folder)?), Vec::new()));
    }
    let source = source.rewindable()?;
    let format = match options.delimiter {
        Some(_) => Format::Csv,
        None => recognise(&source)?,
    };
    let table = match format {
        Format::Csv => {
            return csv::read(&source, options)
                .map(|(table, remarks)| (Data::Table(table), remarks));
        }
        Format::Arff => read_arff(source, &ArffOptions::default()),
        Format::Svmlight => read_svmlight(source, &SvmlightOptions::default()),
        #[cfg(feature = "parquet")]
        Format::Parquet => read_parquet(source, &ParquetOptions::default()),
    };
    table.map(|table| (Data::Table(table), Vec::new()))
}
