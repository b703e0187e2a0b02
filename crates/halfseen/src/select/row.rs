//! Holds what a comparison tells of one learner on one split.

use crate::model::{Note, Outside, Stop};
use serde::Serialize;

/// One learner on one split.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The learner's name.
    pub learner: &'static str,
    /// The split's number.
    pub split: usize,
    /// Attributes it may read of each example; rounded, where the budget is kept on average.
    pub budget: u64,
    /// Training examples.
    pub examples: u64,
    /// Reads with multiplicity.
    pub reads: u64,
    /// Distinct cells read.
    pub distinct: u64,
    /// The sum of their prices, where prices were declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<f64>,
    /// Values read outside their declared bounds, where there are such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside_bounds: Option<u64>,
    /// The first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_outside: Option<Outside>,
    /// Reads of the total budget that were left, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused: Option<u64>,
    /// Reads that tuning made on top.
    pub tuning_reads: u64,
    /// Whether parameters, means or norms were taken from cells that the budget does not cover.
    pub tuned: bool,
    /// Cells that were missing and filled with a mean.
    pub imputed: u64,
    /// Cells that were missing and count as vanished; written where there are such.
    #[serde(skip_serializing_if = "none_of_them")]
    pub vanished: u64,
    /// Mean squared error on the test rows.
    pub test_mse: Option<f64>,
    /// Share of the test rows told wrongly.
    pub test_error: Option<f64>,
    /// Mean squared error on the test rows under attack, where they were attacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacked_mse: Option<f64>,
    /// Share of the test rows told wrongly under attack, where they were attacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacked_error: Option<f64>,
    /// Seconds of the final fit.
    pub seconds: f64,
    /// Whether the final fit did all that it promises, see [`Stop`]; written where it did not.
    #[serde(skip_serializing_if = "told")]
    pub converged: bool,
    /// Why it stopped.
    #[serde(skip)]
    pub stop: Stop,
    /// The winning parameters.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// What a reader must know besides; no part of the table.
    #[serde(skip)]
    pub notes: Vec<Note>,
}

/// A point of a learning curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The learner's name.
    pub learner: &'static str,
    /// The split's number.
    pub split: usize,
    /// Examples learned from.
    pub examples: u64,
    /// Distinct cells read.
    pub distinct: u64,
    /// The sum of their prices, where prices were declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<f64>,
    /// Mean squared error on the test rows.
    pub test_mse: Option<f64>,
    /// Share of the test rows told wrongly.
    pub test_error: Option<f64>,
    /// The mean squared error that the learner estimates from its own reads, in the target's units;
    /// see [`Report::risk`](crate::model::Report::risk).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<f64>,
    /// Its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_error: Option<f64>,
}

/// What need not be written.
fn none_of_them(count: &u64) -> bool {
    *count == 0
}

/// What goes without saying.
fn told(converged: &bool) -> bool {
    *converged
}
