//! Says how far a session is: its model and report, open queries, what is left to spend, what was
//! read.

use super::{Answer, Session};
use crate::data::{Label, Layout, Task};
use crate::error::{ErrorKind, Result};
use crate::learner::{Query, Role};
use crate::model::{Model, Report, Stop};
use halfseen_solve::Monitor;
use std::collections::BTreeSet;

/// A query that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenQuery<'a> {
    /// The query.
    pub query: &'a Query,
    /// Queries asked after it.
    pub asked_since: u64,
    /// Queries closed since it was asked: answered, skipped or forgotten.
    pub closed_since: u64,
    /// The attributes of which nothing was told yet.
    pub missing: Vec<&'a str>,
    /// Whether the target was told.
    pub has_target: bool,
}

/// What is left to spend, were all open queries answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Remaining {
    /// Reads of the learner's `total_budget`; `None`: no limit.
    pub reads: Option<u64>,
    /// Money of [`Session::set_total_cost`]; `None`: no limit.
    pub cost: Option<f64>,
    /// Reads that open queries ask for.
    pub promised_reads: u64,
    /// What those cost, the same attribute of one example once.
    pub promised_cost: f64,
}

/// One value that was read, or could not be had.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRead<'a> {
    /// The number of the example's query.
    pub number: u64,
    /// The attribute.
    pub attribute: &'a str,
    /// The value in the attribute's own units, or why there is none.
    pub answer: &'a Answer,
    /// The example's target; `None` while nobody told it.
    pub target: Option<Label>,
}

impl Session {
    /// What was learned so far, as a model that predicts from tables in raw units. Learners that
    /// keep their reads fit only now, and ask the monitor whether to stop.
    ///
    /// # Errors
    /// Numerical failure.
    pub fn model(&self, monitor: &dyn Monitor) -> Result<Model> {
        let fit = self.learner.fitted(monitor)?;
        let report = self.noted(fit.report);
        let regression = self.classes.is_empty();
        Ok(Model {
            learner: self.name.to_owned(),
            params: self.params.clone(),
            prepare: self.prepare.clone(),
            target: self.target.clone(),
            task: if regression { Task::Regression } else { Task::Classification },
            classes: self.classes.clone(),
            predictor: fit.predictor,
            report,
        })
    }

    /// What was read so far, what could not be had by reason, and which values lay outside their
    /// bounds: their row is the query's number and 1.
    pub fn report(&self) -> Report {
        self.noted(self.learner.report())
    }

    /// The learner's report with what the session knows.
    fn noted(&self, mut report: Report) -> Report {
        if let Some(stop) = self.passed.stop {
            (report.stop, report.converged) = (stop, stop.converged());
        }
        report.outside_bounds = self.passed.outside_bounds;
        report.first_outside = self.passed.first_outside.clone();
        report.seconds = self.passed.seconds;
        report.missing_reasons = self.reasons.clone();
        report
    }

    /// The open queries, oldest first, with their age. Age is counted in queries, as the library
    /// has no clock. Queries of a file older than sessions are not among them.
    pub fn open(&self) -> impl Iterator<Item = OpenQuery<'_>> {
        let (asked, closed) = self.learner.asked_and_closed();
        self.open.values().map(move |waiting| OpenQuery {
            query: &waiting.query,
            asked_since: asked - waiting.query.number - 1,
            closed_since: closed.saturating_sub(waiting.closed),
            missing: self
                .asked_in(&waiting.query)
                .into_iter()
                .filter(|attribute| !waiting.answers.contains_key(attribute))
                .map(|attribute| self.name_of(attribute))
                .collect(),
            has_target: waiting.target.is_some(),
        })
    }

    /// What is left of reads and money, open queries counted as if they were answered.
    pub fn remaining(&self) -> Remaining {
        let report = self.learner.report();
        let queries = || self.open.values().map(|waiting| &waiting.query);
        let reads = |query: &Query| query.reads.iter().filter(|r| r.role != Role::Known).count();
        let promised_cost = queries().map(|query| price(query, &self.layout)).sum::<f64>();
        let left = |total: f64| (total - report.spent - promised_cost).max(0.0);
        Remaining {
            reads: report.unused,
            cost: self.total_cost.map(left),
            promised_reads: queries().map(reads).sum::<usize>() as u64,
            promised_cost,
        }
    }

    /// Sets what all reads may cost together, at the prices declared (1 each without any); `None`:
    /// no limit. Queries that it does not pay for are refused from now on.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfRange`] for a number that is negative or not finite.
    pub fn set_total_cost(&mut self, total: Option<f64>) -> Result<()> {
        if let Some(total) = total.filter(|total| !(total.is_finite() && *total >= 0.0)) {
            let (name, value) = ("total_cost", crate::error::shown(total));
            let allowed = "a finite number of at least 0".to_owned();
            return Err(ErrorKind::OutOfRange { name, value, allowed }.into());
        }
        self.total_cost = total;
        self.learner.limit_cost(total, &mut self.open.values().map(|waiting| &waiting.query));
        if self.passed.stop == Some(Stop::BudgetSpent) {
            self.passed.stop = None;
        }
        Ok(())
    }

    /// What all reads may cost together, where there is a limit.
    pub fn total_cost(&self) -> Option<f64> {
        self.total_cost
    }

    /// Says whether values outside their declared bounds are refused, or taken and counted as they
    /// are by default.
    pub fn set_strict(&mut self, strict: bool) {
        self.strict = strict;
    }

    /// Whether values outside their declared bounds are refused.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Says whether what is read from now on is kept for [`Session::export`]: some 50 bytes a read
    /// in memory and in the saved file. By default nothing is kept, as a million examples would be
    /// a burden to those who need none of it; what was kept is dropped by `false`.
    ///
    /// It is a log of the session's and not taken from the learner: learners that step keep no
    /// reads, and `fiml` keeps no reasons, in scaled units.
    pub fn set_keep_reads(&mut self, keep: bool) {
        self.kept = if keep { Some(self.kept.take().unwrap_or_default()) } else { None };
    }

    /// Whether what is read is kept for [`Session::export`].
    pub fn keeps_reads(&self) -> bool {
        self.kept.is_some()
    }

    /// What was read, example by example in the order in which they were closed, then what was told
    /// of open queries.
    ///
    /// # Errors
    /// [`ErrorKind::KeepsNoReads`] unless [`Session::set_keep_reads`] was said.
    pub fn export(&self) -> Result<impl Iterator<Item = KeptRead<'_>>> {
        let Some(kept) = &self.kept else { return Err(ErrorKind::KeepsNoReads.into()) };
        let read = |number, attribute: u32, answer, target: Option<f64>| KeptRead {
            number,
            attribute: self.name_of(attribute),
            answer,
            target: target.map(|code| self.label_of(code)),
        };
        let closed = kept.iter().flat_map(move |kept| {
            let answers = kept.answers.iter();
            answers
                .map(move |(attribute, answer)| read(kept.number, *attribute, answer, kept.target))
        });
        let open = self.open.values().flat_map(move |waiting| {
            let (number, target) = (waiting.query.number, waiting.target);
            let answers = waiting.answers.iter();
            answers.map(move |(attribute, answer)| read(number, *attribute, answer, target))
        });
        Ok(closed.chain(open))
    }
}

/// What the distinct reads of a query cost together.
fn price(query: &Query, layout: &Layout) -> f64 {
    let paid = query.reads.iter().filter(|r| r.role != Role::Known).map(|r| r.panel);
    let panels: BTreeSet<u32> = paid.collect();
    panels.into_iter().map(|panel| layout.price(panel as usize)).sum()
}
