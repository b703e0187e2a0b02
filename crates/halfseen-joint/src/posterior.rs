//! Computes the posterior of the factors of one example.
//!
//! With U the loadings of the example's reads over the roots of their noise, and b its values
//! likewise, z given the reads is normal with precision I + U'U and mean (I + U'U)^-1 U'b. If n <
//! r, the form with the matrix of reads (n, n) is used.

use super::simd4::{
    Lane, WIDE, ZERO, add, eliminate, identity, lanes, packed, packed_before, product, tile,
};

#[derive(Debug)]
pub(crate) struct Posterior {
    r: usize,
    /// U, (n, r) by rows of whole lanes.
    pub(crate) rows: Vec<Lane>,
    /// b, (n).
    pub(crate) values: Vec<f64>,
    /// The posterior mean of z.
    pub(crate) mean: Vec<Lane>,
    /// E zz', packed.
    pub(crate) second: Vec<Lane>,
    matrix: Vec<Lane>,
    /// The inverse of a factor (r, r).
    inverse: Vec<Lane>,
    solved: Vec<f64>,
}

impl Posterior {
    /// Allocates for examples of at most n reads, the target included.
    pub(crate) fn new(n: usize, r: usize) -> Posterior {
        let (width, side) = (lanes(r), n.min(r));
        let whole = if n < r { 0 } else { r };
        Posterior {
            r,
            rows: vec![ZERO; n * width],
            values: vec![0.0; n],
            mean: vec![ZERO; width],
            second: vec![ZERO; packed(r)],
            matrix: vec![ZERO; side * lanes(side)],
            inverse: vec![ZERO; whole * width],
            solved: vec![0.0; whole],
        }
    }

    /// Sets mean and second moment from the first n rows, and overwrites these. `width` is the
    /// number of lanes of a row. Returns log det (I + UU') + b'(I + UU')^-1 b; `None` if it is not
    /// finite.
    #[inline(always)]
    pub(crate) fn find(&mut self, n: usize, width: usize) -> Option<f64> {
        let fit = if n < self.r { self.by_reads(n, width)? } else { self.by_factors(n, width)? };
        fit.is_finite().then_some(fit)
    }

    #[inline(always)]
    fn by_reads(&mut self, n: usize, width: usize) -> Option<f64> {
        let side = lanes(n);
        let (rows, b, matrix) =
            (&mut self.rows[..n * width], &mut self.values[..n], &mut self.matrix[..n * side]);
        for a in 0..n {
            let row = &rows[a * width..(a + 1) * width];
            for (c, other) in (a..n).zip(rows[a * width..].chunks_exact(width)) {
                matrix[a * side + c / WIDE][c % WIDE] = product(row, other);
            }
            matrix[a * side + a / WIDE][a % WIDE] += 1.0;
        }
        let log = eliminate(matrix, n, rows, width, false, b)?;
        // With V = L^-1 U the posterior's covariance is I - V'V, its mean V'(L^-1 b).
        self.mean.fill(ZERO);
        let mut fit = log;
        for (row, &b) in rows.chunks_exact(width).zip(b.iter()) {
            add(&mut self.mean, row, b);
            fit += b * b;
        }
        for p in 0..width {
            for g in 0..=p {
                let sum = tile(&self.rows[..n * width], width, 0, p, g);
                self.keep(p, g, |left, right, row, e| left * right - sum[row][e]);
            }
        }
        (0..self.r).for_each(|p| self.second[packed_before(p) + p / WIDE][p % WIDE] += 1.0);
        Some(fit)
    }

    #[inline(always)]
    fn by_factors(&mut self, n: usize, width: usize) -> Option<f64> {
        let r = self.r;
        let (rows, b) = (&self.rows[..n * width], &self.values[..n]);
        for p in 0..width {
            for g in p..width {
                let sum = tile(rows, width, 0, p, g);
                for (row, lane) in (p * WIDE..r).zip(sum) {
                    self.matrix[row * width + g] = lane;
                }
            }
        }
        (0..r).for_each(|p| self.matrix[p * width + p / WIDE][p % WIDE] += 1.0);
        self.mean.fill(ZERO);
        let mut fit = 0.0;
        for (row, &b) in rows.chunks_exact(width).zip(b) {
            add(&mut self.mean, row, b);
            fit += b * b;
        }
        (0..r).for_each(|p| self.solved[p] = self.mean[p / WIDE][p % WIDE]);
        identity(&mut self.inverse, r);
        fit += eliminate(&mut self.matrix, r, &mut self.inverse, width, true, &mut self.solved)?;
        self.mean.fill(ZERO);
        for (row, &b) in self.inverse.chunks_exact(width).zip(&self.solved) {
            add(&mut self.mean, row, b);
            fit -= b * b;
        }
        for p in 0..width {
            for g in 0..=p {
                let sum = tile(&self.inverse, width, p * WIDE, p, g);
                self.keep(p, g, |left, right, row, e| left * right + sum[row][e]);
            }
        }
        Some(fit)
    }

    /// Writes one tile of the second moment from the mean's numbers of a row and of a lane.
    #[inline(always)]
    fn keep(&mut self, p: usize, g: usize, of: impl Fn(f64, f64, usize, usize) -> f64) {
        let (left, right) = (self.mean[p], self.mean[g]);
        let first = packed_before(p * WIDE) + g;
        for (row, left) in left.iter().enumerate().take(WIDE.min(self.r - p * WIDE)) {
            let lane = &mut self.second[first + row * (p + 1)];
            for (e, (to, right)) in lane.iter_mut().zip(&right).enumerate() {
                *to = of(*left, *right, row, e);
            }
        }
    }
}
