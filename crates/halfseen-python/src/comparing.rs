//! Compares learners on random splits of a table.

use crate::arrays::{Table, list};
use crate::background::run_interruptible;
use crate::errors::raised;
use crate::fitting::{Declared, target};
use crate::robustness::attack_of;
use halfseen::model::Note;
use halfseen::params::INTERCEPT;
use halfseen::registry;
use halfseen::select::{self, AttackPlan, ComparisonPlan, LineUp, Situation, Task, assign};
use numpy::PyArray1;
use pyo3::prelude::*;
use serde_json::json;
use std::sync::Arc;

/// Design of a comparison.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Design {
    /// Number of reads of each example.
    budget: Option<u64>,
    threat: Option<f64>,
    attack: String,
    /// Values of parameters, for every learner that has them.
    set: Vec<(String, String)>,
    splits: usize,
    /// Number of folds for tuning; `None` for none, which reads nothing beyond the budget.
    folds: Option<usize>,
    test_share: f64,
    seed: u64,
}

/// Number of points of each learning curve.
const CURVE_POINTS: usize = 10;

/// Compares learners, or if none are named those that suit the table, and returns rows, summaries
/// and curves as JSON.
///
/// `targets` and `classes` are as for a fit; rows of one number in `groups`, (n_rows), stay together.
#[pyfunction]
#[pyo3(signature = (learners, table, targets, classes, groups, declared, design, threads, progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn compare(
    py: Python<'_>,
    learners: Option<Vec<String>>,
    table: &Table,
    targets: &Bound<'_, PyArray1<f64>>,
    classes: Option<Vec<Bound<'_, PyAny>>>,
    groups: Option<&Bound<'_, PyArray1<u32>>>,
    declared: Declared,
    design: Design,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let target = target(list(targets)?, classes)?;
    let groups = groups.map(list).transpose()?;
    let table = Arc::clone(&table.0);
    let limits = ["max_cost", "total_cost", "total_budget"];
    let limited =
        design.budget.is_some() || design.set.iter().any(|(name, _)| limits.contains(&&**name));
    let holes = select::Seen::of(&table, &[]).rows_with_holes > 0;
    let line_up = LineUp { budget: design.budget, limited, threat: design.threat, holes };
    let set: Vec<(&str, &str)> = design.set.iter().map(|(n, value)| (&**n, &**value)).collect();
    let names: Vec<&'static str> = match &learners {
        None => line_up.names(target.classes().len()),
        Some(names) => names.iter().map(|name| own(name)).collect::<PyResult<_>>()?,
    };
    let made = names.iter().map(|name| {
        let mut learner = registry::find(name)?;
        line_up.arrange(&mut *learner)?;
        assign(&mut *learner, name, &set)?;
        registry::check_classes(&*learner, target.classes().len())?;
        Ok(learner)
    });
    let made = made.collect::<halfseen::Result<Vec<_>>>().map_err(raised)?;
    let without = set.iter().find(|(name, _)| made.iter().all(|l| l.get(name).is_none()));
    if let Some((name, _)) = without {
        let text = format!("none of the compared learners ({}) has {name}", names.join(", "));
        return Err(pyo3::exceptions::PyValueError::new_err(text));
    }
    let intercept = !set.contains(&(INTERCEPT.name, "false"));
    let options = declared.compared(intercept, design.folds.is_none())?;
    let attack = attack_of("attack", &design.attack)?;
    let plan = ComparisonPlan {
        names,
        splits: design.splits,
        folds: design.folds,
        fixed: design.set.iter().map(|(name, _)| name.clone()).collect(),
        test_share: design.test_share,
        seed: design.seed,
        curve_points: CURVE_POINTS,
        threads: Some(threads),
        siege: design.threat.map(|threat| AttackPlan { threat, attack }),
    };
    let threat = design.threat.is_some();
    run_interruptible(py, threads, progress, move |monitor| {
        let task = Task {
            table: &table,
            target_name: "",
            target: &target,
            groups: groups.as_deref(),
            options: &options,
            test: None,
        };
        let comparison = select::compare(&made, &task, &plan, monitor)?;
        let suggestion = select::suggest(&Situation::of(&task, limited, threat));
        let mut json = json!({"rows": comparison.rows, "summary": comparison.summary, "curve": comparison.curve});
        json["in_words"] = comparison.in_words().into();
        json["suggestion"] = json!(suggestion);
        json["suggestion"]["text"] = suggestion.to_string().into();
        let rows = json["rows"].as_array_mut().into_iter().flatten();
        for (row, json) in comparison.rows.iter().zip(rows) {
            json["notes_text"] = Note::told(&row.notes).map(ToString::to_string).collect();
            json["stop_text"] = row.stop.to_string().into();
        }
        Ok(json.to_string())
    })
}

/// Returns the registry's own text of a learner's name.
fn own(name: &str) -> PyResult<&'static str> {
    registry::find(name).map_err(raised)?;
    let own = registry::names().find(|own| *own == name);
    own.ok_or_else(|| pyo3::exceptions::PyValueError::new_err(format!("'{name}' has no name")))
}
