//! Factors symmetric positive definite matrices by Cholesky's method, and solves with the factor.
//!
//! Only lower triangles are read and written. A factorisation takes room for one column beside the
//! matrix; a solution takes none.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::solve;
use faer::{Mat, MatMut, MatRef, Par};

/// The matrix is not positive definite, or not by as much as rounding takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite: pivot {column} is not positive")]
pub struct NotPositive {
    /// The first column without a positive pivot, counted from 1.
    pub column: usize,
}

/// Replaces the lower triangle by that of L, where the matrix is L L'.
///
/// # Errors
/// [`NotPositive`]; the matrix is then spoiled.
pub fn factor_in_place(matrix: MatMut<'_, f64>, par: Par) -> Result<(), NotPositive> {
    let size = matrix.nrows();
    let mut memory =
        MemBuffer::new(cholesky_in_place_scratch::<f64>(size, par, Default::default()));
    let stack = MemStack::new(&mut memory);
    match cholesky_in_place(matrix, Default::default(), par, stack, Default::default()) {
        Ok(_) => Ok(()),
        Err(LltError::NonPositivePivot { index }) => Err(NotPositive { column: index + 1 }),
    }
}

/// Replaces b, one right-hand side per column, by the solution of L L' x = b.
pub fn solve_in_place(factor: MatRef<'_, f64>, b: MatMut<'_, f64>) {
    solve::solve_in_place(factor, b, Par::Seq, MemStack::new(&mut []));
}

/// L, where a matrix is L L'.
#[derive(Debug, Clone)]
pub struct Factor(Mat<f64>);

impl Factor {
    /// Factors a matrix whose lower triangle is given.
    ///
    /// # Errors
    /// [`NotPositive`].
    pub fn new(mut matrix: Mat<f64>, par: Par) -> Result<Factor, NotPositive> {
        factor_in_place(matrix.as_mut(), par)?;
        Ok(Factor(matrix))
    }

    /// Replaces b, one right-hand side per column, by the solution.
    pub fn solve(&self, b: &mut Mat<f64>) {
        solve_in_place(self.0.as_ref(), b.as_mut());
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
            let mut found = &whole * &wanted;
            let lower = Mat::from_fn(n, n, |i, j| if i < j { f64::NAN } else { whole[(i, j)] });
            for par in [Par::Seq, Par::rayon(0)] {
                let factor = Factor::new(lower.clone(), par).unwrap();
                let mut copy = found.clone();
                factor.solve(&mut copy);
                assert!((&copy - &wanted).norm_max() < 1e-7, "{n}");
            }
            let mut factor = lower;
            factor_in_place(factor.as_mut(), Par::Seq).unwrap();
            solve_in_place(factor.as_ref(), found.as_mut());
            assert!((&found - &wanted).norm_max() < 1e-7, "{n}");
        }
    }

    #[test]
    fn the_first_pivot_that_is_not_positive_is_named() {
        for bad in [0.0, -1.0, f64::NAN] {
            let matrix = Mat::from_fn(4, 4, |i, j| match (i, j) {
                (2, 2) => bad,
                _ => f64::from(u8::from(i == j)),
            });
            let failed = Factor::new(matrix, Par::Seq).unwrap_err();
            assert_eq!(failed, NotPositive { column: 3 });
            let said = "the matrix is not positive definite: pivot 3 is not positive";
            assert_eq!(failed.to_string(), said);
        }
    }
}
