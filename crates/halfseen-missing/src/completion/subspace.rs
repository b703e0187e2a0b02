//! Shrinks matrices that change little from one to the next, by the leading vectors of the last one.
//!
//! If few singular values exceed the threshold, a full decomposition computes mostly vectors that are
//! thrown away. Instead one step of block power iteration refines the vectors of the matrix before, and a
//! few beyond the threshold; then the Rayleigh-Ritz method turns them (Halko, Martinsson and Tropp 2011).
//! This costs O(p n b) for a block of b vectors, and a decomposition O(p^2 n + p^3) of slower work.
//!
//! The result is always the singular value decomposition of a matrix of low rank, so its nuclear norm
//! is exact but for rounding. Only the distance from the shrunk matrix is approximate. So an objective
//! evaluated at it is exact too, and a caller sees whether it fell.

use super::shrink::{Shrunk, decomposed, gram, is_squarable};
use faer::{Mat, MatRef};
use halfseen_core::error::Result;
use halfseen_solve::{eigen, mirror, multiply, orthonormal};

/// Number of vectors below the threshold in a block.
const BEYOND: usize = 8;
/// Smallest number of them with which a block is used again.
const LEAST_BEYOND: usize = 3;
/// Ratio of the smaller side to a block from which the block costs less than a decomposition.
const WORTH: usize = 2;
/// Ratio from which it costs less without the matrix of the products of rows.
const FEW: usize = 4;

/// Vectors of the matrices so far.
#[derive(Debug)]
pub(super) struct Subspace {
    /// Orthonormal vectors of the smaller side, (side, b), largest first; none before the first matrix,
    /// or if they would not be few.
    block: Mat<f64>,
    /// True if every matrix is decomposed as a whole.
    pub(super) exact: bool,
}

impl Subspace {
    pub(super) fn new() -> Subspace {
        Subspace { block: Mat::new(), exact: false }
    }

    /// Writes the shrunk matrix into `out`; also returns true if it is approximate.
    ///
    /// # Errors
    /// As [`shrink`](super::shrink::shrink).
    pub(super) fn shrink(
        &mut self,
        a: MatRef<'_, f64>,
        threshold: f64,
        out: &mut Mat<f64>,
    ) -> Result<(Shrunk, bool)> {
        let side = a.nrows().min(a.ncols());
        let known = !self.exact && self.block.nrows() == side && self.block.ncols() > 0;
        if known && let Some(shrunk) = self.near(a, threshold, out)? {
            return Ok((shrunk, true));
        }
        let (shrunk, vectors) = decomposed(a, threshold, out, BEYOND)?;
        self.keep(vectors, shrunk.values.len());
        Ok((shrunk, false))
    }

    /// Keeps vectors, of which the first `above` are those above the threshold, if they are few and
    /// enough of them are beyond it.
    fn keep(&mut self, vectors: Mat<f64>, above: usize) {
        let wanted = (above + BEYOND).min(vectors.ncols());
        let enough = wanted >= above + LEAST_BEYOND && WORTH * wanted <= vectors.nrows();
        self.block = match enough {
            true if wanted == vectors.ncols() => vectors,
            true => vectors.subcols(0, wanted).to_owned(),
            false => Mat::new(),
        };
    }

    /// Shrinks by the block; `None` if singular values above the threshold may be missing, or squares
    /// are imprecise.
    fn near(
        &mut self,
        a: MatRef<'_, f64>,
        threshold: f64,
        out: &mut Mat<f64>,
    ) -> Result<Option<Shrunk>> {
        let is_left = a.nrows() <= a.ncols();
        let rows = if is_left { a } else { a.transpose() };
        let (side, long, b) = (rows.nrows(), rows.ncols(), self.block.ncols());
        let gram = (FEW * b > side).then(|| {
            let mut gram = gram(rows, true);
            mirror(&mut gram, 1.0);
            gram
        });
        let mut images = Mat::zeros(if gram.is_some() { 0 } else { long }, b);
        let mut power = Mat::zeros(side, b);
        let mut square = |block: &Mat<f64>, power: &mut Mat<f64>| match &gram {
            Some(gram) => multiply(power.as_mut(), gram.as_ref(), block.as_ref()),
            None => {
                multiply(images.as_mut(), rows.transpose(), block.as_ref());
                multiply(power.as_mut(), rows, images.as_ref());
            }
        };
        square(&self.block, &mut power);
        let basis = orthonormal(power.clone());
        let mut inner = Mat::zeros(b, b);
        if gram.is_some() {
            square(&basis, &mut power);
            multiply(inner.as_mut(), basis.transpose(), power.as_ref());
        } else {
            multiply(images.as_mut(), rows.transpose(), basis.as_ref());
            multiply(inner.as_mut(), images.transpose(), images.as_ref());
        }
        let (squares, turn) = eigen(inner.as_ref())?;
        let sizes: Vec<f64> = squares.iter().rev().map(|square| square.max(0.0).sqrt()).collect();
        let above = sizes.iter().take_while(|size| **size > threshold).count();
        if above == b || !is_squarable(threshold, sizes[0]) {
            return Ok(None);
        }
        let turn = Mat::from_fn(b, b, |i, j| turn[(i, b - 1 - j)]);
        let mut vectors = Mat::zeros(side, b);
        multiply(vectors.as_mut(), basis.as_ref(), turn.as_ref());
        let mut turned = Mat::zeros(long, above);
        match gram.is_some() {
            true => multiply(turned.as_mut(), rows.transpose(), vectors.subcols(0, above)),
            false => multiply(turned.as_mut(), images.as_ref(), turn.subcols(0, above)),
        }
        let share = |j: usize| 1.0 - threshold / sizes[j];
        let scaled = Mat::from_fn(side, above, |i, j| vectors[(i, j)] * share(j));
        let left = if is_left {
            multiply(out.as_mut(), scaled.as_ref(), turned.transpose());
            vectors.subcols(0, above).to_owned()
        } else {
            multiply(out.as_mut(), turned.as_ref(), scaled.transpose());
            Mat::from_fn(long, above, |i, j| turned[(i, j)] / sizes[j])
        };
        self.keep(vectors, above);
        let values = sizes[..above].iter().map(|size| size - threshold).collect();
        Ok(Some(Shrunk { left, values }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::shrink::shrink;
    use super::*;
    use halfseen_solve::sampling::{Purpose, Stream};

    /// Matrices of rank 5 and noise, each near the one before.
    fn sequence(p: usize, n: usize) -> impl Iterator<Item = Mat<f64>> {
        let mut stream = Stream::new(4, Purpose::Data, (p * 1000 + n) as u64);
        let mut noise = move |rows: usize, columns: usize, size: f64| {
            Mat::from_fn(rows, columns, |_, _| size * stream.normal())
        };
        let (mut left, mut right) = (noise(p, 5, 1.0), noise(5, n, 1.0));
        (0..40).map(move |step| {
            left += noise(p, 5, 0.3_f64.powi(step));
            right += noise(5, n, 0.3_f64.powi(step));
            &left * &right + noise(p, n, 0.05)
        })
    }

    #[test]
    fn near_matrices_are_shrunk_nearly_and_their_norms_are_exact() {
        for (p, n) in [(80, 120), (120, 80), (100, 100)] {
            let (mut subspace, mut nears) = (Subspace::new(), 0);
            let (mut z, mut exact) = (Mat::zeros(p, n), Mat::zeros(p, n));
            for (step, a) in sequence(p, n).enumerate() {
                let threshold = 10.0;
                let (shrunk, near) = subspace.shrink(a.as_ref(), threshold, &mut z).unwrap();
                let expected = shrink(a.as_ref(), threshold, &mut exact).unwrap();
                nears += usize::from(near);
                let svd = z.thin_svd().unwrap();
                let nuclear: f64 = svd.S().column_vector().iter().sum();
                assert!((shrunk.nuclear() - nuclear).abs() < 1e-9 * nuclear, "{p} x {n}, {step}");
                assert!((shrunk.nuclear() - expected.nuclear()).abs() < 1e-2 * nuclear);
                let projected = &shrunk.left * (shrunk.left.transpose() * &z);
                assert!((&projected - &z).norm_l2() < 1e-9 * nuclear, "{p} x {n}, {step}");
                let off = (&z - &exact).norm_l2() / exact.norm_l2();
                assert!(off < if step < 8 { 0.05 } else { 1e-4 }, "{p} x {n}, {step}: {off}");
            }
            assert!(nears > 30, "{nears}");
        }
    }

    #[test]
    fn more_values_than_a_block_holds_are_found_by_a_decomposition() {
        let mut stream = Stream::new(5, Purpose::Data, 0);
        let mut of_rank = |rank: usize| {
            let [left, right] = [(100, rank), (rank, 100)]
                .map(|(rows, columns)| Mat::from_fn(rows, columns, |_, _| stream.normal()));
            &left * &right
        };
        let (few, many) = (of_rank(2), of_rank(45));
        let mut subspace = Subspace::new();
        let mut z = Mat::zeros(100, 100);
        assert!(!subspace.shrink(few.as_ref(), 1.0, &mut z).unwrap().1);
        assert!(subspace.shrink(few.as_ref(), 1.0, &mut z).unwrap().1);
        let (shrunk, near) = subspace.shrink(many.as_ref(), 1.0, &mut z).unwrap();
        assert_eq!((shrunk.values.len(), near), (45, false));
        // 53 of 100 vectors are not few.
        assert!(!subspace.shrink(many.as_ref(), 1.0, &mut z).unwrap().1);
        subspace.exact = true;
        assert!(!subspace.shrink(few.as_ref(), 1.0, &mut z).unwrap().1);
        assert!(!subspace.shrink(few.as_ref(), 1.0, &mut z).unwrap().1);
    }
}
