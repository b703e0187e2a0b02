//! Chooses the probabilities of the draws that minimise the second moment of an example's estimate.
//!
//! With weight q_i on panel i the estimate x~ has E |x~|^2 = sum_i mu_i/(k q_i) + ..., and the
//! largest E x~_i^2 is max_i mu_i/(k q_i) + .... The first is least for q_i in proportion to
//! sqrt(mu_i) (Cauchy and Schwarz), with the value |mu|_(1/2) / k, |mu|_(1/2) = (sum_i
//! sqrt(mu_i))^2; the second for q_i in proportion to mu_i, with the value |mu|_1 / k (Kukliansky
//! and Shamir 2015, lemma 3.4 and its analogue for the l1 ball). A panel of several columns counts
//! with the sum of their mu in the first case, with the largest in the second.
//!
//! Without replacement the same holds for inclusion probabilities pi_i = k q_i as long as they stay
//! below 1; the others are set to 1, and the remaining panels share the rest.

use crate::data::Layout;
use serde::{Deserialize, Serialize};

/// Second moment that the draws minimise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DesignCriterion {
    /// E |x~|_2^2: for the Euclidean ball.
    #[serde(rename = "Sum")]
    TotalVariance,
    /// max_j E x~_j^2: for the l1 ball.
    #[serde(rename = "Largest")]
    MaxVariance,
}

impl DesignCriterion {
    /// Returns the weight of each sampled panel, given the second moments of the sampled slots.
    pub fn weights(self, layout: &Layout, moments: &[f64]) -> Vec<f64> {
        let weight = |panel: usize| {
            let of_slots = layout.slots_of(panel).map(|slot| moments[slot]);
            match self {
                DesignCriterion::TotalVariance => of_slots.sum::<f64>().sqrt(),
                DesignCriterion::MaxVariance => of_slots.fold(0.0, f64::max),
            }
        };
        (0..layout.sampled_panels()).map(weight).collect()
    }

    /// Returns the criterion for panels of these weights and inclusion probabilities: infinite if
    /// one of them is never drawn.
    pub fn moment(self, weights: &[f64], inclusion: &[f64]) -> f64 {
        let drawn = weights.iter().zip(inclusion).filter(|(w, _)| **w > 0.0);
        match self {
            DesignCriterion::TotalVariance => drawn.map(|(w, share)| w / share * w).sum(),
            DesignCriterion::MaxVariance => drawn.map(|(w, share)| w / share).fold(0.0, f64::max),
        }
    }
}

/// Returns inclusion probabilities in proportion to weights, at most 1 each, that sum to `draws`
/// (or to the number of weights above zero, if that is less).
pub fn inclusion(weights: &[f64], draws: usize) -> Vec<f64> {
    capped(weights, |_| 1.0, draws as f64)
}

/// Returns min(1, s w_i) with the s for which sum_i min(1, s w_i) c_i is `total`; 1 for every
/// weight above zero if that sum is less. Weights may span all magnitudes: nothing is subtracted
/// from their sum.
pub fn capped(weights: &[f64], cost: impl Fn(usize) -> f64, total: f64) -> Vec<f64> {
    // The largest reach 1: find their number.
    let mut order: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
    order.sort_unstable_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    // rests[j]: cost of the j-th and all smaller ones if the j-th is 1.
    let mut rests: Vec<f64> = order.iter().map(|&i| cost(i)).collect();
    for j in (1..rests.len()).rev() {
        rests[j - 1] += rests[j] * (weights[order[j]] / weights[order[j - 1]]);
    }
    let (mut shared, mut left) = (vec![0.0; weights.len()], total);
    for (j, &i) in order.iter().enumerate() {
        if left < rests[j] {
            order[j..]
                .iter()
                .for_each(|&i| shared[i] = left * (weights[i] / weights[order[j]]) / rests[j]);
            break;
        }
        shared[i] = 1.0;
        left -= cost(i);
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::{Purpose, Stream};

    #[test]
    fn inclusion_is_proportional_up_to_one() {
        assert_eq!(inclusion(&[1.0, 3.0, 0.0, 4.0], 1), [0.125, 0.375, 0.0, 0.5]);
        assert_eq!(inclusion(&[1.0, 1.0, 0.0, 8.0], 2), [0.5, 0.5, 0.0, 1.0]);
        assert_eq!(inclusion(&[5.0, 0.0, 7.0], 2), [1.0, 0.0, 1.0]);
        assert_eq!(inclusion(&[5.0, 0.0, 7.0], 3), [1.0, 0.0, 1.0]);
        let many = inclusion(&(1..=1000).map(f64::from).collect::<Vec<_>>(), 700);
        assert!((many.iter().sum::<f64>() - 700.0).abs() < 1e-9);
        assert!(many.iter().all(|p| (0.0..=1.0).contains(p)));
    }

    /// The sum of all but the first was lost in rounding when the first was added: of two equal
    /// weights one was always read, the other never.
    #[test]
    fn small_weights_beside_large_ones_keep_their_proportions() {
        assert_eq!(inclusion(&[1.0, 1e-20, 1e-20, 2e-20], 2), [1.0, 0.25, 0.25, 0.5]);
        assert_eq!(inclusion(&[1e-300, 1e300, 1e-300], 2), [0.5, 1.0, 0.5]);
        assert_eq!(inclusion(&[1e-200, 1.0, 1e-200], 2), [0.5, 1.0, 0.5]);
    }

    /// No other probabilities do better: random ones, and small changes of the best.
    #[test]
    fn weights_are_optimal() {
        let mut stream = Stream::new(11, Purpose::Data, 0);
        let layout = Layout::singletons(6);
        for goal in [DesignCriterion::TotalVariance, DesignCriterion::MaxVariance] {
            let mu: Vec<f64> = (0..6).map(|_| stream.unit().powi(3)).collect();
            let value = |q: &[f64]| {
                let total: f64 = q.iter().sum();
                let parts = mu.iter().zip(q).map(|(mu, q)| mu * total / q);
                if goal == DesignCriterion::TotalVariance {
                    parts.sum::<f64>()
                } else {
                    parts.fold(0.0, f64::max)
                }
            };
            let best = goal.weights(&layout, &mu);
            let closed = match goal {
                DesignCriterion::TotalVariance => mu.iter().map(|m| m.sqrt()).sum::<f64>().powi(2),
                DesignCriterion::MaxVariance => mu.iter().sum(),
            };
            assert!((value(&best) / closed - 1.0).abs() < 1e-14);
            for size in [1e-3, 0.1, 2.0] {
                for _ in 0..1000 {
                    let other: Vec<f64> =
                        best.iter().map(|q| q * (size * stream.normal()).exp()).collect();
                    assert!(value(&other) >= closed * (1.0 - 1e-14));
                }
            }
        }
    }

    /// Without replacement: sum_i mu_i / pi_i over probabilities of at most 1 that sum to k.
    #[test]
    fn capped_inclusion_is_optimal() {
        let mut stream = Stream::new(12, Purpose::Data, 0);
        let mu = [9.0, 4.0, 0.01, 0.04, 0.25, 1e-4];
        let root: Vec<f64> = mu.iter().map(|m: &f64| m.sqrt()).collect();
        let best = inclusion(&root, 3);
        assert_eq!(best[..2], [1.0, 1.0]);
        let value = |p: &[f64]| mu.iter().zip(p).map(|(m, p)| m / p).sum::<f64>();
        for _ in 0..10_000 {
            // Moves mass from one panel to another, within the constraints.
            let (a, b, mass) = (stream.below(6), stream.below(6), 0.2 * stream.unit());
            if a != b && best[a] > mass && best[b] + mass <= 1.0 {
                let mut other = best.clone();
                other[a] -= mass;
                other[b] += mass;
                assert!(value(&other) >= value(&best) * (1.0 - 1e-12));
            }
        }
    }
}
