//! Lets Python ask and tell: a budgeted learner that says what it wants to read, and is told.

use crate::arrays::{Table, list};
use crate::errors::{guarded, raised};
use crate::fitting::{Declared, coded, target};
use crate::learners::configured;
use crate::model::Model;
use crate::watched::{apart, watched, watched_here};
use halfseen::budget::{self, AskTell, Told, next_batch};
use halfseen::data::{self, Bounds, Cell, Examples, Label, Layout, Matrix, Target, TargetScale};
use halfseen::model::{self, Outside, Report, Stop};
use halfseen::params::set_from_json;
use halfseen::prepare::{Prepare, Prepared};
use halfseen::registry::find;
use halfseen::{ErrorKind, Monitor, Silent, registry};
use ndarray::Array2;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A batch of no more rows is over before anybody could interrupt it: starting a thread would take
/// longer.
const FEW: usize = 1024;

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

/// A learner on its way: what it has been told, what it waits for, and how values in raw units
/// become its own.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Learner {
    /// Shared with a fit that was interrupted and is left to itself.
    running: Arc<Mutex<Running>>,
    layout: Arc<Layout>,
    prepare: Prepare,
    params: serde_json::Map<String, serde_json::Value>,
    target: String,
    classes: Vec<Label>,
    bounds: Option<Bounds>,
}

/// What changes.
struct Running {
    learner: Box<dyn AskTell>,
    passed: Passed,
}

/// What batches have shown besides what the learner knows.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Passed {
    /// Why the last one ended.
    stop: Option<Stop>,
    outside_bounds: u64,
    first_outside: Option<Outside>,
    seconds: f64,
}

/// The file of a learner, key by key.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    learner: serde_json::Value,
    prepare: Prepare,
    target: String,
    classes: Vec<Label>,
    bounds: Option<Bounds>,
    passed: Passed,
}

impl Running {
    fn shared(learner: Box<dyn AskTell>, passed: Passed) -> Arc<Mutex<Running>> {
        Arc::new(Mutex::new(Running { learner, passed }))
    }

    /// Off the interpreter's lock. A panic while telling was reported as a defect of ours: whoever
    /// goes on has been told.
    fn of(shared: &Mutex<Running>) -> MutexGuard<'_, Running> {
        shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The learner's report with what batches have shown.
    fn noted(&self, mut report: Report) -> Report {
        if let Some(stop) = self.passed.stop {
            (report.stop, report.converged) = (stop, stop.converged());
        }
        report.outside_bounds = self.passed.outside_bounds;
        report.first_outside = self.passed.first_outside.clone();
        report.seconds = self.passed.seconds;
        report
    }
}

impl Learner {
    /// Lets other threads of Python run while it waits for one that teaches.
    fn lock(&self) -> MutexGuard<'_, Running> {
        Python::attach(|py| self.running.lock_py_attached(py))
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a fit may come with an answer, since what is read next depends on what was read.
    fn fits_to_answers(&self) -> bool {
        self.params.get("design").is_some_and(|design| design == "adaptive")
    }

    /// Targets as Python has them (numbers, or for each row the index of its class) in the
    /// learner's units.
    fn targets(&self, values: Vec<f64>) -> halfseen::Result<Vec<f64>> {
        let scores = self.target_of(values).scores()?;
        Ok(scores.into_iter().map(|y| self.prepare.target.apply(y)).collect())
    }

    fn target_of(&self, values: Vec<f64>) -> Target {
        if self.classes.is_empty() {
            return Target::Numbers(values);
        }
        coded(values, self.classes.clone())
    }
}

#[pymethods]
impl Learner {
    /// Starts the learner of this name over attributes of these names.
    ///
    /// `scale` is what is known of the target beforehand, mean and deviation; without it they are
    /// those of `targets`, the targets of a first batch. `classes` as in `fit`.
    #[staticmethod]
    #[pyo3(signature = (learner, parameters, names, declared, target_name, targets, classes, scale))]
    #[allow(clippy::too_many_arguments)]
    fn start(
        learner: &str,
        parameters: Vec<(String, String)>,
        names: Vec<String>,
        declared: Declared,
        target_name: String,
        targets: &Bound<'_, PyArray1<f64>>,
        classes: Option<Vec<Bound<'_, PyAny>>>,
        scale: Option<(f64, f64)>,
    ) -> PyResult<Learner> {
        let learner = configured(learner, &parameters)?;
        let mut options = declared.options(&*learner)?;
        // There is no cell yet to look at.
        options.honest = true;
        // Without an intercept nothing is subtracted of targets, nor of classes that are learned as
        // they are.
        let centred = options.intercept && !(options.plain_classes && classes.is_some());
        let nothing = Matrix::F64(Array2::zeros((0, names.len())));
        let table = data::Table::from_matrix(nothing, names).map_err(raised)?;
        let unknown = Target::Numbers(Vec::new());
        let prepared =
            Prepared::new(&table, (&target_name, &unknown), &[], &options).map_err(raised)?;
        let (mut prepare, layout) = (prepared.prepare.clone(), Arc::clone(&prepared.layout));
        let first = target(list(targets)?, classes)?;
        registry::check_classes(&*learner, first.classes().len()).map_err(raised)?;
        let started = guarded(|| learner.start(&layout))?;
        let Some(running) = started else {
            let name = learner.name();
            return Err(PyValueError::new_err(format!(
                "{name} does not ask and tell: it sees whole examples"
            )));
        };
        let signs = running.needs_classes();
        if signs && first.classes().is_empty() {
            let what = "two classes as the target, and this one holds numbers; choose loss = absolute, or the classifier";
            return Err(raised(
                ErrorKind::Needs { name: "loss", value: "one of classes", what }.into(),
            ));
        }
        let link = learner.get("link").filter(|link| link != "identity");
        if let (Some(value), true) = (link, first.classes().is_empty()) {
            // What a fit says, before anything is read.
            let allowed = "identity, where targets are numbers".to_owned();
            return Err(raised(ErrorKind::OutOfRange { name: "link", value, allowed }.into()));
        }
        prepare.target = match scale {
            Some((mean, deviation)) => TargetScale { mean, deviation },
            None => {
                let scores = first.scores().map_err(raised)?;
                let rows: Vec<u32> = (0..scores.len() as u32).collect();
                TargetScale::fit(&first, &scores, &rows, centred && !signs)
            }
        };
        let bounds = prepared.examples().declared.bounds.cloned();
        Ok(Learner {
            running: Running::shared(running, Passed::default()),
            layout,
            prepare,
            params: learner.to_json(),
            target: target_name,
            classes: first.classes().to_vec(),
            bounds,
        })
    }

    /// A learner from the text that `to_json` wrote; it goes on with the same bits, open queries
    /// included.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Learner> {
        let wrong =
            |problem: String| PyValueError::new_err(format!("this is no saved learner: {problem}"));
        let saved: Saved = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        let running = guarded(|| halfseen::registry::load(&saved.learner))?;
        saved.prepare.validate().map_err(raised)?;
        let layout = Arc::new(saved.prepare.schema.layout().map_err(raised)?);
        if serde_json::to_value(&*layout).map_err(|e| wrong(e.to_string()))?
            != saved.learner["layout"]
        {
            return Err(wrong("its attributes are not those of its state".to_owned()));
        }
        if !matches!(saved.classes.len(), 0 | 2) {
            return Err(wrong(format!("it has {} classes", saved.classes.len())));
        }
        let width = saved.prepare.schema.width();
        if saved.bounds.as_ref().is_some_and(|b| b.low.len() != width || b.high.len() != width) {
            return Err(wrong("its bounds are not those of its attributes".to_owned()));
        }
        let mut learner = find(&running.report().learner).map_err(raised)?;
        let params = saved.learner["params"].as_object().cloned().unwrap_or_default();
        set_from_json(&mut *learner, &params).map_err(raised)?;
        Ok(Learner {
            running: Running::shared(running, saved.passed),
            layout,
            prepare: saved.prepare,
            params: learner.to_json(),
            target: saved.target,
            classes: saved.classes,
            bounds: saved.bounds,
        })
    }

    fn to_json(&self) -> PyResult<String> {
        let running = self.lock();
        text(&Saved {
            learner: running.learner.save().map_err(raised)?,
            prepare: self.prepare.clone(),
            target: self.target.clone(),
            classes: self.classes.clone(),
            bounds: self.bounds.clone(),
            passed: running.passed.clone(),
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Learner>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// The next question.
    fn ask(&self) -> PyResult<Query> {
        guarded(|| Ok(Query(self.lock().learner.ask()?)))
    }

    /// What is to be told of an example of which these panels happen to be observed.
    fn ask_observed(&self, mut panels: Vec<u32>) -> PyResult<Query> {
        panels.sort_unstable();
        let mut query = budget::Query::default();
        guarded(|| self.lock().learner.ask_observed_into(&panels, &mut query))?;
        Ok(Query(query))
    }

    /// Takes one step from the raw values of a query's columns and the raw target (the index of the
    /// class, where there are classes). NaN is a read that was refused. Says whether the learner
    /// learned from it.
    fn tell(&self, py: Python<'_>, query: &Query, values: Vec<f64>, target: f64) -> PyResult<bool> {
        let columns = self.columns_of(query)?;
        if columns.len() != values.len() {
            let what = "values, one for each attribute that the query names".to_owned();
            return Err(raised(
                ErrorKind::WrongLength { what, expected: columns.len(), found: values.len() }
                    .into(),
            ));
        }
        let mut scaled = Vec::with_capacity(values.len());
        for (&column, &value) in columns.iter().zip(&values) {
            let cell = if value.is_nan() { Cell::Missing } else { Cell::Number(value) };
            self.prepare.push_cell(column, cell, &mut scaled).map_err(raised)?;
        }
        let target = self.targets(vec![target]).map_err(raised)?[0];
        let told = if self.fits_to_answers() {
            apart(py, false, || Running::of(&self.running).learner.tell(&query.0, &scaled, target))?
        } else {
            guarded(|| self.lock().learner.tell(&query.0, &scaled, target))?
        };
        Ok(told == Told::Learned)
    }

    /// The columns that a query names, in the order in which `tell` takes their values.
    fn columns_of(&self, query: &Query) -> PyResult<Vec<usize>> {
        let mut columns = Vec::new();
        for read in &query.0.reads {
            if read.panel as usize >= self.layout.panels() {
                let text = "this query is of another learner: it names an attribute that this one does not have";
                return Err(PyValueError::new_err(text));
            }
            columns.extend(self.columns_in(read.panel as usize));
        }
        Ok(columns)
    }

    /// Name and columns of each panel; the first so many cost a read, the others are always known.
    #[getter]
    fn panels(&self) -> (Vec<(String, Vec<usize>)>, usize) {
        let panel = |panel| (self.layout.name(panel).to_owned(), self.columns_in(panel).collect());
        ((0..self.layout.panels()).map(panel).collect(), self.layout.sampled_panels())
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.prepare.schema.encoded_names()
    }

    /// Mean and deviation of the target, by which the learner scales it.
    #[getter]
    fn target_scale(&self) -> (f64, f64) {
        (self.prepare.target.mean, self.prepare.target.deviation)
    }

    /// The learner's name.
    #[getter]
    fn learner(&self) -> String {
        self.lock().learner.report().learner
    }

    /// Closes a query that will never be answered.
    fn forget(&self, number: u64) -> PyResult<()> {
        guarded(|| self.lock().learner.forget(number))
    }

    /// Teaches the rows of a table in their order, reading only what the queries name, until the
    /// total budget is spent.
    fn teach(
        &self,
        py: Python<'_>,
        table: &Table,
        targets: &Bound<'_, PyArray1<f64>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (columns, expected) = (table.0.numbers().columns(), self.layout.slots());
        if columns != expected {
            return Err(PyValueError::new_err(format!(
                "the table has {columns} columns, and the learner {expected}"
            )));
        }
        let targets = self.targets(list(targets)?).map_err(raised)?;
        if targets.len() != table.0.rows() {
            let (expected, found) = (table.0.rows(), targets.len());
            return Err(PyValueError::new_err(format!(
                "there are {found} targets for {expected} rows"
            )));
        }
        let names = self.prepare.schema.encoded_names();
        let work = |monitor: &dyn Monitor| {
            let mut running = Running::of(&self.running);
            let Running { learner, passed } = &mut *running;
            // A query of fewer reads might fit into what is left, were it asked in another batch.
            if passed.stop == Some(Stop::BudgetSpent) {
                return Ok(());
            }
            let mut examples =
                Examples::new(table.0.numbers(), &self.prepare.scaler, &self.layout, &targets);
            (examples.declared.names, examples.declared.bounds) = (&names, self.bounds.as_ref());
            let report = next_batch(&mut **learner, &examples, monitor)?;
            passed.stop = Some(report.stop);
            passed.outside_bounds += report.outside_bounds;
            passed.first_outside = passed.first_outside.take().or(report.first_outside);
            passed.seconds += report.seconds;
            Ok(())
        };
        if targets.len() <= FEW && !self.fits_to_answers() {
            return py.detach(|| guarded(|| work(&Silent)));
        }
        watched_here(py, progress, work)
    }

    /// The report so far, as JSON.
    fn report(&self) -> PyResult<String> {
        let running = self.lock();
        text(&running.noted(running.learner.report()))
    }

    /// What has been learned so far, on so many threads.
    fn model(&self, py: Python<'_>, threads: usize) -> PyResult<Model> {
        // Some learners solve for their predictor only now.
        let shared = Arc::clone(&self.running);
        let work = move |monitor: &dyn Monitor| {
            let running = Running::of(&shared);
            let fit = running.learner.fitted(monitor)?;
            Ok((fit.predictor, running.noted(fit.report)))
        };
        // Only to keep the reads and fit to all of them takes so long that somebody could interrupt
        // it.
        let keeps = self.lock().learner.takes_holes();
        let (predictor, report) = if keeps {
            watched(py, threads, None, work)?
        } else {
            py.detach(|| guarded(|| work(&Silent)))?
        };
        Ok(Model::new(model::Model {
            learner: report.learner.clone(),
            params: self.params.clone(),
            prepare: self.prepare.clone(),
            target: self.target.clone(),
            task: self.target_of(Vec::new()).task(),
            classes: self.classes.clone(),
            predictor,
            report,
        }))
    }
}

impl Learner {
    fn columns_in(&self, panel: usize) -> impl Iterator<Item = usize> + '_ {
        self.layout.slots_of(panel).map(|slot| self.layout.column(slot))
    }
}

fn text(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}
