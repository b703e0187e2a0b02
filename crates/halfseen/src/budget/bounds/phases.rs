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
pub(super) const SMOOTHING: &str =
    "smoothing 4/3, draws of phase 1 without replacement; the printed bound is of half the squared error";

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
