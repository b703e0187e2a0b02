//! Rotates n examples with more than n features into a space of at most n, where they have the same products.

use crate::error::Result;
use crate::full::eigen;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

/// X = U F with orthonormal columns in U.
#[derive(Debug)]
pub(super) struct Rotation {
    /// F, (r, n).
    pub(super) features: Mat<f64>,
    /// U, (d, r).
    basis: Mat<f64>,
}

impl Rotation {
    /// From X'X = V diag(l) V': U = X V diag(l)^(-1/2) and F = U'X, for the l above rounding.
    pub(super) fn new(rows: MatRef<'_, f64>) -> Result<Rotation> {
        let (d, n) = (rows.nrows(), rows.ncols());
        let mut gram = Mat::zeros(n, n);
        matmul(gram.as_mut(), Accum::Replace, rows.transpose(), rows, 1.0, Par::Seq);
        let (values, vectors) = eigen(&gram)?;
        let largest = values.iter().fold(0.0_f64, |a, b| a.max(*b));
        let kept: Vec<usize> = (0..n).filter(|&k| values[k] > largest * f64::EPSILON * d as f64).collect();
        let scaled = Mat::from_fn(n, kept.len(), |i, k| vectors[(i, kept[k])] / values[kept[k]].sqrt());
        let mut basis = Mat::zeros(d, kept.len());
        matmul(basis.as_mut(), Accum::Replace, rows, scaled.as_ref(), 1.0, Par::Seq);
        let mut features = Mat::zeros(kept.len(), n);
        matmul(features.as_mut(), Accum::Replace, basis.transpose(), rows, 1.0, Par::Seq);
        Ok(Rotation { features, basis })
    }

    /// U w.
    pub(super) fn back(&self, weights: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.basis.nrows()];
        for (k, w) in weights.iter().enumerate() {
            out.iter_mut().zip(self.basis.col_as_slice(k)).for_each(|(o, u)| *o += w * u);
        }
        out
    }
}
