//! Implements the geometric margin as a learner.

use super::{Plane, Setup, separate_weighted};
use crate::biased::Until;
use crate::params::ROUNDS;
use halfseen::data::{Examples, Signs};
use halfseen::kernel::Masked;
use halfseen::learner::together::fits_together;
use halfseen::learner::{FitSize, Grid, Learner, MissingnessSummary, Needed};
use halfseen::model::{Fit, Linear, Predictor};
use halfseen::params::{Needs, Targets, parameters};
use halfseen::{Monitor, Result};
use std::time::Instant;

parameters! {
    /// The geometric margin of incomplete rows, for two classes.
    pub struct GeometricMargin {
        name: "geom", family: Missing,
        title: "Largest margin within the observed attributes of each row",
        source: "Chechik et al. 2008; Hazan et al. 2015, section 5";
        c: f64 = 1.0, C;
        rounds: u64 = 5, ROUNDS;
        tol: f64 = 1e-4, TOL;
        max_iter: u64 = 200, MAX_ITER;
    }
}

impl Learner for GeometricMargin {
    fn grid(&self) -> Grid {
        let decades = [
            "0.00001", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000",
            "100000",
        ];
        Grid::new(&[("c", &decades)])
    }

    fn needs(&self) -> Needs {
        Needs { targets: Targets::TwoClasses, weights: true, ..Needs::of(self) }
    }

    fn needed(&self, size: &FitSize) -> Needed {
        let (n, least) = (size.n(), size.fewest_pairs());
        let each = (3.0 * least + 128.0 * least.sqrt() + 30.0 * n) * size.side_by_side();
        let rows = match size.is_wide() {
            // Rows, again without those that show nothing; their products, the eigenvectors with
            // working memory, the features and the way back.
            true => 2.0 * size.masked(true) + 6.0 * size.row_pairs(),
            // Values and masks, again without rows that show nothing; the features, rotated if
            // there are fewer rows than columns.
            false => 2.0 * size.masked(false) + size.cells() + 8.0 * n + least,
        };
        Needed::of(size, rows + each)
    }

    // All settings in parallel, over the same rows.
    fits_together!(fit_all);
}

fn fit_all(
    learners: &[GeometricMargin],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    let start = Instant::now();
    let examples = &*examples.counted()?;
    let signs = Signs::of(examples, "geom")?;
    let rows = Masked::wide(examples, false)?;
    let setups: Vec<Setup> = learners.iter().map(GeometricMargin::setup).collect();
    let shared = start.elapsed().as_secs_f64();
    let weights = examples.weight_list().unwrap_or_else(|| vec![1.0; rows.len()]);
    let planes = separate_weighted(&rows, &signs.signs, &weights, &setups, monitor)?;
    Ok(planes.into_iter().map(|plane| fit_of(plane, &signs, &rows, examples, shared)).collect())
}

impl GeometricMargin {
    fn setup(&self) -> Setup {
        let until = Until { tol: self.tol, max_iter: self.max_iter };
        Setup { c: self.c, rounds: self.rounds, until }
    }
}

fn fit_of(plane: Plane, signs: &Signs, rows: &Masked, examples: &Examples<'_>, shared: f64) -> Fit {
    let linear = Linear::of_signs(signs, plane.weights, plane.bias, vec![0.0; rows.columns()]);
    let mut report = MissingnessSummary::of(examples).report("geom", plane.stop, examples);
    let kept = plane.rounds.get(plane.kept);
    (report.objective, report.gap) = (kept.map(|r| r.objective), kept.map(|r| r.gap));
    if plane.empty < examples.len() {
        report.skipped = plane.empty as u64;
        report.examples -= report.skipped;
    }
    report.seconds = shared + plane.seconds;
    Fit { predictor: Predictor::Margin(linear), report }
}
