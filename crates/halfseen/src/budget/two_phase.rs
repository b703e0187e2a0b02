//! Turns the draws of a first phase into probabilities and a step for the second.
//!
//! n1 uniform draws estimate each mu_i = E x_i^2 by A_i, with error at most sqrt(2 mu_i eps) + eps/3 for
//! all i at once with probability 1 - delta, eps = d log(2d/delta) / n1, for |x_i| <= 1 (Bernstein). So U = A + (4/3) eps
//! is between mu/2 and (3/2) mu + (8/3) eps, and drawing as if U were mu has
//!
//! - for the Euclidean ball, S = sum_i mu_i/q_i at most sqrt(3) H + (4/sqrt 3) d sqrt(H eps), H = |mu|_(1/2)
//!   (what theorem 3.6 gains), and at most d |mu|_1 (1 + sqrt(2 |A|_1 / |mu|_1)) whatever the data (its safe branch);
//! - for the l1 ball, max_i mu_i/q_i at most 2 |U|_1, and at most 3d.
//!
//! Where H is not known, S is at most 2 (sum_i sqrt(U_i))^2, since mu is at most 2U (theorem 3.12). A smoothing c below 4/3 takes eps for
//! 3c/4 times as large: no longer a theorem, and often better.
//!
//! D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent Sampling", ICML 2015.

use super::recipe::TwoPhase;

/// The smoothing that keeps the theorems.
const THEOREM: f64 = 4.0 / 3.0;

/// What a first phase was like.
#[derive(Debug, Clone, Copy)]
pub(super) struct FirstPhase {
    /// d: the panels to draw from.
    pub(super) panels: usize,
    /// The slots whose moments are estimated.
    pub(super) slots: usize,
    /// n1.
    pub(super) draws: f64,
}

impl FirstPhase {
    /// c eps.
    pub(super) fn smoothing(&self, phases: &TwoPhase) -> f64 {
        let (d, slots) = (self.panels as f64, self.slots as f64);
        phases.smoothing * d * (2.0 * slots / phases.confidence).ln() / self.draws
    }

    /// S for the Euclidean ball, from A, the panels' weights sqrt(sum of U), and E |x|^2.
    pub(super) fn sum_bound(&self, phases: &TwoPhase, estimates: &[f64], weights: &[f64], square: f64) -> f64 {
        let d = self.panels as f64;
        let adaptive = match phases.moment_norm {
            Some(half_norm) => {
                let eps = self.smoothing(phases) / THEOREM;
                3_f64.sqrt() * half_norm + 4.0 / 3_f64.sqrt() * d * (half_norm * eps).sqrt()
            }
            None => 2.0 * weights.iter().sum::<f64>().powi(2),
        };
        let found: f64 = estimates.iter().sum();
        adaptive.min(d * (square + (2.0 * found * square).sqrt()))
    }

    /// max_i mu_i/q_i for the l1 ball, from the panels' weights U and max_j E x_j^2.
    pub(super) fn largest_bound(&self, weights: &[f64], largest: f64) -> f64 {
        (2.0 * weights.iter().sum::<f64>()).min(3.0 * self.panels as f64 * largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::design::Goal;
    use crate::prepare::Layout;
    use crate::sampling::{Purpose, Stream};

    const DELTA: f64 = 0.1;

    /// Simulated first phases: the bands hold in all but a share delta of them, and S within its bounds.
    #[test]
    fn the_bands_hold_with_the_stated_confidence() {
        let d = 40;
        let layout = Layout::singletons(d);
        let mut stream = Stream::new(21, Purpose::Data, 0);
        let phases = TwoPhase { length: 0.5, smoothing: THEOREM, confidence: DELTA, moment_norm: None };
        for (alpha, rounds) in [(0.0, 200), (1.0, 200), (2.0, 200)] {
            let mu: Vec<f64> = (1..=d).map(|i| 0.9 * f64::from(i as u32).powf(-alpha)).collect();
            let (square, largest) = (mu.iter().sum::<f64>(), mu.iter().copied().fold(0.0, f64::max));
            let half_norm = mu.iter().map(|m| m.sqrt()).sum::<f64>().powi(2);
            for examples in [300, 3_000] {
                let phase = FirstPhase { panels: d, slots: d, draws: f64::from(examples) * 3.0 };
                let eps = phase.smoothing(&phases) / THEOREM;
                let mut misses = 0;
                for _ in 0..rounds {
                    let mut estimates = vec![0.0; d];
                    for _ in 0..examples * 3 {
                        // x_j is 1 with probability mu_j, else 0: the most spread there is.
                        let j = stream.below(d);
                        if stream.unit() < mu[j] {
                            estimates[j] += d as f64 / phase.draws;
                        }
                    }
                    let within = |(a, m): (&f64, &f64)| (a - m).abs() <= (2.0 * m * eps).sqrt() + eps / 3.0;
                    misses += u32::from(!estimates.iter().zip(&mu).all(within));
                    let smoothed: Vec<f64> = estimates.iter().map(|a| a + THEOREM * eps).collect();
                    let sum = |weights: &[f64]| -> f64 {
                        let total: f64 = weights.iter().sum();
                        mu.iter().zip(weights).map(|(m, w)| m * total / w).sum()
                    };
                    let weights = Goal::Sum.weights(&layout, &smoothed);
                    let known = TwoPhase { moment_norm: Some(half_norm), ..phases };
                    assert!(sum(&weights) <= phase.sum_bound(&known, &estimates, &weights, square));
                    assert!(sum(&weights) <= phase.sum_bound(&phases, &estimates, &weights, square));
                    let max = |weights: &[f64]| -> f64 {
                        let total: f64 = weights.iter().sum();
                        mu.iter().zip(weights).map(|(m, w)| m * total / w).fold(0.0, f64::max)
                    };
                    let weights = Goal::Largest.weights(&layout, &smoothed);
                    assert!(max(&weights) <= phase.largest_bound(&weights, largest));
                }
                assert!(f64::from(misses) <= DELTA * f64::from(rounds), "alpha {alpha}: {misses} misses");
            }
        }
    }

    #[test]
    fn bounds_by_hand() {
        let phases = TwoPhase { length: 0.5, smoothing: 0.0, confidence: 0.5, moment_norm: Some(3.0) };
        let phase = FirstPhase { panels: 4, slots: 4, draws: 8.0 };
        // Without smoothing eps is 0: S = sqrt(3) 3, or 4 (1 + sqrt(2 * 0.5)) = 8.
        let sum = |phases: &TwoPhase| phase.sum_bound(phases, &[0.5, 0.0, 0.0, 0.0], &[1.0; 4], 1.0);
        assert!((sum(&phases) - 27_f64.sqrt()).abs() < 1e-14);
        assert!((sum(&TwoPhase { moment_norm: None, ..phases }) - 8.0).abs() < 1e-14);
        let estimated =
            phase.sum_bound(&TwoPhase { moment_norm: None, ..phases }, &[0.5; 4], &[1.0, 0.5, 0.0, 0.0], 1.0);
        assert!((estimated - 4.5).abs() < 1e-14, "2 (1 + 0.5)^2: {estimated}");
        let eps = 4.0 * 16_f64.ln() / 8.0;
        assert!((phase.smoothing(&TwoPhase { smoothing: 2.0, ..phases }) - 2.0 * eps).abs() < 1e-14);
        assert_eq!(phase.largest_bound(&[1.0, 2.0, 0.5, 0.5], 1.0), 8.0);
        assert_eq!(phase.largest_bound(&[1.0, 2.0, 0.5, 0.5], 0.25), 3.0);
    }
}
