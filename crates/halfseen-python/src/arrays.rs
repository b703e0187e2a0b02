//! Converts NumPy's arrays to tables: dense arrays without a copy, sparse ones, and text columns.
#![allow(unsafe_code)] // for what NumPy lends

use crate::errors::raised;
use crate::kinds::as_number;
use halfseen::data::{self, Column, Csr, Matrix, Place, Shared, TextColumn};
use ndarray::{Array2, Dimension};
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A table for the library, which keeps the memory that it refers to alive.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Table(pub(crate) Arc<data::Table>);

#[pymethods]
impl Table {
    /// Takes numbers, (n_rows, n_columns), without a copy.
    #[staticmethod]
    fn dense(cells: &Bound<'_, PyArray2<f64>>, names: Vec<String>) -> PyResult<Table> {
        Table::of(data::Table::from_matrix(matrix(cells)?, names))
    }

    /// Takes compressed sparse rows with increasing column indices; absent cells are 0.
    #[staticmethod]
    fn sparse(
        starts: &Bound<'_, PyArray1<i64>>,
        indices: &Bound<'_, PyArray1<i64>>,
        cells: &Bound<'_, PyArray1<f64>>,
        names: Vec<String>,
    ) -> PyResult<Table> {
        let wrong = |_| PyValueError::new_err("the sparse matrix has indices out of range");
        let starts: Result<Vec<usize>, _> =
            list(starts)?.into_iter().map(usize::try_from).collect();
        let indices: Result<Vec<u32>, _> = list(indices)?.into_iter().map(u32::try_from).collect();
        let (starts, indices) = (starts.map_err(wrong)?, indices.map_err(wrong)?);
        let csr = Csr::new(starts, indices, list(cells)?, names.len()).map_err(raised)?;
        Table::of(data::Table::from_matrix(Matrix::Csr(csr), names))
    }

    /// Takes columns one by one: name and numbers, or name, codes (2^32 - 1: missing) and the texts
    /// of the codes.
    #[staticmethod]
    fn columns(rows: usize, columns: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<Table> {
        let (mut places, mut texts, mut numbers) = (Vec::new(), Vec::new(), Vec::<Vec<f64>>::new());
        for (name, cells) in columns {
            let (place, length) = if let Ok((codes, levels)) =
                cells.extract::<(Bound<'_, PyArray1<u32>>, Vec<String>)>()
            {
                let codes = list(&codes)?;
                let length = codes.len();
                texts.push(TextColumn { codes, levels });
                (Place::Text(texts.len() - 1), length)
            } else {
                let cells = list(&cells.extract::<Bound<'_, PyArray1<f64>>>()?)?;
                let length = cells.len();
                numbers.push(cells);
                (Place::Number(numbers.len() - 1), length)
            };
            if length != rows {
                return Err(PyValueError::new_err(format!(
                    "column '{name}' has {length} rows, not {rows}"
                )));
            }
            places.push(Column { name, place });
        }
        let matrix = Array2::from_shape_fn((rows, numbers.len()), |(i, j)| numbers[j][i]);
        Table::of(data::Table::new(Matrix::F64(matrix), texts, places))
    }

    /// Returns the table with numbers in these columns, if they hold numerals.
    fn with_numbers(&self, names: Vec<String>) -> PyResult<Table> {
        let table = names
            .iter()
            .try_fold(data::Table::clone(&self.0), |table, name| as_number(table, name));
        Table::of(table)
    }
}

impl Table {
    fn of(table: halfseen::Result<data::Table>) -> PyResult<Table> {
        Ok(Table(Arc::new(table.map_err(raised)?)))
    }
}

/// Cells of a Python array, which is kept alive while they are used.
struct Lent {
    _array: Py<PyArray2<f64>>,
    first: *const f64,
    count: usize,
}

// SAFETY: the pointer is only read from, and its memory lives as long as `_array`, which may be
// dropped in any thread. Another Python thread may write into its own array during a fit; every bit
// pattern is a number, so the fit then learns from a mixture of old and new numbers, as NumPy's own
// functions would.
unsafe impl Send for Lent {}
// SAFETY: as above; nothing can be changed through a reference.
unsafe impl Sync for Lent {}

impl AsRef<[f64]> for Lent {
    fn as_ref(&self) -> &[f64] {
        // SAFETY: `matrix` makes `Lent` only of aligned cells of one array: `first` is the lowest
        // of them in memory, and `count` reaches to the highest. NumPy does not resize an array
        // that is referenced elsewhere.
        unsafe { std::slice::from_raw_parts(self.first, self.count) }
    }
}

/// Returns the array as a matrix of the library, without a copy unless it is misaligned or
/// reversed.
pub(crate) fn matrix(cells: &Bound<'_, PyArray2<f64>>) -> PyResult<Matrix> {
    let cells = aligned(cells)?;
    let &[rows, columns] = cells.shape() else {
        return Err(PyValueError::new_err("expected a 2D array"));
    };
    if rows == 0 || columns == 0 {
        return Ok(Matrix::F64(Array2::zeros((rows, columns))));
    }
    let strides = |of: &Bound<'_, PyArray2<f64>>| {
        let cell = std::mem::size_of::<f64>();
        let stride = |&stride: &isize| usize::try_from(stride).ok().map(|stride| stride / cell);
        let strides: Option<Vec<usize>> = of.strides().iter().map(stride).collect();
        strides.map(|s| (s[0], s[1]))
    };
    let (cells, (down, along)) = match strides(&cells) {
        Some(strides) => (cells, strides),
        None => (copied(&cells)?, (columns, 1)),
    };
    let count = (rows - 1) * down + (columns - 1) * along + 1;
    let lent = Lent { first: cells.data().cast_const(), count, _array: cells.unbind() };
    Ok(Matrix::Shared(Shared::new(Arc::new(lent), (rows, columns), (down, along)).map_err(raised)?))
}

/// Returns the cells of a one-dimensional array with any stride.
pub(crate) fn list<T: Element + Copy>(array: &Bound<'_, PyArray1<T>>) -> PyResult<Vec<T>> {
    Ok(aligned(array)?.readonly().as_array().to_vec())
}

/// Returns the array itself if its cells are aligned, else a copy.
fn aligned<'py, T: Element, D: Dimension>(
    array: &Bound<'py, PyArray<T, D>>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    let cell = std::mem::size_of::<T>() as isize;
    let whole = array.strides().iter().all(|stride| stride % cell == 0);
    if whole && array.data().is_aligned() { Ok(array.clone()) } else { copied(array) }
}

/// Returns a copy in C order.
fn copied<'py, T: Element, D: Dimension>(
    array: &Bound<'py, PyArray<T, D>>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    Ok(array.call_method0("copy")?.cast_into()?)
}
