//! Refines a joint covariance beyond its factors by over-relaxed, unrestricted steps of expectation
//! maximisation.
//!
//! With T_i the block of example i's reads and a_i = T_i^-1 (x_i - mean), the step S + S A S / m
//! with A = sum_i P_i'(a_i a_i' - T_i^-1) P_i is one step of expectation maximisation of the
//! Gaussian likelihood (the sum over examples of the expected second moments in closed form); omega
//! times it is over-relaxed. A step is taken if S stays positive definite and the likelihood does
//! not fall; else omega is cut. The number of steps from the factor model to the maximum of the
//! likelihood sets the balance between structure and flexibility.
//!
//! An unknown target is no row of T_i. Where there are such, that step would move the target's
//! column by the share of the known targets only. Instead the attributes alone of such examples are
//! completed: S_xx becomes the mean of the expected second moments of all examples; the regression b
//! of the target on the attributes, and its residual variance, are those of the examples with a
//! target; S_xy is S_xx b. This too is expectation maximisation, with less to complete.
//!
//! A noise floor is kept on the attributes' diagonal. A step takes O(m k^3 + d^3), O(m (d - k)^3 + m d^2 +
//! d^3) where examples lack little, and O(p k^3 + m k^2 + d^3) where p sets of attributes are shown again
//! and again; and O(d^2) memory.
//!
//! Source: A. Dempster, N. Laird and D. Rubin, "Maximum likelihood from incomplete data via the EM
//! algorithm", 1977; over-relaxation as in R. Salakhutdinov and S. Roweis, "Adaptive overrelaxed
//! bound optimization methods", ICML 2003.

use super::alike::{Block, List};
use super::batched_cholesky::Blocks;
use super::covariance::Covariance;
use super::factor::Factor;
use super::folds::WeightedSubset;
use super::precision::{Precision, sandwich};
use super::score::{Evaluate, LackingSums};
use super::simd4::wide;
use super::small_cholesky::dot;
use super::standard::Rows;
use faer::{Accum, Mat, Par, prelude::*};
use halfseen_solve::cholesky::{factor_in_place, solve_in_place};
use halfseen_solve::{Monitor, Watch, mirror, multiply};

/// Noise floor of every attribute, in standard units.
const FLOOR: f64 = 1e-4;
/// Growth of the relaxation after an accepted step, and cut after a rejected one.
const GROWTH: f64 = 1.7;
const CUT: f64 = 3.0;
/// Initial steps of the means alone.
const STEPS_OF_MEANS: usize = 15;
/// Log likelihood per example below which a step's gain does not count.
const LEAST_GAIN: f64 = 2e-5;
/// Added to the attributes' second moments where the target is regressed on them: against rounding.
const STEADY: f64 = 1e-7;

/// A covariance of d places and the target, without the noise floor on the places' diagonal; and
/// corrections of the means.
#[derive(Debug, Clone)]
pub(crate) struct Dense {
    matrix: Mat<f64>,
    means: Vec<f64>,
}

pub(crate) struct Refinement<'a> {
    rows: &'a Rows,
    list: List<'a>,
    pub(crate) now: Dense,
    /// Its score: A, and that of the means.
    score: Mat<f64>,
    of_means: Vec<f64>,
    likelihood: f64,
    /// Last steps in a row that gained too little for a held-out example to show.
    pub(crate) idle: u32,
    omega: f64,
    /// d over the mean number of reads per example: bound on the relaxation of the means.
    most: f64,
    count: f64,
    blocks: Blocks<'a>,
    block: Block,
    lacking: LackingSums,
    /// Sum of a_i a_i' over examples that are alike, its lower triangle.
    squares: Mat<f64>,
    monitor: &'a dyn Monitor,
    /// The trial covariance, and its score.
    next: Dense,
    next_score: Mat<f64>,
    next_of_means: Vec<f64>,
    /// S A S / m, its lower triangle.
    change: Mat<f64>,
    /// S A, then a factor.
    spare: Mat<f64>,
    /// Set if some targets are unknown; then the scores above are of the others alone.
    partly: Option<Partly>,
}

/// Scores and moments for steps where some targets are unknown.
struct Partly {
    /// Weight of the examples with a target.
    told: f64,
    /// A of all examples, now and of the trial covariance.
    score: Mat<f64>,
    next_score: Mat<f64>,
    /// S + S A S / m of the examples with a target, its lower triangle.
    moments: Mat<f64>,
}

impl Dense {
    /// Makes the covariance of a factor model.
    pub(crate) fn of(factor: &Factor) -> Dense {
        let d = factor.noise.len();
        let loadings = Mat::from_fn(d + 1, factor.rank, |j, p| {
            if j < d { factor.loadings[j * factor.rank + p] } else { factor.target[p] }
        });
        let mut matrix = Mat::zeros(d + 1, d + 1);
        multiply(matrix.as_mut(), loadings.as_ref(), loadings.transpose());
        (0..d).for_each(|j| matrix[(j, j)] += factor.noise[j] - FLOOR);
        matrix[(d, d)] += factor.target_noise;
        let means = factor.means.iter().copied().chain([factor.target_mean]).collect();
        Dense { matrix, means }
    }

    pub(crate) fn len(&self) -> usize {
        self.means.len() - 1
    }

    /// Returns the covariances of the places with the target.
    pub(crate) fn with_target(&self) -> &[f64] {
        &self.matrix.col_as_slice(self.len())[..self.len()]
    }

    /// Returns (S_xx + ridge I)^-1 b with the noise floor, as in the blocks; `None` if that matrix
    /// is not positive definite.
    pub(crate) fn solve(&self, ridge: f64, b: &[f64]) -> Option<Vec<f64>> {
        let d = self.len();
        let mut factor = self.matrix.submatrix(0, 0, d, d).to_owned();
        (0..d).for_each(|j| factor[(j, j)] += FLOOR + ridge);
        if factor_in_place(factor.as_mut(), Par::Seq).is_err() {
            return None;
        }
        let mut found = Mat::from_fn(d, 1, |i, _| b[i]);
        solve_in_place(factor.as_ref(), found.as_mut());
        let found = found.col_as_slice(0).to_vec();
        found.iter().all(|v| v.is_finite()).then_some(found)
    }

    /// Returns true if it is positive definite with half of the noise floor added everywhere.
    /// Overwrites `room`.
    fn is_definite(&self, room: &mut Mat<f64>) -> bool {
        room.copy_from(&self.matrix);
        (0..=self.len()).for_each(|j| room[(j, j)] += 0.5 * FLOOR);
        factor_in_place(room.as_mut(), Par::Seq).is_ok()
    }
}

impl Covariance for Dense {
    #[inline]
    fn block(&self, places: &[u32], out: &mut [f64]) {
        let n = places.len() + 1;
        let d = self.len();
        for (a, &j) in places.iter().enumerate() {
            let column = self.matrix.col_as_slice(j as usize);
            for (c, &l) in places.iter().enumerate() {
                out[a * n + c] = column[l as usize];
            }
            out[a * n + a] += FLOOR;
            (out[a * n + n - 1], out[(n - 1) * n + a]) = (column[d], column[d]);
        }
        out[n * n - 1] = self.matrix[(d, d)];
    }

    #[inline]
    fn mean(&self, place: usize) -> f64 {
        self.means[place]
    }

    #[inline]
    fn target_mean(&self) -> f64 {
        self.means[self.len()]
    }

    #[inline]
    fn of_target(&self, place: usize) -> f64 {
        self.matrix[(place, self.len())]
    }

    #[inline]
    fn target_variance(&self) -> f64 {
        self.matrix[(self.len(), self.len())]
    }

    fn invertible(&self) -> Option<usize> {
        Some(self.len())
    }

    /// Takes O(d^3).
    fn precision(&self, ridge: f64, watch: &mut Watch<'_>) -> Option<Precision> {
        let mut whole = self.matrix.clone();
        (0..self.len()).for_each(|j| whole[(j, j)] += FLOOR + ridge);
        Precision::of(whole, watch)
    }

    /// Takes O(d^2).
    fn times(&self, v: &[f64]) -> Vec<f64> {
        let d = self.len();
        (0..d).map(|j| dot(&self.matrix.col_as_slice(j)[..d], v) + FLOOR * v[j]).collect()
    }
}

/// Returns the regression of the target on the places with its residual variance, from the lower
/// triangle of their second moments; `None` if those are not positive definite. Overwrites `room`.
fn regression(moments: &Mat<f64>, room: &mut Mat<f64>) -> Option<(Vec<f64>, f64)> {
    let d = moments.ncols() - 1;
    room.copy_from(moments);
    let mut factor = room.submatrix_mut(0, 0, d, d);
    (0..d).for_each(|j| factor[(j, j)] += STEADY);
    factor_in_place(factor.rb_mut(), Par::Seq).ok()?;
    let with_target = Mat::from_fn(d, 1, |j, _| moments[(d, j)]);
    let mut b = with_target.clone();
    solve_in_place(factor.rb(), b.as_mut());
    let b = b.col_as_slice(0).to_vec();
    // The variance of y - <b, s>; as (C + steady) b = c, b'C b is b'c less steady b'b.
    let residual = moments[(d, d)] - dot(&b, with_target.col_as_slice(0)) - STEADY * dot(&b, &b);
    let sound = residual.is_finite() && b.iter().all(|b| b.is_finite());
    sound.then_some((b, residual.max(0.0)))
}

/// Replaces the target's row of a change, whose other rows hold S_xx' - S_xx, by that which makes
/// b the regression of the target with this residual variance.
fn regress(now: &Mat<f64>, b: &[f64], residual: f64, change: &mut Mat<f64>) {
    let d = b.len();
    let mut with_target = vec![0.0; d];
    for (j, b_j) in b.iter().enumerate() {
        let (now, change) = (now.col_as_slice(j), change.col_as_slice(j));
        with_target[j] += (now[j] + change[j]) * b_j;
        for i in j + 1..d {
            let s = now[i] + change[i];
            with_target[i] += s * b_j;
            with_target[j] += s * b[i];
        }
    }
    (0..d).for_each(|j| change[(d, j)] = with_target[j] - now[(d, j)]);
    change[(d, d)] = residual + dot(b, &with_target) - now[(d, d)];
}

impl<'a> Refinement<'a> {
    /// Starts at a factor model, with the most likely means under it. `None` if no target is known,
    /// if the likelihood is not finite, or if the monitor asked to stop, which ends every later
    /// step too.
    pub(crate) fn start(
        rows: &'a Rows,
        chosen: impl Into<WeightedSubset<'a>>,
        factor: &Factor,
        monitor: &'a dyn Monitor,
    ) -> Option<Refinement<'a>> {
        let chosen = chosen.into();
        let now = Dense::of(factor);
        let d = now.len();
        let reads: f64 = chosen
            .of(rows)
            .map(|counted| counted.weight * rows.example(counted.example).0.len() as f64)
            .sum();
        let count = chosen.of(rows).map(|counted| counted.weight).sum::<f64>();
        let told = chosen.with_target(rows).map(|counted| counted.weight).sum::<f64>();
        let empty = || Mat::zeros(d + 1, d + 1);
        if told <= 0.0 {
            return None;
        }
        let partly = (told < count).then(|| Partly {
            told,
            score: empty(),
            next_score: empty(),
            moments: empty(),
        });
        let mut refinement = Refinement {
            rows,
            list: List::of(rows, chosen.of(rows)).completed(Some(d)),
            score: empty(),
            of_means: vec![0.0; d + 1],
            likelihood: f64::NEG_INFINITY,
            idle: 0,
            omega: 1.0,
            most: (d as f64 * count / reads.max(1.0)).max(1.0),
            count,
            blocks: Blocks::new(rows.most(), monitor),
            block: Block::new(),
            lacking: LackingSums::new(),
            squares: empty(),
            monitor,
            next: now.clone(),
            next_score: empty(),
            next_of_means: vec![0.0; d + 1],
            change: empty(),
            spare: empty(),
            partly,
            now,
        };
        refinement.settle_means()?;
        Some(refinement)
    }

    /// Approximates the most likely means under the covariance; then computes the score there.
    fn settle_means(&mut self) -> Option<()> {
        self.likelihood = self.evaluate_next(false)?;
        std::mem::swap(&mut self.of_means, &mut self.next_of_means);
        let mut omega = self.most;
        for _ in 0..STEPS_OF_MEANS {
            self.move_means(omega.min(self.most));
            match self.evaluate_next(false) {
                None if self.blocks.watch.stopped() => return None,
                Some(likelihood) if likelihood >= self.likelihood => {
                    let gained = likelihood - self.likelihood;
                    self.likelihood = likelihood;
                    std::mem::swap(&mut self.now.means, &mut self.next.means);
                    std::mem::swap(&mut self.of_means, &mut self.next_of_means);
                    omega *= GROWTH;
                    if gained < 1e-7 * self.count {
                        break;
                    }
                }
                _ => omega /= CUT,
            }
        }
        self.next.means.copy_from_slice(&self.now.means);
        self.likelihood = self.evaluate_next(true)?;
        self.keep_score();
        Some(())
    }

    /// Sets next means = means + omega S s / m.
    fn move_means(&mut self, omega: f64) {
        for j in 0..self.now.means.len() {
            let moved = dot(self.now.matrix.col_as_slice(j), &self.of_means);
            self.next.means[j] = self.now.means[j] + omega * moved / self.count;
        }
    }

    /// Returns the log-likelihood of the trial covariance and keeps its score, that of the
    /// covariance only if `whole`.
    fn evaluate_next(&mut self, whole: bool) -> Option<f64> {
        wide(Evaluate {
            of: &self.next,
            rows: self.rows,
            list: &self.list,
            blocks: &mut self.blocks,
            block: &mut self.block,
            lacking: &mut self.lacking,
            squares: &mut self.squares,
            of_means: &mut self.next_of_means,
            score: whole.then_some(&mut self.next_score),
            of_all: self.partly.as_mut().filter(|_| whole).map(|partly| &mut partly.next_score),
            spare: &mut self.spare,
            monitor: self.monitor,
        })
    }

    fn keep_score(&mut self) {
        std::mem::swap(&mut self.score, &mut self.next_score);
        std::mem::swap(&mut self.of_means, &mut self.next_of_means);
        if let Some(partly) = &mut self.partly {
            std::mem::swap(&mut partly.score, &mut partly.next_score);
        }
    }

    /// Computes the change; returns false if the monitor asked to stop.
    fn propose(&mut self) -> bool {
        let (now, half, monitor) = (&self.now.matrix, &mut self.spare, self.monitor);
        let Some(partly) = &mut self.partly else {
            let of = (now, &self.score);
            let times = 1.0 / self.count;
            return sandwich(of, half, &mut self.change, Accum::Replace, times, monitor);
        };
        let Partly { told, score, moments, .. } = partly;
        let (own, all, to) = (1.0 / *told, 1.0 / self.count, Accum::Replace);
        if !(sandwich((now, &self.score), half, moments, to, own, monitor)
            && sandwich((now, &*score), half, &mut self.change, to, all, monitor))
        {
            return false;
        }
        for j in 0..now.ncols() {
            let to = moments.col_as_slice_mut(j)[j..].iter_mut();
            to.zip(&now.col_as_slice(j)[j..]).for_each(|(to, s)| *to += s);
        }
        if let Some((b, residual)) = regression(moments, half) {
            regress(now, &b, residual, &mut self.change);
        }
        true
    }

    /// Takes one step; returns false if none is possible.
    pub(crate) fn step(&mut self) -> bool {
        let d = self.now.len();
        if !self.propose() {
            return false;
        }
        loop {
            for j in 0..=d {
                let (now, change) =
                    (&self.now.matrix.col_as_slice(j)[j..], &self.change.col_as_slice(j)[j..]);
                let next = &mut self.next.matrix.col_as_slice_mut(j)[j..];
                for ((next, now), change) in next.iter_mut().zip(now).zip(change) {
                    *next = now + self.omega * change;
                }
            }
            let definite = self.next.is_definite(&mut self.spare);
            if definite {
                mirror(&mut self.next.matrix, 1.0);
                self.move_means(self.omega.min(self.most));
            }
            let likelihood = if definite { self.evaluate_next(true) } else { None };
            match likelihood {
                Some(likelihood) if likelihood >= self.likelihood => {
                    std::mem::swap(&mut self.now, &mut self.next);
                    self.keep_score();
                    let idle = likelihood - self.likelihood < LEAST_GAIN * self.count;
                    self.idle = if idle { self.idle + 1 } else { 0 };
                    self.likelihood = likelihood;
                    self.omega *= GROWTH;
                    return true;
                }
                _ if self.omega <= 1.0 || self.blocks.watch.stopped() => return false,
                _ => self.omega = (self.omega / CUT).max(1.0),
            }
        }
    }
}

#[cfg(test)]
#[path = "dense_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "wide_tests.rs"]
mod wide_tests;
