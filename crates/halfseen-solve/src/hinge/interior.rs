//! Follows the central path of a hinge problem's dual to its optimum (Mehrotra, SIAM J.
//! Optim. 1992).
//!
//! **Symbols**: Q = (y y') o K; lambda, mu >= 0 the multipliers of a >= 0 and of a <= c; w = c - a
//! the room above. The optimality conditions are Q a - r = lambda - mu, lambda a = 0 and mu w = 0,
//! elementwise; a step solves (Q + D) da = right-hand side with D = lambda / a + mu / w, twice:
//! towards the optimum, and corrected for the products that the first ignored.

use super::ascent::Block;
use super::factor::System;
use crate::monitor::Monitor;

/// The share of the way to the nearest bound that a step goes.
const SHARE: f64 = 0.995;
/// Most steps; some thirty suffice.
const STEPS: u64 = 80;
/// The share of the objective below which the sum of the products is as good as 0.
const PRECISION: f64 = 1e-11;

/// A strictly feasible point with its multipliers.
struct Point {
    a: Vec<f64>,
    w: Vec<f64>,
    lambda: Vec<f64>,
    mu: Vec<f64>,
    /// Q a - r - lambda + mu.
    residual: Vec<f64>,
}

impl Block<'_> {
    /// Steps until the products lambda a + mu w sum to a tiny part of the objective, then Newton
    /// steps from the bounds that this shows; of the two points the better one is kept. Returns the
    /// number of steps.
    ///
    /// `dual` is the dual objective now, `target` the gap to reach.
    pub(super) fn interior(
        &mut self,
        system: &mut System<'_>,
        (dual, target): (f64, f64),
        most: u64,
        monitor: &dyn Monitor,
    ) -> u64 {
        let (before, start) = (self.a.clone(), self.f.clone());
        let (point, mut steps) = self.follow(system, dual, most, monitor);
        self.a.copy_from_slice(&point.a);
        self.renew(&before, &start);
        let (inner, moved, gap) = (self.a.clone(), self.f.clone(), self.gap());
        self.settle(&point);
        self.renew(&before, &start);
        steps += self.newton(0.1 * target, most - steps);
        let settled = self.gap();
        if !(settled <= gap || settled <= target) {
            self.a = inner;
            self.f = moved;
        }
        steps
    }

    /// Computes f from what it was at another point.
    fn renew(&mut self, before: &[f64], start: &[f64]) {
        let moved: Vec<f64> =
            (0..before.len()).map(|i| self.y[i] * (self.a[i] - before[i])).collect();
        for ((f, start), change) in self.f.iter_mut().zip(start).zip(self.columns.times(&moved)) {
            *f = start - change;
        }
    }

    fn follow(
        &mut self,
        system: &mut System<'_>,
        dual: f64,
        most: u64,
        monitor: &dyn Monitor,
    ) -> (Point, u64) {
        let n = self.a.len();
        let (linear, known) = self.linear(system);
        let mut point = self.centre(system);
        let mut steps = 0;
        let (mut d, mut right) = (vec![0.0; n], vec![0.0; n]);
        while steps < most.min(STEPS) && !monitor.should_stop() {
            let sum = point.products();
            let objective = dual - known + point.renew(system, &self.y, &linear) + sum;
            let residual =
                point.residual.iter().zip(&self.c).map(|(r, c)| r.abs() * c).sum::<f64>();
            if sum <= (PRECISION * objective.abs()).max(0.01 * residual) || !sum.is_finite() {
                break;
            }
            let centre = sum / (2 * n) as f64;
            for (i, d) in d.iter_mut().enumerate() {
                *d = point.lambda[i] / point.a[i] + point.mu[i] / point.w[i];
            }
            if !system.factor(&d) {
                self.failed = true;
                break;
            }
            // Towards the optimum itself.
            for (i, right) in right.iter_mut().enumerate() {
                *right = -point.residual[i] - point.lambda[i] + point.mu[i];
            }
            let ahead = system.solve(&d, &self.y, &right);
            let (dl, dm) = point.multipliers(&ahead, 0.0, None);
            let reach = point.reach(&ahead, &dl, &dm).min(1.0);
            let mut left = 0.0;
            for i in 0..n {
                left += (point.lambda[i] + reach * dl[i]) * (point.a[i] + reach * ahead[i])
                    + (point.mu[i] + reach * dm[i]) * (point.w[i] - reach * ahead[i]);
            }
            let aim = centre * (left / sum).clamp(0.0, 1.0).powi(3);
            // With the products of the first step in the right-hand side.
            for (i, right) in right.iter_mut().enumerate() {
                *right = -point.residual[i]
                    + (aim - point.lambda[i] * point.a[i] - ahead[i] * dl[i]) / point.a[i]
                    - (aim - point.mu[i] * point.w[i] + ahead[i] * dm[i]) / point.w[i];
            }
            let step = system.solve(&d, &self.y, &right);
            let (dl, dm) = point.multipliers(&step, aim, Some((&ahead, &dl, &dm)));
            let reach = (SHARE * point.reach(&step, &dl, &dm)).min(1.0);
            steps += 1;
            if reach.is_nan() || reach <= 1e-10 {
                break;
            }
            point.step(reach, &step, &dl, &dm, &self.c);
        }
        (point, steps)
    }

    /// The present variables moved inside, with multipliers that balance their gradient.
    fn centre(&mut self, system: &System<'_>) -> Point {
        let before = self.a.clone();
        for (a, c) in self.a.iter_mut().zip(&self.c) {
            *a = a.clamp(0.05 * c, 0.95 * c);
        }
        let moved: Vec<f64> = self.a.iter().zip(&before).map(|(to, from)| to - from).collect();
        let change = system.times(&self.y, &moved);
        for ((f, y), change) in self.f.iter_mut().zip(&self.y).zip(&change) {
            *f -= y * change;
        }
        let g: Vec<f64> = self.f.iter().zip(&self.y).map(|(f, y)| f * y).collect();
        let mean = g.iter().map(|g| g.abs()).sum::<f64>() / g.len() as f64;
        let least = 0.1 * mean + f64::MIN_POSITIVE;
        Point {
            w: self.a.iter().zip(&self.c).map(|(a, c)| c - a).collect(),
            lambda: g.iter().map(|g| (-g).max(0.0) + least).collect(),
            mu: g.iter().map(|g| g.max(0.0) + least).collect(),
            residual: vec![0.0; g.len()],
            a: self.a.clone(),
        }
    }

    /// r, the gradient at a = 0 of the block's variables, the others held; and <r, a> - <a, Q a>
    /// / 2.
    fn linear(&self, system: &System<'_>) -> (Vec<f64>, f64) {
        let curved = system.times(&self.y, &self.a);
        let linear: Vec<f64> =
            (0..self.a.len()).map(|i| self.y[i] * self.f[i] + curved[i]).collect();
        let value = (0..self.a.len()).map(|i| self.a[i] * (linear[i] - 0.5 * curved[i])).sum();
        (linear, value)
    }

    /// Takes a point over; a variable that one coordinate step would bring to its bound goes there.
    fn settle(&mut self, point: &Point) {
        for i in 0..self.a.len() {
            let (a, w, k) = (point.a[i], point.w[i], self.columns.diagonal[i]);
            let near = 1e-3 * self.c[i];
            self.a[i] = if a < near && point.lambda[i] > a * k {
                0.0
            } else if w < near && point.mu[i] > w * k {
                self.c[i]
            } else {
                a
            };
        }
    }
}

impl Point {
    fn products(&self) -> f64 {
        let below: f64 = self.lambda.iter().zip(&self.a).map(|(l, a)| l * a).sum();
        below + self.mu.iter().zip(&self.w).map(|(m, w)| m * w).sum::<f64>()
    }

    /// Sums the residual afresh; returns <r, a> - <a, Q a> / 2.
    fn renew(&mut self, system: &System<'_>, y: &[f64], linear: &[f64]) -> f64 {
        let curved = system.times(y, &self.a);
        let mut value = 0.0;
        for i in 0..self.a.len() {
            self.residual[i] = curved[i] - linear[i] - self.lambda[i] + self.mu[i];
            value += self.a[i] * (linear[i] - 0.5 * curved[i]);
        }
        value
    }

    /// The multipliers' steps that belong to a step in a.
    fn multipliers(
        &self,
        da: &[f64],
        aim: f64,
        ahead: Option<(&[f64], &[f64], &[f64])>,
    ) -> (Vec<f64>, Vec<f64>) {
        let n = self.a.len();
        let (mut dl, mut dm) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            let (below, above) = ahead.map_or((0.0, 0.0), |(a, l, m)| (a[i] * l[i], -a[i] * m[i]));
            dl[i] = (aim - below - self.lambda[i] * da[i]) / self.a[i] - self.lambda[i];
            dm[i] = (aim - above + self.mu[i] * da[i]) / self.w[i] - self.mu[i];
        }
        (dl, dm)
    }

    /// The longest step that keeps everything nonnegative.
    fn reach(&self, da: &[f64], dl: &[f64], dm: &[f64]) -> f64 {
        let mut reach = f64::INFINITY;
        let mut bound = |value: f64, change: f64| {
            if change < 0.0 {
                reach = reach.min(-value / change);
            }
        };
        for i in 0..da.len() {
            bound(self.a[i], da[i]);
            bound(self.w[i], -da[i]);
            bound(self.lambda[i], dl[i]);
            bound(self.mu[i], dm[i]);
        }
        if da.iter().chain(dl).chain(dm).all(|x| x.is_finite()) { reach } else { 0.0 }
    }

    fn step(&mut self, reach: f64, da: &[f64], dl: &[f64], dm: &[f64], c: &[f64]) {
        for i in 0..da.len() {
            let least = c[i] * f64::MIN_POSITIVE.sqrt();
            self.a[i] = (self.a[i] + reach * da[i]).max(least);
            self.w[i] = (self.w[i] - reach * da[i]).max(least);
            self.lambda[i] = (self.lambda[i] + reach * dl[i]).max(f64::MIN_POSITIVE.sqrt());
            self.mu[i] = (self.mu[i] + reach * dm[i]).max(f64::MIN_POSITIVE.sqrt());
        }
    }
}
