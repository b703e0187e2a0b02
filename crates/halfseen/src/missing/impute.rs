//! Fits a weighted sum to rows whose holes are filled: by zero, or by the mean of what was
//! observed.
//!
//! **Setting**: as KARMA with gamma = 1 (paper D, section 5, "0-imputation"): (1/2) |w|^2 + C sum_i
//! loss_i over the rows with the constant attribute, divided by the kernel's scale. On attributes
//! that are centred over what was observed both fill in the same; on others (`--scale none`) `zero`
//! fills in 0, `mean` the mean.
//!
//! **Cost**: the problem is linear in the attributes, so it is solved over them, in time linear in
//! the rows.

use super::karma::CS;
use super::training_objective::TrainingObjective;
use crate::data::{Examples, Moments};
use crate::error::{ErrorKind, Result};
use crate::kernel::{Kernel, Masked};
use crate::learner::missingness::MissingnessSummary;
use crate::learner::together::{fits_together, grouped};
use crate::learner::{Grid, Learner};
use crate::model::{Fit, Linear, Linears, Predictor, Stop};
use crate::params::{KernelLoss, Needs, Normalization, Targets, parameters};
use faer::Mat;
use halfseen_solve::Monitor;
use halfseen_solve::Options;
use std::time::Instant;

parameters! {
    /// A weighted sum of rows whose holes are zeros.
    pub struct Zero {
        name: "zero", family: Missing,
        title: "A weighted sum of rows whose holes are zeros (0-imputation)",
        source: "D 5 (what KARMA is compared with; gamma = 1)";
        c: f64 = 1.0, C;
        loss: KernelLoss = KernelLoss::Auto, KERNEL_LOSS;
        normalization: Normalization = Normalization::Trace, NORMALIZATION;
        intercept: bool = true, INTERCEPT;
        tol: f64 = 1e-4, TOL;
        max_iter: u64 = 10_000, MAX_ITER;
    }
}

parameters! {
    /// A weighted sum of rows whose holes are the means of what was observed.
    pub struct Mean {
        name: "mean", family: Missing,
        title: "A weighted sum of rows whose holes are means",
        source: "D 5 (what KARMA is compared with; gamma = 1)";
        c: f64 = 1.0, C;
        loss: KernelLoss = KernelLoss::Auto, KERNEL_LOSS;
        normalization: Normalization = Normalization::Trace, NORMALIZATION;
        intercept: bool = true, INTERCEPT;
        tol: f64 = 1e-4, TOL;
        max_iter: u64 = 10_000, MAX_ITER;
    }
}

/// Either learner's parameters.
struct Setup {
    name: &'static str,
    c: f64,
    loss: KernelLoss,
    normalization: Normalization,
    intercept: bool,
    /// Whether holes take the mean, else 0.
    mean: bool,
    options: Options,
}

macro_rules! learner {
    ($Name:ident, $mean:literal, $fills:literal) => {
        impl $Name {
            fn setup(&self) -> Setup {
                Setup {
                    name: $Name::NAME,
                    c: self.c,
                    loss: self.loss,
                    normalization: self.normalization,
                    intercept: self.intercept,
                    mean: $mean,
                    options: Options { tol: self.tol, max_passes: self.max_iter, seed: 0 },
                }
            }
        }

        impl Learner for $Name {
            fn grid(&self) -> Grid {
                Grid::new(&[("c", CS)])
            }

            fn needs(&self) -> Needs {
                Needs {
                    targets: Targets::Any,
                    weights: true,
                    fills: Some($fills),
                    ..Needs::of(self)
                }
            }

            fits_together!(|learners: &[$Name], examples, monitor| {
                let setups: Vec<Setup> = learners.iter().map($Name::setup).collect();
                fit_all(&setups, examples, monitor)
            });
        }
    };
}

learner!(Zero, false, "0, in scaled units,");
learner!(Mean, true, "the mean of what is observed");

/// Fits all setups, in their order; those that differ in C alone share one path.
fn fit_all(setups: &[Setup], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
    let alike = |a: &Setup, b: &Setup| {
        (a.loss, a.normalization, a.intercept, a.options)
            == (b.loss, b.normalization, b.intercept, b.options)
    };
    let examples = &*examples.counted()?;
    let reading = MissingnessSummary::of(examples);
    grouped(setups, alike, |setup| setup.c, |group| path(group, examples, &reading, monitor))
}

/// Fits setups that differ in C alone, which increases.
fn path(
    group: &[&Setup],
    examples: &Examples<'_>,
    reading: &MissingnessSummary,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    let (began, first) = (Instant::now(), group[0]);
    if first.normalization == Normalization::Cosine {
        let what = "another normalization: rows divided by their lengths have no weighted sum (karma with gamma=1 has it)";
        return Err(ErrorKind::Needs { name: "normalization", value: "cosine", what }.into());
    }
    let goal = TrainingObjective::new(first.name, first.loss, examples)?;
    let mut rows = Masked::new(examples, first.intercept)?;
    let columns = examples.columns();
    let fill = if first.mean { Moments::measure(examples).mean } else { vec![0.0; columns] };
    for i in 0..rows.len() {
        let cells = rows.values.col_as_slice_mut(i).iter_mut().zip(rows.observed.col_as_slice(i));
        cells
            .zip(&fill)
            .filter(|((_, seen), _)| **seen == 0.0)
            .for_each(|((value, _), fill)| *value = *fill);
    }
    let mut kernel = Kernel::new(1, None, first.normalization, 1, 0.0)?;
    kernel.fit_weighted(&rows, goal.weights())?;
    // Features whose products are the kernel.
    let factor = kernel.scale().sqrt().recip();
    let features = Mat::from_fn(rows.columns(), rows.len(), |j, i| factor * rows.values[(j, i)]);
    let cs: Vec<f64> = group.iter().map(|setup| setup.c).collect();
    let solved = goal.features_path(features.as_ref(), &cs, &first.options, monitor)?;
    let fit = |solved: halfseen_solve::linear::LinearSolved| {
        let linear = |j: usize| Linear {
            weights: (0..columns).map(|k| factor * solved.weights[(k, j)]).collect(),
            intercept: if first.intercept { factor * solved.weights[(columns, j)] } else { 0.0 },
            fill: fill.clone(),
            clip: None,
        };
        let predictor = match (solved.weights.ncols(), goal.estimates()) {
            (1, true) => Predictor::Linear(linear(0)),
            (1, false) => Predictor::Margin(linear(0)),
            (outputs, _) => {
                Predictor::Linears(Linears { classes: (0..outputs).map(linear).collect() })
            }
        };
        let mut report = reading.report(first.name, solved.stop.into(), examples);
        (report.objective, report.gap) = (Some(solved.objective), Some(solved.gap));
        report.passes = (report.stop != Stop::ClosedForm).then_some(solved.passes);
        report.seconds = began.elapsed().as_secs_f64();
        Fit { predictor, report }
    };
    Ok(solved.into_iter().map(fit).collect())
}
