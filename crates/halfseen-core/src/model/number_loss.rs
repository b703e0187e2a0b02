//! Measures the error of predictions of numbers, by the loss that a fit is about.

/// Loss by which predictions of numbers are compared with targets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NumberLoss {
    /// Square of the residual; the best constant is the mean.
    Squared,
    /// max(q r, (q - 1) r) of the residual r = target - prediction; the best constant is the quantile q
    /// (Koenker and Bassett 1978).
    Quantile(f64),
}

impl NumberLoss {
    /// Returns the loss of a prediction.
    pub fn of(self, prediction: f64, target: f64) -> f64 {
        let residual = target - prediction;
        match self {
            NumberLoss::Squared => residual * residual,
            NumberLoss::Quantile(q) => (q * residual).max((q - 1.0) * residual),
        }
    }

    /// Returns the constant of least loss for targets with positive weights, the least if there are
    /// several; 0 without a target.
    pub fn constant(self, weighted: impl Iterator<Item = (f64, f64)>) -> f64 {
        match self {
            NumberLoss::Squared => {
                let (mut sum, mut total) = (0.0, 0.0);
                weighted.for_each(|(target, weight)| {
                    sum += weight * target;
                    total += weight;
                });
                if total > 0.0 { sum / total } else { 0.0 }
            }
            NumberLoss::Quantile(q) => {
                let mut sorted: Vec<(f64, f64)> = weighted.collect();
                sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
                let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
                let mut below = 0.0;
                let reached = sorted.iter().find(|(_, weight)| {
                    below += weight;
                    below >= q * total
                });
                reached.or(sorted.last()).map_or(0.0, |(target, _)| *target)
            }
        }
    }

    /// Converts a loss in scaled units to units of the target, of which `deviation` is a scaled unit.
    pub fn in_units(self, loss: f64, deviation: f64) -> f64 {
        match self {
            NumberLoss::Squared => loss * deviation * deviation,
            NumberLoss::Quantile(_) => loss * deviation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn losses_and_constants_are_those_counted_by_hand() {
        let ninth = NumberLoss::Quantile(0.9);
        assert_eq!(
            (NumberLoss::Squared.of(1.0, 3.0), NumberLoss::Squared.in_units(4.0, 3.0)),
            (4.0, 36.0)
        );
        assert_eq!((ninth.of(1.0, 3.0), ninth.in_units(2.0, 3.0)), (1.8, 6.0));
        assert!((ninth.of(3.0, 1.0) - 0.2).abs() < 1e-15);
        let targets = || [(5.0, 1.0), (1.0, 1.0), (3.0, 2.0)].into_iter();
        assert_eq!(NumberLoss::Squared.constant(targets()), 3.0);
        assert_eq!(ninth.constant(targets()), 5.0);
        assert_eq!(NumberLoss::Quantile(0.75).constant(targets()), 3.0);
        assert_eq!(NumberLoss::Quantile(0.2).constant(targets()), 1.0);
        assert_eq!(ninth.constant(std::iter::empty()), 0.0);
    }

    proptest! {
        #[test]
        fn no_constant_has_a_smaller_loss(
            targets in prop::collection::vec((-9.0_f64..9.0, 0.1_f64..4.0), 1..12),
            q in 0.01_f64..0.99,
            other in -10.0_f64..10.0,
        ) {
            for loss in [NumberLoss::Squared, NumberLoss::Quantile(q)] {
                let of = |at: f64| targets.iter().map(|(y, w)| w * loss.of(at, *y)).sum::<f64>();
                prop_assert!(of(loss.constant(targets.iter().copied())) <= of(other) + 1e-9);
            }
        }
    }
}
