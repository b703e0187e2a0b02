//! Estimates a learner's squared error from its own reads.
//!
//! The product's and the gradient's reads of one example give two estimates of <w,x>, independent
//! given the example and unbiased for the weights at ask time. So (first - y)(second - y) has mean
//! (<w,x> - y)^2, computed before the example is learned from: progressive validation. Averaged
//! over the iterates with the weights of their average, it estimates the iterates' mean error,
//! which bounds that of the averaged model because the square is convex.

use serde::{Deserialize, Serialize};

/// Weighted running mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgressiveValidation {
    weight: f64,
    square_weight: f64,
    mean: f64,
    /// Weighted sum of squared deviations from the mean.
    spread: f64,
    count: f64,
}

impl ProgressiveValidation {
    #[inline]
    pub(super) fn see(&mut self, estimate: f64, weight: f64) {
        self.weight += weight;
        self.square_weight += weight * weight;
        self.count += 1.0;
        let before = estimate - self.mean;
        self.mean += before * weight / self.weight;
        self.spread += weight * before * (estimate - self.mean);
    }

    /// Returns mean and standard error; the latter from two examples on.
    pub(super) fn report(&self) -> (Option<f64>, Option<f64>) {
        if self.weight <= 0.0 {
            return (None, None);
        }
        let variance = self.spread / self.weight * self.count / (self.count - 1.0).max(1.0);
        let error = (variance * self.square_weight).sqrt() / self.weight;
        let finite = |v: f64| Some(v).filter(|v| v.is_finite());
        (finite(self.mean), finite(error).filter(|_| self.count > 1.0))
    }

    /// Returns true if saved numbers are consistent.
    pub(super) fn is_sound(&self) -> bool {
        let sums = [self.weight, self.square_weight, self.count];
        // The first example's deviation from its own mean is 0 but for rounding.
        let rounding = 1e-12 * self.weight * self.mean * self.mean;
        sums.iter().all(|v| v.is_finite() && *v >= 0.0)
            && self.mean.is_finite()
            && self.spread.is_finite()
            && self.spread >= -rounding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_example_is_sound_whatever_rounding_does() {
        let mut below = 0;
        for i in 1..2_000 {
            let mut risk = ProgressiveValidation::default();
            risk.see(f64::from(i) / 7.0, 5.0);
            below += u32::from(risk.spread < 0.0);
            assert!(risk.is_sound(), "{risk:?}");
        }
        assert!(below > 0, "rounding went below 0 nowhere: the test tells nothing");
        assert!(
            !ProgressiveValidation {
                spread: -1.0,
                weight: 1.0,
                count: 1.0,
                ..ProgressiveValidation::default()
            }
            .is_sound()
        );
    }

    #[test]
    fn mean_and_error_by_hand() {
        let mut risk = ProgressiveValidation::default();
        assert_eq!(risk.report(), (None, None));
        risk.see(2.0, 1.0);
        assert_eq!(risk.report(), (Some(2.0), None));
        risk.see(6.0, 1.0);
        // Mean 4, variance 8, over two examples.
        assert_eq!(risk.report(), (Some(4.0), Some(2.0)));
        let mut weighted = ProgressiveValidation::default();
        weighted.see(1.0, 1.0);
        weighted.see(5.0, 3.0);
        assert_eq!(weighted.report().0, Some(4.0));
    }
}
