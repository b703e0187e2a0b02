//! Lower triangles of symmetric products.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Writes (or adds) the lower triangle of `factor` A B into `to`, where A B is known to be symmetric.
pub fn lower_product(
    to: MatMut<'_, f64>,
    accum: Accum,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    factor: f64,
) {
    let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    matmul(to, lower, accum, a, full, b, full, factor, Par::Seq);
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
