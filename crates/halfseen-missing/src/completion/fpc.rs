//! Minimises by fixed-point continuation: gradient steps, each followed by shrinking the singular
//! values.
//!
//! **Step** (Ma, Goldfarb and Chen 2011; Goldberg et al. 2010): Z <- shrink(W - tau gradient(W),
//! tau mu), with tau = min(3.8 |Omega_Y| / lambda, |Omega_X|); squared losses of labels have 0.95
//! instead of 3.8. The constants b are minimised over exactly wherever the smooth part is
//! evaluated, not stepped. The remaining function has no larger curvature, so that with W = Z the
//! objective never rises.
//!
//! **Momentum** (Beck and Teboulle 2009): W = Z + beta (Z - previous Z), with the usual growing
//! beta, which restarts from 0 if the step turns against the last one (O'Donoghue and Candes 2015).
//! A point at which the objective would still rise is discarded. So the objective is monotone
//! except for rounding, and the fixed points are those of the plain step.
//!
//! **Continuation**: mu falls by the factor [`FALL`]; each solution starts the next stage.

use super::CompletionVariant;
use super::objective::{Labels, Objective};
use super::shrink::{Shrunk, spectral_norm};
use super::subspace::Subspace;
use faer::Mat;
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::model::{Factor, One, Stop};
use halfseen_solve::{Monitor, sum_of};

/// eta: factor by which mu falls at each stage.
const FALL: f64 = 0.1;
/// Relative change of the objective that ends a stage.
const ROUGH: f64 = 1e-2;
/// Passes between two dual evaluations.
const PATIENCE: u64 = 10;
/// Dual evaluations without progress before the iteration stops.
const STUCK: u32 = 5;
/// Relative differences of objectives below this are rounding.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

#[derive(Debug)]
pub(super) struct Path<'a> {
    pub(super) objective: Objective<'a>,
    /// Z.
    pub(super) z: Mat<f64>,
    previous: Mat<f64>,
    ahead: Mat<f64>,
    moved: Mat<f64>,
    next: Mat<f64>,
    /// Scored at Z.
    pub(super) labels: Labels,
    /// Scored at the extrapolated point, or at the candidate.
    other: Labels,
    /// Of Z.
    pub(super) shrunk: Shrunk,
    subspace: Subspace,
    smooth: f64,
    /// Term of the sequence that determines beta; 1 is no momentum.
    momentum: f64,
    pub(super) passes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ended {
    pub(super) stop: Stop,
    pub(super) gap: f64,
}

impl<'a> Path<'a> {
    /// Starts at Z = 0, with the best constants.
    pub(super) fn new(objective: Objective<'a>) -> Result<Path<'a>> {
        let zero = || Mat::zeros(objective.rows(), objective.items());
        let (z, mut labels) = (zero(), objective.labels());
        objective.score(&z, &mut labels);
        let smooth = objective.smooth(&z, &labels);
        if !smooth.is_finite() {
            return Err(ErrorKind::Diverged { what: "the objective at 0", value: smooth }.into());
        }
        Ok(Path {
            previous: zero(),
            ahead: zero(),
            moved: zero(),
            next: zero(),
            other: labels.clone(),
            shrunk: Shrunk { left: Mat::zeros(objective.rows(), 0), values: Vec::new() },
            subspace: Subspace::new(),
            momentum: 1.0,
            passes: 0,
            objective,
            z,
            labels,
            smooth,
        })
    }

    /// Returns the least mu for which Z = 0 is the solution: the spectral norm of the gradient
    /// there. Valid only on a new path.
    pub(super) fn most(&mut self) -> Result<f64> {
        self.objective.move_into(&self.z, &self.labels, 0.0, 1.0, &mut self.moved);
        spectral_norm(self.moved.as_ref())
    }

    pub(super) fn value(&self, mu: f64) -> f64 {
        mu * self.shrunk.nuclear() + self.smooth
    }

    /// Lowers mu from `from` to `to`, and minimises until the relative gap is `tol`.
    pub(super) fn descend(
        &mut self,
        from: f64,
        to: f64,
        tol: f64,
        cap: u64,
        monitor: &dyn Monitor,
    ) -> Result<Ended> {
        let last = self.passes.saturating_add(cap);
        self.subspace.exact = false;
        let mut mu = from;
        while mu * FALL > to && self.passes < last {
            mu *= FALL;
            self.roughly(mu, last, monitor)?;
        }
        self.minimise(to, tol, last, monitor)
    }

    /// Minimises until the objective hardly changes.
    fn roughly(&mut self, mu: f64, last: u64, monitor: &dyn Monitor) -> Result<()> {
        self.rest();
        while self.passes < last && !monitor.should_stop() {
            let before = self.value(mu);
            let after = self.pass(mu)?;
            if before - after <= ROUGH * before.abs() {
                break;
            }
        }
        Ok(())
    }

    /// Minimises until the gap is small.
    fn minimise(&mut self, mu: f64, tol: f64, last: u64, monitor: &dyn Monitor) -> Result<Ended> {
        self.rest();
        let start = self.passes;
        let mut bound = self.bound(mu)?;
        let (mut seen, mut stuck) = (self.value(mu), 0);
        let stop = loop {
            if self.value(mu) - bound <= tol * self.value(mu).abs() {
                break Stop::Tolerance;
            }
            if stuck >= STUCK {
                if self.subspace.exact {
                    break Stop::Stationary;
                }
                self.insist();
                stuck = 0;
            }
            if self.passes >= last {
                break Stop::IterationLimit;
            }
            if monitor.should_stop() {
                break Stop::Interrupted;
            }
            self.pass(mu)?;
            if (self.passes - start).is_multiple_of(PATIENCE) || self.passes >= last {
                let (gap, value) = (seen - bound, self.value(mu));
                // Where it fell by more than the tolerance, a bound would hardly end the iteration.
                if seen - value <= tol * value.abs() || self.passes >= last {
                    bound = bound.max(self.bound(mu)?);
                }
                let gained = seen - value > ROUNDING * seen.abs() || value - bound < 0.99 * gap;
                stuck = if gained { 0 } else { stuck + 1 };
                seen = value;
            }
        };
        Ok(Ended { stop, gap: (self.value(mu) - bound).max(0.0) })
    }

    /// Takes exact steps from here on.
    fn insist(&mut self) {
        self.subspace.exact = true;
        self.rest();
    }

    pub(super) fn rest(&mut self) {
        self.momentum = 1.0;
    }

    /// Makes one pass and returns the objective after it.
    pub(super) fn pass(&mut self, mu: f64) -> Result<f64> {
        self.passes += 1;
        let before = self.value(mu);
        let grown = 0.5 * (1.0 + (1.0 + 4.0 * self.momentum * self.momentum).sqrt());
        let beta = (self.momentum - 1.0) / grown;
        let (shrunk, near, smooth) = self.step(mu, beta)?;
        let after = mu * shrunk.nuclear() + smooth;
        if !after.is_finite() {
            return Err(ErrorKind::Diverged { what: "the objective", value: after }.into());
        }
        // Close to the optimum the objective changes by less than rounding while Z still improves.
        if (beta > 0.0 || near) && after > before + ROUNDING * before.abs() {
            self.momentum = 1.0;
            if beta == 0.0 {
                self.insist();
            }
            return Ok(before);
        }
        self.momentum = if beta > 0.0 && self.turns() { 1.0 } else { grown };
        // previous <- z <- next, without copying.
        std::mem::swap(&mut self.previous, &mut self.z);
        std::mem::swap(&mut self.z, &mut self.next);
        std::mem::swap(&mut self.labels, &mut self.other);
        (self.shrunk, self.smooth) = (shrunk, smooth);
        Ok(after)
    }

    /// Returns true if the step from the extrapolated point turns against the move of Z.
    fn turns(&self) -> bool {
        let mut sum = 0.0;
        for j in 0..self.z.ncols() {
            let z = self.z.col_as_slice(j);
            let (next, ahead) =
                (&self.next.col_as_slice(j)[..z.len()], &self.ahead.col_as_slice(j)[..z.len()]);
            sum += sum_of(z.len(), |i| (ahead[i] - next[i]) * (next[i] - z[i]));
        }
        sum > 0.0
    }

    /// Writes the step from Z + beta (Z - previous) to `next`, its labels to `other`; also returns
    /// true if it is approximate.
    fn step(&mut self, mu: f64, beta: f64) -> Result<(Shrunk, bool, f64)> {
        let tau = self.objective.step;
        self.other.clone_from(&self.labels);
        if beta > 0.0 {
            for j in 0..self.z.ncols() {
                let (z, previous) = (self.z.col_as_slice(j), self.previous.col_as_slice(j));
                let ahead = self.ahead.col_as_slice_mut(j);
                ahead
                    .iter_mut()
                    .zip(z)
                    .zip(previous)
                    .for_each(|((w, z), p)| *w = z + beta * (z - p));
            }
            self.objective.score(&self.ahead, &mut self.other);
            self.objective.move_into(&self.ahead, &self.other, 1.0, -tau, &mut self.moved);
        } else {
            self.objective.move_into(&self.z, &self.labels, 1.0, -tau, &mut self.moved);
        }
        let (shrunk, near) = self.subspace.shrink(self.moved.as_ref(), tau * mu, &mut self.next)?;
        self.objective.score(&self.next, &mut self.other);
        let smooth = self.objective.smooth(&self.next, &self.other);
        Ok((shrunk, near, smooth))
    }

    /// Bounds the optimum from below.
    fn bound(&mut self, mu: f64) -> Result<f64> {
        self.objective.move_into(&self.z, &self.labels, 0.0, 1.0, &mut self.moved);
        self.objective.dual(&self.moved, &self.labels, mu)
    }

    /// Returns half of Z = L R' with |L|^2 = |R|^2, which predicts new items.
    pub(super) fn factor(&self, ridge: f64) -> Factor {
        let Shrunk { left, values } = &self.shrunk;
        let (t, rank) = (self.labels.bias.len(), values.len());
        let rows = |from: usize, to: usize| -> Vec<f64> {
            (from..to)
                .flat_map(|i| (0..rank).map(move |k| left[(i, k)] * values[k].sqrt()))
                .collect()
        };
        let objective = &self.objective;
        let attributes = t + objective.columns();
        let one = (objective.variant == CompletionVariant::Ones).then(|| One {
            row: rows(attributes, attributes + 1),
            weight: objective.cells / objective.step,
        });
        Factor {
            rank,
            attributes: rows(t, attributes),
            labels: rows(0, t),
            one,
            bias: self.labels.bias.clone(),
            ridge,
            estimates: false,
        }
    }
}
