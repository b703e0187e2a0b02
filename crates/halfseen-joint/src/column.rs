//! Refines the target's covariances alone; those among attributes remain a factor model's.
//!
//! The steps are the target's column of those of `dense.rs`. As the target's column of a block T_i
//! is T_i e, the product A S e needs no inverse: it is the sum of a_i (y_i - mean) less e for each
//! example. Examples without a target say nothing of that column. One step costs O(m (k^2 r + k^3) + d
//! r) time, O(m k r^2 + d r) where k is large, and O(d r) memory, feasible for many attributes.

use super::alike::{Block, List, Run};
use super::batched_cholesky::Blocks;
use super::covariance::Covariance;
use super::factor::Factor;
use super::folds::WeightedSubset;
use super::simd4::{NullaryFnOnce, wide};
use super::small_cholesky::dot;
use super::standard::Rows;
use halfseen_solve::Monitor;

/// Growth of the relaxation after an accepted step, and cut after a rejected one.
const GROWTH: f64 = 1.7;
const CUT: f64 = 3.0;

/// A factor model of the attributes with its own covariances with the target.
#[derive(Debug, Clone)]
pub(crate) struct Column<'a> {
    pub(crate) factor: &'a Factor,
    /// Covariances with the target, (n_places).
    pub(crate) with_target: Vec<f64>,
    pub(crate) target_variance: f64,
}

#[derive(Debug)]
pub(crate) struct ColumnRefinement<'a> {
    rows: &'a Rows,
    /// The examples with a target.
    list: List<'a>,
    pub(crate) now: Column<'a>,
    score: Vec<f64>,
    likelihood: f64,
    omega: f64,
    count: f64,
    blocks: Blocks<'a>,
    block: Block,
}

/// The pass over the examples. Its value is the log-likelihood.
struct Evaluate<'a, 'b, 'c> {
    of: &'a Column<'b>,
    rows: &'a Rows,
    list: &'a List<'a>,
    blocks: &'a mut Blocks<'c>,
    block: &'a mut Block,
    score: &'a mut [f64],
}

impl NullaryFnOnce for Evaluate<'_, '_, '_> {
    type Output = Option<f64>;

    #[inline(always)]
    fn call(self) -> Option<f64> {
        let Evaluate { of, rows, list, blocks, block, score } = self;
        let d = of.with_target.len();
        score.fill(0.0);
        let mut likelihood = 0.0;
        for run in list.runs() {
            let run = match run {
                Run::Mixed(run) => run,
                Run::Alike(run) | Run::Lacking(run) => {
                    let watch = &mut blocks.watch;
                    block.load(of, rows, run[0].counted.example);
                    let log = block.determinant(of, watch)?;
                    likelihood +=
                        block.solve(of, rows, run, log, watch, |chunk, weighted, _| {
                            for (e, listed) in chunk.iter().enumerate() {
                                let (places, _, y) = rows.example(listed.counted.example);
                                let y = y - of.target_mean();
                                for (a, &place) in places.iter().enumerate() {
                                    score[place as usize] += weighted[(a, e)] * y;
                                }
                                score[d] += weighted[(places.len(), e)] * y - listed.counted.weight;
                            }
                        })?;
                    continue;
                }
            };
            let mut examples = run.iter().map(|listed| listed.counted);
            while blocks.load(of, rows, &mut examples) {
                likelihood += blocks.solve(rows)?;
                for e in 0..blocks.filled {
                    let counted = blocks.examples[e];
                    let (places, _, y) = rows.example(counted.example);
                    let y = y - of.target_mean();
                    for (&place, a) in places.iter().zip(&blocks.solved) {
                        score[place as usize] += counted.weight * a[e] * y;
                    }
                    score[d] += counted.weight * (blocks.solved[blocks.len - 1][e] * y - 1.0);
                }
            }
        }
        (likelihood.is_finite() && !blocks.watch.stopped()).then_some(likelihood)
    }
}

impl<'a> Column<'a> {
    /// Starts at the covariances of the model itself.
    pub(crate) fn of(factor: &'a Factor) -> Column<'a> {
        let target_variance = dot(&factor.target, &factor.target) + factor.target_noise;
        Column { factor, with_target: factor.with_target(), target_variance }
    }

    /// Returns true if the attributes leave some of the target's variance unexplained.
    fn is_definite(&self) -> bool {
        let explained =
            self.factor.solve(0.0, &self.with_target).map(|w| dot(&w, &self.with_target));
        explained.is_some_and(|explained| explained < self.target_variance)
    }
}

impl Covariance for Column<'_> {
    #[inline]
    fn block(&self, places: &[u32], out: &mut [f64]) {
        self.factor.block(places, out);
        let n = places.len() + 1;
        for (a, &j) in places.iter().enumerate() {
            let value = self.with_target[j as usize];
            (out[a * n + n - 1], out[(n - 1) * n + a]) = (value, value);
        }
        out[n * n - 1] = self.target_variance;
    }

    #[inline]
    fn mean(&self, place: usize) -> f64 {
        self.factor.mean(place)
    }

    #[inline]
    fn target_mean(&self) -> f64 {
        self.factor.target_mean()
    }

    #[inline]
    fn of_target(&self, place: usize) -> f64 {
        self.with_target[place]
    }

    #[inline]
    fn target_variance(&self) -> f64 {
        self.target_variance
    }

    fn times(&self, v: &[f64]) -> Vec<f64> {
        self.factor.times(v)
    }

    fn factors(&self) -> Option<&Factor> {
        Some(self.factor)
    }
}

impl<'a> ColumnRefinement<'a> {
    /// Starts at a factor model. `None` if no target is known, if the likelihood is not finite, or
    /// if the monitor asked to stop, which ends every later step too.
    pub(crate) fn start(
        rows: &'a Rows,
        chosen: impl Into<WeightedSubset<'a>>,
        factor: &'a Factor,
        monitor: &'a dyn Monitor,
    ) -> Option<Self> {
        let chosen = chosen.into();
        let now = Column::of(factor);
        let count = chosen.with_target(rows).map(|counted| counted.weight).sum::<f64>();
        if count <= 0.0 {
            return None;
        }
        let score = vec![0.0; now.with_target.len() + 1];
        let blocks = Blocks::new(rows.most(), monitor);
        let mut refinement = ColumnRefinement {
            rows,
            list: List::of(rows, chosen.with_target(rows)),
            score,
            likelihood: 0.0,
            omega: 1.0,
            count,
            blocks,
            block: Block::new(),
            now,
        };
        refinement.likelihood = refinement.evaluate(&refinement.now.clone())?;
        Some(refinement)
    }

    /// Returns the log-likelihood; the score becomes A S e.
    fn evaluate(&mut self, of: &Column<'_>) -> Option<f64> {
        wide(Evaluate {
            of,
            rows: self.rows,
            list: &self.list,
            blocks: &mut self.blocks,
            block: &mut self.block,
            score: &mut self.score,
        })
    }

    /// Takes one step; returns false if none is possible.
    pub(crate) fn step(&mut self) -> bool {
        let d = self.now.with_target.len();
        let (score, of_target) = (self.score.clone(), self.score[d]);
        let mut change = self.now.times(&score[..d]);
        change.iter_mut().zip(&self.now.with_target).for_each(|(c, s)| *c += s * of_target);
        let of_variance =
            dot(&self.now.with_target, &score[..d]) + self.now.target_variance * of_target;
        loop {
            let mut next = self.now.clone();
            let times = self.omega / self.count;
            next.with_target.iter_mut().zip(&change).for_each(|(s, c)| *s += times * c);
            next.target_variance += times * of_variance;
            let likelihood = if next.is_definite() { self.evaluate(&next) } else { None };
            match likelihood {
                Some(likelihood) if likelihood >= self.likelihood => {
                    (self.now, self.likelihood) = (next, likelihood);
                    self.omega *= GROWTH;
                    return true;
                }
                _ if self.omega <= 1.0 || self.blocks.watch.stopped() => {
                    self.score = score;
                    return false;
                }
                _ => self.omega = (self.omega / CUT).max(1.0),
            }
        }
    }
}
