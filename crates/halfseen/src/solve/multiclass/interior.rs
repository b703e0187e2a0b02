//! Follows the central path of the dual of the multi-class hinge loss, with one factored matrix per class and step.
//!
//! With multipliers m_i of sum_r w_ir = C and slacks s_ir = m_i - g_ir >= 0 the gap is sum_ir w_ir s_ir. A step solves
//! (K + diag(s_r / w_r)) dw_r + dm = t_r for every class r, and sum_r dw_r = 0; dm solves a system in the sum over
//! classes of the inverses. Weights and slacks stay feasible, as ds_r = dm + K dw_r.

use super::Search;
use crate::monitor::Monitor;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::solve::solve_in_place;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

/// Most steps; the method needs 15 to 40.
const STEPS: usize = 100;
/// Least diagonal that is added to the Gram matrix, relative to its mean, so that singular matrices have a factor.
const FLOOR: f64 = 1e-13;
/// Share of the way to the boundary that a step may go.
const SHARE: f64 = 0.99;

/// The factor of K + diag(s / w) per class, and that of the sum of inverses.
struct Factored {
    inverses: Vec<Mat<f64>>,
    sum: Mat<f64>,
}

fn factor(mut matrix: Mat<f64>) -> Option<Mat<f64>> {
    let n = matrix.nrows();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(matrix.as_mut(), Default::default(), Par::Seq, stack, Default::default()).ok()?;
    Some(matrix)
}

fn substitute(factor: MatRef<'_, f64>, right: &mut Mat<f64>) {
    solve_in_place(factor, right.as_mut(), Par::Seq, MemStack::new(&mut []));
}

impl Factored {
    fn new(gram: MatRef<'_, f64>, w: &Mat<f64>, s: &Mat<f64>) -> Option<Factored> {
        let n = gram.nrows();
        let floor = FLOOR * (0..n).map(|i| gram[(i, i)]).sum::<f64>() / n as f64;
        let inverses: Option<Vec<Mat<f64>>> = (0..w.ncols())
            .into_par_iter()
            .map(|r| {
                let mut matrix = gram.to_owned();
                (0..n).for_each(|i| matrix[(i, i)] += (s[(i, r)] / w[(i, r)]).max(floor));
                let factor = factor(matrix)?;
                let mut inverse = Mat::identity(n, n);
                substitute(factor.as_ref(), &mut inverse);
                Some(inverse)
            })
            .collect();
        let inverses = inverses?;
        let mut sum = Mat::zeros(n, n);
        inverses.iter().for_each(|inverse| sum += inverse);
        Some(Factored { inverses, sum: factor(sum)? })
    }

    /// The changes (dw, ds, dm) for the right-hand sides t (n, classes).
    fn direction(&self, gram: MatRef<'_, f64>, t: &Mat<f64>) -> (Mat<f64>, Mat<f64>, Mat<f64>) {
        let (n, classes) = (t.nrows(), t.ncols());
        let times = |r: usize, from: MatRef<'_, f64>, to: faer::MatMut<'_, f64>| {
            matmul(to, Accum::Replace, self.inverses[r].as_ref(), from, 1.0, Par::Seq);
        };
        let mut dw = Mat::zeros(n, classes);
        let mut dm = Mat::zeros(n, 1);
        for r in 0..classes {
            times(r, t.as_ref().subcols(r, 1), dw.as_mut().subcols_mut(r, 1));
            dm += dw.as_ref().subcols(r, 1);
        }
        substitute(self.sum.as_ref(), &mut dm);
        for r in 0..classes {
            let right = Mat::from_fn(n, 1, |i, _| t[(i, r)] - dm[(i, 0)]);
            times(r, right.as_ref(), dw.as_mut().subcols_mut(r, 1));
        }
        // Rounding must not move the sums of rows: the heaviest errors come with the largest changes.
        for i in 0..n {
            let (sum, size) = dw.row(i).iter().fold((0.0, 0.0), |(s, a), d| (s + d, a + d.abs()));
            if size > 0.0 {
                dw.row_mut(i).iter_mut().for_each(|d| *d -= sum * d.abs() / size);
            }
        }
        let mut ds = Mat::zeros(n, classes);
        matmul(ds.as_mut(), Accum::Replace, gram, dw.as_ref(), 1.0, Par::Seq);
        for r in 0..classes {
            for i in 0..n {
                ds[(i, r)] += dm[(i, 0)];
            }
        }
        (dw, ds, dm)
    }
}

/// The longest step, at most 1 / SHARE, that keeps `values` at least 0.
fn longest(values: &Mat<f64>, change: &Mat<f64>) -> f64 {
    let mut step = 1.0 / SHARE;
    for r in 0..values.ncols() {
        for (v, d) in values.col(r).iter().zip(change.col(r).iter()) {
            if *d < 0.0 {
                step = f64::min(step, -v / d);
            }
        }
    }
    step
}

fn product(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (0..a.ncols()).map(|r| a.col(r).iter().zip(b.col(r).iter()).map(|(x, y)| x * y).sum::<f64>()).sum()
}

impl Search<'_> {
    /// Steps until the gap is at most a third of `tol` times the objective, numbers allow no more, or the passes are used up.
    pub(super) fn interior(&mut self, tol: f64, max_passes: u64, monitor: &dyn Monitor) {
        let (n, classes) = (self.w.nrows(), self.w.ncols());
        let count = (n * classes) as f64;
        self.w.fill(self.c / classes as f64);
        let mut now = self.certify();
        let largest = |g: &Mat<f64>, i: usize| g.row(i).iter().fold(f64::NEG_INFINITY, |m, &x| m.max(x));
        let spread: f64 = (0..n).map(|i| self.g.row(i).iter().map(|g| largest(&self.g, i) - g).sum::<f64>()).sum();
        let room = 1.0 + spread / count;
        let mut m: Vec<f64> = (0..n).map(|i| largest(&self.g, i) + room).collect();
        let mut s = Mat::from_fn(n, classes, |i, r| m[i] - self.g[(i, r)]);
        for _ in 0..STEPS {
            let gap = product(&self.w, &s);
            if now.gap <= 0.3 * tol * now.primal || self.passes >= max_passes || monitor.should_stop() {
                return;
            }
            let Some(factored) = Factored::new(self.gram, &self.w, &s) else { return };
            self.passes += 1;
            let predict = Mat::from_fn(n, classes, |i, r| -s[(i, r)]);
            let (dw, ds, _) = factored.direction(self.gram, &predict);
            let step = longest(&self.w, &dw).min(longest(&s, &ds)).min(1.0);
            let reached = gap + step * (product(&self.w, &ds) + product(&dw, &s)) + step * step * product(&dw, &ds);
            let centre = (reached / gap).clamp(1e-6, 1.0).powi(3).max(1e-8) * gap / count;
            let t = Mat::from_fn(n, classes, |i, r| (centre - dw[(i, r)] * ds[(i, r)]) / self.w[(i, r)] - s[(i, r)]);
            let (dw, ds, dm) = factored.direction(self.gram, &t);
            let step = SHARE * longest(&self.w, &dw).min(longest(&s, &ds));
            if !step.is_finite() || step < 1e-8 {
                return;
            }
            for i in 0..n {
                m[i] += step * dm[(i, 0)];
                for r in 0..classes {
                    self.w[(i, r)] += step * dw[(i, r)];
                    s[(i, r)] += step * ds[(i, r)];
                }
            }
            // Scores start large and end small: slacks that were only updated would keep the first ones' rounding.
            now = self.certify();
            for i in 0..n {
                for r in 0..classes {
                    let fresh = m[i] - self.g[(i, r)];
                    if fresh > 0.0 {
                        s[(i, r)] = fresh;
                    }
                }
            }
        }
    }
}
