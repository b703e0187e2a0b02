//! Minimises the mean hinge loss after fractional deletions over weights in a box, by an interior
//! point that eliminates each row.
//!
//! **Setting**: minimise (1/m) sum of the relaxed robust hinge losses over |w|_inf <= C and b
//! (Dekel and Shamir 2008, equation (4)), budget N above 0. With a price mu_i = lambda_i + gamma/P of
//! each row's adversary:
//!
//!   min (1/m) sum s_i xi_i,   xi_i - gamma + y_i score_i - N mu_i - sum_j beta_ij >= 0,   beta_ij >= z_ij - v_j mu_i,
//!   xi, beta >= 0,   mu_i >= gamma/P,   z_ij = y_i times what attribute j adds to the score of row i
//!
//! where s_i is how much a row counts (m their sum), also in the products of its pairs, so that the
//! path to the optimum is that of the row as often; only attributes that are not 0 in a row have a
//! beta: what is 0 is worth nothing to the adversary.
//!
//! **Symbols** of the code, by pairs; `d_beta` and the like are their changes:
//!
//! | slack | is | multiplier | is |
//! |---|---|---|---|
//! | `beta` | beta_ij: what deleting attribute j gains beyond its price | `del` | sigma_i - u_ij |
//! | `slack` of an item | beta_ij - z_ij + v_j mu_i | `u` | sigma_i times the share of j that is deleted |
//! | `xi` | xi_i: the loss of row i | `zeta` | s_i - sigma_i |
//! | `slack` of a row | xi_i - gamma + y_i score_i - N mu_i - sum_j beta_ij | `sigma` | the weight of row i in the dual |
//! | `price` | mu_i - gamma/P | `kappa` | N sigma_i - sum_j v_j u_ij: what is left of the budget |
//! | `sides` | C - w_j and C + w_j | | p_j and q_j |
//!
//! **Guarantee**: every point gives feasible weights and a feasible dual (`certificate`); the
//! solver stops when their gap is at most `tol` times the objective (or a thousandth of the loss
//! without weights, where that is more), and returns the best of both that it saw.
//!
//! **Method**: [`crate::interior`] with one of Gondzio's correctors; each row is eliminated to a
//! block diagonal plus two rank-one terms (`worker`), so that one iteration costs the squares of
//! the rows' entries and one Cholesky factorisation of as many rows as there are slots, and one. The
//! parts of the rows work side by side and are summed in their order.

mod certificate;
mod path;
mod point;
mod problem;
mod start;
mod triangle;
mod weights;
mod worker;

use super::SparseRows;
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::stop::Stop;
use crate::{length, positive};
pub use problem::bytes;

/// Stands for an attribute that is never deleted.
pub const KNOWN: u32 = u32::MAX;

/// What to minimise, and how far.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// The rows.
    pub rows: SparseRows<'a>,
    /// Their classes, -1 or +1.
    pub signs: &'a [f64],
    /// The attribute of each slot, or [`KNOWN`]; slots of one attribute follow one another.
    pub attribute: &'a [u32],
    /// v: what each attribute costs the adversary; some are above 0.
    pub values: &'a [f64],
    /// N, above 0.
    pub budget: f64,
    /// gamma.
    pub margin: f64,
    /// gamma / P.
    pub rate: f64,
    /// C.
    pub radius: f64,
    /// Whether there is a bias; then the rows are of both classes.
    pub bias: bool,
    /// The gap over the objective at which to stop.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: u64,
}

/// Weights and what is known of them, in the units of the rows.
#[derive(Debug, Clone)]
pub struct Solved {
    /// w, one for each slot.
    pub weights: Vec<f64>,
    /// b.
    pub bias: f64,
    /// No weights have a lower mean loss than this.
    pub bound: f64,
    /// Iterations.
    pub iterations: u64,
    /// Why it stopped.
    pub stop: Stop,
}

impl Program<'_> {
    /// Whether each slot is an attribute of its own, of the same number.
    fn single(&self) -> bool {
        self.attribute.iter().enumerate().all(|(slot, &attribute)| slot == attribute as usize)
    }
}

/// Minimises the mean relaxed loss of the rows `keep`, which are all of them where they count by
/// weights. Where rounding ends the iteration before the gap is small, it stops by
/// [`Stop::NoProgress`] or [`Stop::NumericalFailure`].
///
/// # Errors
/// Lists that do not fit together; a radius, a budget or a tolerance that is not positive and
/// finite.
pub fn solve(program: &Program<'_>, keep: &[usize], monitor: &dyn Monitor) -> Result<Solved> {
    program.rows.check()?;
    length("the classes of rows", program.rows.len(), program.signs.len())?;
    length("the attributes of slots", program.rows.width, program.attribute.len())?;
    let numbers = [("radius", program.radius), ("budget", program.budget), ("tol", program.tol)];
    numbers.into_iter().try_for_each(|(name, value)| positive(name, value))?;
    let valued = |&j: &u32| j == KNOWN || (j as usize) < program.values.len();
    let there = |&i: &usize| i < program.rows.len();
    if keep.is_empty() || !keep.iter().all(there) || !program.attribute.iter().all(valued) {
        let problem = "no rows to keep, one that is not there, or an attribute without a value";
        return Err(Error::Numerical { what: "robust linear program", problem: problem.into() });
    }
    Ok(path::minimise(program, keep, monitor))
}
