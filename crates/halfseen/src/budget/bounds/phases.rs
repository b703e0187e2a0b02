//! Bounds what a first phase of uniform draws says about second moments (paper C, sections 3.2, 3.3 and 4).
//!
//! A_i = (d/n1) sum of x_i^2 over the draws that hit i, n1 = m1 k: m1 examples, k = budget - 1 draws each without replacement (one read is the
//! product's, as AERR or AELR runs in this phase). One example adds at most d/n1 to A_i and has variance at most d mu_i / (k m1^2). So by
//! Bernstein's inequality, with eps = d log(2d/delta) / n1 and U_i = A_i + (4/3) eps:
//!
//! - U_i >= mu_i / 2 for all i but with probability delta/2, and U_i <= (3/2) mu_i + (8/3) eps likewise;
//! - where |x|_2 <= 1, sum A_i <= 3/2 + (4/3) d log(2/delta) / n1 but with probability delta/2, and at most d/k always;
//! - where |x_i| <= 1, one example adds as much as d/m1 to sum A_i, whatever k is (its draws are of one x, and not independent), so
//!   sum A_i <= (3/2) |mu|_1 + (4/3) d log(2/delta) / m1 but with probability delta/2.

use crate::plan::Setting;

/// What to know about the learners of two phases.
pub(super) const SMOOTHING: &str = "smoothing 4/3; draws of phase 1 without replacement";

/// The two phases of m examples.
#[derive(Debug, Clone, Copy)]
pub(super) struct Phases {
    d: f64,
    draws: f64,
    confidence: f64,
    /// m1.
    pub(super) first: f64,
    /// m2.
    pub(super) second: f64,
}

impl Phases {
    /// At least one example is the first phase's; `None` if nothing is left for the second.
    pub(super) fn of(setting: &Setting, examples: u64) -> Option<Phases> {
        let first = ((setting.phase1 * examples as f64) as u64).clamp(1, examples.max(1));
        let second = examples.saturating_sub(first);
        (second > 0).then(|| Phases {
            d: setting.d(),
            draws: setting.draws(),
            confidence: setting.confidence,
            first: first as f64,
            second: second as f64,
        })
    }

    fn n1(&self) -> f64 {
        self.first * self.draws
    }

    /// eps = d log(2d/delta) / n1.
    pub(super) fn eps(&self) -> f64 {
        self.d * (2.0 * self.d / self.confidence).ln() / self.n1()
    }

    /// The most that sum A_i can be where |x|_2 <= 1.
    pub(super) fn ridge_sum(&self) -> f64 {
        let likely = 1.5 + 4.0 / 3.0 * self.d * (2.0 / self.confidence).ln() / self.n1();
        likely.min(self.d / self.draws)
    }

    /// The most that sum A_i can be where |x_i| <= 1, for |mu|_1.
    pub(super) fn lasso_sum(&self, sum: f64) -> f64 {
        let likely = 1.5 * sum + 4.0 / 3.0 * self.d * (2.0 / self.confidence).ln() / self.first;
        likely.min(self.d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(Binomial(n, p) = i) for i from 0 to n.
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

    /// x_i is 1 with probability mu, else 0: A_i = (d/n1) Binomial(m1, mu k/d), exactly.
    #[test]
    fn the_bands_fail_as_rarely_as_promised() {
        let setting = Setting { dims: 6, budget: 3, phase1: 0.5, confidence: 0.1, ..Setting::default() };
        let mut widest = 0.0_f64;
        for (m1, mu) in [5, 40, 400].into_iter().flat_map(|m1| [0.02, 0.2, 0.5, 1.0].map(|mu| (m1, mu))) {
            let phases = Phases::of(&setting, 2 * m1).unwrap();
            let (eps, n1) = (phases.eps(), 2.0 * m1 as f64);
            let hits = binomial(m1 as usize, mu * 2.0 / 6.0);
            let below = chance(&hits, |h| 6.0 / n1 * h + 4.0 / 3.0 * eps < 0.5 * mu);
            let above = chance(&hits, |h| 6.0 / n1 * h > 1.5 * mu + 4.0 / 3.0 * eps);
            assert!(below <= 0.1 / 12.0 && above <= 0.1 / 12.0, "{m1} {mu}: {below} {above}");
            // The band is no idle one: half of its width fails.
            widest = widest.max(chance(&hits, |h| (6.0 / n1 * h - mu).abs() > 0.5 * (0.5 * mu + 4.0 / 3.0 * eps)));
        }
        assert!(widest > 0.0);
    }

    /// x is all ones or all zeros by a coin: sum A_i = d Binomial(m1, 1/2) / m1, whatever k is.
    #[test]
    fn draws_of_one_example_are_not_independent() {
        let setting = Setting { dims: 100, budget: 51, phase1: 0.5, ..Setting::default() };
        let phases = Phases::of(&setting, 8).unwrap();
        let ones = binomial(4, 0.5);
        let above = |bound: f64| chance(&ones, |h| 25.0 * h > bound);
        assert!(above(phases.lasso_sum(50.0)) <= 0.05 / 2.0);
        // As if they were: d log(2/delta) / n1 in place of d log(2/delta) / m1.
        assert!(above(75.0 + 4.0 / 3.0 * 100.0 * 40.0_f64.ln() / 200.0) > 0.05 / 2.0);
        for m1 in [20, 100, 1000] {
            let phases = Phases::of(&setting, 2 * m1).unwrap();
            let ones = binomial(m1 as usize, 0.5);
            let above = chance(&ones, |h| 100.0 * h / m1 as f64 > phases.lasso_sum(50.0));
            assert!(above <= 0.05 / 2.0, "{m1}: {above}");
        }
    }
}
