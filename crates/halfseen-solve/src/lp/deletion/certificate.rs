//! Bounds the optimum from both sides at any point, for any residuals.
//!
//! Above: the loss of a row for any price lambda of the adversary is at least its robust loss.
//! Below: any 0 <= sigma <= s with sum sigma y = 0 (with a bias) and 0 <= u <= sigma with sum v u
//! <= N sigma gives sum_i [gamma sigma + (gamma/P)(N sigma - sum v u)] - C sum_j |sum_i a_ij
//! (sigma_i - u_ij)|.

use super::problem::Problem;
use super::worker::Worker;

/// Factors of sigma for rows of either sign that give both signs equal weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Balance {
    positive: f64,
    negative: f64,
}

impl Balance {
    /// Computes the factors over all rows.
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
    /// Returns the rows' part of the lower bound; leaves in `vector` the sums whose absolute values
    /// are subtracted C times.
    pub(super) fn below(&mut self, problem: &Problem, balance: Balance) -> f64 {
        let Worker { part, now, vector, room: [kept, ..], .. } = self;
        vector.fill(0.0);
        let mut sum = 0.0;
        for (row, sigma) in now[3].multiplier.iter().enumerate() {
            let factor = if part.signs[row] > 0.0 { balance.positive } else { balance.negative };
            let sigma = factor * sigma.clamp(0.0, part.weights[row]);
            let items = part.items(row);
            let (u, values) = (&now[1].multiplier[items.clone()], &part.values[items]);
            // Not clamp, which panics if sigma is NaN.
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

    /// Returns the sum of the rows' losses at some weights (the bias last), at the point's prices.
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
                // Profitable deletions count at their price, everything else unchanged.
                loss -= z.min(v * mu);
            }
            sum += part.weights[row] * loss.max(0.0);
        }
        sum
    }
}
