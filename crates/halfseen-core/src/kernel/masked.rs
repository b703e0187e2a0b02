//! Holds rows with missing values: values, zero if unobserved, and the mask.
//!
//! Rows of a sparse table stay sparse if that is smaller; all others are dense. Both give the same
//! kernels, up to rounding.

mod bits;
mod dense;
mod file;
mod sparse;

pub use dense::DenseRows;
pub(crate) use sparse::Products;
pub use sparse::SparseRows;

use crate::data::Examples;
use crate::error::{Error, ErrorKind, Result};
use file::File;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use sparse::Builder;
use std::borrow::Cow;

/// Largest value accepted, as in all learners; squares must not overflow.
const LARGEST: f64 = 1e100;

/// Rows with missing values, zero-filled, with their masks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "File", try_from = "File")]
pub enum Masked {
    /// All cells.
    Dense(DenseRows),
    /// The cells that differ from a scaled zero.
    Sparse(SparseRows),
}

/// Evaluates an expression for both forms.
macro_rules! each_form {
    ($masked:expr, $rows:ident => $value:expr) => {
        match $masked {
            Masked::Dense($rows) => $value,
            Masked::Sparse($rows) => $value,
        }
    };
}

impl Masked {
    /// Takes the scaled cells of examples; `constant` adds a column that is always observed and
    /// always 1.
    ///
    /// # Errors
    /// An infinite cell, or one too large to be squared, by row and column; no column at all.
    pub fn new(examples: &Examples<'_>, constant: bool) -> Result<Masked> {
        if examples.matrix.is_sparse(&examples.rows) {
            SparseRows::new(examples, constant).map(Masked::Sparse)
        } else {
            DenseRows::new(examples, constant).map(Masked::Dense)
        }
    }

    /// Does the same for a learner that compares sparse rows, if they are fewer than the columns;
    /// otherwise it works on dense ones.
    ///
    /// # Errors
    /// As [`Masked::new`].
    pub fn wide(examples: &Examples<'_>, constant: bool) -> Result<Masked> {
        if examples.matrix.is_sparse(&examples.rows) && examples.columns() > examples.len() {
            SparseRows::new(examples, constant).map(Masked::Sparse)
        } else {
            DenseRows::new(examples, constant).map(Masked::Dense)
        }
    }

    /// Takes the cells in the form of these rows.
    ///
    /// # Errors
    /// As [`Masked::new`].
    pub fn another(&self, examples: &Examples<'_>, constant: bool) -> Result<Masked> {
        match self {
            Masked::Dense(_) => DenseRows::new(examples, constant).map(Masked::Dense),
            Masked::Sparse(_) => SparseRows::new(examples, constant).map(Masked::Sparse),
        }
    }

    /// Takes rows in which NaN is a missing cell, (n_rows, n_columns), as [`Masked::new`] does.
    ///
    /// # Errors
    /// As [`Masked::new`].
    pub fn from_rows(rows: ArrayView2<'_, f64>, constant: bool) -> Result<Masked> {
        DenseRows::from_rows(rows, constant).map(Masked::Dense)
    }

    /// Returns the number of cells that are stored, if not all are.
    pub fn stored(&self) -> Option<usize> {
        match self {
            Masked::Dense(_) => None,
            Masked::Sparse(rows) => Some(rows.cells.entries() + rows.holes.entries()),
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        each_form!(self, rows => rows.len())
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of columns, including the constant.
    pub fn columns(&self) -> usize {
        each_form!(self, rows => rows.columns())
    }

    /// Returns the rows of `keep`, counted from 0, in that order.
    pub fn select(&self, keep: &[usize]) -> Masked {
        match self {
            Masked::Dense(rows) => Masked::Dense(rows.select(keep)),
            Masked::Sparse(rows) => Masked::Sparse(rows.select(keep)),
        }
    }

    /// Returns these rows in the form of others of as many columns.
    ///
    /// # Errors
    /// Sparse rows that are not as [`SparseRows::new`] makes them.
    pub(crate) fn like<'a>(&'a self, other: &Masked) -> Result<Cow<'a, Masked>> {
        Ok(match (self, other) {
            (_, Masked::Dense(_)) => match self.dense() {
                Cow::Borrowed(_) => Cow::Borrowed(self),
                Cow::Owned(rows) => Cow::Owned(Masked::Dense(rows)),
            },
            (Masked::Sparse(rows), Masked::Sparse(of)) if rows.zeros == of.zeros => {
                Cow::Borrowed(self)
            }
            (_, Masked::Sparse(of)) => {
                Cow::Owned(Masked::Sparse(sparse_rows(&self.dense(), &of.zeros)?))
            }
        })
    }

    /// Returns the rows with all their cells.
    pub fn dense(&self) -> Cow<'_, DenseRows> {
        match self {
            Masked::Dense(rows) => Cow::Borrowed(rows),
            Masked::Sparse(rows) => Cow::Owned(dense_rows(rows)),
        }
    }

    /// Returns these rows with others below, in the form of these.
    ///
    /// # Errors
    /// As `Masked::like`.
    pub fn joined(&self, below: &Masked) -> Result<Masked> {
        match (self, &*below.like(self)?) {
            (Masked::Dense(rows), Masked::Dense(below)) => Ok(Masked::Dense(rows.joined(below))),
            (Masked::Sparse(rows), Masked::Sparse(below)) => rows.joined(below).map(Masked::Sparse),
            (_, other) => Ok(other.clone()),
        }
    }

    /// Returns the rows with `fill[j]` in the missing cells of column j, which stay missing.
    ///
    /// # Errors
    /// As `Masked::like`.
    pub fn filled(self, fill: &[f64]) -> Result<Masked> {
        match self {
            Masked::Dense(rows) => Ok(Masked::Dense(rows.filled(fill))),
            Masked::Sparse(rows) => rows.filled(fill).map(Masked::Sparse),
        }
    }

    /// Returns the number of columns that one row shows, including the constant.
    pub fn shown(&self, row: usize) -> usize {
        each_form!(self, rows => rows.shown(row))
    }

    /// Returns the sum of the squared values of one row.
    pub(crate) fn square(&self, row: usize) -> f64 {
        match self {
            Masked::Dense(rows) => rows.values.col_as_slice(row).iter().map(|x| x * x).sum(),
            Masked::Sparse(rows) => rows.square(row),
        }
    }

    /// Calls a function with one row, zero-filled, and its mask; `room` is for the rows of one
    /// table.
    pub(crate) fn with_row<T>(
        &self,
        row: usize,
        room: &mut (Vec<f64>, Vec<f32>),
        call: impl FnOnce(&[f64], &[f32]) -> T,
    ) -> T {
        match self {
            Masked::Dense(rows) => {
                call(rows.values.col_as_slice(row), rows.observed.col_as_slice(row))
            }
            Masked::Sparse(rows) => {
                room.0.resize(self.columns(), 0.0);
                room.1.resize(self.columns(), 0.0);
                rows.row_into(row, &mut room.0, &mut room.1);
                call(&room.0, &room.1)
            }
        }
    }
}

/// Stores all cells of sparse rows.
fn dense_rows(rows: &SparseRows) -> DenseRows {
    let mut dense = DenseRows::empty(rows.columns(), rows.len());
    for i in 0..rows.len() {
        let (values, observed) =
            (dense.values.col_as_slice_mut(i), dense.observed.col_as_slice_mut(i));
        rows.row_into(i, values, observed);
    }
    dense
}

/// Stores dense rows as differences from these zeros.
fn sparse_rows(rows: &DenseRows, zeros: &[f64]) -> Result<SparseRows> {
    let mut builder = Builder::new(zeros.to_vec());
    for i in 0..rows.len() {
        let cells = rows.values.col_as_slice(i).iter().zip(rows.observed.col_as_slice(i));
        for (column, (&value, &seen)) in cells.enumerate() {
            builder.push(column, if seen == 0.0 { f64::NAN } else { value });
        }
        builder.end_row();
    }
    builder.done()
}

/// Returns the error of a bad scaled cell, with the name of its column.
fn bad_cell(examples: &Examples<'_>, example: usize, at: usize, value: f64) -> Error {
    let row = examples.rows[example] as usize;
    let layout = examples.layout;
    let of_panel = || {
        let slot = layout.slot(at);
        (0..layout.panels())
            .find(|&p| layout.slots_of(p).contains(&slot))
            .map(|p| layout.name(p).to_owned())
    };
    let name = examples.declared.names.get(at).cloned().or_else(of_panel);
    let name = name.unwrap_or_else(|| format!("column {}", at + 1));
    let raw = examples.matrix.get(row, at);
    if !raw.is_finite() || raw.abs() > LARGEST {
        return refused(row + 1, name, value, raw);
    }
    // Lost in scaling, because another cell of its column is too large.
    let size = |row: &u32| {
        Some(examples.matrix.get(*row as usize, at).abs()).filter(|v| !v.is_nan()).unwrap_or(0.0)
    };
    let worst = examples
        .rows
        .iter()
        .copied()
        .max_by(|a, b| size(a).total_cmp(&size(b)))
        .unwrap_or(row as u32);
    refused(worst as usize + 1, name, value, examples.matrix.get(worst as usize, at))
}

/// Reports an infinite cell as such, a finite one in raw units as too large.
fn refused(row: usize, column: String, value: f64, raw: f64) -> Error {
    if raw.is_finite() {
        ErrorKind::TooLarge { row, column, value: raw }.into()
    } else {
        ErrorKind::NotFinite { row, column, value }.into()
    }
}

#[cfg(test)]
mod tests;
