//! Minimises the multi-class hinge loss of Crammer and Singer over features.
//!
//! **Setting**: (1/2) sum_r |w_r|^2 + C sum_i max_r (1[r != y_i] + z_ir - z_(i y_i)), z_ir = <w_r,
//! f_i> (Crammer and Singer, JMLR 2001). A single class has no loss, and w = 0.
//!
//! **Guarantee**: that of [`crate::multiclass`], of which this is the dual too, evaluated at
//! recomputed w and z.
//!
//! **Method**: its ascent, over features in the place of a Gram matrix. If the gap is not reached
//! after 40 passes, as for large C, or after as long as an interior-point method takes if its steps
//! are long, such a method follows once, if its system of size D or n (the smaller) times the number of
//! classes has at most 6,000 unknowns. Otherwise ascent continues, and may end with `max_passes`
//! before the gap is reached. The best w and the best dual variables so far are kept separately.

mod interior;

use super::rotate::Rotation;
use super::{Features, LinearSolved, check_finite, increasing};
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::multiclass::ascent::{Ascent, Levels, raised};
use crate::multiclass::dual::Dual;
use crate::multiclass::schedule::{INTERIOR_SIZE, PASSES_BEFORE_INTERIOR, passes_as_long};
use crate::sampling::{Purpose, Stream};
use crate::stop::{FUTILE_ROUNDS, SolverStop};
use crate::vectors::{dot, square};
use crate::{SolverOptions, length, positive};
use faer::{Mat, MatRef};
use interior::Interior;
use rayon::prelude::*;

/// Largest number of passes per round.
const PASSES: u64 = 10;
/// Largest number of multiplications of an interior-point step that follows after the least number
/// of passes. It resolves near ties between classes, of which ascent leaves noise.
const QUICK_WORK: f64 = 2e10;

/// Returns true if a system of the interior-point method is small enough to be stored.
fn affordable(n: usize, width: usize, classes: usize) -> bool {
    n.min(width).saturating_mul(classes) <= INTERIOR_SIZE
}

/// Returns the number of passes of ascent after which the interior-point method follows.
fn passes_before_interior(n: usize, width: usize, classes: usize) -> u64 {
    let (rows, unknowns) = (n as f64, (n.min(width) * classes) as f64);
    let work = unknowns * unknowns * (rows / 2.0 + unknowns / 6.0);
    let pass = 2.0 * rows * (width * classes) as f64;
    let longer = if work > QUICK_WORK { passes_as_long(work, pass) } else { 0 };
    PASSES_BEFORE_INTERIOR.max(longer)
}

/// Solves for each of `cs`, in their order, each from the scaled solution of the nearest smaller C.
///
/// `features` is (D, n), one example per column; `labels` has n classes, each below `classes`. The
/// resulting `weights` are (D, classes).
///
/// # Errors
/// If lengths differ, there are no examples, features or classes, a label is not a class, a feature
/// is not finite, or c or tol is not positive; [`Error::Numerical`] if numbers are out of range.
pub fn multiclass_path(
    features: MatRef<'_, f64>,
    labels: &[usize],
    classes: usize,
    cs: &[f64],
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Vec<LinearSolved>> {
    multiclass_path_weighted(
        features,
        labels,
        classes,
        &vec![1.0; labels.len()],
        cs,
        options,
        monitor,
    )
}

/// Does the same with the loss of example i weighted by C `weights[i]`; weights are positive.
///
/// # Errors
/// Those of [`multiclass_path`]; weights are refused like c.
pub fn multiclass_path_weighted(
    features: MatRef<'_, f64>,
    labels: &[usize],
    classes: usize,
    weights: &[f64],
    cs: &[f64],
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Vec<LinearSolved>> {
    options.check()?;
    let order = increasing(cs)?;
    let features = Features::new(features)?;
    length("labels", features.len(), labels.len())?;
    length("weights", features.len(), weights.len())?;
    if let Some(i) = labels.iter().position(|&r| r >= classes) {
        let problem = format!("label {} is {}: it must be below {classes}", i + 1, labels[i]);
        return Err(Error::WrongTarget { what: "labels", problem });
    }
    let mut search = Search::new(features, labels, classes);
    let mut solved: Vec<Option<LinearSolved>> = vec![None; cs.len()];
    let mut last: Option<f64> = None;
    for i in order {
        let factor = last.map_or(1.0, |c| cs[i] / c);
        search.dual.w *= faer::Scale(factor);
        search.dual.c = weights.iter().map(|weight| cs[i] * weight).collect();
        search.dual.c.iter().try_for_each(|&cost| positive("cost", cost))?;
        search.dual.settle();
        solved[i] = Some(search.run(options, monitor)?);
        last = Some(cs[i]);
    }
    Ok(solved.into_iter().flatten().collect())
}

/// Dual point with its state.
struct Search<'a> {
    features: Features<'a>,
    /// |f_i|^2.
    squares: Vec<f64>,
    all: Vec<usize>,
    dual: Dual,
    /// (D, classes).
    weights: Mat<f64>,
    passes: u64,
    /// True if the interior-point method ended with a system that could not be solved.
    failed: bool,
}

#[derive(Debug, Clone, Copy)]
struct Certificate {
    primal: f64,
    gap: f64,
}

impl<'a> Search<'a> {
    fn new(features: Features<'a>, labels: &[usize], classes: usize) -> Search<'a> {
        let n = features.len();
        Search {
            features,
            squares: (0..n).map(|i| square(features.column(i))).collect(),
            all: (0..n).collect(),
            dual: Dual::new(labels.to_vec(), vec![0.0; n], classes),
            weights: Mat::zeros(features.width(), classes),
            passes: 0,
            failed: false,
        }
    }

    /// Recomputes w and z, and objective and gap from them.
    fn certify(&mut self) -> Result<Certificate> {
        let b = self.dual.coefficients();
        self.weights.fill(0.0);
        for r in 0..b.ncols() {
            let weights = self.weights.col_as_slice_mut(r);
            self.features.add_combined(b.col_as_slice(r), &self.all, weights);
        }
        // Loss and gap of each example, summed in their order.
        let room = || vec![0.0; b.ncols()];
        let of_example = |levels: &mut Vec<f64>, i: usize| {
            self.levels(i, levels);
            self.dual.loss_and_gap(i, levels)
        };
        let parts: Vec<(f64, f64)> =
            (0..b.nrows()).into_par_iter().map_init(room, of_example).collect();
        let costs = self.dual.c.iter();
        let (loss, gap) = parts
            .iter()
            .zip(costs)
            .fold((0.0, 0.0), |(loss, gap), (part, c)| (loss + c * part.0, gap + part.1));
        let primal = self.half_square() + loss;
        check_finite("the multi-class hinge loss over features", primal, gap)?;
        Ok(Certificate { primal, gap: gap.max(0.0) })
    }

    /// Returns half of the sum of squares of w.
    fn half_square(&self) -> f64 {
        (0..self.weights.ncols()).map(|r| square(self.weights.col_as_slice(r))).sum::<f64>() / 2.0
    }

    /// Computes the levels of an example.
    fn levels(&self, i: usize, levels: &mut [f64]) {
        let column = self.features.column(i);
        raised(self.dual.y[i], levels, |r| dot(self.weights.col_as_slice(r), column));
    }

    fn run(&mut self, options: &SolverOptions, monitor: &dyn Monitor) -> Result<LinearSolved> {
        (self.passes, self.failed) = (0, false);
        let mut now = self.certify()?;
        // Best primal and best dual point so far, each with its objective.
        let (mut primal, mut weights) = (now.primal, self.weights.clone());
        let (mut dual, mut duals) = (now.primal - now.gap, self.dual.w.clone());
        let (n, width, classes) = (self.all.len(), self.features.width(), self.weights.ncols());
        let mut may_finish = affordable(n, width, classes);
        let before = passes_before_interior(n, width, classes);
        let (mut futile, mut least) = (0, f64::INFINITY);
        let stop = loop {
            let target = options.tol * primal;
            if primal - dual <= target {
                break SolverStop::Tolerance;
            }
            futile = if primal - dual < least { 0 } else { futile + 1 };
            least = least.min(primal - dual);
            let (limit, stuck) = (self.passes >= options.max_passes, futile > FUTILE_ROUNDS);
            if limit || stuck && !may_finish {
                break SolverStop::short(self.failed, limit);
            }
            if monitor.should_stop() {
                break SolverStop::Interrupted;
            }
            let room = options.max_passes - self.passes;
            if may_finish && (stuck || self.passes >= before) {
                (may_finish, futile) = (false, 0);
                let (solved, value) = self.finish(options.tol, room, monitor)?;
                if value < primal {
                    (primal, weights) = (value, solved);
                }
            } else {
                self.ascend((0.3 * target, PASSES.min(room)), options.seed, monitor);
            }
            now = self.certify()?;
            if now.primal < primal {
                primal = now.primal;
                weights.copy_from(&self.weights);
            }
            if now.primal - now.gap > dual {
                dual = now.primal - now.gap;
                duals.copy_from(&self.dual.w);
            }
        };
        self.dual.w = duals;
        let support = self.dual.support();
        let gap = (primal - dual).max(0.0);
        Ok(LinearSolved { weights, objective: primal, gap, passes: self.passes, support, stop })
    }

    /// Follows the central path; returns the v of the end point and its objective, and stores its w
    /// as duals.
    fn finish(&mut self, tol: f64, most: u64, monitor: &dyn Monitor) -> Result<(Mat<f64>, f64)> {
        // Fewer examples than features: an equal problem in that number of features.
        let narrow = (self.all.len() < self.features.width())
            .then(|| Rotation::new(self.features.matrix.as_dyn_stride().to_owned()));
        let rotated = narrow.as_ref().map(|r| r.rotated(false));
        let features = match &rotated {
            Some(rotated) => Features::new(rotated.as_ref())?,
            None => self.features,
        };
        let Dual { y, c, w } = &mut self.dual;
        let classes = w.nrows();
        let mut path = Interior::new(features, y, classes, c);
        let (steps, failed) = path.run(0.1 * tol, most, monitor);
        self.passes += steps;
        self.failed = failed;
        for (i, (&y, &c)) in y.iter().zip(c.iter()).enumerate() {
            // Variables that a step on this example alone would bring to 0 are 0.
            let kept = |r: usize| {
                let w = path.w()[(i, r)];
                if w < 1e-3 * c && w * self.squares[i] < path.s()[(i, r)] { 0.0 } else { w }
            };
            let others: f64 = (0..classes).filter(|&r| r != y).map(kept).sum();
            let factor = if kept(y) == 0.0 && others > 0.0 { c / others } else { 1.0 };
            (0..classes).for_each(|r| w[(r, i)] = factor * kept(r));
        }
        let weights = match &narrow {
            None => path.vectors,
            Some(rotation) => {
                let columns: Vec<Vec<f64>> =
                    (0..classes).map(|r| rotation.back(path.vectors.col_as_slice(r))).collect();
                Mat::from_fn(self.features.width(), classes, |k, r| columns[r][k])
            }
        };
        self.dual.settle();
        self.weights = weights.clone();
        let mut levels = vec![0.0; classes];
        let mut loss = 0.0;
        for i in 0..self.all.len() {
            self.levels(i, &mut levels);
            loss += self.dual.c[i] * self.dual.loss_and_gap(i, &levels).0;
        }
        Ok((weights, self.half_square() + loss))
    }

    /// Makes passes over the examples until the gap seen on the way is at most `target`.
    fn ascend(&mut self, (target, most): (f64, u64), seed: u64, monitor: &dyn Monitor) {
        let stream = Stream::new(seed, Purpose::Order, self.passes);
        let mut ascent = Ascent {
            columns: self.features.matrix,
            diagonal: &self.squares,
            levels: Levels::Computed(&mut self.weights),
            dual: &mut self.dual,
        };
        self.passes += ascent.passes(most, target, stream, monitor);
        self.dual.settle();
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{classes, farthest, normal, signs};
    use super::*;
    use crate::linear::hinge_path;
    use crate::monitor::Silent;

    fn fine() -> SolverOptions {
        SolverOptions { tol: 1e-8, ..SolverOptions::default() }
    }

    fn solve(
        f: &Mat<f64>,
        labels: &[usize],
        k: usize,
        cs: &[f64],
        options: &SolverOptions,
    ) -> Vec<LinearSolved> {
        multiclass_path(f.as_ref(), labels, k, cs, options, &Silent).unwrap()
    }

    fn objective(f: &Mat<f64>, labels: &[usize], c: f64, w: &Mat<f64>) -> f64 {
        let z = f.transpose() * w;
        let loss = |i: usize| {
            let level =
                |r: usize| if r == labels[i] { 0.0 } else { 1.0 + z[(i, r)] - z[(i, labels[i])] };
            (0..w.ncols()).map(level).fold(0.0, f64::max)
        };
        (0..w.ncols()).map(|r| square(w.col_as_slice(r))).sum::<f64>() / 2.0
            + c * (0..labels.len()).map(loss).sum::<f64>()
    }

    #[test]
    fn two_classes_are_the_hinge_with_half_the_norm() {
        // w_1 = -w_0 = v / 2: |v|^2 / 4 + C hinge(v), the hinge problem of 2 C halved.
        let (features, labels) = classes(6, 50, 2, 0.3, 1);
        let y: Vec<f64> = labels.iter().map(|&r| 2.0 * r as f64 - 1.0).collect();
        for c in [1e-3, 0.1, 10.0] {
            let solved = solve(&features, &labels, 2, &[c], &fine()).remove(0);
            let twin =
                hinge_path(features.as_ref(), &y, &[2.0 * c], &fine(), &Silent).unwrap().remove(0);
            assert!(
                (solved.objective - twin.objective / 2.0).abs() < 1e-7 * solved.objective,
                "{c}"
            );
            let half = Mat::from_fn(6, 2, |k, r| twin.weights[(k, 0)] * (r as f64 - 0.5));
            assert!(farthest(&solved.weights, &half) < 1e-3);
        }
    }

    #[test]
    fn gaps_are_certified_and_no_point_is_below_the_bound() {
        for (d, n, k) in [(5, 60, 4), (20, 30, 3), (3, 40, 7), (4, 1, 3)] {
            let (features, labels) = classes(d, n, k, 0.3, 2);
            let cs = [1e-3, 1e-1, 1.0, 10.0];
            for (solved, c) in solve(&features, &labels, k, &cs, &fine()).iter().zip(cs) {
                assert_eq!(solved.stop, SolverStop::Tolerance);
                assert!(solved.gap <= 1e-8 * solved.objective && solved.support <= n);
                let value = objective(&features, &labels, c, &solved.weights);
                assert!((value - solved.objective).abs() < 1e-10 * value);
                for seed in 0..20 {
                    let other = &solved.weights + faer::Scale(0.01) * normal(d, k, seed);
                    assert!(
                        objective(&features, &labels, c, &other) >= solved.objective - solved.gap
                    );
                }
                // A cold start ends at the same objective.
                let cold = solve(&features, &labels, k, &[c], &fine()).remove(0);
                assert!((cold.objective - solved.objective).abs() <= 1e-8 * solved.objective);
            }
        }
    }

    #[test]
    fn large_costs_are_certified() {
        // Shapes of the Cleveland and the dermatology data, more features than examples, and an
        // unseen class.
        for (d, n, k, noise) in
            [(14, 303, 5, 0.6), (35, 366, 6, 0.3), (90, 60, 3, 0.3), (4, 50, 4, 1.0)]
        {
            let (features, mut labels) = classes(d, n, k, noise, 7);
            labels.iter_mut().for_each(|r| *r = (*r).min(k.max(4) - 2));
            let cs = [1e-2, 1e2, 1e5];
            for (solved, c) in
                solve(&features, &labels, k, &cs, &SolverOptions::default()).iter().zip(cs)
            {
                assert_eq!(
                    solved.stop,
                    SolverStop::Tolerance,
                    "{d} x {n}, {c}: {} of {}",
                    solved.gap,
                    solved.objective
                );
                let value = objective(&features, &labels, c, &solved.weights);
                assert!(
                    (value - solved.objective).abs() < 1e-9 * value,
                    "{value} {}",
                    solved.objective
                );
                assert!(solved.passes < 1000, "{d} x {n}, {c}: {} passes", solved.passes);
            }
            let fine = solve(&features, &labels, k, &[1e5], &fine()).remove(0);
            assert_eq!(
                fine.stop,
                SolverStop::Tolerance,
                "{d} x {n}: {} of {}",
                fine.gap,
                fine.objective
            );
            assert!(fine.gap <= 1e-8 * fine.objective);
        }
    }

    #[test]
    fn one_class_and_empty_examples_are_defined() {
        let solved = solve(&normal(3, 5, 3), &[0; 5], 1, &[1.0], &fine()).remove(0);
        assert_eq!((solved.objective, solved.gap, solved.support), (0.0, 0.0, 0));
        // Only one of three classes occurs.
        let solved = solve(&normal(3, 5, 3), &[1; 5], 3, &[1.0], &fine()).remove(0);
        assert_eq!(solved.stop, SolverStop::Tolerance);
        let solved = solve(&Mat::zeros(3, 4), &[0, 1, 2, 1], 3, &[2.0], &fine()).remove(0);
        assert_eq!((solved.objective, solved.gap, solved.stop), (8.0, 0.0, SolverStop::Tolerance));
    }

    #[test]
    fn threads_do_not_matter() {
        let (features, labels) = classes(9, 700, 3, 0.2, 4);
        let expected = solve(&features, &labels, 3, &[0.1], &SolverOptions::default()).remove(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let solved = pool
            .install(|| solve(&features, &labels, 3, &[0.1], &SolverOptions::default()))
            .remove(0);
        assert_eq!(solved.weights, expected.weights);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let (features, _) = signs(3, 4, 0.1, 5);
        let kind = |f: &Mat<f64>, labels: &[usize], k: usize, c: f64| {
            multiclass_path(f.as_ref(), labels, k, &[c], &fine(), &Silent).unwrap_err()
        };
        assert!(matches!(kind(&features, &[0; 3], 2, 1.0), Error::WrongLength { .. }));
        assert!(matches!(kind(&features, &[0, 1, 2, 0], 2, 1.0), Error::WrongTarget { .. }));
        assert!(matches!(kind(&features, &[0; 4], 0, 1.0), Error::WrongTarget { .. }));
        assert!(matches!(kind(&features, &[0; 4], 2, 0.0), Error::OutOfRange { .. }));
        let mut bad = features.clone();
        bad[(1, 2)] = f64::NAN;
        assert!(matches!(kind(&bad, &[0; 4], 2, 1.0), Error::NotFinite { row: 3, .. }));
    }

    #[test]
    fn any_system_that_memory_allows_is_used_however_long_its_steps_take() {
        // 1.1e11 multiplications a step: ascent goes on for as long as 30 of them take.
        let (n, width, classes) = (60_000, 200, 9);
        assert!(affordable(n, width, classes) && !affordable(n, 700, classes));
        let before = passes_before_interior(n, width, classes);
        assert!((1000..3000).contains(&before), "{before}");
        assert_eq!(passes_before_interior(3000, 50, 4), PASSES_BEFORE_INTERIOR);
    }
}
