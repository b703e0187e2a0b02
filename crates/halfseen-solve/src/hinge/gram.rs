//! Reads a Gram matrix by contiguous columns, and multiplies it by vectors in an order that no
//! thread changes.

use crate::vectors::add_multiple;
use faer::{ContiguousFwd, MatMut, MatRef};
use rayon::prelude::*;

/// A symmetric matrix whose columns are slices.
pub(super) struct Columns<'a> {
    matrix: MatRef<'a, f64, usize, usize, ContiguousFwd>,
    pub(super) diagonal: Vec<f64>,
}

/// Rows that one task of a product sums; fixed, so that no number of threads changes the bits.
const ROWS: usize = 1024;

impl<'a> Columns<'a> {
    /// `None` where columns are not contiguous.
    pub(super) fn new(matrix: MatRef<'a, f64>) -> Option<Columns<'a>> {
        let diagonal = (0..matrix.nrows()).map(|i| matrix[(i, i)]).collect();
        Some(Columns { matrix: matrix.try_as_col_major()?, diagonal })
    }

    pub(super) fn len(&self) -> usize {
        self.diagonal.len()
    }

    #[inline]
    pub(super) fn column(&self, j: usize) -> &'a [f64] {
        self.matrix.col(j).as_slice()
    }

    /// The product with a vector; columns of zeros in it are not read.
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

    /// Writes the rows and columns of `indices` into `room`, of which it returns that part.
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

    /// The same for the lower triangle alone; what is above keeps what was there.
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

/// The first `length` numbers of a buffer that only grows.
fn reserve(room: &mut Vec<f64>, length: usize) -> &mut [f64] {
    if room.len() < length {
        // Nothing in it is worth a copy: it is given back before more is taken.
        *room = Vec::new();
        *room = vec![0.0; length];
    }
    &mut room[..length]
}
