//! Refines a joint covariance beyond its factors by over-relaxed steps of expectation maximisation without restriction.
//!
//! With T_i the block of what example i shows and a_i = T_i^-1 (x_i - mean), the step S + S A S / m with
//! A = sum_i P_i'(a_i a_i' - T_i^-1) P_i is one step of expectation maximisation of the Gaussian likelihood (the sum over examples of
//! the expected second moments is S + S A S / m in closed form); omega times it is over-relaxed. A step is taken if S stays positive
//! definite and the likelihood does not fall; else omega is cut. Stopped early, the path from the factor model to the likelihood's
//! maximum is a dial between structure and freedom.
//!
//! A noise floor eps is kept on the attributes' diagonal. One step costs O(m k^3 + d^3) time; memory is O(d^2).
//!
//! Source: A. Dempster, N. Laird and D. Rubin, "Maximum likelihood from incomplete data via the EM algorithm", 1977; over-relaxation as
//! in R. Salakhutdinov and S. Roweis, "Adaptive overrelaxed bound optimization methods", ICML 2003.

use super::covariance::{Block, Covariance};
use super::factor::Factor;
use super::parts::{Chosen, Counted};
use super::small::dot;
use super::standard::Rows;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::solve::{solve_in_place, solve_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

/// Noise floor of every attribute, in standard units.
const FLOOR: f64 = 0.01;
/// By what the relaxation grows after a step that was taken, and shrinks after one that was not.
const GROWTH: f64 = 1.7;
const CUT: f64 = 3.0;
/// Steps of the means alone, at first.
const STEPS_OF_MEANS: usize = 15;

/// A covariance of d places and the target, the noise floor taken off the places' diagonal; and corrections of the means.
#[derive(Debug, Clone)]
pub(crate) struct Dense {
    matrix: Mat<f64>,
    means: Vec<f64>,
}

/// Where the refinement is.
#[derive(Debug)]
pub(crate) struct Refinement<'a> {
    rows: &'a Rows,
    chosen: Chosen<'a>,
    /// The covariance now.
    pub(crate) now: Dense,
    /// Its score: A, and the means'.
    score: Mat<f64>,
    of_means: Vec<f64>,
    likelihood: f64,
    omega: f64,
    /// d over the mean number of reads of an example: means are not moved by more.
    most: f64,
    count: f64,
    block: Block,
}

impl Dense {
    /// The covariance of a factor model.
    pub(crate) fn of(factor: &Factor) -> Dense {
        let d = factor.noise.len();
        let loadings = Mat::from_fn(d + 1, factor.rank, |j, p| {
            if j < d { factor.loadings[j * factor.rank + p] } else { factor.target[p] }
        });
        let mut matrix = Mat::zeros(d + 1, d + 1);
        matmul(matrix.as_mut(), Accum::Replace, loadings.as_ref(), loadings.transpose(), 1.0, Par::Seq);
        (0..d).for_each(|j| matrix[(j, j)] += factor.noise[j] - FLOOR);
        matrix[(d, d)] += factor.target_noise;
        Dense { matrix, means: vec![0.0; d + 1] }
    }

    /// Number of places.
    pub(crate) fn len(&self) -> usize {
        self.means.len() - 1
    }

    /// Covariances of the places with the target.
    pub(crate) fn with_target(&self) -> &[f64] {
        &self.matrix.col_as_slice(self.len())[..self.len()]
    }

    /// The target's variance.
    pub(crate) fn target_variance(&self) -> f64 {
        self.matrix[(self.len(), self.len())]
    }

    /// (S_xx + ridge I)^-1 b for each ridge, the noise floor left out; `None` where that is not positive definite.
    pub(crate) fn solve(&self, ridge: f64, b: &[f64]) -> Option<Vec<f64>> {
        let d = self.len();
        let mut factor = Mat::from_fn(d, d, |i, j| self.matrix[(i, j)]);
        (0..d).for_each(|j| factor[(j, j)] += ridge);
        if !definite(&mut factor) {
            return None;
        }
        let mut found = Mat::from_fn(d, 1, |i, _| b[i]);
        let mut memory = MemBuffer::new(solve_in_place_scratch::<f64>(d, 1, Par::Seq));
        solve_in_place(factor.as_ref(), found.as_mut(), Par::Seq, MemStack::new(&mut memory));
        let found = found.col_as_slice(0).to_vec();
        found.iter().all(|v| v.is_finite()).then_some(found)
    }

    /// S_xx v, the noise floor included.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        let d = self.len();
        (0..d).map(|j| dot(&self.matrix.col_as_slice(j)[..d], v) + FLOOR * v[j]).collect()
    }

    /// Whether it is positive definite, half of the noise floor added everywhere.
    fn is_definite(&self) -> bool {
        let mut copy = self.matrix.clone();
        (0..=self.len()).for_each(|j| copy[(j, j)] += 0.5 * FLOOR);
        definite(&mut copy)
    }
}

/// Replaces the lower triangle by its Cholesky factor, where there is one.
fn definite(matrix: &mut Mat<f64>) -> bool {
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(matrix.nrows(), Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(matrix.as_mut(), Default::default(), Par::Seq, stack, Default::default()).is_ok()
}

impl Covariance for Dense {
    #[inline]
    fn block(&self, places: &[u32], out: &mut [f64]) {
        let n = places.len() + 1;
        let d = self.len();
        for (a, &j) in places.iter().enumerate() {
            let column = self.matrix.col_as_slice(j as usize);
            for (c, &l) in places.iter().enumerate() {
                out[a * n + c] = column[l as usize];
            }
            out[a * n + a] += FLOOR;
            (out[a * n + n - 1], out[(n - 1) * n + a]) = (column[d], column[d]);
        }
        out[n * n - 1] = self.matrix[(d, d)];
    }

    #[inline]
    fn mean(&self, place: usize) -> f64 {
        self.means[place]
    }

    #[inline]
    fn target_mean(&self) -> f64 {
        self.means[self.len()]
    }
}

impl<'a> Refinement<'a> {
    /// Starts at a factor model, with the means that are most likely under it. `None` where the likelihood is no number.
    pub(crate) fn start(rows: &'a Rows, chosen: impl Into<Chosen<'a>>, factor: &Factor) -> Option<Refinement<'a>> {
        let chosen = chosen.into();
        let now = Dense::of(factor);
        let d = now.len();
        let reads: f64 =
            chosen.of(rows.len()).map(|counted| counted.weight * rows.example(counted.example).0.len() as f64).sum();
        let count = chosen.of(rows.len()).map(|counted| counted.weight).sum::<f64>();
        let mut refinement = Refinement {
            rows,
            chosen,
            score: Mat::zeros(d + 1, d + 1),
            of_means: vec![0.0; d + 1],
            likelihood: f64::NEG_INFINITY,
            omega: 1.0,
            most: (d as f64 * count / reads.max(1.0)).max(1.0),
            count,
            block: Block::new(rows.most()),
            now,
        };
        refinement.likelihood = refinement.evaluate(&refinement.now.clone(), false)?;
        refinement.settle_means();
        refinement.likelihood = refinement.evaluate(&refinement.now.clone(), true)?;
        Some(refinement)
    }

    /// The means that are most likely under the covariance, nearly.
    fn settle_means(&mut self) {
        let mut omega = self.most;
        for _ in 0..STEPS_OF_MEANS {
            let mut next = self.now.clone();
            self.move_means(&mut next, omega.min(self.most));
            match self.evaluate(&next, false) {
                Some(likelihood) if likelihood >= self.likelihood => {
                    let gained = likelihood - self.likelihood;
                    (self.now, self.likelihood) = (next, likelihood);
                    omega *= GROWTH;
                    if gained < 1e-7 * self.count {
                        break;
                    }
                }
                _ => {
                    omega /= CUT;
                    // The score is that of the point that was refused.
                    let _ = self.evaluate(&self.now.clone(), false);
                }
            }
        }
    }

    /// means += omega S s / m.
    fn move_means(&self, to: &mut Dense, omega: f64) {
        for j in 0..to.means.len() {
            to.means[j] += omega * dot(self.now.matrix.col_as_slice(j), &self.of_means) / self.count;
        }
    }

    /// The log-likelihood of a covariance; its score is kept, that of the covariance if `whole`.
    fn evaluate(&mut self, of: &Dense, whole: bool) -> Option<f64> {
        let d = of.len();
        if whole {
            self.score.fill(0.0);
        }
        self.of_means.fill(0.0);
        let mut likelihood = 0.0;
        for Counted { example: i, weight } in self.chosen.of(self.rows.len()) {
            likelihood += weight * self.block.solve(of, self.rows, i)?;
            let (places, _, _) = self.rows.example(i);
            let n = places.len() + 1;
            let at = |a: usize| if a + 1 == n { d } else { places[a] as usize };
            (0..n).for_each(|a| self.of_means[at(a)] += weight * self.block.solved[a]);
            if whole {
                self.block.invert();
                for a in 0..n {
                    let column = self.score.col_as_slice_mut(at(a));
                    let (scale, inverse) = (self.block.solved[a], &self.block.inverse[a * n..(a + 1) * n]);
                    for c in 0..n {
                        column[at(c)] += weight * (scale * self.block.solved[c] - inverse[c]);
                    }
                }
            }
        }
        likelihood.is_finite().then_some(likelihood)
    }

    /// Takes one step. Says no where none can be taken any more.
    pub(crate) fn step(&mut self) -> bool {
        let d = self.now.len();
        let mut half = Mat::zeros(d + 1, d + 1);
        let mut change = Mat::zeros(d + 1, d + 1);
        matmul(half.as_mut(), Accum::Replace, self.now.matrix.as_ref(), self.score.as_ref(), 1.0, Par::Seq);
        matmul(change.as_mut(), Accum::Replace, half.as_ref(), self.now.matrix.as_ref(), 1.0 / self.count, Par::Seq);
        let (score, of_means) = (self.score.clone(), self.of_means.clone());
        loop {
            let mut next = self.now.clone();
            for j in 0..=d {
                for i in 0..=j {
                    let moved = self.now.matrix[(i, j)] + 0.5 * self.omega * (change[(i, j)] + change[(j, i)]);
                    (next.matrix[(i, j)], next.matrix[(j, i)]) = (moved, moved);
                }
            }
            self.of_means.copy_from_slice(&of_means);
            self.move_means(&mut next, self.omega.min(self.most));
            let likelihood = if next.is_definite() { self.evaluate(&next, true) } else { None };
            match likelihood {
                Some(likelihood) if likelihood >= self.likelihood => {
                    (self.now, self.likelihood) = (next, likelihood);
                    self.omega *= GROWTH;
                    return true;
                }
                _ if self.omega <= 1.0 => {
                    (self.score, self.of_means) = (score, of_means);
                    return false;
                }
                _ => {
                    self.score = score.clone();
                    self.omega = (self.omega / CUT).max(1.0);
                }
            }
        }
    }
}
