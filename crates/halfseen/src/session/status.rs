//! Reports the state of a session: model and report, open queries, remaining budget, reads.

use super::{Answer, Session};
use crate::data::{Label, Layout, Task};
use crate::error::{ErrorKind, Result};
use crate::learner::{Query, Role};
use crate::model::{Model, Report, Stop};
use halfseen_solve::Monitor;
use std::collections::BTreeSet;

/// Query that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenQuery<'a> {
    /// Query.
    pub query: &'a Query,
    /// Number of queries asked after it.
    pub asked_since: u64,
    /// Number of queries closed since it was asked: answered, skipped or forgotten.
    pub closed_since: u64,
    /// Attributes without an answer so far.
    pub missing: Vec<&'a str>,
    /// True if the target was told.
    pub has_target: bool,
}

/// Remaining budget, if all open queries are answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Remaining {
    /// Reads left of the learner's `total_budget`; `None`: no limit.
    pub reads: Option<u64>,
    /// Money left of [`Session::set_total_cost`]; `None`: no limit.
    pub cost: Option<f64>,
    /// Number of reads that open queries ask for.
    pub promised_reads: u64,
    /// Cost of these reads, with the same attribute of one example counted once.
    pub promised_cost: f64,
}

/// Value that was read or was missing.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRead<'a> {
    /// Number of the example's query.
    pub number: u64,
    /// Name of the attribute.
    pub attribute: &'a str,
    /// Value in the attribute's own units, or the reason for which it is missing.
    pub answer: &'a Answer,
    /// Target of the example; `None` until it is told.
    pub target: Option<Label>,
}

impl Session {
    /// Returns the model so far, which predicts from tables in raw units. Learners that keep their
    /// reads fit only now, and ask the monitor whether to stop.
    ///
    /// # Errors
    /// Numerical failure; [`ErrorKind::Request`] for a copy of [`Session::drawing`] whose
    /// learner keeps its reads.
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

    /// Returns the report so far: reads, missing values by reason, and values outside their bounds,
    /// whose row is the query's number plus 1.
    pub fn report(&self) -> Report {
        self.noted(self.learner.report())
    }

    /// Adds the session's statistics to the learner's report.
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

    /// Returns the open queries, oldest first, with their age. Age is counted in queries, since the
    /// library has no clock. Queries of a file older than sessions are not included.
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

    /// Returns the remaining reads and money, with open queries counted as answered.
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

    /// Limits the total cost of all reads, at the declared prices (1 each without any); `None`: no
    /// limit. Queries beyond it are refused from now on.
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

    /// Returns the limit on the total cost of all reads, if any.
    pub fn total_cost(&self) -> Option<f64> {
        self.total_cost
    }

    /// Sets whether values outside their declared bounds are refused; by default they are counted.
    pub fn set_strict(&mut self, strict: bool) {
        self.strict = strict;
    }

    /// Returns true if values outside their declared bounds are refused.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Sets whether reads from now on are kept for [`Session::export`], at about 50 bytes per read
    /// in memory and in the saved file. By default nothing is kept, because of the memory for a
    /// million examples; `false` also drops the reads kept so far.
    ///
    /// The session keeps this log itself: learners with one step per row keep no reads, and `fiml`
    /// keeps them in scaled units without reasons.
    pub fn set_keep_reads(&mut self, keep: bool) {
        self.kept = if keep { Some(self.kept.take().unwrap_or_default()) } else { None };
    }

    /// Returns true if reads are kept for [`Session::export`].
    pub fn keeps_reads(&self) -> bool {
        self.kept.is_some()
    }

    /// Returns the reads, example by example in the order of closing, then the answers of open
    /// queries.
    ///
    /// # Errors
    /// [`ErrorKind::KeepsNoReads`] unless [`Session::set_keep_reads`] is on.
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

/// Returns the total cost of the distinct reads of a query.
fn price(query: &Query, layout: &Layout) -> f64 {
    let paid = query.reads.iter().filter(|r| r.role != Role::Known).map(|r| r.panel);
    let panels: BTreeSet<u32> = paid.collect();
    panels.into_iter().map(|panel| layout.price(panel as usize)).sum()
}
