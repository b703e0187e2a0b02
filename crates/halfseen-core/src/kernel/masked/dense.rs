//! Stores every cell of masked rows.
//!
//! One example is one column of both matrices, so that comparing two rows takes products of
//! contiguous numbers. Zero stands for the mean, since attributes are centred over their observed
//! values (Hazan et al. 2015, section 5). The mask has single precision, half the memory of double.

use super::bits::Bits;
use super::{LARGEST, bad_cell, refused};
use crate::data::Examples;
use crate::error::{Error, ErrorKind, Result};
use faer::Mat;
use ndarray::ArrayView2;
use std::sync::OnceLock;

/// Rows with missing values, zero-filled, with their masks.
#[derive(Debug, Clone)]
pub struct DenseRows {
    /// Values, 0 if unobserved, (n_columns, n_rows).
    pub values: Mat<f64>,
    /// 1 if observed, else 0, (n_columns, n_rows).
    pub(super) observed: Mat<f32>,
    /// The same as bits, made when they are first asked for.
    bits: OnceLock<Bits>,
}

impl PartialEq for DenseRows {
    fn eq(&self, other: &DenseRows) -> bool {
        self.values == other.values && self.observed == other.observed
    }
}

impl DenseRows {
    /// Takes the scaled cells of examples; `constant` adds a column that is always observed and
    /// always 1.
    ///
    /// # Errors
    /// An infinite cell, or one too large to be squared, by row and column; no column at all.
    pub fn new(examples: &Examples<'_>, constant: bool) -> Result<DenseRows> {
        let read = |i: usize, out: &mut [f64]| examples.row_into(i, out);
        let bad = |i, at, value| bad_cell(examples, i, at, value);
        DenseRows::build(examples.len(), examples.columns(), constant, read, bad)
    }

    /// Takes rows in which NaN is a missing cell, (n_rows, n_columns), as [`DenseRows::new`] does.
    ///
    /// # Errors
    /// As [`DenseRows::new`].
    pub fn from_rows(rows: ArrayView2<'_, f64>, constant: bool) -> Result<DenseRows> {
        let read =
            |i: usize, out: &mut [f64]| out.iter_mut().zip(rows.row(i)).for_each(|(o, v)| *o = *v);
        let bad = |i: usize, at: usize, value: f64| {
            refused(i + 1, format!("column {}", at + 1), value, value)
        };
        DenseRows::build(rows.nrows(), rows.ncols(), constant, read, bad)
    }

    fn build(
        rows: usize,
        columns: usize,
        constant: bool,
        read: impl Fn(usize, &mut [f64]),
        bad: impl Fn(usize, usize, f64) -> Error,
    ) -> Result<DenseRows> {
        if columns == 0 && !constant {
            return Err(ErrorKind::NoAttributes.into());
        }
        let width = columns + usize::from(constant);
        // Rows start as ones, for the constant.
        let (mut values, mut observed) = (Mat::ones(width, rows), Mat::ones(width, rows));
        for i in 0..rows {
            let (row, mask) = (values.col_as_slice_mut(i), observed.col_as_slice_mut(i));
            read(i, &mut row[..columns]);
            for (at, (value, seen)) in row.iter_mut().zip(mask).enumerate() {
                if value.is_nan() {
                    (*value, *seen) = (0.0, 0.0);
                } else if value.abs() > LARGEST {
                    return Err(bad(i, at, *value));
                }
            }
        }
        Ok(DenseRows { values, observed, bits: OnceLock::new() })
    }

    /// Returns the masks, (n_columns, n_rows): 1 if observed, else 0.
    pub fn observed(&self) -> &Mat<f32> {
        &self.observed
    }

    /// Returns the masks as bits, which stay with the rows: those of a model serve every prediction.
    pub(crate) fn bits(&self) -> &Bits {
        self.bits.get_or_init(|| Bits::new(&self.observed))
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.values.ncols()
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of columns, including the constant.
    pub fn columns(&self) -> usize {
        self.values.nrows()
    }

    /// Returns the rows of `keep`, counted from 0, in that order.
    pub fn select(&self, keep: &[usize]) -> DenseRows {
        let rows: Vec<_> = keep.iter().map(|&row| (self, row)).collect();
        DenseRows::gather(self.columns(), &rows)
    }

    /// Returns these rows with others of as many columns below.
    pub(super) fn joined(&self, below: &DenseRows) -> DenseRows {
        let rows = [self, below].into_iter().flat_map(|of| (0..of.len()).map(move |row| (of, row)));
        let rows: Vec<_> = rows.collect();
        DenseRows::gather(self.columns(), &rows)
    }

    /// Returns rows that show nothing.
    pub(super) fn empty(columns: usize, rows: usize) -> DenseRows {
        DenseRows {
            values: Mat::zeros(columns, rows),
            observed: Mat::zeros(columns, rows),
            bits: OnceLock::new(),
        }
    }

    fn gather(columns: usize, rows: &[(&DenseRows, usize)]) -> DenseRows {
        let mut all = DenseRows::empty(columns, rows.len());
        for (to, (of, from)) in rows.iter().enumerate() {
            all.values.col_as_slice_mut(to).copy_from_slice(of.values.col_as_slice(*from));
            all.observed.col_as_slice_mut(to).copy_from_slice(of.observed.col_as_slice(*from));
        }
        all
    }

    /// Returns the rows with `fill[j]` in the missing cells of column j, which stay missing.
    pub(super) fn filled(mut self, fill: &[f64]) -> DenseRows {
        for i in 0..self.len() {
            let observed = self.observed.col_as_slice(i);
            let cells = self.values.col_as_slice_mut(i).iter_mut().zip(observed).zip(fill);
            cells
                .filter(|((_, seen), _)| **seen == 0.0)
                .for_each(|((value, _), fill)| *value = *fill);
        }
        self
    }

    /// Returns the number of columns that one row shows, including the constant.
    pub fn shown(&self, row: usize) -> usize {
        self.observed.col_as_slice(row).iter().filter(|&&seen| seen != 0.0).count()
    }
}
