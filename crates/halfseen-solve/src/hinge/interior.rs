//! Follows the central path of a hinge problem's dual to its optimum, by [`crate::interior`].
//!
//! **Symbols**: Q = (y y') o K; lambda, mu >= 0 the multipliers of a >= 0 and of a <= c; w = c - a.
//! The optimality conditions are Q a - r = lambda - mu, lambda a = 0 and mu w = 0, elementwise; a
//! direction solves (Q + D) da = right-hand side with D = lambda / a + mu / w.

use super::ascent::Block;
use super::factor::System;
use crate::cholesky::NotPositive;
use crate::interior::{Bounds, CentralPath, Pairs, Progress, Reach, Steps, Target, follow};
use crate::monitor::Monitor;
use crate::stop::SolverStop;

/// Step limit; some thirty suffice.
const STEPS: u64 = 80;
/// Share of the objective below which the sum of the products counts as 0.
const PRECISION: f64 = 1e-11;
/// Share of the residual's part of the gap below which the products need not fall.
const RESIDUAL: f64 = 0.01;
/// Least initial distance of variables from both bounds, as a share of their cost.
const INSIDE: f64 = 0.05;
/// Least initial multipliers, as a share of the mean gradient.
const LEAST: f64 = 0.1;

/// Strictly feasible point with its multipliers, lambda and mu.
struct Path<'p, 'a> {
    system: &'p mut System<'a>,
    y: &'p [f64],
    c: &'p [f64],
    /// r.
    linear: Vec<f64>,
    bounds: Bounds,
    /// D.
    diagonal: Vec<f64>,
    /// Q a - r - lambda + mu.
    residual: Vec<f64>,
}

impl Block<'_> {
    /// Makes steps until the products lambda a + mu w sum to a tiny part of the objective, then
    /// Newton steps after moving variables to their bounds. Keeps the better of the two points;
    /// returns the number of steps.
    ///
    /// `dual` is the present dual objective, `target` the gap to reach.
    pub(super) fn interior(
        &mut self,
        system: &mut System<'_>,
        (dual, target): (f64, f64),
        most: u64,
        monitor: &dyn Monitor,
    ) -> u64 {
        let (before, start) = (self.a.clone(), self.f.clone());
        let (point, mut steps) = self.follow(system, dual, most, monitor);
        self.a.copy_from_slice(point.variables());
        self.renew(&before, &start);
        let (inner, moved, gap) = (self.a.clone(), self.f.clone(), self.gap());
        self.a = point.settled(&self.c, &self.columns.diagonal);
        self.renew(&before, &start);
        steps += self.newton(0.1 * target, most - steps, monitor);
        let settled = self.gap();
        if !(settled <= gap || settled <= target) {
            self.a = inner;
            self.f = moved;
        }
        steps
    }

    /// Updates f from its value at another point.
    fn renew(&mut self, before: &[f64], start: &[f64]) {
        let moved: Vec<f64> =
            (0..before.len()).map(|i| self.y[i] * (self.a[i] - before[i])).collect();
        for ((f, start), change) in self.f.iter_mut().zip(start).zip(self.columns.times(&moved)) {
            *f = start - change;
        }
    }

    /// Makes steps from the present variables, moved inside; returns the end point and their
    /// number.
    fn follow(
        &mut self,
        system: &mut System<'_>,
        dual: f64,
        most: u64,
        monitor: &dyn Monitor,
    ) -> (Bounds, u64) {
        let (linear, known) = self.linear(system);
        let bounds = self.centre(system);
        let (diagonal, residual) = (Vec::new(), Vec::new());
        let (y, c) = (&self.y, &self.c);
        let mut path = Path { system, y, c, linear, bounds, diagonal, residual };
        let judge = |path: &mut Path<'_, '_>| {
            let left = path.products();
            let objective = dual - known + path.renew() + left;
            let missing: f64 = path.residual.iter().zip(path.c).map(|(r, c)| r.abs() * c).sum();
            let enough = (PRECISION * objective.abs()).max(RESIDUAL * missing);
            Progress { solved: left <= enough, left }
        };
        let (steps, stop) = follow(&mut path, judge, most.min(STEPS), monitor);
        let bounds = path.bounds;
        self.failed |= stop == SolverStop::NumericalFailure;
        (bounds, steps)
    }

    /// Moves the present variables inside, and adds multipliers that balance their gradient.
    fn centre(&mut self, system: &System<'_>) -> Bounds {
        let before = self.a.clone();
        for (a, c) in self.a.iter_mut().zip(&self.c) {
            *a = a.clamp(INSIDE * c, (1.0 - INSIDE) * c);
        }
        let moved: Vec<f64> = self.a.iter().zip(&before).map(|(to, from)| to - from).collect();
        let change = system.times(&self.y, &moved);
        for ((f, y), change) in self.f.iter_mut().zip(&self.y).zip(&change) {
            *f -= y * change;
        }
        let g: Vec<f64> = self.f.iter().zip(&self.y).map(|(f, y)| f * y).collect();
        let mean = g.iter().map(|g| g.abs()).sum::<f64>() / g.len() as f64;
        let least = LEAST * mean + f64::MIN_POSITIVE;
        let lambda = g.iter().map(|g| (-g).max(0.0) + least).collect();
        let mu = g.iter().map(|g| g.max(0.0) + least).collect();
        Bounds::new(self.a.clone(), &self.c, lambda, mu)
    }

    /// Returns r, the gradient at a = 0 of the block's variables with the others fixed, and <r, a>
    /// - <a, Q a> / 2.
    fn linear(&self, system: &System<'_>) -> (Vec<f64>, f64) {
        let curved = system.times(&self.y, &self.a);
        let linear: Vec<f64> =
            (0..self.a.len()).map(|i| self.y[i] * self.f[i] + curved[i]).collect();
        let value = (0..self.a.len()).map(|i| self.a[i] * (linear[i] - 0.5 * curved[i])).sum();
        (linear, value)
    }
}

impl Path<'_, '_> {
    /// Recomputes the residual; returns <r, a> - <a, Q a> / 2.
    fn renew(&mut self) -> f64 {
        let a = self.bounds.variables();
        let (curved, [lower, upper]) = (self.system.times(self.y, a), &self.bounds.at);
        let residual =
            |i: usize| curved[i] - self.linear[i] - lower.multiplier[i] + upper.multiplier[i];
        self.residual = (0..a.len()).map(residual).collect();
        (0..a.len()).map(|i| a[i] * (self.linear[i] - 0.5 * curved[i])).sum()
    }
}

impl CentralPath for Path<'_, '_> {
    type System = ();
    const SHARE: f64 = 0.995;

    fn at(&self) -> &[Pairs] {
        &self.bounds.at
    }

    /// Factors Q + D; the residual is that of the last [`Path::renew`].
    fn factor(&mut self, _: &dyn Monitor) -> Result<(), NotPositive> {
        self.diagonal = self.bounds.diagonal();
        self.system.factor(&self.diagonal)
    }

    fn solve(&mut self, (): &(), target: Target) -> Reach {
        let held = self.bounds.held(target);
        let right: Vec<f64> =
            (0..self.y.len()).map(|i| held[0][i] - held[1][i] - self.residual[i]).collect();
        let change = self.system.solve(&self.diagonal, self.y, &right);
        self.bounds.complete(change, held)
    }

    fn advance(&mut self, steps: Steps) {
        self.bounds.advance(steps, self.c);
    }
}
