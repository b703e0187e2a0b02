//! Minimises losses over explicit features, in time linear in the rows.
//!
//! **Setting**: (1/2) |w|^2 + C sum_i loss_i, with scores z_i = <w, f_i> over features F, (D, n):
//! one example per column. The objectives are those of the solvers over Gram matrices with K = F'F.
//! There is no intercept: it is a constant feature, or part of the kernel that was sketched.
//!
//! | function | loss | method |
//! |---|---|---|
//! | [`ridge_path`], [`Moments`] | (z - y)^2 / 2, several outputs | normal equations, D x D |
//! | [`hinge`], [`hinge_path`] | c_i [s_i - y_i z_i]_+ | dual coordinate ascent, then interior point |
//! | [`multiclass_path`] | max_r (1[r != y] + z_r - z_y) | dual ascent by blocks, then interior point |
//!
//! **Guarantee**: objective minus dual objective, computed from weights and scores that were summed
//! afresh.

mod hinge;
pub(super) mod interior;
mod multiclass;
mod outer;
mod ridge;
pub(super) mod rotate;
#[cfg(test)]
mod testing;

pub use hinge::{Problem, hinge, hinge_path, hinge_path_weighted};
pub use multiclass::{multiclass_path, multiclass_path_weighted};
pub use ridge::{Moments, ridge_path};

use super::positive;
use super::vectors::{add_multiple, dot};
use crate::error::{Error, Result};
use crate::stop::Stop;
use faer::{ContiguousFwd, Mat, MatRef};
use rayon::prelude::*;

/// A minimiser over features, and how far from the optimum it can be.
#[derive(Debug, Clone)]
pub struct LinearSolved {
    /// (D, outputs): score_j(x) = sum_k weights[(k, j)] phi_k(x).
    pub weights: Mat<f64>,
    /// (1/2) |w|^2 + C sum of losses at `weights`, summed over the outputs.
    pub objective: f64,
    /// Objective minus dual objective, at least 0: the optimum is at most this much lower.
    pub gap: f64,
    /// Passes over the examples.
    pub passes: u64,
    /// Examples whose dual variables are not 0.
    pub support: usize,
    /// Why the solver stopped.
    pub stop: Stop,
}

/// Examples whose sums one task makes, and coordinates of a sum; fixed, so that no number of
/// threads changes the bits.
const EXAMPLES: usize = 256;
const COORDINATES: usize = 256;

/// Features whose examples are slices.
#[derive(Clone, Copy)]
pub(super) struct Features<'a> {
    matrix: MatRef<'a, f64, usize, usize, ContiguousFwd>,
}

impl<'a> Features<'a> {
    /// # Errors
    /// No examples or no features; numbers that are not finite, by example and feature; columns
    /// that are not contiguous.
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

    /// n.
    fn len(&self) -> usize {
        self.matrix.ncols()
    }

    /// D.
    pub(super) fn width(&self) -> usize {
        self.matrix.nrows()
    }

    #[inline]
    fn column(&self, i: usize) -> &'a [f64] {
        self.matrix.col(i).as_slice()
    }

    /// <w, f_i> of the examples in `of`.
    fn scores(&self, weights: &[f64], of: &[usize]) -> Vec<f64> {
        let mut scores = vec![0.0; of.len()];
        scores.par_chunks_mut(EXAMPLES).zip(of.par_chunks(EXAMPLES)).for_each(|(out, of)| {
            out.iter_mut().zip(of).for_each(|(z, &i)| *z = dot(weights, self.column(i)));
        });
        scores
    }

    /// sum += sum_i coefficients[i] f_i over the examples in `of`, in their order.
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

/// The numbers of the path in increasing order of C, after checking them.
fn increasing(cs: &[f64]) -> Result<Vec<usize>> {
    cs.iter().try_for_each(|&c| positive("c", c))?;
    let mut order: Vec<usize> = (0..cs.len()).collect();
    order.sort_by(|&i, &j| cs[i].total_cmp(&cs[j]));
    Ok(order)
}

/// Refuses an objective or a gap beyond the range of numbers.
fn check_finite(what: &'static str, objective: f64, gap: f64) -> Result<()> {
    if objective.is_finite() && gap.is_finite() {
        return Ok(());
    }
    let problem =
        format!("objective {objective:e}, gap {gap:e}: scale the features, or choose another C");
    Err(Error::Numerical { what, problem })
}
