//! Follows the central path of the multi-class hinge loss over features.
//!
//! **Conditions** at mu, for levels g_ir = 1[r != y_i] + <v_r, f_i>, slacks s_ir = m_i - g_ir and
//! weights w_ir >= 0:
//!
//!   v_r = sum_i (C 1[r = y_i] - w_ir) f_i,   sum_r w_ir = C,   w_ir s_ir = mu.
//!
//! With o = w / s and O_i = sum_r o_ir, a direction of [`crate::interior`] solves (I + sum_i A_i x
//! f_i f_i') dv = right-hand side, A_i = diag(o_i) - o_i o_i' / O_i, in D x classes unknowns. v is
//! updated itself, not summed from w, so large costs do not reduce its precision. As sum_r v_r = 0
//! and A_i maps equal numbers to 0, any multiple of the matrix of ones may be added to A_i; one of
//! similar size prevents rounding from making the system indefinite.

use super::super::Features;
use crate::cholesky::{CholeskyFactor, NotPositive};
use crate::interior::{CentralPath, Pairs, Progress, Reach, Steps, Target};
use crate::interior::{advance, follow, reach};
use crate::monitor::Monitor;
use crate::products::{lower_product, mirror, multiply};
use crate::stop::SolverStop;
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

/// Number of examples scaled at a time.
pub(super) const EXAMPLES: usize = 512;

/// Point with positive weights and slacks.
pub(super) struct Interior<'a> {
    features: Features<'a>,
    labels: &'a [usize],
    /// C, times the weight of each example.
    c: &'a [f64],
    /// v, (D, classes).
    pub(super) vectors: Mat<f64>,
    /// m.
    m: Vec<f64>,
    /// s and w, class by class.
    pairs: [Pairs; 1],
    /// Changes of all these.
    change: (Mat<f64>, Vec<f64>, [Pairs; 1]),
}

/// Newton system at a point.
pub(super) struct System {
    factor: CholeskyFactor,
    o: Mat<f64>,
    missing: Residuals,
}

/// Residuals of the equations of v, of s and of the sums of w.
struct Residuals {
    vectors: Mat<f64>,
    s: Mat<f64>,
    sums: Vec<f64>,
}

impl<'a> Interior<'a> {
    /// Creates a point with equal weights, and slacks that differ by a factor of at most 2.
    pub(super) fn new(
        features: Features<'a>,
        labels: &'a [usize],
        classes: usize,
        c: &'a [f64],
    ) -> Interior<'a> {
        let (n, width) = (labels.len(), features.width());
        let w = (0..n * classes).map(|at| c[at % n] / classes as f64).collect();
        let pairs = [Pairs { slack: vec![0.0; n * classes], multiplier: w }];
        let change = (Mat::zeros(width, classes), vec![0.0; n], [Pairs::zeros(n * classes)]);
        let (vectors, m) = (Mat::zeros(width, classes), vec![0.0; n]);
        let mut point = Interior { features, labels, c, vectors, m, pairs, change };
        point.vectors = point.summed();
        let g = point.levels(&point.vectors);
        let span = |i: usize| {
            g.row(i).iter().fold((f64::MAX, f64::MIN), |(l, h), &g| (l.min(g), h.max(g)))
        };
        let room = (0..n).map(|i| span(i).1 - span(i).0).fold(1.0, f64::max);
        point.m = (0..n).map(|i| span(i).1 + room).collect();
        let s = |at: usize| point.m[at % n] - g[(at % n, at / n)];
        point.pairs[0].slack = (0..n * classes).map(s).collect();
        point
    }

    /// Returns w, (n, classes).
    pub(super) fn w(&self) -> MatRef<'_, f64> {
        self.matrix(&self.pairs[0].multiplier)
    }

    /// Returns s, (n, classes).
    pub(super) fn s(&self) -> MatRef<'_, f64> {
        self.matrix(&self.pairs[0].slack)
    }

    fn matrix<'m>(&self, numbers: &'m [f64]) -> MatRef<'m, f64> {
        MatRef::from_column_major_slice(numbers, self.m.len(), self.vectors.ncols())
    }

    /// Returns sum_i (C 1[r = y_i] - w_ir) f_i.
    fn summed(&self) -> Mat<f64> {
        let own = |i: usize, r: usize| if r == self.labels[i] { self.c[i] } else { 0.0 };
        let w = self.w();
        self.combined(&Mat::from_fn(w.nrows(), w.ncols(), |i, r| own(i, r) - w[(i, r)]))
    }

    /// Returns F b.
    fn combined(&self, b: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.features.width(), b.ncols());
        let features = self.features.matrix.as_dyn_stride();
        multiply(out.as_mut(), features, b.as_ref());
        out
    }

    /// Returns F'v.
    fn scores(&self, vectors: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.labels.len(), vectors.ncols());
        let features = self.features.matrix.as_dyn_stride().transpose();
        multiply(out.as_mut(), features, vectors.as_ref());
        out
    }

    /// Returns g.
    fn levels(&self, vectors: &Mat<f64>) -> Mat<f64> {
        let mut g = self.scores(vectors);
        for r in 0..g.ncols() {
            (0..g.nrows()).filter(|&i| self.labels[i] != r).for_each(|i| g[(i, r)] += 1.0);
        }
        g
    }

    /// Returns the primal objective of v.
    pub(super) fn objective(&self) -> f64 {
        let g = self.levels(&self.vectors);
        let most = |i: usize| g.row(i).iter().fold(f64::NEG_INFINITY, |m, &g| m.max(g));
        let loss = |i: usize| self.c[i] * (most(i) - g[(i, self.labels[i])]);
        self.vectors.squared_norm_l2() / 2.0 + (0..g.nrows()).map(loss).sum::<f64>()
    }

    /// Makes steps until the sum of products, which is the gap up to rounding, is at most `tol`
    /// times the objective or no step helps. Returns the number of steps, and true if a system
    /// could not be solved.
    pub(super) fn run(&mut self, tol: f64, most: u64, monitor: &dyn Monitor) -> (u64, bool) {
        let judge = |path: &mut Self| {
            let left = path.products();
            Progress { solved: left <= tol * path.objective(), left }
        };
        let (steps, stop) = follow(self, judge, most, monitor);
        (steps, stop == SolverStop::NumericalFailure)
    }

    fn missing(&self) -> Residuals {
        let (g, w) = (self.levels(&self.vectors), self.w());
        let s = self.s();
        let s = Mat::from_fn(g.nrows(), g.ncols(), |i, r| s[(i, r)] - self.m[i] + g[(i, r)]);
        let sums = (0..g.nrows()).map(|i| w.row(i).iter().sum::<f64>() - self.c[i]).collect();
        Residuals { vectors: &self.vectors - self.summed(), s, sums }
    }
}

impl CentralPath for Interior<'_> {
    type System = System;
    const SHARE: f64 = 0.99;

    fn at(&self) -> &[Pairs] {
        &self.pairs
    }

    /// Factors I + sum_i A_i x f_i f_i', class by class.
    fn factor(&mut self, monitor: &dyn Monitor) -> Result<System, NotPositive> {
        let o = self.matrix(&self.pairs[0].ratios()).to_owned();
        let (n, classes, width) = (o.nrows(), o.ncols(), self.features.width());
        let pairs: Vec<(usize, usize)> =
            (0..classes).flat_map(|q| (q..classes).map(move |r| (r, q))).collect();
        let sums: Vec<f64> = (0..n).map(|i| o.row(i).iter().sum()).collect();
        let spread = |i: usize| sums[i] - o.row(i).iter().map(|o| o * (o / sums[i])).sum::<f64>();
        let ones: Vec<f64> = (0..n).map(|i| spread(i).max(0.0) / classes as f64).collect();
        let features = self.features.matrix.as_dyn_stride();
        let block = |&(r, q): &(usize, usize)| {
            let of = |i: usize| match r == q {
                // A sum over the other classes, without cancellation.
                true => {
                    o[(i, r)]
                        * ((0..classes).filter(|&k| k != r).map(|k| o[(i, k)]).sum::<f64>()
                            / sums[i])
                }
                false => -o[(i, r)] * (o[(i, q)] / sums[i]),
            };
            let mut block = Mat::zeros(width, width);
            let mut scaled = Mat::<f64>::zeros(width, EXAMPLES.min(n));
            for from in (0..n).step_by(EXAMPLES) {
                if monitor.should_stop() {
                    break;
                }
                let part = features.subcols(from, EXAMPLES.min(n - from));
                for k in 0..part.ncols() {
                    let (to, weight) = (scaled.col_as_slice_mut(k), of(from + k) + ones[from + k]);
                    let column = self.features.column(from + k);
                    to.iter_mut().zip(column).for_each(|(to, x)| *to = weight * x);
                }
                let scaled = scaled.as_ref().subcols(0, part.ncols());
                lower_product(block.as_mut(), Accum::Add, scaled, part.transpose(), 1.0);
            }
            mirror(&mut block, 1.0);
            block
        };
        let blocks: Vec<Mat<f64>> = pairs.par_iter().map(block).collect();
        let mut system = Mat::identity(width * classes, width * classes);
        for (&(r, q), block) in pairs.iter().zip(&blocks) {
            let mut place = system.as_mut().submatrix_mut(r * width, q * width, width, width);
            place += block;
        }
        if monitor.should_stop() {
            // Of blocks that were left out; nothing is read of it.
            return Err(NotPositive { column: 1 });
        }
        let factor = CholeskyFactor::new(system, Par::Seq)?;
        Ok(System { factor, o, missing: self.missing() })
    }

    fn solve(&mut self, System { factor, o, missing }: &System, target: Target) -> Reach {
        let (n, classes, width) = (o.nrows(), o.ncols(), self.features.width());
        // dw = p - o dm + o F'dv.
        let held = self.pairs[0].held(target, &self.change.2[0], |_| 1.0);
        let p = Mat::from_fn(n, classes, |i, r| held[r * n + i] + o[(i, r)] * missing.s[(i, r)]);
        let sums: Vec<f64> = (0..n).map(|i| o.row(i).iter().sum()).collect();
        let needed: Vec<f64> =
            (0..n).map(|i| (missing.sums[i] + p.row(i).iter().sum::<f64>()) / sums[i]).collect();
        let fixed = Mat::from_fn(n, classes, |i, r| p[(i, r)] - o[(i, r)] * needed[i]);
        let mut right = self.combined(&fixed) + &missing.vectors;
        for k in 0..width {
            let mean = right.row(k).iter().sum::<f64>() / classes as f64;
            right.row_mut(k).iter_mut().for_each(|v| *v -= mean);
        }
        let mut unknown = Mat::from_fn(width * classes, 1, |k, _| -right[(k % width, k / width)]);
        factor.solve(&mut unknown);
        let vectors = Mat::from_fn(width, classes, |k, r| unknown[(r * width + k, 0)]);
        let z = self.scores(&vectors);
        let mean = |i: usize| (0..classes).map(|r| o[(i, r)] * z[(i, r)]).sum::<f64>() / sums[i];
        let moved: Vec<f64> = (0..n).map(mean).collect();
        let m: Vec<f64> = (0..n).map(|i| needed[i] + moved[i]).collect();
        let all = || (0..n * classes).map(|at| (at % n, at / n));
        let slack = all().map(|(i, r)| m[i] - z[(i, r)] - missing.s[(i, r)]).collect();
        let multiplier =
            all().map(|(i, r)| fixed[(i, r)] + o[(i, r)] * (z[(i, r)] - moved[i])).collect();
        self.change = (vectors, m, [Pairs { slack, multiplier }]);
        reach(&self.pairs, &self.change.2).together()
    }

    fn advance(&mut self, steps: Steps) {
        let (vectors, m, pairs) = &self.change;
        self.vectors += faer::Scale(steps.primal) * vectors;
        self.m.iter_mut().zip(m).for_each(|(m, d)| *m += steps.primal * d);
        advance(&mut self.pairs, pairs, steps);
    }
}
