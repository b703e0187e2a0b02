//! Tests models against an adversary: certifies the predictions of rows, attacks rows, and computes
//! the costs of their attributes.

use crate::arrays::{Table, list};
use crate::background::run_interruptible;
use crate::errors::raised;
use crate::fitting::coded;
use crate::model::Model;
use halfseen::Monitor;
use halfseen::data::{Target, Task, Threat};
use halfseen::model::Scores;
use halfseen::robust::{Attack, Certificate, CertifiedErrors, Trial};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Number of rows between two checks for signals.
const BATCH: u32 = 1024;

/// Largest budget (NaN: none), budget that changes the prediction (NaN: none), the columns whose
/// deletion changes it, true if the first is the largest, and the number of missing attributes:
/// each (n_rows).
type Certified<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Vec<Bound<'py, PyArray1<i64>>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<i64>>,
);

/// Returns the attributes that can be deleted, in the order of a threat's costs: name and columns
/// of the table of each.
#[pyfunction]
pub(crate) fn attributes(model: &Model) -> PyResult<Vec<(String, Vec<usize>)>> {
    let schema = &model.model.prepare.schema;
    let layout = schema.layout().map_err(raised)?;
    let widths = schema.columns.iter().map(|column| column.width());
    let of: Vec<usize> =
        widths.enumerate().flat_map(|(at, width)| std::iter::repeat_n(at, width)).collect();
    let columns = |panel: usize| {
        let mut columns: Vec<usize> =
            layout.slots_of(panel).map(|slot| of[layout.column(slot)]).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    };
    Ok((0..layout.sampled_panels())
        .map(|panel| (layout.name(panel).to_owned(), columns(panel)))
        .collect())
}

/// Returns a certificate per row of the table, against an adversary with these costs.
#[pyfunction]
pub(crate) fn certify<'py>(
    py: Python<'py>,
    model: &Model,
    table: &Table,
    values: Vec<f64>,
    within: Option<f64>,
    threads: usize,
) -> PyResult<Certified<'py>> {
    let (of, rows) = (Arc::clone(&model.model), Arc::clone(&table.0));
    let certificates = run_interruptible(py, threads, None, move |monitor| {
        let values = Threat::new(values, 0.0)?;
        let mut trial = Trial::new(&of, &rows, None)?;
        let mut all = Vec::with_capacity(rows.rows());
        each_batch(&mut trial, rows.rows(), monitor, |trial| {
            all.extend(trial.certify(&values, within)?);
            Ok(())
        })?;
        Ok(all)
    })?;
    let attributes = attributes(model)?;
    let columns = |certificate: &Certificate| {
        let flips = certificate.flips.iter().flat_map(|&j| &attributes[j as usize].1);
        let mut columns: Vec<i64> = flips.map(|&column| column as i64).collect();
        columns.sort_unstable();
        PyArray1::from_vec(py, columns)
    };
    let number = |n: Option<f64>| n.unwrap_or(f64::NAN);
    Ok((
        PyArray1::from_iter(py, certificates.iter().map(|c| number(c.certified))),
        PyArray1::from_iter(py, certificates.iter().map(|c| number(c.flips_at))),
        certificates.iter().map(columns).collect(),
        PyArray1::from_iter(py, certificates.iter().map(|c| c.exact)),
        PyArray1::from_iter(py, certificates.iter().map(|c| c.missing as i64)),
    ))
}

/// Returns the share of rows that are wrong, or that a threat of this budget may change, for rows
/// with these largest budgets (NaN: none).
#[pyfunction]
pub(crate) fn certified_error(
    certified: &Bound<'_, PyArray1<f64>>,
    right: Vec<bool>,
    budget: f64,
) -> PyResult<f64> {
    let certificate = |&n: &f64| Certificate {
        certified: (!n.is_nan()).then_some(n),
        flips_at: None,
        flips: Vec::new(),
        exact: true,
        missing: 0,
    };
    let certificates: Vec<Certificate> = list(certified)?.iter().map(certificate).collect();
    let mut errors = CertifiedErrors::default();
    errors.add(&certificates, right.into_iter());
    Ok(errors.at(budget))
}

/// Returns the attack that a parameter names.
pub(crate) fn attack_of(parameter: &str, name: &str) -> PyResult<Attack> {
    let attack = Attack::ALL.iter().find(|(own, _)| *own == name);
    attack.map(|(_, attack)| *attack).ok_or_else(|| {
        let names = Attack::ALL.map(|(name, _)| format!("'{name}'")).join(", ");
        PyValueError::new_err(format!(
            "{parameter} = '{name}' is not allowed: it must be one of {names}"
        ))
    })
}

/// Returns the scores of attacked rows, (n_rows, n_outputs), and the number of rows for which the
/// attack was not proved to be the worst. `targets` are numbers, or class indices.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn attack<'py>(
    py: Python<'py>,
    model: &Model,
    table: &Table,
    targets: &Bound<'_, PyArray1<f64>>,
    values: Vec<f64>,
    budget: f64,
    kind: &str,
    seed: u64,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
    let kind = attack_of("kind", kind)?;
    let (of, rows, target) =
        (Arc::clone(&model.model), Arc::clone(&table.0), target_of(model, targets)?);
    let (scores, unproven) = run_interruptible(py, threads, None, move |monitor| {
        let threat = Threat::new(values, budget)?;
        let mut trial = Trial::new(&of, &rows, Some(&target))?;
        let outputs = of.predictor.outputs();
        let (mut values, mut unproven) = (Vec::with_capacity(rows.rows() * outputs), 0);
        each_batch(&mut trial, rows.rows(), monitor, |trial| {
            let attacked = trial.attack(&threat, kind, seed)?;
            values.extend(attacked.scores.values);
            unproven += attacked.unproven;
            Ok(())
        })?;
        Ok((Scores { values, outputs, estimates: true }, unproven))
    })?;
    Ok((Model::array(py, scores)?, unproven))
}

/// Returns the mutual information of each attribute with the classes.
#[pyfunction]
pub(crate) fn information<'py>(
    py: Python<'py>,
    model: &Model,
    table: &Table,
    targets: &Bound<'_, PyArray1<f64>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (of, rows, target) =
        (Arc::clone(&model.model), Arc::clone(&table.0), target_of(model, targets)?);
    let information = run_interruptible(py, 1, None, move |_| {
        Trial::new(&of, &rows, Some(&target))?.information()
    })?;
    Ok(PyArray1::from_vec(py, information))
}

fn target_of(model: &Model, targets: &Bound<'_, PyArray1<f64>>) -> PyResult<Target> {
    let targets = list(targets)?;
    Ok(match model.model.task {
        Task::Regression => Target::Numbers(targets),
        Task::Classification => coded(targets, model.model.classes.clone()),
    })
}

/// Processes rows in batches, and stops when the monitor says so.
fn each_batch(
    trial: &mut Trial<'_>,
    rows: usize,
    monitor: &dyn Monitor,
    mut work: impl FnMut(&Trial<'_>) -> halfseen::Result<()>,
) -> halfseen::Result<()> {
    let rows = rows as u32;
    for start in (0..rows).step_by(BATCH as usize) {
        if monitor.should_stop() {
            return Err(halfseen::ErrorKind::Interrupted { during: "trying rows" }.into());
        }
        trial.only(start..rows.min(start.saturating_add(BATCH)));
        work(trial)?;
    }
    Ok(())
}
