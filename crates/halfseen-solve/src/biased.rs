//! Minimises the hinge loss with a free bias, and costs and margins of each example, by a
//! primal-dual method on features.
//!
//! **Problem**: minimise P(w, b) = (1/2) |w|^2 + sum_i c_i [s_i - y_i (<w, x_i> + b)]_+ over w and
//! b; the bias is not in the norm. Its dual is to maximise D(beta) = sum_i s_i beta_i -
//! (1/2) |sum_i beta_i y_i x_i|^2 over 0 <= beta_i <= c_i with sum_i y_i beta_i = 0.
//!
//! **Guarantee**: the gap is P - D at a pair of points that are checked afresh, the bias the best
//! for its w and beta made feasible, so that P exceeds its optimum by no more than the gap, up to
//! rounding.
//!
//! **Method**: the interior-point method of the solvers over features ([`super::linear`]), with a
//! feature of ones whose weight is not in the norm: a step needs the Cholesky factor of J + X W X'
//! with a diagonal W > 0, r x r for r features. Its steps hardly grow in number with the costs,
//! where coordinate methods with the equality constraint slow down in proportion to them on a
//! singular Gram matrix. More features than examples are first rotated to as many as there are
//! examples.

mod certify;

use crate::error::{Error, Result};
use crate::interior::{Progress, follow};
use crate::linear::Features;
use crate::linear::interior::{Interior, Part};
use crate::linear::rotate::Rotation;
use crate::monitor::Monitor;
use crate::stop::Stop;
pub(crate) use certify::best_bias;
use certify::{Certificate, certify};
use faer::{Mat, MatRef};

/// The examples, shared by problems of different costs and margins.
#[derive(Debug)]
pub struct Examples<'a> {
    /// As given, (d, n).
    rows: MatRef<'a, f64>,
    signs: &'a [f64],
    /// Features with the same products, and 1 as last feature, (r + 1, n).
    columns: Mat<f64>,
    rotation: Option<Rotation>,
}

/// A point, and how far from the optimum it can be.
#[derive(Debug, Clone, PartialEq)]
pub struct Separator {
    /// w, (d).
    pub weights: Vec<f64>,
    /// b; of an interval of best ones the middle.
    pub bias: f64,
    /// beta, (n), feasible for the dual: the certificate. It is inside its bounds, hardly where it
    /// belongs on them.
    pub multipliers: Vec<f64>,
    /// P(w, b).
    pub objective: f64,
    /// P(w, b) - D(beta), at least 0.
    pub gap: f64,
    /// Newton steps.
    pub steps: u64,
    /// [`Stop::Tolerance`], [`Stop::IterationLimit`], [`Stop::NoProgress`],
    /// [`Stop::NumericalFailure`] or [`Stop::Interrupted`].
    pub stop: Stop,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// At a gap of at most `tol` times the objective.
    pub tol: f64,
    /// After so many Newton steps.
    pub max_iter: u64,
}

impl<'a> Examples<'a> {
    /// Examples as columns of a matrix (d, n) with a sign -1 or +1 each, (n).
    ///
    /// # Errors
    /// No example; lengths that do not fit; a sign or a value that is none.
    pub fn new(rows: MatRef<'a, f64>, signs: &'a [f64]) -> Result<Examples<'a>> {
        let (d, n) = (rows.nrows(), rows.ncols());
        if n == 0 {
            return Err(Error::TooFewRows { what: "a separating plane".into(), least: 1, rows: 0 });
        }
        check_length("the signs", n, signs)?;
        if let Some(y) = signs.iter().find(|y| y.abs() != 1.0) {
            let problem = format!("the hinge loss needs -1 or +1, got {y}");
            return Err(Error::WrongTarget { what: "target", problem });
        }
        for i in 0..n {
            for j in 0..d {
                if !rows[(j, i)].is_finite() {
                    let column = format!("column {}", j + 1);
                    return Err(Error::NotFinite { row: i + 1, column, value: rows[(j, i)] });
                }
            }
        }
        let rotation = (d > n).then(|| Rotation::new(rows.to_owned()));
        let columns = match &rotation {
            Some(rotation) => rotation.rotated(true),
            None => Mat::from_fn(d + 1, n, |j, i| if j < d { rows[(j, i)] } else { 1.0 }),
        };
        Ok(Examples { rows, signs, columns, rotation })
    }

    /// Minimises P for these costs c_i > 0 and margins s_i > 0, (n) each.
    ///
    /// # Errors
    /// Lengths that do not fit; costs, margins or a tolerance that are not positive and finite;
    /// [`Error::Numerical`] where the objective leaves the range of numbers.
    pub fn separate(
        &self,
        costs: &[f64],
        margins: &[f64],
        until: Until,
        monitor: &dyn Monitor,
    ) -> Result<Separator> {
        let n = self.rows.ncols();
        for (name, numbers) in [("cost", costs), ("margin", margins)] {
            check_length(if name == "cost" { "the costs" } else { "the margins" }, n, numbers)?;
            if let Some(&value) = numbers.iter().find(|v| !(v.is_finite() && **v > 0.0)) {
                return Err(out_of_range(name, value));
            }
        }
        if !(until.tol.is_finite() && until.tol > 0.0) {
            return Err(out_of_range("tol", until.tol));
        }
        if let Some(separator) = self.trivial(margins) {
            return Ok(separator);
        }
        let (features, all) =
            (Features::new(self.columns.as_ref())?, (0..n).collect::<Vec<usize>>());
        let fixed = vec![0.0; features.width()];
        let part =
            Part { features, of: &all, signs: self.signs, costs, margins, fixed, bias: true };
        let mut interior = Interior::new(part);
        let mut best = self.certified(&interior, costs, margins);
        let judge = |path: &mut Interior<'_>| {
            best.merge(self.certified(path, costs, margins));
            Progress { solved: best.gap <= until.tol * best.objective, left: best.gap }
        };
        let (steps, stop) = follow(&mut interior, judge, until.max_iter, monitor);
        let Certificate { weights, bias, multipliers, objective, gap } = best;
        if !(objective.is_finite() && gap.is_finite()) {
            let problem =
                "the objective leaves the range of numbers; scale the attributes, or lower c"
                    .to_owned();
            return Err(Error::Numerical { what: "separating two classes", problem });
        }
        Ok(Separator { weights, bias, multipliers, objective, gap, steps, stop })
    }

    /// One class alone, or nothing but zeros: w = 0 is optimal.
    fn trivial(&self, margins: &[f64]) -> Option<Separator> {
        let y = self.signs[0];
        if self.signs.iter().any(|other| *other != y) {
            return None;
        }
        let bias = y * margins.iter().fold(0.0_f64, |a, s| a.max(*s));
        let (weights, multipliers) = (vec![0.0; self.rows.nrows()], vec![0.0; margins.len()]);
        let (objective, gap, steps) = (0.0, 0.0, 0);
        Some(Separator { weights, bias, multipliers, objective, gap, steps, stop: Stop::Tolerance })
    }

    /// What is certain of a point.
    fn certified(&self, at: &Interior<'_>, costs: &[f64], margins: &[f64]) -> Certificate {
        let (_, weights) = at.vector().split_last().unwrap_or((&0.0, &[]));
        let weights = match &self.rotation {
            Some(rotation) => rotation.back(weights),
            None => weights.to_vec(),
        };
        certify(self.rows, self.signs, costs, margins, weights, at.beta())
    }
}

fn check_length(what: &str, expected: usize, numbers: &[f64]) -> Result<()> {
    if numbers.len() == expected {
        return Ok(());
    }
    Err(Error::WrongLength { what: what.to_owned(), expected, found: numbers.len() })
}

fn out_of_range(name: &'static str, value: f64) -> crate::Error {
    Error::OutOfRange { name, value: value.to_string(), allowed: "a finite number above 0".into() }
}

#[cfg(test)]
mod tests;
