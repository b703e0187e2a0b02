//! Holds the weights in their box, with the slacks of its sides and their multipliers.

use super::point::{Reach, Steps};

/// Weights w in [-1, 1] and the bias b.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    /// w, and b last: (width + 1).
    pub(super) w: Vec<f64>,
    /// 1 - w, with `p`.
    pub(super) above: Vec<f64>,
    /// The multiplier of w <= 1.
    pub(super) p: Vec<f64>,
    /// 1 + w, with `q`.
    pub(super) below: Vec<f64>,
    /// The multiplier of w >= -1.
    pub(super) q: Vec<f64>,
}

/// Where the weights may go.
#[derive(Debug, Clone)]
pub(super) struct Move {
    /// dw, and db last.
    pub(super) dw: Vec<f64>,
    dp: Vec<f64>,
    dq: Vec<f64>,
    /// What the products with p and q are to change by.
    targets: Vec<(f64, f64)>,
}

impl Move {
    pub(super) fn zeros(width: usize) -> Move {
        let zeros = || vec![0.0; width];
        Move {
            dw: vec![0.0; width + 1],
            dp: zeros(),
            dq: zeros(),
            targets: vec![(0.0, 0.0); width],
        }
    }
}

impl Weights {
    /// The given weights, the bias last; multipliers 0.
    pub(super) fn at(w: Vec<f64>) -> Weights {
        let width = w.len() - 1;
        let above = w[..width].iter().map(|w| 1.0 - w).collect();
        let below = w[..width].iter().map(|w| 1.0 + w).collect();
        Weights { w, above, p: vec![0.0; width], below, q: vec![0.0; width] }
    }

    pub(super) fn width(&self) -> usize {
        self.p.len()
    }

    /// What the box adds to the matrix's diagonal.
    pub(super) fn diagonal(&self, out: &mut [f64]) {
        for (j, d) in out.iter_mut().enumerate() {
            *d = self.p[j] / self.above[j] + self.q[j] / self.below[j];
        }
    }

    /// Adds the box's share to the right side; see [`super::worker::Worker::right_side`].
    pub(super) fn right_side(
        &self,
        from: &Move,
        to: &mut Move,
        residuals: bool,
        target: &impl Fn(f64, f64, f64, f64, f64) -> f64,
        right: &mut [f64],
    ) {
        for (j, right) in right.iter_mut().enumerate().take(self.width()) {
            let upper = target(1.0, self.above[j], self.p[j], -from.dw[j], from.dp[j]);
            let lower = target(1.0, self.below[j], self.q[j], from.dw[j], from.dq[j]);
            let residual = if residuals { self.p[j] - self.q[j] } else { 0.0 };
            *right += lower / self.below[j] - upper / self.above[j] - residual;
            to.targets[j] = (upper, lower);
        }
    }

    /// Completes a move whose `dw` was solved for; with `old` it is a correction of that.
    pub(super) fn substitute(&self, step: &mut Move, old: Option<&Move>) -> Reach {
        let mut reach = Reach::default();
        for j in 0..self.width() {
            let (upper, lower) = step.targets[j];
            step.dp[j] = (upper + self.p[j] * step.dw[j]) / self.above[j];
            step.dq[j] = (lower - self.q[j] * step.dw[j]) / self.below[j];
            if let Some(old) = old {
                step.dw[j] += old.dw[j];
                step.dp[j] += old.dp[j];
                step.dq[j] += old.dq[j];
            }
            reach.pair(self.above[j], self.p[j], -step.dw[j], step.dp[j]);
            reach.pair(self.below[j], self.q[j], step.dw[j], step.dq[j]);
        }
        if let (Some(old), Some(db)) = (old, step.dw.last_mut()) {
            *db += old.dw[self.width()];
        }
        reach
    }

    pub(super) fn advance(&mut self, step: &Move, steps: Steps) {
        for j in 0..self.width() {
            self.w[j] += steps.primal * step.dw[j];
            self.above[j] -= steps.primal * step.dw[j];
            self.below[j] += steps.primal * step.dw[j];
            self.p[j] += steps.dual * step.dp[j];
            self.q[j] += steps.dual * step.dq[j];
        }
        let width = self.width();
        self.w[width] += steps.primal * step.dw[width];
    }

    pub(super) fn products(&self) -> f64 {
        (0..self.width()).map(|j| self.above[j] * self.p[j] + self.below[j] * self.q[j]).sum()
    }
}
