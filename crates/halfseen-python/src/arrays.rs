//! Takes NumPy's arrays as tables: dense ones as they lie in memory, sparse ones, and columns of texts.

use crate::errors::raised;
use halfseen::data::{self, Column, Csr, Matrix, Place, TextColumn};
use ndarray::Array2;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A table for the library, which keeps alive whatever memory it looks at.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Table(pub(crate) Arc<data::Table>);

#[pymethods]
impl Table {
    /// Numbers, (n_rows, n_columns), without a copy.
    #[staticmethod]
    fn dense(cells: PyReadonlyArray2<'_, f64>, names: Vec<String>) -> PyResult<Table> {
        Table::of(data::Table::from_matrix(matrix(&cells), names))
    }

    /// Compressed sparse rows with increasing column indices; absent cells are 0.
    #[staticmethod]
    fn sparse(
        starts: PyReadonlyArray1<'_, i64>,
        indices: PyReadonlyArray1<'_, i64>,
        cells: PyReadonlyArray1<'_, f64>,
        names: Vec<String>,
    ) -> PyResult<Table> {
        let wrong = |_| PyValueError::new_err("the sparse matrix has indices out of range");
        let starts: Result<Vec<usize>, _> = starts.as_array().iter().map(|&v| usize::try_from(v)).collect();
        let indices: Result<Vec<u32>, _> = indices.as_array().iter().map(|&v| u32::try_from(v)).collect();
        let cells = cells.as_array().to_vec();
        let csr = Csr::new(starts.map_err(wrong)?, indices.map_err(wrong)?, cells, names.len()).map_err(raised)?;
        Table::of(data::Table::from_matrix(Matrix::Csr(csr), names))
    }

    /// Columns one by one: name and numbers, or name, codes (2^32 - 1: missing) and the texts that they stand for.
    #[staticmethod]
    fn columns(rows: usize, columns: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<Table> {
        let (mut places, mut texts, mut numbers) = (Vec::new(), Vec::new(), Vec::<Vec<f64>>::new());
        for (name, cells) in columns {
            let place = if let Ok((codes, levels)) = cells.extract::<(PyReadonlyArray1<'_, u32>, Vec<String>)>() {
                texts.push(TextColumn { codes: codes.as_array().to_vec(), levels });
                Place::Text(texts.len() - 1)
            } else {
                let cells = cells.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec();
                if cells.len() != rows {
                    return Err(PyValueError::new_err(format!("column '{name}' has {} rows, not {rows}", cells.len())));
                }
                numbers.push(cells);
                Place::Number(numbers.len() - 1)
            };
            places.push(Column { name, place });
        }
        let matrix = Array2::from_shape_fn((rows, numbers.len()), |(i, j)| numbers[j][i]);
        Table::of(data::Table::new(Matrix::F64(matrix), texts, places))
    }
}

impl Table {
    fn of(table: halfseen::Result<data::Table>) -> PyResult<Table> {
        Ok(Table(Arc::new(table.map_err(raised)?)))
    }
}

/// The array as a matrix of the library.
pub(crate) fn matrix(cells: &PyReadonlyArray2<'_, f64>) -> Matrix {
    Matrix::F64(cells.as_array().to_owned())
}
