//! Turns the draws of a first phase into probabilities and a step for the second, by the bounds of
//! [`plan`](crate::plan) (`plan/phases.rs`, which has the symbols).

use super::recipe::TwoPhase;
use crate::plan::{THEOREM, eps, largest_ratio, ridge_estimated, ridge_given, ridge_safe};

#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstPhase {
    /// Number d of panels to draw from.
    pub(crate) panels: usize,
    /// Number of slots with estimated moments.
    pub(crate) slots: usize,
    /// Number n1 of draws.
    pub(crate) draws: f64,
    /// Largest squared value L^2.
    pub(crate) largest: f64,
}

impl FirstPhase {
    /// Returns c eps.
    pub(crate) fn smoothing(&self, phases: &TwoPhase) -> f64 {
        self.largest
            * phases.smoothing
            * eps(self.panels as f64, self.slots as f64, phases.confidence, self.draws)
    }

    /// Returns S for the Euclidean ball, from A, the panels' weights sqrt(sum of U), and E |x|^2.
    pub(crate) fn sum_bound(
        &self,
        phases: &TwoPhase,
        estimates: &[f64],
        weights: &[f64],
        square: f64,
    ) -> f64 {
        let d = self.panels as f64;
        let adaptive = match phases.moment_norm {
            Some(half_norm) => ridge_given(half_norm, self.smoothing(phases) / THEOREM, d),
            None => ridge_estimated(weights.iter().sum()),
        };
        adaptive.min(ridge_safe(d, estimates.iter().sum(), square))
    }

    /// Returns M for the l1 ball, from the panels' weights U and max_j E x_j^2.
    pub(crate) fn largest_bound(&self, phases: &TwoPhase, weights: &[f64], largest: f64) -> f64 {
        let (d, smoothing) = (self.panels as f64, self.smoothing(phases));
        largest_ratio(weights.iter().sum::<f64>() - d * smoothing, smoothing, d, largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_core::asking::design::DesignCriterion;
    use halfseen_core::data::Layout;
    use halfseen_solve::sampling::{Purpose, Stream};

    const DELTA: f64 = 0.1;

    /// Simulates first phases: the bands fail in at most a share delta of them, and S is within its
    /// bounds.
    #[test]
    fn the_bands_hold_with_the_stated_confidence() {
        let d = 40;
        let layout = Layout::singletons(d);
        let mut stream = Stream::new(21, Purpose::Data, 0);
        let phases =
            TwoPhase { length: 0.5, smoothing: THEOREM, confidence: DELTA, moment_norm: None };
        for (alpha, rounds) in [(0.0, 200), (1.0, 200), (2.0, 200)] {
            let mu: Vec<f64> = (1..=d).map(|i| 0.9 * f64::from(i as u32).powf(-alpha)).collect();
            let (square, largest) =
                (mu.iter().sum::<f64>(), mu.iter().copied().fold(0.0, f64::max));
            let half_norm = mu.iter().map(|m| m.sqrt()).sum::<f64>().powi(2);
            for examples in [300, 3_000] {
                let phase = FirstPhase {
                    panels: d,
                    slots: d,
                    draws: f64::from(examples) * 3.0,
                    largest: 1.0,
                };
                let eps = phase.smoothing(&phases) / THEOREM;
                let mut misses = 0;
                for _ in 0..rounds {
                    let mut estimates = vec![0.0; d];
                    for _ in 0..examples * 3 {
                        // x_j is 1 with probability mu_j, else 0: the largest variance possible.
                        let j = stream.below(d);
                        if stream.unit() < mu[j] {
                            estimates[j] += d as f64 / phase.draws;
                        }
                    }
                    let within =
                        |(a, m): (&f64, &f64)| (a - m).abs() <= (2.0 * m * eps).sqrt() + eps / 3.0;
                    misses += u32::from(!estimates.iter().zip(&mu).all(within));
                    let smoothed: Vec<f64> = estimates.iter().map(|a| a + THEOREM * eps).collect();
                    let sum = |weights: &[f64]| -> f64 {
                        let total: f64 = weights.iter().sum();
                        mu.iter().zip(weights).map(|(m, w)| m * total / w).sum()
                    };
                    let weights = DesignCriterion::TotalVariance.weights(&layout, &smoothed);
                    let known = TwoPhase { moment_norm: Some(half_norm), ..phases };
                    assert!(sum(&weights) <= phase.sum_bound(&known, &estimates, &weights, square));
                    assert!(
                        sum(&weights) <= phase.sum_bound(&phases, &estimates, &weights, square)
                    );
                    let max = |weights: &[f64]| -> f64 {
                        let total: f64 = weights.iter().sum();
                        mu.iter().zip(weights).map(|(m, w)| m * total / w).fold(0.0, f64::max)
                    };
                    let weights = DesignCriterion::MaxVariance.weights(&layout, &smoothed);
                    assert!(max(&weights) <= phase.largest_bound(&phases, &weights, largest));
                }
                assert!(
                    f64::from(misses) <= DELTA * f64::from(rounds),
                    "alpha {alpha}: {misses} misses"
                );
            }
        }
    }

    #[test]
    fn bounds_by_hand() {
        let phases =
            TwoPhase { length: 0.5, smoothing: 0.0, confidence: 0.5, moment_norm: Some(3.0) };
        let phase = FirstPhase { panels: 4, slots: 4, draws: 8.0, largest: 1.0 };
        // Without smoothing eps is 0: S = sqrt(3) 3, or 4 (1 + sqrt(2 * 0.5)) = 8.
        let sum =
            |phases: &TwoPhase| phase.sum_bound(phases, &[0.5, 0.0, 0.0, 0.0], &[1.0; 4], 1.0);
        assert!((sum(&phases) - 27_f64.sqrt()).abs() < 1e-14);
        assert!((sum(&TwoPhase { moment_norm: None, ..phases }) - 8.0).abs() < 1e-14);
        let estimated = phase.sum_bound(
            &TwoPhase { moment_norm: None, ..phases },
            &[0.5; 4],
            &[1.0, 0.5, 0.0, 0.0],
            1.0,
        );
        assert!((estimated - 4.5).abs() < 1e-14, "2 (1 + 0.5)^2: {estimated}");
        let eps = 4.0 * 16_f64.ln() / 8.0;
        assert!(
            (phase.smoothing(&TwoPhase { smoothing: 2.0, ..phases }) - 2.0 * eps).abs() < 1e-14
        );
        assert_eq!(phase.largest_bound(&phases, &[1.0, 2.0, 0.5, 0.5], 1.0), 8.0);
        // c eps = 1/2 of each U: 2 (4 - 2) + 4 min(largest, 1).
        let half = TwoPhase { smoothing: 0.5 / eps, ..phases };
        for (largest, bound) in [(2.0, 8.0), (0.25, 5.0)] {
            assert!(
                (phase.largest_bound(&half, &[1.0, 2.0, 0.5, 0.5], largest) - bound).abs() < 1e-13
            );
        }
        // In other units the smoothing scales with the square of the unit.
        let larger = FirstPhase { largest: 9.0, ..phase };
        assert!((larger.smoothing(&half) - 4.5).abs() < 1e-13);
    }
}
