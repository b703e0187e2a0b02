//! Adds the pieces that the adversary finds until none is missing: row generation.
//!
//! A round solves the linear program over the pieces found so far, loosely at first, and asks the
//! adversary at its point. The program's dual bound holds for all pieces together, as more of them
//! only raise losses; the loss after the worst deletions at the point bounds the optimum from
//! above.

use super::master::{Found, Master};
use super::pieces::{List, Pieces};
use super::task::{Answer, Loss};
use super::{Options, Solution, Stop};
use halfseen_solve::Monitor;

/// A round's program is solved to this share of the gap between the bounds.
const LOOSE: f64 = 0.3;
/// And to this share of the gap that is wanted, at least.
const TIGHT: f64 = 0.3;
/// Rows whose pieces are right up to this share of the gap that is wanted get no more.
const MARGIN: f64 = 0.2;
/// A multiplier below this stands for an idle piece.
const IDLE: f64 = 1e-4;
/// Rounds after which an idle piece is dropped; this grows by one with each round that drops some.
const DROP: u32 = 4;
/// Rounds start this far from the central point of their gap: new pieces exceed what was known by
/// several times the mean.
const BOOST: f64 = 20.0;
/// And so many times farther after one that led nowhere.
const FARTHER: f64 = 30.0;
/// Objectives below this share of that of weights of 0 are as good as none.
const NOTHING: f64 = 1e-3;

/// Minimises the mean loss after the worst deletions.
pub(super) fn solve(
    loss: Loss<'_>,
    pieces: Pieces<'_>,
    options: &Options,
    monitor: &dyn Monitor,
) -> Solution {
    let n = pieces.rows.width();
    let (alone_bias, alone) = loss.alone(pieces.rows, pieces.intercept);
    let mut point = vec![0.0; pieces.width()];
    if pieces.intercept {
        point[n] = alone_bias;
    }
    let null = Bounds { upper: alone, lower: 0.0, point: point.clone() };
    let mut rounds = Rounds {
        loss,
        pieces,
        options,
        idle: Vec::new(),
        patience: DROP,
        best: null,
        rounds: 0,
        passes: 0,
    };
    let stop = if alone > 0.0 { rounds.run(point, alone, monitor) } else { Stop::Tolerance };
    let Bounds { upper, lower, mut point } = rounds.best;
    let bias = if point.len() > n { point[n] } else { 0.0 };
    point.truncate(n);
    let gap = (upper - lower).max(0.0);
    Solution {
        weights: point,
        bias,
        objective: upper,
        gap,
        alone,
        alone_bias,
        passes: rounds.passes,
        stop,
    }
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
    rounds: u64,
    passes: u64,
}

impl Rounds<'_, '_> {
    fn run(&mut self, null: Vec<f64>, alone: f64, monitor: &dyn Monitor) -> Stop {
        let (m, n) = (self.pieces.rows.total(), self.pieces.rows.width());
        let wanted = |upper: f64| self.options.tol * upper.max(NOTHING * alone);
        self.pieces.change(|_| true, &[self.loss.intact(self.pieces.rows.len())]);
        self.idle = vec![0; self.pieces.len()];
        let cold = Start { point: null, slope: vec![0.0; n], distance: alone };
        let (mut start, mut warm, mut share) = (cold.clone(), false, LOOSE);
        let mut boost = BOOST;
        loop {
            let goal = m * wanted(self.best.upper);
            let gap = (TIGHT * goal).max(share * m * (self.best.upper - self.best.lower));
            self.rounds += 1;
            let pairs = self.pieces.pairs();
            let (point, mu) =
                (start.point.clone(), start.distance * m / pairs * if warm { boost } else { 1.0 });
            let master =
                Master::new(&self.pieces, self.options.box_radius, point, mu, &start.slope);
            let found = master.run(gap, self.options.max_iter, monitor);
            self.passes += found.steps;
            self.best.lower = self.best.lower.max(found.bound / m);
            let Answer { sum, lists: more, .. } =
                self.loss.ask(&self.pieces, self.options.whole, &found.point, MARGIN * goal / m);
            if sum / m < self.best.upper {
                (self.best.upper, self.best.point) = (sum / m, found.point.clone());
            }
            let rest = self.best.upper - self.best.lower;
            monitor.progress(self.rounds.min(self.options.max_iter), self.options.max_iter);
            if rest <= wanted(self.best.upper) {
                return Stop::Tolerance;
            }
            if monitor.should_stop() {
                return Stop::Interrupted;
            }
            let added: usize = more.iter().map(|list| list.len()).sum();
            let failed = found.value - found.bound > gap;
            let limit = self.options.max_iter;
            if self.rounds >= limit || (added == 0 && failed && !warm) {
                let ran_out = self.rounds >= limit || found.steps >= limit;
                return if ran_out { Stop::IterationLimit } else { Stop::NoProgress };
            }
            share = if added == 0 { 0.1 * share } else { LOOSE };
            // After a start too near the optimum for what was added, one from farther off, and then
            // from the beginning.
            boost = if failed { FARTHER * boost } else { BOOST };
            warm = boost <= FARTHER * BOOST;
            let next = self.next(found, &more, sum / m);
            start = if warm { next } else { cold.clone() };
        }
    }

    /// Drops idle pieces, adds others, and says where to go on.
    fn next(&mut self, found: Found, more: &[List], upper: f64) -> Start {
        let slope = self.pieces.combine(&found.sigma);
        for (c, (idle, sigma)) in self.idle.iter_mut().zip(&found.sigma).enumerate() {
            *idle = if *sigma < IDLE * self.pieces.weight(c) { *idle + 1 } else { 0 };
        }
        let (idle, patience) = (&self.idle, self.patience);
        let dropped = idle.iter().filter(|&&idle| idle >= patience).count();
        let before = self.pieces.change(|c| idle[c] < patience, more);
        self.patience += u32::from(dropped > 0);
        self.idle = before.iter().map(|old| old.map_or(0, |c| self.idle[c])).collect();
        Start { point: found.point, slope, distance: upper - self.best.lower }
    }
}

/// Where a round starts.
#[derive(Debug, Clone)]
struct Start {
    point: Vec<f64>,
    /// sum_c sigma_c a_c there.
    slope: Vec<f64>,
    /// The gap, per row, that it is thought to have.
    distance: f64,
}
