//! Stores the results of one learner on one split.

use crate::model::{Note, Outside, Stop};
use serde::Serialize;

/// Result of one learner on one split.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonRow {
    /// Name of the learner.
    pub learner: &'static str,
    /// Number of the split.
    pub split: usize,
    /// Number of attributes that it may read per example; rounded if the budget holds on average.
    pub budget: u64,
    /// Number of training examples.
    pub examples: u64,
    /// Number of reads with multiplicity.
    pub reads: u64,
    /// Number of distinct cells read.
    pub distinct: u64,
    /// Sum of their prices, if prices were declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<f64>,
    /// Number of values read outside their declared bounds, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside_bounds: Option<u64>,
    /// First of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_outside: Option<Outside>,
    /// Unused reads of the total budget, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused: Option<u64>,
    /// Number of additional reads by tuning.
    pub tuning_reads: u64,
    /// True if parameters, means or norms come from cells outside the budget.
    pub tuned: bool,
    /// Number of missing cells imputed by a mean.
    pub imputed: u64,
    /// Number of missing cells treated as deleted; omitted if 0.
    #[serde(skip_serializing_if = "none_of_them")]
    pub vanished: u64,
    /// Mean squared error on the test rows.
    pub test_mse: Option<f64>,
    /// Share of misclassified test rows.
    pub test_error: Option<f64>,
    /// Mean squared error on the attacked test rows, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacked_mse: Option<f64>,
    /// Share of misclassified attacked test rows, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacked_error: Option<f64>,
    /// Seconds of the final fit.
    pub seconds: f64,
    /// True if the final fit reached its guarantee, see [`Stop`]; written only if false.
    #[serde(skip_serializing_if = "told")]
    pub converged: bool,
    /// Reason to stop.
    #[serde(skip)]
    pub stop: Stop,
    /// Selected parameters.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// Notes for the reader, which are not columns of the table.
    #[serde(skip)]
    pub notes: Vec<Note>,
}

/// Point of a learning curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Name of the learner.
    pub learner: &'static str,
    /// Number of the split.
    pub split: usize,
    /// Number of training examples.
    pub examples: u64,
    /// Number of distinct cells read.
    pub distinct: u64,
    /// Sum of their prices, if prices were declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<f64>,
    /// Mean squared error on the test rows.
    pub test_mse: Option<f64>,
    /// Share of misclassified test rows.
    pub test_error: Option<f64>,
    /// Mean squared error that the learner estimates from its own reads, in units of the target;
    /// see [`Report::risk`](crate::model::Report::risk).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<f64>,
    /// Standard error of `risk`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_error: Option<f64>,
}

/// Returns true if a count need not be written.
fn none_of_them(count: &u64) -> bool {
    *count == 0
}

/// Returns true if convergence need not be written.
fn told(converged: &bool) -> bool {
    *converged
}
