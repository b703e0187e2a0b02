//! Solves optimisation problems on plain numbers, with a certified distance from the optimum.
//!
//! | module | problem |
//! |---|---|
//! | [`hinge`], [`multiclass`], [`ridge`] | (1/2) |v|^2 + C sum of losses over a Gram matrix |
//! | [`linear`] | the same over features |
//! | [`lp`] | mean losses under the worst deletions, over weights in a box |
//! | [`Quadratic`], [`BallPoint`] | a quadratic, and its minimum over an l1 ball |
//!
//! Building blocks: [`cholesky`] factors, [`sampling`] draws indices, [`iterate`] updates weight
//! vectors by sparse steps in less than linear time, [`projection`] is their dense counterpart.
//! This crate knows no tables and no learners, and results never depend on the number of threads.

pub mod cholesky;
mod eigen;
mod error;
pub mod hinge;
mod interior;
pub mod iterate;
mod l1;
pub mod linear;
pub mod lp;
mod monitor;
pub mod multiclass;
mod products;
pub mod projection;
mod quadratic;
pub mod ridge;
pub mod sampling;
mod stop;
mod vectors;
mod wide;

pub use eigen::{eigen, eigenvalues};
pub use error::{Error, Result};
pub use interior::Progress;
pub use l1::BallPoint;
pub use linear::orthonormal;
pub use monitor::{Monitor, Quiet, Silent, Watch};
pub use products::{lower_product, mirror, multiplied, multiply, product};
pub use quadratic::{
    Form, MatrixColumn, Quadratic, add_products, combine, kept_columns, outer_products, transposed,
};
pub use stop::SolverStop;
pub use vectors::{add_multiple, dot, square, sum, sum_of};
pub use wide::{NullaryFnOnce, narrow, wide};

use faer::{Mat, MatRef};

/// Stopping rule of a solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverOptions {
    /// Relative duality gap at which the solution is accepted: gap <= tol |objective|.
    pub tol: f64,
    /// Largest number of passes over the examples; each solver defines a pass.
    pub max_passes: u64,
    /// Seed of the order in which examples are visited.
    pub seed: u64,
}

impl Default for SolverOptions {
    /// Returns a gap of 1e-4, at most 10,000 passes, seed 0.
    fn default() -> Self {
        SolverOptions { tol: 1e-4, max_passes: 10_000, seed: 0 }
    }
}

impl SolverOptions {
    /// Checks the tolerance.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a `tol` that is not positive and finite.
    pub fn check(&self) -> Result<()> {
        positive("tol", self.tol)
    }
}

/// Minimiser in the span of the examples, with its certified gap.
#[derive(Debug, Clone)]
pub struct Solved {
    /// (n, outputs): score_j(x) = sum_i coefficients[(i, j)] k(x_i, x).
    pub coefficients: Mat<f64>,
    /// (1/2) |v|^2 + C sum of losses at `coefficients`.
    pub objective: f64,
    /// Objective minus dual objective, at least 0: a bound on the distance from the optimum.
    pub gap: f64,
    /// Passes over the examples.
    pub passes: u64,
    /// Number of examples with a nonzero coefficient.
    pub support: usize,
    /// Reason for stopping.
    pub stop: SolverStop,
}

/// Refuses a value that is not positive and finite.
pub fn positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::OutOfRange { name, value: value.to_string(), allowed: "positive and finite".into() })
}

/// Refuses a list without one entry per example.
pub fn length(what: &str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::WrongLength { what: what.into(), expected, found })
}

/// Checks the labels, costs, margins and starting dual variables of a hinge problem over n
/// examples.
///
/// # Errors
/// [`Error::WrongLength`], [`Error::WrongTarget`], [`Error::OutOfRange`].
pub fn check_weighted(
    n: usize,
    [labels, costs, margins]: [&[f64]; 3],
    warm: Option<&[f64]>,
) -> Result<()> {
    length("labels", n, labels.len())?;
    length("costs", n, costs.len())?;
    length("margins", n, margins.len())?;
    if let Some(i) = labels.iter().position(|y| y.abs() != 1.0) {
        let problem = format!("label {} is {}: it must be -1 or 1", i + 1, labels[i]);
        return Err(Error::WrongTarget { what: "labels", problem });
    }
    costs.iter().try_for_each(|&c| positive("cost", c))?;
    let refuse = |name, value: f64| Error::OutOfRange {
        name,
        value: value.to_string(),
        allowed: "finite".into(),
    };
    if let Some(&s) = margins.iter().find(|s| !s.is_finite()) {
        return Err(refuse("margin", s));
    }
    if let Some(warm) = warm {
        length("initial dual variables", n, warm.len())?;
        if let Some(&a) = warm.iter().find(|a| !a.is_finite()) {
            return Err(refuse("dual variable", a));
        }
    }
    Ok(())
}

/// Refuses a matrix that is not square, contains a non-finite number, or has a negative diagonal.
///
/// Symmetry is not checked; only columns are read.
///
/// # Errors
/// [`Error::WrongLength`], [`Error::Numerical`] with row and column counted from 1.
pub fn check_gram(gram: MatRef<'_, f64>) -> Result<()> {
    length("columns of the Gram matrix", gram.nrows(), gram.ncols())?;
    let refuse = |i: usize, j: usize| Error::Numerical {
        what: "Gram matrix",
        problem: format!("row {}, column {} is {}", i + 1, j + 1, gram[(i, j)]),
    };
    for j in 0..gram.ncols() {
        // One sum per column: if it is finite, so are all its numbers. Usually a single pass
        // suffices.
        let column = gram.col(j);
        if !column.iter().map(|k| k.abs()).sum::<f64>().is_finite()
            && let Some(i) = column.iter().position(|k| !k.is_finite())
        {
            return Err(refuse(i, j));
        }
        if column[j] < 0.0 {
            return Err(refuse(j, j));
        }
    }
    Ok(())
}
