//! Says what is asked of a joint covariance of attributes and target: its blocks, and what one example says of them.

use super::factor::Factor;
use super::small::{backward, cholesky, dot, forward, inverse, log_det};
use super::standard::Rows;

/// A joint covariance in standard units, with means.
pub(crate) trait Covariance {
    /// Writes the block of some places and, last, the target, whole, row by row: (n + 1, n + 1).
    fn block(&self, places: &[u32], out: &mut [f64]);

    /// The mean of a place, as a correction of the mean of its reads.
    fn mean(&self, place: usize) -> f64;

    /// The same of the target.
    fn target_mean(&self) -> f64;
}

/// ln(2 pi).
const LOG_TWO_PI: f64 = 1.837_877_066_409_345_5;

/// Room for the block of one example.
#[derive(Debug)]
pub(crate) struct Block {
    /// The block T, then its Cholesky factor.
    pub(crate) matrix: Vec<f64>,
    /// T^-1, where it is asked for.
    pub(crate) inverse: Vec<f64>,
    /// x - mean, then T^-1 (x - mean).
    pub(crate) solved: Vec<f64>,
    /// The block's last row: covariances with the target.
    pub(crate) with_target: Vec<f64>,
    column: Vec<f64>,
    /// Places and the target, n + 1.
    pub(crate) len: usize,
}

impl Block {
    /// Room for examples of at most so many reads.
    pub(crate) fn new(most: usize) -> Block {
        let n = most + 1;
        Block {
            matrix: vec![0.0; n * n],
            inverse: vec![0.0; n * n],
            solved: vec![0.0; n],
            with_target: vec![0.0; n],
            column: vec![0.0; n],
            len: 0,
        }
    }

    /// Solves T a = x - mean for one example. Returns its log-likelihood; `None` where T is not positive definite.
    #[inline]
    pub(crate) fn solve(&mut self, covariance: &impl Covariance, rows: &Rows, example: usize) -> Option<f64> {
        let (places, values, y) = rows.example(example);
        let n = places.len() + 1;
        self.len = n;
        covariance.block(places, &mut self.matrix[..n * n]);
        self.with_target[..n].copy_from_slice(&self.matrix[(n - 1) * n..n * n]);
        if !cholesky(&mut self.matrix[..n * n], n) {
            return None;
        }
        let b = &mut self.solved[..n];
        for (a, (&place, &x)) in places.iter().zip(values).enumerate() {
            b[a] = x - covariance.mean(place as usize);
        }
        b[n - 1] = y - covariance.target_mean();
        forward(&self.matrix, n, b);
        let fit = log_det(&self.matrix, n) + dot(b, b) + n as f64 * LOG_TWO_PI;
        backward(&self.matrix, n, b);
        fit.is_finite().then_some(-0.5 * fit)
    }

    /// Writes T^-1 as well, after [`Block::solve`].
    #[inline]
    pub(crate) fn invert(&mut self) {
        let n = self.len;
        inverse(&self.matrix, n, &mut self.inverse[..n * n], &mut self.column[..n]);
    }

    /// Solves T x = b in place, after [`Block::solve`].
    #[inline]
    pub(crate) fn solve_again(&self, b: &mut [f64]) {
        forward(&self.matrix, self.len, b);
        backward(&self.matrix, self.len, b);
    }
}

impl Covariance for Factor {
    #[inline]
    fn block(&self, places: &[u32], out: &mut [f64]) {
        let n = places.len() + 1;
        for (a, &j) in places.iter().enumerate() {
            let row = self.row(j as usize);
            for (c, &l) in places[..a].iter().enumerate() {
                let value = dot(row, self.row(l as usize));
                (out[a * n + c], out[c * n + a]) = (value, value);
            }
            out[a * n + a] = dot(row, row) + self.noise[j as usize];
            let value = dot(row, &self.target);
            (out[a * n + n - 1], out[(n - 1) * n + a]) = (value, value);
        }
        out[n * n - 1] = dot(&self.target, &self.target) + self.target_noise;
    }

    #[inline]
    fn mean(&self, _: usize) -> f64 {
        0.0
    }

    #[inline]
    fn target_mean(&self) -> f64 {
        0.0
    }
}
