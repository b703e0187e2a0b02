//! Bounds beforehand what the draws of a first phase give the second.
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

use super::setting::Setting;
use super::{CONFIDENCE, SHARE};

/// Smoothing constant of the theorems.
pub(crate) const THEOREM: f64 = 4.0 / 3.0;

/// Returns eps = d log(2d/delta) / n1 for `d` panels to draw from and `slots` moments to estimate.
pub(crate) fn eps(d: f64, slots: f64, confidence: f64, draws: f64) -> f64 {
    d * (2.0 * slots / confidence).ln() / draws
}

/// Returns the number of examples in a first phase with this share; `None` if one of the phases
/// would be empty.
pub(crate) fn first_examples(share: f64, examples: u64) -> Option<u64> {
    Some((share * examples as f64).round() as u64).filter(|&first| first > 0 && first < examples)
}

/// Returns S for the Euclidean ball if H = |mu|_(1/2) is known (theorem 3.6).
pub(crate) fn ridge_given(half_norm: f64, eps: f64, d: f64) -> f64 {
    3_f64.sqrt() * half_norm + 4.0 / 3_f64.sqrt() * d * (half_norm * eps).sqrt()
}

/// Returns S for the Euclidean ball for any H, from sum_i sqrt(U_i) (theorem 3.12).
pub(crate) fn ridge_estimated(roots: f64) -> f64 {
    2.0 * roots * roots
}

/// Returns an upper bound on [`ridge_estimated`].
pub(super) fn most_estimated(half_norm: f64, eps: f64, d: f64) -> f64 {
    6.0 * half_norm + 32.0 / 3.0 * d * d * eps
}

/// Returns S for the Euclidean ball for any data, from |A|_1 and E |x|_2^2.
pub(crate) fn ridge_safe(d: f64, sum: f64, square: f64) -> f64 {
    d * (square + (2.0 * sum * square).sqrt())
}

/// Returns M for the l1 ball, from |A|_1, c eps and max_i E x_i^2.
pub(crate) fn largest_ratio(sum: f64, smoothing: f64, d: f64, largest: f64) -> f64 {
    2.0 * sum + d * largest.min(2.0 * smoothing)
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
    /// Returns the phases of the learners' defaults; `None` if one of them would have no examples.
    pub(super) fn of(setting: &Setting, examples: u64) -> Option<Phases> {
        Phases::with(setting, SHARE, CONFIDENCE, examples)
    }

    fn with(setting: &Setting, share: f64, confidence: f64, examples: u64) -> Option<Phases> {
        let first = first_examples(share, examples)?;
        Some(Phases {
            d: setting.d(),
            draws: setting.draws(),
            confidence,
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
        let setting = Setting { dims: 6, budget: 3, ..Setting::default() };
        let mut widest = 0.0_f64;
        for (m1, mu) in
            [5, 40, 400].into_iter().flat_map(|m1| [0.02, 0.2, 0.5, 1.0].map(|mu| (m1, mu)))
        {
            let phases = Phases::with(&setting, 0.5, 0.1, 2 * m1).unwrap();
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
        let setting = Setting { dims: 100, budget: 51, ..Setting::default() };
        let phases = Phases::with(&setting, 0.5, CONFIDENCE, 8).unwrap();
        let ones = binomial(4, 0.5);
        let above = |bound: f64| chance(&ones, |h| 25.0 * h > bound);
        assert!(above(phases.lasso_sum(50.0)) <= 0.05 / 2.0);
        // The bound for independent draws, with d log(2/delta) / n1 in place of d log(2/delta) /
        // m1, fails.
        assert!(above(75.0 + 4.0 / 3.0 * 100.0 * 40.0_f64.ln() / 200.0) > 0.05 / 2.0);
        for m1 in [20, 100, 1000] {
            let phases = Phases::with(&setting, 0.5, CONFIDENCE, 2 * m1).unwrap();
            let ones = binomial(m1 as usize, 0.5);
            let above = chance(&ones, |h| 100.0 * h / m1 as f64 > phases.lasso_sum(50.0));
            assert!(above <= 0.05 / 2.0, "{m1}: {above}");
        }
    }
}
