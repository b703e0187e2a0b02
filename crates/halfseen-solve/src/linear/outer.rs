//! Sums outer products of examples into D x D matrices, and factors what comes of it.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::solve::{solve_in_place, solve_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

/// Columns of the sum that one task makes; fixed, so that no number of threads changes the bits.
const STRIPE: usize = 128;

/// Adds B B', B (D, b), to the lower triangle of `sum`, (D, D).
pub(super) fn add_outer(sum: &mut Mat<f64>, block: MatRef<'_, f64>) {
    let width = sum.nrows();
    sum.as_mut().par_col_chunks_mut(STRIPE).enumerate().for_each(|(number, stripe)| {
        let first = number * STRIPE;
        let columns = stripe.ncols();
        let below = stripe.submatrix_mut(first, 0, width - first, columns);
        let (corner, below) = below.split_at_row_mut(columns);
        let (own, rest) = block.subrows(first, width - first).split_at_row(columns);
        let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        triangular::matmul(
            corner,
            lower,
            Accum::Add,
            own,
            full,
            own.transpose(),
            full,
            1.0,
            Par::Seq,
        );
        matmul(below, Accum::Add, rest, own.transpose(), 1.0, Par::Seq);
    });
}

/// Copies the lower triangle to the upper one.
pub(super) fn mirror(matrix: &mut Mat<f64>) {
    for j in 0..matrix.ncols() {
        for i in j + 1..matrix.nrows() {
            matrix[(j, i)] = matrix[(i, j)];
        }
    }
}

/// Cholesky's factor of a matrix whose lower triangle is given.
pub(super) struct Factor(Mat<f64>);

impl Factor {
    /// `None` where rounding made a pivot negative.
    pub(super) fn new(mut matrix: Mat<f64>) -> Option<Factor> {
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(
            matrix.nrows(),
            Par::Seq,
            Default::default(),
        ));
        let stack = MemStack::new(&mut memory);
        cholesky_in_place(matrix.as_mut(), Default::default(), Par::Seq, stack, Default::default())
            .ok()?;
        Some(Factor(matrix))
    }

    /// Replaces b, (D, outputs), by the solution.
    pub(super) fn solve(&self, b: &mut Mat<f64>) {
        let mut memory =
            MemBuffer::new(solve_in_place_scratch::<f64>(b.nrows(), b.ncols(), Par::Seq));
        solve_in_place(self.0.as_ref(), b.as_mut(), Par::Seq, MemStack::new(&mut memory));
    }
}
