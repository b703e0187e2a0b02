//! Plans a collection of data before any is read.

use crate::errors::raised;
use halfseen::plan::{Goal, MomentNorms, Setting, all};
use halfseen::registry;
use pyo3::prelude::*;

/// Returns a plan for each learner with a guarantee, as JSON: for so many examples or an error, or the
/// best for a total of reads.
#[pyfunction]
#[pyo3(signature = (dims, budget, total_budget, radius, radius2, norm, moments, confidence, phase1, error, examples))]
#[allow(clippy::too_many_arguments)] // as many as a plan has assumptions
pub(crate) fn plan(
    dims: u64,
    budget: u64,
    total_budget: Option<u64>,
    radius: f64,
    radius2: Option<f64>,
    norm: f64,
    moments: Option<Vec<f64>>,
    confidence: Option<f64>,
    phase1: Option<f64>,
    error: Option<f64>,
    examples: Option<u64>,
) -> PyResult<String> {
    let default = Setting::default();
    let moments = moments.map(|of| MomentNorms::of(&of)).transpose().map_err(raised)?;
    let setting = Setting {
        dims,
        budget,
        radius,
        radius2,
        norm,
        moments,
        confidence: confidence.unwrap_or(default.confidence),
        phase1: phase1.unwrap_or(default.phase1),
    };
    setting.check().map_err(raised)?;
    let goal = examples.map(Goal::Examples).or(error.map(Goal::Error));
    let plans = all(&registry::guarantees(), &setting, total_budget, goal);
    let rows: Vec<_> = plans.iter().map(|plan| plan.as_json(error)).collect();
    Ok(serde_json::Value::from(rows).to_string())
}
