//! Exposes the library's session to Python: converts arguments, and releases the interpreter's lock
//! for long work.

use crate::arrays::{Table, list};
use crate::background::{self, lock_here, run_interruptible, run_scoped, run_short};
use crate::errors::{guarded, raised};
use crate::fitting::{Declared, coded, target};
use crate::learners::configured;
use crate::model::Model;
use crate::query::{Query, text};
use halfseen::budget::TellOutcome;
use halfseen::data::{Label, Target, TargetScale};
use halfseen::prepare::ColumnSchema;
use halfseen::session::{Answer, Session, Start};
use halfseen::{Monitor, Silent};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard};

/// Number of rows up to which a batch ends before anybody could interrupt it: starting a thread
/// would take longer.
const FEW: usize = 1024;

/// A query, the numbers of queries asked after it and closed since, the attributes still to be
/// answered, and true if the target was told.
type Open = (Query, u64, u64, Vec<String>, bool);

/// Number of a query, attribute, value or reason for its absence, and target (for a class its
/// index).
type Kept = (u64, String, Option<f64>, Option<String>, Option<f64>);

/// A value, or the reason for its absence.
#[derive(FromPyObject)]
enum Given {
    Value(f64),
    Missing(String),
}

/// A session of the library.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Learner {
    /// Shared with an interrupted fit that still runs.
    session: Arc<Mutex<Session>>,
    classes: Vec<Label>,
    /// True if an answer, and true if computing a model, takes long enough to be interrupted.
    long: (bool, bool),
}

impl Learner {
    fn new(session: Session) -> Learner {
        let long = (session.fits_to_answers(), session.fits_late());
        let classes = session.classes().to_vec();
        Learner { session: Arc::new(Mutex::new(session)), classes, long }
    }

    /// Locks the session; other threads of Python run while it waits for one that teaches.
    fn lock(&self) -> MutexGuard<'_, Session> {
        background::lock(&self.session)
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
        let learner = configured(learner, &parameters)?;
        let declared = declared.options(&*learner)?;
        let first = target(list(targets)?, classes)?;
        // The same seed gives the same queries, including tags.
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

    /// Reads a session from the text that `to_json` wrote; it continues with the same bits,
    /// including open queries.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Learner> {
        Ok(Learner::new(guarded(|| Session::from_json(text))?))
    }

    fn to_json(&self) -> PyResult<String> {
        self.lock().to_json().map_err(raised)
    }

    /// Takes the number of the next generation, unless the existing text is of a later one or of
    /// another session.
    fn advance(&self, path: &str, existing: Option<&str>) -> PyResult<()> {
        self.lock().advance(path, existing).map_err(raised)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Learner>().getattr("from_json")?, (self.to_json()?,)))
    }

    fn ask(&self) -> PyResult<Query> {
        guarded(|| self.lock().ask().map(Query))
    }

    /// Returns the query for an example of which only these panels are observed.
    fn ask_observed(&self, panels: Vec<u32>) -> PyResult<Query> {
        guarded(|| self.lock().ask_observed(&panels).map(Query))
    }

    /// Opens a query of a log without drawing it again.
    fn adopt(&self, query: &Query) -> PyResult<()> {
        guarded(|| self.lock().adopt(&query.0))
    }

    /// Takes raw values by attribute, or reasons for their absence, and the raw target (for classes
    /// its index); returns true once all have arrived and the learner has learned from them.
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
            run_short(py, false, || tell(lock_here(&self.session)))?
        } else {
            guarded(|| tell(self.lock()))?
        };
        Ok(told.map(|told| told == TellOutcome::Learned))
    }

    /// Returns the attributes that a query names, each once.
    fn attributes_of(&self, query: &Query) -> PyResult<Vec<String>> {
        let session = self.lock();
        Ok(session.attributes_of(&query.0).map_err(raised)?.map(str::to_owned).collect())
    }

    /// Name and columns of each panel, and the number of the leading panels that cost a read; the
    /// others are always known. Hat functions are left out.
    #[getter]
    fn panels(&self) -> (Vec<(String, Vec<usize>)>, usize) {
        let session = self.lock();
        let (layout, schema) = (session.panels(), &session.prepare().schema);
        let (mut places, mut first) = (Vec::new(), 0);
        for attribute in &schema.columns {
            let own = attribute.width() - attribute.hats();
            places.extend((first..first + own).map(Some));
            places.extend(vec![None; attribute.hats()]);
            first += own;
        }
        let columns =
            |panel| layout.slots_of(panel).filter_map(|slot| places[layout.column(slot)]).collect();
        let panel = |panel| (layout.name(panel).to_owned(), columns(panel));
        ((0..layout.panels()).map(panel).collect(), layout.sampled_panels())
    }

    /// Names of the columns, without hat functions.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let session = self.lock();
        let own = |attribute: &ColumnSchema| {
            let names = attribute.encoded_names();
            let own = names.len() - attribute.hats();
            names.into_iter().take(own)
        };
        session.prepare().schema.columns.iter().flat_map(own).collect()
    }

    /// Mean and standard deviation by which the learner scales the target.
    #[getter]
    fn target_scale(&self) -> (f64, f64) {
        let TargetScale { mean, deviation } = self.lock().prepare().target;
        (mean, deviation)
    }

    #[getter]
    fn learner(&self) -> &'static str {
        self.lock().learner()
    }

    /// Closes a query that will never be answered.
    fn forget(&self, number: u64) -> PyResult<()> {
        guarded(|| self.lock().forget(number))
    }

    /// Returns the open queries, oldest first.
    fn open(&self) -> Vec<Open> {
        let session = self.lock();
        let open = session.open().map(|open| {
            let missing = open.missing.iter().map(|&name| name.to_owned()).collect();
            let query = Query(open.query.clone());
            (query, open.asked_since, open.closed_since, missing, open.has_target)
        });
        open.collect()
    }

    /// Returns the reads and the money that are left, and those reserved for open queries.
    fn remaining(&self) -> (Option<u64>, Option<f64>, u64, f64) {
        let left = self.lock().remaining();
        (left.reads, left.cost, left.promised_reads, left.promised_cost)
    }

    /// Returns all reads, one by one.
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

    /// True if reads are kept, true if bounds are strict, and the limit on the cost of all reads.
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
        let work = |monitor: &dyn Monitor| {
            let mut session = lock_here(&self.session);
            if session.prepare().schema.columns.iter().all(|column| column.hats() == 0) {
                return session.teach(table.0.numbers(), &target, monitor);
            }
            let encoded = session.prepare().encode(&table.0)?;
            session.teach(&encoded.matrix, &target, monitor)
        };
        if rows <= FEW && !self.long.0 {
            return py.detach(|| guarded(|| work(&Silent)));
        }
        run_scoped(py, progress, work)
    }

    fn report(&self) -> PyResult<String> {
        text(&self.lock().report())
    }

    /// Returns the current model, computed on this number of threads.
    fn model(&self, py: Python<'_>, threads: usize) -> PyResult<Model> {
        // Some learners solve for their predictor only now.
        let shared = Arc::clone(&self.session);
        let work = move |monitor: &dyn Monitor| lock_here(&shared).model(monitor);
        let model = if self.long.1 {
            run_interruptible(py, threads, None, work)?
        } else {
            py.detach(|| guarded(|| work(&Silent)))?
        };
        Ok(Model::new(model))
    }
}
