//! Turns the linear predictor of two classes into a probability, even if attributes are missing.

use crate::normal;
use serde::{Deserialize, Serialize};

/// Function from the linear predictor to the probability of the second class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Curve {
    /// P = Phi(t), Phi the standard normal distribution function.
    Probit,
    /// P = 1 / (1 + exp(-t)).
    Logistic,
}

/// P(y = +1 | x) = curve(t), with the linear predictor t in units of the targets -1 and +1. The
/// score 2 P - 1 then estimates the target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Curve.
    pub curve: Curve,
    /// Number subtracted from the targets -1 and +1; like the linear predictor, scores are relative
    /// to it.
    pub centre: f64,
}

impl Curve {
    /// Returns the divisor of a normal t of this variance for which the curve of its mean is the
    /// mean of the curve: exactly for the probit, with an error below 0.02 for the logistic (D.
    /// MacKay, Neural Computation 1992).
    #[inline]
    pub fn flattening(self, variance: f64) -> f64 {
        (1.0 + variance * self.per_variance()).sqrt()
    }

    /// Returns the increase of the square of [`Curve::flattening`] per unit of variance.
    pub fn per_variance(self) -> f64 {
        match self {
            Curve::Probit => 1.0,
            Curve::Logistic => std::f64::consts::PI / 8.0,
        }
    }

    /// Returns the probability at t.
    pub fn probability(self, t: f64) -> f64 {
        match self {
            Curve::Probit => normal::below(t),
            Curve::Logistic => 1.0 / (1.0 + (-t).exp()),
        }
    }

    /// Returns log P(t), its derivative, and minus its second derivative.
    pub fn log(self, t: f64) -> (f64, f64, f64) {
        match self {
            Curve::Probit => {
                let slope = normal::slope_of_log_below(t);
                (normal::log_below(t), slope, slope * (t + slope))
            }
            Curve::Logistic => {
                let other = 1.0 / (1.0 + t.exp());
                let log = if t > 0.0 { -(-t).exp().ln_1p() } else { t - t.exp().ln_1p() };
                (log, other, other * self.probability(t))
            }
        }
    }
}

impl Link {
    /// Returns the probability of the second class, given mean and variance of the linear predictor
    /// in scaled units.
    pub fn probability(&self, mean: f64, variance: f64) -> f64 {
        self.curve.probability((mean + self.centre) / self.curve.flattening(variance))
    }

    /// Returns the score: 2 P - 1, relative to the centre.
    #[inline]
    pub(super) fn score(&self, mean: f64, variance: f64) -> f64 {
        2.0 * self.probability(mean, variance) - 1.0 - self.centre
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unseen_part_flattens_as_the_integral_does() {
        for (curve, within) in [(Curve::Probit, 1e-10), (Curve::Logistic, 0.02)] {
            for variance in [0.1, 1.0, 9.0, 100.0_f64] {
                for mean in [-4.0, -1.0, 0.0, 0.3, 2.5] {
                    let steps = 40_000;
                    let step = 20.0 / f64::from(steps);
                    let integral: f64 = (0..=steps)
                        .map(|i| -10.0 + step * f64::from(i))
                        .map(|z| {
                            step * normal::density(z)
                                * curve.probability(mean + variance.sqrt() * z)
                        })
                        .sum();
                    let probability = curve.probability(mean / curve.flattening(variance));
                    assert!(
                        (probability - integral).abs() < within,
                        "{curve:?}, {mean}, {variance}: {probability}, {integral}"
                    );
                }
            }
        }
    }

    #[test]
    fn slopes_of_the_log_are_differences() {
        for curve in [Curve::Probit, Curve::Logistic] {
            for t in [-30.0, -3.5, -1.0, 0.0, 0.7, 2.9, 6.0, 25.0] {
                let (at, slope, bend) = curve.log(t);
                let (above, under) = (curve.log(t + 1e-5), curve.log(t - 1e-5));
                assert!(
                    (slope - (above.0 - under.0) / 2e-5).abs() < 1e-6 * (1.0 + slope),
                    "{curve:?} {t}"
                );
                assert!((bend + (above.1 - under.1) / 2e-5).abs() < 1e-6, "{curve:?} {t}");
                assert!(
                    (at - curve.probability(t).ln()).abs() < 1e-9 * (1.0 + at.abs()),
                    "{curve:?} {t}"
                );
            }
        }
    }
}
