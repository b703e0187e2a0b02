//! Takes the optimum in a narrower box for a wider one, if no weight touches its bounds.
//!
//! The loss is convex: on the way from weights inside a narrower box to any weights in a wider one it
//! falls no faster than the gap allows it to fall on the part of the way inside the narrower box. With
//! largest weight W and gap g in a box of radius C, the gap in one of radius C' is at most g (C' + W) /
//! (C - W).

use super::{Optimum, RobustLp};
use halfseen_core::error::Result;

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
    /// Returns the optimum for a learner that differs in the box only, with its objective and the
    /// number of rows whose worst deletions are unproven: that of a narrower box where this is proven,
    /// or else what `solve` finds, which is kept for wider boxes.
    pub(super) fn or_solve(
        kept: &mut Option<Narrower>,
        (learner, margin): (&RobustLp, f64),
        solve: impl FnOnce() -> Result<Optimum>,
        mean: impl FnOnce(&Optimum) -> (f64, usize),
    ) -> Result<(Optimum, f64, usize)> {
        if let Some(narrower) = kept
            && let Some(optimum) = narrower.widened(learner, margin)
        {
            return Ok((optimum, narrower.objective, 0));
        }
        let optimum = solve()?;
        let (objective, unproven) = mean(&optimum);
        let largest = optimum.weights.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        // An average over chunks bounds no other, nor does an objective that may be larger.
        let bounds = largest < learner.box_radius && learner.chunk.is_none() && unproven == 0;
        *kept = bounds.then(|| Narrower {
            radius: learner.box_radius,
            margin,
            largest,
            objective,
            optimum: optimum.clone(),
            breakdown: None,
        });
        Ok((optimum, objective, unproven))
    }

    /// Returns the optimum as that of the learner's box, if it is proven.
    fn widened(&self, learner: &RobustLp, margin: f64) -> Option<Optimum> {
        let way = (learner.box_radius + self.largest) / (self.radius - self.largest);
        let gap = (self.objective - self.optimum.bound).max(0.0) * way;
        (margin == self.margin && gap <= LARGEST_GAP * self.objective)
            .then(|| Optimum { bound: self.objective - gap, ..self.optimum.clone() })
    }
}
