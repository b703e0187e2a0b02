//! Encodes tables for Python as the program does: texts as indicators, numbers unchanged.

use crate::arrays::Table;
use crate::errors::{guarded, raised};
use crate::model::described;
use halfseen::data::Matrix;
use halfseen::prepare::Schema;
use ndarray::Array2;
use numpy::PyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Columns of a table, and the categories of text columns.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Encoder(Schema);

#[pymethods]
impl Encoder {
    /// Takes the columns of a table, and its categories.
    #[staticmethod]
    fn fit(table: &Table) -> PyResult<Encoder> {
        let rows: Vec<u32> = (0..table.0.rows() as u32).collect();
        guarded(|| {
            table.0.refuse_infinite()?;
            let schema = Schema::fit(&table.0, &rows, &[], &[], Vec::new())?;
            schema.layout()?;
            Ok(Encoder(schema))
        })
    }

    /// Reads an encoder from the text that `to_json` wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Encoder> {
        let wrong = |e| PyValueError::new_err(format!("this is no saved encoder: {e}"));
        let schema: Schema = serde_json::from_str(text).map_err(wrong)?;
        schema.layout().map_err(raised)?;
        Ok(Encoder(schema))
    }

    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Encoder>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// Returns the encoded table, (n_rows, n_encoded_columns), and the number of cells with an
    /// unknown category.
    fn encode<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
        let (cells, unknown) = py.detach(|| {
            guarded(|| {
                let encoded = self.0.encode(&table.0)?;
                Ok((own(encoded.matrix.into_owned()), encoded.applied.new_categories))
            })
        })?;
        Ok((PyArray2::from_owned_array(py, cells), unknown))
    }

    /// Name of each column, and its categories if it is text.
    #[getter]
    fn columns(&self) -> Vec<(String, Option<Vec<String>>)> {
        described(&self.0)
    }
}

/// Copies the cells into memory that this module owns.
fn own(matrix: Matrix) -> Array2<f64> {
    if let Matrix::F64(cells) = matrix {
        return cells;
    }
    matrix.dense(0..matrix.rows())
}
