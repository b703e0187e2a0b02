//! Learns from parts of the rows: sums that are absorbed, merged and written as text.

use crate::arrays::Table;
use crate::background::{run_interruptible, run_short};
use crate::errors::raised;
use crate::fitting::Declared;
use crate::learners::configured;
use crate::model::Model;
use halfseen::data::{Drawn, Task};
use halfseen::partial::{self, NextPass};
use halfseen::prepare::Missing;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Returns the random numbers of the rows from `first` on, by which rows are drawn.
#[pyfunction]
pub(crate) fn marks(
    py: Python<'_>,
    seed: u64,
    first: u64,
    count: usize,
) -> Bound<'_, PyArray1<u64>> {
    PyArray1::from_iter(py, (first..).take(count).map(|place| Drawn::mark(seed, place)))
}

/// Sums of parts of a table.
#[pyclass(module = "halfseen._core")]
pub(crate) struct Partial(partial::Partial);

#[pymethods]
impl Partial {
    #[new]
    fn new(
        learner: &str,
        parameters: Vec<(String, String)>,
        target: &str,
        task: &str,
        ignore: Vec<String>,
        imputed: bool,
        declared: Declared,
    ) -> PyResult<Partial> {
        let learner = configured(learner, &parameters)?;
        let task = match task {
            "auto" => None,
            "regression" => Some(Task::Regression),
            "classification" => Some(Task::Classification),
            other => {
                let problem =
                    format!("task = '{other}' must be auto, regression or classification");
                return Err(PyValueError::new_err(problem));
            }
        };
        let mut options = declared.options(&*learner)?;
        options.except = ignore;
        options.missing = if imputed { Missing::Mean } else { Missing::Keep };
        let of = partial::Partial::new(&*learner, target, task, &options).map_err(raised)?;
        Ok(Partial(of))
    }

    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Partial> {
        partial::Partial::from_json(text).map(Partial).map_err(raised)
    }

    /// Returns the same in the units of sums.
    fn in_units(&self, sums: &Partial) -> PyResult<Partial> {
        self.0.clone().in_units(&sums.0).map(Partial).map_err(raised)
    }

    fn to_json(&self) -> PyResult<String> {
        self.0.to_json().map_err(raised)
    }

    /// Absorbs the tables of an iterator as one part, without the interpreter's lock while it adds.
    fn absorb(&mut self, py: Python<'_>, part: &str, tables: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut absorbing = self.0.begin(part).map_err(raised)?;
        for table in tables.try_iter()? {
            let table = table?.extract::<Bound<'_, Table>>()?;
            let table = std::sync::Arc::clone(&table.get().0);
            run_short(py, false, || absorbing.add(&table))?;
            py.check_signals()?;
        }
        run_short(py, false, || self.0.end(absorbing))
    }

    /// Returns the same without a part.
    fn emptied(&self) -> Partial {
        Partial(self.0.emptied())
    }

    /// Learns from each row of the tables of an iterator, in the units of sums.
    fn stream(&self, py: Python<'_>, sums: &Partial, tables: &Bound<'_, PyAny>) -> PyResult<Model> {
        let mut stream = self.0.stream(&sums.0).map_err(raised)?;
        for table in tables.try_iter()? {
            let table = table?.extract::<Bound<'_, Table>>()?;
            let table = std::sync::Arc::clone(&table.get().0);
            run_short(py, false, || stream.add(&table))?;
            py.check_signals()?;
        }
        run_interruptible(py, 0, None, move |monitor| stream.finish(monitor)).map(Model::new)
    }

    fn merge(&mut self, other: &Partial) -> PyResult<()> {
        self.0.merge(other.0.clone()).map_err(raised)
    }

    fn finish(&self, py: Python<'_>) -> PyResult<Model> {
        let of = self.0.clone();
        run_interruptible(py, 0, None, move |monitor| of.finish(monitor)).map(Model::new)
    }

    #[getter]
    fn next_pass(&self) -> Option<&'static str> {
        match self.0.next_pass() {
            NextPass::None => None,
            NextPass::Features => Some("features"),
            NextPass::Stream => Some("stream"),
        }
    }

    #[getter]
    fn parts(&self) -> Vec<String> {
        self.0.parts().map(str::to_owned).collect()
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    #[getter]
    fn without_target(&self) -> u64 {
        self.0.without_target()
    }
}
