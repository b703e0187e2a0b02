//! Lets Python ask and tell: a budgeted learner that says what it wants to read, and is told.

use crate::arrays::{Table, list};
use crate::errors::{guarded, raised};
use crate::fitting::{Declared, target};
use crate::learners::configured;
use crate::model::Model;
use crate::watched::watched;
use halfseen::ErrorKind;
use halfseen::budget::{self, AskTell, Told, next_batch};
use halfseen::data::{self, Cell, Examples, Matrix, Target};
use halfseen::model;
use halfseen::prepare::{Layout, Prepare, Prepared, TargetScale};
use ndarray::Array2;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A question; see the library's `budget::Query`.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Query(budget::Query);

#[pymethods]
impl Query {
    /// A query from the text that `to_json` wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Query> {
        let wrong = |e| PyValueError::new_err(format!("this is no query of a learner: {e}"));
        Ok(Query(serde_json::from_str(text).map_err(wrong)?))
    }

    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|e| PyValueError::new_err(e.to_string()))
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
    fn reads(&self) -> PyResult<Vec<(u32, String)>> {
        let role = |read: &budget::Read| match read.role {
            budget::Role::Gradient => "gradient",
            budget::Role::Product => "product",
            budget::Role::Full => "full",
            budget::Role::Known => "known",
        };
        Ok(self.0.reads.iter().map(|read| (read.panel, role(read).to_owned())).collect())
    }
}

/// A learner on its way: what it has been told, what it waits for, and how values in raw units become its own.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Learner {
    running: Mutex<Box<dyn AskTell>>,
    layout: Arc<Layout>,
    prepare: Prepare,
    name: String,
}

impl Learner {
    fn lock(&self) -> MutexGuard<'_, Box<dyn AskTell>> {
        // A panic while telling is reported as a defect; the state is what it was before.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Learner {
    /// Starts the learner of this name over attributes of these names; of the target nothing but `scale` (mean and
    /// deviation) is known.
    #[staticmethod]
    fn start(
        learner: &str,
        parameters: Vec<(String, String)>,
        names: Vec<String>,
        declared: Declared,
        scale: (f64, f64),
    ) -> PyResult<Learner> {
        let learner = configured(learner, &parameters)?;
        let options = declared.options(&*learner)?;
        let nothing = Matrix::F64(Array2::zeros((0, names.len())));
        let table = data::Table::from_matrix(nothing, names).map_err(raised)?;
        let target = ("target of the learner", &Target::Numbers(Vec::new()));
        let prepared = Prepared::new(&table, target, &[], &options).map_err(raised)?;
        let mut prepare = prepared.prepare.clone();
        prepare.target = TargetScale { mean: scale.0, deviation: scale.1 };
        let layout = Arc::clone(&prepared.layout);
        let started = guarded(|| learner.start(&layout))?;
        let name = learner.name();
        let Some(running) = started else {
            return Err(PyValueError::new_err(format!("{name} does not ask and tell: it sees whole examples")));
        };
        Ok(Learner { running: Mutex::new(running), layout, prepare, name: name.to_owned() })
    }

    /// A learner from the text that `to_json` wrote; it goes on with the same bits, open queries included.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Learner> {
        let wrong = |problem: String| PyValueError::new_err(format!("this is no saved learner: {problem}"));
        let mut saved: serde_json::Value = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        let prepare: Prepare = serde_json::from_value(saved["prepare"].take()).map_err(|e| wrong(e.to_string()))?;
        let running = guarded(|| budget::load(&saved["learner"]))?;
        let layout = Arc::new(prepare.schema.layout().map_err(raised)?);
        let name = running.report().learner;
        Ok(Learner { running: Mutex::new(running), layout, prepare, name })
    }

    fn to_json(&self) -> PyResult<String> {
        let learner = self.lock().save().map_err(raised)?;
        Ok(json!({ "learner": learner, "prepare": self.prepare }).to_string())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Learner>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// The next question.
    fn ask(&self) -> PyResult<Query> {
        guarded(|| Ok(Query(self.lock().ask())))
    }

    /// What is to be told of an example of which these panels happen to be observed.
    fn ask_observed(&self, mut panels: Vec<u32>) -> PyResult<Query> {
        panels.sort_unstable();
        let mut query = budget::Query::default();
        guarded(|| self.lock().ask_observed_into(&panels, &mut query))?;
        Ok(Query(query))
    }

    /// Takes one step from the raw values of a query's columns and the raw target. NaN is a read that was refused.
    /// Says whether the learner learned from it.
    fn tell(&self, query: &Query, values: Vec<f64>, target: f64) -> PyResult<bool> {
        let columns = self.columns_of(query)?;
        if columns.len() != values.len() {
            let what = "values, one for each attribute that the query names".to_owned();
            return Err(raised(ErrorKind::WrongLength { what, expected: columns.len(), found: values.len() }.into()));
        }
        let mut scaled = Vec::with_capacity(values.len());
        for (&column, &value) in columns.iter().zip(&values) {
            let cell = if value.is_nan() { Cell::Missing } else { Cell::Number(value) };
            self.prepare.push_cell(column, cell, &mut scaled).map_err(raised)?;
        }
        let target = self.prepare.target.apply(target);
        Ok(guarded(|| self.lock().tell(&query.0, &scaled, target))? == Told::Learned)
    }

    /// The columns that a query names, in the order in which `tell` takes their values.
    fn columns_of(&self, query: &Query) -> PyResult<Vec<usize>> {
        let mut columns = Vec::new();
        for read in &query.0.reads {
            if read.panel as usize >= self.layout.panels() {
                let text = "this query is of another learner: it names an attribute that this one does not have";
                return Err(PyValueError::new_err(text));
            }
            columns.extend(self.layout.slots_of(read.panel as usize).map(|slot| self.layout.column(slot)));
        }
        Ok(columns)
    }

    /// The names of the panels.
    #[getter]
    fn panels(&self) -> Vec<String> {
        (0..self.layout.panels()).map(|panel| self.layout.name(panel).to_owned()).collect()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.prepare.schema.encoded_names()
    }

    /// Closes a query that will never be answered.
    fn forget(&self, number: u64) -> PyResult<()> {
        guarded(|| self.lock().forget(number))
    }

    /// Teaches the rows of a table in their order, reading only what the queries name; at most `limit` reads.
    fn teach(
        &self,
        py: Python<'_>,
        table: &Table,
        targets: &Bound<'_, PyArray1<f64>>,
        limit: Option<u64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let targets: Vec<f64> = list(targets)?.into_iter().map(|y| self.prepare.target.apply(y)).collect();
        let names = self.prepare.schema.encoded_names();
        let report = watched(py, 1, progress, |monitor| {
            let mut examples = Examples::new(table.0.numbers(), &self.prepare.scaler, &self.layout, &targets);
            examples.declared.names = &names;
            next_batch(&mut **self.lock(), &examples, limit, monitor)
        })?;
        serde_json::to_string(&report).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// The report so far, as JSON.
    fn report(&self) -> PyResult<String> {
        serde_json::to_string(&self.lock().report()).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// What has been learned so far, as a model of this target.
    fn model(
        &self,
        parameters: Vec<(String, String)>,
        target_name: String,
        classes: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<Model> {
        let learner = configured(&self.name, &parameters)?;
        let target = target(Vec::new(), classes)?;
        let running = self.lock();
        Ok(Model::new(model::Model {
            learner: self.name.clone(),
            params: learner.to_json(),
            prepare: self.prepare.clone(),
            target: target_name,
            task: target.task(),
            classes: target.classes().to_vec(),
            predictor: guarded(|| Ok(running.predictor()))?.into(),
            report: running.report(),
        }))
    }
}
