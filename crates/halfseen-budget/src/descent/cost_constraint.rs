//! Limits the price of the gradient's reads of each example, where panels have prices.
//!
//! Of all inclusion probabilities pi with sum pi_i <= k reads and sum pi_i c_i <= M expected price,
//! those with the least second moment are
//!
//! - for the Euclidean ball, min over sum_i mu_i/pi_i: pi_i = min(1, sqrt(mu_i / (nu + lambda
//!   c_i))), with nu and lambda the multipliers of the two limits (Lagrange; with one limit
//!   in force, in proportion to sqrt(mu_i) or sqrt(mu_i / c_i));
//! - for the l1 ball, min over max_i mu_i/pi_i: pi_i = min(1, s mu_i) with the largest s that both
//!   limits allow. Prices do not change the proportions: lowering any pi_i below the others'
//!   mu_i/pi_i raises the maximum.
//!
//! An expected price bounds no single example. So the systematic sample lays the panels on a line
//! in order of price, the most expensive first. It reads one panel of each unit of the line, which
//! costs at most the price of the unit's first panel. The sum of these prices is a cap that no
//! example exceeds; it exceeds the expected price by at most the highest price. M is the largest
//! expected price whose cap is within `max_cost`. If that pays for few expensive panels, much
//! of it is left: then panels are also packed into sets that each cost no more (`packing.rs`), with
//! M the largest expected price for which this works. The design with the smaller second moment is
//! used.

use super::packing::pack;
use halfseen_core::asking::design::{DesignCriterion, capped, inclusion};
use halfseen_core::asking::sampler::Sampler;

/// Halvings of an interval: to the last bits of a number near 1.
const HALVINGS: usize = 50;

/// Prices of the panels that can be drawn, and the limit on one example's gradient reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CostConstrained<'a> {
    pub(crate) prices: &'a [f64],
    pub(crate) max_cost: f64,
}

impl CostConstrained<'_> {
    /// Returns the sampler without replacement with the least second moment for these weights
    /// (sqrt(mu_i) or mu_i, by the goal) that never reads more than `draws` panels and never spends
    /// more than `max_cost`, which must pay for the most expensive panel.
    pub(crate) fn sampler(&self, goal: DesignCriterion, weights: &[f64], draws: usize) -> Sampler {
        let mut order: Vec<u32> = (0..weights.len() as u32).collect();
        order.sort_by(|&a, &b| {
            self.prices[b as usize].total_cmp(&self.prices[a as usize]).then(a.cmp(&b))
        });
        let shares = |expected: f64| self.cheapest(goal, weights, draws, expected);
        let fits = |shares: &[f64]| self.cap(shares, &order) <= self.max_cost;
        let best = shares(self.max_cost);
        if fits(&best) {
            return Sampler::without_replacement(best, draws, Some(order));
        }
        let packed =
            |expected: f64| pack(&shares(expected), self.prices, &order, draws, self.max_cost);
        let on_a_line = shares(largest(|expected| fits(&shares(expected)), self.max_cost));
        let in_sets = largest(|expected| packed(expected).is_some(), self.max_cost);
        let line = goal.moment(weights, &on_a_line);
        match packed(in_sets).filter(|_| goal.moment(weights, &shares(in_sets)) < line) {
            Some(sets) => Sampler::one_of(sets, weights.len(), draws),
            None => Sampler::without_replacement(on_a_line, draws, Some(order)),
        }
    }

    /// Returns the best probabilities with this expected price.
    fn cheapest(
        &self,
        goal: DesignCriterion,
        weights: &[f64],
        draws: usize,
        expected: f64,
    ) -> Vec<f64> {
        let within = |shares: &[f64]| {
            shares.iter().zip(self.prices).map(|(p, c)| p * c).sum::<f64>() <= expected
        };
        let free = inclusion(weights, draws);
        if within(&free) {
            return free;
        }
        // The weights for a mixture of the limits on the number of reads (0) and on their price
        // (1), in units of the highest price.
        let most_expensive = self.prices.iter().copied().fold(0.0, f64::max);
        let mixed = |left: f64| -> Vec<f64> {
            let cost = |c: f64| left + (1.0 - left) * (c / most_expensive).max(1e-12);
            match goal {
                DesignCriterion::TotalVariance => {
                    weights.iter().zip(self.prices).map(|(w, &c)| w / cost(c).sqrt()).collect()
                }
                DesignCriterion::MaxVariance => weights.to_vec(),
            }
        };
        let by_price = mixed(0.0);
        if goal == DesignCriterion::TotalVariance && within(&inclusion(&by_price, draws)) {
            return inclusion(
                &mixed(largest(|left| within(&inclusion(&mixed(left), draws)), 1.0)),
                draws,
            );
        }
        // Only the price limits.
        capped(&by_price, |i| self.prices[i], expected)
    }

    /// Returns an upper bound on the cost of any sample on the line in this order.
    fn cap(&self, shares: &[f64], order: &[u32]) -> f64 {
        // Up to rounding, which may move a unit's start to the panel before.
        const ROUNDING: f64 = 1e-9;
        let units = (shares.iter().sum::<f64>() - ROUNDING).ceil();
        let (mut end, mut unit, mut cap) = (0.0, 0.0, 0.0);
        for &panel in order {
            end += shares[panel as usize];
            while unit < units && unit < end + ROUNDING && shares[panel as usize] > 0.0 {
                cap += self.prices[panel as usize];
                unit += 1.0;
            }
        }
        cap
    }
}

/// Returns the largest fine number up to `most`, if all smaller ones are.
fn largest(fine: impl Fn(f64) -> bool, most: f64) -> f64 {
    let (mut low, mut high) = (0.0, most);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if fine(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::{Purpose, Stream};

    fn price(shares: &[f64], prices: &[f64]) -> f64 {
        shares.iter().zip(prices).map(|(p, c)| p * c).sum()
    }

    #[test]
    fn with_the_price_alone_in_force_shares_go_by_the_root_of_moment_over_price() {
        let (mu, prices) = ([1.0_f64, 4.0, 0.25, 1.0], [1.0, 2.0, 5.0, 8.0]);
        let roots: Vec<f64> = mu.iter().map(|m| m.sqrt()).collect();
        let cost_constraint = CostConstrained { prices: &prices, max_cost: 8.0 };
        let shares = cost_constraint.cheapest(DesignCriterion::TotalVariance, &roots, 4, 2.0);
        let ratio = |i: usize| shares[i] / (mu[i] / prices[i]).sqrt();
        assert!((1..4).all(|i| (ratio(i) / ratio(0) - 1.0).abs() < 1e-9), "{shares:?}");
        assert!((price(&shares, &prices) - 2.0).abs() < 1e-9);
        let shares = cost_constraint.cheapest(DesignCriterion::MaxVariance, &mu, 4, 2.0);
        assert!((1..4).all(|i| (shares[i] / mu[i] / shares[0] - 1.0).abs() < 1e-9), "{shares:?}");
        assert!((price(&shares, &prices) - 2.0).abs() < 1e-9);
    }

    /// Within both limits no exchange between two or three panels does better.
    #[test]
    fn shares_are_optimal_within_both_limits() {
        let mut stream = Stream::new(31, Purpose::Data, 0);
        for round in 0..40 {
            let n = 6;
            let mu: Vec<f64> = (0..n).map(|_| stream.unit().powi(2) + 1e-3).collect();
            let prices: Vec<f64> = (0..n).map(|_| 1.0 + 9.0 * stream.unit()).collect();
            let roots: Vec<f64> = mu.iter().map(|m| m.sqrt()).collect();
            let (draws, max_cost) = (3, 6.0 + 8.0 * stream.unit());
            let shares = CostConstrained { prices: &prices, max_cost }.cheapest(
                DesignCriterion::TotalVariance,
                &roots,
                draws,
                max_cost,
            );
            let value = |p: &[f64]| mu.iter().zip(p).map(|(m, p)| m / p).sum::<f64>();
            let (best, reads) = (value(&shares), shares.iter().sum::<f64>());
            assert!(reads <= draws as f64 + 1e-9 && price(&shares, &prices) <= max_cost + 1e-9);
            for _ in 0..3_000 {
                let mut other = shares.clone();
                for _ in 0..3 {
                    let i = stream.below(n);
                    other[i] = (other[i] * (0.1 * stream.normal()).exp()).min(1.0);
                }
                let (reads, cost) = (other.iter().sum::<f64>(), price(&other, &prices));
                if reads <= draws as f64 && cost <= max_cost {
                    assert!(
                        value(&other) >= best * (1.0 - 1e-6),
                        "round {round}: {other:?} against {shares:?}"
                    );
                }
            }
        }
    }

    /// The same where moments and prices span decades: the whole price is spent, and the conditions
    /// of the optimum hold.
    #[test]
    fn weights_and_prices_that_span_decades_are_no_reason_to_read_nothing() {
        let moments: Vec<f64> =
            (0..=20).map(|i| if i < 20 { 0.5_f64.powi(i) } else { 1e-300 }).collect();
        let roots: Vec<f64> = moments.iter().map(|m| m.sqrt()).collect();
        let decades: Vec<f64> = (0..21).map(|i| 10_f64.powi((7 * i) % 13 - 6)).collect();
        for prices in [vec![1.0; 21], decades] {
            let cost_constraint = CostConstrained { prices: &prices, max_cost: 1.0 };
            for (goal, weights) in
                [(DesignCriterion::TotalVariance, &roots), (DesignCriterion::MaxVariance, &moments)]
            {
                for expected in [1e-3, 0.5, 1.0] {
                    let shares = cost_constraint.cheapest(goal, weights, 4, expected);
                    assert!(
                        shares.iter().all(|p| (0.0..=1.0).contains(p) && *p > 0.0),
                        "{goal:?} {expected}: {shares:?}"
                    );
                    let (reads, cost) = (shares.iter().sum::<f64>(), price(&shares, &prices));
                    assert!(
                        reads <= 4.0 + 1e-9 && cost <= expected * (1.0 + 1e-9),
                        "{reads} reads for {cost}"
                    );
                    assert!(
                        reads > 4.0 - 1e-9 || cost > expected * (1.0 - 1e-9),
                        "{goal:?}: {reads} for {cost}"
                    );
                    // mu_i / pi_i^2 = nu + lambda c_i, which does not fall with the price; or mu_i
                    // / pi_i = 1/s.
                    let multiplier = |i: usize| match goal {
                        DesignCriterion::TotalVariance => (weights[i] / shares[i]).powi(2),
                        DesignCriterion::MaxVariance => weights[i] / shares[i],
                    };
                    let mut free: Vec<usize> = (0..21).filter(|&i| shares[i] < 1.0).collect();
                    free.sort_by(|&a, &b| prices[a].total_cmp(&prices[b]));
                    for pair in free.windows(2) {
                        let (less, more) = (multiplier(pair[0]), multiplier(pair[1]));
                        assert!(
                            more >= less * (1.0 - 1e-9) || goal == DesignCriterion::MaxVariance,
                            "{shares:?}"
                        );
                        assert!(
                            goal == DesignCriterion::TotalVariance
                                || (more / less - 1.0).abs() < 1e-9,
                            "{shares:?}"
                        );
                    }
                }
            }
        }
    }

    /// Returns the largest and the mean price of many samples.
    fn largest_and_mean(sampler: &Sampler, prices: &[f64], stream: &mut Stream) -> (f64, f64) {
        let (mut out, mut most_expensive, mut sum) = (Vec::new(), 0.0_f64, 0.0);
        for _ in 0..20_000 {
            sampler.draw(stream, &mut out);
            let cost: f64 = out.iter().map(|&p| prices[p as usize]).sum();
            (most_expensive, sum) = (most_expensive.max(cost), sum + cost);
        }
        (most_expensive, sum / 20_000.0)
    }

    /// With the most expensive first, a line reads one panel, at 1.69 of the 5, of four that cost 1
    /// and four that cost 5.
    #[test]
    fn a_dear_panel_is_no_reason_to_leave_most_of_the_money() {
        let mut stream = Stream::new(34, Purpose::Data, 0);
        let prices = [1.0, 1.0, 1.0, 1.0, 5.0, 5.0, 5.0, 5.0];
        // The best of all: one expensive panel with probability 2/3, else all cheap ones.
        let best = 4.0 / (1.0 / 3.0) + 4.0 / (1.0 / 6.0);
        let sampler = CostConstrained { prices: &prices, max_cost: 5.0 }.sampler(
            DesignCriterion::TotalVariance,
            &[1.0; 8],
            7,
        );
        let total: f64 = (0..8).map(|p| sampler.coefficient(p)).sum();
        assert!(total < 1.01 * best, "{total} where {best} can be had");
        let (most_expensive, mean) = largest_and_mean(&sampler, &prices, &mut stream);
        assert!(most_expensive <= 5.0 && mean > 4.5, "{mean} on average, {most_expensive} at most");
    }

    #[test]
    fn no_sample_costs_more_than_the_money() {
        let (mut stream, mut used) = (Stream::new(32, Purpose::Data, 0), Vec::new());
        for round in 0..60 {
            let n = 20;
            let weights: Vec<f64> = (0..n).map(|_| stream.unit()).collect();
            let prices: Vec<f64> = (0..n).map(|_| (10.0 * stream.unit()).floor()).collect();
            let max_cost = 10.0 + 20.0 * stream.unit();
            for goal in [DesignCriterion::TotalVariance, DesignCriterion::MaxVariance] {
                let sampler =
                    CostConstrained { prices: &prices, max_cost }.sampler(goal, &weights, 8);
                let (most_expensive, mean) = largest_and_mean(&sampler, &prices, &mut stream);
                assert!(
                    most_expensive <= max_cost * (1.0 + 1e-9),
                    "round {round}: {most_expensive} of {max_cost}"
                );
                // Share of the max_cost or of the reads that is used; lines with the most expensive
                // first use 0.44 at least and 0.78 on average.
                let reads: f64 =
                    (0..n).map(|p| 1.0 / sampler.coefficient(p)).filter(|p| p.is_finite()).sum();
                used.push((mean / max_cost).max(reads / 8.0));
            }
        }
        assert!(used.iter().all(|share| *share > 0.7), "{used:?}");
        assert!(used.iter().sum::<f64>() / used.len() as f64 > 0.93, "{used:?}");
    }
}
