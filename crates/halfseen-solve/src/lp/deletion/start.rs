//! Computes a start inside all constraints.

use super::point::Row;
use super::problem::Problem;
use super::weights::Weights;
use super::worker::Worker;
use crate::interior::Pairs;

const SLACK: f64 = 0.1;

impl Worker<'_> {
    /// Sets a point feasible for w = 0, b = 0 and a dual that balances the classes: `share` is
    /// sigma over s for a sign of +1 or -1. Leaves the sum of a (sigma - u) in `vector`.
    pub(super) fn start(&mut self, problem: &Problem, share: impl Fn(f64) -> f64) {
        let Worker { part, now, vector, room: [kept, ..], .. } = self;
        vector.fill(0.0);
        let mu = SLACK + problem.rate;
        for row in 0..part.rows() {
            let items = part.items(row);
            let values = &part.values[items.clone()];
            let (most, value) = (part.weights[row], values.iter().sum::<f64>());
            let sigma = share(part.signs[row]) * most;
            let taken =
                sigma * if value > 0.0 { (0.5 * problem.budget / value).min(0.5) } else { 0.5 };
            let [beta, slack, ..] = now;
            for (k, v) in items.clone().zip(values) {
                (beta.slack[k], beta.multiplier[k]) = (SLACK, sigma - taken);
                (slack.slack[k], slack.multiplier[k]) = (SLACK + v * mu, taken);
            }
            let needed = problem.margin + problem.budget * mu + SLACK * items.len() as f64;
            let start = Row {
                xi: needed + SLACK,
                zeta: most - sigma,
                slack: SLACK,
                sigma,
                price: SLACK,
                kappa: problem.budget * sigma - taken * value,
            };
            start.write(now, row);
            let kept = &mut kept[..items.len()];
            kept.fill(sigma - taken);
            part.spread(row, kept, sigma, vector);
        }
    }
}

impl Weights {
    /// Returns w = 0, b = 0 and multipliers that satisfy the dual equations for this sum of a
    /// (sigma - u).
    pub(super) fn start(pull: &[f64]) -> Weights {
        let width = pull.len() - 1;
        let side = |sign: f64| Pairs {
            slack: vec![1.0; width],
            multiplier: pull[..width].iter().map(|pull| (sign * pull).max(0.0) + SLACK).collect(),
        };
        Weights { w: vec![0.0; width + 1], sides: [side(1.0), side(-1.0)] }
    }
}
