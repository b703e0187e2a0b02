//! Solves the dual by a primal-dual interior-point method with a predictor and a corrector (Mehrotra 1992).
//!
//! In a_ir >= 0 with sum_r a_ir = C the dual minimises (1/2) sum_r b_r'K b_r - sum_ir a_ir e_ir, b = C 1(r = y) - a. With
//! multipliers m_i of the sums and s_ir of the bounds a Newton step solves, class by class,
//! (K + diag(s_r / a_r)) da_r + dm = right-hand side, coupled by sum_r da_r = 0 alone: one factorisation for each
//! class, and one of the sum of their inverses. O(classes n^3) an iteration, whatever C and the rank of K are.

use crate::error::{ErrorKind, Result};
use crate::monitor::Monitor;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, MatRef, Par, Side};

/// The dual problem.
pub(super) struct Problem<'a> {
    pub(super) gram: MatRef<'a, f64>,
    pub(super) codes: &'a [u32],
    pub(super) classes: usize,
    pub(super) c: f64,
}

/// Iterations at most: a few dozen are usual.
const MOST: u64 = 100;
/// Of the way to the nearest bound, how much is gone.
const CAUTION: f64 = 0.995;

/// The unknowns: a and s (n, classes), m (n).
struct Point {
    a: Mat<f64>,
    s: Mat<f64>,
    m: Mat<f64>,
}

impl Problem<'_> {
    fn raise(&self, i: usize, r: usize) -> f64 {
        f64::from(u8::from(self.codes[i] as usize != r))
    }

    /// Coefficients b, (classes, n), feasible, and the iterations that they took.
    pub(super) fn solve(&self, tol: f64, monitor: &dyn Monitor) -> Result<(Mat<f64>, u64)> {
        let (n, classes) = (self.codes.len(), self.classes);
        let scale = (0..n).map(|i| self.gram[(i, i)]).fold(0.0_f64, f64::max).max(1e-300) * self.c + 1.0;
        let mut at = Point {
            a: Mat::full(n, classes, self.c / classes as f64),
            s: Mat::full(n, classes, scale),
            m: Mat::zeros(n, 1),
        };
        let mut iterations = 0;
        while iterations < MOST && !monitor.should_stop() {
            // Scores and what is left of the conditions.
            let scores = self.scores(&at.a);
            let rest = Mat::from_fn(n, classes, |i, r| at.m[(i, 0)] - at.s[(i, r)] - scores[(i, r)] - self.raise(i, r));
            let products = sum(n, classes, |i, r| at.a[(i, r)] * at.s[(i, r)]);
            let mean = products / (n * classes) as f64;
            let primal = self.primal(&at.a, &scores);
            if products <= tol * primal.abs() && rest.norm_max() * self.c * n as f64 <= tol * primal.abs() {
                break;
            }
            iterations += 1;
            let Some(newton) = self.factorise(&at) else { break };
            let pure = Mat::from_fn(n, classes, |i, r| at.a[(i, r)] * at.s[(i, r)]);
            let (da, ds, _) = self.step(&newton, &at, &rest, &pure);
            let (pa, ps) = (reach(&at.a, &da), reach(&at.s, &ds));
            let ahead = sum(n, classes, |i, r| (at.a[(i, r)] + pa * da[(i, r)]) * (at.s[(i, r)] + ps * ds[(i, r)]));
            let centre = mean * (ahead / products).powi(3);
            let corrected =
                Mat::from_fn(n, classes, |i, r| at.a[(i, r)] * at.s[(i, r)] + da[(i, r)] * ds[(i, r)] - centre);
            let (da, ds, dm) = self.step(&newton, &at, &rest, &corrected);
            // One length for both: the objective is quadratic in a.
            let length = (CAUTION * reach(&at.a, &da).min(reach(&at.s, &ds))).min(1.0);
            if !(length > 1e-12) {
                break;
            }
            at.a += faer::Scale(length) * &da;
            at.s += faer::Scale(length) * &ds;
            at.m += faer::Scale(length) * &dm;
        }
        if !(at.a.norm_max().is_finite()) {
            let problem = "an iterate is not finite".to_owned();
            return Err(ErrorKind::Numerical { what: "an interior-point method", problem }.into());
        }
        Ok((self.feasible(&at.a), iterations))
    }

    /// z = K b, (n, classes).
    fn scores(&self, a: &Mat<f64>) -> Mat<f64> {
        let own = |i: usize, r: usize| if self.raise(i, r) == 0.0 { self.c } else { 0.0 };
        let b = Mat::from_fn(a.nrows(), a.ncols(), |i, r| own(i, r) - a[(i, r)]);
        let mut z = Mat::zeros(a.nrows(), a.ncols());
        faer::linalg::matmul::matmul(z.as_mut(), faer::Accum::Replace, self.gram, &b, 1.0, Par::Seq);
        z
    }

    fn primal(&self, a: &Mat<f64>, z: &Mat<f64>) -> f64 {
        let (mut square, mut loss) = (0.0, 0.0);
        for (i, &code) in self.codes.iter().enumerate() {
            let own = code as usize;
            let most = (0..self.classes).map(|r| z[(i, r)] + self.raise(i, r)).fold(f64::NEG_INFINITY, f64::max);
            loss += most - z[(i, own)];
            for r in 0..self.classes {
                let b = if r == own { self.c } else { 0.0 } - a[(i, r)];
                square += b * z[(i, r)];
            }
        }
        0.5 * square + self.c * loss
    }

    /// The factors of K + diag(s_r / a_r), class by class, and of the sum of their inverses.
    fn factorise(&self, at: &Point) -> Option<(Vec<Llt<f64>>, Llt<f64>)> {
        let n = self.codes.len();
        let mut factors = Vec::with_capacity(self.classes);
        let mut total = Mat::<f64>::zeros(n, n);
        for r in 0..self.classes {
            let mut matrix = self.gram.to_owned();
            (0..n).for_each(|i| matrix[(i, i)] += at.s[(i, r)] / at.a[(i, r)]);
            let factor = matrix.llt(Side::Lower).ok()?;
            total += factor.solve(Mat::<f64>::identity(n, n));
            factors.push(factor);
        }
        let coupled = total.llt(Side::Lower).ok()?;
        Some((factors, coupled))
    }

    /// A Newton step (da, ds, dm) that takes `rest` to 0 and a s down by `products`.
    fn step(
        &self,
        (factors, coupled): &(Vec<Llt<f64>>, Llt<f64>),
        at: &Point,
        rest: &Mat<f64>,
        products: &Mat<f64>,
    ) -> (Mat<f64>, Mat<f64>, Mat<f64>) {
        let (n, classes) = (self.codes.len(), self.classes);
        let right = Mat::from_fn(n, classes, |i, r| -rest[(i, r)] - products[(i, r)] / at.a[(i, r)]);
        let mut free = Mat::zeros(n, classes);
        // What the sums of a lack of C.
        let mut missing = Mat::from_fn(n, 1, |i, _| (0..classes).map(|r| at.a[(i, r)]).sum::<f64>() - self.c);
        for (r, factor) in factors.iter().enumerate() {
            free.col_mut(r).copy_from(factor.solve(right.col(r)));
            (0..n).for_each(|i| missing[(i, 0)] += free[(i, r)]);
        }
        let dm = coupled.solve(&missing);
        let mut da = free;
        for (r, factor) in factors.iter().enumerate() {
            let moved = factor.solve(dm.col(0));
            (0..n).for_each(|i| da[(i, r)] -= moved[i]);
        }
        let ds = Mat::from_fn(n, classes, |i, r| -(products[(i, r)] + at.s[(i, r)] * da[(i, r)]) / at.a[(i, r)]);
        (da, ds, dm)
    }

    /// b from a, each row of which is made to sum to C exactly; numbers that only keep off a bound become 0.
    fn feasible(&self, a: &Mat<f64>) -> Mat<f64> {
        let n = self.codes.len();
        let mut b = Mat::zeros(self.classes, n);
        let against = (0..n).flat_map(|i| (0..self.classes).map(move |r| (i, r)));
        let against = against.filter(|&(i, r)| self.raise(i, r) > 0.0).map(|(i, r)| a[(i, r)]);
        let least = 1e-12 * against.fold(0.0, f64::max);
        for i in 0..n {
            let own = self.codes[i] as usize;
            let kept = |r: usize| if a[(i, r)] > least { a[(i, r)] } else { 0.0 };
            let sum: f64 = (0..self.classes).map(kept).sum();
            let mut against = 0.0;
            for r in (0..self.classes).filter(|&r| r != own) {
                let share = kept(r) / sum * self.c;
                b[(r, i)] = -share;
                against += share;
            }
            b[(own, i)] = against.min(self.c);
        }
        b
    }
}

/// The longest step of at most 1 that keeps all numbers at least 0.
fn reach(numbers: &Mat<f64>, steps: &Mat<f64>) -> f64 {
    let mut longest = 1.0_f64;
    for r in 0..numbers.ncols() {
        for (v, step) in numbers.col(r).iter().zip(steps.col(r).iter()) {
            if *step < 0.0 {
                longest = longest.min(-v / step);
            }
        }
    }
    longest
}

fn sum(n: usize, classes: usize, of: impl Fn(usize, usize) -> f64) -> f64 {
    (0..classes).map(|r| (0..n).map(|i| of(i, r)).sum::<f64>()).sum()
}
