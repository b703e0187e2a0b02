//! Collects data for a budgeted learner over weeks: its queries and their answers, in raw units.
//!
//! A [`Session`] stands between a learner, which uses panels and scaled values, and the people who
//! measure values. It hands out queries, holds partial answers until they are complete, lists open
//! queries and the remaining reads and money, counts reasons for missing values, and is saved and
//! loaded with all of this.
//!
//! ```
//! use halfseen::Silent;
//! use halfseen::budget::Fiml;
//! use halfseen::data::Label;
//! use halfseen::session::{Answer, Start};
//!
//! let learner = Fiml { budget: Some(2), ..Fiml::default() };
//! let mut session = Start::new(&learner, ["age", "sodium", "potassium"]).begin()?;
//! for patient in 0..30 {
//!     let query = session.ask()?; // two attributes of the next patient
//!     let asked: Vec<String> = session.attributes_of(&query)?.map(str::to_owned).collect();
//!     // The first comes today, the second is refused, the outcome is known in six weeks.
//!     let age = Answer::Value(30.0 + f64::from(patient));
//!     session.tell_part(&query, &[(&asked[0], age)], None)?;
//!     session.tell_part(&query, &[(&asked[1], Answer::Missing("refused".into()))], None)?;
//!     session.tell_part(&query, &[], Some(&Label::Number(2.0 * f64::from(patient))))?;
//! }
//! assert_eq!(session.report().missing_reasons["refused"], 30);
//! let model = session.model(&Silent)?;
//! assert_eq!(model.report.examples, 30);
//! # Ok::<(), halfseen::Error>(())
//! ```

mod answer;
mod file;
mod observing;
mod start;
mod status;
mod telling;

pub use answer::Answer;
pub use start::Start;
pub use status::{KeptRead, OpenQuery, Remaining};

use crate::budget::next_batch_with;
use crate::data::{Bounds, Examples, Label, Layout, Matrix, Target};
use crate::error::{ErrorKind, Result};
use crate::learner::{AskTell, Learner, Query, Read, Role};
use crate::model::{Outside, Stop};
use crate::params::{Needs, TOTAL_COST};
use crate::prepare::Prepare;
use halfseen_solve::Monitor;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A query of at most this number of attributes is searched for a name one by one.
const FEW: usize = 16;

/// Learner that collects data; see the [module](self). Start one with [`Start`].
pub struct Session {
    learner: Box<dyn AskTell>,
    name: &'static str,
    needs: Needs,
    params: serde_json::Map<String, serde_json::Value>,
    layout: Arc<Layout>,
    prepare: Prepare,
    target: String,
    classes: Vec<Label>,
    bounds: Option<Bounds>,
    /// True if values outside their bounds are refused.
    strict: bool,
    /// Names of the encoded columns, and for each attribute the index of its first column.
    names: Vec<String>,
    first_columns: Vec<usize>,
    /// Attributes in the order of their names.
    by_name: Vec<u32>,
    /// Attributes of each panel. No two panels share one.
    attributes: Vec<Vec<u32>>,
    /// Limit on the total cost of all reads.
    total_cost: Option<f64>,
    /// Open queries, by number.
    open: BTreeMap<u64, Waiting>,
    /// Open queries of a file older than sessions, whose content only their holders know.
    unknown: BTreeSet<u64>,
    passed: Passed,
    reasons: BTreeMap<String, u64>,
    kept: Option<Vec<Kept>>,
    /// Identifier of the session.
    instance: u64,
    /// Identifier of this copy of the session, which its queries carry.
    tag: u64,
    /// Number of times the session was saved, and the tag of the copy that saved it last.
    generation: u64,
    writer: u64,
    /// The same for the file from which it was loaded.
    loaded: (u64, u64),
}

/// Open query with its answers so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Waiting {
    query: Query,
    /// Attributes that it asks for, increasing; a file stores them only in the query.
    #[serde(skip)]
    asked: Vec<u32>,
    /// By attribute.
    answers: BTreeMap<u32, Answer>,
    /// Number, or index of a class.
    target: Option<f64>,
    /// Number of queries closed when it was opened.
    closed: u64,
}

/// Reads of one example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    number: u64,
    answers: Vec<(u32, Answer)>,
    target: Option<f64>,
}

/// Statistics of batches and answers that the learner does not keep.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Passed {
    /// Reason for which the last batch ended.
    stop: Option<Stop>,
    outside_bounds: u64,
    first_outside: Option<Outside>,
    seconds: f64,
}

impl Session {
    fn over(
        learner: &dyn Learner,
        running: Box<dyn AskTell>,
        layout: Arc<Layout>,
        prepare: Prepare,
        target: String,
    ) -> Session {
        let columns = &prepare.schema.columns;
        let (mut of_column, mut first_columns) = (Vec::new(), Vec::new());
        for (attribute, column) in columns.iter().enumerate() {
            first_columns.push(of_column.len());
            of_column.extend(std::iter::repeat_n(attribute as u32, column.width()));
        }
        let attributes_in = |panel| {
            let columns = layout.slots_of(panel).map(|slot| layout.column(slot));
            let mut attributes: Vec<u32> = columns.map(|column| of_column[column]).collect();
            attributes.dedup();
            attributes
        };
        let mut by_name: Vec<u32> = (0..columns.len() as u32).collect();
        by_name.sort_unstable_by_key(|&attribute| &columns[attribute as usize].name);
        Session {
            learner: running,
            name: learner.name(),
            needs: learner.needs(),
            params: learner.to_json(),
            names: prepare.schema.encoded_names(),
            by_name,
            attributes: (0..layout.panels()).map(attributes_in).collect(),
            total_cost: learner.get(TOTAL_COST.name).and_then(|total| total.parse().ok()),
            first_columns,
            layout,
            prepare,
            target,
            classes: Vec::new(),
            bounds: None,
            strict: false,
            open: BTreeMap::new(),
            unknown: BTreeSet::new(),
            passed: Passed::default(),
            reasons: BTreeMap::new(),
            kept: None,
            instance: 0,
            tag: 0,
            generation: 0,
            writer: 0,
            loaded: (0, 0),
        }
    }

    /// Returns the next query, which stays open until it is answered, released or forgotten.
    ///
    /// # Errors
    /// [`ErrorKind::BudgetSpent`] or [`ErrorKind::CostSpent`] if the remainder, after open queries,
    /// does not suffice; then nothing is asked.
    pub fn ask(&mut self) -> Result<Query> {
        let mut query = Query::default();
        self.learner.ask_into(&mut query)?;
        Ok(self.enter(query))
    }

    /// Returns a query about an example of which these panels, in any order, are observed; for
    /// passive learners. Panels are numbered as in [`Session::panels`].
    ///
    /// # Errors
    /// [`ErrorKind::Request`] if the learner chooses its reads; unknown panels; as
    /// [`Session::ask`].
    pub fn ask_observed(&mut self, panels: &[u32]) -> Result<Query> {
        let mut panels = panels.to_vec();
        panels.sort_unstable();
        let mut query = Query::default();
        self.learner.ask_observed_into(&panels, &mut query)?;
        Ok(self.enter(query))
    }

    /// Opens a query of a log without drawing it anew. A session with the same start that adopts
    /// the queries of a log by number, and receives their answers in the same order, reaches the
    /// same model, bit for bit. The query keeps the tag of the copy that asked it.
    ///
    /// # Errors
    /// [`ErrorKind::WrongLearner`] for a query of other parameters, attributes or seed,
    /// [`ErrorKind::WrongQuery`] for an edited one, [`ErrorKind::NumberUsed`]; as [`Session::ask`].
    pub fn adopt(&mut self, query: &Query) -> Result<()> {
        let (_, closed) = self.learner.asked_and_closed();
        self.learner.adopt(query)?;
        self.open.insert(query.number, Waiting { closed, ..self.waiting_for(query) });
        Ok(())
    }

    fn enter(&mut self, mut query: Query) -> Query {
        query.asker = self.tag;
        self.open.insert(query.number, self.waiting_for(&query));
        query
    }

    /// Closes a query that will not be answered completely. Reads already answered are charged, and
    /// the example counts as skipped; the other reads may be spent elsewhere.
    ///
    /// # Errors
    /// [`ErrorKind::NotOpen`].
    pub fn forget(&mut self, number: u64) -> Result<()> {
        let told = |waiting: &&Waiting| !waiting.answers.is_empty();
        if let Some(waiting) = self.open.get(&number).filter(told) {
            let told = |panel: &u32| {
                let attributes = &self.attributes[*panel as usize];
                attributes.iter().any(|attribute| waiting.answers.contains_key(attribute))
            };
            let reads = waiting.query.reads.iter().filter(|read| read.role != Role::Known);
            let panels: Vec<u32> = reads.map(|read| read.panel).filter(told).collect();
            self.learner.release(&waiting.query, &panels)?;
        } else {
            self.learner.forget(number)?;
        }
        self.unknown.remove(&number);
        if let Some(waiting) = self.open.remove(&number) {
            self.book(waiting);
        }
        Ok(())
    }

    /// Trains on the rows of a matrix in their order, reading only the cells that the queries name,
    /// until the total budget is spent: (n_rows, n_columns) in raw units, with the columns of
    /// [`Session::columns`]. Several batches equal one batch of all their rows.
    ///
    /// # Errors
    /// A wrong number of columns or targets; classes other than the session's; a missing or
    /// infinite cell among those read, with its place; numerical failure.
    pub fn teach(&mut self, rows: &Matrix, target: &Target, monitor: &dyn Monitor) -> Result<()> {
        let (found, expected) = (rows.columns(), self.layout.slots());
        if found != expected {
            let what = "columns, one for each column of the learner".to_owned();
            return Err(ErrorKind::WrongLength { what, expected, found }.into());
        }
        let (found, expected) = (target.len(), rows.rows());
        if found != expected {
            let what = "targets, one for each row".to_owned();
            return Err(ErrorKind::WrongLength { what, expected, found }.into());
        }
        if target.classes() != self.classes {
            let (column, problem) =
                (self.target.clone(), "its classes differ from those of the session".to_owned());
            return Err(ErrorKind::WrongTarget { column, problem }.into());
        }
        // A query of fewer reads might fit into the remainder if it were asked in another batch.
        if self.passed.stop == Some(Stop::BudgetSpent) {
            return Ok(());
        }
        let targets = self.targets_of(target);
        let mut examples = Examples::new(rows, &self.prepare.scaler, &self.layout, &targets);
        (examples.declared.names, examples.declared.bounds) = (&self.names, self.bounds.as_ref());
        // Number and panels of each answered query, if reads are kept.
        let mut log = Vec::new();
        let mut told = |query: &Query| {
            log.push((query.number, query.reads.iter().map(|read| read.panel).collect()));
        };
        let told = self.kept.is_some().then_some(&mut told as &mut dyn FnMut(&Query));
        let report = next_batch_with(&mut *self.learner, &examples, monitor, told);
        self.keep_rows(log, rows, target);
        let report = report?;
        self.passed.stop = Some(report.stop);
        self.passed.outside_bounds += report.outside_bounds;
        self.passed.first_outside = self.passed.first_outside.take().or(report.first_outside);
        self.passed.seconds += report.seconds;
        Ok(())
    }

    /// Returns the attributes that a query asks for, each once, in the order in which
    /// [`Session::tell`] takes their answers.
    ///
    /// # Errors
    /// [`ErrorKind::WrongQuery`] for a query that names an attribute unknown to this session.
    pub fn attributes_of(&self, query: &Query) -> Result<impl Iterator<Item = &str>> {
        self.check_panels(query)?;
        Ok(self.asked_in(query).into_iter().map(|attribute| self.name_of(attribute)))
    }

    fn check_panels(&self, query: &Query) -> Result<()> {
        if query.reads.iter().all(|read| (read.panel as usize) < self.attributes.len()) {
            return Ok(());
        }
        let problem = "it is of another learner: it names an attribute unknown to this one".into();
        Err(ErrorKind::WrongQuery { number: query.number, problem }.into())
    }

    /// Returns the attributes of a query, each once, in the order of its reads.
    fn asked_in(&self, query: &Query) -> Vec<u32> {
        let of = |read: &Read| &self.attributes[read.panel as usize];
        let mut asked: Vec<(u32, usize)> =
            query.reads.iter().flat_map(of).copied().zip(0..).collect();
        asked.sort_unstable();
        asked.dedup_by_key(|(attribute, _)| *attribute);
        asked.sort_unstable_by_key(|(_, at)| *at);
        asked.into_iter().map(|(attribute, _)| attribute).collect()
    }

    fn name_of(&self, attribute: u32) -> &str {
        &self.prepare.schema.columns[attribute as usize].name
    }

    /// Returns the attribute of a name that an answer to a query gives.
    fn named(&self, query: &Query, name: &str) -> Option<u32> {
        // Mostly one of few, which are in memory already.
        let few = self.open.get(&query.number).map(|w| &w.asked).filter(|asked| asked.len() <= FEW);
        let asked = |few: &Vec<u32>| few.iter().copied().find(|&a| self.name_of(a) == name);
        if let Some(attribute) = few.and_then(asked) {
            return Some(attribute);
        }
        let found = self.by_name.binary_search_by(|&attribute| self.name_of(attribute).cmp(name));
        found.ok().map(|place| self.by_name[place])
    }

    /// Returns the learner's name.
    pub fn learner(&self) -> &'static str {
        self.name
    }

    /// Returns the learner's parameters.
    pub fn params(&self) -> &serde_json::Map<String, serde_json::Value> {
        &self.params
    }

    /// Returns the columns and the cost of each read.
    pub fn panels(&self) -> &Layout {
        &self.layout
    }

    /// Returns the names of the encoded columns: the attributes, or their categories.
    pub fn columns(&self) -> &[String] {
        &self.names
    }

    /// Returns the attributes, and the scales of attributes and target.
    pub fn prepare(&self) -> &Prepare {
        &self.prepare
    }

    /// Returns the classes of the target, sorted; empty for a numeric target.
    pub fn classes(&self) -> &[Label] {
        &self.classes
    }

    /// Returns true if a model takes long, because the learner keeps its reads and fits only then.
    pub fn fits_late(&self) -> bool {
        // Only learners from missing values keep their reads, among those that ask.
        self.needs.holes
    }

    /// Returns true if answers may take long, because the next reads depend on a fit to earlier
    /// ones.
    pub fn fits_to_answers(&self) -> bool {
        self.needs.fits_to_answers
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (asked, closed) = self.learner.asked_and_closed();
        f.debug_struct("Session")
            .field("learner", &self.learner())
            .field("asked", &asked)
            .field("closed", &closed)
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}
