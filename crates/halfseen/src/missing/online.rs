//! Learns KARMA as printed: one example at a time (paper D, algorithm 1).
//!
//! **Setting**: incomplete rows and their targets arrive one by one, in any order, an adversary's
//! included. Step t scores the row with what was learned before, suffers the loss l(z_t, y_t), and
//! steps by 1/(rho t) down the gradient of (rho/2) |v|^2 + l(<v, phi(x_t)>, y_t).
//!
//! **Guarantee**: for an L-Lipschitz loss, rows with k(x, x) <= R^2 and any v, the losses suffered
//! in T steps exceed those of v by at most (2 L^2 R^2 / rho) (1 + log T) + (rho/2) T |v|^2 (paper
//! D, theorem 3, before its last step, which takes for v the vector whose scores are nearest to
//! those of f_{w,Q}).
//!
//! **Symbols**: g_t the derivative of the loss by the score at step t, one number per output; H_t =
//! 1 + 1/2 + ... + 1/t. With the steps 1/(rho t) the printed recursion alpha_i <- (1 - 1/t)
//! alpha_i, alpha_t = -g_t / (rho t) has the solution alpha_i = -g_i / (rho t) for all i <= t: the
//! g are stored once and never shrunk. The average of the vectors that scored steps 1 to T (the
//! first is 0) has the coefficients -g_i (H_(T-1) - H_(i-1)) / (rho T).

mod batch;
mod loss;

pub use batch::{Pass, Targets, run};
pub use loss::{OnlineLoss, Outcome};

use crate::error::{ErrorKind, Result};
use crate::kernel::{Comparison, Row};
use loss::largest_score;
use serde::{Deserialize, Serialize};

/// Which vector scores: that of the last step, or the average over the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Iterate {
    /// As the online algorithm predicts.
    Last,
    /// As theorem 2 analyses.
    Averaged,
}

/// What an online learner is told at its start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Attributes of a row.
    pub columns: usize,
    /// Whether an attribute 1, always observed, is appended to each row.
    pub constant: bool,
    /// Scores per row: 1, or one per class.
    pub outputs: usize,
    /// The weight rho of |v|^2 / 2; 1/(C m) for m rows.
    pub rho: f64,
    /// The loss.
    pub loss: OnlineLoss,
}

impl Setup {
    fn check(&self) -> Result<()> {
        check_rho(self.rho)?;
        if self.columns == 0 {
            return Err(ErrorKind::NoAttributes.into());
        }
        self.loss.check_outputs(self.outputs)
    }

    /// Numbers per stored row.
    fn width(&self) -> usize {
        self.columns + usize::from(self.constant)
    }
}

/// Refuses a rho that is no weight.
fn check_rho(rho: f64) -> Result<()> {
    if rho.is_finite() && rho > 0.0 {
        return Ok(());
    }
    let (value, allowed) = (rho.to_string(), "a finite number above 0".to_owned());
    Err(ErrorKind::OutOfRange { name: "rho", value, allowed }.into())
}

/// KARMA's state after some steps. Rows that taught nothing (derivative 0) are not kept.
///
/// It is saved and loaded by serde, and goes on with the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved<K>", bound(deserialize = "K: Deserialize<'de>"))]
pub struct OnlineKarma<K> {
    kernel: K,
    setup: Setup,
    /// T, and H_(T-1) (0 before the first).
    steps: u64,
    harmonic: f64,
    /// The largest target so far, in absolute value.
    largest: f64,
    /// Sum of the losses suffered.
    suffered: f64,
    /// The rows kept, one after another, (kept, width).
    values: Vec<f64>,
    observed: Vec<f32>,
    /// Their g, (kept, outputs), and H_(i-1) for the step i of each.
    slopes: Vec<f64>,
    before: Vec<f64>,
}

impl<K: Comparison> OnlineKarma<K> {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// A `rho` that is not positive; no attribute; a number of outputs that the loss does not have.
    pub fn new(kernel: K, setup: Setup) -> Result<Self> {
        setup.check()?;
        let (values, observed, slopes, before) = Default::default();
        let zero = 0.0;
        let (harmonic, largest, suffered) = (zero, zero, zero);
        Ok(OnlineKarma {
            kernel,
            setup,
            steps: 0,
            harmonic,
            largest,
            suffered,
            values,
            observed,
            slopes,
            before,
        })
    }

    /// How many examples were learned from.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How many rows are kept.
    pub fn kept(&self) -> usize {
        self.before.len()
    }

    /// The sum of the losses suffered, each before its example was learned: their mean is an honest
    /// test.
    pub fn suffered(&self) -> f64 {
        self.suffered
    }

    /// The `index`-th row kept.
    pub fn row(&self, index: usize) -> Option<Row<'_>> {
        let width = self.setup.width();
        let range = index.checked_mul(width)?..index.checked_add(1)?.checked_mul(width)?;
        Some(Row { values: self.values.get(range.clone())?, observed: self.observed.get(range)? })
    }

    /// The scores of a row of scaled values, NaN where missing, (columns), by the last vector:
    /// (outputs).
    ///
    /// # Errors
    /// A row of another width; an infinite value.
    pub fn predict(&self, row: &[f64]) -> Result<Vec<f64>> {
        self.scores(row, Iterate::Last)
    }

    /// The scores of a row by either vector.
    ///
    /// # Errors
    /// As [`OnlineKarma::predict`].
    pub fn scores(&self, row: &[f64], by: Iterate) -> Result<Vec<f64>> {
        let (mut values, mut observed) = (Vec::new(), Vec::new());
        self.read(row, &mut values, &mut observed)?;
        Ok(self.scores_of(Row { values: &values, observed: &observed }, by))
    }

    /// Scores an example, suffers the loss, and takes one step. Returns the scores z_t and the
    /// loss.
    ///
    /// # Errors
    /// As [`OnlineKarma::predict`]; a target that the loss does not have; [`ErrorKind::Diverged`]
    /// where the scores have grown beyond all targets, as they do with the squared loss while k(x,
    /// x) is far above rho t. Nothing is then learned of this example.
    pub fn learn(&mut self, row: &[f64], target: Outcome<'_>) -> Result<(Vec<f64>, f64)> {
        let kept = self.values.len();
        let (mut values, mut observed) =
            (std::mem::take(&mut self.values), std::mem::take(&mut self.observed));
        let read = self.read(row, &mut values, &mut observed);
        (self.values, self.observed) = (values, observed);
        let result = read.and_then(|()| {
            let new = Row { values: &self.values[kept..], observed: &self.observed[kept..] };
            let scores = self.scores_of(new, Iterate::Last);
            let largest = self.largest.max(self.setup.loss.check(target, self.setup.outputs)?);
            self.setup.loss.check_scores(&scores, largest)?;
            Ok((scores, largest))
        });
        let (scores, largest) = match result {
            Ok(read) => read,
            Err(error) => {
                self.values.truncate(kept);
                self.observed.truncate(kept);
                return Err(error);
            }
        };
        let from = self.slopes.len();
        self.slopes.resize(from + scores.len(), 0.0);
        let loss = self.setup.loss.derive(&scores, target, &mut self.slopes[from..]);
        if self.steps > 0 {
            self.harmonic += 1.0 / self.steps as f64;
        }
        self.steps += 1;
        (self.largest, self.suffered) = (largest, self.suffered + loss);
        if self.slopes[from..].iter().all(|g| *g == 0.0) {
            self.values.truncate(kept);
            self.observed.truncate(kept);
            self.slopes.truncate(from);
        } else {
            self.before.push(self.harmonic);
        }
        Ok((scores, loss))
    }

    /// The coefficients of the last vector, (kept, outputs) row by row: score_j(x) = sum_i c_ij
    /// k(x_i, x).
    pub fn last(&self) -> Vec<f64> {
        self.coefficients(Iterate::Last)
    }

    /// The coefficients of the averaged vector, likewise.
    pub fn averaged(&self) -> Vec<f64> {
        self.coefficients(Iterate::Averaged)
    }

    fn coefficients(&self, by: Iterate) -> Vec<f64> {
        let slopes = self.slopes.chunks_exact(self.setup.outputs).zip(&self.before);
        slopes.flat_map(|(g, before)| g.iter().map(|g| self.weight(by, *before) * g)).collect()
    }

    /// What the g of a row is multiplied by.
    fn weight(&self, by: Iterate, before: f64) -> f64 {
        let scale = -1.0 / (self.setup.rho * self.steps as f64);
        match by {
            Iterate::Last => scale,
            Iterate::Averaged => scale * (self.harmonic - before),
        }
    }

    fn scores_of(&self, row: Row<'_>, by: Iterate) -> Vec<f64> {
        let width = self.setup.width();
        let mut scores = vec![0.0; self.setup.outputs];
        let rows = self.values.chunks_exact(width).zip(self.observed.chunks_exact(width));
        let slopes = self.slopes.chunks_exact(self.setup.outputs).zip(&self.before);
        // The row that is being learned may stand behind those kept; it has no slope yet.
        for ((values, observed), (slopes, before)) in rows.zip(slopes) {
            let value = self.kernel.compare(Row { values, observed }, row);
            let factor = match by {
                Iterate::Last => value,
                Iterate::Averaged => value * (self.harmonic - before),
            };
            scores.iter_mut().zip(slopes).for_each(|(z, g)| *z += g * factor);
        }
        if self.steps > 0 {
            let scale = -1.0 / (self.setup.rho * self.steps as f64);
            scores.iter_mut().for_each(|z| *z *= scale);
        }
        scores
    }

    /// Appends a row of values with NaN to values and masks.
    fn read(&self, row: &[f64], values: &mut Vec<f64>, observed: &mut Vec<f32>) -> Result<()> {
        let expected = self.setup.columns;
        if row.len() != expected {
            return Err(ErrorKind::WrongLength {
                what: "the row's values".into(),
                expected,
                found: row.len(),
            }
            .into());
        }
        if let Some(at) = row.iter().position(|v| v.is_infinite()) {
            let (row_number, column) = (self.steps as usize + 1, format!("column {}", at + 1));
            return Err(ErrorKind::NotFinite { row: row_number, column, value: row[at] }.into());
        }
        values.extend(row.iter().map(|v| if v.is_nan() { 0.0 } else { *v }));
        observed.extend(row.iter().map(|v| if v.is_nan() { 0.0 } else { 1.0 }));
        if self.setup.constant {
            values.push(1.0);
            observed.push(1.0);
        }
        Ok(())
    }
}

/// The file's form of [`OnlineKarma`], not yet checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved<K> {
    kernel: K,
    setup: Setup,
    steps: u64,
    harmonic: f64,
    largest: f64,
    suffered: f64,
    values: Vec<f64>,
    observed: Vec<f32>,
    slopes: Vec<f64>,
    before: Vec<f64>,
}

impl<K> TryFrom<Saved<K>> for OnlineKarma<K> {
    type Error = crate::Error;

    fn try_from(saved: Saved<K>) -> Result<Self> {
        let Saved {
            kernel,
            setup,
            steps,
            harmonic,
            largest,
            suffered,
            values,
            observed,
            slopes,
            before,
        } = saved;
        setup.check()?;
        let bad = |key: &str, problem: &str| {
            Err(ErrorKind::BadFile {
                what: "state of online karma",
                key: key.into(),
                problem: problem.into(),
            }
            .into())
        };
        let kept = before.len();
        if kept as u64 > steps {
            return bad("before", "has more rows than there were steps");
        }
        let cells = kept.checked_mul(setup.width());
        for (key, found, expected) in [
            ("values", values.len(), cells),
            ("observed", observed.len(), cells),
            ("slopes", slopes.len(), kept.checked_mul(setup.outputs)),
        ] {
            if Some(found) != expected {
                return bad(key, "has not as many numbers as the rows kept need");
            }
        }
        if !values
            .iter()
            .zip(&observed)
            .all(|(v, o)| v.is_finite() && (*o == 1.0 || (*o == 0.0 && *v == 0.0)))
        {
            return bad("observed", "holds a number that is no mask of the values");
        }
        let counted = (1..steps.min(1 << 20)).map(|t| 1.0 / t as f64).sum::<f64>();
        let harmonic_is_one = harmonic.is_finite() && harmonic >= counted * (1.0 - 1e-9);
        if !harmonic_is_one
            || !before.iter().all(|h| (0.0..=harmonic).contains(h))
            || !before.is_sorted()
        {
            return bad(
                "harmonic",
                "is no sum of 1/t, or those before the rows do not rise up to it",
            );
        }
        if !(0.0..=largest_score()).contains(&largest) || !(0.0..=f64::MAX).contains(&suffered) {
            return bad("suffered", "it or the largest target is out of range");
        }
        if !slopes.iter().all(|g| g.is_finite()) {
            return bad("slopes", "holds a number that is not finite");
        }
        Ok(OnlineKarma {
            kernel,
            setup,
            steps,
            harmonic,
            largest,
            suffered,
            values,
            observed,
            slopes,
            before,
        })
    }
}

#[cfg(test)]
mod tests;
