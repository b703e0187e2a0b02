//! Reads a Gram matrix by contiguous columns, with products in an order that no thread changes.

use super::Slices;
use crate::vectors::add_multiple;
use faer::{MatMut, MatRef};
use rayon::prelude::*;

/// A symmetric matrix whose columns are slices.
pub(super) struct Columns<'a> {
    matrix: Slices<'a>,
    pub(super) diagonal: Vec<f64>,
}

/// Number of rows per task; fixed, so that results do not depend on the number of threads.
const ROWS: usize = 1024;

impl<'a> Columns<'a> {
    pub(super) fn new(matrix: Slices<'a>) -> Columns<'a> {
        let diagonal = (0..matrix.nrows()).map(|i| matrix[(i, i)]).collect();
        Columns { matrix, diagonal }
    }

    pub(super) fn len(&self) -> usize {
        self.diagonal.len()
    }

    #[inline]
    pub(super) fn column(&self, j: usize) -> &'a [f64] {
        self.matrix.col(j).as_slice()
    }

    /// Returns the product with a vector; columns for its zeros are not read.
    pub(super) fn times(&self, vector: &[f64]) -> Vec<f64> {
        let used: Vec<usize> = (0..vector.len()).filter(|&j| vector[j] != 0.0).collect();
        let mut product = vec![0.0; self.len()];
        product.par_chunks_mut(ROWS).enumerate().for_each(|(block, rows)| {
            let range = block * ROWS..block * ROWS + rows.len();
            let mut fours = used.chunks_exact(4);
            for four in &mut fours {
                let [p, q, r, s] = [0, 1, 2, 3].map(|k| &self.column(four[k])[range.clone()]);
                let [wp, wq, wr, ws] = [0, 1, 2, 3].map(|k| vector[four[k]]);
                for ((((sum, p), q), r), s) in rows.iter_mut().zip(p).zip(q).zip(r).zip(s) {
                    *sum += (wp * p + wq * q) + (wr * r + ws * s);
                }
            }
            for &j in fours.remainder() {
                add_multiple(rows, vector[j], &self.column(j)[range.clone()]);
            }
        });
        product
    }

    /// Copies the rows and columns of `indices` into `room` and returns that part.
    pub(super) fn select_into<'r>(
        &self,
        indices: &[usize],
        room: &'r mut Vec<f64>,
    ) -> MatRef<'r, f64> {
        let n = indices.len();
        let cells = reserve(room, n * n);
        for (to, &j) in cells.chunks_exact_mut(n.max(1)).zip(indices) {
            let column = self.column(j);
            to.iter_mut().zip(indices).for_each(|(k, &i)| *k = column[i]);
        }
        MatRef::from_column_major_slice(cells, n, n)
    }

    /// Does the same for the lower triangle only; the rest is left unchanged.
    pub(super) fn triangle_into<'r>(
        &self,
        indices: &[usize],
        room: &'r mut Vec<f64>,
    ) -> MatMut<'r, f64> {
        let n = indices.len();
        let cells = reserve(room, n * n);
        for (at, (to, &j)) in cells.chunks_exact_mut(n.max(1)).zip(indices).enumerate() {
            let column = self.column(j);
            to[at..].iter_mut().zip(&indices[at..]).for_each(|(k, &i)| *k = column[i]);
        }
        MatMut::from_column_major_slice_mut(cells, n, n)
    }
}

/// Returns the first `length` numbers of a buffer that only grows.
fn reserve(room: &mut Vec<f64>, length: usize) -> &mut [f64] {
    if room.len() < length {
        // Its content is not needed: the old buffer is freed before the new one is allocated.
        *room = Vec::new();
        *room = vec![0.0; length];
    }
    &mut room[..length]
}
