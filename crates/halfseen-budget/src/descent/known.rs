//! Updates the weights that need no read: the intercept and the attributes that are always known.
//!
//! This block is dense. Its gradient is exact up to the slope, so it takes plain projected gradient
//! steps in a Euclidean ball of its own radius.

use halfseen_solve::projection::onto_l2_ball;
use serde::{Deserialize, Serialize};

/// Radius of the ball that holds the block, in scaled units.
pub(crate) const RADIUS: f64 = 1.0;

/// Weights of the known block; entry 0 is the intercept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    intercept: bool,
    radius: f64,
    weights: Vec<f64>,
    sums: Vec<f64>,
    counted: f64,
}

impl Known {
    pub(crate) fn new(attributes: usize, intercept: bool, radius: f64) -> Known {
        let zeros = vec![0.0; attributes + 1];
        Known { intercept, radius, weights: zeros.clone(), sums: zeros, counted: 0.0 }
    }

    /// Returns the number of known columns.
    pub(crate) fn len(&self) -> usize {
        self.weights.len() - 1
    }

    /// Returns true if the block has no weights to update.
    pub(crate) fn is_idle(&self) -> bool {
        !self.intercept && self.len() == 0
    }

    pub(crate) fn intercept(&self) -> f64 {
        self.weights[0]
    }

    pub(crate) fn weight(&self, column: usize) -> f64 {
        self.weights[column + 1]
    }

    /// Takes one projected gradient step for the known values x.
    pub(crate) fn step(&mut self, values: impl Iterator<Item = f64>, slope: f64, size: f64) {
        if self.intercept {
            self.weights[0] -= size * slope;
        }
        for (w, x) in self.weights[1..].iter_mut().zip(values) {
            *w -= size * slope * x;
        }
        onto_l2_ball(&mut self.weights, self.radius);
    }

    pub(crate) fn count(&mut self, weight: f64) {
        self.counted += weight;
        self.sums.iter_mut().zip(&self.weights).for_each(|(s, w)| *s += weight * w);
    }

    pub(crate) fn restart_average(&mut self) {
        self.counted = 0.0;
        self.sums.fill(0.0);
    }

    /// Returns the averaged intercept and weights; the current ones if none was counted.
    pub(crate) fn average(&self) -> (f64, Vec<f64>) {
        let n = self.counted;
        let mean = |j: usize| if self.counted == 0.0 { self.weights[j] } else { self.sums[j] / n };
        (mean(0), (1..self.weights.len()).map(mean).collect())
    }

    /// Returns true if saved numbers are consistent and fit `like`.
    pub(crate) fn is_sound(&self, like: &Known) -> bool {
        self.weights.len() == like.weights.len()
            && self.sums.len() == like.sums.len()
            && self.counted >= 0.0
            && self.counted.is_finite()
            && (self.radius, self.intercept) == (like.radius, like.intercept)
            && self.weights.iter().chain(&self.sums).all(|v| v.is_finite())
    }
}
