//! Minimises losses over explicit features, in time linear in the rows.
//!
//! **Setting**: (1/2) |w|^2 + C sum_i loss_i, with scores z_i = <w, f_i> over features F, (D, n):
//! one example per column. The objectives are those of the solvers over Gram matrices with K = F'F.
//! There is no intercept; use a constant feature, or a kernel with a constant before sketching.
//!
//! | function | loss | method |
//! |---|---|---|
//! | [`ridge_path`], [`RidgeMoments`] | (z - y)^2 / 2, several outputs | normal equations, D x D |
//! | [`hinge`], [`hinge_path`] | c_i [s_i - y_i z_i]_+ | coordinate ascent, then interior point |
//! | [`follow_biased`] | the same with a free bias | interior point, judged by the caller |
//! | [`multiclass_path`] | max_r (1[r != y] + z_r - z_y) | block ascent, then interior point |
//!
//! **Guarantee**: objective minus dual objective, evaluated at recomputed weights and scores.

mod hinge;
mod interior;
mod multiclass;
mod outer;
mod ridge;
mod rotate;
#[cfg(test)]
mod testing;

pub use crate::multiclass::schedule::INTERIOR_SIZE;
pub use hinge::{LinearHingeProblem, hinge, hinge_path, hinge_path_weighted};
pub use interior::follow_biased;
pub use multiclass::{multiclass_path, multiclass_path_weighted};
pub use ridge::{RidgeMoments, ridge_path};
pub use rotate::{Rotation, orthonormal};

use super::positive;
use super::vectors::{add_multiple, dot};
use crate::Solved;
use crate::error::{Error, Result};
use crate::stop::SolverStop;
use faer::{ContiguousFwd, Mat, MatRef};
use rayon::prelude::*;

/// Minimiser over features, with its certified gap.
#[derive(Debug, Clone)]
pub struct LinearSolved {
    /// (D, outputs): score_j(x) = sum_k weights[(k, j)] phi_k(x).
    pub weights: Mat<f64>,
    /// (1/2) |w|^2 + C sum of losses at `weights`, summed over the outputs.
    pub objective: f64,
    /// Objective minus dual objective, at least 0: a bound on the distance from the optimum.
    pub gap: f64,
    /// Passes over the examples.
    pub passes: u64,
    /// Number of examples with nonzero dual variables.
    pub support: usize,
    /// Reason for stopping.
    pub stop: SolverStop,
}

impl Solved {
    /// Returns the same solution over features, of which the Gram matrix is that of products;
    /// `weights` combines the examples' features.
    pub fn over_features(self, weights: impl FnOnce(&Mat<f64>) -> Mat<f64>) -> LinearSolved {
        let Solved { coefficients, objective, gap, passes, support, stop } = self;
        LinearSolved { weights: weights(&coefficients), objective, gap, passes, support, stop }
    }
}

/// Number of examples per task, and of coordinates per sum; fixed, so that results do not depend on
/// the number of threads.
const EXAMPLES: usize = 256;
const COORDINATES: usize = 256;

/// Features in which each example is a slice.
#[derive(Clone, Copy)]
pub(super) struct Features<'a> {
    matrix: MatRef<'a, f64, usize, usize, ContiguousFwd>,
}

impl<'a> Features<'a> {
    /// Checks the features.
    ///
    /// # Errors
    /// If there are no examples or features, a number is not finite (with example and feature), or
    /// columns are not contiguous.
    pub(super) fn new(matrix: MatRef<'a, f64>) -> Result<Features<'a>> {
        if matrix.ncols() == 0 {
            return Err(Error::TooFewRows { what: "a linear solver".into(), least: 1, rows: 0 });
        }
        if matrix.nrows() == 0 {
            return Err(Error::NoColumns);
        }
        let Some(matrix) = matrix.try_as_col_major() else {
            let problem =
                "the features of an example are not contiguous: give one example per column".into();
            return Err(Error::Numerical { what: "a linear solver", problem });
        };
        let features = Features { matrix };
        let bad = (0..features.len())
            .into_par_iter()
            .find_first(|&i| !features.column(i).iter().all(|v| v.is_finite()));
        if let Some((i, j)) =
            bad.and_then(|i| Some((i, features.column(i).iter().position(|v| !v.is_finite())?)))
        {
            let (row, column) = (i + 1, format!("feature {}", j + 1));
            return Err(Error::NotFinite { row, column, value: matrix[(j, i)] });
        }
        Ok(features)
    }

    /// Returns n.
    fn len(&self) -> usize {
        self.matrix.ncols()
    }

    /// Returns D.
    pub(super) fn width(&self) -> usize {
        self.matrix.nrows()
    }

    #[inline]
    fn column(&self, i: usize) -> &'a [f64] {
        self.matrix.col(i).as_slice()
    }

    /// Returns <w, f_i> of the examples in `of`.
    fn scores(&self, weights: &[f64], of: &[usize]) -> Vec<f64> {
        let mut scores = vec![0.0; of.len()];
        scores.par_chunks_mut(EXAMPLES).zip(of.par_chunks(EXAMPLES)).for_each(|(out, of)| {
            out.iter_mut().zip(of).for_each(|(z, &i)| *z = dot(weights, self.column(i)));
        });
        scores
    }

    /// Computes sum += sum_i coefficients[i] f_i over the examples in `of`, in their order.
    fn add_combined(&self, coefficients: &[f64], of: &[usize], sum: &mut [f64]) {
        sum.par_chunks_mut(COORDINATES).enumerate().for_each(|(block, sum)| {
            let range = block * COORDINATES..block * COORDINATES + sum.len();
            for (&coefficient, &i) in coefficients.iter().zip(of) {
                if coefficient != 0.0 {
                    add_multiple(sum, coefficient, &self.column(i)[range.clone()]);
                }
            }
        });
    }
}

/// Checks the values of C, and returns their indices in increasing order.
fn increasing(cs: &[f64]) -> Result<Vec<usize>> {
    cs.iter().try_for_each(|&c| positive("c", c))?;
    let mut order: Vec<usize> = (0..cs.len()).collect();
    order.sort_by(|&i, &j| cs[i].total_cmp(&cs[j]));
    Ok(order)
}

/// Refuses an objective or a gap out of the range of numbers.
fn check_finite(what: &'static str, objective: f64, gap: f64) -> Result<()> {
    if objective.is_finite() && gap.is_finite() {
        return Ok(());
    }
    let problem =
        format!("objective {objective:e}, gap {gap:e}: scale the features, or choose another C");
    Err(Error::Numerical { what, problem })
}
