//! Moves weights in a ball by projected gradient steps, and averages them.
//!
//! w <- Proj(w - eta phi x) with phi = <w,x> + b - y (Zinkevich, ICML 2003). Only non-zero cells
//! move a weight; projection and average pass over all of them: O(d) per step. For sparse rows in
//! the Euclidean ball both are lazy: O(log d) per non-zero cell.

use crate::one_pass::Weights;
use halfseen::data::Cells;
use halfseen_solve::iterate::{Iterate, L2Ball};
use halfseen_solve::projection::{onto_l1_ball_in, onto_l2_ball};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ball {
    /// |w|_2 <= B.
    Euclidean,
    /// |w|_1 <= B.
    L1,
}

/// Weights, and the sum of the weights before each step.
#[derive(Debug, Clone)]
pub(crate) struct Gradient {
    ball: Ball,
    radius: f64,
    weights: Vec<f64>,
    sum: Vec<f64>,
    count: u64,
    /// Working memory of the projection.
    room: Vec<f64>,
}

impl Gradient {
    /// Starts from w = 0.
    pub(crate) fn new(columns: usize, ball: Ball, radius: f64) -> Gradient {
        let zeros = vec![0.0; columns];
        Gradient { ball, radius, weights: zeros.clone(), sum: zeros, count: 0, room: Vec::new() }
    }
}

impl Weights for Gradient {
    fn product(&self, cells: &Cells) -> f64 {
        cells.iter().map(|(j, x)| self.weights[j] * x).sum()
    }

    fn step(&mut self, eta: f64, slope: f64, cells: &Cells) {
        self.sum.iter_mut().zip(&self.weights).for_each(|(s, w)| *s += w);
        self.count += 1;
        let rate = eta * slope;
        for (j, x) in cells.iter() {
            self.weights[j] -= rate * x;
        }
        match self.ball {
            Ball::Euclidean => onto_l2_ball(&mut self.weights, self.radius),
            Ball::L1 => onto_l1_ball_in(&mut self.weights, self.radius, &mut self.room),
        }
    }

    fn average(&self) -> Vec<f64> {
        let n = self.count.max(1) as f64;
        self.sum.iter().map(|s| s / n).collect()
    }
}

/// Weights in the Euclidean ball that sparse rows move.
#[derive(Debug, Clone)]
pub(crate) struct SparseGradient {
    weights: L2Ball,
    /// Cells of a row.
    row: Vec<(u32, f64)>,
}

impl SparseGradient {
    /// Starts from w = 0.
    pub(crate) fn new(columns: usize, radius: f64) -> SparseGradient {
        SparseGradient { weights: L2Ball::new(columns, radius), row: Vec::new() }
    }
}

impl Weights for SparseGradient {
    fn product(&self, cells: &Cells) -> f64 {
        cells.iter().map(|(j, x)| self.weights.weight(j) * x).sum()
    }

    fn step(&mut self, eta: f64, slope: f64, cells: &Cells) {
        self.weights.count(1.0);
        self.row.clear();
        self.row.extend(cells.iter().map(|(j, x)| (j as u32, x)));
        self.weights.step(&self.row, eta * slope, 1.0);
    }

    fn average(&self) -> Vec<f64> {
        self.weights.average()
    }
}
