//! Lets Python train KARMA on tables that arrive in parts.

use crate::arrays::{Table, list};
use crate::background::{self, run_scoped};
use crate::errors::raised;
use crate::fitting::{Declared, coded, target};
use crate::model::Model;
use halfseen::Learner;
use halfseen::data::Target;
use halfseen::missing::{IncrementalKarma, Karma};
use halfseen::params::Parameters;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The library's online pass.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct OnlineKarma(Mutex<IncrementalKarma>);

impl OnlineKarma {
    /// Locks the learner; other threads of Python run while it waits for one that teaches.
    fn lock(&self) -> MutexGuard<'_, IncrementalKarma> {
        background::lock(&self.0)
    }
}

#[pymethods]
impl OnlineKarma {
    /// Starts from a first table; the arguments are those of `fit`.
    #[staticmethod]
    #[pyo3(signature = (parameters, table, target_name, targets, classes, declared, progress))]
    #[allow(clippy::too_many_arguments)]
    fn start(
        py: Python<'_>,
        parameters: Vec<(String, String)>,
        table: &Table,
        target_name: String,
        targets: &Bound<'_, PyArray1<f64>>,
        classes: Option<Vec<Bound<'_, PyAny>>>,
        declared: Declared,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<OnlineKarma> {
        let mut karma = Karma::default();
        parameters.iter().try_for_each(|(name, value)| karma.set(name, value)).map_err(raised)?;
        let options = declared.options(&karma as &dyn Learner)?;
        let target = target(list(targets)?, classes)?;
        let started = run_scoped(py, progress, |monitor| {
            IncrementalKarma::start(&karma, &table.0, (&target_name, &target), &options, monitor)
        })?;
        Ok(OnlineKarma(Mutex::new(started)))
    }

    /// Reads the state that `to_json` wrote; it continues with the same bits.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<OnlineKarma> {
        let read = serde_json::from_str(text).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(OnlineKarma(Mutex::new(read)))
    }

    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&*self.lock()).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<OnlineKarma>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// Learns from the rows of another table, in their order.
    fn teach(
        &self,
        py: Python<'_>,
        table: &Table,
        targets: &Bound<'_, PyArray1<f64>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (targets, classes) = (list(targets)?, self.lock().classes().to_vec());
        let target = match classes.is_empty() {
            true => Target::Numbers(targets),
            false => coded(targets, classes),
        };
        run_scoped(py, progress, |monitor| {
            let mut learner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            learner.teach(&table.0, &target, monitor)
        })
    }

    fn model(&self) -> PyResult<Model> {
        Ok(Model::new(self.lock().model().map_err(raised)?))
    }
}
