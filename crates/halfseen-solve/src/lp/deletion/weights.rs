//! Stores the weights in their box, with slacks and multipliers of its sides.

use crate::interior::{Pairs, Reach, Steps, Target, advance, reach};
use crate::vectors::add_multiple;

/// Weights w in [-1, 1] and the bias b, or their changes.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    /// w, and b last: (width + 1).
    pub(super) w: Vec<f64>,
    /// 1 - w with p, and 1 + w with q.
    pub(super) sides: [Pairs; 2],
}

impl Weights {
    pub(super) fn zeros(width: usize) -> Weights {
        Weights { w: vec![0.0; width + 1], sides: [Pairs::zeros(width), Pairs::zeros(width)] }
    }

    /// Returns the box's contribution to the matrix's diagonal.
    pub(super) fn diagonal(&self) -> Vec<f64> {
        let [above, below] = self.sides.each_ref().map(Pairs::ratios);
        above.iter().zip(&below).map(|(a, b)| a + b).collect()
    }

    /// Adds the box's part to the right side, as `directions.rs` adds the rows'. `trial` receives the
    /// changes of multipliers for fixed weights.
    pub(super) fn right_side(
        &self,
        direction: &Weights,
        trial: &mut Weights,
        target: Target,
        right: &mut [f64],
    ) {
        for (side, pairs) in self.sides.iter().enumerate() {
            trial.sides[side].multiplier = pairs.held(target, &direction.sides[side], |_| 1.0);
        }
        let ([above, below], [p, q]) = (&trial.sides, &self.sides);
        for (j, right) in right.iter_mut().enumerate().take(p.slack.len()) {
            let lack = if target.corrects() { 0.0 } else { p.multiplier[j] - q.multiplier[j] };
            *right += below.multiplier[j] - above.multiplier[j] - lack;
        }
    }

    /// Completes a trial after its change of w is known; with `last` it is a correction of that.
    pub(super) fn substitute(&self, trial: &mut Weights, last: Option<&Weights>) -> Reach {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let held = std::mem::take(&mut trial.sides[side].multiplier);
            let slack = trial.w[..held.len()].iter().map(|dw| sign * dw).collect();
            trial.sides[side] = self.sides[side].complete(slack, held);
        }
        if let Some(last) = last {
            add_multiple(&mut trial.w, 1.0, &last.w);
            trial.sides.iter_mut().zip(&last.sides).for_each(|(trial, last)| trial.add(last));
        }
        reach(&self.sides, &trial.sides)
    }

    pub(super) fn advance(&mut self, direction: &Weights, steps: Steps) {
        add_multiple(&mut self.w, steps.primal, &direction.w);
        advance(&mut self.sides, &direction.sides, steps);
    }
}
