//! Stores masked rows in a file.

use super::sparse::{Builder, iter};
use super::{DenseRows, LARGEST, Masked, SparseRows};
use crate::error::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// Rows as stored in a file: `rows` if dense, null if unobserved, or `sparse`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<Vec<Option<f64>>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sparse: Option<SparseFile>,
}

/// Differences from scaled zeros, row by row.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SparseFile {
    /// The scaled zero of each column.
    zeros: Vec<f64>,
    rows: Vec<SparseRow>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SparseRow {
    /// Columns, counted from 0, of stored cells.
    columns: Vec<u32>,
    /// Difference of each from its zero.
    differences: Vec<f64>,
    /// Columns of missing cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    missing: Vec<u32>,
}

impl From<Masked> for File {
    fn from(masked: Masked) -> File {
        match masked {
            Masked::Dense(masked) => {
                let cells =
                    |i| masked.values.col_as_slice(i).iter().zip(masked.observed.col_as_slice(i));
                let row = |i| cells(i).map(|(&value, &seen)| (seen != 0.0).then_some(value));
                let rows = (0..masked.len()).map(|i| row(i).collect()).collect();
                File { rows: Some(rows), sparse: None }
            }
            Masked::Sparse(masked) => {
                let row = |i: usize| {
                    let missing = masked.missing(i).to_vec();
                    // The difference of a missing cell is known.
                    let stored = iter(&masked.cells, i)
                        .filter(|(column, _)| missing.binary_search(&(*column as u32)).is_err());
                    let (columns, differences) =
                        stored.map(|(column, difference)| (column as u32, difference)).unzip();
                    SparseRow { columns, differences, missing }
                };
                let rows = (0..masked.len()).map(row).collect();
                File { rows: None, sparse: Some(SparseFile { zeros: masked.zeros, rows }) }
            }
        }
    }
}

fn broken(row: usize, problem: String) -> Error {
    let key = format!("row {}", row + 1);
    ErrorKind::BadFile { what: "rows of a model", key, problem }.into()
}

impl TryFrom<File> for Masked {
    type Error = Error;

    fn try_from(file: File) -> Result<Masked> {
        match file {
            File { rows: Some(rows), sparse: None } => dense(rows).map(Masked::Dense),
            File { rows: None, sparse: Some(file) } => sparse(file).map(Masked::Sparse),
            _ => Err(broken(0, "one of 'rows' and 'sparse' must be there".into())),
        }
    }
}

fn dense(rows: Vec<Vec<Option<f64>>>) -> Result<DenseRows> {
    let width = rows.first().map_or(0, Vec::len);
    if !rows.is_empty() && width == 0 {
        return Err(broken(0, "it has no columns".into()));
    }
    if let Some(row) = rows.iter().position(|r| r.len() != width) {
        let problem = format!("it has {} columns, and row 1 has {width}", rows[row].len());
        return Err(broken(row, problem));
    }
    let mut masked = DenseRows::empty(width, rows.len());
    for (i, row) in rows.iter().enumerate() {
        for (j, cell) in row.iter().enumerate() {
            let Some(value) = *cell else { continue };
            // NaN is in no range.
            if !(-LARGEST..=LARGEST).contains(&value) {
                return Err(broken(i, format!("column {} is {value:e}", j + 1)));
            }
            masked.values[(j, i)] = value;
            masked.observed[(j, i)] = 1.0;
        }
    }
    Ok(masked)
}

fn sparse(file: SparseFile) -> Result<SparseRows> {
    let in_range = |value: &f64| (-LARGEST..=LARGEST).contains(value);
    if let Some(at) = file.zeros.iter().position(|zero| !in_range(zero)) {
        let problem = format!("the zero of column {} is {:e}", at + 1, file.zeros[at]);
        return Err(broken(0, problem));
    }
    let columns = file.zeros.len();
    let mut builder = Builder::new(file.zeros);
    for (i, row) in file.rows.iter().enumerate() {
        let SparseRow { columns: at, differences, missing } = row;
        if at.len() != differences.len() {
            return Err(broken(i, "columns and differences are not as many".into()));
        }
        let increases = |list: &[u32]| {
            list.windows(2).all(|pair| pair[0] < pair[1])
                && list.last().is_none_or(|last| (*last as usize) < columns)
        };
        if !increases(at) || !increases(missing) {
            return Err(broken(i, format!("its columns must increase below {columns}")));
        }
        if let Some(value) = differences.iter().find(|value| !in_range(&(*value / 2.0))) {
            return Err(broken(i, format!("it has the difference {value:e}")));
        }
        let stored = at.iter().zip(differences).map(|(&column, &value)| (column, value));
        let mut cells: Vec<(u32, f64)> = stored.collect();
        cells.extend(missing.iter().map(|&column| (column, f64::NAN)));
        cells.sort_by_key(|cell| cell.0);
        if cells.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(broken(i, "a missing cell has a value".into()));
        }
        for (column, difference) in cells {
            if difference.is_nan() {
                builder.push(column as usize, difference);
            } else {
                builder.push_difference(column as usize, difference);
            }
        }
        builder.end_row();
    }
    builder.done()
}
