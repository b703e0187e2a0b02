//! Shrinks the singular values of a matrix through the smaller of its two Gram matrices.
//!
//! With A = U diag(s) V', the nearest matrix under the penalty c |Z|_* is Z = U diag([s - c]_+) V'
//! (Cai, Candes and Shen 2010). With AA' = U diag(s^2) U' this is Z = U diag([1 - c/s]_+) U'A; A'A
//! = V diag(s^2) V' gives the same from the right. This takes a decomposition of the smaller side
//! and two products.
//!
//! Squaring loses singular values below sqrt(eps) s_1, but none below c is kept: the error is about
//! eps s_1^2 / (2c). For c < 1e-6 s_1 this is too large, and a singular value decomposition is
//! used.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Accum, Mat, MatRef, Par};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_solve::{eigen, lower_product, multiply, narrow};

/// Threshold, as a share of the largest singular value, below which Gram matrices are imprecise.
const SQUARABLE: f64 = 1e-6;

#[derive(Debug, Clone)]
pub(super) struct Shrunk {
    /// Left singular vectors kept, (p, rank), largest first.
    pub(super) left: Mat<f64>,
    /// Their singular values after shrinking, (rank); all above zero.
    pub(super) values: Vec<f64>,
}

impl Shrunk {
    pub(super) fn nuclear(&self) -> f64 {
        self.values.iter().sum()
    }
}

/// Writes the shrunk matrix into `out`.
///
/// # Errors
/// [`ErrorKind::Numerical`].
#[cfg(test)]
pub(super) fn shrink(a: MatRef<'_, f64>, threshold: f64, out: &mut Mat<f64>) -> Result<Shrunk> {
    Ok(decomposed(a, threshold, out, 0)?.0)
}

/// Returns true if singular values above a threshold are found precisely by their squares.
pub(super) fn is_squarable(threshold: f64, largest: f64) -> bool {
    threshold >= SQUARABLE * largest
}

/// Writes the shrunk matrix into `out`; also returns the vectors of the smaller side that belong to
/// the singular values above the threshold and to so many `beyond` it, largest first. They are none if
/// squares are imprecise.
///
/// # Errors
/// [`ErrorKind::Numerical`].
pub(super) fn decomposed(
    a: MatRef<'_, f64>,
    threshold: f64,
    out: &mut Mat<f64>,
    beyond: usize,
) -> Result<(Shrunk, Mat<f64>)> {
    let left = a.nrows() <= a.ncols();
    let (squares, vectors) = eigen(gram(a, left).as_ref())?;
    let largest = squares.iter().fold(0.0_f64, |m, &s| m.max(s)).sqrt();
    if !is_squarable(threshold, largest) {
        return Ok((by_svd(a, threshold, out)?, Mat::new()));
    }
    let kept: Vec<usize> =
        (0..squares.len()).rev().filter(|&i| squares[i].max(0.0).sqrt() > threshold).collect();
    let values: Vec<f64> = kept.iter().map(|&i| squares[i].sqrt()).collect();
    let (last, all) = (squares.len(), vectors);
    let columns = (kept.len() + beyond).min(last);
    let leading = Mat::from_fn(all.nrows(), columns, |i, j| all[(i, last - 1 - j)]);
    let vectors = leading.subcols(0, kept.len()).to_owned();
    let shares: Vec<f64> = values.iter().map(|s| 1.0 - threshold / s).collect();
    let shrunk = values.iter().map(|s| s - threshold).collect();
    let left = if left {
        project(a, &vectors, &shares, out);
        vectors
    } else {
        let images = project_right(a, &vectors, &shares, out);
        Mat::from_fn(a.nrows(), values.len(), |i, j| images[(i, j)] / values[j])
    };
    Ok((Shrunk { left, values: shrunk }, leading))
}

/// Returns the largest singular value.
///
/// # Errors
/// [`ErrorKind::Numerical`].
pub(super) fn spectral_norm(a: MatRef<'_, f64>) -> Result<f64> {
    let values = halfseen_solve::eigenvalues(&gram(a, a.nrows() <= a.ncols()))?;
    Ok(values.into_iter().fold(0.0_f64, f64::max).sqrt())
}

/// Returns the lower triangle of AA' (left) or A'A; the rest is zero, and unused.
pub(super) fn gram(a: MatRef<'_, f64>, left: bool) -> Mat<f64> {
    let rows = if left { a } else { a.transpose() };
    let mut gram = Mat::zeros(rows.nrows(), rows.nrows());
    lower_product(gram.as_mut(), Accum::Replace, rows, rows.transpose(), 1.0);
    gram
}

/// Writes U diag(shares) U' A, by the cheaper order of the products.
fn project(a: MatRef<'_, f64>, u: &Mat<f64>, shares: &[f64], out: &mut Mat<f64>) {
    let scaled = Mat::from_fn(u.nrows(), u.ncols(), |i, j| u[(i, j)] * shares[j]);
    if 2 * u.ncols() <= u.nrows() {
        let mut inner = Mat::zeros(u.ncols(), a.ncols());
        multiply(inner.as_mut(), scaled.transpose(), a);
        multiply(out.as_mut(), u.as_ref(), inner.as_ref());
    } else {
        let mut projector = Mat::zeros(u.nrows(), u.nrows());
        multiply(projector.as_mut(), scaled.as_ref(), u.transpose());
        multiply(out.as_mut(), projector.as_ref(), a);
    }
}

/// Writes A V diag(shares) V'; returns A V, (p, rank).
fn project_right(a: MatRef<'_, f64>, v: &Mat<f64>, shares: &[f64], out: &mut Mat<f64>) -> Mat<f64> {
    let mut images = Mat::zeros(a.nrows(), v.ncols());
    multiply(images.as_mut(), a, v.as_ref());
    let scaled = Mat::from_fn(v.nrows(), v.ncols(), |i, j| v[(i, j)] * shares[j]);
    multiply(out.as_mut(), images.as_ref(), scaled.transpose());
    images
}

/// Shrinks by a singular value decomposition.
fn by_svd(a: MatRef<'_, f64>, threshold: f64, out: &mut Mat<f64>) -> Result<Shrunk> {
    let (p, n) = a.shape();
    let size = p.min(n);
    let (mut u, mut v, mut s) =
        (Mat::zeros(p, size), Mat::zeros(n, size), Diag::<f64>::zeros(size));
    let thin = ComputeSvdVectors::Thin;
    let mut memory =
        MemBuffer::new(svd_scratch::<f64>(p, n, thin, thin, Par::Seq, Default::default()));
    let svd = || {
        svd(
            a,
            s.as_mut(),
            Some(u.as_mut()),
            Some(v.as_mut()),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
    };
    narrow(svd).map_err(|problem| ErrorKind::Numerical {
        what: "singular value decomposition",
        problem: format!("{problem:?}"),
    })?;
    let rank = (0..size).take_while(|&i| s.column_vector()[i] > threshold).count();
    let values: Vec<f64> = (0..rank).map(|i| s.column_vector()[i] - threshold).collect();
    let left = u.subcols(0, rank).to_owned();
    let scaled = Mat::from_fn(n, rank, |i, j| v[(i, j)] * values[j]);
    multiply(out.as_mut(), left.as_ref(), scaled.transpose());
    Ok(Shrunk { left, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::{Purpose, Stream};

    /// Returns a matrix with singular values from 1 to `smallest`, equally spaced in logarithms.
    fn falling(p: usize, n: usize, smallest: f64) -> Mat<f64> {
        let mut stream = Stream::new(9, Purpose::Data, (p * 1000 + n) as u64);
        let noise = Mat::from_fn(p, n, |_, _| stream.normal());
        let svd = noise.thin_svd().unwrap();
        let size = p.min(n);
        let scale = |j: usize| smallest.powf(j as f64 / (size.max(2) - 1) as f64);
        let u = Mat::from_fn(p, size, |i, j| svd.U()[(i, j)] * scale(j));
        &u * svd.V().transpose()
    }

    fn naive(a: &Mat<f64>, threshold: f64) -> (Mat<f64>, Vec<f64>) {
        let svd = a.thin_svd().unwrap();
        let s: Vec<f64> =
            (0..a.nrows().min(a.ncols())).map(|i| (svd.S()[i] - threshold).max(0.0)).collect();
        let u = Mat::from_fn(a.nrows(), s.len(), |i, j| svd.U()[(i, j)] * s[j]);
        (&u * svd.V().transpose(), s)
    }

    #[test]
    fn both_sides_and_all_thresholds_agree_with_a_full_decomposition() {
        for (p, n) in [(7, 30), (30, 7), (20, 20), (1, 5), (5, 1), (1, 1), (60, 200)] {
            let a = falling(p, n, 1e-9);
            for threshold in [2.0, 0.5, 1e-2, 1e-4, 1.1e-6, 1e-7, 1e-12] {
                let mut z = Mat::zeros(p, n);
                let shrunk = shrink(a.as_ref(), threshold, &mut z).unwrap();
                let (expected, values) = naive(&a, threshold);
                let error = (&z - &expected).norm_l2();
                assert!(error < 1e-8, "{p} x {n}, {threshold}: {error}");
                let nuclear: f64 = values.iter().sum();
                assert!((shrunk.nuclear() - nuclear).abs() < 1e-8, "{p} x {n}, {threshold}");
                // A decomposition of the result: Z = L L' Z on its own column space.
                let projected = &shrunk.left * (shrunk.left.transpose() * &z);
                assert!((&projected - &z).norm_l2() < 1e-8, "{p} x {n}, {threshold}");
            }
        }
    }

    #[test]
    fn the_spectral_norm_is_the_largest_singular_value() {
        for (p, n) in [(7, 30), (30, 7), (1, 1)] {
            assert!((spectral_norm(falling(p, n, 1e-3).as_ref()).unwrap() - 1.0).abs() < 1e-12);
        }
        assert_eq!(spectral_norm(Mat::<f64>::zeros(3, 2).as_ref()).unwrap(), 0.0);
    }

    #[test]
    fn nothing_stays_of_nothing() {
        let mut z = Mat::from_fn(3, 2, |_, _| 1.0);
        let shrunk = shrink(Mat::zeros(3, 2).as_ref(), 0.0, &mut z).unwrap();
        assert_eq!((shrunk.values.len(), z.norm_max()), (0, 0.0));
    }
}
