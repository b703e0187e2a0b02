//! Reports on a fit: its reason to stop, its reads, its certificates.

use super::{Note, NumberLoss, Stop};
use crate::data::{Layout, Threat};
use serde::{Deserialize, Serialize};

/// Value read outside its declared bounds, in raw units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outside {
    /// Row of the table, from 1; of a value that was told, the number of its query plus 1.
    pub row: u64,
    /// Attribute.
    pub column: String,
    /// Value.
    pub value: f64,
    /// Declared minimum.
    pub low: f64,
    /// Declared maximum.
    pub high: f64,
}

/// Unit on which the budget is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BudgetKind {
    /// On every example.
    Each,
    /// On average over the learner's draws, approximately: the number of reads of one example is
    /// random, with a mean of at most the budget plus 1.06 (`aesvr`); see [`Report::mean_reads`]
    /// for the actual mean.
    Expected,
}

/// Report on a fit. Keys without a default are required in files, with null for an absent value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Name of the learner.
    pub learner: String,
    /// Reason to stop.
    pub stop: Stop,
    /// [`Stop::converged`].
    pub converged: bool,
    /// Objective reached, in scaled units, if there is one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub objective: Option<f64>,
    /// Certified bound on objective minus optimum, if there is one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub gap: Option<f64>,
    /// Number of examples learned from.
    pub examples: u64,
    /// Number of examples skipped because a read was refused, or no observed cell was informative.
    /// Estimates stay unbiased only if refusals do not depend on the refused value.
    pub skipped: u64,
    /// Number of reads with multiplicity, as in the papers; for a passive learner, number of
    /// observed cells, at no cost.
    pub reads: u64,
    /// Number of distinct (example, panel) cells read, which are paid for.
    pub distinct: u64,
    /// Number of reads of each readable panel, in the order of the layout, with sum `distinct`.
    /// Empty if every cell is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panel_reads: Vec<u64>,
    /// Sum of the prices of the distinct reads; their number without declared prices.
    pub spent: f64,
    /// Unused reads of the total budget, if there is one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub unused: Option<u64>,
    /// Number of values read outside the declared bounds of their attributes. The learner
    /// continues, but the excess errors of the theorems assume that there are none.
    pub outside_bounds: u64,
    /// First of them.
    #[serde(deserialize_with = "Option::deserialize")]
    pub first_outside: Option<Outside>,
    /// Unit on which the budget was kept.
    pub budget_kind: BudgetKind,
    /// Largest number of reads of one example.
    pub max_reads: u64,
    /// Longest delay between a query and its answer, in answers to other queries. The theorems
    /// assume 0.
    pub largest_delay: u64,
    /// Estimated mean squared error of the averaged iterates, in scaled units, from reads made
    /// anyway (progressive validation). It is unbiased, and by convexity at least the model's own
    /// in expectation. The iterates are those at the time of the queries, old if answers are
    /// delayed (a note about `late-answers`). For learners of whole rows: error on held-out rows, see
    /// `select::tested`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub risk: Option<f64>,
    /// Standard error of `risk`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub risk_error: Option<f64>,
    /// Error of the best constant, in the units of `risk` and `leave_one_out`: that of the mean of the
    /// targets, or of their `quantile`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant_risk: Option<f64>,
    /// Quantile that is predicted, by whose loss `risk` and `constant_risk` are measured. `None` if they
    /// are squared errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantile: Option<f64>,
    /// Notes for the reader.
    pub notes: Vec<Note>,
    /// Number of passes or iterations of the solver, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
    /// Number of rows that the predictor compares with: those with a nonzero coefficient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<u64>,
    /// Mean squared error, in scaled units, of each row's prediction from all others, if available
    /// at no cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave_one_out: Option<f64>,
    /// Threat for which the predictor is prepared, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threat: Option<Threat>,
    /// Duration of the fit, in seconds.
    pub seconds: f64,
}

impl Report {
    /// Returns the mean number of reads of one example, including skipped ones; 0 before the first.
    pub fn mean_reads(&self) -> f64 {
        self.reads as f64 / (self.examples + self.skipped).max(1) as f64
    }

    /// Returns the loss by which predictions of numbers are compared, and by which `risk` is measured.
    pub fn number_loss(&self) -> NumberLoss {
        self.quantile.map_or(NumberLoss::Squared, NumberLoss::Quantile)
    }

    /// Returns a report of a learner that reads every cell of `examples` rows with `panels` panels.
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
            unused: None,
            outside_bounds: 0,
            first_outside: None,
            budget_kind: BudgetKind::Each,
            max_reads: d,
            largest_delay: 0,
            risk: None,
            risk_error: None,
            constant_risk: None,
            quantile: None,
            notes: Vec::new(),
            passes: None,
            support: None,
            leave_one_out: None,
            threat: None,
            seconds: 0.0,
        }
    }

    /// Sets the cost to the prices of all panels for each example.
    pub fn paid(mut self, layout: &Layout) -> Report {
        self.spent = self.examples as f64 * layout.full_price();
        self
    }
}
