//! Learns KARMA as printed, one example at a time (Hazan, Livni and Mansour 2015, algorithm 1).
//!
//! **Setting**: incomplete rows and their targets arrive one by one, in any order, even an
//! adversarial one. Step t scores the row with the vector learned before, suffers the loss l(z_t,
//! y_t), and takes a step of 1/(rho t) down the gradient of (rho/2) |v|^2 + l(<v, phi(x_t)>, y_t).
//!
//! **Guarantee**: for an L-Lipschitz loss, rows with k(x, x) <= R^2 and any v, the losses suffered
//! in T steps exceed those of v by at most (2 L^2 R^2 / rho) (1 + log T) + (rho/2) T |v|^2. This is
//! theorem 3 before its last step, which takes as v the vector whose scores are nearest to those of
//! f_{w,Q}.
//!
//! **Squared loss**: it has no L, since its slope z - y grows with the score, and steps above 2 /
//! k(x, x) make scores diverge. Therefore rho t becomes rho t + R_t^2, with R_t^2 the largest k(x,
//! x) so far. No step then exceeds 1 / R_t^2, and only the targets make the vector grow. While
//! R_t^2 is constant, this is the algorithm on a sequence that begins with R_t^2 / rho rows without
//! observed values.
//!
//! **Symbols**: g_t the derivative of the loss by the score at step t, one number per output; s_t =
//! t, or t + R_t^2 / rho for the squared loss; H_t = 1/s_1 + ... + 1/s_t. With steps 1/(rho s_t)
//! the printed recursion alpha_i <- (1 - 1/t) alpha_i, alpha_t = -g_t / (rho t) has the solution
//! alpha_i = -g_i / (rho s_t) for all i <= t, so the g are stored once and never shrunk. The
//! average of the vectors that scored steps 1 to T (the first is 0) has the coefficients -g_i
//! (H_(T-1) - H_(i-1)) / (rho T).

mod loss;

pub use loss::{OnlineLoss, Outcome, Outcomes};

use faer::{Mat, MatRef};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_solve::{Monitor, SolverStop, dot};
use serde::{Deserialize, Serialize};

/// Steps between two calls of the monitor.
const LOOK: usize = 256;

/// Vector that scores: that of the last step, or the average over the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelIterate {
    /// The last vector, as the online algorithm predicts.
    Last,
    /// The average, as in theorem 2.
    Averaged,
}

/// State of KARMA after some steps, for any kernel and any source of its values. Rows with
/// derivative 0 are not kept, except for the first.
///
/// The state is saved and loaded by serde, and continues with the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct OnlineKarma {
    loss: OnlineLoss,
    rho: f64,
    /// T, and H_(T-1) (0 before the first).
    steps: u64,
    harmonic: f64,
    /// R_T^2 for the squared loss; 0 for other losses.
    largest: f64,
    /// Sum of the losses suffered.
    suffered: f64,
    /// Slopes g of the rows kept, (outputs, kept), and H_(i-1) for the step i of each.
    slopes: Vec<Vec<f64>>,
    before: Vec<f64>,
}

impl OnlineKarma {
    /// Creates a learner without examples for a loss, a number of scores per row (1, or one per
    /// class) and the weight rho of |v|^2 / 2: 1/(C m) for m rows.
    ///
    /// # Errors
    /// A `rho` that is not positive and finite; a number of outputs that the loss does not support.
    pub fn new(loss: OnlineLoss, outputs: usize, rho: f64) -> Result<Self> {
        if !(rho.is_finite() && rho > 0.0) {
            let (value, allowed) = (rho.to_string(), "a finite number above 0".to_owned());
            return Err(ErrorKind::OutOfRange { name: "rho", value, allowed }.into());
        }
        loss.check_outputs(outputs)?;
        let (steps, harmonic, largest, suffered) = (0, 0.0, 0.0, 0.0);
        let (slopes, before) = (vec![Vec::new(); outputs], Vec::new());
        Ok(OnlineKarma { loss, rho, steps, harmonic, largest, suffered, slopes, before })
    }

    /// Returns the number of examples learned from.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the number of rows kept.
    pub fn kept(&self) -> usize {
        self.before.len()
    }

    /// Returns the sum of the losses suffered, each before its example was learned; their mean is
    /// an unbiased test estimate.
    pub fn suffered(&self) -> f64 {
        self.suffered
    }

    /// Returns the scores, (outputs), by the last vector of a row with the given `kernels` with the
    /// rows kept, (kept).
    pub fn scores(&self, kernels: &[f64]) -> Vec<f64> {
        let scale = self.scale(KernelIterate::Last);
        self.slopes.iter().map(|slopes| scale * dot(kernels, slopes)).collect()
    }

    /// Scores an example, suffers the loss, and takes one step. `kernels` are those of the row with
    /// the rows kept, (kept), and `own` is k(x, x). Returns true if the row is kept.
    ///
    /// # Errors
    /// A target that the loss does not support; [`ErrorKind::Numerical`] if a score overflows. In
    /// both cases the example is not learned.
    pub fn learn(&mut self, kernels: &[f64], own: f64, target: Outcome<'_>) -> Result<bool> {
        self.loss.check(target, self.slopes.len())?;
        let scores = self.scores(kernels);
        if let Some(value) = scores.iter().chain([&own]).find(|v| !v.is_finite()) {
            let (what, problem) = (
                "the online pass",
                format!("a score is {value}; lower c, scale the values down, or use solver=exact"),
            );
            return Err(ErrorKind::Numerical { what, problem }.into());
        }
        let mut slopes = vec![0.0; scores.len()];
        self.suffered += self.loss.derive(&scores, target, &mut slopes);
        if self.steps > 0 {
            self.harmonic += 1.0 / self.size();
        }
        self.steps += 1;
        if self.loss == OnlineLoss::Squared {
            self.largest = self.largest.max(own);
        }
        let keeps = self.before.is_empty() || slopes.iter().any(|g| *g != 0.0);
        if keeps {
            self.slopes.iter_mut().zip(slopes).for_each(|(kept, g)| kept.push(g));
            self.before.push(self.harmonic);
        }
        Ok(keeps)
    }

    /// Learns from rows of a matrix of kernels. Each of `rows` is its index among targets and
    /// columns of `kernels`, (rows, n), and among the rows of `kernels`; `kept`, which is extended,
    /// has the latter for the rows kept.
    ///
    /// # Errors
    /// As [`OnlineKarma::learn`]; the rows before stay learned.
    pub(crate) fn pass(
        &mut self,
        kernels: MatRef<'_, f64>,
        rows: impl ExactSizeIterator<Item = (usize, usize)>,
        targets: &Outcomes,
        kept: &mut Vec<usize>,
        monitor: &dyn Monitor,
    ) -> Result<SolverStop> {
        let (mut with_kept, total) = (Vec::with_capacity(kernels.nrows()), rows.len());
        for (step, (column, row)) in rows.enumerate() {
            if step % LOOK == LOOK - 1 {
                monitor.progress(step as u64, total as u64);
                if monitor.should_stop() {
                    return Ok(SolverStop::Interrupted);
                }
            }
            let all = kernels.col(column);
            with_kept.clear();
            with_kept.extend(kept.iter().map(|&row| all[row]));
            if self.learn(&with_kept, all[row], targets.of(column))? {
                kept.push(row);
            }
        }
        Ok(SolverStop::OnePass)
    }

    /// Returns the coefficients of either vector, (kept, outputs): score_j(x) = sum_i c_ij k(x_i,
    /// x).
    pub fn coefficients(&self, by: KernelIterate) -> Mat<f64> {
        let scale = self.scale(by);
        let weight = |i: usize| match by {
            KernelIterate::Last => scale,
            KernelIterate::Averaged => scale * (self.harmonic - self.before[i]),
        };
        Mat::from_fn(self.kept(), self.slopes.len(), |i, j| weight(i) * self.slopes[j][i])
    }

    /// Returns s_T.
    fn size(&self) -> f64 {
        self.steps as f64 + self.largest / self.rho
    }

    /// -1 / (rho s_T), or -1 / (rho T) for the average.
    fn scale(&self, by: KernelIterate) -> f64 {
        let size = if by == KernelIterate::Last { self.size() } else { self.steps as f64 };
        if self.steps > 0 { -1.0 / (self.rho * size) } else { 0.0 }
    }

    /// Rejects an unreachable state.
    fn check(&self) -> std::result::Result<(), &'static str> {
        let OnlineKarma { loss, rho, steps, harmonic, largest, suffered, slopes, before } = self;
        let fresh = OnlineKarma::new(*loss, slopes.len(), *rho).is_ok();
        let lengths = slopes.iter().all(|of| of.len() == before.len());
        let counted = (1..(*steps).min(1 << 20)).map(|t| 1.0 / (t as f64 + largest / rho));
        let fewest = counted.sum::<f64>() * (1.0 - 1e-9);
        let rising = before.is_sorted() && before.iter().all(|h| (0.0..=*harmonic).contains(h));
        match () {
            () if !fresh => Err("rho or the number of outputs is out of range"),
            () if before.len() as u64 > *steps => Err("there are more rows than steps"),
            () if !lengths => Err("the slopes differ in number from the rows kept"),
            () if !(0.0..=f64::MAX).contains(largest) => Err("largest is out of range"),
            () if *largest > 0.0 && *loss != OnlineLoss::Squared => {
                Err("largest is above 0 without squares")
            }
            () if !(harmonic.is_finite() && *harmonic >= fewest && rising) => {
                Err("harmonic is not a sum of 1/t, or before does not increase up to it")
            }
            () if !(0.0..=f64::MAX).contains(suffered) => Err("suffered is out of range"),
            () if !slopes.iter().flatten().all(|g| g.is_finite()) => Err("a slope is not finite"),
            () => Ok(()),
        }
    }
}

impl Serialize for OnlineKarma {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        OnlineKarma::serialize(self, to)
    }
}

impl<'de> Deserialize<'de> for OnlineKarma {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let state = OnlineKarma::deserialize(from)?;
        state.check().map_err(serde::de::Error::custom)?;
        Ok(state)
    }
}

#[cfg(test)]
mod tests;
