//! Products of matrices, on one thread, and lower triangles of symmetric ones.
//!
//! Of f64 alone: kernels of another type would make the program larger.
#![allow(clippy::disallowed_methods)] // the one place that may

use crate::wide::narrow;
use faer::linalg::matmul::{matmul, triangular};
use faer::mat::{AsMatMut, AsMatRef};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Returns A B.
pub fn multiplied(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut product = Mat::zeros(a.nrows(), b.ncols());
    multiply(product.as_mut(), a, b);
    product
}

/// Writes A B into `to`.
pub fn multiply(
    to: impl AsMatMut<T = f64, Rows = usize, Cols = usize>,
    a: impl AsMatRef<T = f64, Rows = usize, Cols = usize>,
    b: impl AsMatRef<T = f64, Rows = usize, Cols = usize>,
) {
    product(to, Accum::Replace, a, b, 1.0);
}

/// Writes (or adds) `factor` A B into `to`.
pub fn product(
    mut to: impl AsMatMut<T = f64, Rows = usize, Cols = usize>,
    accum: Accum,
    a: impl AsMatRef<T = f64, Rows = usize, Cols = usize>,
    b: impl AsMatRef<T = f64, Rows = usize, Cols = usize>,
    factor: f64,
) {
    narrow(|| matmul(to.as_mat_mut(), accum, a.as_mat_ref(), b.as_mat_ref(), factor, Par::Seq));
}

/// Writes (or adds) the lower triangle of `factor` A B into `to`, where A B is known to be symmetric.
pub fn lower_product(
    to: MatMut<'_, f64>,
    accum: Accum,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    factor: f64,
) {
    use triangular::BlockStructure::{Rectangular, TriangularLower};
    narrow(|| {
        triangular::matmul(
            to,
            TriangularLower,
            accum,
            a,
            Rectangular,
            b,
            Rectangular,
            factor,
            Par::Seq,
        );
    });
}

/// Scales the lower triangle and copies it to the upper one.
pub fn mirror(gram: &mut Mat<f64>, scale: f64) {
    for j in 0..gram.ncols() {
        for i in j..gram.nrows() {
            let value = gram[(i, j)] * scale;
            gram[(i, j)] = value;
            gram[(j, i)] = value;
        }
    }
}
