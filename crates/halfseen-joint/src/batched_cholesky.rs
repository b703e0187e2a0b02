//! Factorises the blocks of four examples side by side, one per lane, so that small matrices use
//! wide instructions.
//!
//! Examples with fewer reads than the longest of the four are padded with rows of the identity,
//! which add nothing: their logarithm and their solution are 0. The target is the last row, and such
//! a row of the identity where it is unknown. No lane depends on the others.

use super::alike::LARGE;
use super::covariance::Covariance;
use super::folds::WeightedIndex;
use super::simd4::{Lane, WIDE, ZERO};
use super::standard::{LOG_TWO_PI, Rows};
use halfseen_solve::{Monitor, Watch};

/// Workspace for four blocks.
#[derive(Debug)]
pub(crate) struct Blocks<'a> {
    /// Rows of the largest of these blocks, the target included.
    pub(crate) len: usize,
    /// The examples; only the first `filled` count.
    pub(crate) examples: [WeightedIndex; WIDE],
    pub(crate) filled: usize,
    /// The lower triangles row by row, (len, len).
    matrix: Vec<Lane>,
    /// x - mean.
    centred: Vec<Lane>,
    /// L, with 1 / L_ii on the diagonal.
    factor: Vec<Lane>,
    /// L^-1, lower.
    inverse: Vec<Lane>,
    /// T^-1 (x - mean).
    pub(crate) solved: Vec<Lane>,
    one: Vec<f64>,
    /// Once it has stopped, no block is loaded or factorised.
    pub(crate) watch: Watch<'a>,
}

impl<'a> Blocks<'a> {
    /// Allocates for examples of at most this number of reads; those of [`LARGE`] blocks are taken one
    /// by one.
    pub(crate) fn new(most: usize, monitor: &'a dyn Monitor) -> Blocks<'a> {
        let n = LARGE.min(most + 1);
        let square = || vec![ZERO; n * n];
        Blocks {
            len: 0,
            examples: [WeightedIndex { example: 0, weight: 0.0 }; WIDE],
            filled: 0,
            matrix: square(),
            centred: vec![ZERO; n],
            factor: square(),
            inverse: square(),
            solved: vec![ZERO; n],
            one: vec![0.0; n * n],
            watch: Watch::new(monitor),
        }
    }

    /// Loads up to four more examples; returns false if none is left.
    #[inline(always)]
    pub(crate) fn load(
        &mut self,
        covariance: &impl Covariance,
        rows: &Rows,
        examples: &mut impl Iterator<Item = WeightedIndex>,
    ) -> bool {
        self.filled = 0;
        let mut n = 1;
        for counted in examples.take(WIDE) {
            self.examples[self.filled] = counted;
            self.filled += 1;
            n = n.max(rows.example(counted.example).0.len() + 1);
        }
        self.len = n;
        if self.watch.stops_after(WIDE * n * n) {
            self.filled = 0;
        }
        for e in 0..WIDE {
            let (places, values, y) = if e < self.filled {
                rows.example(self.examples[e].example)
            } else {
                (&[][..], &[][..], 0.0)
            };
            let q = places.len();
            if e < self.filled {
                covariance.block(places, &mut self.one[..(q + 1) * (q + 1)]);
            } else {
                self.one[0] = 1.0;
            }
            for (a, row) in self.one[..(q + 1) * (q + 1)].chunks_exact(q + 1).enumerate() {
                // The target goes to the end.
                let to = if a == q { n - 1 } else { a };
                for (c, value) in row[..a].iter().enumerate() {
                    self.matrix[to * n + c][e] = *value;
                }
                self.matrix[to * n + to][e] = row[a];
            }
            for a in q..n {
                for c in (if a == n - 1 { q } else { 0 })..a {
                    self.matrix[a * n + c][e] = 0.0;
                }
                if a < n - 1 {
                    (self.matrix[a * n + a][e], self.centred[a][e]) = (1.0, 0.0);
                }
            }
            let known = e < self.filled && !y.is_nan();
            if !known {
                (0..n - 1).for_each(|c| self.matrix[(n - 1) * n + c][e] = 0.0);
                self.matrix[n * n - 1][e] = 1.0;
            }
            for (a, (&place, &x)) in places.iter().zip(values).enumerate() {
                self.centred[a][e] = x - covariance.mean(place as usize);
            }
            self.centred[n - 1][e] = if known { y - covariance.target_mean() } else { 0.0 };
        }
        self.filled > 0
    }

    /// Factorises all blocks, with a ridge on the reads. `None` if one is not positive definite, or
    /// the monitor asked to stop; else the log determinants, if `log`.
    #[inline(always)]
    fn factorise(&mut self, ridge: f64, log: bool) -> Option<Lane> {
        let n = self.len;
        let (mut logs, mut pivots) = (ZERO, [1.0_f64; WIDE]);
        for i in 0..n {
            if self.watch.stops_after(WIDE / 2 * i * i) {
                return None;
            }
            let (head, tail) = self.factor.split_at_mut(i * n);
            for j in 0..i {
                let row = &head[j * n..=j * n + j];
                let sum = less(self.matrix[i * n + j], &tail[..j], &row[..j]);
                for e in 0..WIDE {
                    tail[j][e] = sum[e] * row[j][e];
                }
            }
            let mut pivot = self.matrix[i * n + i];
            if i + 1 < n {
                pivot.iter_mut().for_each(|p| *p += ridge);
            }
            let pivot = less(pivot, &tail[..i], &tail[..i]);
            // NaN is not above zero.
            if pivot.iter().any(|p| p.is_nan() || *p <= 0.0) {
                return None;
            }
            for e in 0..WIDE {
                tail[i][e] = 1.0 / pivot[e].sqrt();
                pivots[e] *= pivot[e];
            }
            if log && (i + 1 == n || pivots.iter().any(|p| !(1e-100..1e100).contains(p))) {
                for e in 0..WIDE {
                    logs[e] += pivots[e].ln();
                    pivots[e] = 1.0;
                }
            }
        }
        Some(logs)
    }

    /// Solves T a = x - mean. Returns the weighted log-likelihood; `None` if a block is not
    /// positive definite.
    #[inline(always)]
    pub(crate) fn solve(&mut self, rows: &Rows) -> Option<f64> {
        let n = self.len;
        let logs = self.factorise(0.0, true)?;
        let mut fit = logs;
        // u = L^-1 b.
        for i in 0..n {
            let (done, rest) = self.solved.split_at_mut(i);
            let sum = less(self.centred[i], &self.factor[i * n..i * n + i], done);
            for e in 0..WIDE {
                rest[0][e] = sum[e] * self.factor[i * n + i][e];
                fit[e] += rest[0][e] * rest[0][e];
            }
        }
        // a = L'^-1 u, row by row.
        for i in (0..n).rev() {
            let (rest, last) = self.solved.split_at_mut(i);
            let (row, scale) = (&self.factor[i * n..i * n + i], self.factor[i * n + i]);
            for e in 0..WIDE {
                last[0][e] *= scale[e];
            }
            for (to, l) in rest.iter_mut().zip(row) {
                for e in 0..WIDE {
                    to[e] -= l[e] * last[0][e];
                }
            }
        }
        let mut sum = 0.0;
        for (counted, fit) in self.examples[..self.filled].iter().zip(fit) {
            let (places, _, y) = rows.example(counted.example);
            let shown = places.len() + usize::from(!y.is_nan());
            sum -= 0.5 * counted.weight * (fit + shown as f64 * LOG_TWO_PI);
        }
        Some(sum)
    }

    /// Writes the lower triangle of T^-1 over the blocks, after [`Blocks::solve`].
    #[inline(always)]
    pub(crate) fn invert(&mut self) {
        let n = self.len;
        for i in 0..n {
            if self.watch.stops_after(WIDE / 2 * i * i) {
                return;
            }
            let (head, tail) = self.inverse.split_at_mut(i * n);
            tail[..i].fill(ZERO);
            let (factor, scale) = (&self.factor[i * n..i * n + i], self.factor[i * n + i]);
            for (c, l) in factor.iter().enumerate() {
                for (to, from) in tail[..=c].iter_mut().zip(&head[c * n..=c * n + c]) {
                    for e in 0..WIDE {
                        to[e] -= l[e] * from[e];
                    }
                }
            }
            for to in &mut tail[..i] {
                for e in 0..WIDE {
                    to[e] *= scale[e];
                }
            }
            tail[i] = scale;
        }
        for a in 0..n {
            self.matrix[a * n..=a * n + a].fill(ZERO);
        }
        for row in 0..n {
            if self.watch.stops_after(WIDE / 2 * row * row) {
                return;
            }
            let line = &self.inverse[row * n..=row * n + row];
            for (a, left) in line.iter().enumerate() {
                for (to, right) in self.matrix[a * n..=a * n + a].iter_mut().zip(line) {
                    for e in 0..WIDE {
                        to[e] += left[e] * right[e];
                    }
                }
            }
        }
    }

    /// Returns a row of T^-1 up to its diagonal, after [`Blocks::invert`].
    #[inline(always)]
    pub(crate) fn inverse_row(&self, a: usize) -> &[Lane] {
        &self.matrix[a * self.len..=a * self.len + a]
    }

    /// Returns y - E(y | x_o) under T with a ridge on the reads, of examples with a target; `None`
    /// if a block is not positive definite.
    #[inline(always)]
    pub(crate) fn residuals(&mut self, ridge: f64) -> Option<Lane> {
        let n = self.len;
        self.factorise(ridge, false)?;
        for i in 0..n - 1 {
            let (done, rest) = self.solved.split_at_mut(i);
            let sum = less(self.centred[i], &self.factor[i * n..i * n + i], done);
            for e in 0..WIDE {
                rest[0][e] = sum[e] * self.factor[i * n + i][e];
            }
        }
        Some(less(self.centred[n - 1], &self.factor[(n - 1) * n..n * n - 1], &self.solved[..n - 1]))
    }
}

/// Returns start - sum of a b.
#[inline(always)]
fn less(start: Lane, a: &[Lane], b: &[Lane]) -> Lane {
    let mut sum = start;
    for (x, y) in a.iter().zip(b) {
        for e in 0..WIDE {
            sum[e] -= x[e] * y[e];
        }
    }
    sum
}
