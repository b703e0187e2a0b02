//! Evaluates the objectives of MC-b and MC-1: the smooth part, its gradient, and a bound from the
//! dual.

use super::{CompletionVariant, LabelLoss, Problem};
use faer::Mat;
use halfseen_core::error::{Result, nothing_observed};
use halfseen_solve::sum_of;

/// Step length as a share of the longest allowed by the curvature.
const SHARE: f64 = 0.95;

/// Objective of one problem. Z is (t + d, n), or (t + d + 1, n) with the row of ones last.
#[derive(Debug)]
pub(super) struct Objective<'a> {
    problem: &'a Problem<'a>,
    pub(super) variant: CompletionVariant,
    loss: LabelLoss,
    items: Vec<usize>,
    /// Their labels, label by label: (t, items) row by row.
    targets: Vec<f64>,
    /// |Omega_X|.
    pub(super) cells: f64,
    /// Weight of one attribute's entry: 1 / |Omega_X|.
    attribute: f64,
    /// Weight of one label's entry: lambda / |Omega_Y|.
    label: f64,
    /// tau.
    pub(super) step: f64,
}

/// Labels' part of the smooth objective at one Z.
#[derive(Debug, Clone)]
pub(super) struct Labels {
    /// b of every label, (t): the best for that Z; 0 for MC-1.
    pub(super) bias: Vec<f64>,
    /// Scores z of the labelled items, (t, items) row by row.
    scores: Vec<f64>,
    /// Weighted loss of all labels.
    loss: f64,
}

impl<'a> Objective<'a> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        variant: CompletionVariant,
        loss: LabelLoss,
        label_weight: f64,
    ) -> Result<Self> {
        let items: Vec<usize> = (0..problem.items()).filter(|&j| problem.labelled[j]).collect();
        let t = problem.outputs();
        let mut targets = Vec::with_capacity(t * items.len());
        for i in 0..t {
            for &j in &items {
                loss.check(problem.labels[(i, j)], i, j)?;
                targets.push(problem.labels[(i, j)]);
            }
        }
        let seen =
            |j: usize| problem.observed.col_as_slice(j).iter().filter(|m| **m != 0.0).count();
        let cells = (0..problem.items()).map(seen).sum::<usize>() as f64;
        if cells == 0.0 {
            return Err(nothing_observed(problem.items()));
        }
        let label = if targets.is_empty() { 0.0 } else { label_weight / targets.len() as f64 };
        // SHARE / 0 is infinite: without labels only the attributes limit the step.
        let step = (SHARE / (label * loss.curvature())).min(cells);
        Ok(Objective {
            problem,
            variant,
            loss,
            items,
            targets,
            cells,
            attribute: 1.0 / cells,
            label,
            step,
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.problem.outputs()
            + self.problem.columns()
            + usize::from(self.variant == CompletionVariant::Ones)
    }

    /// d.
    pub(super) fn columns(&self) -> usize {
        self.problem.columns()
    }

    pub(super) fn items(&self) -> usize {
        self.problem.items()
    }

    pub(super) fn labels(&self) -> Labels {
        Labels {
            bias: vec![0.0; self.problem.outputs()],
            scores: vec![0.0; self.targets.len()],
            loss: 0.0,
        }
    }

    /// Computes the best constants at Z, from the given ones, and the labels' loss.
    pub(super) fn score(&self, z: &Mat<f64>, labels: &mut Labels) {
        let m = self.items.len();
        let t = self.problem.outputs();
        for (k, &j) in self.items.iter().enumerate() {
            for i in 0..t {
                labels.scores[i * m + k] = z[(i, j)];
            }
        }
        labels.loss = 0.0;
        for i in 0..t {
            let (scores, targets) =
                (&labels.scores[i * m..(i + 1) * m], &self.targets[i * m..(i + 1) * m]);
            if self.variant == CompletionVariant::Bias {
                labels.bias[i] = self.loss.constant(scores, targets, labels.bias[i]);
            }
            let b = labels.bias[i];
            labels.loss +=
                scores.iter().zip(targets).map(|(z, y)| self.loss.value(z + b, *y)).sum::<f64>();
        }
        labels.loss *= self.label;
    }

    /// Returns the smooth part at Z, given its labels' loss.
    pub(super) fn smooth(&self, z: &Mat<f64>, labels: &Labels) -> f64 {
        let (t, d) = (self.problem.outputs(), self.problem.columns());
        let mut sum = 0.0;
        let mut ones = 0.0;
        for j in 0..self.items() {
            let (x, seen) =
                (self.problem.values.col_as_slice(j), self.problem.observed.col_as_slice(j));
            let z = z.col_as_slice(j);
            let (at, x, seen) = (&z[t..t + d], &x[..d], &seen[..d]);
            sum += sum_of(d, |i| f64::from(seen[i]) * (at[i] - x[i]) * (at[i] - x[i]));
            if self.variant == CompletionVariant::Ones {
                ones += (z[t + d] - 1.0).powi(2);
            }
        }
        labels.loss + 0.5 * (self.attribute * sum + ones / self.step)
    }

    /// Writes keep * Z + times * gradient; `labels` must be scored at Z.
    pub(super) fn move_into(
        &self,
        z: &Mat<f64>,
        labels: &Labels,
        keep: f64,
        times: f64,
        out: &mut Mat<f64>,
    ) {
        let (t, d) = (self.problem.outputs(), self.problem.columns());
        let attribute = times * self.attribute;
        for j in 0..self.items() {
            let (x, seen) =
                (self.problem.values.col_as_slice(j), self.problem.observed.col_as_slice(j));
            let (z, out) = (z.col_as_slice(j), out.col_as_slice_mut(j));
            for (((out, z), x), m) in out[t..t + d].iter_mut().zip(&z[t..t + d]).zip(x).zip(seen) {
                *out = keep * z + attribute * f64::from(*m) * (z - x);
            }
            out[..t].iter_mut().zip(&z[..t]).for_each(|(out, z)| *out = keep * z);
            if self.variant == CompletionVariant::Ones {
                out[t + d] = keep * z[t + d] + times / self.step * (z[t + d] - 1.0);
            }
        }
        self.each_label(labels, |i, j, slope, _| out[(i, j)] += times * self.label * slope);
    }

    /// Returns a lower bound on the optimum by weak duality, from the gradient at a Z and its
    /// labels.
    ///
    /// The dual maximises the negative sum of the losses' conjugates over matrices of spectral norm
    /// at most mu; b requires that each label's row sums to 0. The gradient, scaled by mu /
    /// |gradient|_2 where that norm exceeds mu, is feasible.
    pub(super) fn dual(&self, gradient: &Mat<f64>, labels: &Labels, mu: f64) -> Result<f64> {
        let norm = super::shrink::spectral_norm(gradient.as_ref())?;
        let scale = if norm > mu { mu / norm } else { 1.0 };
        let (t, d) = (self.problem.outputs(), self.problem.columns());
        let mut sum = 0.0;
        for j in 0..self.items() {
            let (x, g) = (self.problem.values.col_as_slice(j), gradient.col_as_slice(j));
            let attributes = g[t..t + d].iter().zip(x);
            sum += attributes
                .map(|(g, x)| scale * g * (0.5 * scale * g * self.cells + x))
                .sum::<f64>();
            if self.variant == CompletionVariant::Ones {
                let g = scale * g[t + d];
                sum += g * (0.5 * g * self.step + 1.0);
            }
        }
        let mut rows = vec![0.0; t];
        self.each_label(labels, |i, _, slope, y| {
            sum += self.label * self.loss.conjugate(scale * slope, y);
            rows[i] += scale * self.label * slope;
        });
        if self.variant == CompletionVariant::Bias {
            let limit = self.loss.limit();
            // Without a limit on the constant its row sums to 0 except for rounding.
            let reach = |b: f64| if limit.is_finite() { limit } else { b.abs() };
            sum += rows.iter().zip(&labels.bias).map(|(row, b)| row.abs() * reach(*b)).sum::<f64>();
        }
        Ok(-sum)
    }

    /// Visits every label: row, item, slope of its loss, value.
    fn each_label(&self, labels: &Labels, mut visit: impl FnMut(usize, usize, f64, f64)) {
        let m = self.items.len();
        for i in 0..self.problem.outputs() {
            for (k, &j) in self.items.iter().enumerate() {
                let y = self.targets[i * m + k];
                visit(i, j, self.loss.slope(labels.scores[i * m + k] + labels.bias[i], y), y);
            }
        }
    }
}
