//! Fits KARMA with random features to sums over the rows' features, for squared losses.
//!
//! The minimiser of (1/2) |v|^2 + (C/2) sum_i |<v, z_i> - y_i|^2 depends on the rows by the sums of z z',
//! z y' and y y' alone. The features are summed before the kernel has its scale, which may be a mean
//! over all rows: z is z_0 / sqrt(scale).

use super::Karma;
use crate::training_objective::{TrainingObjective, is_squared};
use faer::Mat;
use halfseen_core::data::{Examples, Layout};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::kernel::{Kernel, Masked, Sketch};
use halfseen_core::learner::missingness::MissingnessSummary;
use halfseen_core::learner::{ByFeatures, FeatureRows};
use halfseen_core::model::{Fit, Predictor, Report, Sketched, Stop};
use halfseen_core::params::{Features as Kind, KernelSolver};
use halfseen_solve::Monitor;
use halfseen_solve::linear::ridge_path;
use std::time::Instant;

/// Returns true if sums over features are all that a fit needs.
pub(super) fn able(karma: &Karma, classes: usize) -> bool {
    let is_sketched = matches!(karma.features, Kind::Sketch(_));
    let is_exact = karma.solver == KernelSolver::Exact;
    is_sketched && is_exact && is_squared(karma.loss, classes)
}

/// Features without the kernel's scale, and the outputs of a row.
pub(super) struct Features {
    karma: Karma,
    kernel: Kernel,
    sketch: Sketch,
    classes: usize,
    columns: usize,
}

impl Features {
    pub(super) fn new(karma: &Karma, layout: &Layout, classes: usize) -> Result<Features> {
        let columns = layout.slots() + usize::from(karma.intercept);
        let kernel = karma.kernel()?;
        let sketch = karma.sketch(&kernel, columns)?;
        Ok(Features { karma: karma.clone(), kernel, sketch, classes, columns })
    }

    fn outputs(&self) -> usize {
        if self.classes > 2 { self.classes } else { 1 }
    }
}

impl Karma {
    fn sketch(&self, kernel: &Kernel, columns: usize) -> Result<Sketch> {
        let Kind::Sketch(count) = self.features else {
            let what = "features = sketch";
            return Err(ErrorKind::Needs { name: "features", value: "exact", what }.into());
        };
        Sketch::of(kernel, columns, usize::try_from(count).unwrap_or(usize::MAX), self.seed)
    }
}

impl ByFeatures for Features {
    fn width(&self) -> usize {
        self.sketch.width() + self.outputs()
    }

    fn rows(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<FeatureRows> {
        let rows = Masked::new(examples, self.karma.intercept)?;
        let goal = TrainingObjective::new(Karma::NAME, self.karma.loss, examples)?;
        let (features, targets) = (self.sketch.features_while(&rows, monitor)?, goal.targets());
        let (width, outputs) = (self.sketch.width(), self.outputs());
        let mut numbers = Vec::with_capacity(examples.len() * (width + outputs));
        for i in 0..examples.len() {
            numbers.extend(features.col_as_slice(i));
            numbers.extend((0..outputs).map(|j| targets[(i, j)]));
        }
        let size = self.kernel.total_own(&rows)?;
        let report =
            MissingnessSummary::of(examples).report(Karma::NAME, Stop::ClosedForm, examples);
        Ok(FeatureRows { numbers, size, report })
    }

    fn fit(
        &self,
        (rows, weight): (&[Vec<f64>], f64),
        size: f64,
        monitor: &dyn Monitor,
    ) -> Result<Fit> {
        let began = Instant::now();
        let mut kernel = self.kernel.clone();
        kernel.fit_to(size, self.columns)?;
        let sketch = self.karma.sketch(&kernel, self.columns)?;
        let (width, root) = (self.sketch.width(), weight.sqrt());
        if sketch.width() != width || rows.iter().any(|row| row.len() != self.width()) {
            let what = "features of a row".to_owned();
            let found = rows.iter().map(Vec::len).max().unwrap_or(0);
            return Err(ErrorKind::WrongLength { what, expected: self.width(), found }.into());
        }
        // s (<v, z> - y)^2 is (<v, sqrt(s) z> - sqrt(s) y)^2.
        let by = root / kernel.scale().sqrt();
        let features = Mat::from_fn(width, rows.len(), |k, i| by * rows[i][k]);
        let targets = Mat::from_fn(rows.len(), self.outputs(), |i, j| root * rows[i][width + j]);
        let solved = ridge_path(features.as_ref(), targets.as_ref(), &[self.karma.c], monitor)?;
        let none = || ErrorKind::Interrupted { during: "fitting" };
        let solved = solved.into_iter().next().ok_or_else(none)?;
        let mut report = Report::full(Karma::NAME, solved.stop.into(), 0, 0);
        (report.objective, report.seconds) =
            (Some(solved.objective), began.elapsed().as_secs_f64());
        report.gap = solved.gap.is_finite().then_some(solved.gap);
        let constant = self.karma.intercept;
        let (weights, estimates) = (solved.weights, self.outputs() == 1);
        let predictor = Predictor::Sketch(Sketched { sketch, constant, weights, estimates });
        Ok(Fit { predictor, report })
    }
}
