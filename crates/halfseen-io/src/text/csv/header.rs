//! Reads the column names, and refuses names that are missing, repeated or not text.

use super::records::Records;
use crate::error::{ErrorKind, Result};
use halfseen::data::{Matrix, Table};
use ndarray::Array2;

/// Names of the columns.
pub(super) struct Header {
    pub names: Vec<String>,
    /// Number of columns before the first of `names`: 1 if the first column has no name, which is
    /// allowed if it counts the rows.
    pub skipped: usize,
}

pub(super) fn read(records: &mut Records<'_>) -> Result<Header> {
    let mut names = Vec::new();
    let mut line = 0;
    if let Some(record) = records.next()? {
        line = record.line;
        record.split(&mut |_, cell: &[u8], _| names.push(String::from_utf8(cell.to_vec())));
    }
    let names = names.into_iter().collect::<Result<Vec<String>, _>>();
    let mut names = names.map_err(|_| records.fail(ErrorKind::not_utf8(line)))?;
    if names.is_empty() {
        return Err(records.fail(ErrorKind::Empty));
    }
    let skipped = usize::from(names.len() > 1 && names[0].is_empty());
    names.drain(..skipped);
    if let Some(unnamed) = names.iter().position(String::is_empty) {
        return Err(records.fail(ErrorKind::UnnamedColumn { column: unnamed + skipped + 1 }));
    }
    // The library's own check, on an empty table, before rows are read.
    let none = Matrix::F64(Array2::zeros((0, names.len())));
    match Table::from_matrix(none, names.clone()) {
        Ok(_) => Ok(Header { names, skipped }),
        Err(error) => Err(records.fail(ErrorKind::Library(error))),
    }
}
