//! Exposes a learner's query to Python: its number, and JSON.

use halfseen::budget;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A query; see the library's `budget::Query`.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Query(pub(crate) budget::Query);

#[pymethods]
impl Query {
    /// Reads a query from the text that `to_json` wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Query> {
        let wrong = |e| PyValueError::new_err(format!("this is not a query of a learner: {e}"));
        Ok(Query(serde_json::from_str(text).map_err(wrong)?))
    }

    fn to_json(&self) -> PyResult<String> {
        text(&self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Query>().getattr("from_json")?, (self.to_json()?,)))
    }

    fn __eq__(&self, other: &Query) -> bool {
        self.0 == other.0
    }

    /// Number of the query, from 0.
    #[getter]
    fn number(&self) -> u64 {
        self.0.number
    }
}

/// Returns a value of the library as JSON.
pub(crate) fn text(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}
