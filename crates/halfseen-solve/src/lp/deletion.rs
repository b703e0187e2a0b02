//! Minimises the mean hinge loss after fractional deletions over weights in a box, by an
//! interior-point method that eliminates each row.
//!
//! **Setting**: minimise (1/m) sum of the relaxed robust hinge losses over |w|_inf <= C and b
//! (Dekel and Shamir 2008, equation (4)), budget N above 0. With a price mu_i = lambda_i + gamma/P
//! of each row's adversary:
//!
//!   min (1/m) sum s_i xi_i,   xi, beta >= 0,   mu_i >= gamma/P,
//!   xi_i - gamma + y_i score_i - N mu_i - sum_j beta_ij >= 0,   beta_ij >= z_ij - v_j mu_i,
//!
//! where z_ij is y_i times the contribution of attribute j to the score of row i, and s_i the
//! weight of row i (m their sum). The products of its pairs have this weight too, so the central
//! path is that of a row repeated s_i times. Only attributes that are not 0 in a row have a beta,
//! as deleting others gains nothing.
//!
//! **Symbols** of the code, by pairs; `d_beta` and similar names are their changes. The slack of
//! row i is xi_i - gamma + y_i score_i - N mu_i - sum_j beta_ij.
//!
//! | slack | meaning | multiplier | meaning |
//! |---|---|---|---|
//! | `beta` | beta_ij: gain of deleting attribute j beyond its price | `del` | sigma_i - u_ij |
//! | `slack` of an item | beta_ij - z_ij + v_j mu_i | `u` | sigma_i times j's deleted share |
//! | `xi` | xi_i: the loss of row i | `zeta` | s_i - sigma_i |
//! | `slack` of a row | as above | `sigma` | weight of row i in the dual |
//! | `price` | mu_i - gamma/P | `kappa` | N sigma_i - sum_j v_j u_ij: remaining budget |
//! | `sides` | C - w_j and C + w_j | | p_j and q_j |
//!
//! **Guarantee**: every point gives feasible weights and a feasible dual (`certificate`). The
//! solver stops when their gap is at most `tol` times the objective (or, if larger, times a
//! thousandth of the loss without weights), and returns the best of both.
//!
//! **Method**: `interior.rs` with a target of its own (`path`) and one of Gondzio's correctors. Each
//! row is eliminated to a block diagonal plus two rank-one terms (`eliminate`), so one iteration
//! costs the squares of the rows' entries and a Cholesky factorisation of a matrix with one row per
//! slot, plus one. The parts of the rows are processed in parallel and summed in order.

mod batch;
mod certificate;
mod directions;
mod eliminate;
mod path;
mod point;
mod problem;
mod start;
mod triangle;
mod weights;
mod worker;

use super::ConstraintRows;
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::stop::SolverStop;
use crate::{length, positive};

/// Marks an attribute that is never deleted.
pub const KNOWN: u32 = u32::MAX;

/// Linear program with its stopping rule.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Rows of the problem.
    pub rows: ConstraintRows<'a>,
    /// Classes of the rows, -1 or +1.
    pub signs: &'a [f64],
    /// Attribute of each slot, or [`KNOWN`]; slots of one attribute are consecutive.
    pub attribute: &'a [u32],
    /// v: the cost of each attribute to the adversary; some are above 0.
    pub values: &'a [f64],
    /// N, above 0.
    pub budget: f64,
    /// gamma.
    pub margin: f64,
    /// gamma / P.
    pub rate: f64,
    /// C.
    pub radius: f64,
    /// True with a bias; rows of both classes are then required.
    pub bias: bool,
    /// Relative gap at which to stop.
    pub tol: f64,
    /// Largest number of iterations.
    pub max_iter: u64,
}

/// Weights with their bound, in the units of the rows.
#[derive(Debug, Clone)]
pub struct DeletionSolution {
    /// w, one per slot.
    pub weights: Vec<f64>,
    /// b.
    pub bias: f64,
    /// Lower bound on the mean loss.
    pub bound: f64,
    /// Number of iterations.
    pub iterations: u64,
    /// Reason for stopping.
    pub stop: SolverStop,
}

impl Program<'_> {
    /// Returns true if each slot is an attribute of the same number.
    fn single(&self) -> bool {
        self.attribute.iter().enumerate().all(|(slot, &attribute)| slot == attribute as usize)
    }
}

/// Minimises the mean relaxed loss of the rows `keep`, which must be all rows if they have weights.
/// Stops with [`SolverStop::NoProgress`] or [`SolverStop::NumericalFailure`] if rounding prevents a small gap.
///
/// # Errors
/// If lists do not fit together, or a radius, a budget or a tolerance is not positive and finite.
pub fn solve(
    program: &Program<'_>,
    keep: &[usize],
    monitor: &dyn Monitor,
) -> Result<DeletionSolution> {
    program.rows.check()?;
    length("classes of rows", program.rows.len(), program.signs.len())?;
    length("attributes of slots", program.rows.width, program.attribute.len())?;
    let numbers = [("radius", program.radius), ("budget", program.budget), ("tol", program.tol)];
    numbers.into_iter().try_for_each(|(name, value)| positive(name, value))?;
    let valued = |&j: &u32| j == KNOWN || (j as usize) < program.values.len();
    let there = |&i: &usize| i < program.rows.len();
    if keep.is_empty() || !keep.iter().all(there) || !program.attribute.iter().all(valued) {
        let problem = "no rows to keep, a row out of range, or an attribute without a value";
        return Err(Error::Numerical { what: "robust linear program", problem: problem.into() });
    }
    Ok(path::minimise(program, keep, monitor))
}
