//! Factors symmetric positive definite matrices by Cholesky's method, and solves with the factor.
//!
//! Only lower triangles are read and written. A factorisation needs memory for one more column, an
//! inverse for one more matrix; a solution needs none.

use crate::wide::narrow;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::{inverse, solve};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, MatMut, MatRef, Par};

/// Matrix that is not positive definite, at least after rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite: pivot {column} is not positive")]
pub struct NotPositive {
    /// First column without a positive pivot, counted from 1.
    pub column: usize,
}

/// Replaces the lower triangle by that of L, with L L' the matrix.
///
/// # Errors
/// [`NotPositive`]; the matrix is then overwritten.
pub fn factor_in_place(matrix: MatMut<'_, f64>, par: Par) -> Result<(), NotPositive> {
    let size = matrix.nrows();
    let mut memory =
        MemBuffer::new(cholesky_in_place_scratch::<f64>(size, par, Default::default()));
    let stack = MemStack::new(&mut memory);
    let factored =
        narrow(|| cholesky_in_place(matrix, Default::default(), par, stack, Default::default()));
    match factored {
        Ok(_) => Ok(()),
        Err(LltError::NonPositivePivot { index }) => Err(NotPositive { column: index + 1 }),
    }
}

/// Returns the logarithm of the determinant of L L'.
pub fn log_determinant(factor: MatRef<'_, f64>) -> f64 {
    (0..factor.nrows()).map(|j| 2.0 * factor[(j, j)].ln()).sum()
}

/// Replaces b, one right-hand side per column, by the solution of L L' x = b.
pub fn solve_in_place(factor: MatRef<'_, f64>, b: MatMut<'_, f64>) {
    narrow(|| solve::solve_in_place(factor, b, Par::Seq, MemStack::new(&mut [])));
}

/// Replaces b, one right-hand side per column, by the solution of L x = b.
pub fn solve_lower_in_place(factor: MatRef<'_, f64>, b: MatMut<'_, f64>) {
    narrow(|| solve_lower_triangular_in_place(factor, b, Par::Seq));
}

/// Writes the lower triangle of the inverse of L L'.
pub fn invert(factor: MatRef<'_, f64>, to: MatMut<'_, f64>) {
    let mut memory = MemBuffer::new(inverse::inverse_scratch::<f64>(factor.nrows(), Par::Seq));
    narrow(|| inverse::inverse(to, factor, Par::Seq, MemStack::new(&mut memory)));
}

/// Factor L of a matrix L L'.
#[derive(Debug, Clone)]
pub struct CholeskyFactor(Mat<f64>);

impl CholeskyFactor {
    /// Factors a matrix given by its lower triangle.
    ///
    /// # Errors
    /// [`NotPositive`].
    pub fn new(mut matrix: Mat<f64>, par: Par) -> Result<CholeskyFactor, NotPositive> {
        factor_in_place(matrix.as_mut(), par)?;
        Ok(CholeskyFactor(matrix))
    }

    /// Replaces b, one right-hand side per column, by the solution.
    pub fn solve(&self, b: &mut Mat<f64>) {
        solve_in_place(self.0.as_ref(), b.as_mut());
    }
}

/// Ridges added to a unit diagonal when rounding prevents a factorisation, in this order.
const RIDGES: [f64; 3] = [1e-14, 1e-12, 1e-10];

/// Matrix scaled to a unit diagonal, with its factor; matrices of interior-point methods are badly
/// scaled.
#[derive(Debug)]
pub(crate) struct Scaled {
    matrix: Mat<f64>,
    factor: Mat<f64>,
    scale: Vec<f64>,
}

impl Scaled {
    /// Factors a matrix given by its lower triangle.
    ///
    /// # Errors
    /// If the largest ridge does not help.
    pub(crate) fn new(mut matrix: Mat<f64>) -> Result<Scaled, NotPositive> {
        let width = matrix.nrows();
        let root = |j: usize| if matrix[(j, j)] > 0.0 { 1.0 / matrix[(j, j)].sqrt() } else { 1.0 };
        let scale: Vec<f64> = (0..width).map(root).collect();
        for j in 0..width {
            let column = &mut matrix.col_as_slice_mut(j)[j..];
            column.iter_mut().zip(&scale[j..]).for_each(|(v, s)| *v *= s * scale[j]);
        }
        let mut factor = matrix.clone();
        let mut factored = factor_in_place(factor.as_mut(), Par::Seq);
        for ridge in RIDGES {
            if factored.is_ok() {
                break;
            }
            factor.copy_from(&matrix);
            (0..width).for_each(|j| factor[(j, j)] += ridge);
            factored = factor_in_place(factor.as_mut(), Par::Seq);
        }
        factored.map(|()| Scaled { matrix, factor, scale })
    }

    /// Replaces a right-hand side by the solution, with one refinement.
    pub(crate) fn solve(&self, right: &mut [f64]) {
        let scaled = |j: usize, right: &[f64]| right[j] * self.scale[j];
        let mut rest = Mat::from_fn(right.len(), 1, |j, _| scaled(j, right));
        let mut solution = rest.clone();
        solve_in_place(self.factor.as_ref(), solution.as_mut());
        self.subtract_product(solution.col_as_slice(0), rest.col_as_slice_mut(0));
        solve_in_place(self.factor.as_ref(), rest.as_mut());
        for (j, to) in right.iter_mut().enumerate() {
            *to = (solution[(j, 0)] + rest[(j, 0)]) * self.scale[j];
        }
    }

    /// Computes rest -= M v from the lower triangle.
    fn subtract_product(&self, v: &[f64], rest: &mut [f64]) {
        for (j, &vj) in v.iter().enumerate() {
            let column = &self.matrix.col_as_slice(j)[j..];
            let mut sum = column[0] * vj;
            for ((m, v), rest) in column[1..].iter().zip(&v[j + 1..]).zip(&mut rest[j + 1..]) {
                sum += m * v;
                *rest -= m * vj;
            }
            rest[j] -= sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{Purpose, Stream};

    #[test]
    fn systems_are_solved_from_the_lower_triangle() {
        let mut stream = Stream::new(1, Purpose::Data, 0);
        for n in [0, 1, 5, 130] {
            let rows = Mat::from_fn(n, n + 3, |_, _| stream.normal());
            let whole = &rows * rows.transpose();
            let wanted = Mat::from_fn(n, 2, |_, _| stream.normal());
            let mut solution = &whole * &wanted;
            let lower = Mat::from_fn(n, n, |i, j| if i < j { f64::NAN } else { whole[(i, j)] });
            for par in [Par::Seq, Par::rayon(0)] {
                let factor = CholeskyFactor::new(lower.clone(), par).unwrap();
                let mut copy = solution.clone();
                factor.solve(&mut copy);
                assert!((&copy - &wanted).norm_max() < 1e-7, "{n}");
            }
            let mut factor = lower;
            factor_in_place(factor.as_mut(), Par::Seq).unwrap();
            solve_in_place(factor.as_ref(), solution.as_mut());
            assert!((&solution - &wanted).norm_max() < 1e-7, "{n}");
            let mut inverse = Mat::from_fn(n, n, |_, _| f64::NAN);
            invert(factor.as_ref(), inverse.as_mut());
            let inverse = Mat::from_fn(n, n, |i, j| inverse[(i.max(j), i.min(j))]);
            assert!((&inverse * &whole - Mat::<f64>::identity(n, n)).norm_max() < 1e-7, "{n}");
        }
    }

    #[test]
    fn matrices_of_wild_scale_and_singular_ones_are_solved() {
        let mut stream = Stream::new(2, Purpose::Data, 0);
        let rows = Mat::from_fn(20, 25, |_, _| stream.normal());
        let plain = &rows * rows.transpose();
        let size = |i: usize| 10_f64.powi(i as i32 - 10);
        let wild = Mat::from_fn(20, 20, |i, j| size(i) * plain[(i, j)] * size(j));
        let wanted: Vec<f64> = (0..20).map(|i| stream.normal() / size(i)).collect();
        let lower = Mat::from_fn(20, 20, |i, j| if i < j { f64::NAN } else { wild[(i, j)] });
        let mut solution: Vec<f64> =
            (0..20).map(|i| (0..20).map(|j| wild[(i, j)] * wanted[j]).sum()).collect();
        Scaled::new(lower).unwrap().solve(&mut solution);
        for (i, (x, wanted)) in solution.iter().zip(&wanted).enumerate() {
            assert!((x - wanted).abs() < 1e-8 / size(i), "{i}: {x} {wanted}");
        }
        // Singular system: a ridge helps, and the solution solves it.
        let mut twice = vec![3.0, 3.0];
        Scaled::new(Mat::full(2, 2, 4.0)).unwrap().solve(&mut twice);
        assert!((4.0 * (twice[0] + twice[1]) - 3.0).abs() < 1e-8, "{twice:?}");
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Scaled::new(Mat::full(1, 1, bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_first_pivot_that_is_not_positive_is_named() {
        for bad in [0.0, -1.0, f64::NAN] {
            let matrix = Mat::from_fn(4, 4, |i, j| match (i, j) {
                (2, 2) => bad,
                _ => f64::from(u8::from(i == j)),
            });
            let failed = CholeskyFactor::new(matrix, Par::Seq).unwrap_err();
            assert_eq!(failed, NotPositive { column: 3 });
            let said = "the matrix is not positive definite: pivot 3 is not positive";
            assert_eq!(failed.to_string(), said);
        }
    }
}
