//! Reads the data at a path: a table in a format recognised by content, or a folder of IDX files.

use crate::arff::{ArffOptions, read_arff};
use crate::csv::{CsvOptions, read_csv};
use crate::error::Result;
use crate::idx::{IdxData, read_idx_folder};
#[cfg(feature = "parquet")]
use crate::parquet::{ParquetOptions, read_parquet};
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
    let path = path.as_ref();
    if path.is_dir() {
        return read_idx_folder(path).map(Data::Images);
    }
    let source = Source::path(path).rewindable()?;
    let table = match recognise(&source)? {
        Format::Csv => read_csv(source, &CsvOptions::default()),
        Format::Arff => read_arff(source, &ArffOptions::default()),
        Format::Svmlight => read_svmlight(source, &SvmlightOptions::default()),
        #[cfg(feature = "parquet")]
        Format::Parquet => read_parquet(source, &ParquetOptions::default()),
    };
    table.map(Data::Table)
}
