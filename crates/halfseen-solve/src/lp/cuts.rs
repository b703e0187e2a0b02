//! Minimises mean losses that are largest affine pieces over weights in a box, by row generation.
//!
//! **Setting**: (1/m) sum_i s_i max(0, max_c k_c - e_c (<x_i - r_c, w> + b)) with |w_j| <= C and b
//! free, or none; s_i is how much a row counts, m their sum. There may be exponentially many pieces
//! c, of which few matter: an [`Oracle`] finds them.
//!
//! **Method**: a round solves the linear program over the pieces found so far, loosely at first,
//! and asks the oracle at its point. The program's dual bound holds for all pieces together, as
//! more of them only raise losses; the loss that the oracle finds bounds the optimum from above.
//!
//! | file | what it does |
//! |---|---|
//! | `pieces` | keeps pieces: scores and sums |
//! | `system`, `master`, `certify` | solve the linear program over the pieces that are kept, by an interior-point method |
//!
//! **Guarantee**: the objective is the mean loss at the weights, as the oracle finds it; the gap is
//! its distance from a dual bound of the whole program.

mod certify;
mod master;
mod pieces;
mod system;

use super::SparseRows;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::positive;
use crate::stop::Stop;
use master::{Found, Master};
pub use pieces::List;
use pieces::Pieces;

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

/// Bytes of a piece in the list and in the vectors of a step, and of one entry.
const PIECE: f64 = 150.0;
const ENTRY: f64 = 24.0;

/// How to solve.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// C.
    pub box_radius: f64,
    /// Whether there is a bias, unbounded.
    pub intercept: bool,
    /// Gap, relative to the objective, at which the solution is accepted.
    pub tol: f64,
    /// Most rounds, and most steps of the interior-point method in each.
    pub max_iter: u64,
}

/// A minimiser, and how far from the optimum it can be.
#[derive(Debug, Clone)]
pub struct Solution {
    /// One for each slot, in the box.
    pub weights: Vec<f64>,
    /// b.
    pub bias: f64,
    /// The mean loss.
    pub objective: f64,
    /// Objective minus a bound that no weights go below.
    pub gap: f64,
    /// The least mean loss of weights that are all 0.
    pub alone: f64,
    /// The bias that has it.
    pub alone_bias: f64,
    /// Steps of the interior-point method, over all rounds.
    pub passes: u64,
    /// Why it stopped.
    pub stop: Stop,
}

/// Knows the losses of all rows.
pub trait Oracle {
    /// The pieces to begin with.
    fn first(&self) -> List;

    /// The best bias of weights that are all 0, of biases that are allowed, and the mean loss
    /// there.
    fn alone(&self) -> (f64, f64);

    /// The sum of losses for these weights and this bias, each as often as its row counts; and of
    /// row i the pieces above `levels[i]` that have the loss.
    fn ask(&self, weights: &[f64], bias: f64, levels: &[f64]) -> Answer;
}

/// What an oracle says.
#[derive(Debug)]
pub struct Answer {
    /// The sum of losses.
    pub sum: f64,
    /// The pieces.
    pub lists: Vec<List>,
}

/// Bytes that a solution will take, about, if so many pieces are kept, that each delete so many
/// entries.
pub fn bytes(width: usize, pieces: f64, deleted: f64) -> f64 {
    system::bytes(width + 1) + pieces * (PIECE + ENTRY * deleted)
}

/// Minimises the mean loss.
///
/// # Errors
/// Lists that do not fit together; a radius or a tolerance that is not positive and finite.
pub fn solve(
    rows: SparseRows<'_>,
    oracle: &dyn Oracle,
    options: &Options,
    monitor: &dyn Monitor,
) -> Result<Solution> {
    rows.check()?;
    positive("box_radius", options.box_radius)?;
    positive("tol", options.tol)?;
    let n = rows.width;
    let (alone_bias, alone) = oracle.alone();
    let pieces = Pieces::new(rows, options.intercept);
    let mut point = vec![0.0; pieces.width()];
    if options.intercept {
        point[n] = alone_bias;
    }
    let best = Bounds { upper: alone, lower: 0.0, point: point.clone() };
    let mut rounds = Rounds {
        oracle,
        pieces,
        options,
        idle: Vec::new(),
        patience: DROP,
        best,
        rounds: 0,
        passes: 0,
    };
    let stop = if alone > 0.0 { rounds.run(point, alone, monitor) } else { Stop::Tolerance };
    let Bounds { upper, lower, mut point } = rounds.best;
    let bias = if options.intercept { point[n] } else { 0.0 };
    point.truncate(n);
    Ok(Solution {
        weights: point,
        bias,
        objective: upper,
        gap: (upper - lower).max(0.0),
        alone,
        alone_bias,
        passes: rounds.passes,
        stop,
    })
}

struct Bounds {
    /// Mean loss at `point`.
    upper: f64,
    lower: f64,
    point: Vec<f64>,
}

struct Rounds<'o, 'a> {
    oracle: &'o dyn Oracle,
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
        let (m, n) = (self.pieces.rows.total(), self.pieces.rows.width);
        let wanted = |upper: f64| self.options.tol * upper.max(NOTHING * alone);
        self.pieces.change(|_| true, &[self.oracle.first()]);
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
            let Answer { sum, lists: more } = self.ask(&found.point, MARGIN * goal / m);
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

    /// The sum of losses at a point, and the pieces that exceed what is kept of their row by more
    /// than `margin`.
    fn ask(&self, point: &[f64], margin: f64) -> Answer {
        let (pieces, n) = (&self.pieces, self.pieces.rows.width);
        let mut scores = vec![0.0; pieces.len()];
        pieces.scores(point, &mut scores);
        let known =
            |i| pieces.of(i).map(|c| pieces.list.constant[c] - scores[c]).fold(0.0, f64::max);
        let levels: Vec<f64> = (0..pieces.rows.len()).map(|i| known(i) + margin).collect();
        self.oracle.ask(&point[..n], point.get(n).copied().unwrap_or(0.0), &levels)
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
