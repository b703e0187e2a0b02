//! Learns from single reads how each attribute is shown to the linear model: within bounds, and
//! with one curve beside it.
//!
//! One read of an attribute shows all functions of it, and reads of single attributes are many
//! where pairs are few. So beside an attribute there is at most one curve, the direction in a space
//! of piecewise linear functions along which the target bends, given the line:
//!
//! 1. Values beyond bounds count as the bounds: the quantiles .005 and .995 of the attribute's reads,
//!    or 2.5 times the distance of the quantiles .05 and .95 from the median, whichever is further,
//!    but hardly beyond the reads where these are many.
//! 2. Hat functions on up to six knots (quantiles; if more than a fifth of the reads are one value,
//!    that value and quantiles of the others; all values if at most five) without their projection
//!    on 1 and the attribute, made orthonormal over the reads; nearly constant directions are left
//!    out.
//! 3. With theta the mean of the target's residual times these functions, the curve is their
//!    combination theta / |theta|: of variance 1, uncorrelated with the attribute. The James-Stein
//!    factor c = 1 - r s^2 / (n |theta|^2) is the share of it that is no chance; without enough of
//!    it there is no curve.
//!
//! Where the model is compared by folds, the curves of a fold are learned without it.
//!
//! Source of the shrinkage: W. James and C. Stein, "Estimation with quadratic loss", 1961.

use super::reads::Reads;
use faer::{Mat, Side};
use halfseen_core::data::{FEWEST_KNOTS, KNOTS, knots as knots_of};
use halfseen_core::model::interpolate;

/// Shares of the reads beyond the outer quantiles of each side, and beyond the inner ones.
const OUTER: f64 = 0.005;
const INNER: f64 = 0.05;
/// Distance from the median, in units of that of the inner quantile, within which values count
/// beyond the outer one: among normal reads nearly all do, so that differences of nearly equal
/// attributes stay.
const REACH: f64 = 2.5;
/// Values count beyond n reads by at most this over n of their range.
const BEYOND: f64 = 5.0;
/// Fewest reads with a target for a curve.
const FEWEST_READS: f64 = 20.0;
/// Least variance of an attribute over the reads of a part, in units of its range.
const LEAST_VARIANCE: f64 = 1e-10;
/// Shares at the knots: of all reads, and of those that are not the most frequent value.
const SHARES: [&[f64]; 2] = [&[OUTER, 0.2, 0.4, 0.6, 0.8, 1.0 - OUTER], &[0.05, 0.35, 0.65, 0.95]];
/// Least standard deviation of a direction, in units of hats of height 1.
const FLAT: f64 = 0.03;
/// Least James-Stein factor.
const LEAST_FACTOR: f64 = 0.7;
/// Largest height of a curve, in its standard deviations.
const HIGHEST: f64 = 6.0;

/// Curve of one slot, of mean 0 and variance 1 over the reads that it was learned from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SlotCurve {
    pub(crate) slot: u32,
    pub(crate) knots: Vec<f64>,
    pub(crate) heights: Vec<f64>,
    /// James-Stein factor.
    pub(crate) factor: f64,
}

/// Reads by slots, increasing in value.
pub(crate) struct BySlot {
    /// Slot j has the reads `starts[j]..starts[j + 1]`.
    starts: Vec<usize>,
    /// Values, and the examples that gave them.
    reads: Vec<(f64, u32)>,
}

impl BySlot {
    pub(crate) fn of(reads: &Reads, slots: usize) -> BySlot {
        let mut starts = vec![0; slots + 1];
        reads.iter().for_each(|(slot, _)| starts[slot as usize + 1] += 1);
        for j in 0..slots {
            starts[j + 1] += starts[j];
        }
        let (mut next, mut sorted) = (starts.clone(), vec![(0.0, 0); reads.cells()]);
        for i in 0..reads.len() {
            let (slots, values) = reads.example(i);
            for (&slot, &value) in slots.iter().zip(values) {
                let at = &mut next[slot as usize];
                sorted[*at] = (value, i as u32);
                *at += 1;
            }
        }
        for j in 0..slots {
            sorted[starts[j]..starts[j + 1]].sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        }
        BySlot { starts, reads: sorted }
    }

    fn slot(&self, slot: usize) -> &[(f64, u32)] {
        &self.reads[self.starts[slot]..self.starts[slot + 1]]
    }

    /// Returns the least and the largest value that counts, of each slot: the outer quantiles of its
    /// reads, or what the inner ones reach if that is further and hardly beyond the reads; the outer
    /// reads where the outer quantiles are equal or there are only two values; 0 and 0 for slots that
    /// were never read.
    pub(crate) fn bounds(&self) -> Vec<[f64; 2]> {
        let of = |slot: usize| {
            let reads = self.slot(slot);
            let (Some(first), Some(last)) = (reads.first(), reads.last()) else {
                return [0.0; 2];
            };
            let (low, high) = (quantile(reads, OUTER), quantile(reads, 1.0 - OUTER));
            let two = reads.iter().all(|(x, _)| *x == first.0 || *x == last.0);
            if two || low == high {
                return [first.0, last.0];
            }
            let median = quantile(reads, 0.5);
            let reach = |share| median + REACH * (quantile(reads, share) - median);
            let beyond = (last.0 - first.0) * BEYOND / reads.len() as f64;
            [
                low.min(reach(INNER).max(first.0 - beyond)),
                high.max(reach(1.0 - INNER).min(last.0 + beyond)),
            ]
        };
        (0..self.starts.len() - 1).map(of).collect()
    }
}

/// Returns the quantile of sorted reads, between two of them if it falls there.
fn quantile(sorted: &[(f64, u32)], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, part) = (at.floor(), at.fract());
    let left = sorted[below as usize].0;
    let right = sorted[(below as usize + 1).min(sorted.len() - 1)].0;
    if part == 0.0 { left } else { left * (1.0 - part) + right * part }
}

/// Returns the knots of sorted reads within bounds, increasing.
fn knots(sorted: &[(f64, u32)], [low, high]: [f64; 2]) -> Vec<f64> {
    let mut values: Vec<(f64, f64)> = Vec::new();
    for run in sorted.chunk_by(|a, b| a.0.clamp(low, high) == b.0.clamp(low, high)) {
        values.push((run[0].0.clamp(low, high), run.len() as f64));
    }
    knots_of(&values, SHARES, |without, shares| {
        let others = |read: &&(f64, u32)| Some(read.0.clamp(low, high)) != without;
        let others: Vec<(f64, u32)> = sorted.iter().filter(others).copied().collect();
        shares.iter().map(|&share| quantile(&others, share).clamp(low, high)).collect()
    })
}

/// Sums of the reads of one slot: of products of hats, the attribute, the target, and 1.
#[derive(Debug, Clone, Copy)]
struct Sums([[f64; KNOTS + 3]; KNOTS + 3]);

/// Places of the attribute, the target, and 1 behind the hats.
const LINE: usize = KNOTS;
const TARGET: usize = KNOTS + 1;
const ONE: usize = KNOTS + 2;

impl Sums {
    const ZERO: Sums = Sums([[0.0; KNOTS + 3]; KNOTS + 3]);

    /// Adds a read with the heights of two hats, the `first` and the next.
    fn add(&mut self, first: usize, heights: [f64; 2], line: f64, target: f64) {
        let cells = [(first, heights[0]), (first + 1, heights[1])];
        let cells = cells.into_iter().filter(|cell| cell.1 != 0.0);
        let cells = cells.chain([(LINE, line), (TARGET, target), (ONE, 1.0)]);
        for (a, x) in cells.clone() {
            for (b, y) in cells.clone().filter(|(b, _)| *b >= a) {
                self.0[a][b] += x * y;
            }
        }
    }

    fn add_all(&mut self, other: &Sums) {
        for (row, others) in self.0.iter_mut().zip(&other.0) {
            row.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
        }
    }

    /// Returns the covariance of two places, the first not behind the second.
    fn covariance(&self, a: usize, b: usize) -> f64 {
        let n = self.0[ONE][ONE];
        self.0[a][b] / n - self.0[a][ONE] / n * (self.0[b][ONE] / n)
    }

    /// Returns the curve over this number of hats; `None` without one.
    fn curve(&self, hats: usize) -> Option<Direction> {
        let n = self.0[ONE][ONE];
        let of_line = self.covariance(LINE, LINE);
        if !(n >= FEWEST_READS && of_line > LEAST_VARIANCE) {
            return None;
        }
        let slopes: Vec<f64> = (0..hats).map(|a| self.covariance(a, LINE) / of_line).collect();
        let slope_of_target = self.covariance(LINE, TARGET) / of_line;
        // Covariances without what the attribute explains.
        let between = Mat::from_fn(hats, hats, |a, b| {
            self.covariance(a.min(b), a.max(b)) - slopes[a] * slopes[b] * of_line
        });
        let with_target =
            |a: usize| self.covariance(a, TARGET) - slopes[a] * self.covariance(LINE, TARGET);
        let parts = between.self_adjoint_eigen(Side::Lower).ok()?;
        let (values, vectors) = (parts.S(), parts.U());
        let (mut heights, mut square, mut directions) = (vec![0.0; hats], 0.0, 0.0);
        for (at, value) in (0..hats).map(|at| (at, values[at])).filter(|(_, v)| *v > FLAT * FLAT) {
            let along: f64 = (0..hats).map(|a| vectors[(a, at)] * with_target(a)).sum();
            (0..hats).for_each(|a| heights[a] += vectors[(a, at)] * along / value);
            square += along * along / value;
            directions += 1.0;
        }
        let explained = slope_of_target * self.covariance(LINE, TARGET) + square;
        let left = n - 2.0 - directions;
        if !(square > 0.0 && left > 0.0) {
            return None;
        }
        let residual = (self.covariance(TARGET, TARGET) - explained).max(0.0) * (n / left);
        let factor = 1.0 - directions * residual / (n * square);
        if factor <= LEAST_FACTOR {
            return None;
        }
        heights.iter_mut().for_each(|height| *height /= square.sqrt());
        let sum = |of: &dyn Fn(usize) -> f64| (0..hats).map(|a| heights[a] * of(a)).sum::<f64>();
        let slope = sum(&|a| slopes[a]);
        let level = sum(&|a| self.0[a][ONE] / n) - slope * self.0[LINE][ONE] / n;
        Some(Direction { heights, slope, level, factor })
    }
}

/// A curve as a sum of hats, less its mean and its line.
struct Direction {
    heights: Vec<f64>,
    slope: f64,
    level: f64,
    factor: f64,
}

/// Returns the curves of each part of the examples: without each fold, and of all. Targets are in
/// standard units, NaN where unknown; `fold` is that of an example.
pub(crate) fn curves(
    reads: &BySlot,
    bounds: &[[f64; 2]],
    targets: &[f64],
    fold: impl Fn(usize) -> usize,
    folds: usize,
) -> Vec<Vec<SlotCurve>> {
    let mut found = vec![Vec::new(); folds + 1];
    for (slot, &within) in bounds.iter().enumerate() {
        let sorted = reads.slot(slot);
        if (sorted.len() as f64) < FEWEST_READS {
            continue;
        }
        let knots = knots(sorted, within);
        if knots.len() < FEWEST_KNOTS {
            continue;
        }
        // The attribute itself, between 0 and 1.
        let [low, high] = within;
        let line = |x: f64| (x - low) / (high - low);
        let mut by_fold = vec![Sums::ZERO; folds];
        let mut next = 0;
        for &(value, example) in sorted {
            let (x, y) = (value.clamp(low, high), targets[example as usize]);
            if y.is_nan() {
                continue;
            }
            while next < knots.len() && knots[next] <= x {
                next += 1;
            }
            let (first, heights) = match next {
                0 => (0, [1.0, 0.0]),
                _ if next == knots.len() => (next - 2, [0.0, 1.0]),
                _ => {
                    let part = (x - knots[next - 1]) / (knots[next] - knots[next - 1]);
                    (next - 1, [1.0 - part, part])
                }
            };
            by_fold[fold(example as usize)].add(first, heights, line(x), y);
        }
        for (part, found) in found.iter_mut().enumerate() {
            let mut sums = Sums::ZERO;
            let others = by_fold.iter().enumerate().filter(|(fold, _)| *fold != part);
            others.for_each(|(_, fold)| sums.add_all(fold));
            found.extend(sums.curve(knots.len()).map(|curve| {
                let mut ends: Vec<f64> = knots.iter().copied().chain([low, high]).collect();
                ends.sort_unstable_by(f64::total_cmp);
                ends.dedup();
                let height = |x: &f64| {
                    let bent = interpolate(&knots, &curve.heights, *x);
                    (bent - curve.level - curve.slope * line(*x)).clamp(-HIGHEST, HIGHEST)
                };
                let heights = ends.iter().map(height).collect();
                SlotCurve { slot: slot as u32, heights, knots: ends, factor: curve.factor }
            }));
        }
    }
    found
}

#[cfg(test)]
#[path = "basis_tests.rs"]
mod tests;
