//! Minimises (1/2) |v|^2 + C sum of losses, over a Gram matrix or over features, to a certified
//! duality gap.

pub mod biased;
pub(crate) mod bundle;
mod eigen;
pub mod hinge;
mod l1;
pub mod linear;
pub mod multiclass;
pub(crate) mod quadratic;
pub mod ridge;
pub(crate) mod vectors;

pub(crate) use eigen::{eigen, eigenvalues};
pub(crate) use l1::Point;
pub(crate) use quadratic::{Form, Quadratic, add_products, mirror, outer_products};

use crate::error::{ErrorKind, Result};
use crate::model::Stop;
use faer::{Mat, MatRef};

/// When a solver stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Relative duality gap at which the solution is accepted: gap <= tol |objective|.
    pub tol: f64,
    /// Most passes over the examples; what a pass is, each solver says.
    pub max_passes: u64,
    /// Fixes the order in which examples are visited.
    pub seed: u64,
}

impl Default for Options {
    /// A gap of 1e-4, at most 10,000 passes, seed 0.
    fn default() -> Self {
        Options { tol: 1e-4, max_passes: 10_000, seed: 0 }
    }
}

impl Options {
    /// # Errors
    /// [`ErrorKind::OutOfRange`] for a `tol` that is not positive and finite.
    pub(crate) fn check(&self) -> Result<()> {
        positive("tol", self.tol)
    }
}

/// A minimiser in the span of the examples, and how far from the optimum it can be.
#[derive(Debug, Clone)]
pub struct Solved {
    /// (n, outputs): score_j(x) = sum_i coefficients[(i, j)] k(x_i, x).
    pub coefficients: Mat<f64>,
    /// (1/2) |v|^2 + C sum of losses at `coefficients`.
    pub objective: f64,
    /// Objective minus dual objective, at least 0: the optimum is at most this much lower.
    pub gap: f64,
    /// Passes over the examples.
    pub passes: u64,
    /// Examples with a coefficient other than 0.
    pub support: usize,
    /// Why the solver stopped.
    pub stop: Stop,
}

/// Bytes of a matrix (n, n).
pub(crate) fn square_bytes(n: usize) -> u64 {
    // Columns begin at multiples of 64 bytes.
    (n as u64).div_ceil(8).saturating_mul(64).saturating_mul(n as u64)
}

/// Refuses what is not positive and finite.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(ErrorKind::OutOfRange {
        name,
        value: value.to_string(),
        allowed: "positive and finite".into(),
    }
    .into())
}

/// Refuses a list that is not as long as there are examples.
pub(crate) fn length(what: &str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(ErrorKind::WrongLength { what: what.into(), expected, found }.into())
}

/// Refuses what cannot be the labels, costs and margins of a hinge problem over n examples, or dual
/// variables to start from.
///
/// # Errors
/// [`ErrorKind::WrongLength`], [`ErrorKind::WrongTarget`], [`ErrorKind::OutOfRange`].
pub(crate) fn check_weighted(
    n: usize,
    [labels, costs, margins]: [&[f64]; 3],
    warm: Option<&[f64]>,
) -> Result<()> {
    length("labels", n, labels.len())?;
    length("costs", n, costs.len())?;
    length("margins", n, margins.len())?;
    if let Some(i) = labels.iter().position(|y| y.abs() != 1.0) {
        let problem = format!("label {} is {}: it must be -1 or 1", i + 1, labels[i]);
        return Err(ErrorKind::WrongTarget { column: "labels".into(), problem }.into());
    }
    costs.iter().try_for_each(|&c| positive("cost", c))?;
    let refuse = |name, value: f64| ErrorKind::OutOfRange {
        name,
        value: value.to_string(),
        allowed: "finite".into(),
    };
    if let Some(&s) = margins.iter().find(|s| !s.is_finite()) {
        return Err(refuse("margin", s).into());
    }
    if let Some(warm) = warm {
        length("dual variables to start from", n, warm.len())?;
        if let Some(&a) = warm.iter().find(|a| !a.is_finite()) {
            return Err(refuse("dual variable", a).into());
        }
    }
    Ok(())
}

/// Refuses a matrix that cannot be a Gram matrix: not square, a number that is not finite, or a
/// negative diagonal.
///
/// Symmetry is the caller's promise; only columns are read.
///
/// # Errors
/// [`ErrorKind::WrongLength`], [`ErrorKind::Numerical`] with row and column counted from 1.
pub(crate) fn check_gram(gram: MatRef<'_, f64>) -> Result<()> {
    length("columns of the Gram matrix", gram.nrows(), gram.ncols())?;
    let refuse = |i: usize, j: usize| ErrorKind::Numerical {
        what: "Gram matrix",
        problem: format!("row {}, column {} is {}", i + 1, j + 1, gram[(i, j)]),
    };
    for j in 0..gram.ncols() {
        // One sum per column: it is finite where all its numbers are, or nearly all columns are
        // looked at once only.
        let column = gram.col(j);
        if !column.iter().map(|k| k.abs()).sum::<f64>().is_finite()
            && let Some(i) = column.iter().position(|k| !k.is_finite())
        {
            return Err(refuse(i, j).into());
        }
        if column[j] < 0.0 {
            return Err(refuse(j, j).into());
        }
    }
    Ok(())
}
