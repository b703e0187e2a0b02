//! Computes the log-likelihood of a covariance and its score: A = sum_i P_i'(a_i a_i' - T_i^-1) P_i
//! with T_i the block of example i's reads and a_i = T_i^-1 (x_i - mean), and the sum of the a_i.
//!
//! Blocks of examples that show the same attributes are factorised and inverted once; those of examples
//! that lack little through what these lack; others four at a time.

use super::alike::{Block, List, Listed, Run};
use super::batched_cholesky::Blocks;
use super::covariance::Covariance;
use super::lacking::{Lacking, Neighbours};
use super::precision::{Pending, Precision};
use super::simd4::NullaryFnOnce;
use super::standard::Rows;
use faer::prelude::*;
use faer::{Accum, Mat};
use halfseen_solve::{Monitor, lower_product};

/// Workspace for examples that lack little, and what they say of those with a target and of the others.
pub(crate) struct LackingSums {
    lacking: Lacking,
    of_told: Pending,
    of_all: Pending,
}

impl LackingSums {
    pub(crate) fn new() -> LackingSums {
        LackingSums { lacking: Lacking::new(), of_told: Pending::new(), of_all: Pending::new() }
    }
}

/// The pass over the examples. Its value is the log-likelihood.
pub(crate) struct Evaluate<'a, 'b, C> {
    pub(crate) of: &'a C,
    pub(crate) rows: &'a Rows,
    pub(crate) list: &'a List<'a>,
    pub(crate) blocks: &'a mut Blocks<'b>,
    pub(crate) block: &'a mut Block,
    pub(crate) lacking: &'a mut LackingSums,
    pub(crate) squares: &'a mut Mat<f64>,
    pub(crate) of_means: &'a mut [f64],
    /// A of the examples with a target, if requested.
    pub(crate) score: Option<&'a mut Mat<f64>>,
    /// A of all examples, if requested and some targets are unknown.
    pub(crate) of_all: Option<&'a mut Mat<f64>>,
    /// Overwritten.
    pub(crate) spare: &'a mut Mat<f64>,
    pub(crate) monitor: &'a dyn Monitor,
}

impl<C: Covariance> NullaryFnOnce for Evaluate<'_, '_, C> {
    type Output = Option<f64>;

    #[inline(always)]
    fn call(self) -> Option<f64> {
        let list = self.list;
        let (mut sums, mut likelihood) = (self, 0.0);
        sums.of_means.fill(0.0);
        sums.score.iter_mut().chain(&mut sums.of_all).for_each(|score| score.fill(0.0));
        let precision = match list.lacks_little() {
            true => Some(sums.of.precision(0.0, &mut sums.blocks.watch)?),
            false => None,
        };
        sums.lacking.of_told.clear();
        sums.lacking.of_all.clear();
        for run in list.runs() {
            likelihood += match (run, &precision) {
                (Run::Lacking(run), Some(precision)) => sums.add_lacking(run, precision)?,
                (Run::Mixed(run), _) => sums.add_mixed(run)?,
                (Run::Alike(run) | Run::Lacking(run), _) => sums.add_alike(run)?,
            };
        }
        let Evaluate { score: mut of_told, mut of_all, blocks, lacking, spare, monitor, .. } = sums;
        if let Some(precision) = precision {
            let LackingSums { of_told: told, of_all: all, .. } = lacking;
            for (score, pending) in [(&mut of_told, told), (&mut of_all, all)] {
                let Some(score) = score else { continue };
                if !pending.settle(&precision, score, spare, monitor) {
                    return None;
                }
            }
        }
        of_told.iter_mut().chain(&mut of_all).for_each(|score| gather(score));
        if let (Some(all), Some(score)) = (of_all, of_told) {
            *all += &*score;
        }
        (likelihood.is_finite() && !blocks.watch.stopped()).then_some(likelihood)
    }
}

impl<C: Covariance> Evaluate<'_, '_, C> {
    /// Adds what examples that are alike say; returns their log-likelihood.
    fn add_alike(&mut self, run: &[Listed]) -> Option<f64> {
        let Evaluate { of, rows, blocks, block, squares, of_means, score, of_all, .. } = self;
        let (d, watch) = (of_means.len() - 1, &mut blocks.watch);
        let first = run[0].counted.example;
        let (places, _, y) = rows.example(first);
        block.load(*of, rows, first);
        let (len, log) = (block.len, block.determinant(*of, watch)?);
        let to = if y.is_nan() { of_all } else { score };
        let at = |a: usize| places.get(a).map_or(d, |place| *place as usize);
        let mut squares = squares.submatrix_mut(0, 0, len, len);
        squares.fill(0.0);
        let likelihood = block.solve(*of, rows, run, log, watch, |_, weighted, solved| {
            for column in weighted.col_iter() {
                (0..len).for_each(|a| of_means[at(a)] += column[a]);
            }
            if to.is_some() {
                lower_product(squares.rb_mut(), Accum::Add, weighted, solved.transpose(), 1.0);
            }
        })?;
        let Some(score) = to else { return Some(likelihood) };
        let weight: f64 = run.iter().map(|listed| listed.counted.weight).sum();
        let inverse = block.invert(watch)?;
        for c in 0..len {
            let column = score.col_as_slice_mut(at(c));
            (c..len).for_each(|a| column[at(a)] += squares[(a, c)] - weight * inverse[(a, c)]);
        }
        Some(likelihood)
    }

    /// Does the same for examples that lack little.
    fn add_lacking(&mut self, run: &[Listed], precision: &Precision) -> Option<f64> {
        let Evaluate { of, rows, blocks, lacking, of_means, score, of_all, .. } = self;
        let LackingSums { lacking, of_told: told, of_all: all } = &mut **lacking;
        let (to, pending) = match rows.has_target(run[0].counted.example) {
            true => (score, told),
            false => (of_all, all),
        };
        let to = to.as_mut().map(|score| (&mut **score, pending));
        let run = Neighbours { rows, run };
        lacking.evaluate(precision, *of, run, of_means, to, &mut blocks.watch)
    }

    /// Does the same for others, four at a time.
    #[inline(always)]
    fn add_mixed(&mut self, run: &[Listed]) -> Option<f64> {
        let Evaluate { of, rows, blocks, of_means, score, of_all, .. } = self;
        let d = of_means.len() - 1;
        let (mut likelihood, mut examples) = (0.0, run.iter().map(|listed| listed.counted));
        while blocks.load(*of, rows, &mut examples) {
            likelihood += blocks.solve(rows)?;
            if score.is_some() {
                blocks.invert();
            }
            let last = blocks.len - 1;
            for e in 0..blocks.filled {
                let counted = blocks.examples[e];
                let (places, _, y) = rows.example(counted.example);
                let weight = counted.weight;
                for (&place, a) in places.iter().zip(&blocks.solved) {
                    of_means[place as usize] += weight * a[e];
                }
                of_means[d] += weight * blocks.solved[last][e];
                // The row of an unknown target is that of the identity: it adds 0 to others.
                let to = if y.is_nan() { &mut *of_all } else { &mut *score };
                let Some(score) = to else { continue };
                for (c, &place) in places.iter().enumerate() {
                    let (place, right) = (place as usize, blocks.solved[c][e]);
                    let column = score.col_as_slice_mut(place);
                    for (a, &other) in places.iter().enumerate().skip(c) {
                        column[other as usize] +=
                            weight * (right * blocks.solved[a][e] - blocks.inverse_row(a)[c][e]);
                    }
                    column[d] +=
                        weight * (right * blocks.solved[last][e] - blocks.inverse_row(last)[c][e]);
                }
                if !y.is_nan() {
                    let a = blocks.solved[last][e];
                    score[(d, d)] += weight * (a * a - blocks.inverse_row(last)[last][e]);
                }
            }
        }
        Some(likelihood)
    }
}

/// Adds the upper triangle to the lower and makes the matrix symmetric: places of an example may be
/// in any order.
fn gather(matrix: &mut Mat<f64>) {
    for j in 0..matrix.ncols() {
        for i in j + 1..matrix.nrows() {
            let sum = matrix[(i, j)] + matrix[(j, i)];
            (matrix[(i, j)], matrix[(j, i)]) = (sum, sum);
        }
    }
}
