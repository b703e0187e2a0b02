//! Shows a learner's question to Python: a number, its reads, and JSON.

use halfseen::budget;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A question; see the library's `budget::Query`.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Query(pub(crate) budget::Query);

#[pymethods]
impl Query {
    /// A query from the text that `to_json` wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Query> {
        let wrong = |e| PyValueError::new_err(format!("this is no query of a learner: {e}"));
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

    /// Its number, from 0.
    #[getter]
    fn number(&self) -> u64 {
        self.0.number
    }

    /// Number of the panel of each read, and what it is read for.
    #[getter]
    fn reads(&self) -> Vec<(u32, &'static str)> {
        let role = |read: &budget::Read| match read.role {
            budget::Role::Gradient => "gradient",
            budget::Role::Product => "product",
            budget::Role::Full => "full",
            budget::Role::Known => "known",
        };
        self.0.reads.iter().map(|read| (read.panel, role(read))).collect()
    }
}

/// A value of the library as JSON.
pub(crate) fn text(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}
