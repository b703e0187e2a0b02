//! Follows the central path of the multi-class hinge loss's dual by [`crate::interior`].
//!
//! With multipliers m_i of sum_r w_ir = c_i and slacks s_ir = m_i - g_ir >= 0 the gap is sum_ir
//! w_ir s_ir. A direction solves (K + diag(s_r / w_r)) dw_r + dm = t_r for every class r, and
//! sum_r dw_r = 0. Weights and slacks stay feasible, as ds_r = dm + K dw_r.

use super::newton::{Form, Newton};
use super::{Certificate, Search};
use crate::cholesky::NotPositive;
use crate::interior::{CentralPath, Pairs, Progress, Reach, Steps, Target};
use crate::interior::{advance, follow, reach};
use crate::monitor::Monitor;
use crate::stop::SolverStop;
use faer::{Mat, MatRef};

/// Step limit; the method needs 15 to 40.
const STEPS: u64 = 100;
/// Gap to reach, as a share of the accepted gap.
const TIGHT: f64 = 0.3;

/// Point with its workspace.
struct Path<'s, 'a> {
    search: &'s mut Search<'a>,
    form: Form<'s>,
    /// m, and its direction.
    m: Vec<f64>,
    dm: Vec<f64>,
    /// w and s, class by class.
    pairs: [Pairs; 1],
    direction: [Pairs; 1],
}

/// Returns the entries of a matrix, column by column.
fn flat(matrix: &Mat<f64>) -> Vec<f64> {
    (0..matrix.ncols()).flat_map(|r| matrix.col_as_slice(r)).copied().collect()
}

impl Search<'_> {
    /// Makes steps until the gap is at most `TIGHT` times `tol` times the objective, rounding
    /// prevents progress, or the passes are used up.
    pub(super) fn interior(
        &mut self,
        form: Form<'_>,
        tol: f64,
        max_passes: u64,
        monitor: &dyn Monitor,
    ) {
        let (n, classes) = self.g.shape();
        let w = Mat::from_fn(n, classes, |i, _| self.dual.c[i] / classes as f64);
        self.dual.w = w.transpose().to_owned();
        self.certify();
        let largest =
            |i: usize| self.g.row(i).iter().fold(f64::NEG_INFINITY, |most, &g| most.max(g));
        let spread: f64 =
            (0..n).map(|i| self.g.row(i).iter().map(|g| largest(i) - g).sum::<f64>()).sum();
        let room = 1.0 + spread / (n * classes) as f64;
        let m: Vec<f64> = (0..n).map(|i| largest(i) + room).collect();
        let s = Mat::from_fn(n, classes, |i, r| m[i] - self.g[(i, r)]);
        let pairs = [Pairs { slack: flat(&w), multiplier: flat(&s) }];
        let (dm, direction) = (vec![0.0; n], [Pairs::zeros(n * classes)]);
        let most = STEPS.min(max_passes - self.passes);
        let mut path = Path { search: self, form, m, dm, pairs, direction };
        let judge = |path: &mut Path<'_, '_>| {
            let now = path.certify();
            Progress { solved: now.gap <= TIGHT * tol * now.primal, left: now.gap }
        };
        let (steps, stop) = follow(&mut path, judge, most, monitor);
        self.passes += steps;
        self.failed = stop == SolverStop::NumericalFailure;
    }
}

impl Path<'_, '_> {
    /// Recomputes the scores, which start large and end small: updated slacks would keep the
    /// rounding errors of the first ones.
    fn certify(&mut self) -> Certificate {
        let [Pairs { slack: w, multiplier: s }] = &mut self.pairs;
        let n = self.m.len();
        self.search.dual.w = Mat::from_fn(w.len() / n, n, |r, i| w[r * n + i]);
        let now = self.search.certify();
        for (at, s) in s.iter_mut().enumerate() {
            let fresh = self.m[at % n] - self.search.g[(at % n, at / n)];
            if fresh > 0.0 {
                *s = fresh;
            }
        }
        now
    }
}

impl<'s> CentralPath for Path<'s, '_> {
    type System = Newton<'s>;
    const SHARE: f64 = 0.99;

    fn at(&self) -> &[Pairs] {
        &self.pairs
    }

    fn factor(&mut self, monitor: &dyn Monitor) -> Result<Newton<'s>, NotPositive> {
        let n = self.m.len();
        let mean = self.search.diagonal.iter().sum::<f64>() / n as f64;
        let ratios = self.pairs[0].ratios();
        let ratios = MatRef::from_column_major_slice(&ratios, n, ratios.len() / n);
        Newton::new(self.form, mean, ratios, monitor)
    }

    fn solve(&mut self, newton: &Newton<'s>, target: Target) -> Reach {
        let n = self.m.len();
        let t = self.pairs[0].held(target, &self.direction[0], |_| 1.0);
        let t = Mat::from_fn(n, t.len() / n, |i, r| t[r * n + i]);
        let (dw, ds, dm) = newton.direction(&t);
        self.dm = flat(&dm);
        self.direction = [Pairs { slack: flat(&dw), multiplier: flat(&ds) }];
        reach(&self.pairs, &self.direction).together()
    }

    fn advance(&mut self, steps: Steps) {
        advance(&mut self.pairs, &self.direction, steps);
        self.m.iter_mut().zip(&self.dm).for_each(|(m, d)| *m += steps.primal * d);
    }
}
