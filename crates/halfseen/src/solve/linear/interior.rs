//! Solves box-constrained dual problems of low rank by a primal-dual interior-point method.
//!
//! **Setting**: max over 0 <= a <= c of s'a - (1/2) |w_0 + G a|^2 with G = F diag(y), (D, m). With u = G'(w_0 + G a) - s the
//! conditions are u = l - h, l a = 0, h (c - a) = 0, l, h >= 0. Iterates keep 0 < a < c and u = l - h, so that
//! sum_i l_i a_i + h_i (c_i - a_i) bounds the gap.
//!
//! **Method**: Mehrotra's predictor and corrector (1992). A step solves (G'G + T) da = r with T = l / a + h / (c - a)
//! diagonal: as an m x m system while m is at most D, else through I + G T^-1 G', (D, D) (Fine and Scheinberg, JMLR
//! 2001). The number of steps hardly depends on C: 15 to 40.

use super::outer::{Factor, add_outer};
use super::{Features, square};
use crate::monitor::Monitor;
use faer::Mat;

/// Examples that are gathered at a time.
const BLOCK: usize = 1024;
/// The share of the way to the boundary that a step may go.
const SHARE: f64 = 0.995;
/// Most steps, and most steps without progress.
const STEPS: u64 = 60;
const PATIENCE: u64 = 5;
/// Most steps of iterative refinement; cancellation between T and G'G costs digits that these bring back.
const REFINEMENTS: usize = 3;

/// The examples that may move.
pub(super) struct Part<'a> {
    pub(super) features: Features<'a>,
    pub(super) of: &'a [usize],
    pub(super) y: Vec<f64>,
    pub(super) c: Vec<f64>,
    pub(super) s: Vec<f64>,
}

/// A point between the bounds.
pub(super) struct Interior<'a> {
    part: &'a Part<'a>,
    fixed: &'a [f64],
    a: Vec<f64>,
    u: Vec<f64>,
    /// l and h.
    low: Vec<f64>,
    high: Vec<f64>,
    /// G'G where m <= D; its lower triangle.
    gram: Option<Mat<f64>>,
}

impl<'a> Interior<'a> {
    /// Starts near `a`, at a distance from the bounds.
    pub(super) fn new(part: &'a Part<'a>, fixed: &'a [f64], a: &[f64]) -> Interior<'a> {
        let a: Vec<f64> = a.iter().zip(&part.c).map(|(a, c)| a.clamp(0.05 * c, 0.95 * c)).collect();
        let m = a.len();
        let mut point = Interior { part, fixed, a, u: Vec::new(), low: Vec::new(), high: Vec::new(), gram: None };
        if m <= part.features.width() {
            // The outer products of the features, taken as examples of m numbers each.
            let gathered = point.gather(0..m, |_| 1.0);
            let mut gram = Mat::zeros(m, m);
            add_outer(&mut gram, gathered.transpose());
            point.gram = Some(gram);
        }
        point.u = point.slopes();
        let mean = point.u.iter().map(|u| u.abs()).sum::<f64>() / m.max(1) as f64;
        let shift = (0.1 * mean).max(1e-8);
        point.low = point.u.iter().map(|u| u.max(0.0) + shift).collect();
        point.high = point.u.iter().map(|u| (-u).max(0.0) + shift).collect();
        point
    }

    /// The columns of G with factors, (D, many).
    fn gather(&self, range: std::ops::Range<usize>, factor: impl Fn(usize) -> f64) -> Mat<f64> {
        let mut gathered = Mat::zeros(self.part.features.width(), range.len());
        for (to, at) in range.enumerate() {
            let (from, scale) = (self.part.features.column(self.part.of[at]), self.part.y[at] * factor(at));
            gathered.col_as_slice_mut(to).iter_mut().zip(from).for_each(|(g, f)| *g = scale * f);
        }
        gathered
    }

    /// G v.
    fn combined(&self, v: &[f64]) -> Vec<f64> {
        let signed: Vec<f64> = v.iter().zip(&self.part.y).map(|(v, y)| v * y).collect();
        let mut sum = vec![0.0; self.part.features.width()];
        self.part.features.add_combined(&signed, self.part.of, &mut sum);
        sum
    }

    /// G'w.
    fn scores(&self, w: &[f64]) -> Vec<f64> {
        let mut z = self.part.features.scores(w, self.part.of);
        z.iter_mut().zip(&self.part.y).for_each(|(z, y)| *z *= y);
        z
    }

    fn slopes(&self) -> Vec<f64> {
        let mut w = self.combined(&self.a);
        w.iter_mut().zip(self.fixed).for_each(|(w, f)| *w += f);
        let mut u = self.scores(&w);
        u.iter_mut().zip(&self.part.s).for_each(|(u, s)| *u -= s);
        u
    }

    /// sum l a + h (c - a).
    fn products(&self) -> f64 {
        (0..self.a.len()).map(|i| self.low[i] * self.a[i] + self.high[i] * (self.part.c[i] - self.a[i])).sum()
    }

    /// Steps until the products sum to at most `target`, or no step helps; returns the number of steps.
    pub(super) fn run(&mut self, target: f64, most: u64, monitor: &dyn Monitor) -> u64 {
        let m = self.a.len();
        let mut best = (self.products(), self.a.clone(), self.low.clone(), self.high.clone());
        let (mut steps, mut idle) = (0, 0);
        while steps < most.min(STEPS) {
            let sum = self.products();
            // Also where it is no number.
            if sum.is_nan() || sum <= target || monitor.should_stop() {
                break;
            }
            let Some(system) = System::new(self) else { break };
            steps += 1;
            let mean = sum / (2 * m) as f64;
            let first = self.step(&system, 0.0, None);
            let reach = self.longest(&first);
            let after: f64 = (0..m)
                .map(|i| {
                    let (a, l) = (self.a[i] + reach * first.a[i], self.low[i] + reach * first.low[i]);
                    a * l + (self.part.c[i] - a) * (self.high[i] + reach * first.high[i])
                })
                .sum();
            let centre = (after / sum).powi(3).clamp(0.0, 1.0);
            let step = self.step(&system, centre * mean, Some(&first));
            let reach = SHARE * self.longest(&step);
            if reach.is_nan() || reach < 1e-10 {
                break;
            }
            for i in 0..m {
                self.a[i] += reach * step.a[i];
                self.low[i] += reach * step.low[i];
                self.high[i] += reach * step.high[i];
            }
            self.u = self.slopes();
            self.absorb();
            let sum = self.products();
            if sum < best.0 {
                best = (sum, self.a.clone(), self.low.clone(), self.high.clone());
                idle = 0;
            } else {
                idle += 1;
            }
            if idle == PATIENCE {
                break;
            }
        }
        // Rounding may have made the last steps worse.
        if self.products().partial_cmp(&best.0) != Some(std::cmp::Ordering::Less) {
            (_, self.a, self.low, self.high) = best;
        }
        steps
    }

    /// Takes what rounding left between u and l - h into l or h: their products then bound the gap truly.
    fn absorb(&mut self) {
        for i in 0..self.a.len() {
            let off = self.u[i] - self.low[i] + self.high[i];
            self.low[i] += off.max(0.0);
            self.high[i] += (-off).max(0.0);
        }
    }

    /// The Newton step to products of `level`, with the second-order terms of a step before.
    fn step(&self, system: &System, level: f64, before: Option<&Step>) -> Step {
        let m = self.a.len();
        let (mut below, mut above, mut right) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
        for i in 0..m {
            let room = self.part.c[i] - self.a[i];
            let (first, second) = before.map_or((0.0, 0.0), |b| (b.a[i] * b.low[i], b.a[i] * b.high[i]));
            below[i] = level - self.a[i] * self.low[i] - first;
            above[i] = level - room * self.high[i] + second;
            let off = self.u[i] - self.low[i] + self.high[i];
            right[i] = below[i] / self.a[i] - above[i] / room - off;
        }
        let a = system.refined(self, &right);
        let low = (0..m).map(|i| (below[i] - self.low[i] * a[i]) / self.a[i]).collect();
        let high = (0..m).map(|i| (above[i] + self.high[i] * a[i]) / (self.part.c[i] - self.a[i])).collect();
        Step { a, low, high }
    }

    /// The longest part of a step, at most all of it, that crosses no bound.
    fn longest(&self, step: &Step) -> f64 {
        let mut reach = 1.0_f64;
        let mut keep = |value: f64, change: f64| {
            if change < 0.0 {
                reach = reach.min(value / -change);
            }
        };
        for i in 0..self.a.len() {
            keep(self.a[i], step.a[i]);
            keep(self.part.c[i] - self.a[i], -step.a[i]);
            keep(self.low[i], step.low[i]);
            keep(self.high[i], step.high[i]);
        }
        reach
    }

    /// The dual variables; those that go to a bound are put there.
    pub(super) fn finished(&self) -> Vec<f64> {
        let settled = |i: usize| {
            let (a, c) = (self.a[i], self.part.c[i]);
            let room = c - a;
            // As shares: a dual variable beside its cost, a slope beside its margin's unit.
            if a < 1e-3 * c && a / c < 1e-3 * self.low[i] {
                0.0
            } else if room < 1e-3 * c && room / c < 1e-3 * self.high[i] {
                c
            } else {
                a
            }
        };
        (0..self.a.len()).map(settled).collect()
    }
}

/// Changes of a, l and h.
struct Step {
    a: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

/// The factored system of one step.
struct System {
    factor: Factor,
    /// T.
    diagonal: Vec<f64>,
    small: bool,
}

impl System {
    fn new(point: &Interior<'_>) -> Option<System> {
        let m = point.a.len();
        let diagonal: Vec<f64> =
            (0..m).map(|i| point.low[i] / point.a[i] + point.high[i] / (point.part.c[i] - point.a[i])).collect();
        if let Some(gram) = &point.gram {
            let mean = (0..m).map(|i| gram[(i, i)]).sum::<f64>() / m.max(1) as f64;
            let mut ridge = 0.0;
            for _ in 0..4 {
                let mut matrix = gram.clone();
                (0..m).for_each(|i| matrix[(i, i)] += diagonal[i] + ridge);
                if let Some(factor) = Factor::new(matrix) {
                    return Some(System { factor, diagonal, small: true });
                }
                ridge = (100.0 * ridge).max(1e-14 * mean);
            }
            return None;
        }
        let width = point.part.features.width();
        let mut matrix = Mat::identity(width, width);
        for start in (0..m).step_by(BLOCK) {
            let block = point.gather(start..m.min(start + BLOCK), |at| 1.0 / diagonal[at].sqrt());
            add_outer(&mut matrix, block.as_ref());
        }
        Some(System { factor: Factor::new(matrix)?, diagonal, small: false })
    }

    /// (G'G + T)^-1 r, refined while what is left of r becomes smaller.
    fn refined(&self, point: &Interior<'_>, right: &[f64]) -> Vec<f64> {
        let left = |a: &[f64]| -> Vec<f64> {
            let z = point.scores(&point.combined(a));
            (0..a.len()).map(|i| right[i] - z[i] - self.diagonal[i] * a[i]).collect()
        };
        let mut a = self.solve(point, right.to_vec());
        let mut rest = left(&a);
        for _ in 0..REFINEMENTS {
            let mut next = self.solve(point, rest.clone());
            next.iter_mut().zip(&a).for_each(|(n, a)| *n += a);
            let of_next = left(&next);
            if !(square(&of_next) < 0.25 * square(&rest)) {
                break;
            }
            (a, rest) = (next, of_next);
        }
        a
    }

    /// (G'G + T)^-1 r, once.
    fn solve(&self, point: &Interior<'_>, right: Vec<f64>) -> Vec<f64> {
        let column = |values: &[f64]| Mat::from_fn(values.len(), 1, |i, _| values[i]);
        if self.small {
            let mut b = column(&right);
            self.factor.solve(&mut b);
            return b.col_as_slice(0).to_vec();
        }
        // T^-1 (r - G'v) with (I + G T^-1 G') v = G T^-1 r.
        let scaled: Vec<f64> = right.iter().zip(&self.diagonal).map(|(r, t)| r / t).collect();
        let mut v = column(&point.combined(&scaled));
        self.factor.solve(&mut v);
        let z = point.scores(v.col_as_slice(0));
        right.iter().zip(&z).zip(&self.diagonal).map(|((r, z), t)| (r - z) / t).collect()
    }
}
