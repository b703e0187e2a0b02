//! Gives the solver features of masked rows, and takes its weights back to the attributes.
//!
//! Sparse rows X, as columns, are fewer than their attributes, and have features of their number:
//! X'X = U L U' gives R = sqrt(L) U' with the same products. Weights w of these features are the
//! combination X U w / sqrt(L) of the rows, which has the same scores and length.

use faer::{Mat, MatRef};
use halfseen::kernel::gram::gram;
use halfseen::kernel::{DenseRows, Kernel, Masked, SparseRows};
use halfseen::params::Normalization;
use halfseen::{Monitor, Result};
use halfseen_solve::eigen;

/// The least share s_i.
const FLOOR: f64 = 1e-3;

/// Rows with their features.
pub(super) enum Space<'a> {
    /// The rows are features.
    Dense(&'a DenseRows),
    /// R, (r, n), and U / sqrt(L), (n, r).
    Sparse(&'a SparseRows, Mat<f64>, Mat<f64>),
}

impl<'a> Space<'a> {
    pub(super) fn new(rows: &'a Masked, monitor: &dyn Monitor) -> Result<Space<'a>> {
        let sparse = match rows {
            Masked::Dense(rows) => return Ok(Space::Dense(rows)),
            Masked::Sparse(sparse) => sparse,
        };
        let products = Kernel::new(1, None, Normalization::None, 1)?;
        let (values, vectors) = eigen(gram(&[products], rows, monitor)?.remove(0).as_ref())?;
        let (n, largest) = (values.len(), values.iter().copied().fold(0.0, f64::max));
        let least = largest * n as f64 * f64::EPSILON;
        let kept: Vec<usize> = (0..n).filter(|&k| values[k] > least).collect();
        let root = |k: usize| values[kept[k]].sqrt();
        let features = Mat::from_fn(kept.len(), n, |k, i| root(k) * vectors[(i, kept[k])]);
        let back = Mat::from_fn(n, kept.len(), |i, k| vectors[(i, kept[k])] / root(k));
        Ok(Space::Sparse(sparse, features, back))
    }

    /// Returns the features, (r, n).
    pub(super) fn features(&self) -> MatRef<'_, f64> {
        match self {
            Space::Dense(rows) => rows.values.as_ref(),
            Space::Sparse(_, features, _) => features.as_ref(),
        }
    }

    /// Returns the number of attributes.
    pub(super) fn columns(&self) -> usize {
        match self {
            Space::Dense(rows) => rows.columns(),
            Space::Sparse(rows, ..) => rows.columns(),
        }
    }

    /// Returns the weights of the attributes for those of the features.
    pub(super) fn weights(&self, of_features: &[f64]) -> Vec<f64> {
        match self {
            Space::Dense(_) => of_features.to_vec(),
            Space::Sparse(rows, _, back) => {
                let weights = Mat::from_fn(of_features.len(), 1, |k, _| of_features[k]);
                rows.combined(&(back * weights)).col_as_slice(0).to_vec()
            }
        }
    }

    /// Returns |w o b_i| / |w|, at least [`FLOOR`]; `None` for w = 0.
    pub(super) fn shown_shares(&self, weights: &[f64]) -> Option<Vec<f64>> {
        // Divided by the largest weight, no square overflows or underflows.
        let largest = weights.iter().fold(0.0_f64, |a, w| a.max(w.abs()));
        if largest == 0.0 {
            return None;
        }
        let squares: Vec<f64> = weights.iter().map(|w| (w / largest).powi(2)).collect();
        let total: f64 = squares.iter().sum();
        let shown = |i: usize| match self {
            Space::Dense(rows) => {
                let shown = squares.iter().zip(rows.observed().col_as_slice(i));
                shown.map(|(w, o)| w * f64::from(*o)).sum::<f64>()
            }
            Space::Sparse(rows, ..) => {
                total - rows.missing(i).iter().map(|&j| squares[j as usize]).sum::<f64>()
            }
        };
        let share = |i: usize| (shown(i).max(0.0) / total).sqrt().clamp(FLOOR, 1.0);
        Some((0..self.features().ncols()).map(share).collect())
    }

    /// Returns the sum of the losses at a plane for given shares.
    pub(super) fn losses(
        &self,
        signs: &[f64],
        costs: &[f64],
        (weights, bias): (&[f64], f64),
        shares: &[f64],
    ) -> f64 {
        let of_zeros = match self {
            Space::Dense(_) => 0.0,
            Space::Sparse(rows, ..) => rows.of_zeros(weights),
        };
        let score = |i: usize| match self {
            Space::Dense(rows) => {
                weights.iter().zip(rows.values.col_as_slice(i)).map(|(w, x)| w * x).sum::<f64>()
            }
            Space::Sparse(rows, ..) => rows.score(i, weights, of_zeros),
        };
        let loss = |i: usize| costs[i] * (1.0 - signs[i] * (score(i) + bias) / shares[i]).max(0.0);
        (0..signs.len()).map(loss).sum()
    }
}
