//! Minimises mean losses after the worst deletions over weights in a box: the robust hinge loss
//! under whole deletions, and the quantile loss.
//!
//! **Setting**: every possible deletion is an affine piece of its row's loss. There are
//! exponentially many (LP (3) of Dekel and Shamir 2008), but few matter. `halfseen_solve::lp::cuts`
//! generates them; `task` asks the adversary for the worst one at a point.
//!
//! **Guarantee**: the objective is the mean loss at the weights, worst deletions included; the gap
//! is its distance from a dual bound of the whole program.

mod task;
#[cfg(test)]
mod tests;

use halfseen_core::data::{Costs, Threat};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::FitSize;
use halfseen_solve::Monitor;
use halfseen_solve::lp::cuts;
pub(crate) use halfseen_solve::lp::cuts::{CutOptions, CutSolution};
pub(crate) use task::{Loss, Task};

/// Minimises the mean loss after the worst deletions. A budget of 0 gives the plain loss with a
/// box.
///
/// # Errors
/// If deletions are whole and values are neither equal nor whole numbers.
pub(crate) fn solve(
    task: &Task<'_>,
    options: &CutOptions,
    monitor: &dyn Monitor,
) -> Result<CutSolution> {
    check(task.loss.threat(), task.whole)?;
    Ok(cuts::solve(task.rows.view(), task, options, monitor)?)
}

/// Returns the mean loss of weights (n_slots) and a bias after the worst deletions, and the number
/// of rows with unproven worst deletions.
pub(crate) fn mean(task: &Task<'_>, weights: &[f64], bias: f64) -> (f64, usize) {
    let (answer, unproven) = task.answer(weights, bias, &vec![f64::INFINITY; task.rows.len()]);
    (answer.sum / task.rows.total(), unproven)
}

/// Returns the numbers of a solution for so many rows: the equations, of which parts of the rows have
/// their own where they are small, and the largest number of pieces seen in practice. The quantile
/// loss has two slopes per row, the hinge one.
pub(crate) fn numbers(size: &FitSize, rows: f64, threat: f64, entries: f64, whole: bool) -> f64 {
    let (entries, pairs) = (entries / rows, size.column_pairs());
    let pieces = rows * if size.classes > 0 { 1.0 } else { 2.0 } * PIECES;
    let table = threat * (1.0 + entries / 8.0) * rayon::current_num_threads() as f64;
    let table = if whole { table } else { 0.0 };
    let equations = 4.0 * pairs + (16.0 * pairs).min(1.7e7);
    equations + pieces * (19.0 + 3.0 * entries.min(threat + 1.0)) + table
}

/// Number of pieces per row and slope in the most demanding cases.
const PIECES: f64 = 12.0;

fn check(threat: &Threat, whole: bool) -> Result<()> {
    if !whole || threat.costs() != Costs::General {
        return Ok(());
    }
    let what = "costs that are all equal, or whole numbers with a threat of at most 1000000; \
                multiply costs and threat until they are whole, or choose deletions = fractional";
    Err(ErrorKind::Needs { name: "deletions", value: "whole", what }.into())
}
