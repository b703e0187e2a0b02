//! Adds the pieces that the adversary finds until none is missing: row generation.
//!
//! A round solves the linear program over the pieces found so far, loosely at first, and asks the adversary at its point. The
//! program's dual bound holds for all pieces together, as more of them only raise losses; the loss after the worst deletions at
//! the point bounds the optimum from above.

use super::master::{Found, Master, Start};
use super::pieces::Pieces;
use super::task::Loss;
use super::{Options, Solution, Stop};
use crate::monitor::Monitor;

/// A round's program is solved to this share of the gap between the bounds.
const LOOSE: f64 = 0.1;
/// And to this share of the gap that is wanted, at least.
const TIGHT: f64 = 0.3;
/// Rows whose pieces are right up to this share of the gap that is wanted get no more.
const MARGIN: f64 = 0.2;
/// A multiplier below this stands for an idle piece.
const IDLE: f64 = 1e-4;
/// Rounds after which an idle piece is dropped; this grows by one with each round that drops some.
const DROP: u32 = 4;
/// Objectives below this share of that of weights of 0 are as good as none.
const NOTHING: f64 = 1e-3;

/// Minimises the mean loss after the worst deletions.
pub(super) fn solve(loss: Loss<'_>, pieces: Pieces<'_>, options: &Options, monitor: &dyn Monitor) -> Solution {
    let (m, n) = (pieces.rows.len(), pieces.rows.width());
    let (bias, alone) = loss.alone(m, pieces.intercept);
    let mut point = vec![0.0; pieces.width()];
    if pieces.intercept {
        point[n] = bias;
    }
    let null = Bounds { upper: alone, lower: 0.0, point: point.clone() };
    let mut rounds = Rounds { loss, pieces, options, idle: Vec::new(), patience: DROP, best: null, passes: 0 };
    let stop = if alone > 0.0 { rounds.run(point, alone, monitor) } else { Stop::Tolerance };
    let Bounds { upper, lower, mut point } = rounds.best;
    let bias = if point.len() > n { point[n] } else { 0.0 };
    point.truncate(n);
    let (gap, pieces) = ((upper - lower).max(0.0), rounds.pieces.len());
    Solution { weights: point, bias, objective: upper, gap, alone, passes: rounds.passes, pieces, stop }
}

struct Bounds {
    /// Mean loss at `point`.
    upper: f64,
    lower: f64,
    point: Vec<f64>,
}

struct Rounds<'o, 'a> {
    loss: Loss<'a>,
    pieces: Pieces<'a>,
    options: &'o Options,
    /// Rounds for which each piece was idle.
    idle: Vec<u32>,
    patience: u32,
    best: Bounds,
    passes: u64,
}

impl Rounds<'_, '_> {
    fn run(&mut self, null: Vec<f64>, alone: f64, monitor: &dyn Monitor) -> Stop {
        let m = self.pieces.rows.len() as f64;
        let wanted = |upper: f64| self.options.tol * upper.max(NOTHING * alone);
        self.pieces.change(|_| true, &[self.loss.intact(self.pieces.rows.len())]);
        self.idle = vec![0; self.pieces.len()];
        let mut start = Start { point: null, sigma: None, distance: alone };
        let mut share = LOOSE;
        loop {
            let goal = m * wanted(self.best.upper);
            let gap = (TIGHT * goal).max(share * m * (self.best.upper - self.best.lower));
            let most = self.options.max_iter.saturating_sub(self.passes);
            let found = Master::new(&self.pieces, self.options.box_radius, &start).run(gap, most, monitor);
            self.passes += found.steps;
            self.best.lower = self.best.lower.max(found.bound / m);
            let (sum, more) = self.loss.ask(&self.pieces, self.options.whole, &found.point, MARGIN * goal / m);
            if sum / m < self.best.upper {
                (self.best.upper, self.best.point) = (sum / m, found.point.clone());
            }
            let rest = self.best.upper - self.best.lower;
            monitor.progress(self.passes, self.options.max_iter);
            if rest <= wanted(self.best.upper) {
                return Stop::Tolerance;
            }
            if monitor.should_stop() {
                return Stop::Interrupted;
            }
            let added: usize = more.iter().map(|list| list.len()).sum();
            // Nothing is missing at this point: only the program's own gap is left.
            let stuck = added == 0 && found.value - found.bound > gap;
            if self.passes >= self.options.max_iter || stuck {
                return Stop::IterationLimit;
            }
            share = if added == 0 { 0.1 * share } else { LOOSE };
            start = self.next(found, &more, rest);
        }
    }

    /// Drops idle pieces, adds others, and says where to go on.
    fn next(&mut self, found: Found, more: &[super::pieces::List], rest: f64) -> Start {
        for (idle, sigma) in self.idle.iter_mut().zip(&found.sigma) {
            *idle = if *sigma < IDLE { *idle + 1 } else { 0 };
        }
        let (idle, patience) = (&self.idle, self.patience);
        let dropped = idle.iter().filter(|&&idle| idle >= patience).count();
        let before = self.pieces.change(|c| idle[c] < patience, more);
        self.patience += u32::from(dropped > 0);
        let sigma = before.iter().map(|old| old.map_or(-1.0, |c| found.sigma[c])).collect();
        self.idle = before.iter().map(|old| old.map_or(0, |c| self.idle[c])).collect();
        Start { point: found.point, sigma: Some(sigma), distance: rest }
    }
}
