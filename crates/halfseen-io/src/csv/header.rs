//! Reads the column names, and refuses names that are missing, repeated or not text.

use super::records::Records;
use crate::error::{ErrorKind, Result};
use halfseen::data::{Matrix, Table};
use ndarray::Array2;

pub(super) fn read(records: &mut Records<'_>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut line = 0;
    if let Some(record) = records.next()? {
        line = record.line;
        record.split(|_, cell, _| names.push(String::from_utf8(cell.to_vec())));
    }
    let names = names.into_iter().collect::<Result<Vec<String>, _>>();
    let names = names.map_err(|_| records.fail(ErrorKind::NotUtf8 { line }))?;
    match &names[..] {
        [] => return Err(records.fail(ErrorKind::Empty)),
        [one] if one.contains([';', '\t']) => {
            let (what, remedy) =
                ("a table separated by semicolons or tabs", "separate its columns by commas");
            return Err(records.fail(ErrorKind::LooksLike { what, remedy }));
        }
        _ => {}
    }
    if let Some(unnamed) = names.iter().position(String::is_empty) {
        return Err(records.fail(ErrorKind::UnnamedColumn { column: unnamed + 1 }));
    }
    // The library's own check, on an empty table, before rows are read.
    let none = Matrix::F64(Array2::zeros((0, names.len())));
    match Table::from_matrix(none, names.clone()) {
        Ok(_) => Ok(names),
        Err(error) => Err(records.fail(ErrorKind::Library(error))),
    }
}
