//! Follows the central path of the multi-class hinge loss over features.
//!
//! **Conditions** at mu, for levels g_ir = 1[r != y_i] + <v_r, f_i>, slacks s_ir = m_i - g_ir and
//! weights w_ir >= 0:
//!
//!   v_r = sum_i (C 1[r = y_i] - w_ir) f_i,   sum_r w_ir = C,   w_ir s_ir = mu.
//!
//! With o = w / s and O_i = sum_r o_ir, a Newton step solves (I + sum_i A_i x f_i f_i') dv =
//! right-hand side, A_i = diag(o_i) - o_i o_i' / O_i, in D x classes unknowns, by Mehrotra's
//! predictor and corrector (1992). v is moved by itself, not summed from w, so that large costs
//! take none of its digits. As sum_r v_r = 0 and A_i maps equal numbers to 0, any multiple of the
//! matrix of ones may be added to A_i; one of its own size keeps rounding from making the system
//! indefinite.

use super::super::Features;
use crate::cholesky::{Factor, NotPositive};
use crate::monitor::Monitor;
use crate::stop::Stop;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use rayon::prelude::*;

/// Steps go this share of the way to the nearest bound.
const SHARE: f64 = 0.99;
/// Steps without progress after which the method gives up.
const PATIENCE: u32 = 8;

/// A point with positive weights and slacks.
pub(super) struct Interior<'a> {
    features: Features<'a>,
    labels: &'a [usize],
    /// C, times the weight of each example.
    c: &'a [f64],
    /// v, (D, classes).
    pub(super) vectors: Mat<f64>,
    /// w and s, (n, classes).
    pub(super) w: Mat<f64>,
    pub(super) s: Mat<f64>,
    /// m.
    m: Vec<f64>,
}

/// Changes of a point.
struct Direction {
    vectors: Mat<f64>,
    w: Mat<f64>,
    s: Mat<f64>,
    m: Vec<f64>,
}

/// What a point misses of the equations: those of v, of s and of the sums of w.
struct Residuals {
    vectors: Mat<f64>,
    s: Mat<f64>,
    sums: Vec<f64>,
}

impl<'a> Interior<'a> {
    /// Equal weights, and slacks that differ by a factor of at most 2.
    pub(super) fn new(
        features: Features<'a>,
        labels: &'a [usize],
        classes: usize,
        c: &'a [f64],
    ) -> Interior<'a> {
        let n = labels.len();
        let w = Mat::from_fn(n, classes, |i, _| c[i] / classes as f64);
        let (vectors, s) = (Mat::zeros(features.width(), classes), Mat::zeros(n, classes));
        let mut point = Interior { features, labels, c, vectors, w, s, m: vec![0.0; n] };
        point.vectors = point.summed();
        let g = point.levels(&point.vectors);
        let span = |i: usize| {
            g.row(i).iter().fold((f64::MAX, f64::MIN), |(l, h), &g| (l.min(g), h.max(g)))
        };
        let room = (0..n).map(|i| span(i).1 - span(i).0).fold(1.0, f64::max);
        point.m = (0..n).map(|i| span(i).1 + room).collect();
        point.s = Mat::from_fn(n, classes, |i, r| point.m[i] - g[(i, r)]);
        point
    }

    /// sum_i (C 1[r = y_i] - w_ir) f_i.
    fn summed(&self) -> Mat<f64> {
        let own = |i: usize, r: usize| if r == self.labels[i] { self.c[i] } else { 0.0 };
        self.combined(&Mat::from_fn(self.w.nrows(), self.w.ncols(), |i, r| {
            own(i, r) - self.w[(i, r)]
        }))
    }

    /// F b.
    fn combined(&self, b: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.features.width(), b.ncols());
        let features = self.features.matrix.as_dyn_stride();
        matmul(out.as_mut(), Accum::Replace, features, b.as_ref(), 1.0, Par::Seq);
        out
    }

    /// F'v.
    fn scores(&self, vectors: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.labels.len(), vectors.ncols());
        let features = self.features.matrix.as_dyn_stride().transpose();
        matmul(out.as_mut(), Accum::Replace, features, vectors.as_ref(), 1.0, Par::Seq);
        out
    }

    /// g.
    fn levels(&self, vectors: &Mat<f64>) -> Mat<f64> {
        let mut g = self.scores(vectors);
        for r in 0..g.ncols() {
            (0..g.nrows()).filter(|&i| self.labels[i] != r).for_each(|i| g[(i, r)] += 1.0);
        }
        g
    }

    /// The primal objective of v.
    pub(super) fn objective(&self) -> f64 {
        let g = self.levels(&self.vectors);
        let most = |i: usize| g.row(i).iter().fold(f64::NEG_INFINITY, |m, &g| m.max(g));
        let loss = |i: usize| self.c[i] * (most(i) - g[(i, self.labels[i])]);
        self.vectors.squared_norm_l2() / 2.0 + (0..g.nrows()).map(loss).sum::<f64>()
    }

    /// Steps until the products sum to at most `tol` times the objective, which is the gap up to
    /// rounding, or no step helps; returns the number of steps, and whether a system could not be
    /// solved.
    pub(super) fn run(&mut self, tol: f64, most: u64, monitor: &dyn Monitor) -> (u64, bool) {
        let (mut steps, mut idle, mut least) = (0, 0, product(&self.w, &self.s));
        while steps < most && idle < PATIENCE && least > tol * self.objective() {
            if monitor.should_stop() {
                break;
            }
            if let Err(stop) = self.step() {
                return (steps, stop == Stop::NumericalFailure);
            }
            steps += 1;
            let sum = product(&self.w, &self.s);
            idle = if sum < 0.9 * least { 0 } else { idle + 1 };
            least = least.min(sum);
        }
        (steps, false)
    }

    /// One predictor and one corrector. Where the numbers allow no further step the point is
    /// unchanged.
    ///
    /// # Errors
    /// [`Stop::NumericalFailure`] or [`Stop::NoProgress`].
    fn step(&mut self) -> Result<(), Stop> {
        let (n, classes) = (self.w.nrows(), self.w.ncols());
        let missing = self.missing();
        let o = Mat::from_fn(n, classes, |i, r| self.w[(i, r)] / self.s[(i, r)]);
        let factor = self.factor(&o).map_err(|_| Stop::NumericalFailure)?;
        let sum = product(&self.w, &self.s);
        let first = self.solve(&factor, &o, &missing, |_, _| 0.0);
        let reach = self.longest(&first);
        let reached = sum
            + reach * (product(&self.w, &first.s) + product(&first.w, &self.s))
            + reach * reach * product(&first.w, &first.s);
        let centre = (reached / sum).clamp(0.0, 1.0).powi(3) * sum / (n * classes) as f64;
        let step =
            self.solve(&factor, &o, &missing, |i, r| centre - first.w[(i, r)] * first.s[(i, r)]);
        let reach = SHARE * self.longest(&step);
        let finite = |m: &Mat<f64>| m.col_iter().all(|c| c.iter().all(|v| v.is_finite()));
        if reach.is_nan() || !(finite(&step.vectors) && finite(&step.w) && finite(&step.s)) {
            return Err(Stop::NumericalFailure);
        }
        if reach <= 0.0 {
            return Err(Stop::NoProgress);
        }
        self.vectors += faer::Scale(reach) * &step.vectors;
        self.w += faer::Scale(reach) * &step.w;
        self.s += faer::Scale(reach) * &step.s;
        self.m.iter_mut().zip(&step.m).for_each(|(m, d)| *m += reach * d);
        for r in 0..classes {
            for i in 0..n {
                self.w[(i, r)] = self.w[(i, r)].max(f64::MIN_POSITIVE);
                self.s[(i, r)] = self.s[(i, r)].max(f64::MIN_POSITIVE);
            }
        }
        Ok(())
    }

    fn missing(&self) -> Residuals {
        let g = self.levels(&self.vectors);
        let s = Mat::from_fn(g.nrows(), g.ncols(), |i, r| self.s[(i, r)] - self.m[i] + g[(i, r)]);
        let sums = (0..g.nrows()).map(|i| self.w.row(i).iter().sum::<f64>() - self.c[i]).collect();
        Residuals { vectors: &self.vectors - self.summed(), s, sums }
    }

    /// Cholesky's factor of I + sum_i A_i x f_i f_i', class by class.
    fn factor(&self, o: &Mat<f64>) -> Result<Factor, NotPositive> {
        let (n, classes, width) = (o.nrows(), o.ncols(), self.features.width());
        let pairs: Vec<(usize, usize)> =
            (0..classes).flat_map(|q| (q..classes).map(move |r| (r, q))).collect();
        let sums: Vec<f64> = (0..n).map(|i| o.row(i).iter().sum()).collect();
        let spread = |i: usize| sums[i] - o.row(i).iter().map(|o| o * (o / sums[i])).sum::<f64>();
        let ones: Vec<f64> = (0..n).map(|i| spread(i).max(0.0) / classes as f64).collect();
        let features = self.features.matrix.as_dyn_stride();
        let block = |&(r, q): &(usize, usize)| {
            let of = |i: usize| match r == q {
                // As a sum of the others, which has no cancellation.
                true => {
                    o[(i, r)]
                        * ((0..classes).filter(|&k| k != r).map(|k| o[(i, k)]).sum::<f64>()
                            / sums[i])
                }
                false => -o[(i, r)] * (o[(i, q)] / sums[i]),
            };
            let a: Vec<f64> = (0..n).map(|i| of(i) + ones[i]).collect();
            let scaled = Mat::from_fn(width, n, |k, i| a[i] * features[(k, i)]);
            let mut block = Mat::zeros(width, width);
            matmul(
                block.as_mut(),
                Accum::Replace,
                scaled.as_ref(),
                features.transpose(),
                1.0,
                Par::Seq,
            );
            block
        };
        let blocks: Vec<Mat<f64>> = pairs.par_iter().map(block).collect();
        let mut system = Mat::identity(width * classes, width * classes);
        for (&(r, q), block) in pairs.iter().zip(&blocks) {
            let mut place = system.as_mut().submatrix_mut(r * width, q * width, width, width);
            place += block;
        }
        Factor::new(system, Par::Seq)
    }

    /// The Newton step towards products w s of these values.
    fn solve(
        &self,
        factor: &Factor,
        o: &Mat<f64>,
        missing: &Residuals,
        towards: impl Fn(usize, usize) -> f64,
    ) -> Direction {
        let (n, classes, width) = (o.nrows(), o.ncols(), self.features.width());
        // dw = p - o dm + o F'dv.
        let p = Mat::from_fn(n, classes, |i, r| {
            towards(i, r) / self.s[(i, r)] - self.w[(i, r)] + o[(i, r)] * missing.s[(i, r)]
        });
        let sums: Vec<f64> = (0..n).map(|i| o.row(i).iter().sum()).collect();
        let needed: Vec<f64> =
            (0..n).map(|i| (missing.sums[i] + p.row(i).iter().sum::<f64>()) / sums[i]).collect();
        let held = Mat::from_fn(n, classes, |i, r| p[(i, r)] - o[(i, r)] * needed[i]);
        let mut right = self.combined(&held) + &missing.vectors;
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
        let w = Mat::from_fn(n, classes, |i, r| held[(i, r)] + o[(i, r)] * (z[(i, r)] - moved[i]));
        let m: Vec<f64> = (0..n).map(|i| needed[i] + moved[i]).collect();
        let s = Mat::from_fn(n, classes, |i, r| m[i] - z[(i, r)] - missing.s[(i, r)]);
        Direction { vectors, w, s, m }
    }

    /// The longest step, at most 1, that keeps w and s at least 0.
    fn longest(&self, step: &Direction) -> f64 {
        let mut length = 1.0_f64;
        for (values, changes) in [(&self.w, &step.w), (&self.s, &step.s)] {
            for (values, changes) in values.col_iter().zip(changes.col_iter()) {
                for (value, change) in
                    values.iter().zip(changes.iter()).filter(|(_, change)| **change < 0.0)
                {
                    length = length.min(-value / change);
                }
            }
        }
        length
    }
}

fn product(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    a.col_iter()
        .zip(b.col_iter())
        .map(|(a, b)| a.iter().zip(b.iter()).map(|(a, b)| a * b).sum::<f64>())
        .sum()
}
