//! Minimises the squared loss over a Gram matrix, with one eigendecomposition for all C.
//!
//! **Setting**: (1/2) |v|^2 + (C/2) sum_i (z_i - y_i)^2 with z_i = <v, phi(x_i)>, separately for
//! each column of targets (Hazan et al. 2015, section 5: regression; for classification, one column
//! of -1/+1 per class). The optimum is v = sum_i a_i phi(x_i) with (K + I/C) a = y.
//!
//! **Guarantee**: with r = y - (K + I/C) a recomputed, primal minus dual objective is (C/2) |r|^2
//! (Fenchel-Young inequality, term by term). No terms cancel, so the gap is accurate however small.
//! Rounding leaves a relative gap of about (eps C |K|)^2: 1e-8 is attainable up to C |K| = 1e12 on
//! any Gram matrix, even a singular one.
//!
//! **Symbols**: K = V diag(l) V' the Gram matrix, (n, n); G = K + I/C; a the coefficients, (n,
//! outputs); y the targets, (n, outputs); r the residual of the linear equations.

use super::{Solved, check_gram, length, positive};
use crate::cholesky::{CholeskyFactor, NotPositive};
use crate::eigen;
use crate::error::{Error, Result};
use crate::products::multiply;
use crate::stop::SolverStop;
use faer::{Mat, MatRef, Par};
use std::cmp::Ordering;

/// Relative gap below which refinement stops.
const FINE: f64 = 1e-13;
/// Relative gap above which a factorisation is replaced by the spectrum.
const COARSE: f64 = 1e-8;
/// Largest number of iterative refinements. Each multiplies the error by eps C |K|, so one usually
/// suffices.
const REFINEMENTS: u64 = 3;
/// Share of the largest eigenvalue up to which a negative one counts as rounding.
const INDEFINITE: f64 = 1e-8;

/// Solves for a single C by Cholesky factorisation, with n^3 / 3 multiplications.
///
/// `gram` is symmetric, (n, n); `targets` (n, outputs). If rounding prevents the factorisation, the
/// spectrum is used instead. For several C, [`Spectrum`] is cheaper.
///
/// # Errors
/// If `c` is not positive, lengths differ, there are no rows, or a number is not finite.
/// [`Error::Numerical`] if the matrix is found not to be positive semidefinite, or numbers are out
/// of range.
pub fn solve(gram: MatRef<'_, f64>, targets: MatRef<'_, f64>, c: f64) -> Result<Solved> {
    check_rows(gram)?;
    check(gram, targets, c)?;
    if let Ok(factor) = factorise(gram, c, Par::rayon(0)) {
        let certified = refined(gram, targets, c, |b| factor.solve(b));
        if certified.gap <= COARSE * certified.objective.abs() {
            return finished(certified);
        }
    }
    Spectrum::decompose(gram)?.solve(targets, c)
}

/// Eigendecomposition of a Gram matrix; each C then costs O(n^2) per output.
#[derive(Debug, Clone)]
pub struct Spectrum<'a> {
    gram: MatRef<'a, f64>,
    /// V, one eigenvector per column.
    vectors: Mat<f64>,
    /// l, with negative values due to rounding set to zero.
    values: Vec<f64>,
}

impl<'a> Spectrum<'a> {
    /// Decomposes `gram`, symmetric, (n, n), on one thread.
    ///
    /// # Errors
    /// If there are no rows, `gram` is not square, or a number is not finite. [`Error::Numerical`]
    /// if the matrix is not positive semidefinite, beyond rounding.
    pub fn new(gram: MatRef<'a, f64>) -> Result<Spectrum<'a>> {
        check_rows(gram)?;
        check_gram(gram)?;
        Self::decompose(gram)
    }

    fn decompose(gram: MatRef<'a, f64>) -> Result<Spectrum<'a>> {
        let (mut values, vectors) = eigen(gram)?;
        let size = values.iter().fold(0.0_f64, |size, l| size.max(l.abs()));
        let least = values.iter().fold(0.0_f64, |least, &l| least.min(l));
        if least < -INDEFINITE * size {
            let problem = format!(
                "eigenvalue {least:e} is negative (largest magnitude {size:e}); kernels have none"
            );
            return Err(Error::Numerical { what: "solving over the Gram matrix", problem });
        }
        values.iter_mut().for_each(|l| *l = l.max(0.0));
        Ok(Spectrum { gram, vectors, values })
    }

    /// Solves for one C and all columns of `targets`, (n, outputs).
    ///
    /// # Errors
    /// If `c` is not positive, targets have the wrong length or are not finite;
    /// [`Error::Numerical`] if numbers are out of range.
    pub fn solve(&self, targets: MatRef<'_, f64>, c: f64) -> Result<Solved> {
        check_targets(self.gram, targets, c)?;
        finished(refined(self.gram, targets, c, |b| self.invert(b, c)))
    }

    /// Returns for each row the score of the fit to all other rows at the same C, (n, outputs).
    ///
    /// The score is y_i - a_i / (G^-1)_ii, exactly that of refitting: the fit to the others is the
    /// fit to all with y_i replaced by this score. No row is refitted; O(n^2).
    ///
    /// # Errors
    /// As [`Spectrum::solve`].
    pub fn leave_one_out(&self, targets: MatRef<'_, f64>, c: f64) -> Result<Mat<f64>> {
        let solved = self.solve(targets, c)?;
        let (a, diagonal) = (&solved.coefficients, self.diagonal(c));
        Ok(Mat::from_fn(a.nrows(), a.ncols(), |i, j| targets[(i, j)] - a[(i, j)] / diagonal[i]))
    }

    /// Returns the diagonal of G^-1.
    pub fn diagonal(&self, c: f64) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.values.len()];
        for (k, l) in self.values.iter().enumerate() {
            let weight = 1.0 / (l + 1.0 / c);
            diagonal
                .iter_mut()
                .zip(self.vectors.col_as_slice(k))
                .for_each(|(d, v)| *d += weight * v * v);
        }
        diagonal
    }

    /// Replaces b, (n, outputs), by G^-1 b.
    fn invert(&self, b: &mut Mat<f64>, c: f64) {
        let mut turned = Mat::zeros(b.nrows(), b.ncols());
        multiply(turned.as_mut(), self.vectors.transpose(), b.as_ref());
        for j in 0..turned.ncols() {
            turned
                .col_as_slice_mut(j)
                .iter_mut()
                .zip(&self.values)
                .for_each(|(t, l)| *t /= l + 1.0 / c);
        }
        multiply(b.as_mut(), self.vectors.as_ref(), turned.as_ref());
    }
}

/// Factors G.
fn factorise(
    gram: MatRef<'_, f64>,
    c: f64,
    par: Par,
) -> std::result::Result<CholeskyFactor, NotPositive> {
    let mut shifted = gram.to_owned();
    (0..shifted.nrows()).for_each(|i| shifted[(i, i)] += 1.0 / c);
    CholeskyFactor::new(shifted, par)
}

struct Certified {
    coefficients: Mat<f64>,
    objective: f64,
    gap: f64,
    /// r, (n, outputs).
    residual: Mat<f64>,
    passes: u64,
}

/// Solves by `invert`, which replaces b by an approximation of G^-1 b, and refines while the gap
/// falls.
fn refined(
    gram: MatRef<'_, f64>,
    targets: MatRef<'_, f64>,
    c: f64,
    invert: impl Fn(&mut Mat<f64>),
) -> Certified {
    let mut first = targets.to_owned();
    invert(&mut first);
    let mut best = certified(gram, targets, c, first, 1);
    while best.gap > FINE * best.objective.abs() && best.passes <= REFINEMENTS {
        let mut next = best.residual.clone();
        invert(&mut next);
        next += &best.coefficients;
        let next = certified(gram, targets, c, next, best.passes + 1);
        // Also stops at NaN.
        if next.gap.partial_cmp(&best.gap) != Some(Ordering::Less) {
            break;
        }
        best = next;
    }
    best
}

/// Computes the objective and the gap of coefficients a from the product K a.
fn certified(
    gram: MatRef<'_, f64>,
    targets: MatRef<'_, f64>,
    c: f64,
    a: Mat<f64>,
    passes: u64,
) -> Certified {
    let mut residual = Mat::zeros(a.nrows(), a.ncols());
    multiply(residual.as_mut(), gram, a.as_ref());
    let (mut objective, mut square) = (0.0, 0.0);
    for j in 0..a.ncols() {
        let (mut length, mut loss) = (0.0, 0.0);
        let column = residual.col_as_slice_mut(j).iter_mut().zip(a.col_as_slice(j));
        for ((r, a), y) in column.zip(targets.col(j).iter()) {
            let z = *r;
            length += a * z;
            loss += (z - y) * (z - y);
            *r = y - z - a / c;
            square += *r * *r;
        }
        objective += length / 2.0 + c / 2.0 * loss;
    }
    Certified { coefficients: a, objective, gap: c / 2.0 * square, residual, passes }
}

fn finished(certified: Certified) -> Result<Solved> {
    let Certified { coefficients, objective, gap, passes, .. } = certified;
    if !(objective.is_finite() && gap.is_finite()) {
        let problem =
            "the numbers are too large or too small; scale the kernel, or choose another C".into();
        return Err(Error::Numerical { what: "solving over the Gram matrix", problem });
    }
    let support = (0..coefficients.nrows())
        .filter(|&i| coefficients.row(i).iter().any(|a| *a != 0.0))
        .count();
    Ok(Solved { coefficients, objective, gap, passes, support, stop: SolverStop::ClosedForm })
}

fn check_rows(gram: MatRef<'_, f64>) -> Result<()> {
    if gram.nrows() > 0 {
        return Ok(());
    }
    Err(Error::TooFewRows { what: "kernel ridge regression".into(), least: 1, rows: 0 })
}

fn check(gram: MatRef<'_, f64>, targets: MatRef<'_, f64>, c: f64) -> Result<()> {
    check_gram(gram)?;
    check_targets(gram, targets, c)
}

fn check_targets(gram: MatRef<'_, f64>, targets: MatRef<'_, f64>, c: f64) -> Result<()> {
    positive("c", c)?;
    length("targets", gram.nrows(), targets.nrows())?;
    for column in targets.col_iter() {
        if let Some(i) = column.iter().position(|y| !y.is_finite()) {
            return Err(Error::NotFinite { row: i + 1, column: "target".into(), value: column[i] });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{Purpose, Stream};

    const GRID: [f64; 11] = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5];

    fn normal(rows: usize, columns: usize, seed: u64) -> Mat<f64> {
        let mut stream = Stream::new(seed, Purpose::Data, 0);
        Mat::from_fn(rows, columns, |_, _| stream.normal())
    }

    /// Returns the Gram matrix of n points in `rank` dimensions, and targets.
    fn problem(n: usize, rank: usize, outputs: usize, seed: u64) -> (Mat<f64>, Mat<f64>) {
        let x = normal(n, rank, seed);
        (&x * x.transpose(), normal(n, outputs, seed + 1000))
    }

    fn without(gram: &Mat<f64>, targets: &Mat<f64>, left: usize) -> (Mat<f64>, Mat<f64>) {
        let n = gram.nrows() - 1;
        let at = |i: usize| if i < left { i } else { i + 1 };
        let targets_without = Mat::from_fn(n, targets.ncols(), |i, j| targets[(at(i), j)]);
        (Mat::from_fn(n, n, |i, j| gram[(at(i), at(j))]), targets_without)
    }

    fn largest(a: &Mat<f64>) -> f64 {
        a.col_iter().flat_map(|c| c.iter()).fold(0.0_f64, |s, d| s.max(d.abs()))
    }

    fn farthest(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        largest(&(a - b)) / largest(b)
    }

    #[test]
    fn the_whole_grid_is_certified_to_1e_8_on_singular_matrices() {
        for (n, rank) in [(60, 200), (60, 60), (60, 7), (60, 1), (2, 1), (1, 1)] {
            for scale in [1e-4, 1.0, 1e4] {
                let (mut gram, targets) = problem(n, rank, 3, 5);
                gram *= faer::Scale(scale);
                let spectrum = Spectrum::new(gram.as_ref()).unwrap();
                for c in GRID {
                    for attempt in [
                        spectrum.solve(targets.as_ref(), c),
                        solve(gram.as_ref(), targets.as_ref(), c),
                    ] {
                        let solved = attempt.unwrap();
                        assert!(
                            solved.gap >= 0.0 && solved.gap <= 1e-8 * solved.objective,
                            "{n} {rank} {scale} {c}"
                        );
                        assert_eq!((solved.support, solved.stop), (n, SolverStop::ClosedForm));
                    }
                }
            }
        }
    }

    #[test]
    fn gap_is_primal_minus_dual_and_objective_is_the_primal() {
        let (gram, targets) = problem(20, 30, 2, 6);
        for c in [0.1, 1.0, 10.0] {
            let wrong = normal(20, 2, 77);
            let certified = certified(gram.as_ref(), targets.as_ref(), c, wrong.clone(), 1);
            let z = &gram * &wrong;
            let (mut primal, mut dual) = (0.0, 0.0);
            for j in 0..2 {
                for i in 0..20 {
                    let (a, z, y) = (wrong[(i, j)], z[(i, j)], targets[(i, j)]);
                    primal += a * z / 2.0 + c / 2.0 * (z - y).powi(2);
                    dual += a * y - a * z / 2.0 - a * a / (2.0 * c);
                }
            }
            assert!((certified.objective - primal).abs() < 1e-10 * primal);
            assert!((certified.gap - (primal - dual)).abs() < 1e-10 * primal);
            // No point in the span is below the dual objective.
            let best = solve(gram.as_ref(), targets.as_ref(), c).unwrap();
            assert!(best.objective >= dual && best.objective < primal);
        }
    }

    #[test]
    fn cholesky_and_spectrum_agree_and_columns_do_not_touch() {
        for (n, rank) in [(40, 90), (40, 5), (3, 3), (1, 2)] {
            let (gram, targets) = problem(n, rank, 4, 7);
            let spectrum = Spectrum::new(gram.as_ref()).unwrap();
            for c in [1e-5, 1e-2, 1.0, 1e3] {
                let together = spectrum.solve(targets.as_ref(), c).unwrap();
                let factored = solve(gram.as_ref(), targets.as_ref(), c).unwrap();
                assert!(
                    farthest(&factored.coefficients, &together.coefficients) < 1e-8,
                    "{n} {rank} {c}"
                );
                assert!(
                    (factored.objective - together.objective).abs() <= 1e-10 * together.objective
                );
                let mut sum = 0.0;
                for j in 0..4 {
                    let one = Mat::from_fn(n, 1, |i, _| targets[(i, j)]);
                    let alone = spectrum.solve(one.as_ref(), c).unwrap();
                    let column = Mat::from_fn(n, 1, |i, _| together.coefficients[(i, j)]);
                    assert!(farthest(&alone.coefficients, &column) < 1e-8);
                    sum += alone.objective;
                }
                assert!((sum - together.objective).abs() <= 1e-10 * sum);
            }
        }
    }

    #[test]
    fn a_linear_kernel_gives_the_weights_of_primal_ridge() {
        let (n, d) = (50, 6);
        let (x, y) = (normal(n, d, 8), normal(n, 2, 9));
        let gram = &x * x.transpose();
        for c in [1e-3, 1.0, 1e4] {
            let solved = solve(gram.as_ref(), y.as_ref(), c).unwrap();
            let weights = x.transpose() * &solved.coefficients;
            // The gradient of (1/2) |w|^2 + (C/2) |Xw - y|^2 is zero.
            let gradient = &weights + faer::Scale(c) * (x.transpose() * (&x * &weights - &y));
            let size = c * largest(&(x.transpose() * &y));
            assert!(
                largest(&gradient) < 1e-8 * size,
                "C = {c}: {} beside {size}",
                largest(&gradient)
            );
        }
    }

    #[test]
    fn leave_one_out_is_what_refitting_gives() {
        for (n, rank) in [(25, 40), (25, 4), (2, 2), (1, 3)] {
            let (gram, targets) = problem(n, rank, 2, 10);
            let spectrum = Spectrum::new(gram.as_ref()).unwrap();
            for c in [1e-5, 1e-1, 10.0, 1e5] {
                let free = spectrum.leave_one_out(targets.as_ref(), c).unwrap();
                for left in 0..n {
                    let (fewer, rest) = without(&gram, &targets, left);
                    let fit = (n > 1)
                        .then(|| solve(fewer.as_ref(), rest.as_ref(), c).unwrap().coefficients);
                    for j in 0..2 {
                        let others = (0..n).filter(|&i| i != left).enumerate();
                        let score = fit.as_ref().map_or(0.0, |a| {
                            others.map(|(at, i)| a[(at, j)] * gram[(i, left)]).sum()
                        });
                        assert!(
                            (free[(left, j)] - score).abs() < 1e-6 * (1.0 + score.abs()),
                            "{n} {rank} {c}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn one_row_is_solved_by_hand() {
        let (gram, y) = (Mat::from_fn(1, 1, |_, _| 3.0), Mat::from_fn(1, 1, |_, _| 2.0));
        let solved = solve(gram.as_ref(), y.as_ref(), 2.0).unwrap();
        assert!((solved.coefficients[(0, 0)] - 2.0 / 3.5).abs() < 1e-15);
        let z = 3.0 * 2.0 / 3.5;
        assert!((solved.objective - (z * z / 6.0 + (z - 2.0) * (z - 2.0))).abs() < 1e-14);
    }

    #[test]
    fn a_kernel_of_nothing_and_targets_of_nothing_are_solved() {
        let zero = Mat::<f64>::zeros(4, 4);
        let y = normal(4, 1, 11);
        for c in GRID {
            let solved = solve(zero.as_ref(), y.as_ref(), c).unwrap();
            assert!(farthest(&solved.coefficients, &(faer::Scale(c) * &y)) < 1e-14);
            let (gram, _) = problem(4, 2, 1, 12);
            let nothing = Mat::<f64>::zeros(4, 1);
            let solved = solve(gram.as_ref(), nothing.as_ref(), c).unwrap();
            assert_eq!((solved.objective, solved.gap, solved.support), (0.0, 0.0, 0));
        }
    }

    #[test]
    fn rounded_below_zero_is_clamped_and_indefinite_is_refused() {
        // Rank 2 with a perturbation of the size of rounding: Cholesky fails for large C.
        let (mut gram, targets) = problem(30, 2, 1, 13);
        let exact = gram.clone();
        for i in 0..30 {
            gram[(i, i)] -= 1e-11;
        }
        let c = 1e12;
        assert!(factorise(gram.as_ref(), c, Par::Seq).is_err());
        let solved = solve(gram.as_ref(), targets.as_ref(), c).unwrap();
        let exact = Spectrum::new(exact.as_ref()).unwrap().solve(targets.as_ref(), c).unwrap();
        // Equal up to the rounding of `exact`, whose eigenvalues of 1e-14 are not quite 0 beside
        // 1/C.
        assert!(farthest(&solved.coefficients, &exact.coefficients) < 0.1);
        let indefinite = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 2.0 });
        let y = normal(2, 1, 14);
        for refused in [
            Spectrum::new(indefinite.as_ref()).map(|_| ()),
            solve(indefinite.as_ref(), y.as_ref(), 10.0).map(|_| ()),
        ] {
            assert!(matches!(refused.unwrap_err(), Error::Numerical { .. }));
        }
    }

    #[test]
    fn bad_input_is_refused() {
        let (gram, targets) = problem(3, 3, 1, 15);
        for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = solve(gram.as_ref(), targets.as_ref(), c).unwrap_err();
            assert!(matches!(refused, Error::OutOfRange { name: "c", .. }));
        }
        for c in [1e-310, 1e-300, 1e300] {
            // The result is in range, or an error.
            if let Ok(solved) = solve(gram.as_ref(), targets.as_ref(), c) {
                assert!(solved.gap.is_finite() && solved.objective.is_finite());
            }
        }
        let mut holes = targets.clone();
        holes[(1, 0)] = f64::NAN;
        let refused = solve(gram.as_ref(), holes.as_ref(), 1.0).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 2, .. }));
        let mut broken = gram.clone();
        broken[(2, 1)] = f64::NAN;
        assert!(
            solve(broken.as_ref(), targets.as_ref(), 1.0).is_err()
                && Spectrum::new(broken.as_ref()).is_err()
        );
        let few = Mat::<f64>::zeros(2, 1);
        assert!(matches!(
            solve(gram.as_ref(), few.as_ref(), 1.0).unwrap_err(),
            Error::WrongLength { expected: 3, found: 2, .. }
        ));
        let none = Mat::<f64>::zeros(0, 0);
        assert!(
            Spectrum::new(none.as_ref()).is_err()
                && solve(none.as_ref(), none.as_ref(), 1.0).is_err()
        );
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        for n in [5, 130, 517, 1100] {
            let (gram, targets) = problem(n, n / 2 + 1, 3, 16);
            let with = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| solve(gram.as_ref(), targets.as_ref(), 100.0).unwrap())
            };
            let one = with(1);
            for threads in [2, 3, 8] {
                let more = with(threads);
                assert_eq!(one.coefficients, more.coefficients, "{n} rows, {threads} threads");
                assert_eq!((one.objective, one.gap), (more.objective, more.gap));
            }
        }
    }
}
