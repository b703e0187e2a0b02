//! Rotates m examples with more than m features into m dimensions, preserving their products.
//!
//! **Method**: F = Q R by Householder reflections. R'R = F'F holds to the precision of F itself; a
//! square root of F'F would lose half of the digits.

use crate::wide::narrow;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply,
    apply_block_householder_sequence_transpose_on_the_left_in_place_scratch as apply_transpose_scratch,
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj as apply_transpose,
};
use faer::linalg::qr::no_pivoting::factor::{
    qr_in_place, qr_in_place_scratch, recommended_block_size,
};
use faer::{Conj, Mat, MatMut, MatRef, Par};

type Scratch = fn(usize, usize, usize) -> StackReq;
type Routine = fn(MatRef<'_, f64>, MatRef<'_, f64>, Conj, MatMut<'_, f64>, Par, &mut MemStack);

/// F = Q R, F (d, m) with d >= m.
#[derive(Debug)]
pub struct Rotation {
    /// R on and above the diagonal, Householder vectors (unit diagonal implied) below, (d, m).
    factored: Mat<f64>,
    /// Block coefficients of the reflections.
    blocks: Mat<f64>,
}

impl Rotation {
    /// Factors F, which must have at least as many features as examples.
    pub fn new(mut features: Mat<f64>) -> Rotation {
        let (d, m) = (features.nrows(), features.ncols());
        let size = recommended_block_size::<f64>(d, m);
        let mut blocks = Mat::zeros(size, d.min(m));
        let mut memory =
            MemBuffer::new(qr_in_place_scratch::<f64>(d, m, size, Par::Seq, Default::default()));
        let stack = MemStack::new(&mut memory);
        narrow(|| {
            qr_in_place(features.as_mut(), blocks.as_mut(), Par::Seq, stack, Default::default());
        });
        Rotation { factored: features, blocks }
    }

    /// Returns R, (m, m), with an additional row of ones if `ones`.
    pub fn rotated(&self, ones: bool) -> Mat<f64> {
        let m = self.factored.ncols();
        let entry = |j: usize, i: usize| match j {
            _ if j == m => 1.0,
            _ if j <= i => self.factored[(j, i)],
            _ => 0.0,
        };
        Mat::from_fn(m + usize::from(ones), m, entry)
    }

    /// Returns Q v for v (m), a vector of the original space.
    pub fn back(&self, v: &[f64]) -> Vec<f64> {
        let padded = |k: usize, _| v.get(k).copied().unwrap_or(0.0);
        self.turned(Mat::from_fn(self.factored.nrows(), 1, padded)).col_as_slice(0).to_vec()
    }

    /// Returns Q v for each column v, (d).
    fn turned(&self, out: Mat<f64>) -> Mat<f64> {
        self.reflected(apply_scratch::<f64>, apply, out)
    }

    /// Returns Q'w, (m), for w (d).
    pub(crate) fn forward(&self, w: &[f64]) -> Vec<f64> {
        let w = Mat::from_fn(w.len(), 1, |k, _| w[k]);
        let out = self.reflected(apply_transpose_scratch::<f64>, apply_transpose, w);
        out.col_as_slice(0)[..self.factored.ncols()].to_vec()
    }

    /// Applies the reflections to each column, in the order of a routine.
    fn reflected(&self, scratch: Scratch, routine: Routine, mut out: Mat<f64>) -> Mat<f64> {
        let (d, size) = (self.factored.nrows(), self.blocks.nrows());
        let mut memory = MemBuffer::new(scratch(d, size, out.ncols()));
        let stack = MemStack::new(&mut memory);
        let (vectors, blocks) = (self.factored.as_ref(), self.blocks.as_ref());
        narrow(|| routine(vectors, blocks, Conj::No, out.as_mut(), Par::Seq, stack));
        out
    }
}

/// Returns an orthonormal basis of a space that holds the columns, at most as many as rows.
pub fn orthonormal(columns: Mat<f64>) -> Mat<f64> {
    let (d, m) = columns.shape();
    Rotation::new(columns).turned(Mat::identity(d, m))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{farthest, normal};
    use super::*;

    #[test]
    fn products_survive_and_vectors_come_back() {
        for (d, m) in [(1, 1), (7, 3), (40, 40), (300, 130)] {
            let mut features = normal(d, m, 3);
            // Linearly dependent columns.
            if m > 2 {
                (0..d).for_each(|j| features[(j, 2)] = features[(j, 0)] + features[(j, 1)]);
            }
            let rotation = Rotation::new(features.clone());
            let rotated = rotation.rotated(false);
            assert!(
                farthest(&(rotated.transpose() * &rotated), &(features.transpose() * &features))
                    < 1e-13
            );
            let with_ones = rotation.rotated(true);
            assert!(
                (0..m).all(|i| with_ones[(m, i)] == 1.0 && with_ones[(0, i)] == rotated[(0, i)])
            );
            let basis = orthonormal(features.clone());
            assert!(farthest(&(basis.transpose() * &basis), &Mat::identity(m, m)) < 1e-13);
            // Q R = F, and Q'Q = I.
            for i in 0..m {
                let back = rotation.back(rotated.col_as_slice(i));
                assert!((0..d).all(|j| (back[j] - features[(j, i)]).abs() < 1e-12));
                let forward = rotation.forward(&back);
                assert!((0..m).all(|j| (forward[j] - rotated[(j, i)]).abs() < 1e-12));
            }
        }
    }
}
