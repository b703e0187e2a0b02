//! Minimises the hinge loss with a free bias and individual costs and margins, by a primal-dual
//! method on features.
//!
//! **Problem**: minimise P(w, b) = (1/2) |w|^2 + sum_i c_i [s_i - y_i (<w, x_i> + b)]_+ over w and
//! b; the bias is not penalised. The dual maximises D(beta) = sum_i s_i beta_i - (1/2) |sum_i
//! beta_i y_i x_i|^2 over 0 <= beta_i <= c_i with sum_i y_i beta_i = 0.
//!
//! **Guarantee**: the gap is P - D at a recomputed pair of points, with the best bias for w and
//! beta made feasible, so P exceeds its optimum by at most the gap, up to rounding.
//!
//! **Method**: the interior-point method of the solvers over features ([`halfseen_solve::linear`]),
//! with an unpenalised feature of ones. A step needs the Cholesky factor of J + X W X' with a
//! diagonal W > 0, r x r for r features. The number of steps hardly grows with the costs; on a singular Gram
//! matrix, coordinate methods with the equality constraint slow down in proportion to them. If
//! there are more features than examples, n examples are first rotated to n features.

mod certify;

pub(crate) use certify::best_bias;
use certify::{Certificate, certify};
use faer::{Mat, MatRef};
use halfseen_solve::linear::{Rotation, follow_biased};
use halfseen_solve::{Error, Monitor, Progress, Result, SolverStop};

/// Examples, shared by problems of different costs and margins.
#[derive(Debug)]
pub struct Examples<'a> {
    /// Rows as given, (d, n).
    rows: MatRef<'a, f64>,
    signs: &'a [f64],
    /// Features with the same products, and 1 as last feature, (r + 1, n).
    columns: Mat<f64>,
    rotation: Option<Rotation>,
}

/// Minimiser with its certified gap.
#[derive(Debug, Clone, PartialEq)]
pub struct Separator {
    /// w, (d).
    pub weights: Vec<f64>,
    /// b; the middle if an interval is optimal.
    pub bias: f64,
    /// beta, (n), dual feasible: the certificate. It lies strictly inside its bounds, even if the
    /// optimum is on them.
    pub multipliers: Vec<f64>,
    /// P(w, b).
    pub objective: f64,
    /// P(w, b) - D(beta), at least 0.
    pub gap: f64,
    /// Number of Newton steps.
    pub steps: u64,
    /// [`SolverStop::Tolerance`], [`SolverStop::IterationLimit`], [`SolverStop::NoProgress`],
    /// [`SolverStop::NumericalFailure`] or [`SolverStop::Interrupted`].
    pub stop: SolverStop,
}

/// Stopping rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// Largest gap, relative to the objective.
    pub tol: f64,
    /// Largest number of Newton steps.
    pub max_iter: u64,
}

impl<'a> Examples<'a> {
    /// Prepares examples given as columns of a matrix (d, n) with signs -1 or +1, (n).
    ///
    /// # Errors
    /// If there are no examples, lengths differ, a sign is not -1 or +1, or a value is not finite.
    pub fn new(rows: MatRef<'a, f64>, signs: &'a [f64]) -> Result<Examples<'a>> {
        let (d, n) = (rows.nrows(), rows.ncols());
        if n == 0 {
            return Err(Error::TooFewRows { what: "a separating plane".into(), least: 1, rows: 0 });
        }
        check_length("signs", n, signs)?;
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
    /// If lengths differ, or costs, margins or a tolerance are not positive and finite;
    /// [`Error::Numerical`] if the objective is out of the range of numbers.
    pub fn separate(
        &self,
        costs: &[f64],
        margins: &[f64],
        until: Until,
        monitor: &dyn Monitor,
    ) -> Result<Separator> {
        let n = self.rows.ncols();
        for (name, numbers) in [("cost", costs), ("margin", margins)] {
            check_length(if name == "cost" { "costs" } else { "margins" }, n, numbers)?;
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
        let mut best: Option<Certificate> = None;
        let judge = |vector: &[f64], beta: &[f64]| {
            let certificate = self.certified(vector, beta, costs, margins);
            let best = match &mut best {
                Some(best) => {
                    best.merge(certificate);
                    best
                }
                none => none.insert(certificate),
            };
            Progress { solved: best.gap <= until.tol * best.objective, left: best.gap }
        };
        let of = [self.signs, costs, margins];
        let (steps, stop) =
            follow_biased(self.columns.as_ref(), of, judge, until.max_iter, monitor)?;
        let finite = |best: &Certificate| best.objective.is_finite() && best.gap.is_finite();
        let Some(best) = best.filter(finite) else {
            let problem =
                "the objective is out of the range of numbers; scale the attributes, or lower c"
                    .to_owned();
            return Err(Error::Numerical { what: "separating two classes", problem });
        };
        let Certificate { weights, bias, multipliers, objective, gap } = best;
        Ok(Separator { weights, bias, multipliers, objective, gap, steps, stop })
    }

    /// Returns the optimum w = 0 if there is only one class.
    fn trivial(&self, margins: &[f64]) -> Option<Separator> {
        let y = self.signs[0];
        if self.signs.iter().any(|other| *other != y) {
            return None;
        }
        let bias = y * margins.iter().fold(0.0_f64, |a, s| a.max(*s));
        let (weights, multipliers) = (vec![0.0; self.rows.nrows()], vec![0.0; margins.len()]);
        let (objective, gap, steps) = (0.0, 0.0, 0);
        Some(Separator {
            weights,
            bias,
            multipliers,
            objective,
            gap,
            steps,
            stop: SolverStop::Tolerance,
        })
    }

    fn certified(
        &self,
        vector: &[f64],
        beta: &[f64],
        costs: &[f64],
        margins: &[f64],
    ) -> Certificate {
        let (_, weights) = vector.split_last().unwrap_or((&0.0, &[]));
        let weights = match &self.rotation {
            Some(rotation) => rotation.back(weights),
            None => weights.to_vec(),
        };
        certify(self.rows, self.signs, costs, margins, weights, beta)
    }
}

fn check_length(what: &str, expected: usize, numbers: &[f64]) -> Result<()> {
    if numbers.len() == expected {
        return Ok(());
    }
    Err(Error::WrongLength { what: what.to_owned(), expected, found: numbers.len() })
}

fn out_of_range(name: &'static str, value: f64) -> Error {
    Error::OutOfRange { name, value: value.to_string(), allowed: "a finite number above 0".into() }
}

#[cfg(test)]
mod tests;
