//! Minimises the multi-class hinge loss of Crammer and Singer over features.
//!
//! **Setting**: (1/2) sum_r |w_r|^2 + C sum_i max_r (1[r != y_i] + z_ir - z_(i y_i)), z_ir = <w_r,
//! f_i> (Crammer and Singer, JMLR 2001). A single class has no loss, and w = 0.
//!
//! **Guarantee**: with w_r = sum_i a_ir f_i, sum_r a_ir = 0, a_ir <= C 1[r = y_i] and b_ir = 1[r !=
//! y_i] + z_ir, primal minus dual objective is sum_i sum_r (C 1[r = y_i] - a_ir) (max_s b_is -
//! b_ir), evaluated at recomputed w and z.
//!
//! **Method**: dual ascent, one example's block of variables at a time; a sort gives the exact best
//! block. Blocks that a visit does not change are left out for the rest of a round. If the gap is
//! not reached after 40 passes, as for large C, an interior-point method follows once, if its
//! systems of size D or n (the smaller) times the number of classes are affordable: 3,000 unknowns
//! with 3,000 examples, 200 with a million. Otherwise ascent continues, and may end with
//! `max_passes` before the gap is reached. The best w and the best a so far are kept separately.

mod interior;

use super::rotate::Rotation;
use super::{Features, LinearSolved, check_finite, increasing};
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::sampling::{Purpose, Stream};
use crate::stop::{FUTILE_ROUNDS, Stop};
use crate::vectors::{add_multiple, dot, square};
use crate::{Options, length, positive};
use faer::{Mat, MatRef};
use interior::Interior;
use rayon::prelude::*;

/// Largest number of passes per round.
const PASSES: u64 = 10;
/// Number of passes before the interior-point method, and its largest number of multiplications per
/// step.
const PASSES_BEFORE_INTERIOR: u64 = 40;
const INTERIOR_WORK: f64 = 2e10;

/// Returns true if the steps of the interior-point method are affordable.
fn affordable(n: usize, width: usize, classes: usize) -> bool {
    let (n, unknowns) = (n as f64, (n.min(width) * classes) as f64);
    unknowns * unknowns * (n / 2.0 + unknowns / 6.0) <= INTERIOR_WORK
}

/// Returns the bytes of an interior-point step of [`multiclass_path`] over n examples of `width`
/// features, 0 if steps are not affordable: the system, its blocks for pairs of classes, features
/// scaled for those in progress, and the rotated features.
#[must_use]
pub fn multiclass_step_bytes(n: usize, width: usize, classes: usize) -> f64 {
    if !affordable(n, width, classes) {
        return 0.0;
    }
    let pairs = classes * (classes + 1) / 2;
    let in_progress = pairs.min(rayon::current_num_threads()) as f64;
    let (n, least) = (n as f64, n.min(width) as f64);
    8.0 * least * (least * (classes * classes + pairs) as f64 + in_progress * n + least)
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
    options: &Options,
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
    options: &Options,
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
        search.duals.iter_mut().for_each(|a| *a *= factor);
        search.c = weights.iter().map(|weight| cs[i] * weight).collect();
        search.c.iter().try_for_each(|&cost| positive("cost", cost))?;
        search.project();
        solved[i] = Some(search.run(options, monitor)?);
        last = Some(cs[i]);
    }
    Ok(solved.into_iter().flatten().collect())
}

/// Dual point with its state.
struct Search<'a> {
    features: Features<'a>,
    labels: &'a [usize],
    classes: usize,
    squares: Vec<f64>,
    all: Vec<usize>,
    /// C, times the weight of each example.
    c: Vec<f64>,
    /// a, example by example.
    duals: Vec<f64>,
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
    fn new(features: Features<'a>, labels: &'a [usize], classes: usize) -> Search<'a> {
        let n = features.len();
        Search {
            features,
            labels,
            classes,
            squares: (0..n).map(|i| square(features.column(i))).collect(),
            all: (0..n).collect(),
            c: vec![0.0; n],
            duals: vec![0.0; n * classes],
            weights: Mat::zeros(features.width(), classes),
            passes: 0,
            failed: false,
        }
    }

    /// Clips rounding errors to the bounds: a_iy is minus the sum of the others.
    fn project(&mut self) {
        for ((block, &label), &c) in
            self.duals.chunks_exact_mut(self.classes).zip(self.labels).zip(&self.c)
        {
            block[label] = 0.0;
            block.iter_mut().for_each(|a| *a = a.min(0.0));
            let mut sum = -block.iter().sum::<f64>();
            if sum > c {
                block.iter_mut().for_each(|a| *a *= c / sum);
                sum = c;
            }
            block[label] = sum;
        }
    }

    /// Recomputes w and z, and objective and gap from them.
    fn certify(&mut self) -> Result<Certificate> {
        let classes = self.classes;
        let mut squares = 0.0;
        for r in 0..classes {
            let coefficients: Vec<f64> =
                self.duals.iter().skip(r).step_by(classes).copied().collect();
            let weights = self.weights.col_as_slice_mut(r);
            weights.fill(0.0);
            self.features.add_combined(&coefficients, &self.all, weights);
            squares += square(weights);
        }
        // Loss and gap of each example, summed in their order.
        let of_example = |(i, block): (usize, &[f64])| {
            let mut b = vec![0.0; classes];
            self.levels(i, &mut b);
            let most = b.iter().fold(f64::NEG_INFINITY, |m, &b| m.max(b));
            let (label, c) = (self.labels[i], self.c[i]);
            let bound = |r: usize| if r == label { c } else { 0.0 };
            let gap: f64 = (0..classes).map(|r| (bound(r) - block[r]) * (most - b[r])).sum();
            (c * (most - b[label]), gap)
        };
        let parts: Vec<(f64, f64)> =
            self.duals.par_chunks_exact(classes).enumerate().map(of_example).collect();
        let (loss, gap) = parts.iter().fold((0.0, 0.0), |(l, g), part| (l + part.0, g + part.1));
        let primal = squares / 2.0 + loss;
        check_finite("the multi-class hinge loss over features", primal, gap)?;
        Ok(Certificate { primal, gap: gap.max(0.0) })
    }

    /// Computes b_i.
    fn levels(&self, i: usize, b: &mut [f64]) {
        for (r, b) in b.iter_mut().enumerate() {
            let margin = if r == self.labels[i] { 0.0 } else { 1.0 };
            *b = margin + dot(self.weights.col_as_slice(r), self.features.column(i));
        }
    }

    fn run(&mut self, options: &Options, monitor: &dyn Monitor) -> Result<LinearSolved> {
        (self.passes, self.failed) = (0, false);
        let mut now = self.certify()?;
        // Best primal and best dual point so far, each with its objective.
        let (mut primal, mut weights) = (now.primal, self.weights.clone());
        let (mut dual, mut duals) = (now.primal - now.gap, self.duals.clone());
        let mut may_finish = affordable(self.all.len(), self.features.width(), self.classes);
        let (mut futile, mut least) = (0, f64::INFINITY);
        let stop = loop {
            let target = options.tol * primal;
            if primal - dual <= target {
                break Stop::Tolerance;
            }
            futile = if primal - dual < least { 0 } else { futile + 1 };
            least = least.min(primal - dual);
            let limit = self.passes >= options.max_passes;
            if limit || futile > FUTILE_ROUNDS {
                break Stop::short(self.failed, limit);
            }
            if monitor.should_stop() {
                break Stop::Interrupted;
            }
            let room = options.max_passes - self.passes;
            if may_finish && self.passes >= PASSES_BEFORE_INTERIOR {
                may_finish = false;
                let (found, value) = self.finish(options.tol, room, monitor)?;
                if value < primal {
                    (primal, weights) = (value, found);
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
                duals.copy_from_slice(&self.duals);
            }
        };
        self.duals = duals;
        let support = self
            .duals
            .chunks_exact(self.classes)
            .filter(|block| block.iter().any(|&a| a != 0.0))
            .count();
        let gap = (primal - dual).max(0.0);
        Ok(LinearSolved { weights, objective: primal, gap, passes: self.passes, support, stop })
    }

    /// Follows the central path; returns the v of the end point and its objective, and stores its w
    /// as duals.
    fn finish(&mut self, tol: f64, most: u64, monitor: &dyn Monitor) -> Result<(Mat<f64>, f64)> {
        let (n, classes) = (self.all.len(), self.classes);
        // Fewer examples than features: an equal problem in that number of features.
        let narrow = (n < self.features.width())
            .then(|| Rotation::new(self.features.matrix.as_dyn_stride().to_owned()));
        let rotated = narrow.as_ref().map(|r| r.rotated(false));
        let features = match &rotated {
            Some(rotated) => Features::new(rotated.as_ref())?,
            None => self.features,
        };
        let costs = self.c.clone();
        let mut path = Interior::new(features, self.labels, classes, &costs);
        let (steps, failed) = path.run(0.1 * tol, most, monitor);
        self.passes += steps;
        self.failed = failed;
        for ((i, block), &c) in self.duals.chunks_exact_mut(classes).enumerate().zip(&costs) {
            // Variables that a step on this example alone would bring to 0 are 0.
            let kept = |r: usize| {
                let w = path.w()[(i, r)];
                if w < 1e-3 * c && w * self.squares[i] < path.s()[(i, r)] { 0.0 } else { w }
            };
            let label = self.labels[i];
            let others: f64 = (0..classes).filter(|&r| r != label).map(kept).sum();
            let factor = if kept(label) == 0.0 && others > 0.0 { c / others } else { 1.0 };
            (0..classes).for_each(|r| block[r] = if r == label { 0.0 } else { -factor * kept(r) });
        }
        self.project();
        let weights = match &narrow {
            None => path.vectors,
            Some(rotation) => {
                let columns: Vec<Vec<f64>> =
                    (0..classes).map(|r| rotation.back(path.vectors.col_as_slice(r))).collect();
                Mat::from_fn(self.features.width(), classes, |k, r| columns[r][k])
            }
        };
        self.weights = weights.clone();
        let mut b = vec![0.0; classes];
        let mut loss = 0.0;
        for i in 0..n {
            self.levels(i, &mut b);
            loss += self.c[i]
                * (b.iter().fold(f64::NEG_INFINITY, |m, &b| m.max(b)) - b[self.labels[i]]);
        }
        let squares: f64 = (0..classes).map(|r| square(weights.col_as_slice(r))).sum();
        Ok((weights, squares / 2.0 + loss))
    }

    /// Makes passes over the examples until the gap seen on the way is at most `target`.
    fn ascend(&mut self, (target, most): (f64, u64), seed: u64, monitor: &dyn Monitor) {
        let classes = self.classes;
        let mut active = self.all.clone();
        let (mut b, mut sorted, mut next) =
            (vec![0.0; classes], vec![0.0; classes], vec![0.0; classes]);
        for _ in 0..most {
            if monitor.should_stop() {
                return;
            }
            let mut stream = Stream::new(seed, Purpose::Order, self.passes);
            for at in (1..active.len()).rev() {
                active.swap(at, stream.below(at + 1));
            }
            self.passes += 1;
            let mut gap = 0.0;
            active.retain(|&i| {
                for (r, b) in b.iter_mut().enumerate() {
                    let margin = if r == self.labels[i] { 0.0 } else { 1.0 };
                    *b = margin + dot(self.weights.col_as_slice(r), self.features.column(i));
                }
                let old = &mut self.duals[i * classes..(i + 1) * classes];
                let most = b.iter().fold(f64::NEG_INFINITY, |m, &b| m.max(b));
                let c = self.c[i];
                let bound = |r: usize| if r == self.labels[i] { c } else { 0.0 };
                gap += (0..classes).map(|r| (bound(r) - old[r]) * (most - b[r])).sum::<f64>();
                best_block(&b, old, self.squares[i], (self.labels[i], c), &mut sorted, &mut next);
                let mut changed = false;
                for r in 0..classes {
                    let moved = next[r] - old[r];
                    if moved != 0.0 {
                        changed = true;
                        old[r] = next[r];
                        add_multiple(
                            self.weights.col_as_slice_mut(r),
                            moved,
                            self.features.column(i),
                        );
                    }
                }
                changed
            });
            if gap <= target || active.is_empty() {
                break;
            }
        }
    }
}

/// Computes the best block of one example, all others fixed: min over b of (1/2) A |b - old|^2 +
/// levels'b with sum_r b_r = 0 and b_r <= C 1[r = y], A = |f|^2. The solution is b_r = min(C 1[r =
/// y], (nu - B_r) / A) with B = levels - A old; nu by a sort.
fn best_block(
    levels: &[f64],
    old: &[f64],
    square: f64,
    (label, c): (usize, f64),
    sorted: &mut [f64],
    next: &mut [f64],
) {
    if square == 0.0 {
        // The scores are 0 for any block; a class gains its margin.
        next.fill(0.0);
        if let Some(other) = (0..levels.len()).find(|&r| r != label) {
            (next[label], next[other]) = (c, -c);
        }
        return;
    }
    let bound = |r: usize| if r == label { c } else { 0.0 };
    for (r, next) in next.iter_mut().enumerate() {
        // If nu is above this, b_r is at its bound.
        *next = levels[r] + square * (bound(r) - old[r]);
    }
    sorted.copy_from_slice(next);
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    // The k classes of the highest B + A bound are below their bounds.
    let (mut sum, mut nu) = (-square * c, sorted[0]);
    for (k, top) in sorted.iter().enumerate() {
        if k > 0 && nu >= *top {
            break;
        }
        sum += top;
        nu = sum / (k + 1) as f64;
    }
    let mut total = 0.0;
    for (r, next) in next.iter_mut().enumerate() {
        let below = (nu - *next) / square;
        *next = bound(r) + below.min(0.0);
        if r != label {
            total += *next;
        }
    }
    // Exactly feasible despite rounding.
    next[label] = (-total).clamp(0.0, c);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{classes, farthest, normal, signs};
    use super::*;
    use crate::linear::hinge_path;
    use crate::monitor::Silent;

    fn fine() -> Options {
        Options { tol: 1e-8, ..Options::default() }
    }

    fn solve(
        f: &Mat<f64>,
        labels: &[usize],
        k: usize,
        cs: &[f64],
        options: &Options,
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
            let found = solve(&features, &labels, 2, &[c], &fine()).remove(0);
            let twin =
                hinge_path(features.as_ref(), &y, &[2.0 * c], &fine(), &Silent).unwrap().remove(0);
            assert!((found.objective - twin.objective / 2.0).abs() < 1e-7 * found.objective, "{c}");
            let half = Mat::from_fn(6, 2, |k, r| twin.weights[(k, 0)] * (r as f64 - 0.5));
            assert!(farthest(&found.weights, &half) < 1e-3);
        }
    }

    #[test]
    fn gaps_are_certified_and_no_point_is_below_the_bound() {
        for (d, n, k) in [(5, 60, 4), (20, 30, 3), (3, 40, 7), (4, 1, 3)] {
            let (features, labels) = classes(d, n, k, 0.3, 2);
            let cs = [1e-3, 1e-1, 1.0, 10.0];
            for (found, c) in solve(&features, &labels, k, &cs, &fine()).iter().zip(cs) {
                assert_eq!(found.stop, Stop::Tolerance);
                assert!(found.gap <= 1e-8 * found.objective && found.support <= n);
                let value = objective(&features, &labels, c, &found.weights);
                assert!((value - found.objective).abs() < 1e-10 * value);
                for seed in 0..20 {
                    let other = &found.weights + faer::Scale(0.01) * normal(d, k, seed);
                    assert!(
                        objective(&features, &labels, c, &other) >= found.objective - found.gap
                    );
                }
                // A cold start ends at the same objective.
                let cold = solve(&features, &labels, k, &[c], &fine()).remove(0);
                assert!((cold.objective - found.objective).abs() <= 1e-8 * found.objective);
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
            for (found, c) in solve(&features, &labels, k, &cs, &Options::default()).iter().zip(cs)
            {
                assert_eq!(
                    found.stop,
                    Stop::Tolerance,
                    "{d} x {n}, {c}: {} of {}",
                    found.gap,
                    found.objective
                );
                let value = objective(&features, &labels, c, &found.weights);
                assert!(
                    (value - found.objective).abs() < 1e-9 * value,
                    "{value} {}",
                    found.objective
                );
                assert!(found.passes < 1000, "{d} x {n}, {c}: {} passes", found.passes);
            }
            let fine = solve(&features, &labels, k, &[1e5], &fine()).remove(0);
            assert_eq!(fine.stop, Stop::Tolerance, "{d} x {n}: {} of {}", fine.gap, fine.objective);
            assert!(fine.gap <= 1e-8 * fine.objective);
        }
    }

    #[test]
    fn blocks_are_best_among_all() {
        for seed in 0..50 {
            let numbers = normal(4, 3, seed);
            let (levels, label, c, a) =
                (numbers.col_as_slice(0), seed as usize % 4, 0.8, 0.1 + numbers[(0, 2)].abs());
            let mut old: Vec<f64> = (0..4)
                .map(|r| if r == label { 0.0 } else { -0.2 * numbers[(r, 1)].abs() })
                .collect();
            old[label] = -old.iter().sum::<f64>();
            let (mut sorted, mut next) = (vec![0.0; 4], vec![0.0; 4]);
            best_block(levels, &old, a, (label, c), &mut sorted, &mut next);
            assert!(next.iter().sum::<f64>().abs() < 1e-14);
            assert!((0..4).all(|r| next[r] <= if r == label { c } else { 0.0 }));
            let value = |b: &[f64]| {
                (0..4).map(|r| a / 2.0 * (b[r] - old[r]).powi(2) + levels[r] * b[r]).sum::<f64>()
            };
            // Every feasible exchange between two classes is worse.
            for (r, s) in (0..4).flat_map(|r| (0..4).map(move |s| (r, s))).filter(|(r, s)| r != s) {
                let mut other = next.clone();
                other[r] += 1e-4;
                other[s] -= 1e-4;
                if other[r] <= if r == label { c } else { 0.0 } {
                    assert!(value(&other) >= value(&next) - 1e-12, "{seed}");
                }
            }
        }
    }

    #[test]
    fn one_class_and_empty_examples_are_defined() {
        let found = solve(&normal(3, 5, 3), &[0; 5], 1, &[1.0], &fine()).remove(0);
        assert_eq!((found.objective, found.gap, found.support), (0.0, 0.0, 0));
        // Only one of three classes occurs.
        let found = solve(&normal(3, 5, 3), &[1; 5], 3, &[1.0], &fine()).remove(0);
        assert_eq!(found.stop, Stop::Tolerance);
        let found = solve(&Mat::zeros(3, 4), &[0, 1, 2, 1], 3, &[2.0], &fine()).remove(0);
        assert_eq!((found.objective, found.gap, found.stop), (8.0, 0.0, Stop::Tolerance));
    }

    #[test]
    fn threads_do_not_matter() {
        let (features, labels) = classes(9, 700, 3, 0.2, 4);
        let expected = solve(&features, &labels, 3, &[0.1], &Options::default()).remove(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let found =
            pool.install(|| solve(&features, &labels, 3, &[0.1], &Options::default())).remove(0);
        assert_eq!(found.weights, expected.weights);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let (features, _) = signs(3, 4, 0.1, 5);
        let kind = |f: &Mat<f64>, labels: &[usize], k: usize, c: f64| {
            let found = multiclass_path(f.as_ref(), labels, k, &[c], &fine(), &Silent);
            found.unwrap_err().clone()
        };
        assert!(matches!(kind(&features, &[0; 3], 2, 1.0), Error::WrongLength { .. }));
        assert!(matches!(kind(&features, &[0, 1, 2, 0], 2, 1.0), Error::WrongTarget { .. }));
        assert!(matches!(kind(&features, &[0; 4], 0, 1.0), Error::WrongTarget { .. }));
        assert!(matches!(kind(&features, &[0; 4], 2, 0.0), Error::OutOfRange { .. }));
        let mut bad = features.clone();
        bad[(1, 2)] = f64::NAN;
        assert!(matches!(kind(&bad, &[0; 4], 2, 1.0), Error::NotFinite { row: 3, .. }));
    }
}
