//! Holds rows with missing values: values, zero if unobserved, and the mask.
//!
//! One example is one column of both matrices, so that comparing two rows takes products of
//! contiguous numbers. Zero stands for the mean, since attributes are centred over their observed
//! values (Hazan et al. 2015, section 5). The mask has single precision, at half the cost of
//! double: sums of its products count columns, which is exact below 2^24 columns.

use crate::data::Examples;
use crate::error::{Error, ErrorKind, Result};
use faer::Mat;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// Largest value accepted, as in all learners; squares must not overflow.
const LARGEST: f64 = 1e100;

/// Rows with missing values, zero-filled, with their masks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "Rows", try_from = "Rows")]
pub struct Masked {
    /// Values, 0 if unobserved, (n_columns, n_rows).
    pub values: Mat<f64>,
    /// 1 if observed, else 0, (n_columns, n_rows).
    pub observed: Mat<f32>,
}

impl Masked {
    /// Returns the bytes of values and masks.
    pub(crate) fn bytes(rows: f64, columns: f64) -> f64 {
        12.0 * rows * columns
    }

    /// Takes the scaled cells of examples; `constant` adds a column that is always observed and
    /// always 1.
    ///
    /// # Errors
    /// An infinite cell, or one too large to be squared, by row and column; no column at all.
    pub fn new(examples: &Examples<'_>, constant: bool) -> Result<Masked> {
        let read = |i: usize, out: &mut [f64]| examples.row_into(i, out);
        let bad = |i, at, value| bad_cell(examples, i, at, value);
        Masked::build(examples.len(), examples.columns(), constant, read, bad)
    }

    /// Takes rows in which NaN is a missing cell, (n_rows, n_columns), as [`Masked::new`] does.
    ///
    /// # Errors
    /// As [`Masked::new`].
    pub fn from_rows(rows: ArrayView2<'_, f64>, constant: bool) -> Result<Masked> {
        let read =
            |i: usize, out: &mut [f64]| out.iter_mut().zip(rows.row(i)).for_each(|(o, v)| *o = *v);
        let bad = |i: usize, at: usize, value: f64| {
            refused(i + 1, format!("column {}", at + 1), value, value)
        };
        Masked::build(rows.nrows(), rows.ncols(), constant, read, bad)
    }

    fn build(
        rows: usize,
        columns: usize,
        constant: bool,
        read: impl Fn(usize, &mut [f64]),
        bad: impl Fn(usize, usize, f64) -> Error,
    ) -> Result<Masked> {
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
        Ok(Masked { values, observed })
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
    pub fn select(&self, keep: &[usize]) -> Masked {
        let rows: Vec<_> = keep.iter().map(|&row| (self, row)).collect();
        Masked::gather(self.columns(), &rows)
    }

    /// Concatenates tables of `columns` columns.
    pub(crate) fn joined(tables: &[&Masked], columns: usize) -> Masked {
        let rows = tables.iter().flat_map(|&of| (0..of.len()).map(move |row| (of, row)));
        let rows: Vec<_> = rows.collect();
        Masked::gather(columns, &rows)
    }

    fn gather(columns: usize, rows: &[(&Masked, usize)]) -> Masked {
        let count = rows.len();
        let (mut values, mut observed) = (Mat::zeros(columns, count), Mat::zeros(columns, count));
        for (to, (of, from)) in rows.iter().enumerate() {
            values.col_as_slice_mut(to).copy_from_slice(of.values.col_as_slice(*from));
            observed.col_as_slice_mut(to).copy_from_slice(of.observed.col_as_slice(*from));
        }
        Masked { values, observed }
    }

    /// Returns the number of columns that one row shows, including the constant.
    pub fn shown(&self, row: usize) -> usize {
        self.observed.col_as_slice(row).iter().filter(|&&seen| seen != 0.0).count()
    }
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

/// Rows as stored in a file, null if unobserved.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    rows: Vec<Vec<Option<f64>>>,
}

impl From<Masked> for Rows {
    fn from(masked: Masked) -> Rows {
        let cells = |i| masked.values.col_as_slice(i).iter().zip(masked.observed.col_as_slice(i));
        let row = |i| cells(i).map(|(&value, &seen)| (seen != 0.0).then_some(value)).collect();
        Rows { rows: (0..masked.len()).map(row).collect() }
    }
}

impl TryFrom<Rows> for Masked {
    type Error = Error;

    fn try_from(file: Rows) -> Result<Masked> {
        let width = file.rows.first().map_or(0, Vec::len);
        let broken = |row: usize, problem: String| {
            Error::from(ErrorKind::BadFile {
                what: "rows of a model",
                key: format!("row {}", row + 1),
                problem,
            })
        };
        if !file.rows.is_empty() && width == 0 {
            return Err(broken(0, "it has no columns".into()));
        }
        if let Some(row) = file.rows.iter().position(|r| r.len() != width) {
            return Err(broken(
                row,
                format!("it has {} columns, and row 1 has {width}", file.rows[row].len()),
            ));
        }
        let (mut values, mut observed) =
            (Mat::zeros(width, file.rows.len()), Mat::zeros(width, file.rows.len()));
        for (i, row) in file.rows.iter().enumerate() {
            for (j, cell) in row.iter().enumerate() {
                let Some(value) = *cell else { continue };
                // NaN is in no range.
                if !(-LARGEST..=LARGEST).contains(&value) {
                    return Err(broken(i, format!("column {} is {value:e}", j + 1)));
                }
                values[(j, i)] = value;
                observed[(j, i)] = 1.0;
            }
        }
        Ok(Masked { values, observed })
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Csr, Layout, Matrix, Scaler};
    use crate::kernel::masked::*;
    use ndarray::{Array2, array};
    use std::sync::Arc;

    const HOLE: f64 = f64::NAN;

    fn with<T>(
        matrix: Matrix,
        rows: &[u32],
        names: &[String],
        scaler: &Scaler,
        run: impl Fn(&Examples<'_>) -> T,
    ) -> T {
        let layout = Arc::new(Layout::singletons(matrix.columns()));
        let targets = vec![0.0; matrix.rows()];
        let mut examples = Examples::new(&matrix, scaler, &layout, &targets).with_rows(rows);
        examples.declared.names = names;
        run(&examples)
    }

    fn cells() -> Array2<f64> {
        array![[1.0, HOLE, -2.0], [HOLE, HOLE, HOLE], [0.0, 4.0, HOLE]]
    }

    #[test]
    fn holes_are_zeros_that_the_mask_does_not_show() {
        for constant in [false, true] {
            let masked = Masked::from_rows(cells().view(), constant).unwrap();
            assert_eq!((masked.len(), masked.columns()), (3, 3 + usize::from(constant)));
            for ((i, j), &cell) in cells().indexed_iter() {
                assert_eq!(masked.values[(j, i)], if cell.is_nan() { 0.0 } else { cell });
                assert_eq!(masked.observed[(j, i)], if cell.is_nan() { 0.0 } else { 1.0 });
            }
            if constant {
                assert!(
                    (0..3).all(|i| masked.values[(3, i)] == 1.0 && masked.observed[(3, i)] == 1.0)
                );
            }
            let shown: Vec<usize> =
                (0..3).map(|i| masked.shown(i) - usize::from(constant)).collect();
            assert_eq!(shown, [2, 0, 2]);
        }
    }

    #[test]
    fn every_storage_gives_the_same_rows() {
        let csr =
            Csr::new(vec![0, 2, 3, 4], vec![0, 2, 1, 1], vec![1.0, 3.0, HOLE, 2.0], 3).unwrap();
        let dense = array![[1.0, 0.0, 3.0], [0.0, HOLE, 0.0], [0.0, 2.0, 0.0]];
        let expected =
            Masked::from_rows(dense.select(ndarray::Axis(0), &[2, 0, 1]).view(), true).unwrap();
        let narrow = dense.mapv(|v| v as f32);
        for matrix in [Matrix::Csr(csr), Matrix::F64(dense), Matrix::F32(narrow)] {
            let found =
                with(matrix, &[2, 0, 1], &[], &Scaler::None {}, |e| Masked::new(e, true).unwrap());
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn cells_are_scaled() {
        let matrix = Matrix::F64(array![[4.0, HOLE]]);
        let found = with(matrix, &[0], &[], &Scaler::Common { divisor: 8.0 }, |e| {
            Masked::new(e, false).unwrap()
        });
        assert_eq!((found.values[(0, 0)], found.values[(1, 0)], found.shown(0)), (0.5, 0.0, 1));
    }

    #[test]
    fn bad_cells_are_named() {
        let names = ["age".to_owned(), "dose".to_owned()];
        let kind = |value: f64, names: &[String]| {
            let matrix = Matrix::F64(array![[1.0, 2.0], [1.0, value], [1.0, 2.0]]);
            let bad = with(matrix, &[2, 1], names, &Scaler::None {}, |e| {
                Masked::new(e, true).unwrap_err()
            });
            bad.kind().clone()
        };
        let infinite = f64::INFINITY;
        assert_eq!(
            kind(infinite, &names),
            ErrorKind::NotFinite { row: 2, column: "dose".into(), value: infinite }
        );
        assert_eq!(
            kind(-2e100, &names),
            ErrorKind::TooLarge { row: 2, column: "dose".into(), value: -2e100 }
        );
        assert_eq!(
            kind(-infinite, &[]),
            ErrorKind::NotFinite { row: 2, column: "x1".into(), value: -infinite }
        );
        // The error names the cell that spoils the scaling of its column.
        let scaler = Scaler::Each { offset: vec![0.0, 1e200], divisor: vec![1.0, 1.0] };
        let matrix = Matrix::F64(array![[1.0, 2.0], [1.0, 3e200], [1.0, 2.0]]);
        let bad = with(matrix, &[0, 1, 2], &names, &scaler, |e| Masked::new(e, true).unwrap_err());
        assert_eq!(
            *bad.kind(),
            ErrorKind::TooLarge { row: 2, column: "dose".into(), value: 3e200 }
        );
        let error = Masked::from_rows(array![[1.0, infinite]].view(), true).unwrap_err();
        assert_eq!(
            *error.kind(),
            ErrorKind::NotFinite { row: 1, column: "column 2".into(), value: infinite }
        );
        let error = Masked::from_rows(Array2::zeros((2, 0)).view(), false).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::NoAttributes);
    }

    #[test]
    fn no_rows_and_no_columns_are_defined() {
        let none = Masked::from_rows(Array2::zeros((0, 3)).view(), true).unwrap();
        assert!(none.is_empty() && none.columns() == 4);
        let bare = Masked::from_rows(Array2::zeros((2, 0)).view(), true).unwrap();
        assert_eq!((bare.len(), bare.columns(), bare.shown(0), bare.shown(1)), (2, 1, 1, 1));
    }

    #[test]
    fn selected_rows_come_in_their_order() {
        let masked = Masked::from_rows(cells().view(), true).unwrap();
        let expected =
            Masked::from_rows(cells().select(ndarray::Axis(0), &[2, 2, 0]).view(), true).unwrap();
        assert_eq!(masked.select(&[2, 2, 0]), expected);
        assert!(masked.select(&[]).is_empty());
    }

    #[test]
    fn files_give_the_same_rows_back_or_an_error() {
        let mut rows = cells();
        rows[(0, 0)] = 0.1 + 0.2;
        let masked = Masked::from_rows(rows.view(), true).unwrap();
        let text = serde_json::to_string(&masked).unwrap();
        assert!(text.starts_with("{\"rows\":[[0.30000000000000004,null,-2.0,1.0],["), "{text}");
        assert_eq!(serde_json::from_str::<Masked>(&text).unwrap(), masked);
        for broken in [
            "{\"rows\":[[1.0],[1.0,2.0]]}",
            "{\"rows\":[[1e101]]}",
            "{\"rows\":[[1e999]]}",
            "{\"rows\":[[]]}",
            "{\"rows\":[[\"a\"]]}",
            "{\"rows\":[[1]],\"more\":1}",
            "{}",
        ] {
            assert!(serde_json::from_str::<Masked>(broken).is_err(), "{broken}");
        }
    }
}
