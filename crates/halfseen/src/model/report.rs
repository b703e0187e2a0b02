//! Tells how a fit went: why it stopped, what it read, what is certified.

use super::Note;
use super::Stop;
use crate::data::{Layout, Threat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A value that was read outside its declared bounds, in raw units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outside {
    /// The row of the table, from 1; of a session that is told values one by one, the number of
    /// the query and 1.
    pub row: u64,
    /// The attribute.
    pub column: String,
    /// The value.
    pub value: f64,
    /// The least value declared.
    pub low: f64,
    /// The largest value declared.
    pub high: f64,
}

/// On what the budget is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BudgetKind {
    /// On every example.
    Each,
    /// On average over the learner's draws, and nearly: the reads of one example are a random
    /// number, whose mean is at most the budget and 1.06 more (`aesvr`); see [`Report::mean_reads`]
    /// for what it was.
    Expected,
}

/// How a fit went. No key may be absent from a file: what is not there is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The learner's name.
    pub learner: String,
    /// Why it stopped.
    pub stop: Stop,
    /// [`Stop::converged`].
    pub converged: bool,
    /// The objective reached, in scaled units, where there is one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub objective: Option<f64>,
    /// A certified bound on objective minus optimum, where there is one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub gap: Option<f64>,
    /// Examples learned from.
    pub examples: u64,
    /// Examples skipped because a requested read was refused, or nothing was observed that teaches
    /// anything. Estimates stay unbiased only if a refusal does not depend on the value refused.
    pub skipped: u64,
    /// Reads with multiplicity, as the papers count them; what happened to be observed, at no cost,
    /// where a learner is passive.
    pub reads: u64,
    /// Distinct (example, panel) cells read: what is paid for.
    pub distinct: u64,
    /// How often each panel that can be read was, in the order of the layout: they sum to
    /// `distinct`. Empty where every cell is read, and in files older than these counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panel_reads: Vec<u64>,
    /// The sum of the prices of the distinct reads: their number where no prices were declared. (A
    /// file without it is older than prices.)
    #[serde(default = "unpriced")]
    pub spent: f64,
    /// How often each reason was given for a value that could not be had, where a
    /// [session](crate::session::Session) was told reasons.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing_reasons: BTreeMap<String, u64>,
    /// Reads of the total budget that were left, where there is one.
    #[serde(default)]
    pub unused: Option<u64>,
    /// Values read that lie outside the declared bounds of their attributes. The learner goes on,
    /// but the theorems' excess errors assume that there are none.
    #[serde(default)]
    pub outside_bounds: u64,
    /// The first of them.
    #[serde(default)]
    pub first_outside: Option<Outside>,
    /// Whether the budget was kept on each example, or only nearly, on average.
    pub budget_kind: BudgetKind,
    /// The largest number of reads of one example.
    pub max_reads: u64,
    /// The longest wait between a query and its answer, in answers to other queries. The theorems
    /// cover 0.
    pub largest_delay: u64,
    /// Estimated mean squared error of the averaged iterates, in scaled units, from the reads that
    /// were made anyway (progressive validation): unbiased, and by convexity no less than the
    /// model's own in expectation. The iterates are those of when the queries were asked: where
    /// answers come late ([`Note::LateAnswers`]), those of long before. Of learners that see whole
    /// rows that of rows held out, see [`tested`](crate::select::tested).
    #[serde(deserialize_with = "Option::deserialize")]
    pub risk: Option<f64>,
    /// Its standard error.
    #[serde(deserialize_with = "Option::deserialize")]
    pub risk_error: Option<f64>,
    /// What a reader must know besides.
    pub notes: Vec<Note>,
    /// Passes or iterations of the solver, where it has such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
    /// Rows that the predictor compares with: those whose coefficient is not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<u64>,
    /// Mean squared error, in scaled units, of each row's prediction from all the others, where it
    /// comes for free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave_one_out: Option<f64>,
    /// What the predictor is prepared for, where a learner prepares for attributes that vanish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threat: Option<Threat>,
    /// Seconds of the fit.
    pub seconds: f64,
}

/// No number: [`Model`](super::Model) replaces it by the number of distinct reads.
fn unpriced() -> f64 {
    f64::NAN
}

impl Report {
    /// Mean number of reads of one example, those skipped included; 0 before the first.
    pub fn mean_reads(&self) -> f64 {
        self.reads as f64 / (self.examples + self.skipped).max(1) as f64
    }

    /// A report of a learner that reads every cell of `examples` rows with `panels` panels.
    pub fn full(learner: &str, stop: Stop, examples: usize, panels: usize) -> Report {
        let (m, d) = (examples as u64, panels as u64);
        Report {
            learner: learner.to_owned(),
            stop,
            converged: stop.converged(),
            objective: None,
            gap: None,
            examples: m,
            skipped: 0,
            reads: m * d,
            distinct: m * d,
            panel_reads: Vec::new(),
            spent: (m * d) as f64,
            missing_reasons: BTreeMap::new(),
            unused: None,
            outside_bounds: 0,
            first_outside: None,
            budget_kind: BudgetKind::Each,
            max_reads: d,
            largest_delay: 0,
            risk: None,
            risk_error: None,
            notes: Vec::new(),
            passes: None,
            support: None,
            leave_one_out: None,
            threat: None,
            seconds: 0.0,
        }
    }

    /// The same report, of a learner that pays the prices of every panel for each example.
    pub fn paid(mut self, layout: &Layout) -> Report {
        self.spent = self.examples as f64 * layout.full_price();
        self
    }
}
