//! Solves the robust linear program (4) of paper E at full scale, by an interior point that
//! eliminates each row.
//!
//! **Setting**: minimise (1/m) sum of the relaxed robust hinge losses over |w|_inf <= C and b
//! (paper E, equation (4)), budget N above 0. With a price mu_i = lambda_i + gamma/P of each row's
//! adversary:
//!
//!   min (1/m) sum s_i xi_i,   xi_i - gamma + y_i score_i - N mu_i - sum_j beta_ij >= 0,   beta_ij >= z_ij - v_j mu_i,
//!   xi, beta >= 0,   mu_i >= gamma/P,   z_ij = y_i times what attribute j adds to the score of row i
//!
//! where s_i is how much a row counts (m their sum), also in the products of its pairs, so that the
//! path to the optimum is that of the row as often; only attributes that are not 0 in a row have a
//! beta: what is 0 is worth nothing to the adversary.
//!
//! **Guarantee**: every point gives feasible weights and a feasible dual ([`certificate`]); the
//! solver stops when their gap is at most `tol` times the objective (or a thousandth of the loss
//! without weights, where that is more), and returns the best of both that it saw.
//!
//! **Method**: Mehrotra's predictor and corrector with Gondzio's centrality correctors; each row is
//! eliminated to a block diagonal plus two rank-one terms ([`worker`]), so that one iteration costs
//! the squares of the rows' entries and one Cholesky factorisation of n_slots + 1 rows. The parts
//! of the rows work side by side and are summed in their order.

mod certificate;
mod iteration;
mod point;
mod problem;
mod start;
mod triangle;
mod weights;
mod worker;

use super::{RobustHinge, Rows};
use crate::model::Stop;
use halfseen_solve::Monitor;
pub(super) use problem::bytes;

/// What to minimise, and how far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program<'a> {
    /// The rows.
    pub(super) rows: &'a Rows,
    /// Their classes, -1 or +1.
    pub(super) signs: &'a [f64],
    /// The loss; its budget is above 0.
    pub(super) hinge: RobustHinge<'a>,
    /// C.
    pub(super) radius: f64,
    /// Whether there is a bias; then the rows are of both classes.
    pub(super) bias: bool,
    /// The gap over the objective at which to stop.
    pub(super) tol: f64,
    /// Most iterations.
    pub(super) max_iter: u64,
}

/// Weights and what is known of them, in the units of the rows.
#[derive(Debug, Clone)]
pub(super) struct Solved {
    /// w, (n_slots).
    pub(super) weights: Vec<f64>,
    /// b.
    pub(super) bias: f64,
    /// No weights have a lower mean loss than this.
    pub(super) bound: f64,
    /// Iterations.
    pub(super) iterations: u64,
    /// Why it stopped.
    pub(super) stop: Stop,
}

/// Minimises the mean relaxed loss of the rows `keep`, which are all of them where they count by
/// weights. Where rounding ends the iteration before the gap is small, it stops by
/// [`Stop::NoProgress`] or [`Stop::NumericalFailure`].
pub(super) fn solve(program: &Program<'_>, keep: &[usize], monitor: &dyn Monitor) -> Solved {
    iteration::minimise(program, keep, monitor)
}
