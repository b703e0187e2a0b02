//! Minimises a quadratic and a mean of hinge losses of any concave margins by cutting planes, to a
//! certified gap.
//!
//! **Problem**: minimise F(w) = (1/2) |w|^2 + C R(w), R(w) = min over b of sum_i t_i [1 - y_i b -
//! g_i(w)]_+, where each g_i is concave with g_i(a w) = a g_i(w) for a >= 0: the margin of a row,
//! or the least of its margins under attack. Without a bias, b = 0. The weights t_i are 1 unless
//! rows count otherwise.
//!
//! **Cuts**: shares p_i in [0, t_i] of the rows with sum_i y_i p_i = 0 and slopes s_i of g_i bound
//! R(w) from below by sum_i p_i (1 - <s_i, w>) for all w, and touch it at w where p_i = t_i for
//! losses above 0 and 0 for those below. The bias is gone: it is the best one for each w, found
//! exactly.
//!
//! **Guarantee**: the best point is no worse than the optimum by more than its objective minus the
//! largest dual objective of cuts, C sum_k a_k c_k - (1/2) |C sum_k a_k s_k|^2 over weights a_k of
//! the cuts that sum to 1 (Teo et al., JMLR 11, 2010: O(1 / (lambda epsilon)) cuts).
//!
//! **Method**: the minimiser of (1/2) |w|^2 + C max over cuts lies too far out where cuts are few.
//! The next cut is therefore made on the way to it from the best point so far (Franc and
//! Sonnenburg, JMLR 10, 2009), at a share of the way that grows where the objective falls and
//! shrinks where it does not. Cuts hold for every C, so a path over C keeps them.

mod shares;
mod simplex;

use super::biased::Until;
use super::vectors::{add_multiple, dot, square};
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::stop::Stop;
use rayon::prelude::*;
use shares::{Shares, share};
use simplex::maximise;

/// The rows of a problem.
pub trait Margins: Sync {
    /// Room to look at one row after the other.
    type Room;

    /// Length of w.
    fn width(&self) -> usize;

    /// y_i, -1 or +1 each, (m).
    fn signs(&self) -> &[f64];

    /// t_i, above 0.
    fn weight(&self, row: usize) -> f64;

    /// Room for one thread.
    fn room(&self) -> Self::Room;

    /// g_i(w) of row i.
    fn margin(&self, row: usize, weights: &[f64], room: &mut Self::Room) -> f64;

    /// slope += share times the slope of g_i at w.
    fn add_slope(
        &self,
        row: usize,
        share: f64,
        weights: &[f64],
        room: &mut Self::Room,
        slope: &mut [f64],
    );
}

/// Rows of one task, and tasks that sum rows; fixed, so that no number of threads changes the bits.
const ROWS: usize = 256;
const SUMS: usize = 16;

/// A point, and how far from the optimum it can be.
#[derive(Debug, Clone)]
pub struct Minimum {
    /// The weights.
    pub weights: Vec<f64>,
    /// The bias.
    pub bias: f64,
    /// F(w).
    pub objective: f64,
    /// F(w) minus the best dual objective.
    pub gap: f64,
    /// Cuts made for this C.
    pub cuts: u64,
    /// [`Stop::Tolerance`], [`Stop::IterationLimit`] or [`Stop::Interrupted`].
    pub stop: Stop,
}

/// R is at least constant - <slope, w>.
#[derive(Debug)]
struct Cut {
    slope: Vec<f64>,
    constant: f64,
    /// Masters in a row that did not use it.
    idle: u32,
}

/// Cuts beyond this are thinned out, those unused for so many masters first.
const MANY: usize = 400;
const IDLE: u32 = 60;

/// Bounds of the share of the way that the next cut is made at, and how it changes.
const SHORTEST: f64 = 0.02;
const LONGER: f64 = 1.5;
const SHORTER: f64 = 0.8;

/// The master is solved to this part of the gap, in so many steps at most.
const PART: f64 = 0.01;
const STEPS: usize = 20_000;

/// The cuts of a problem, with the best point for the last C.
pub struct Bundle<'a, M> {
    rows: &'a M,
    intercept: bool,
    /// The first is the one of losses that are never below 0: slope 0, constant 0.
    cuts: Vec<Cut>,
    /// Products of slopes.
    gram: Vec<Vec<f64>>,
    /// a_k.
    mixture: Vec<f64>,
    best: Point,
    /// The share of the way.
    way: f64,
}

/// A point with its R.
#[derive(Debug, Clone)]
struct Point {
    weights: Vec<f64>,
    bias: f64,
    risk: f64,
}

impl Point {
    fn objective(&self, c: f64) -> f64 {
        0.5 * square(&self.weights) + c * self.risk
    }
}

impl<'a, M: Margins> Bundle<'a, M> {
    /// Makes the first cut, at w = 0.
    ///
    /// # Errors
    /// [`Error::Numerical`] where sums of rows leave the range of numbers.
    pub fn new(rows: &'a M, intercept: bool) -> Result<Bundle<'a, M>> {
        let origin = vec![0.0; rows.width()];
        let nothing = Cut { slope: origin.clone(), constant: 0.0, idle: 0 };
        let best = Point { weights: origin.clone(), bias: 0.0, risk: f64::INFINITY };
        let (gram, mixture) = (vec![vec![0.0]], vec![1.0]);
        let mut bundle =
            Bundle { rows, intercept, cuts: vec![nothing], gram, mixture, best, way: 1.0 };
        bundle.best = bundle.cut(origin)?;
        Ok(bundle)
    }

    /// Minimises F for this C, from what is known of others.
    ///
    /// # Errors
    /// As [`Bundle::new`].
    pub fn minimise(&mut self, c: f64, until: Until, monitor: &dyn Monitor) -> Result<Minimum> {
        let (mut least, mut bound, mut made) = (self.best.objective(c), 0.0_f64, 0);
        self.way = 1.0;
        let mut stop = Stop::IterationLimit;
        loop {
            if monitor.should_stop() {
                stop = Stop::Interrupted;
                break;
            }
            let (towards, dual) = self.master(c, PART * (least - bound).max(1e-15 * least));
            bound = bound.max(dual);
            if !(least.is_finite() && bound.is_finite()) {
                return Err(out_of_range());
            }
            if least - bound <= until.tol * least {
                stop = Stop::Tolerance;
                break;
            }
            if made == until.max_iter {
                break;
            }
            monitor.progress(made, until.max_iter);
            let from = &self.best.weights;
            let next = from.iter().zip(&towards).map(|(w, v)| w + self.way * (v - w)).collect();
            let point = self.cut(next)?;
            made += 1;
            let objective = point.objective(c);
            if objective < least {
                (self.best, least) = (point, objective);
                self.way = (self.way * LONGER).min(1.0);
            } else {
                self.way = (self.way * SHORTER).max(SHORTEST);
            }
            self.thin();
        }
        let Point { weights, bias, .. } = self.best.clone();
        Ok(Minimum {
            weights,
            bias,
            objective: least,
            gap: (least - bound).max(0.0),
            cuts: made,
            stop,
        })
    }

    /// Adds the cut that touches R at these weights.
    fn cut(&mut self, weights: Vec<f64>) -> Result<Point> {
        let signs = self.rows.signs();
        let margins = self.margins(&weights);
        let Shares { bias, risk, shares } =
            share(&margins, signs, |row| self.rows.weight(row), self.intercept);
        let slope = self.slope(&weights, &shares);
        let products: Vec<f64> = self.cuts.iter().map(|cut| dot(&cut.slope, &slope)).collect();
        let own = square(&slope);
        if !(risk.is_finite() && own.is_finite() && products.iter().all(|p| p.is_finite())) {
            return Err(out_of_range());
        }
        self.gram.iter_mut().zip(&products).for_each(|(row, product)| row.push(*product));
        self.gram.push([products, vec![own]].concat());
        self.cuts.push(Cut { slope, constant: shares.iter().sum(), idle: 0 });
        self.mixture.push(0.0);
        Ok(Point { weights, bias, risk })
    }

    /// g_i(w), (m).
    fn margins(&self, weights: &[f64]) -> Vec<f64> {
        let mut margins = vec![0.0; self.rows.signs().len()];
        margins.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, margins)| {
            let mut room = self.rows.room();
            for (at, margin) in margins.iter_mut().enumerate() {
                *margin = self.rows.margin(chunk * ROWS + at, weights, &mut room);
            }
        });
        margins
    }

    /// sum_i p_i times the slope of g_i at w.
    fn slope(&self, weights: &[f64], shares: &[f64]) -> Vec<f64> {
        let rows = shares.len().div_ceil(SUMS).max(1);
        let sum = |(part, shares): (usize, &[f64])| {
            let (mut sum, mut room) = (vec![0.0; weights.len()], self.rows.room());
            for (at, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                self.rows.add_slope(part * rows + at, share, weights, &mut room, &mut sum);
            }
            sum
        };
        let sums: Vec<Vec<f64>> = shares.par_chunks(rows).enumerate().map(sum).collect();
        let mut slope = vec![0.0; weights.len()];
        sums.iter().for_each(|sum| add_multiple(&mut slope, 1.0, sum));
        slope
    }

    /// The minimiser of (1/2) |w|^2 + C max over cuts, nearly, and its dual objective.
    fn master(&mut self, c: f64, tolerance: f64) -> (Vec<f64>, f64) {
        let linear: Vec<f64> = self.cuts.iter().map(|cut| c * cut.constant).collect();
        maximise(&self.gram, c * c, &linear, &mut self.mixture, tolerance, STEPS);
        let mut weights = vec![0.0; self.best.weights.len()];
        let mut dual = 0.0;
        for ((cut, &part), linear) in self.cuts.iter_mut().zip(&self.mixture).zip(&linear) {
            cut.idle = if part > 0.0 { 0 } else { cut.idle + 1 };
            if part > 0.0 {
                add_multiple(&mut weights, c * part, &cut.slope);
                dual += part * linear;
            }
        }
        dual -= 0.5 * square(&weights);
        (weights, dual)
    }

    /// Drops cuts that have not been used for long, where there are many.
    fn thin(&mut self) {
        if self.cuts.len() <= MANY {
            return;
        }
        let keep: Vec<bool> =
            self.cuts.iter().enumerate().map(|(k, cut)| k == 0 || cut.idle < IDLE).collect();
        // Not for a few of them.
        if keep.iter().filter(|kept| !**kept).count() < MANY / 10 {
            return;
        }
        retain(&mut self.cuts, &keep);
        retain(&mut self.mixture, &keep);
        retain(&mut self.gram, &keep);
        self.gram.iter_mut().for_each(|row| retain(row, &keep));
    }
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut kept = keep.iter();
    items.retain(|_| kept.next().copied().unwrap_or(true));
}

fn out_of_range() -> crate::Error {
    let problem =
        "sums of rows leave the range of numbers; scale the attributes, or lower c".to_owned();
    Error::Numerical { what: "cutting planes", problem }
}
