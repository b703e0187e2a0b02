//! Fits a learner to a table.

use crate::arrays::{Table, list};
use crate::background::run_interruptible;
use crate::errors::raised;
use crate::learners::configured;
use crate::model::Model;
use halfseen::data::{Examples, Label, Target};
use halfseen::params::SEED;
use halfseen::prepare::{Group, Missing, Moment, Options, Prepared};
use halfseen::registry;
use halfseen::select::{Task, Tuning, tested, tune};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Declarations on attributes besides a learner's parameters, all by name.
#[derive(Default, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Declared {
    /// `none`, `common`, `each` or `max`; `None` leaves the choice to the family.
    scale: Option<String>,
    /// `none` or `hats`; `None` is `none`.
    basis: Option<String>,
    known: Vec<String>,
    groups: Vec<(String, Vec<String>)>,
    prices: BTreeMap<String, f64>,
    bounds: BTreeMap<String, (f64, f64)>,
    /// Mean (or none) and second moment.
    moments: BTreeMap<String, (Option<f64>, f64)>,
}

impl Declared {
    /// Returns the library's options for this learner.
    pub(crate) fn options(self, learner: &dyn halfseen::Learner) -> PyResult<Options> {
        Ok(self.read()?.for_fit(&learner.needs()))
    }

    /// Returns the library's options for a comparison, where learners that need every cell get means.
    pub(crate) fn compared(self, intercept: bool, honest: bool) -> PyResult<Options> {
        Ok(Options { intercept, honest, missing: Missing::Mean, ..self.read()? })
    }

    fn read(self) -> PyResult<Options> {
        let scale = self.scale.map(|scale| scale.parse()).transpose().map_err(raised)?;
        let basis = self.basis.map(|basis| basis.parse()).transpose().map_err(raised)?;
        let moment = |(name, (mean, square))| (name, Moment { mean, square });
        Ok(Options {
            scale,
            basis: basis.unwrap_or_default(),
            known: self.known,
            groups: self
                .groups
                .into_iter()
                .map(|(name, columns)| Group { name, columns })
                .collect(),
            prices: self.prices,
            bounds: self.bounds,
            moments: self.moments.into_iter().map(moment).collect(),
            ..Options::default()
        })
    }
}

/// Fits the learner of this name.
///
/// `targets` are numbers, (n_rows), or with `classes` (sorted labels) the index of each row's
/// class. `weights`, (n_rows), are the rows' sample weights. `pilot` has rows of a pilot and their
/// targets, NaN where they are unknown. `tuning` is a number of folds by which the learner's grid is
/// searched first, and the names of the parameters that keep their values.
#[pyfunction]
#[pyo3(signature = (learner, parameters, table, target_name, targets, classes, declared, threads, progress, weights=None, pilot=None, tuning=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn fit(
    py: Python<'_>,
    learner: &str,
    parameters: Vec<(String, String)>,
    table: &Table,
    target_name: String,
    targets: &Bound<'_, PyArray1<f64>>,
    classes: Option<Vec<Bound<'_, PyAny>>>,
    declared: Declared,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
    weights: Option<Bound<'_, PyArray1<f64>>>,
    pilot: Option<(Bound<'_, Table>, Bound<'_, PyArray1<f64>>)>,
    tuning: Option<(usize, Vec<String>)>,
) -> PyResult<Model> {
    let mut learner = configured(learner, &parameters)?;
    let mut options = declared.options(&*learner)?;
    // Tuning reads everything.
    options.honest &= tuning.is_none();
    let target = target(list(targets)?, classes)?;
    registry::check_classes(&*learner, target.classes().len()).map_err(raised)?;
    let weights = weights.map(|weights| list(&weights)).transpose()?;
    let pilot = pilot
        .map(|(table, told)| Ok::<_, PyErr>((Arc::clone(&table.get().0), list(&told)?)))
        .transpose()?;
    let rows: Vec<u32> = (0..table.0.rows() as u32).collect();
    let table = Arc::clone(&table.0);
    let model = run_interruptible(py, threads, progress, move |monitor| {
        let mut edges = Vec::new();
        let named = (&*target_name, &target);
        let classes = target.classes().len();
        if let Some((folds, fixed)) = &tuning {
            let task = Task {
                table: &table,
                target_name: &target_name,
                target: &target,
                groups: None,
                options: &options,
                test: None,
            };
            let seed = learner.get(SEED.name).and_then(|seed| seed.parse().ok()).unwrap_or(0);
            let learners = std::slice::from_ref(&learner);
            let tuning = Tuning::new(*folds, seed);
            let tuned = tune(learners, fixed, &task, &rows, &tuning, monitor, &|_| ())?;
            edges = tuned[0].edges(&*learner);
            learner = tuned[0].apply(learner)?;
        }
        let prepared = match &weights {
            None => Prepared::new(&table, named, &rows, &options)?,
            Some(weights) => Prepared::with_weights(&table, named, &rows, weights, &options)?,
        };
        let pilot = pilot.as_ref().map(|(table, told)| prepared.pilot_of(table, told, classes));
        let pilot = pilot.transpose()?;
        let of_pilot = pilot.as_ref().map(|pilot| prepared.examples_in(pilot));
        let examples = Examples { pilot: of_pilot.as_ref(), ..prepared.examples() };
        let mut fit = tested(&*learner, &examples, monitor)?;
        fit.report.notes.extend(edges);
        Ok(halfseen::model::Model::of(&*learner, &prepared, named, fit))
    })?;
    Ok(Model::new(model))
}

/// Returns the library's target.
pub(crate) fn target(values: Vec<f64>, classes: Option<Vec<Bound<'_, PyAny>>>) -> PyResult<Target> {
    let Some(classes) = classes else { return Ok(Target::Numbers(values)) };
    let classes = classes.iter().map(label).collect::<PyResult<Vec<_>>>()?;
    if let Some(code) = values.iter().find(|&&code| !(0.0..classes.len() as f64).contains(&code)) {
        return Err(PyValueError::new_err(format!(
            "{code} is the index of no class: there are {}",
            classes.len()
        )));
    }
    Ok(coded(values, classes))
}

/// Returns the target with these class indices.
pub(crate) fn coded(codes: Vec<f64>, classes: Vec<Label>) -> Target {
    Target::Classes { classes, codes: codes.into_iter().map(|v| v as u32).collect() }
}

/// Returns a number as it is, anything else as text.
fn label(value: &Bound<'_, PyAny>) -> PyResult<Label> {
    match value.extract::<f64>() {
        // A whole number without an exact double becomes text, or it would be taken for its
        // neighbour.
        Ok(number) if number.is_finite() && value.eq(number)? => Ok(Label::Number(number)),
        Ok(number) if number.is_finite() => Ok(Label::Text(value.str()?.to_string())),
        Ok(number) => Err(PyValueError::new_err(format!("{number} is not the label of a class"))),
        Err(_) => Ok(Label::Text(value.str()?.to_string())),
    }
}
