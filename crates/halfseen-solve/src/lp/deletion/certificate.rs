//! Bounds the optimum from both sides at any point, whatever its residuals.
//!
//! Above: the loss of a row with the adversary's price lambda at any value is at least its robust
//! loss. Below: any 0 <= sigma <= s with sum sigma y = 0 (where there is a bias) and 0 <= u <=
//! sigma with sum v u <= N sigma gives sum_i [gamma sigma + (gamma/P)(N sigma - sum v u)] - C
//! sum_j |sum_i a_ij (sigma_i - u_ij)|.

use super::problem::Problem;
use super::worker::Worker;

/// Factors for sigma of rows of either sign, so that both signs weigh the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Balance {
    positive: f64,
    negative: f64,
}

impl Balance {
    /// The factors of all rows.
    pub(super) fn of(problem: &Problem, workers: &[Worker<'_>]) -> Balance {
        let (mut positive, mut negative) = (0.0, 0.0);
        for worker in workers {
            let sigmas = &worker.now[3].multiplier;
            for ((sigma, &y), &most) in
                sigmas.iter().zip(&worker.part.signs).zip(&worker.part.weights)
            {
                *(if y > 0.0 { &mut positive } else { &mut negative }) += sigma.clamp(0.0, most);
            }
        }
        if !problem.bias {
            return Balance { positive: 1.0, negative: 1.0 };
        }
        let least = f64::min(positive, negative);
        let factor = |sum: f64| if sum > 0.0 { least / sum } else { 0.0 };
        Balance { positive: factor(positive), negative: factor(negative) }
    }
}

impl Worker<'_> {
    /// The rows' share of the bound from below; what is to be subtracted C times in absolute value
    /// is left in `vector`.
    pub(super) fn below(&mut self, problem: &Problem, balance: Balance) -> f64 {
        let Worker { part, now, vector, room: [kept, ..], .. } = self;
        vector.fill(0.0);
        let mut sum = 0.0;
        for (row, sigma) in now[3].multiplier.iter().enumerate() {
            let factor = if part.signs[row] > 0.0 { balance.positive } else { balance.negative };
            let sigma = factor * sigma.clamp(0.0, part.weights[row]);
            let items = part.items(row);
            let (u, values) = (&now[1].multiplier[items.clone()], &part.values[items]);
            // Not clamp, which has no answer to NaN.
            let clipped = |u: f64| u.max(0.0).min(sigma);
            let spent: f64 = u.iter().zip(values).map(|(&u, v)| v * clipped(u)).sum();
            let allowed = problem.budget * sigma;
            let shrink = if spent > allowed { allowed / spent } else { 1.0 };
            for (kept, &u) in kept.iter_mut().zip(u) {
                *kept = sigma - shrink * clipped(u);
            }
            part.spread(row, &kept[..u.len()], sigma, vector);
            sum += problem.margin * sigma + problem.rate * (allowed - shrink * spent);
        }
        sum
    }

    /// The sum of the rows' losses at some weights (the bias last), priced as the point has it.
    pub(super) fn above(&mut self, problem: &Problem, weights: &[f64]) -> f64 {
        let Worker { part, now, room: [scores, ..], .. } = self;
        let mut sum = 0.0;
        for (row, price) in now[4].slack.iter().enumerate() {
            let items = part.items(row);
            let scores = &mut scores[..items.len()];
            let known = part.gather(row, weights, scores);
            let mu = price + problem.rate;
            let mut loss = problem.margin + problem.budget * mu
                - known
                - part.signs[row] * weights[problem.width];
            for (z, v) in scores.iter().zip(&part.values[items]) {
                // What is deleted at a profit counts at its price, all else as it is.
                loss -= z.min(v * mu);
            }
            sum += part.weights[row] * loss.max(0.0);
        }
        sum
    }
}
