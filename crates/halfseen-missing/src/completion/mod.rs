//! Completes attributes and labels together as a matrix of low rank (MC-b and MC-1).
//!
//! **Setting**: items are columns. X (d, n) holds the attributes, observed on Omega_X; Y (t, n) the
//! labels, observed on Omega_Y. Both are parts of one matrix Z of low rank. Unlabelled items help,
//! and get labels.
//!
//! **MC-b** minimises over Z (t + d, n) and b (t) the sum of
//!   mu |Z|_*,
//!   lambda / |Omega_Y| times the sum over Omega_Y of c(z_ij + b_i, y_ij), and
//!   1 / |Omega_X| times the sum over Omega_X of (z_ij - x_ij)^2 / 2.
//!
//! **MC-1** has no b, but one more row of Z that should be 1: after each shrinking the row is set
//! to 1. **Its objective**: a gradient step of length tau on (w_j - 1)^2 / (2 tau) makes any w_j
//! equal 1. Hence the published iteration is the proximal gradient method on the objective of MC-b
//! without b, plus 1 / (2 tau) sum_j (w_j - 1)^2 for the row w. This is convex, so the iteration
//! converges; it is the objective here, minimised to a certified gap and reported. The row of the
//! completed matrix is then exactly 1, as published. The result is not the minimum over matrices
//! whose row is 1; and since tau = min(3.8 |Omega_Y| / lambda, |Omega_X|), lambda also sets the
//! strength of the row's penalty.
//!
//! **mu** is given as a share of the least mu for which Z = 0 is the solution, the spectral norm of
//! the gradient there. (A share of the data's largest singular value would depend on the size: that
//! value is about |Omega_X| times as large.)
//!
//! **Guarantee**: both problems are convex, and the report's gap bounds objective minus optimum by
//! weak duality.
//!
//! A. Goldberg, X. Zhu, B. Recht, J. Xu and R. Nowak, "Transduction with matrix completion: three
//! birds with one stone", NIPS 2010.

mod fpc;
mod labels;
mod learner;
mod objective;
mod shrink;
mod subspace;

pub use halfseen_core::params::CompletionVariant;
pub use labels::LabelLoss;
pub use learner::MatrixCompletion;

use faer::Mat;
use fpc::Path;
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::model::{Factor, Stop};
use halfseen_solve::Monitor;
use objective::Objective;

/// Largest cell accepted; squares must not overflow.
const LARGEST: f64 = 1e100;

/// Matrix to complete; items are columns.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    /// Attributes of every item, (d, n); 0 if unobserved.
    pub values: &'a Mat<f64>,
    /// 1 if observed, else 0, (d, n).
    pub observed: &'a Mat<f32>,
    /// Labels of every item, (t, n); those of unlabelled items are ignored.
    pub labels: Mat<f64>,
    /// True for items with known labels, (n).
    pub labelled: Vec<bool>,
}

/// Objective and precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// MC-b or MC-1.
    pub variant: CompletionVariant,
    /// Loss of the labels.
    pub loss: LabelLoss,
    /// lambda: weight of the labels' mean loss relative to that of the attributes.
    pub label_weight: f64,
    /// Relative duality gap at which the iteration stops.
    pub tol: f64,
    /// Maximal number of passes for each mu.
    pub max_iter: u64,
}

/// Solution for one mu, as a predictor of new items.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Predictor of labels from observed attributes; see [`Factor`].
    pub factor: Factor,
    /// mu.
    pub mu: f64,
    /// Objective reached; for MC-1 see the [module](self).
    pub objective: f64,
    /// Bound on the distance of the objective from its optimum.
    pub gap: f64,
    /// Number of passes for this mu, including those on the way from the one before.
    pub passes: u64,
    /// Reason for stopping.
    pub stop: Stop,
}

impl Solution {
    /// Returns the rank of Z.
    pub fn rank(&self) -> usize {
        self.factor.rank
    }
}

/// Completed matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Completed {
    /// Completed attributes, (d, n).
    pub attributes: Mat<f64>,
    /// Scores of every label and item, including b, (t, n): predictions for unlabelled items.
    pub scores: Mat<f64>,
    /// Solution of the optimisation, which predicts new items.
    pub solution: Solution,
}

/// Completes a matrix, for one mu.
///
/// `rank_penalty` is mu as a share of the least mu for which Z = 0 is the solution; from 1 on only
/// b is learned. Attributes without observed values are completed as 0. Unlabelled items without
/// observed values score b, or the value from MC-1's row of ones. If all labels of a row are equal,
/// the logistic loss has no best b, which then stays within 20.
///
/// # Errors
/// See [`solve`].
pub fn complete(
    problem: &Problem<'_>,
    settings: &Settings,
    rank_penalty: f64,
    monitor: &dyn Monitor,
) -> Result<Completed> {
    let mut completed = Vec::new();
    walk(problem, settings, &[rank_penalty], monitor, |path, solution| {
        let (t, d) = (problem.outputs(), problem.columns());
        let z = path.z.as_ref();
        let scores = Mat::from_fn(t, problem.items(), |i, j| z[(i, j)] + solution.factor.bias[i]);
        completed.push(Completed { attributes: z.subrows(t, d).to_owned(), scores, solution });
    })?;
    completed.pop().ok_or_else(|| ErrorKind::Interrupted { during: "completing a matrix" }.into())
}

/// Solves for several mu by one continuation from the largest to the smallest, and returns the
/// solutions in the order of `rank_penalties`. See [`complete`].
///
/// # Errors
/// Inconsistent sizes; penalties, weights or tolerances that are not positive and finite; labels
/// that the loss does not support; no observed cell at all; overflow. A monitor that asks to stop
/// causes no error.
pub fn solve(
    problem: &Problem<'_>,
    settings: &Settings,
    rank_penalties: &[f64],
    monitor: &dyn Monitor,
) -> Result<Vec<Solution>> {
    let mut order: Vec<usize> = (0..rank_penalties.len()).collect();
    order.sort_by(|&a, &b| rank_penalties[b].total_cmp(&rank_penalties[a]));
    let sorted: Vec<f64> = order.iter().map(|&i| rank_penalties[i]).collect();
    let mut places = order.into_iter();
    let mut solutions: Vec<Option<Solution>> = vec![None; rank_penalties.len()];
    walk(problem, settings, &sorted, monitor, |_, solution| {
        if let Some(place) = places.next() {
            solutions[place] = Some(solution);
        }
    })?;
    Ok(solutions.into_iter().flatten().collect())
}

/// Visits penalties in decreasing order.
fn walk(
    problem: &Problem<'_>,
    settings: &Settings,
    falling: &[f64],
    monitor: &dyn Monitor,
    mut visit: impl FnMut(&Path<'_>, Solution),
) -> Result<()> {
    settings.check()?;
    for &share in falling {
        positive("rank_penalty", share)?;
    }
    problem.check()?;
    let objective =
        Objective::new(problem, settings.variant, settings.loss, settings.label_weight)?;
    let cells = objective.cells;
    let mut path = Path::new(objective)?;
    let most = path.most()?;
    let mut from = most;
    for (at, &share) in falling.iter().enumerate() {
        let (mu, before) = (most * share, path.passes);
        let ended = path.descend(from, mu, settings.tol, settings.max_iter, monitor)?;
        from = mu;
        monitor.progress(at as u64 + 1, falling.len() as u64);
        let solution = Solution {
            factor: path.factor(mu * cells),
            mu,
            objective: path.value(mu),
            gap: ended.gap,
            passes: path.passes - before,
            stop: ended.stop,
        };
        visit(&path, solution);
    }
    Ok(())
}

impl Settings {
    fn check(&self) -> Result<()> {
        positive("label_weight", self.label_weight)?;
        positive("tol", self.tol)
    }
}

fn positive(name: &'static str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(ErrorKind::OutOfRange {
        name,
        value: value.to_string(),
        allowed: "a finite number above 0".into(),
    }
    .into())
}

impl Problem<'_> {
    /// Returns d, the number of attributes.
    pub fn columns(&self) -> usize {
        self.values.nrows()
    }

    /// Returns n, the number of items.
    pub fn items(&self) -> usize {
        self.values.ncols()
    }

    /// Returns t, the number of labels of an item.
    pub fn outputs(&self) -> usize {
        self.labels.nrows()
    }

    fn check(&self) -> Result<()> {
        let (d, n) = self.values.shape();
        let same = |what: &str, expected: usize, found: usize| match expected == found {
            true => Ok(()),
            false => Err(ErrorKind::WrongLength { what: what.to_owned(), expected, found }),
        };
        same("attributes of the mask", d, self.observed.nrows())?;
        same("items of the mask", n, self.observed.ncols())?;
        same("items of the labels", n, self.labels.ncols())?;
        same("items of labelled", n, self.labelled.len())?;
        for j in 0..n {
            let cells = self.values.col_as_slice(j).iter().zip(self.observed.col_as_slice(j));
            for (i, (&value, &seen)) in cells.enumerate() {
                let (row, column) = (j + 1, format!("attribute {}", i + 1));
                if !value.is_finite() || !(seen == 0.0 || seen == 1.0) {
                    let value = if value.is_finite() { f64::from(seen) } else { value };
                    return Err(ErrorKind::NotFinite { row, column, value }.into());
                }
                if value.abs() > LARGEST {
                    return Err(ErrorKind::TooLarge { row, column, value }.into());
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
