//! Minimises mean losses that are maxima of affine pieces, over weights in a box, by row
//! generation.
//!
//! **Setting**: (1/m) sum_i s_i max(0, max_c k_c - e_c (<x_i - r_c, w> + b)) with |w_j| <= C and b
//! free, or none; s_i is the weight of row i, m their sum. There may be exponentially many pieces
//! c, but few matter: an [`Oracle`] generates them.
//!
//! **Method**: a round solves the linear program over the pieces found so far, loosely at first,
//! and queries the oracle at its solution. The program's dual bound holds for all pieces, as more
//! pieces only increase losses; the loss that the oracle finds bounds the optimum from above.
//!
//! | file | task |
//! |---|---|
//! | `pieces` | stores pieces; computes scores and sums |
//! | `system`, `master`, `certify` | solve the linear program over them by interior points |
//!
//! **Guarantee**: the objective is the mean loss at the weights, computed by the oracle; the gap is
//! its distance from a dual bound of the whole program.

mod certify;
mod master;
mod pieces;
mod system;

use super::ConstraintRows;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::positive;
use crate::stop::SolverStop;
use master::{Master, Optimum};
pub use pieces::List;
use pieces::Pieces;

/// Tolerance of a round's program, as a share of the gap between the bounds.
const LOOSE: f64 = 0.3;
/// Least such tolerance, as a share of the requested gap.
const TIGHT: f64 = 0.3;
/// Share of the requested gap up to which errors of a row's pieces are ignored.
const MARGIN: f64 = 0.2;
/// Multiplier below which a piece counts as idle.
const IDLE: f64 = 1e-4;
/// Rounds after which an idle piece is dropped; increased by one in each round that drops some.
const DROP: u32 = 4;
/// Factor of the central-path parameter at the start of a round: new pieces exceed the previous
/// loss by several times the mean.
const BOOST: f64 = 20.0;
/// Further factor after a round that failed.
const FARTHER: f64 = 30.0;
/// Objectives below this share of that of weights of 0 count as 0.
const NOTHING: f64 = 1e-3;

/// Parameters of the solver.
#[derive(Debug, Clone, Copy)]
pub struct CutOptions {
    /// C.
    pub box_radius: f64,
    /// True for an unbounded bias, false for none.
    pub intercept: bool,
    /// Relative gap at which the solution is accepted.
    pub tol: f64,
    /// Largest number of rounds, and of interior-point steps per round.
    pub max_iter: u64,
}

/// Minimiser with its certified gap.
#[derive(Debug, Clone)]
pub struct CutSolution {
    /// One weight per slot, in the box.
    pub weights: Vec<f64>,
    /// b.
    pub bias: f64,
    /// Mean loss.
    pub objective: f64,
    /// Objective minus a lower bound.
    pub gap: f64,
    /// Least mean loss with weights of 0.
    pub alone: f64,
    /// Bias that attains it.
    pub alone_bias: f64,
    /// Number of interior-point steps over all rounds.
    pub passes: u64,
    /// Reason for stopping.
    pub stop: SolverStop,
}

/// Losses of all rows.
pub trait Oracle {
    /// Returns the initial pieces.
    fn first(&self) -> List;

    /// Returns the best allowed bias with weights of 0, and the mean loss there.
    fn alone(&self) -> (f64, f64);

    /// Returns the weighted sum of losses for these weights and this bias, and for each row i the
    /// maximal pieces above `levels[i]`.
    fn ask(&self, weights: &[f64], bias: f64, levels: &[f64]) -> OracleAnswer;
}

/// Answer of an oracle.
#[derive(Debug)]
pub struct OracleAnswer {
    /// Weighted sum of losses.
    pub sum: f64,
    /// Generated pieces.
    pub lists: Vec<List>,
}

/// Minimises the mean loss.
///
/// # Errors
/// If lists do not fit together, or a radius or a tolerance is not positive and finite.
pub fn solve(
    rows: ConstraintRows<'_>,
    oracle: &dyn Oracle,
    options: &CutOptions,
    monitor: &dyn Monitor,
) -> Result<CutSolution> {
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
    let stop = if alone > 0.0 { rounds.run(point, alone, monitor) } else { SolverStop::Tolerance };
    let Bounds { upper, lower, mut point } = rounds.best;
    let bias = if options.intercept { point[n] } else { 0.0 };
    point.truncate(n);
    Ok(CutSolution {
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
    options: &'o CutOptions,
    /// Number of rounds for which each piece was idle.
    idle: Vec<u32>,
    patience: u32,
    best: Bounds,
    rounds: u64,
    passes: u64,
}

impl Rounds<'_, '_> {
    fn run(&mut self, null: Vec<f64>, alone: f64, monitor: &dyn Monitor) -> SolverStop {
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
            let optimum = master.run(gap, self.options.max_iter, monitor);
            self.passes += optimum.steps;
            self.best.lower = self.best.lower.max(optimum.bound / m);
            let OracleAnswer { sum, lists: more } = self.ask(&optimum.point, MARGIN * goal / m);
            if sum / m < self.best.upper {
                (self.best.upper, self.best.point) = (sum / m, optimum.point.clone());
            }
            let rest = self.best.upper - self.best.lower;
            monitor.progress(self.rounds.min(self.options.max_iter), self.options.max_iter);
            if rest <= wanted(self.best.upper) {
                return SolverStop::Tolerance;
            }
            if monitor.should_stop() {
                return SolverStop::Interrupted;
            }
            let added: usize = more.iter().map(|list| list.len()).sum();
            let failed = optimum.value - optimum.bound > gap;
            let limit = self.options.max_iter;
            if self.rounds >= limit || (added == 0 && failed && !warm) {
                let ran_out = self.rounds >= limit || optimum.steps >= limit;
                return if ran_out { SolverStop::IterationLimit } else { SolverStop::NoProgress };
            }
            share = if added == 0 { 0.1 * share } else { LOOSE };
            // If the start was too near the optimum for the added pieces, the next is farther off,
            // then cold.
            boost = if failed { FARTHER * boost } else { BOOST };
            warm = boost <= FARTHER * BOOST;
            let next = self.next(optimum, &more, sum / m);
            start = if warm { next } else { cold.clone() };
        }
    }

    /// Returns the sum of losses at a point, and the pieces that exceed those of their row by more
    /// than `margin`.
    fn ask(&self, point: &[f64], margin: f64) -> OracleAnswer {
        let (pieces, n) = (&self.pieces, self.pieces.rows.width);
        let mut scores = vec![0.0; pieces.len()];
        pieces.scores(point, &mut scores);
        let known =
            |i| pieces.of(i).map(|c| pieces.list.constant[c] - scores[c]).fold(0.0, f64::max);
        let levels: Vec<f64> = (0..pieces.rows.len()).map(|i| known(i) + margin).collect();
        self.oracle.ask(&point[..n], point.get(n).copied().unwrap_or(0.0), &levels)
    }

    /// Drops idle pieces, adds others, and returns the next start.
    fn next(&mut self, optimum: Optimum, more: &[List], upper: f64) -> Start {
        let slope = self.pieces.combine(&optimum.sigma);
        for (c, (idle, sigma)) in self.idle.iter_mut().zip(&optimum.sigma).enumerate() {
            *idle = if *sigma < IDLE * self.pieces.weight(c) { *idle + 1 } else { 0 };
        }
        let (idle, patience) = (&self.idle, self.patience);
        let dropped = idle.iter().filter(|&&idle| idle >= patience).count();
        let before = self.pieces.change(|c| idle[c] < patience, more);
        self.patience += u32::from(dropped > 0);
        self.idle = before.iter().map(|old| old.map_or(0, |c| self.idle[c])).collect();
        Start { point: optimum.point, slope, distance: upper - self.best.lower }
    }
}

#[derive(Debug, Clone)]
struct Start {
    point: Vec<f64>,
    /// sum_c sigma_c a_c at the point.
    slope: Vec<f64>,
    /// Estimated gap per unit of row weight.
    distance: f64,
}
