//! Lets Python ask and tell: converts the arguments of the library's session, and runs what takes
//! long off the interpreter's lock.

use crate::arrays::{Table, list};
use crate::background::{run_interruptible, run_scoped, run_short};
use crate::errors::{guarded, raised};
use crate::fitting::{Declared, coded, target};
use crate::learners::configured;
use crate::model::Model;
use crate::query::{Query, text};
use halfseen::budget::TellOutcome;
use halfseen::data::{Label, Target, TargetScale};
use halfseen::session::{Answer, Session, Start};
use halfseen::{Monitor, Silent};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A batch of no more rows is over before anybody could interrupt it: starting a thread would take
/// longer.
const FEW: usize = 1024;

/// A query, the queries asked after it and closed since, the attributes that wait for an answer,
/// and whether the target was told.
type Open = (Query, u64, u64, Vec<String>, bool);

/// A query's number, an attribute, its value, why there is none, the target (of a class its place).
type Kept = (u64, String, Option<f64>, Option<String>, Option<f64>);

/// A value, or why there is none.
#[derive(FromPyObject)]
enum Given {
    Value(f64),
    Missing(String),
}

/// A session of the library.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Learner {
    /// Shared with a fit that was interrupted and is left to itself.
    session: Arc<Mutex<Session>>,
    classes: Vec<Label>,
    /// Whether an answer, and whether a model, takes so long that somebody could interrupt it.
    long: (bool, bool),
}

/// Off the interpreter's lock. A panic while telling was reported as a defect of ours: whoever goes
/// on has been told.
fn of(shared: &Mutex<Session>) -> MutexGuard<'_, Session> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Learner {
    fn new(session: Session) -> Learner {
        let long = (session.fits_to_answers(), session.fits_late());
        let classes = session.classes().to_vec();
        Learner { session: Arc::new(Mutex::new(session)), classes, long }
    }

    /// Lets other threads of Python run while it waits for one that teaches.
    fn lock(&self) -> MutexGuard<'_, Session> {
        Python::attach(|py| self.session.lock_py_attached(py))
            .unwrap_or_else(PoisonError::into_inner)
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
        let declared = declared.options(&*learner)?;
        let first = target(list(targets)?, classes)?;
        // The same seed gives the same queries, tags included.
        let seed = learner.get("seed").and_then(|seed| seed.parse::<u64>().ok()).unwrap_or(0);
        let instance = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15).max(1);
        let mut start = Start::new(&*learner, names)
            .declared(declared)
            .target(target_name)
            .first_targets(first)
            .instance(instance);
        if let Some((mean, deviation)) = scale {
            start = start.scale(TargetScale { mean, deviation });
        }
        Ok(Learner::new(guarded(|| start.begin())?))
    }

    /// A learner from the text that `to_json` wrote; it goes on with the same bits, open queries
    /// included.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Learner> {
        Ok(Learner::new(guarded(|| Session::from_json(text))?))
    }

    fn to_json(&self) -> PyResult<String> {
        self.lock().to_json().map_err(raised)
    }

    /// Takes the number of the next generation, unless the text that is there now is of a later one
    /// or of another session.
    fn advance(&self, path: &str, existing: Option<&str>) -> PyResult<()> {
        self.lock().advance(path, existing).map_err(raised)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Learner>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// The next question.
    fn ask(&self) -> PyResult<Query> {
        guarded(|| self.lock().ask().map(Query))
    }

    /// What is to be told of an example of which these panels happen to be observed.
    fn ask_observed(&self, panels: Vec<u32>) -> PyResult<Query> {
        guarded(|| self.lock().ask_observed(&panels).map(Query))
    }

    /// Opens a query of a log without drawing it anew.
    fn adopt(&self, query: &Query) -> PyResult<()> {
        guarded(|| self.lock().adopt(&query.0))
    }

    /// Takes raw values by attribute, or reasons why there are none, and the raw target (the index
    /// of the class, where there are classes); says whether the learner learned, once all is there.
    #[pyo3(signature = (query, answers, target))]
    fn tell(
        &self,
        py: Python<'_>,
        query: &Query,
        answers: Vec<(String, Given)>,
        target: Option<f64>,
    ) -> PyResult<Option<bool>> {
        let answer = |given: &Given| match given {
            Given::Value(value) => Answer::Value(*value),
            Given::Missing(reason) => Answer::Missing(reason.clone()),
        };
        let answers: Vec<(&str, Answer)> =
            answers.iter().map(|(name, given)| (name.as_str(), answer(given))).collect();
        let label = |code: f64| self.classes.get(code as usize).cloned();
        let target = target.map(|code| label(code).unwrap_or(Label::Number(code)));
        let tell = |mut session: MutexGuard<'_, Session>| {
            session.tell_part(&query.0, &answers, target.as_ref())
        };
        let told = if self.long.0 {
            run_short(py, false, || tell(of(&self.session)))?
        } else {
            guarded(|| tell(self.lock()))?
        };
        Ok(told.map(|told| told == TellOutcome::Learned))
    }

    /// The attributes that a query names, each once.
    fn attributes_of(&self, query: &Query) -> PyResult<Vec<String>> {
        let session = self.lock();
        Ok(session.attributes_of(&query.0).map_err(raised)?.map(str::to_owned).collect())
    }

    /// Name and columns of each panel; the first so many cost a read, the others are always known.
    #[getter]
    fn panels(&self) -> (Vec<(String, Vec<usize>)>, usize) {
        let session = self.lock();
        let layout = session.panels();
        let columns = |panel| layout.slots_of(panel).map(|slot| layout.column(slot)).collect();
        let panel = |panel| (layout.name(panel).to_owned(), columns(panel));
        ((0..layout.panels()).map(panel).collect(), layout.sampled_panels())
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.lock().columns().to_vec()
    }

    /// Mean and deviation of the target, by which the learner scales it.
    #[getter]
    fn target_scale(&self) -> (f64, f64) {
        let TargetScale { mean, deviation } = self.lock().prepare().target;
        (mean, deviation)
    }

    /// The learner's name.
    #[getter]
    fn learner(&self) -> &'static str {
        self.lock().learner()
    }

    /// Closes a query that will never be answered.
    fn forget(&self, number: u64) -> PyResult<()> {
        guarded(|| self.lock().forget(number))
    }

    /// The open queries, oldest first.
    fn open(&self) -> Vec<Open> {
        let session = self.lock();
        let open = session.open().map(|open| {
            let missing = open.missing.iter().map(|&name| name.to_owned()).collect();
            let query = Query(open.query.clone());
            (query, open.asked_since, open.closed_since, missing, open.has_target)
        });
        open.collect()
    }

    /// Reads and money that are left, and those that open queries are promised.
    fn remaining(&self) -> (Option<u64>, Option<f64>, u64, f64) {
        let left = self.lock().remaining();
        (left.reads, left.cost, left.promised_reads, left.promised_cost)
    }

    /// What was read, one by one.
    fn export(&self) -> PyResult<Vec<Kept>> {
        let session = self.lock();
        let code = |label: &Label| match (label, self.classes.iter().position(|c| c == label)) {
            (_, Some(code)) => Some(code as f64),
            (Label::Number(number), None) => Some(*number),
            (Label::Text(_), None) => None,
        };
        let read = |read: halfseen::session::KeptRead<'_>| {
            let (value, reason) = match read.answer {
                Answer::Value(value) => (Some(*value), None),
                Answer::Missing(text) | Answer::Category(text) => (None, Some(text.clone())),
            };
            let target = read.target.as_ref().and_then(code);
            (read.number, read.attribute.to_owned(), value, reason, target)
        };
        Ok(session.export().map_err(raised)?.map(read).collect())
    }

    /// Whether reads are kept, whether bounds are strict, and what all reads may cost.
    #[getter]
    fn settings(&self) -> (bool, bool, Option<f64>) {
        let session = self.lock();
        (session.keeps_reads(), session.is_strict(), session.total_cost())
    }

    fn set(&self, keep: bool, strict: bool, total_cost: Option<f64>) -> PyResult<()> {
        let mut session = self.lock();
        if total_cost != session.total_cost() {
            session.set_total_cost(total_cost).map_err(raised)?;
        }
        session.set_keep_reads(keep);
        session.set_strict(strict);
        Ok(())
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
        let targets = list(targets)?;
        let rows = targets.len();
        let target = match self.classes.is_empty() {
            true => Target::Numbers(targets),
            false => coded(targets, self.classes.clone()),
        };
        let work =
            |monitor: &dyn Monitor| of(&self.session).teach(table.0.numbers(), &target, monitor);
        if rows <= FEW && !self.long.0 {
            return py.detach(|| guarded(|| work(&Silent)));
        }
        run_scoped(py, progress, work)
    }

    /// The report so far, as JSON.
    fn report(&self) -> PyResult<String> {
        text(&self.lock().report())
    }

    /// What has been learned so far, on so many threads.
    fn model(&self, py: Python<'_>, threads: usize) -> PyResult<Model> {
        // Some learners solve for their predictor only now.
        let shared = Arc::clone(&self.session);
        let work = move |monitor: &dyn Monitor| of(&shared).model(monitor);
        let model = if self.long.1 {
            run_interruptible(py, threads, None, work)?
        } else {
            py.detach(|| guarded(|| work(&Silent)))?
        };
        Ok(Model::new(model))
    }
}
