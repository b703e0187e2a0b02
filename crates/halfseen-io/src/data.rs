//! Reads whatever a path holds: a CSV file, gzipped or not, or a folder of IDX files.

use crate::csv::{CsvOptions, read_csv};
use crate::error::Result;
use crate::idx::{IdxData, read_idx_folder};
use halfseen::data::Table;
use std::path::Path;

/// What a path held.
#[derive(Debug, Clone)]
pub enum Data {
    /// A file of named columns.
    Table(Table),
    /// A folder of images with labels.
    Images(IdxData),
}

/// Reads a file by its content, or a folder of IDX files.
///
/// # Errors
/// As [`read_csv`] with default options, or [`read_idx_folder`].
pub fn read_data(path: impl AsRef<Path>) -> Result<Data> {
    let path = path.as_ref();
    if path.is_dir() {
        return read_idx_folder(path).map(Data::Images);
    }
    read_csv(path, &CsvOptions::default()).map(Data::Table)
}
