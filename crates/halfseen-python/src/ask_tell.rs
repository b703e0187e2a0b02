//! Lets Python ask a learner and tell it answers in the units of its attributes, or teach it the rows
//! of tables.

use crate::arrays::{Table, list};
use crate::background::{self, lock_here, run_interruptible, run_scoped, run_short};
use crate::errors::{guarded, raised};
use crate::fitting::{Declared, coded, target};
use crate::learners::configured;
use crate::model::Model;
use crate::query::{Query, text};
use halfseen::budget::{AskTell, TellOutcome, next_batch};
use halfseen::data::{Bounds, Cell, Examples, Label, Layout, Matrix, Target, TargetScale, Task};
use halfseen::model::{self, Outside, Report, Stop};
use halfseen::prepare::{ColumnSchema, Prepare, Prepared};
use halfseen::{ErrorKind, Monitor, Silent, budget, data, registry};
use ndarray::Array2;
use numpy::PyArray1;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// Number of rows up to which a batch ends before anybody could interrupt it: starting a thread
/// would take longer.
const FEW: usize = 1024;

/// A learner, and what leads from attributes in their own units to it.
struct Asker {
    learner: Box<dyn AskTell>,
    /// Its name and parameters.
    of: Box<dyn halfseen::Learner>,
    layout: Arc<Layout>,
    /// Attributes of each panel; no two panels share one.
    panels: Vec<Vec<usize>>,
    /// Declared bounds of each attribute; empty if none are.
    ranges: Vec<(f64, f64)>,
    rest: Rest,
}

/// Facts that are saved beside the learner.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rest {
    prepare: Prepare,
    target: String,
    classes: Vec<Label>,
    bounds: Option<Bounds>,
    stop: Option<Stop>,
    outside: u64,
    first_outside: Option<Outside>,
    seconds: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    learner: serde_json::Value,
    rest: Rest,
}

impl Asker {
    fn new(
        learner: Box<dyn AskTell>,
        of: Box<dyn halfseen::Learner>,
        layout: Arc<Layout>,
        rest: Rest,
    ) -> Asker {
        let panels = rest.prepare.schema.attributes_of(&layout);
        let columns = &rest.prepare.schema.columns;
        let firsts = columns.iter().scan(0, |next, column| {
            let first = *next;
            *next += column.width();
            Some(first)
        });
        let range = |bounds: &Bounds| firsts.map(|at| (bounds.low[at], bounds.high[at])).collect();
        let ranges = rest.bounds.as_ref().map(range).unwrap_or_default();
        Asker { learner, of, layout, panels, ranges, rest }
    }

    /// Resumes from the text that `to_json` wrote.
    fn read(text: &str) -> halfseen::Result<Asker> {
        let bad = |key: &str, problem: String| {
            halfseen::Error::from(ErrorKind::BadFile {
                what: "learner",
                key: key.to_owned(),
                problem,
            })
        };
        let Saved { learner: state, rest } =
            serde_json::from_str(text).map_err(|e| bad("", e.to_string()))?;
        let mut learner = registry::load(&state)?;
        rest.prepare.validate()?;
        let layout = rest.prepare.schema.layout()?;
        if serde_json::to_value(&layout).map_err(|e| bad("", e.to_string()))? != state["layout"] {
            let problem = "its attributes differ from those of the learner's state".to_owned();
            return Err(bad("prepare", problem));
        }
        learner.classify(rest.classes.len())?;
        let width = rest.prepare.schema.width();
        if rest.bounds.as_ref().is_some_and(|b| b.low.len() != width || b.high.len() != width) {
            let problem = "their number differs from that of the columns".to_owned();
            return Err(bad("bounds", problem));
        }
        let params = state["params"].as_object().cloned().unwrap_or_default();
        let name = state["learner"].as_str().unwrap_or_default();
        let of = registry::with_params(name, &params)?;
        Ok(Asker::new(learner, of, Arc::new(layout), rest))
    }

    fn write(&self) -> PyResult<String> {
        let learner = self.learner.save().map_err(raised)?;
        text(&serde_json::json!({ "learner": learner, "rest": self.rest }))
    }

    /// Returns the attributes that a query asks for, each once.
    fn asked(&self, query: &budget::Query) -> halfseen::Result<Vec<usize>> {
        let mut panels: Vec<usize> = Vec::with_capacity(query.reads.len());
        for panel in query.reads.iter().map(|read| read.panel as usize) {
            if panel >= self.panels.len() {
                let (number, problem) = (query.number, "it is of another learner".to_owned());
                return Err(ErrorKind::WrongQuery { number, problem }.into());
            }
            panels.push(panel);
        }
        let mut seen = HashSet::with_capacity(panels.len());
        panels.retain(|&panel| seen.insert(panel));
        Ok(panels.into_iter().flat_map(|panel| &self.panels[panel]).copied().collect())
    }

    /// Tells the values of the attributes that a query asks for, NaN where there is none, and the
    /// target; of a class its index.
    fn tell(
        &mut self,
        query: &budget::Query,
        told: &[f64],
        target: f64,
    ) -> halfseen::Result<TellOutcome> {
        let asked = self.asked(query)?;
        if asked.len() != told.len() {
            let (number, problem) = (query.number, "it is of another learner".to_owned());
            return Err(ErrorKind::WrongQuery { number, problem }.into());
        }
        let prepare = &self.rest.prepare;
        let value_of: HashMap<usize, f64> =
            asked.iter().copied().zip(told.iter().copied()).collect();
        let cell = |attribute: usize| match value_of.get(&attribute) {
            Some(value) if !value.is_nan() => Cell::Number(*value),
            _ => Cell::Missing,
        };
        let mut values = Vec::with_capacity(query.parts.len());
        for panel in query.reads.iter().map(|read| read.panel as usize) {
            let attributes = &self.panels[panel];
            prepare.push_panel((&self.layout, panel), attributes, cell, &mut values)?;
        }
        let outcome = self.learner.tell(query, &values, self.scaled(target))?;
        self.count_outside(query.number, asked.into_iter().zip(told.iter().copied()));
        Ok(outcome)
    }

    fn count_outside(&mut self, number: u64, told: impl Iterator<Item = (usize, f64)>) {
        let rest = &mut self.rest;
        for (attribute, value) in told {
            let Some(&(low, high)) = self.ranges.get(attribute) else { return };
            if value.is_nan() || (low..=high).contains(&value) {
                continue;
            }
            rest.outside += 1;
            let column = &rest.prepare.schema.columns[attribute].name;
            rest.first_outside.get_or_insert_with(|| Outside {
                row: number + 1,
                column: column.clone(),
                value,
                low,
                high,
            });
        }
    }

    /// Returns a target in the learner's units.
    fn scaled(&self, target: f64) -> f64 {
        let number = if self.rest.classes.len() == 2 { 2.0 * target - 1.0 } else { target };
        self.rest.prepare.target.apply(number)
    }

    /// Learns from the rows of a table in their order, until the total budget is spent.
    fn teach(
        &mut self,
        table: &data::Table,
        target: &Target,
        monitor: &dyn Monitor,
    ) -> halfseen::Result<()> {
        // A query of fewer reads might fit into the remainder if it were asked in another batch.
        if self.rest.stop == Some(Stop::BudgetSpent) {
            return Ok(());
        }
        let columns = &self.rest.prepare.schema.columns;
        let encoded = match columns.iter().all(|column| column.hats() == 0) {
            true => None,
            false => Some(self.rest.prepare.encode(table)?),
        };
        let rows = encoded.as_ref().map_or_else(|| table.numbers(), |encoded| &*encoded.matrix);
        let targets: Vec<f64> = match target {
            Target::Classes { codes, .. } => {
                codes.iter().map(|&code| self.scaled(f64::from(code))).collect()
            }
            Target::Numbers(numbers) => numbers.iter().map(|&number| self.scaled(number)).collect(),
        };
        let (prepare, names) = (&self.rest.prepare, self.rest.prepare.schema.encoded_names());
        let mut examples = Examples::new(rows, &prepare.scaler, &self.layout, &targets);
        (examples.declared.names, examples.declared.bounds) = (&names, self.rest.bounds.as_ref());
        let report = next_batch(&mut *self.learner, &examples, monitor)?;
        let rest = &mut self.rest;
        rest.stop = Some(report.stop);
        rest.outside += report.outside_bounds;
        rest.first_outside = rest.first_outside.take().or(report.first_outside);
        rest.seconds += report.seconds;
        Ok(())
    }

    /// Adds to the learner's report what it does not know.
    fn noted(&self, mut report: Report) -> Report {
        if let Some(stop) = self.rest.stop {
            (report.stop, report.converged) = (stop, stop.converged());
        }
        report.outside_bounds = self.rest.outside;
        report.first_outside = self.rest.first_outside.clone();
        report.seconds = self.rest.seconds;
        report
    }

    fn model(&self, monitor: &dyn Monitor) -> halfseen::Result<model::Model> {
        let (fit, rest) = (self.learner.fitted(monitor)?, &self.rest);
        Ok(model::Model {
            learner: self.of.name().to_owned(),
            params: self.of.to_json(),
            prepare: rest.prepare.clone(),
            target: rest.target.clone(),
            task: if rest.classes.is_empty() { Task::Regression } else { Task::Classification },
            classes: rest.classes.clone(),
            predictor: fit.predictor,
            report: self.noted(fit.report),
        })
    }
}

/// A learner that asks and is told.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Learner {
    /// Shared with an interrupted fit that still runs.
    asker: Arc<Mutex<Asker>>,
    classes: Vec<Label>,
    /// True if an answer, and true if computing a model, takes long enough to be interrupted.
    long: (bool, bool),
}

impl Learner {
    fn new(asker: Asker) -> Learner {
        let needs = asker.of.needs();
        // Only learners from missing values keep their reads, among those that ask.
        let long = (needs.fits_to_answers, needs.holes);
        let classes = asker.rest.classes.clone();
        Learner { asker: Arc::new(Mutex::new(asker)), classes, long }
    }

    /// Locks the learner; other threads of Python run while it waits for one that teaches.
    fn lock(&self) -> MutexGuard<'_, Asker> {
        background::lock(&self.asker)
    }
}

#[pymethods]
impl Learner {
    /// Starts the learner of this name over attributes of these names.
    ///
    /// `scale` is the mean and standard deviation of the target, if known beforehand; without it
    /// they are those of `targets`, the targets of a first batch. `classes` as in `fit`.
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
        let of = configured(learner, &parameters)?;
        let mut options = declared.options(&*of)?;
        // There are no cells yet.
        options.honest = true;
        let first = target(list(targets)?, classes)?;
        let begun = || {
            let unseen = Matrix::F64(Array2::zeros((0, names.len())));
            let table = data::Table::from_matrix(unseen, names.clone())?;
            let nothing = Target::Numbers(Vec::new());
            let prepared = Prepared::new(&table, (&target_name, &nothing), &[], &options)?;
            let bounds = prepared.examples().declared.bounds.cloned();
            let (mut prepare, layout) = (prepared.prepare.clone(), prepared.layout.clone());
            let classes = first.classes().to_vec();
            let learner = registry::start(&*of, &layout, classes.len())?;
            prepare.target = match scale {
                _ if classes.len() > 2 => TargetScale::IDENTITY,
                Some((mean, deviation)) => TargetScale { mean, deviation },
                None => {
                    // Without an intercept targets are not centred, nor are classes that are
                    // learned as -1 and +1.
                    let signs = learner.check_numbers().is_err();
                    let as_they_are = signs || (options.plain_classes && !classes.is_empty());
                    let scores = first.scores()?;
                    let rows: Vec<u32> = (0..scores.len() as u32).collect();
                    TargetScale::fit(&first, &scores, &rows, options.intercept && !as_they_are)
                }
            };
            prepare.validate()?;
            let rest = Rest {
                prepare,
                target: target_name.clone(),
                classes,
                bounds,
                stop: None,
                outside: 0,
                first_outside: None,
                seconds: 0.0,
            };
            Ok(Asker::new(learner, of.clone(), layout, rest))
        };
        Ok(Learner::new(guarded(begun)?))
    }

    /// Reads a learner from the text that `to_json` wrote; it continues with the same bits,
    /// including open queries.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Learner> {
        Ok(Learner::new(guarded(|| Asker::read(text))?))
    }

    fn to_json(&self) -> PyResult<String> {
        self.lock().write()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Learner>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// Returns the next query, and the numbers of the attributes that it asks for.
    fn ask(&self) -> PyResult<(Query, Vec<usize>)> {
        guarded(|| {
            let mut asker = self.lock();
            let query = asker.learner.ask()?;
            let asked = asker.asked(&query)?;
            Ok((Query(query), asked))
        })
    }

    /// Returns the query about an example of which only these attributes are observed.
    fn ask_observed(&self, attributes: Vec<usize>) -> PyResult<(Query, Vec<usize>)> {
        guarded(|| {
            let mut asker = self.lock();
            let mut seen = vec![false; asker.rest.prepare.schema.columns.len()];
            for at in attributes {
                if let Some(seen) = seen.get_mut(at) {
                    *seen = true;
                }
            }
            let whole = |panel: &u32| asker.panels[*panel as usize].iter().all(|&at| seen[at]);
            let panels = 0..asker.layout.sampled_panels() as u32;
            let observed: Vec<u32> = panels.filter(whole).collect();
            let mut query = budget::Query::default();
            asker.learner.ask_observed_into(&observed, &mut query)?;
            let asked = asker.asked(&query)?;
            Ok((Query(query), asked))
        })
    }

    /// Takes the values of the attributes that a query asks for, NaN where there is none, and the
    /// target (for classes its index); returns true if the learner has learned from them.
    fn tell(&self, py: Python<'_>, query: &Query, values: Vec<f64>, target: f64) -> PyResult<bool> {
        let tell = |mut asker: MutexGuard<'_, Asker>| asker.tell(&query.0, &values, target);
        let told = if self.long.0 {
            run_short(py, false, || tell(lock_here(&self.asker)))?
        } else {
            guarded(|| tell(self.lock()))?
        };
        Ok(told == TellOutcome::Learned)
    }

    /// Closes a query that will never be answered.
    fn forget(&self, number: u64) -> PyResult<()> {
        guarded(|| self.lock().learner.forget(number))
    }

    /// Names of the attributes, and the numbers of those that are always known.
    #[getter]
    fn attributes(&self) -> (Vec<String>, Vec<usize>) {
        let asker = self.lock();
        let name = |column: &ColumnSchema| column.name.clone();
        let names = asker.rest.prepare.schema.columns.iter().map(name).collect();
        (names, asker.panels[asker.layout.sampled_panels()..].concat())
    }

    /// Mean and standard deviation by which the learner scales the target.
    #[getter]
    fn target_scale(&self) -> (f64, f64) {
        let TargetScale { mean, deviation } = self.lock().rest.prepare.target;
        (mean, deviation)
    }

    /// Learns from the rows of a table in their order, reading only the attributes of each query,
    /// until the total budget is spent.
    fn teach(
        &self,
        py: Python<'_>,
        table: &Table,
        targets: &Bound<'_, PyArray1<f64>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let targets = list(targets)?;
        let rows = targets.len();
        let target = match self.classes.is_empty() {
            true => Target::Numbers(targets),
            false => coded(targets, self.classes.clone()),
        };
        let work = |monitor: &dyn Monitor| lock_here(&self.asker).teach(&table.0, &target, monitor);
        if rows <= FEW && !self.long.0 {
            return py.detach(|| guarded(|| work(&Silent)));
        }
        run_scoped(py, progress, work)
    }

    fn report(&self) -> PyResult<String> {
        let asker = self.lock();
        text(&asker.noted(asker.learner.report()))
    }

    /// Returns the current model, computed on this number of threads.
    fn model(&self, py: Python<'_>, threads: usize) -> PyResult<Model> {
        // Some learners solve for their predictor only now.
        let shared = Arc::clone(&self.asker);
        let work = move |monitor: &dyn Monitor| lock_here(&shared).model(monitor);
        let model = if self.long.1 {
            run_interruptible(py, threads, None, work)?
        } else {
            py.detach(|| guarded(|| work(&Silent)))?
        };
        Ok(Model::new(model))
    }
}
