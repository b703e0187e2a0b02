//! Fits a factor model of attributes and target by expectation maximisation over what was read.
//!
//! x_j = W_j z + e_j, var e_j = psi_j; y = g z + e, var e = s^2; z ~ N(0, I_r), everything in standard units. W_j has a weak normal
//! prior of variance tau own_j, without which an attribute that was hardly read would be fitted exactly; psi_j has one
//! pseudo-observation and a floor. The target's loading has none. A tight prior would shrink W while g grows to fit cov(x, y) all the
//! same, and the variance of <w, x> would be taken too small: predictions from many attributes would be overconfident.
//!
//! One pass costs O(k r^2) for each example where k < r (the posterior of z is the identity less a matrix of rank k + 1), else
//! O(k r^2 + r^3); O(d r^3) for the attributes. Memory O(d r^2).
//!
//! Source: D. Rubin and D. Thayer, "EM algorithms for ML factor analysis", Psychometrika 1982; missing reads are ignorable where they
//! depend on earlier reads alone (D. Rubin, Biometrika 1976).

use super::small::{backward, cholesky, dot, forward, log_det};
use super::standard::{Rows, Standard};
use crate::sampling::{Purpose, Stream};

/// Variance of the prior of a loading, in units of the attribute's own.
const LOADING_PRIOR: f64 = 0.3;
/// Floor of psi, in units of the pooled variance.
const LEAST_NOISE: f64 = 0.02;
/// Floor of s^2.
const LEAST_TARGET_NOISE: f64 = 0.002;
/// ln(2 pi).
const LOG_TWO_PI: f64 = 1.837_877_066_409_345_5;

/// The model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Factor {
    /// r.
    pub(crate) rank: usize,
    /// W row by row, (n_places, r).
    pub(crate) loadings: Vec<f64>,
    /// psi, (n_places).
    pub(crate) noise: Vec<f64>,
    /// g, (r).
    pub(crate) target: Vec<f64>,
    /// s^2.
    pub(crate) target_noise: f64,
}

/// What one pass adds up.
#[derive(Debug)]
struct Sums {
    /// Sum of E zz' over the reads of each place, packed by rows of the lower triangle, (n_places, r (r + 1) / 2).
    square: Vec<f64>,
    /// Sum of z x_j, (n_places, r).
    product: Vec<f64>,
    /// Sum of x_j^2, (n_places).
    total: Vec<f64>,
    /// Reads of each place.
    reads: Vec<f64>,
    target_square: Vec<f64>,
    target_product: Vec<f64>,
    target_total: f64,
    examples: f64,
    /// Log-likelihood of the model before the pass.
    likelihood: f64,
}

/// Room for one example.
#[derive(Debug)]
struct Room {
    /// Loadings over the root of the noise, (q + 1, r).
    scaled: Vec<f64>,
    /// Values over the root of the noise, (q + 1).
    values: Vec<f64>,
    /// The matrix that is factorised.
    inner: Vec<f64>,
    /// Posterior mean, (r).
    mean: Vec<f64>,
    /// Sum of posterior covariance and the mean's square, packed.
    second: Vec<f64>,
    column: Vec<f64>,
}

const fn packed(rank: usize) -> usize {
    rank * (rank + 1) / 2
}

impl Factor {
    /// The model from which the passes start: the first factor goes with the target, the others with nothing yet.
    pub(crate) fn start(
        rows: &Rows,
        standard: &Standard,
        examples: impl Iterator<Item = usize>,
        rank: usize,
        seed: u64,
    ) -> Factor {
        let d = standard.len();
        let (mut with_target, mut count) = (vec![0.0; d], vec![0.0_f64; d]);
        for i in examples {
            let (places, values, y) = rows.example(i);
            for (&j, &x) in places.iter().zip(values) {
                with_target[j as usize] += x * y;
                count[j as usize] += 1.0;
            }
        }
        let mut stream = Stream::new(seed, Purpose::Factor, rank as u64);
        let mut loadings = vec![0.0; d * rank];
        for j in 0..d {
            let row = &mut loadings[j * rank..(j + 1) * rank];
            row[0] = with_target[j] / count[j].max(1.0);
            row[1..].iter_mut().for_each(|w| *w = 0.1 * standard.own[j].sqrt() * stream.normal());
        }
        let mut target: Vec<f64> = (0..rank).map(|_| 0.02 * stream.normal()).collect();
        target[0] = 0.7;
        Factor { rank, loadings, noise: standard.own.clone(), target, target_noise: 0.5 }
    }

    /// The loading of one place, (r).
    #[inline]
    pub(crate) fn row(&self, place: usize) -> &[f64] {
        &self.loadings[place * self.rank..(place + 1) * self.rank]
    }

    /// Improves the model by one pass over these examples. Returns the log-likelihood before it, and the number of examples.
    pub(crate) fn improve(
        &mut self,
        rows: &Rows,
        standard: &Standard,
        examples: impl Iterator<Item = usize>,
    ) -> (f64, f64) {
        let sums = self.expect(rows, examples);
        let (likelihood, count) = (sums.likelihood, sums.examples);
        if likelihood.is_finite() && count > 0.0 {
            self.maximise(&sums, standard);
        }
        (likelihood, count)
    }

    /// Adds up what the posteriors of z say.
    fn expect(&self, rows: &Rows, examples: impl Iterator<Item = usize>) -> Sums {
        let (d, r) = (self.noise.len(), self.rank);
        let width = packed(r);
        let mut sums = Sums {
            square: vec![0.0; d * width],
            product: vec![0.0; d * r],
            total: vec![0.0; d],
            reads: vec![0.0; d],
            target_square: vec![0.0; width],
            target_product: vec![0.0; r],
            target_total: 0.0,
            examples: 0.0,
            likelihood: 0.0,
        };
        let roots: Vec<f64> = self.noise.iter().map(|psi| 1.0 / psi.sqrt()).collect();
        let scaled: Vec<f64> =
            (0..d).flat_map(|j| self.row(j).iter().map(|w| w * roots[j]).collect::<Vec<_>>()).collect();
        let logs: Vec<f64> = self.noise.iter().map(|psi| psi.ln()).collect();
        let root = 1.0 / self.target_noise.sqrt();
        let of_target: Vec<f64> = self.target.iter().map(|g| g * root).collect();
        let most = rows.most() + 1;
        let side = most.min(r);
        let mut room = Room {
            scaled: vec![0.0; most * r],
            values: vec![0.0; most],
            inner: vec![0.0; side * side],
            mean: vec![0.0; r],
            second: vec![0.0; width],
            column: vec![0.0; r.max(most)],
        };
        for i in examples {
            let (places, values, y) = rows.example(i);
            let n = places.len() + 1;
            let mut logs_of = self.target_noise.ln();
            for (a, (&j, &x)) in places.iter().zip(values).enumerate() {
                let j = j as usize;
                room.scaled[a * r..(a + 1) * r].copy_from_slice(&scaled[j * r..(j + 1) * r]);
                room.values[a] = x * roots[j];
                logs_of += logs[j];
            }
            room.scaled[(n - 1) * r..n * r].copy_from_slice(&of_target);
            room.values[n - 1] = y * root;
            let Some(fit) = room.posterior(n, r) else {
                sums.likelihood = f64::NAN;
                return sums;
            };
            sums.likelihood -= 0.5 * (n as f64 * LOG_TWO_PI + logs_of + fit);
            sums.examples += 1.0;
            for (&j, &x) in places.iter().zip(values) {
                let j = j as usize;
                add(&mut sums.square[j * width..(j + 1) * width], &room.second, 1.0);
                add(&mut sums.product[j * r..(j + 1) * r], &room.mean, x);
                sums.total[j] += x * x;
                sums.reads[j] += 1.0;
            }
            add(&mut sums.target_square, &room.second, 1.0);
            add(&mut sums.target_product, &room.mean, y);
            sums.target_total += y * y;
        }
        sums
    }

    /// Sets W, psi, g and s^2 to what the sums say.
    fn maximise(&mut self, sums: &Sums, standard: &Standard) {
        let r = self.rank;
        let width = packed(r);
        let (mut inner, mut column, mut solved) = (vec![0.0; r * r], vec![0.0; r], vec![0.0; r]);
        for j in 0..self.noise.len() {
            let (psi, own) = (self.noise[j], standard.own[j]);
            let square = &sums.square[j * width..(j + 1) * width];
            let product = &sums.product[j * r..(j + 1) * r];
            unpack(square, r, 1.0 / psi, 1.0 / (LOADING_PRIOR * own), &mut inner);
            if !cholesky(&mut inner, r) {
                continue;
            }
            solved.iter_mut().zip(product).for_each(|(s, b)| *s = b / psi);
            forward(&inner, r, &mut solved);
            backward(&inner, r, &mut solved);
            // tr((W W' + C) N), with C the inverse that was factorised.
            let mut trace = quadratic(square, r, &solved);
            trace += trace_of_inverse(square, &inner, r, &mut column);
            let residual = sums.total[j] - 2.0 * dot(&solved, product) + trace;
            self.loadings[j * r..(j + 1) * r].copy_from_slice(&solved);
            self.noise[j] = ((residual + own) / (sums.reads[j] + 2.0)).max(LEAST_NOISE * standard.pooled[j]);
        }
        unpack(&sums.target_square, r, 1.0, 1e-9 * sums.examples, &mut inner);
        if cholesky(&mut inner, r) {
            self.target.copy_from_slice(&sums.target_product);
            forward(&inner, r, &mut self.target);
            backward(&inner, r, &mut self.target);
            let fitted = quadratic(&sums.target_square, r, &self.target);
            let residual = sums.target_total - 2.0 * dot(&self.target, &sums.target_product) + fitted;
            self.target_noise = (residual / sums.examples).max(LEAST_TARGET_NOISE);
        }
    }

    /// cov(x, y), (n_places).
    pub(crate) fn with_target(&self) -> Vec<f64> {
        (0..self.noise.len()).map(|j| dot(self.row(j), &self.target)).collect()
    }

    /// Solves (W W' + psi + ridge) x = b by the identity of Sherman, Morrison and Woodbury. O(d r^2).
    pub(crate) fn solve(&self, ridge: f64, b: &[f64]) -> Option<Vec<f64>> {
        let (d, r) = (self.noise.len(), self.rank);
        let (mut inner, mut small) = (vec![0.0; r * r], vec![0.0; r]);
        (0..r).for_each(|p| inner[p * r + p] = 1.0);
        for j in 0..d {
            let (row, scale) = (self.row(j), 1.0 / (self.noise[j] + ridge));
            for p in 0..r {
                for q in 0..=p {
                    inner[p * r + q] += scale * row[p] * row[q];
                }
                small[p] += scale * row[p] * b[j];
            }
        }
        if !cholesky(&mut inner, r) {
            return None;
        }
        forward(&inner, r, &mut small);
        backward(&inner, r, &mut small);
        Some((0..d).map(|j| (b[j] - dot(self.row(j), &small)) / (self.noise[j] + ridge)).collect())
    }
}

impl Room {
    /// Posterior mean of z, and its second moment, from n scaled rows. Returns log det (I + UU') + the squared misfit.
    #[inline]
    fn posterior(&mut self, n: usize, r: usize) -> Option<f64> {
        let (rows, b) = (&self.scaled[..n * r], &self.values[..n]);
        let squares: f64 = b.iter().map(|v| v * v).sum();
        let fit;
        if n < r {
            for a in 0..n {
                for c in 0..=a {
                    self.inner[a * n + c] = dot(&rows[a * r..(a + 1) * r], &rows[c * r..(c + 1) * r]);
                }
                self.inner[a * n + a] += 1.0;
            }
            if !cholesky(&mut self.inner, n) {
                return None;
            }
            // V = L^-1 U row by row: the posterior's covariance is I - V'V, its mean V' L^-1 b.
            self.column[..n].copy_from_slice(b);
            forward(&self.inner, n, &mut self.column[..n]);
            self.mean.fill(0.0);
            for a in 0..n {
                let (done, rest) = self.scaled.split_at_mut(a * r);
                let row = &mut rest[..r];
                for c in 0..a {
                    let times = self.inner[a * n + c];
                    row.iter_mut().zip(&done[c * r..(c + 1) * r]).for_each(|(x, y)| *x -= times * y);
                }
                let scale = 1.0 / self.inner[a * n + a];
                row.iter_mut().for_each(|x| *x *= scale);
                add(&mut self.mean, row, self.column[a]);
            }
            fit = log_det(&self.inner, n) + dot(&self.column[..n], &self.column[..n]);
            let mut at = 0;
            for p in 0..r {
                for q in 0..=p {
                    self.second[at] = self.mean[p] * self.mean[q];
                    at += 1;
                }
                self.second[at - 1] += 1.0;
            }
            for a in 0..n {
                let row = &self.scaled[a * r..(a + 1) * r];
                let mut at = 0;
                for p in 0..r {
                    let w = row[p];
                    for (s, v) in self.second[at..at + p + 1].iter_mut().zip(row) {
                        *s -= w * v;
                    }
                    at += p + 1;
                }
            }
        } else {
            self.inner[..r * r].fill(0.0);
            self.mean.fill(0.0);
            for a in 0..n {
                let row = &rows[a * r..(a + 1) * r];
                for p in 0..r {
                    add(&mut self.inner[p * r..p * r + p + 1], &row[..p + 1], row[p]);
                }
                add(&mut self.mean, row, b[a]);
            }
            (0..r).for_each(|p| self.inner[p * r + p] += 1.0);
            if !cholesky(&mut self.inner, r) {
                return None;
            }
            forward(&self.inner, r, &mut self.mean);
            fit = log_det(&self.inner, r) + squares - dot(&self.mean, &self.mean);
            backward(&self.inner, r, &mut self.mean);
            // The inverse column by column, of which the lower triangle is kept.
            for p in 0..r {
                let column = &mut self.column[..r];
                column.fill(0.0);
                column[p] = 1.0;
                forward(&self.inner, r, column);
                backward(&self.inner, r, column);
                for q in p..r {
                    self.second[packed(q) + p] = column[q] + self.mean[p] * self.mean[q];
                }
            }
        }
        fit.is_finite().then_some(fit)
    }
}

/// a += times b.
#[inline]
fn add(a: &mut [f64], b: &[f64], times: f64) {
    a.iter_mut().zip(b).for_each(|(x, y)| *x += times * y);
}

/// Writes times A + diagonal I into the lower triangle of a matrix, from A packed.
#[inline]
fn unpack(from: &[f64], r: usize, times: f64, diagonal: f64, out: &mut [f64]) {
    for p in 0..r {
        for q in 0..=p {
            out[p * r + q] = times * from[packed(p) + q];
        }
        out[p * r + p] += diagonal;
    }
}

/// x'Ax for A packed.
#[inline]
fn quadratic(a: &[f64], r: usize, x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for p in 0..r {
        let row = &a[packed(p)..packed(p) + p + 1];
        sum += x[p] * (2.0 * dot(&row[..p], &x[..p]) + row[p] * x[p]);
    }
    sum
}

/// tr(A (LL')^-1) for A packed.
#[inline]
fn trace_of_inverse(a: &[f64], l: &[f64], r: usize, column: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for p in 0..r {
        column.fill(0.0);
        column[p] = 1.0;
        forward(l, r, column);
        backward(l, r, column);
        sum += a[packed(p) + p] * column[p];
        for q in p + 1..r {
            sum += 2.0 * a[packed(q) + p] * column[q];
        }
    }
    sum
}
