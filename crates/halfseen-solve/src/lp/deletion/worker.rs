//! Holds the rows of one part with their points: they are eliminated from the Newton system
//! (`eliminate.rs`), and get their part of its solution (`directions.rs`).
//!
//! Each item (a nonzero attribute of a row) has slacks beta and s = beta - z + v mu, z = sum a w,
//! with multipliers del and u. With d = u / s, c = del / beta, g = 1 / (d + c), f = d g, 1 - f = c
//! g and h = d c g, eliminating them leaves a row with the unknowns sigma and mu:
//!
//!   S dsigma - rho dmu = R_s - p'dW,   p = sum (1 - f) a,
//!   rho dsigma + M dmu = R_m + q'dW,   q = sum v h a.
//!
//! Eliminating these adds sum h a a' - q q'/M + r r' to the matrix of the weights, r = (p - (rho/M)
//! q) / sqrt(S + rho^2/M).

use super::batch::Batch;
use super::point::{Point, Row, zeros};
use super::problem::Part;
use super::triangle;

/// One part of the rows with its points and workspace.
#[derive(Debug)]
pub(super) struct Worker<'p> {
    pub(super) part: &'p Part,
    /// Present point.
    pub(super) now: Point,
    /// Direction of the next step.
    pub(super) direction: Point,
    /// Right sides, then the tentative direction.
    pub(super) trial: Point,
    /// This part's contribution to the matrix.
    pub(super) triangle: Vec<f64>,
    /// This part's contribution to the right side, the bias last.
    pub(super) vector: Vec<f64>,
    pub(super) pivots: Vec<Pivot>,
    pub(super) batch: Batch,
    /// Numbers of the items of one row.
    pub(super) room: [Vec<f64>; 12],
}

/// 2 x 2 system of a row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pivot {
    pub(super) s: f64,
    pub(super) m: f64,
    pub(super) rho: f64,
    pub(super) determinant: f64,
}

impl Pivot {
    /// Returns R_s and R_m of the affine direction, given the sum of g, at a point of a row of this
    /// weight.
    #[inline(always)]
    pub(super) fn affine(&self, at: Row, weight: f64, gs: f64) -> (f64, f64) {
        let loss = (weight - at.sigma) * at.xi / at.zeta;
        (loss - at.slack - at.sigma * gs, -self.rho * at.sigma)
    }

    /// Returns sigma and mu for right sides R_s and R_m.
    #[inline(always)]
    pub(super) fn solve(&self, rs: f64, rm: f64) -> (f64, f64) {
        let sigma = (self.m * rs + self.rho * rm) / self.determinant;
        (sigma, (self.s * rm - self.rho * rs) / self.determinant)
    }
}

/// Result of eliminating an item.
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// u / s.
    pub(super) d: f64,
    /// del / beta.
    pub(super) c: f64,
    pub(super) g: f64,
}

impl Item {
    #[inline(always)]
    pub(super) fn new(beta: f64, del: f64, slack: f64, u: f64) -> Item {
        let (d, c) = (u / slack, del / beta);
        Item { d, c, g: 1.0 / (d + c) }
    }

    /// Returns 1 - f, without cancellation.
    #[inline(always)]
    pub(super) fn kept(self) -> f64 {
        self.c * self.g
    }

    #[inline(always)]
    pub(super) fn h(self) -> f64 {
        self.d * (self.c * self.g)
    }
}

impl<'p> Worker<'p> {
    pub(super) fn new(part: &'p Part, width: usize) -> Worker<'p> {
        let (items, rows) = (part.values.len(), part.rows());
        let room = || vec![0.0; part.longest()];
        Worker {
            part,
            now: zeros(items, rows),
            direction: zeros(items, rows),
            trial: zeros(items, rows),
            triangle: vec![0.0; triangle::size(width + 1)],
            vector: vec![0.0; width + 1],
            pivots: vec![Pivot::default(); rows],
            batch: Batch::new(part),
            room: std::array::from_fn(|_| room()),
        }
    }

    pub(super) fn accept(&mut self) {
        std::mem::swap(&mut self.direction, &mut self.trial);
    }
}
