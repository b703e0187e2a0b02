//! Fits a factor model of attributes and target to the reads by expectation maximisation.
//!
//! x_j = mu_j + W_j z + e_j, var e_j = psi_j; y = c + g z + e, var e = s^2; z ~ N(0, I_r),
//! everything in standard units. An unknown target is a number that was not read: such an example
//! has its part in mu, W and psi, and none in c, g and s. mu and c start at 0, the means of the reads, and move: if
//! missingness depends on observed values, the mean of the reads is biased. W_j has a weak normal
//! prior of variance tau own_j, without which a hardly read attribute would be fitted exactly;
//! psi_j has one pseudo-observation and a floor. The target's loading has no prior. A tight prior
//! would shrink W while g grows to fit cov(x, y) all the same, and underestimate the variance of
//! <w, x>: predictions from many attributes would be overconfident.
//!
//! One pass costs O(k r^2) per example if k < r (the posterior covariance of z is the identity less
//! a matrix of rank k + 1), else O(k r^2 + r^3); O(d r^3) for the attributes. Memory O(d r^2).
//!
//! Source: D. Rubin and D. Thayer, "EM algorithms for ML factor analysis", Psychometrika 1982;
//! missing reads are ignorable if they depend on earlier reads alone (D. Rubin, Biometrika 1976).

use super::folds::WeightedIndex;
use super::posterior::Posterior;
use super::simd4::{
    Lane, NullaryFnOnce, WIDE, ZERO, add, eliminate, identity, lanes, packed, packed_before,
    product, wide,
};
use super::small_cholesky::{backward, cholesky, dot, forward};
use super::standard::{LOG_TWO_PI, Rows, Standard};
use halfseen_solve::sampling::{Purpose, Stream};

/// Variance of the prior of a loading, in units of the attribute's own.
const LOADING_PRIOR: f64 = 0.3;
/// Floor of psi, in units of the pooled variance.
const LEAST_NOISE: f64 = 0.02;
/// Floor of s^2.
const LEAST_TARGET_NOISE: f64 = 0.002;
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
    /// mu, (n_places), and c: corrections of the means of the reads.
    pub(crate) means: Vec<f64>,
    pub(crate) target_mean: f64,
}

/// Sums of one pass.
#[derive(Debug)]
struct Sums {
    /// Sum of E zz' over the reads of each place, packed, (n_places, packed(r)).
    square: Vec<Lane>,
    /// Sum of z (x_j - mu_j), (n_places, lanes(r)), and of z.
    product: Vec<Lane>,
    first: Vec<Lane>,
    /// Sum of (x_j - mu_j)^2, (n_places), and of x_j - mu_j.
    total: Vec<f64>,
    sum: Vec<f64>,
    /// Reads of each place.
    reads: Vec<f64>,
    target_square: Vec<Lane>,
    target_product: Vec<Lane>,
    target_first: Vec<Lane>,
    target_total: f64,
    target_sum: f64,
    /// Examples, and those of them with a target.
    examples: f64,
    targets: f64,
    /// Log-likelihood of the model before the pass.
    likelihood: f64,
}

/// Workspace for the equations of one place.
#[derive(Debug)]
struct Equations {
    matrix: Vec<Lane>,
    inverse: Vec<Lane>,
    b: Vec<f64>,
    solved: Vec<Lane>,
    /// Sums about the means of z and x over the reads of the place.
    square: Vec<Lane>,
    product: Vec<Lane>,
}

/// Sums of a pass over one place, or over the target.
struct OfPlace<'a> {
    square: &'a [Lane],
    product: &'a [Lane],
    first: &'a [Lane],
    total: f64,
    sum: f64,
    count: f64,
}

struct Expect<'a, I> {
    model: &'a Factor,
    rows: &'a Rows,
    examples: I,
}

impl<I: Iterator<Item = impl Into<WeightedIndex>>> NullaryFnOnce for Expect<'_, I> {
    type Output = Sums;

    #[inline(always)]
    fn call(self) -> Sums {
        self.model.expect(self.rows, self.examples)
    }
}

struct Maximise<'a> {
    model: &'a mut Factor,
    sums: &'a Sums,
    standard: &'a Standard,
}

impl NullaryFnOnce for Maximise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.model.maximise(self.sums, self.standard);
    }
}

impl Factor {
    /// Starts the passes: the first factor follows the target, the others are random.
    pub(crate) fn start(
        rows: &Rows,
        standard: &Standard,
        examples: impl Iterator<Item = impl Into<WeightedIndex>>,
        rank: usize,
        seed: u64,
    ) -> Factor {
        let d = standard.len();
        let (mut with_target, mut count) = (vec![0.0; d], vec![0.0_f64; d]);
        for counted in examples {
            let WeightedIndex { example, weight } = counted.into();
            let (places, values, y) = rows.example(example);
            if y.is_nan() {
                continue;
            }
            for (&j, &x) in places.iter().zip(values) {
                with_target[j as usize] += weight * x * y;
                count[j as usize] += weight;
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
        let noise = standard.own.clone();
        Factor {
            rank,
            loadings,
            noise,
            target,
            target_noise: 0.5,
            means: vec![0.0; d],
            target_mean: 0.0,
        }
    }

    /// Returns the loading of one place, (r).
    #[inline]
    pub(crate) fn row(&self, place: usize) -> &[f64] {
        &self.loadings[place * self.rank..(place + 1) * self.rank]
    }

    /// Improves the model by one pass over these examples. Returns the log-likelihood before it,
    /// and the number of examples, both weighted.
    pub(crate) fn improve(
        &mut self,
        rows: &Rows,
        standard: &Standard,
        examples: impl Iterator<Item = impl Into<WeightedIndex>>,
    ) -> (f64, f64) {
        let sums = wide(Expect { model: self, rows, examples });
        let (likelihood, count) = (sums.likelihood, sums.examples);
        if likelihood.is_finite() && count > 0.0 {
            wide(Maximise { model: self, sums: &sums, standard });
        }
        (likelihood, count)
    }

    /// Sums the posterior moments of z.
    #[inline(always)]
    fn expect(
        &self,
        rows: &Rows,
        examples: impl Iterator<Item = impl Into<WeightedIndex>>,
    ) -> Sums {
        // Loops over a constant number of lanes are unrolled; these are those of ranks to 4, 12, 20
        // and 40.
        match lanes(self.rank) {
            1 => self.expect_in(1, rows, examples),
            3 => self.expect_in(3, rows, examples),
            5 => self.expect_in(5, rows, examples),
            10 => self.expect_in(10, rows, examples),
            width => self.expect_in(width, rows, examples),
        }
    }

    #[inline(always)]
    fn expect_in(
        &self,
        width: usize,
        rows: &Rows,
        examples: impl Iterator<Item = impl Into<WeightedIndex>>,
    ) -> Sums {
        let (d, r) = (self.noise.len(), self.rank);
        let square = packed(r);
        let mut sums = Sums {
            square: vec![ZERO; d * square],
            product: vec![ZERO; d * width],
            first: vec![ZERO; d * width],
            total: vec![0.0; d],
            sum: vec![0.0; d],
            reads: vec![0.0; d],
            target_square: vec![ZERO; square],
            target_product: vec![ZERO; width],
            target_first: vec![ZERO; width],
            target_total: 0.0,
            target_sum: 0.0,
            examples: 0.0,
            targets: 0.0,
            likelihood: 0.0,
        };
        let roots: Vec<f64> = self.noise.iter().map(|psi| 1.0 / psi.sqrt()).collect();
        let logs: Vec<f64> = self.noise.iter().map(|psi| psi.ln()).collect();
        let mut scaled = vec![ZERO; d * width];
        for j in 0..d {
            spread(self.row(j), roots[j], &mut scaled[j * width..(j + 1) * width]);
        }
        let (root, log) = (1.0 / self.target_noise.sqrt(), self.target_noise.ln());
        let mut of_target = vec![ZERO; width];
        spread(&self.target, root, &mut of_target);
        let mut room = Posterior::new(rows.most() + 1, r);
        for counted in examples {
            let WeightedIndex { example, weight } = counted.into();
            let (places, values, y) = rows.example(example);
            let known = !y.is_nan();
            let n = places.len() + usize::from(known);
            let mut logs_of = if known { log } else { 0.0 };
            let shown = room.rows.chunks_exact_mut(width).zip(&mut room.values);
            for ((&j, &x), (row, value)) in places.iter().zip(values).zip(shown) {
                let j = j as usize;
                row.copy_from_slice(&scaled[j * width..(j + 1) * width]);
                *value = (x - self.means[j]) * roots[j];
                logs_of += logs[j];
            }
            let y = y - self.target_mean;
            if known {
                room.rows[(n - 1) * width..n * width].copy_from_slice(&of_target);
                room.values[n - 1] = y * root;
            }
            let Some(fit) = room.find(n, width) else {
                sums.likelihood = f64::NAN;
                return sums;
            };
            sums.likelihood -= 0.5 * weight * (n as f64 * LOG_TWO_PI + logs_of + fit);
            sums.examples += weight;
            for (&j, &x) in places.iter().zip(values) {
                let j = j as usize;
                let x = x - self.means[j];
                add(&mut sums.square[j * square..(j + 1) * square], &room.second, weight);
                add(&mut sums.product[j * width..(j + 1) * width], &room.mean, weight * x);
                add(&mut sums.first[j * width..(j + 1) * width], &room.mean, weight);
                sums.total[j] += weight * x * x;
                sums.sum[j] += weight * x;
                sums.reads[j] += weight;
            }
            if !known {
                continue;
            }
            sums.targets += weight;
            add(&mut sums.target_square, &room.second, weight);
            add(&mut sums.target_product, &room.mean, weight * y);
            add(&mut sums.target_first, &room.mean, weight);
            sums.target_total += weight * y * y;
            sums.target_sum += weight * y;
        }
        sums
    }

    /// Sets W, psi, g and s^2 to their maximisers given the sums.
    #[inline(always)]
    fn maximise(&mut self, sums: &Sums, standard: &Standard) {
        let r = self.rank;
        let (square, width) = (packed(r), lanes(r));
        let mut room = Equations::new(r);
        for j in 0..self.noise.len() {
            let (psi, own) = (self.noise[j], standard.own[j]);
            let least = LEAST_NOISE;
            if sums.reads[j] == 0.0 {
                self.loadings[j * r..(j + 1) * r].fill(0.0);
                self.noise[j] = (0.5 * own).max(least);
                continue;
            }
            let of = OfPlace {
                square: &sums.square[j * square..(j + 1) * square],
                product: &sums.product[j * width..(j + 1) * width],
                first: &sums.first[j * width..(j + 1) * width],
                total: sums.total[j],
                sum: sums.sum[j],
                count: sums.reads[j],
            };
            let prior = 1.0 / (LOADING_PRIOR * own);
            let Some(found) = room.solve(&of, 1.0 / psi, prior, r) else { continue };
            // With M = N / psi + prior I and W = M^-1 B / psi, W'N W is W'B less psi prior W'W, and
            // tr(M^-1 N) is psi times r less prior tr(M^-1).
            let trace = psi * (r as f64 - prior * found.trace).max(0.0);
            let residual = found.total - found.fitted - psi * prior * found.norm + trace;
            room.write(&mut self.loadings[j * r..(j + 1) * r]);
            self.means[j] += found.mean;
            self.noise[j] = ((residual + own) / (sums.reads[j] + 2.0)).max(least);
        }
        if sums.targets == 0.0 {
            return;
        }
        let ridge = 1e-9 * sums.targets;
        let of = OfPlace {
            square: &sums.target_square,
            product: &sums.target_product,
            first: &sums.target_first,
            total: sums.target_total,
            sum: sums.target_sum,
            count: sums.targets,
        };
        if let Some(found) = room.solve(&of, 1.0, ridge, r) {
            room.write(&mut self.target);
            self.target_mean += found.mean;
            let residual = found.total - found.fitted - ridge * found.norm;
            self.target_noise = (residual / sums.targets).max(LEAST_TARGET_NOISE);
        }
    }

    /// Returns cov(x, y), (n_places).
    pub(crate) fn with_target(&self) -> Vec<f64> {
        (0..self.noise.len()).map(|j| dot(self.row(j), &self.target)).collect()
    }

    /// Solves (W W' + psi + ridge) x = b by the identity of Sherman, Morrison and Woodbury. O(d
    /// r^2).
    pub(crate) fn solve(&self, ridge: f64, b: &[f64]) -> Option<Vec<f64>> {
        let (d, r) = (self.noise.len(), self.rank);
        let (mut inner, mut small) = (vec![0.0; r * r], vec![0.0; r]);
        (0..r).for_each(|p| inner[p * r + p] = 1.0);
        for (j, b) in b.iter().enumerate() {
            let (row, scale) = (self.row(j), 1.0 / (self.noise[j] + ridge));
            for p in 0..r {
                for q in 0..=p {
                    inner[p * r + q] += scale * row[p] * row[q];
                }
                small[p] += scale * row[p] * b;
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

/// By-products of a solution.
#[derive(Debug)]
struct FactorFit {
    /// W'B.
    fitted: f64,
    /// W'W.
    norm: f64,
    /// tr(M^-1).
    trace: f64,
    /// Sum of squares about the mean.
    total: f64,
    /// The mean where z is 0.
    mean: f64,
}

impl Equations {
    fn new(r: usize) -> Equations {
        let width = lanes(r);
        Equations {
            matrix: vec![ZERO; r * width],
            inverse: vec![ZERO; r * width],
            b: vec![0.0; r],
            solved: vec![ZERO; width],
            square: vec![ZERO; packed(r)],
            product: vec![ZERO; width],
        }
    }

    /// Solves (times N + ridge I) W = times B, N and B about the means of z and x: the mean is
    /// free, and has no prior.
    #[inline(always)]
    fn solve(&mut self, of: &OfPlace<'_>, times: f64, ridge: f64, r: usize) -> Option<FactorFit> {
        let width = lanes(r);
        self.square.copy_from_slice(of.square);
        self.product.copy_from_slice(of.product);
        for p in 0..r {
            let row = &mut self.square[packed_before(p)..packed_before(p) + p / WIDE + 1];
            add(row, of.first, -of.first[p / WIDE][p % WIDE] / of.count);
        }
        add(&mut self.product, of.first, -of.sum / of.count);
        let total = of.total - of.sum * of.sum / of.count;
        let (square, with) = (&self.square, &self.product);
        // The upper triangle, from the lower.
        for p in 0..r {
            let row = &square[packed_before(p)..packed_before(p) + p / WIDE + 1];
            for q in 0..=p {
                self.matrix[q * width + p / WIDE][p % WIDE] = times * row[q / WIDE][q % WIDE];
            }
            self.matrix[p * width + p / WIDE][p % WIDE] += ridge;
            self.b[p] = times * with[p / WIDE][p % WIDE];
        }
        identity(&mut self.inverse, r);
        eliminate(&mut self.matrix, r, &mut self.inverse, width, true, &mut self.b)?;
        self.solved.fill(ZERO);
        let mut trace = 0.0;
        for (row, &b) in self.inverse.chunks_exact(width).zip(&self.b) {
            add(&mut self.solved, row, b);
            trace += product(row, row);
        }
        let (fitted, norm) = (product(&self.solved, with), product(&self.solved, &self.solved));
        let mean = (of.sum - product(&self.solved, of.first)) / of.count;
        let sound = fitted.is_finite() && trace.is_finite() && mean.is_finite();
        sound.then_some(FactorFit { fitted, norm, trace, total, mean })
    }

    fn write(&self, to: &mut [f64]) {
        to.iter_mut().zip(self.solved.as_flattened()).for_each(|(to, w)| *to = *w);
    }
}

/// Writes a row times a number into whole lanes.
#[inline(always)]
fn spread(row: &[f64], times: f64, to: &mut [Lane]) {
    to.as_flattened_mut().iter_mut().zip(row).for_each(|(to, w)| *to = times * w);
}

#[cfg(test)]
#[path = "factor_tests.rs"]
mod tests;
