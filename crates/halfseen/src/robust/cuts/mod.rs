//! Minimises mean losses that are largest affine pieces, over weights in a box: the robust hinge
//! where deletions are whole, and the quantile loss under deletion.
//!
//! **Setting**: (1/m) sum_i s_i max(0, max_c k_c - e_c (<x_i - r_c, w> + b)) with |w_j| <= C and b
//! free, or none; s_i is how much a row counts, m their sum. Every deletion that an adversary may
//! choose is a piece c of its row; there are exponentially many (LP (3) of paper E), and few
//! matter.
//!
//! | file | what it does |
//! |---|---|
//! | `task` | asks the adversary for the worst pieces at a point |
//! | `pieces` | keeps them: scores and sums |
//! | `system`, `master`, `certify` | solve the linear program over the pieces that are kept, by an interior point method |
//! | `rounds` | adds pieces until the bounds meet |
//!
//! **Guarantee**: the objective is the mean loss at the weights, every row's worst deletions
//! included; the gap is its distance from a dual bound of the whole program.

mod certify;
mod master;
mod pieces;
mod rounds;
mod system;
mod task;
#[cfg(test)]
mod tests;

use super::Rows;
use crate::data::{Costs, Threat};
use crate::error::{ErrorKind, Result};
use crate::model::Stop;
use halfseen_solve::Monitor;
use pieces::Pieces;
pub(crate) use task::Loss;

/// How to solve, and what for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// C.
    pub(crate) box_radius: f64,
    /// Whether there is a bias, unbounded.
    pub(crate) intercept: bool,
    /// Whether attributes vanish whole, not in fractions.
    pub(crate) whole: bool,
    /// Gap, relative to the objective, at which the solution is accepted.
    pub(crate) tol: f64,
    /// Most rounds, and most steps of the interior point method in each.
    pub(crate) max_iter: u64,
}

/// A minimiser, and how far from the optimum it can be.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// (n_slots), in the box.
    pub(crate) weights: Vec<f64>,
    pub(crate) bias: f64,
    /// The mean loss after the worst deletions.
    pub(crate) objective: f64,
    /// Objective minus a bound that no weights go below.
    pub(crate) gap: f64,
    /// The least mean loss of weights that are all 0.
    pub(crate) alone: f64,
    /// The bias that has it.
    pub(crate) alone_bias: f64,
    /// Steps of the interior point method, over all rounds.
    pub(crate) passes: u64,
    pub(crate) stop: Stop,
}

/// Weights of least mean loss after the worst deletions. With a budget of 0 that is the plain loss
/// with a box.
///
/// # Errors
/// Whole deletions of values that are neither equal nor whole numbers.
pub(crate) fn solve(
    rows: &Rows,
    loss: Loss<'_>,
    options: &Options,
    monitor: &dyn Monitor,
) -> Result<Solution> {
    check(loss.threat(), options.whole)?;
    Ok(rounds::solve(loss, Pieces::new(rows, options.intercept), options, monitor))
}

/// The mean loss after the worst deletions, whole ones or in fractions, of weights (n_slots) and a
/// bias.
pub(crate) fn mean(
    rows: &Rows,
    loss: Loss<'_>,
    whole: bool,
    weights: &[f64],
    bias: f64,
) -> (f64, usize) {
    let point = [weights, &[bias]].concat();
    let asked = loss.ask(&Pieces::new(rows, true), whole, &point, f64::INFINITY);
    (asked.sum / rows.total(), asked.unproven)
}

/// Bytes that a solution will take, about: the equations, and as many pieces as were needed where
/// most were. A quantile loss has two slopes a row, the hinge one.
pub(crate) fn bytes(rows: &Rows, loss: Loss<'_>, whole: bool) -> f64 {
    let entries = rows.entries() as f64 / rows.len() as f64;
    let (threat, slopes) = (loss.threat(), loss.most_slopes());
    let cheapest =
        threat.values().iter().filter(|v| **v > 0.0).fold(f64::INFINITY, |a, &b| a.min(b));
    let deleted = entries.min(threat.budget() / cheapest + 1.0);
    let pieces = (rows.len() * slopes) as f64 * PIECES;
    let table = match threat.costs() {
        Costs::Whole { budget } if whole => {
            budget as f64 * (8.0 + entries) * rayon::current_num_threads() as f64
        }
        _ => 0.0,
    };
    system::bytes(rows.width() + 1) + pieces * (PIECE + ENTRY * deleted) + table
}

/// Pieces of a row and slope, where many were needed.
const PIECES: f64 = 12.0;
/// Bytes of a piece in the list and in the vectors of a step, and of one entry.
const PIECE: f64 = 150.0;
const ENTRY: f64 = 24.0;

fn check(threat: &Threat, whole: bool) -> Result<()> {
    if !whole || threat.costs() != Costs::General {
        return Ok(());
    }
    let what = "costs that are all equal, or whole numbers with a threat of at most 1000000; multiply costs and threat until \
                they are whole, or choose deletions = fractional";
    Err(ErrorKind::Needs { name: "deletions", value: "whole", what }.into())
}
