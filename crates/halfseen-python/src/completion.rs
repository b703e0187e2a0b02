//! Completes attributes and labels together: missing targets are predicted, missing values imputed.

use crate::arrays::{Table, list};
use crate::background::run_interruptible;
use crate::errors::raised;
use crate::fitting::{Declared, target};
use halfseen::ErrorKind;
use halfseen::data::{Basis, Examples, Target, TargetScale};
use halfseen::missing::MatrixCompletion;
use halfseen::params::Parameters;
use halfseen::prepare::Prepared;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Attributes, (n_rows, n_columns), and scores of the labels, (n_rows, outputs), both in raw units;
/// true if the solver converged, and its reason to stop.
type Filled<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>, bool, String);

/// Completes a table and its targets by matrix completion; a target of NaN is unknown.
#[pyfunction]
#[pyo3(signature = (parameters, table, target_name, targets, classes, declared, threads, progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn complete<'py>(
    py: Python<'py>,
    parameters: Vec<(String, String)>,
    table: &Table,
    target_name: String,
    targets: &Bound<'py, PyArray1<f64>>,
    classes: Option<Vec<Bound<'py, PyAny>>>,
    declared: Declared,
    threads: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Filled<'py>> {
    let mut targets = list(targets)?;
    let labelled: Vec<bool> = targets.iter().map(|y| !y.is_nan()).collect();
    // They must be targets, but are not used.
    let known = targets.iter().find(|y| !y.is_nan()).copied();
    let Some(any) = known else {
        return Err(PyValueError::new_err("y holds no target that is known"));
    };
    targets.iter_mut().filter(|y| y.is_nan()).for_each(|y| *y = any);
    let target = target(targets, classes)?;
    let mut learner = MatrixCompletion::default();
    parameters.iter().try_for_each(|(name, value)| learner.set(name, value)).map_err(raised)?;
    learner.check().map_err(raised)?;
    let options = declared.options(&learner)?;
    if options.basis != Basis::None {
        let text = "basis = 'hats' is for predictions: a completed matrix has one column for each attribute; use basis=None";
        return Err(PyValueError::new_err(text));
    }
    let (table, n) = (Arc::clone(&table.0), table.0.rows());
    let (completed, prepare) = run_interruptible(py, threads, progress, move |monitor| {
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        let mut prepared = Prepared::new(&table, (&target_name, &target), &rows, &options)?;
        let scaled = in_units_of_the_labelled(&mut prepared, &target, &labelled)?;
        let examples = prepared.examples();
        let examples =
            Examples { targets: scaled.as_deref().unwrap_or(examples.targets), ..examples };
        let completed = learner.complete(&examples, labelled, monitor)?;
        Ok((completed, prepared.prepare.clone()))
    })?;
    let d = completed.attributes.nrows();
    let mut attributes = Vec::with_capacity(n * d);
    for row in 0..n {
        attributes.extend((0..d).map(|column| {
            let (offset, divisor) = prepare.scaler.affine(column);
            completed.attributes[(column, row)] * divisor + offset
        }));
    }
    let outputs = completed.scores.nrows();
    let scale = prepare.target;
    let scores = (0..n).flat_map(|row| (0..outputs).map(move |output| (output, row)));
    let scores: Vec<f64> = scores.map(|at| scale.undo(completed.scores[at])).collect();
    let stop = completed.solution.stop;
    Ok((
        PyArray1::from_vec(py, attributes).reshape([n, d])?,
        PyArray1::from_vec(py, scores).reshape([n, outputs])?,
        stop.converged(),
        stop.to_string(),
    ))
}

/// Centres and scales numeric targets by the known ones; returns the targets, and `None` for
/// classes.
fn in_units_of_the_labelled(
    prepared: &mut Prepared<'_>,
    target: &Target,
    labelled: &[bool],
) -> halfseen::Result<Option<Vec<f64>>> {
    let Target::Numbers(numbers) = target else { return Ok(None) };
    if let Some(row) = numbers.iter().position(|y| !y.is_finite()) {
        let value = numbers[row];
        return Err(ErrorKind::NotFinite { row: row + 1, column: "y".into(), value }.into());
    }
    let known: Vec<u32> =
        (0..labelled.len() as u32).filter(|&row| labelled[row as usize]).collect();
    prepared.prepare.target = TargetScale::fit(target, numbers, &known, true);
    Ok(Some(numbers.iter().map(|&y| prepared.prepare.target.apply(y)).collect()))
}
