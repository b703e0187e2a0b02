//! Follows the central path of the dual of the multi-class hinge loss to its optimum
//! (Mehrotra 1992).
//!
//! With multipliers m_i of sum_r w_ir = c_i and slacks s_ir = m_i - g_ir >= 0 the gap is sum_ir
//! w_ir s_ir. A step solves (K + diag(s_r / w_r)) dw_r + dm = t_r for every class r, and sum_r
//! dw_r = 0. Weights and slacks stay feasible, as ds_r = dm + K dw_r.

use super::Search;
use super::newton::{Form, Newton};
use crate::monitor::Monitor;
use faer::Mat;

/// Most steps; the method needs 15 to 40.
const STEPS: usize = 100;
/// Share of the way to the boundary that a step may go.
const SHARE: f64 = 0.99;

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
    (0..a.ncols())
        .map(|r| a.col(r).iter().zip(b.col(r).iter()).map(|(x, y)| x * y).sum::<f64>())
        .sum()
}

impl Search<'_> {
    /// Steps until the gap is at most a third of `tol` times the objective, numbers allow no more,
    /// or the passes are used up.
    pub(super) fn interior(
        &mut self,
        form: Form<'_>,
        tol: f64,
        max_passes: u64,
        monitor: &dyn Monitor,
    ) {
        let (n, classes) = (self.w.nrows(), self.w.ncols());
        let count = (n * classes) as f64;
        let mean = (0..n).map(|i| self.gram[(i, i)]).sum::<f64>() / n as f64;
        self.w = Mat::from_fn(n, classes, |i, _| self.c[i] / classes as f64);
        let mut now = self.certify();
        let largest =
            |g: &Mat<f64>, i: usize| g.row(i).iter().fold(f64::NEG_INFINITY, |m, &x| m.max(x));
        let spread: f64 = (0..n)
            .map(|i| self.g.row(i).iter().map(|g| largest(&self.g, i) - g).sum::<f64>())
            .sum();
        let room = 1.0 + spread / count;
        let mut m: Vec<f64> = (0..n).map(|i| largest(&self.g, i) + room).collect();
        let mut s = Mat::from_fn(n, classes, |i, r| m[i] - self.g[(i, r)]);
        for _ in 0..STEPS {
            let gap = product(&self.w, &s);
            if now.gap <= 0.3 * tol * now.primal
                || self.passes >= max_passes
                || monitor.should_stop()
            {
                return;
            }
            let Ok(newton) = Newton::new(form, mean, &self.w, &s) else {
                self.failed = true;
                return;
            };
            self.passes += 1;
            let predict = Mat::from_fn(n, classes, |i, r| -s[(i, r)]);
            let (dw, ds, _) = newton.direction(&predict);
            let step = longest(&self.w, &dw).min(longest(&s, &ds)).min(1.0);
            let reached = gap
                + step * (product(&self.w, &ds) + product(&dw, &s))
                + step * step * product(&dw, &ds);
            let centre = (reached / gap).clamp(1e-6, 1.0).powi(3).max(1e-8) * gap / count;
            let t = Mat::from_fn(n, classes, |i, r| {
                (centre - dw[(i, r)] * ds[(i, r)]) / self.w[(i, r)] - s[(i, r)]
            });
            let (dw, ds, dm) = newton.direction(&t);
            let step = SHARE * longest(&self.w, &dw).min(longest(&s, &ds));
            if !step.is_finite() || step < 1e-8 {
                self.failed = !step.is_finite();
                return;
            }
            for i in 0..n {
                m[i] += step * dm[(i, 0)];
                for r in 0..classes {
                    self.w[(i, r)] += step * dw[(i, r)];
                    s[(i, r)] += step * ds[(i, r)];
                }
            }
            // Scores start large and end small: slacks that were only updated would keep the first
            // ones' rounding.
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
