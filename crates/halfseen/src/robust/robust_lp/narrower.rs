//! Takes the optimum in a narrower box for a wider one, if no weight touches its bounds.
//!
//! The loss is convex: on the way from weights inside a narrower box to any weights in a wider one it
//! falls no faster than the gap allows it to fall on the part of the way inside the narrower box. With
//! largest weight W and gap g in a box of radius C, the gap in one of radius C' is at most g (C' + W) /
//! (C - W).

use super::{Optimum, RobustLp};

/// Largest such gap as a share of the objective: settings are compared by errors on few rows.
const LARGEST_GAP: f64 = 1e-3;

/// Optimum in the last box whose program was solved.
pub(super) struct Narrower {
    radius: f64,
    margin: f64,
    /// Largest absolute weight.
    largest: f64,
    objective: f64,
    optimum: Optimum,
    /// Least threat under which all weights are 0, once it is known: that of all boxes.
    pub(super) breakdown: Option<f64>,
}

impl Narrower {
    /// Keeps a solution with its objective; `None` if it bounds no other: an average over chunks, or
    /// the worst deletions of a row are `unproven`.
    pub(super) fn new(
        learner: &RobustLp,
        margin: f64,
        optimum: &Optimum,
        (objective, unproven): (f64, usize),
    ) -> Option<Narrower> {
        let largest = optimum.weights.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        let inside = largest < learner.box_radius;
        (inside && learner.chunk.is_none() && unproven == 0).then(|| Narrower {
            radius: learner.box_radius,
            margin,
            largest,
            objective,
            optimum: optimum.clone(),
            breakdown: None,
        })
    }

    /// Returns the optimum for a learner that differs in the box only, if it is proven.
    pub(super) fn widened(&self, learner: &RobustLp, margin: f64) -> Option<Optimum> {
        let way = (learner.box_radius + self.largest) / (self.radius - self.largest);
        let gap = (self.objective - self.optimum.bound).max(0.0) * way;
        (margin == self.margin && gap <= LARGEST_GAP * self.objective)
            .then(|| Optimum { bound: self.objective - gap, ..self.optimum.clone() })
    }
}
