//! Fits a linear model to rows whose missing values are filled: by zero, or by the observed mean.
//!
//! **Setting**: as KARMA with gamma = 1 (Hazan et al. 2015, section 5, "0-imputation"), with the
//! objective (1/2) |w|^2 + C sum_i loss_i over the rows with the constant attribute, divided by the
//! kernel's scale. The two fills coincide on attributes centred over the observed values, and
//! differ on others (`--scale none`).
//!
//! **Cost**: the problem is linear in the attributes and solved over them, in time linear in the
//! number of rows. Sparse rows that are fewer than the attributes stay sparse: then it is solved
//! over the products of rows.

use super::karma::CS;
use super::training_objective::{TrainingObjective, beside, is_squared};
use faer::{Mat, Scale};
use halfseen_core::data::{Examples, Moments};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::kernel::gram::gram;
use halfseen_core::kernel::{Kernel, Masked};
use halfseen_core::learner::missingness::MissingnessSummary;
use halfseen_core::learner::together::{fits_together, grouped};
use halfseen_core::learner::{FitSize, Grid, InParts, Learner, Needed};
use halfseen_core::model::{Fit, Linear, Note, Predictor, Stop};
use halfseen_core::params::{Fill, KernelLoss, Needs, Normalization, Targets, parameters};
use halfseen_solve::linear::{INTERIOR_SIZE, LinearSolved};
use halfseen_solve::{Monitor, Solved, SolverOptions, multiplied};
use std::time::Instant;

parameters! {
    /// Linear model of rows with filled missing values.
    pub struct Imputation {
        name: "imputation", family: Missing,
        title: "Linear model with missing values filled by zeros or means",
        source: "Hazan et al. 2015, section 5 (comparator of KARMA; gamma = 1)";
        fill: Fill = Fill::Zero, FILL;
        c: f64 = 1.0, C;
        loss: KernelLoss = KernelLoss::Auto, KERNEL_LOSS;
        normalization: Normalization = Normalization::Trace, NORMALIZATION;
        intercept: bool = true, INTERCEPT;
        tol: f64 = 1e-4, TOL;
        max_iter: u64 = 10_000, MAX_ITER;
    }
}

impl Learner for Imputation {
    fn grid(&self) -> Grid {
        Grid::new(&[("c", CS)])
    }

    fn needs(&self) -> Needs {
        let fills = match self.fill {
            Fill::Zero => "0, in scaled units,",
            Fill::Mean => "the observed mean",
        };
        Needs { targets: Targets::Any, weights: true, fills: Some(fills), ..Needs::of(self) }
    }

    fn in_parts(&self, classes: usize) -> Option<InParts> {
        is_squared(self.loss, classes).then_some(InParts::Moments(self.fill))
    }

    fn needed(&self, size: &FitSize) -> Needed {
        let vectors = (20.0 * size.n() + 10.0 * size.d()) * size.outputs();
        if size.is_wide() {
            let beside = size.row_pairs() + beside(self.loss, size);
            return Needed::of(size, 2.0 * size.masked(true) + beside + vectors);
        }
        // Values and mask, and the features; a copy of them, weighted or rotated; the products of
        // the shorter side, with their decomposition or factor.
        let copies = if size.columns >= size.rows || size.weighted { 2.0 } else { 1.0 };
        let features = copies * (size.cells() + 8.0 * size.n());
        let least = (size.columns + 1).min(size.rows);
        let pairs = size.fewest_pairs();
        let products = match (is_squared(self.loss, size.classes), size.classes) {
            (true, _) => 5.0 * size.outputs().sqrt() * pairs,
            (false, 0..=2) => 3.0 * pairs,
            // The system of the interior-point method, which is used where it is small, and parts
            // of the features scaled at once.
            (false, classes) if least * classes > INTERIOR_SIZE => 0.0,
            (false, classes) => {
                let scaled = (512 * least * rayon::current_num_threads()) as f64;
                (1.6 * (classes as f64).powi(2) + 1.0) * pairs + scaled
            }
        };
        let numbers = size.masked(false) + features + products;
        Needed::of(size, numbers + vectors)
    }

    fits_together!(fit_all);
}

/// Fits all settings, in their order; settings that differ only in C share one path.
fn fit_all(
    learners: &[Imputation],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    let alike = |a: &Imputation, b: &Imputation| Imputation { c: b.c, ..a.clone() } == *b;
    let examples = &*examples.counted()?;
    let reading = MissingnessSummary::of(examples);
    grouped(learners, alike, |l| l.c, |group| path(group, examples, &reading, monitor))
}

/// Fits settings that differ only in C, which increases.
fn path(
    group: &[&Imputation],
    examples: &Examples<'_>,
    reading: &MissingnessSummary,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    let (began, first) = (Instant::now(), group[0]);
    if first.normalization == Normalization::Cosine {
        let what = "a kernel machine: use karma with gamma=1, or another normalization";
        return Err(ErrorKind::Needs { name: "normalization", value: "cosine", what }.into());
    }
    let goal = TrainingObjective::new(Imputation::NAME, first.loss, examples)?;
    let columns = examples.columns();
    let fill = match first.fill {
        Fill::Zero => vec![0.0; columns],
        Fill::Mean => Moments::measure(examples).mean,
    };
    let cs: Vec<f64> = group.iter().map(|learner| learner.c).collect();
    let options = SolverOptions { tol: first.tol, max_passes: first.max_iter, seed: 0 };
    let mut kernel = Kernel::new(1, None, first.normalization, 1)?;
    let rows = Masked::wide(examples, first.intercept)?.filled(&fill)?;
    kernel.fit_weighted(&rows, goal.weights())?;
    // The products of features, rows times this factor, are the kernel.
    let factor = kernel.scale().sqrt().recip();
    let solved = match &rows {
        Masked::Dense(rows) => {
            let feature = |j, i| factor * rows.values[(j, i)];
            let features = Mat::from_fn(rows.columns(), rows.len(), feature);
            let solved = goal.features_path(features.as_ref(), &cs, &options, monitor)?;
            let noted = |solved: LinearSolved| {
                let ties =
                    goal.near_ties(|| multiplied(features.transpose(), solved.weights.as_ref()));
                (solved, ties)
            };
            solved.into_iter().map(noted).collect::<Vec<_>>()
        }
        Masked::Sparse(sparse) => {
            let gram = gram(std::slice::from_ref(&kernel), &rows, monitor)?.remove(0);
            let solved = goal.path(gram.as_ref(), &cs, &options, monitor)?;
            let weights = |a: &Mat<f64>| sparse.combined(a) * Scale(factor);
            let noted = |(solved, _): (Solved, Option<f64>)| {
                let ties =
                    goal.near_ties(|| multiplied(gram.as_ref(), solved.coefficients.as_ref()));
                (solved.over_features(weights), ties)
            };
            solved.into_iter().map(noted).collect()
        }
    };
    let fit = |(solved, ties): (LinearSolved, Option<Note>)| {
        let linear = |j: usize| Linear {
            weights: (0..columns).map(|k| factor * solved.weights[(k, j)]).collect(),
            intercept: if first.intercept { factor * solved.weights[(columns, j)] } else { 0.0 },
            fill: fill.clone(),
            clip: None,
        };
        let outputs = (0..solved.weights.ncols()).map(linear).collect();
        let predictor = Predictor::of_outputs(outputs, !goal.estimates());
        let mut report = reading.report(Imputation::NAME, solved.stop.into(), examples);
        (report.objective, report.gap) = (Some(solved.objective), Some(solved.gap));
        report.passes = (report.stop != Stop::ClosedForm).then_some(solved.passes);
        report.notes.extend(ties);
        report.seconds = began.elapsed().as_secs_f64();
        Fit { predictor, report }
    };
    Ok(solved.into_iter().map(fit).collect())
}
