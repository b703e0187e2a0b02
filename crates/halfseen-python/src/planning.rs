//! Plans a collection of data before any is read.

use crate::errors::raised;
use halfseen::plan::{Goal, MomentNorms, Setting, THEOREMS, plan as planned};
use pyo3::prelude::*;

/// Returns the plan of each theorem as JSON, for so many examples or an error.
#[pyfunction]
#[pyo3(signature = (dims, budget, radius, norm, moments, error, examples))]
pub(crate) fn plan(
    dims: u64,
    budget: u64,
    radius: f64,
    norm: f64,
    moments: Option<Vec<f64>>,
    error: Option<f64>,
    examples: Option<u64>,
) -> PyResult<String> {
    let moments = moments.map(|of| MomentNorms::of(&of)).transpose().map_err(raised)?;
    let setting = Setting { dims, budget, radius, norm, moments };
    setting.check().map_err(raised)?;
    let goal = examples.map(Goal::Examples).or(error.map(Goal::Error));
    let plans =
        goal.into_iter().flat_map(|goal| THEOREMS.iter().map(move |theorem| (theorem, goal)));
    let rows: Vec<_> =
        plans.map(|(theorem, goal)| planned(theorem, &setting, goal).as_json()).collect();
    Ok(serde_json::Value::from(rows).to_string())
}
