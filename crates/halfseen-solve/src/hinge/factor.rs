//! Factors K + D for diagonal D: by a factor of K if its rank is low, else directly.

use super::gram::Columns;
use crate::cholesky::{NotPositive, factor_in_place, solve_in_place};
use crate::products::lower_product;
use crate::vectors::{add_multiple, dot};
use faer::{Accum, Mat, Par};

/// Residual diagonals below this share of their diagonal, times n, are rounding.
const ROUNDING: f64 = 1e-14;

/// Returns L with K = L L', (n, rank), by Cholesky with diagonal pivoting; `None` if the rank
/// exceeds `most`.
pub(super) fn low_rank(columns: &Columns<'_>, most: usize) -> Option<Mat<f64>> {
    let n = columns.len();
    let mut left = columns.diagonal.clone();
    let mut factor: Vec<Vec<f64>> = Vec::new();
    loop {
        // Rows of any size are judged by their own: rounding of a large one may exceed a small one.
        let open = (0..n).filter(|&i| left[i] > ROUNDING * n as f64 * columns.diagonal[i]);
        let Some(pivot) = open.reduce(|best, i| if left[i] > left[best] { i } else { best }) else {
            return Some(Mat::from_fn(n, factor.len(), |i, k| factor[k][i]));
        };
        if factor.len() == most {
            return None;
        }
        let mut column = columns.column(pivot).to_vec();
        for earlier in &factor {
            add_multiple(&mut column, -earlier[pivot], earlier);
        }
        let scale = 1.0 / left[pivot].sqrt();
        column.iter_mut().for_each(|x| *x *= scale);
        for (left, x) in left.iter_mut().zip(&column) {
            *left = (*left - x * x).max(0.0);
        }
        left[pivot] = 0.0;
        factor.push(column);
    }
}

/// Solver of systems with (y y') o K + D.
pub(super) enum System<'a> {
    /// L (n, rank), with memory for the scaled L and the Cholesky factor of I + L' D^-1 L.
    Low { rows: Mat<f64>, scaled: Mat<f64>, inner: Mat<f64> },
    /// K, and the Cholesky factor of K + D, in the lower triangle.
    Dense { gram: &'a Columns<'a>, sum: Mat<f64> },
}

impl<'a> System<'a> {
    /// Selects the examples `indices` of a factor.
    pub(super) fn low(factor: &Mat<f64>, indices: &[usize]) -> System<'a> {
        let rank = factor.ncols();
        let rows = Mat::from_fn(indices.len(), rank, |i, k| factor[(indices[i], k)]);
        System::Low { scaled: rows.clone(), rows, inner: Mat::zeros(rank, rank) }
    }

    pub(super) fn dense(gram: &'a Columns<'a>) -> System<'a> {
        System::Dense { gram, sum: Mat::zeros(gram.len(), gram.len()) }
    }

    /// Returns ((y y') o K) a.
    pub(super) fn times(&self, y: &[f64], a: &[f64]) -> Vec<f64> {
        let signed: Vec<f64> = a.iter().zip(y).map(|(a, y)| a * y).collect();
        let mut product = vec![0.0; a.len()];
        match self {
            System::Low { rows, .. } => {
                for k in 0..rows.ncols() {
                    let column = rows.col_as_slice(k);
                    add_multiple(&mut product, dot(column, &signed), column);
                }
            }
            System::Dense { gram, .. } => {
                for (j, &b) in signed.iter().enumerate() {
                    add_multiple(&mut product, b, gram.column(j));
                }
            }
        }
        product.iter_mut().zip(y).for_each(|(p, y)| *p *= y);
        product
    }

    /// Factors for this D.
    ///
    /// # Errors
    /// If rounding leaves no positive pivot.
    pub(super) fn factor(&mut self, d: &[f64]) -> Result<(), NotPositive> {
        match self {
            System::Low { rows, scaled, inner } => {
                let roots: Vec<f64> = d.iter().map(|d| 1.0 / d.sqrt()).collect();
                for k in 0..rows.ncols() {
                    for ((s, x), root) in
                        scaled.col_as_slice_mut(k).iter_mut().zip(rows.col_as_slice(k)).zip(&roots)
                    {
                        *s = x * root;
                    }
                }
                lower_product(
                    inner.as_mut(),
                    Accum::Replace,
                    scaled.transpose(),
                    scaled.as_ref(),
                    1.0,
                );
                (0..inner.nrows()).for_each(|k| inner[(k, k)] += 1.0);
                factor_in_place(inner.as_mut(), Par::Seq)
            }
            System::Dense { gram, sum } => {
                for (j, d) in d.iter().enumerate() {
                    sum.col_as_slice_mut(j)[j..].copy_from_slice(&gram.column(j)[j..]);
                    sum[(j, j)] += d;
                }
                factor_in_place(sum.as_mut(), Par::Seq)
            }
        }
    }

    /// Solves with the factored D, and for a low-rank system refines once.
    pub(super) fn solve(&self, d: &[f64], y: &[f64], right: &[f64]) -> Vec<f64> {
        let mut solution = self.solve_once(d, y, right);
        if let System::Low { .. } = self {
            let curved = self.times(y, &solution);
            let left: Vec<f64> =
                (0..d.len()).map(|i| right[i] - curved[i] - d[i] * solution[i]).collect();
            add_multiple(&mut solution, 1.0, &self.solve_once(d, y, &left));
        }
        solution
    }

    fn solve_once(&self, d: &[f64], y: &[f64], right: &[f64]) -> Vec<f64> {
        let n = right.len();
        match self {
            System::Low { rows, inner, .. } => {
                // (L L' + D)^-1 = D^-1 - D^-1 L (I + L' D^-1 L)^-1 L' D^-1 (Woodbury).
                let first: Vec<f64> = (0..n).map(|i| y[i] * right[i] / d[i]).collect();
                let mut inside =
                    Mat::from_fn(rows.ncols(), 1, |k, _| dot(rows.col_as_slice(k), &first));
                solve_in_place(inner.as_ref(), inside.as_mut());
                let mut back = vec![0.0; n];
                for k in 0..rows.ncols() {
                    add_multiple(&mut back, inside[(k, 0)], rows.col_as_slice(k));
                }
                (0..n).map(|i| y[i] * (first[i] - back[i] / d[i])).collect()
            }
            System::Dense { sum, .. } => {
                let mut solution = Mat::from_fn(n, 1, |i, _| y[i] * right[i]);
                solve_in_place(sum.as_ref(), solution.as_mut());
                (0..n).map(|i| y[i] * solution[(i, 0)]).collect()
            }
        }
    }
}
