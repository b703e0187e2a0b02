//! Turns the draws of a first phase into probabilities and a step for the second, and bounds them
//! beforehand.
//!
//! n1 uniform draws estimate each mu_i = E x_i^2 by A_i. For |x_i| <= 1, with probability 1 - delta
//! the error is at most sqrt(2 mu_i eps) + eps/3 for all i at once, eps = d log(2d/delta) / n1
//! (Bernstein). For |x_i| <= L eps is L^2 times as large. L is unknown and replaced by the largest
//! value of the first phase: no theorem covers this, but the draws do not depend on the data's
//! unit. So U = A + (4/3) eps is between mu/2 and (3/2) mu + (8/3) eps, and drawing as if U were mu
//! gives
//!
//! - for the Euclidean ball, S = sum_i mu_i/q_i at most sqrt(3) H + (4/sqrt 3) d sqrt(H eps), H =
//!   |mu|_(1/2) (the gain of theorem 3.6), and at most d |mu|_1 (1 + sqrt(2 |A|_1 / |mu|_1)) for
//!   any data (its safe branch);
//! - for the l1 ball, M = max_i mu_i/q_i at most 2 |U|_1, and at most 2 |A|_1 + d max_i mu_i,
//!   because mu_i |A|_1/U_i is at most 2 |A|_1 and eps adds at most d U_i to |U|_1; for |x_i| <= 1
//!   that is at most 3d.
//!
//! If H is unknown, S is at most 2 (sum_i sqrt(U_i))^2, since mu is at most 2U (theorem 3.12); that
//! is at most 6 H + (32/3) d^2 eps. A smoothing c below 4/3 replaces eps by 3c/4 of it, which no
//! theorem covers and which is often better.
//!
//! Beforehand |A|_1 is unknown too. m1 examples of k draws without replacement, n1 = m1 k, bound it
//! with probability 1 - delta/2. If |x|_2 <= 1, one example adds at most d/n1 to an A_i and to
//! their sum: |A|_1 <= 3/2 + (4/3) d log(2/delta) / n1, and d/k always. If |x_i| <= 1, it adds up
//! to d/m1 to the sum for any k (its draws share one x and are not independent): |A|_1 <= (3/2)
//! |mu|_1 + (4/3) d log(2/delta) / m1.
//!
//! The theorems are those of Kukliansky and Shamir 2015.

use super::recipe::TwoPhase;
use crate::plan::Setting;

/// Smoothing constant of the theorems.
pub(super) const THEOREM: f64 = 4.0 / 3.0;

/// Returns eps = d log(2d/delta) / n1 for `d` panels to draw from and `slots` moments to estimate.
fn eps(d: f64, slots: f64, confidence: f64, draws: f64) -> f64 {
    d * (2.0 * slots / confidence).ln() / draws
}

/// Returns the number of examples in a first phase with this share; `None` if one of the phases
/// would be empty.
pub(super) fn first_examples(share: f64, examples: u64) -> Option<u64> {
    Some((share * examples as f64).round() as u64).filter(|&first| first > 0 && first < examples)
}

/// Returns S for the Euclidean ball if H = |mu|_(1/2) is known (theorem 3.6).
pub(super) fn ridge_given(half_norm: f64, eps: f64, d: f64) -> f64 {
    3_f64.sqrt() * half_norm + 4.0 / 3_f64.sqrt() * d * (half_norm * eps).sqrt()
}

/// Returns S for the Euclidean ball for any H, from sum_i sqrt(U_i) (theorem 3.12).
fn ridge_estimated(roots: f64) -> f64 {
    2.0 * roots * roots
}

/// Returns an upper bound on [`ridge_estimated`].
pub(super) fn most_estimated(half_norm: f64, eps: f64, d: f64) -> f64 {
    6.0 * half_norm + 32.0 / 3.0 * d * d * eps
}

/// Returns S for the Euclidean ball for any data, from |A|_1 and E |x|_2^2.
pub(super) fn ridge_safe(d: f64, found: f64, square: f64) -> f64 {
    d * (square + (2.0 * found * square).sqrt())
}

/// Returns M for the l1 ball, from |A|_1, c eps and max_i E x_i^2.
pub(super) fn largest_ratio(found: f64, smoothing: f64, d: f64, largest: f64) -> f64 {
    2.0 * found + d * largest.min(2.0 * smoothing)
}

#[derive(Debug, Clone, Copy)]
pub(super) struct FirstPhase {
    /// Number d of panels to draw from.
    pub(super) panels: usize,
    /// Number of slots with estimated moments.
    pub(super) slots: usize,
    /// Number n1 of draws.
    pub(super) draws: f64,
    /// Largest squared value L^2.
    pub(super) largest: f64,
}

impl FirstPhase {
    /// Returns c eps.
    pub(super) fn smoothing(&self, phases: &TwoPhase) -> f64 {
        self.largest
            * phases.smoothing
            * eps(self.panels as f64, self.slots as f64, phases.confidence, self.draws)
    }

    /// Returns S for the Euclidean ball, from A, the panels' weights sqrt(sum of U), and E |x|^2.
    pub(super) fn sum_bound(
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
    pub(super) fn largest_bound(&self, phases: &TwoPhase, weights: &[f64], largest: f64) -> f64 {
        let (d, smoothing) = (self.panels as f64, self.smoothing(phases));
        largest_ratio(weights.iter().sum::<f64>() - d * smoothing, smoothing, d, largest)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Phases {
    d: f64,
    draws: f64,
    confidence: f64,
    /// Number m1 of examples in the first.
    pub(super) first: f64,
    /// Number m2 of examples in the second.
    pub(super) second: f64,
}

impl Phases {
    /// Returns the phases; `None` if one of them would have no examples.
    pub(super) fn of(setting: &Setting, examples: u64) -> Option<Phases> {
        let first = first_examples(setting.phase1, examples)?;
        Some(Phases {
            d: setting.d(),
            draws: setting.draws(),
            confidence: setting.confidence,
            first: first as f64,
            second: (examples - first) as f64,
        })
    }

    fn n1(&self) -> f64 {
        self.first * self.draws
    }

    pub(super) fn eps(&self) -> f64 {
        eps(self.d, self.d, self.confidence, self.n1())
    }

    /// Returns an upper bound on |A|_1 for |x|_2 <= 1.
    pub(super) fn ridge_sum(&self) -> f64 {
        let likely = 1.5 + self.deviation(self.n1());
        likely.min(self.d / self.draws)
    }

    /// Returns an upper bound on |A|_1 for |x_i| <= 1, given |mu|_1.
    pub(super) fn lasso_sum(&self, sum: f64) -> f64 {
        let likely = 1.5 * sum + self.deviation(self.first);
        likely.min(self.d)
    }

    fn deviation(&self, independent: f64) -> f64 {
        THEOREM * self.d * (2.0 / self.confidence).ln() / independent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::design::DesignCriterion;
    use crate::data::Layout;
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

    /// Visits every corner of the band that holds U, for d = 5: S never exceeds the bounds, and
    /// nearly reaches H for small eps.
    #[test]
    fn the_spread_is_bounded_for_every_outcome_of_the_first_phase() {
        let profiles = [
            [0.2; 5],
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.6, 0.3, 0.08, 0.01, 0.01],
            [0.5, 0.5, 0.0, 0.0, 0.0],
        ];
        let mut farthest = 0.0_f64;
        for (mu, eps) in profiles.iter().flat_map(|mu| [1e-9, 1e-3, 0.1, 10.0].map(|eps| (mu, eps)))
        {
            let half_norm = mu.iter().map(|m: &f64| m.sqrt()).sum::<f64>().powi(2);
            let (mut widest, most) = (0.0_f64, mu.iter().copied().fold(0.0, f64::max));
            for corner in 0..32 {
                // A from 0 or (1/2) mu - (4/3) eps to (3/2) mu + (4/3) eps.
                let a = |i: usize| match corner >> i & 1 {
                    0 => (0.5 * mu[i] - 4.0 / 3.0 * eps).max(0.0),
                    _ => 1.5 * mu[i] + 4.0 / 3.0 * eps,
                };
                let root = |i: usize| (a(i) + 4.0 / 3.0 * eps).sqrt();
                let total: f64 = (0..5).map(root).sum();
                let spread: f64 = (0..5).map(|i| mu[i] * total / root(i)).sum();
                let sum: f64 = (0..5).map(a).sum();
                assert!(spread <= ridge_given(half_norm, eps, 5.0) * (1.0 + 1e-12));
                assert!(spread <= ridge_estimated(total) * (1.0 + 1e-12));
                assert!(
                    ridge_estimated(total) <= most_estimated(half_norm, eps, 5.0) * (1.0 + 1e-12)
                );
                assert!(spread <= ridge_safe(5.0, sum, 1.0) * (1.0 + 1e-12));
                widest = widest.max(spread);
                let smoothed: f64 = (0..5).map(|i| a(i) + 4.0 / 3.0 * eps).sum();
                let ratio =
                    (0..5).map(|i| mu[i] * smoothed / (a(i) + 4.0 / 3.0 * eps)).fold(0.0, f64::max);
                assert!(
                    ratio <= largest_ratio(sum, 4.0 / 3.0 * eps, 5.0, most) * (1.0 + 1e-12),
                    "{ratio}"
                );
                farthest = farthest.max(ratio / (5.0 * most));
            }
            assert!(eps > 1e-6 || widest > 0.9 * half_norm);
        }
        assert!(farthest > 3.0, "3 d max mu would be no bound, and is not reached: {farthest}");
    }

    /// Returns P(Binomial(n, p) = i) for i from 0 to n.
    fn binomial(n: usize, p: f64) -> Vec<f64> {
        let mut chances = vec![1.0];
        for _ in 0..n {
            let mut next = vec![0.0; chances.len() + 1];
            for (i, c) in chances.iter().enumerate() {
                next[i] += c * (1.0 - p);
                next[i + 1] += c * p;
            }
            chances = next;
        }
        chances
    }

    fn chance(chances: &[f64], event: impl Fn(f64) -> bool) -> f64 {
        chances.iter().enumerate().filter(|(i, _)| event(*i as f64)).map(|(_, c)| c).sum()
    }

    /// Computes exact failure probabilities: x_i is 1 with probability mu, else 0, so A_i = (d/n1)
    /// Binomial(m1, mu k/d).
    #[test]
    fn the_bands_fail_as_rarely_as_promised() {
        let setting =
            Setting { dims: 6, budget: 3, phase1: 0.5, confidence: 0.1, ..Setting::default() };
        let mut widest = 0.0_f64;
        for (m1, mu) in
            [5, 40, 400].into_iter().flat_map(|m1| [0.02, 0.2, 0.5, 1.0].map(|mu| (m1, mu)))
        {
            let phases = Phases::of(&setting, 2 * m1).unwrap();
            let (eps, n1) = (phases.eps(), 2.0 * m1 as f64);
            let hits = binomial(m1 as usize, mu * 2.0 / 6.0);
            let below = chance(&hits, |h| 6.0 / n1 * h + 4.0 / 3.0 * eps < 0.5 * mu);
            let above = chance(&hits, |h| 6.0 / n1 * h > 1.5 * mu + 4.0 / 3.0 * eps);
            assert!(below <= 0.1 / 12.0 && above <= 0.1 / 12.0, "{m1} {mu}: {below} {above}");
            // The band is not vacuous: half of its width fails.
            widest = widest.max(chance(&hits, |h| {
                (6.0 / n1 * h - mu).abs() > 0.5 * (0.5 * mu + 4.0 / 3.0 * eps)
            }));
        }
        assert!(widest > 0.0);
    }

    /// x is all ones or all zeros with equal probability: sum A_i = d Binomial(m1, 1/2) / m1 for
    /// any k.
    #[test]
    fn draws_of_one_example_are_not_independent() {
        let setting = Setting { dims: 100, budget: 51, phase1: 0.5, ..Setting::default() };
        let phases = Phases::of(&setting, 8).unwrap();
        let ones = binomial(4, 0.5);
        let above = |bound: f64| chance(&ones, |h| 25.0 * h > bound);
        assert!(above(phases.lasso_sum(50.0)) <= 0.05 / 2.0);
        // The bound for independent draws, with d log(2/delta) / n1 in place of d log(2/delta) /
        // m1, fails.
        assert!(above(75.0 + 4.0 / 3.0 * 100.0 * 40.0_f64.ln() / 200.0) > 0.05 / 2.0);
        for m1 in [20, 100, 1000] {
            let phases = Phases::of(&setting, 2 * m1).unwrap();
            let ones = binomial(m1 as usize, 0.5);
            let above = chance(&ones, |h| 100.0 * h / m1 as f64 > phases.lasso_sum(50.0));
            assert!(above <= 0.05 / 2.0, "{m1}: {above}");
        }
    }
}
