//! Stores drawn rows of a known subspace with missing values, and their true parameters.

use crate::regularity::{Regularity, kappa_over};
use crate::streams;
use faer::{Mat, MatRef};
use halfseen::data::{Examples, Layout, Matrix, Scaler};
use halfseen::error::Result;
use halfseen::sampling::Stream;
use ndarray::Array2;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rows with missing values, the complete rows, and their subspace.
#[derive(Debug, Clone)]
pub struct Incomplete {
    /// Cells, (rows, columns); NaN where missing. Always [`Matrix::F64`].
    pub matrix: Matrix,
    /// Complete cells, (rows, columns).
    pub complete: Array2<f64>,
    /// Identity scaler.
    pub scaler: Scaler,
    /// Layout with one column per read.
    pub layout: Arc<Layout>,
    /// One target per row.
    pub targets: Vec<f64>,
    /// w, (columns), from which the generators compute the targets of complete rows.
    pub truth: Vec<f64>,
    /// Orthonormal basis of the subspace of the rows, (columns, rank).
    pub basis: Mat<f64>,
    /// Block of each column, (columns); all 0 where columns are hidden one by one.
    pub blocks: Vec<usize>,
}

impl Incomplete {
    pub(super) fn new(
        complete: Array2<f64>,
        observed: &[Vec<bool>],
        targets: Vec<f64>,
        truth: Vec<f64>,
        basis: Mat<f64>,
    ) -> Incomplete {
        let mut values = complete.clone();
        for (mut row, observed) in values.rows_mut().into_iter().zip(observed) {
            row.iter_mut()
                .zip(observed)
                .filter(|(_, seen)| !**seen)
                .for_each(|(cell, _)| *cell = f64::NAN);
        }
        let columns = truth.len();
        Incomplete {
            matrix: Matrix::F64(values),
            complete,
            scaler: Scaler::None {},
            layout: Arc::new(Layout::singletons(columns)),
            targets,
            truth,
            basis,
            blocks: vec![0; columns],
        }
    }

    /// Returns all rows, as a learner gets them.
    pub fn examples(&self) -> Examples<'_> {
        Examples::new(&self.matrix, &self.scaler, &self.layout, &self.targets)
    }

    /// Returns the mask of the observed cells of one row, (columns).
    pub fn observed(&self, row: usize) -> Vec<bool> {
        (0..self.truth.len()).map(|j| !self.matrix.get(row, j).is_nan()).collect()
    }

    /// Returns kappa over the patterns of the drawn rows, and the number of distinct patterns that
    /// do not determine their row (see [`Regularity`]).
    ///
    /// # Errors
    /// Numerical failure.
    pub fn kappa(&self) -> Result<Regularity> {
        let patterns: BTreeSet<Vec<bool>> =
            (0..self.targets.len()).map(|row| self.observed(row)).collect();
        kappa_over(self.basis.as_ref(), patterns)
    }
}

/// Random subspace and random w with |P_E w| = 1, so that <w, x> has variance 1 for x = U z with z
/// of independent standard normals.
pub(super) struct Subspace {
    /// U: orthonormal columns, (columns, rank).
    pub(super) basis: Mat<f64>,
    /// Normals from which U is computed, and B of `spread_by_loadings`.
    loadings: Mat<f64>,
    by_loadings: bool,
    /// w, which lies in the subspace.
    pub(super) truth: Vec<f64>,
}

impl Subspace {
    /// Draws a subspace of `rank` from 1 to `columns`; the last stream is for the rows.
    pub(super) fn draw(
        columns: usize,
        rank: usize,
        seed: u64,
        generator: u64,
    ) -> (Subspace, Stream, Stream) {
        let (mut secret, stream) = streams(seed, generator);
        let normals = Mat::from_fn(columns, rank, |_, _| secret.normal());
        let basis = orthonormalised(normals.clone());
        let weights: Vec<f64> = (0..rank).map(|_| secret.normal()).collect();
        let size = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        let truth = combined(basis.as_ref(), &weights).into_iter().map(|w| w / size).collect();
        (Subspace { basis, loadings: normals, by_loadings: false, truth }, secret, stream)
    }

    /// Makes rows x = B z from now on, B the normals that span the same subspace as U, and scales w
    /// so that <w, x> has variance 1 again.
    pub(super) fn spread_by_loadings(&mut self) {
        self.by_loadings = true;
        let along = |k: usize| {
            self.truth.iter().zip(self.loadings.col(k).iter()).map(|(w, b)| w * b).sum::<f64>()
        };
        let size = (0..self.loadings.ncols()).map(|k| along(k).powi(2)).sum::<f64>().sqrt();
        self.truth.iter_mut().for_each(|w| *w /= size);
    }

    /// Draws x = U z, or B z.
    pub(super) fn row(&self, stream: &mut Stream) -> Vec<f64> {
        let z: Vec<f64> = (0..self.basis.ncols()).map(|_| stream.normal()).collect();
        let of = if self.by_loadings { &self.loadings } else { &self.basis };
        combined(of.as_ref(), &z)
    }

    /// Returns <w, x>.
    pub(super) fn score(&self, x: &[f64]) -> f64 {
        self.truth.iter().zip(x).map(|(w, x)| w * x).sum()
    }
}

fn combined(basis: MatRef<'_, f64>, z: &[f64]) -> Vec<f64> {
    (0..basis.nrows()).map(|j| z.iter().enumerate().map(|(k, z)| basis[(j, k)] * z).sum()).collect()
}

/// Applies Gram-Schmidt twice, because once leaves rounding errors of nearly dependent columns.
fn orthonormalised(mut columns: Mat<f64>) -> Mat<f64> {
    for k in 0..columns.ncols() {
        for _ in 0..2 {
            for earlier in 0..k {
                let product: f64 = columns
                    .col(k)
                    .iter()
                    .zip(columns.col(earlier).iter())
                    .map(|(a, b)| a * b)
                    .sum();
                (0..columns.nrows())
                    .for_each(|j| columns[(j, k)] -= product * columns[(j, earlier)]);
            }
        }
        let size = columns.col(k).iter().map(|a| a * a).sum::<f64>().sqrt();
        columns.col_as_slice_mut(k).iter_mut().for_each(|a| *a /= size);
    }
    columns
}
