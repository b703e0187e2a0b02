//! Differentiates losses of a score and a target, and expands nonlinear derivatives as power
//! series.
//!
//! With z = p - y for regression and z = y p for classes (y = -1 or +1):
//!
//! | loss | of z | derivative by p |
//! |---|---|---|
//! | half square, square | z^2/2, z^2 | z, 2z |
//! | absolute | [abs(z) - tube]_+, smoothed | (erf((z - tube)/eps) + erf((z + tube)/eps)) / 2 |
//! | hinge | [1 - z]_+, smoothed | -y (1 + erf((1 - z)/eps)) / 2 |
//! | exponential | e^-z | -y e^-z |
//! | logistic | log(1 + e^-z) | -y (1 + tanh(-z/2)) / 2 |
//!
//! Smoothing replaces abs(u) by rho(u) = u erf(u) + e^(-u^2)/sqrt(pi): the smoothed absolute loss
//! is (eps/2) (rho((z - tube)/eps) + rho((z + tube)/eps)) - tube. It exceeds the loss by at most
//! eps/(2 sqrt(pi)) + (eps/2) h(2 tube/eps), h(u) = rho(u) - abs(u), attained at abs(z) = tube:
//! 0.283 eps if the tube is as wide as eps, 0.565 eps without a tube. The smoothed hinge exceeds
//! the hinge by at most eps/(2 sqrt(pi)).
//!
//! E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012, section 4.2.

mod series;

pub use series::PowerSeries;

use series::erf;
use std::f64::consts::PI;

/// Loss of the estimated product p and the target y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// (p - y)^2 / 2, as in Hazan and Koren 2012 and Kukliansky and Shamir 2015.
    HalfSquare,
    /// (p - y)^2, as in Cesa-Bianchi, Shalev-Shwartz and Shamir 2010.
    Square,
    /// Smoothed absolute loss outside a tube.
    Absolute {
        /// Half the width of the tube in which the loss is 0.
        tube: f64,
        /// eps: width of the smoothing at the kinks.
        width: f64,
    },
    /// Smoothed hinge loss of classes.
    Hinge {
        /// eps: width of the smoothing at the kink.
        width: f64,
    },
    /// The exponential loss of classes.
    Exponential,
    /// The logistic loss of classes.
    Logistic {
        /// Declared bound on the norm of an example; the series converges within it.
        norm_bound: f64,
    },
}

/// Derivative by p as constant + factor * sum over the shifts of series(gain p + shift).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expansion {
    /// Series.
    pub series: PowerSeries,
    /// Constant term.
    pub constant: f64,
    /// Factor of each value of the series.
    pub factor: f64,
    /// Factor of p.
    pub gain: f64,
    /// Summands of the arguments, one per value of the series; the first `calls` count.
    pub shifts: [f64; 2],
    /// Number of values of the series.
    pub calls: usize,
}

impl Expansion {
    /// Returns the derivative at p.
    pub fn value(&self, product: f64) -> f64 {
        let at = |shift: &f64| self.series.value(self.gain * product + shift);
        self.constant + self.factor * self.shifts[..self.calls].iter().map(at).sum::<f64>()
    }
}

impl Loss {
    /// Returns the derivative by p. It is linear in p for the squares, so that an unbiased product
    /// gives an unbiased slope; for other losses see [`Loss::expansion`].
    #[inline]
    pub fn slope(self, product: f64, target: f64) -> f64 {
        match self {
            Loss::HalfSquare => product - target,
            Loss::Square => 2.0 * (product - target),
            _ => self.expansion(target).map_or(0.0, |e| e.value(product)),
        }
    }

    /// Returns the loss.
    pub fn value(self, product: f64, target: f64) -> f64 {
        let (residual, margin) = (product - target, target * product);
        match self {
            Loss::HalfSquare => 0.5 * residual * residual,
            Loss::Square => residual * residual,
            Loss::Absolute { tube, width } => {
                0.5 * width * (rho((residual - tube) / width) + rho((residual + tube) / width))
                    - tube
            }
            Loss::Hinge { width } => {
                0.5 * (1.0 - margin) + 0.5 * width * rho((1.0 - margin) / width)
            }
            Loss::Exponential => (-margin).exp(),
            Loss::Logistic { .. } => (-margin).max(0.0) + (-margin.abs()).exp().ln_1p(),
        }
    }

    /// Returns true if targets must be classes, -1 or +1.
    #[inline]
    pub fn needs_classes(self) -> bool {
        matches!(self, Loss::Hinge { .. } | Loss::Exponential | Loss::Logistic { .. })
    }

    /// Returns the derivative by p for this target as a power series; `None` for the squares.
    pub fn expansion(self, target: f64) -> Option<Expansion> {
        let y = target;
        let once = |series, constant, gain, shift| Expansion {
            series,
            constant,
            factor: -0.5 * y,
            gain,
            shifts: [shift, 0.0],
            calls: 1,
        };
        Some(match self {
            Loss::HalfSquare | Loss::Square => return None,
            Loss::Absolute { tube, width } => Expansion {
                series: PowerSeries::Erf,
                constant: 0.0,
                factor: 0.5,
                gain: 1.0 / width,
                shifts: [-(y + tube) / width, -(y - tube) / width],
                calls: 2,
            },
            Loss::Hinge { width } => once(PowerSeries::Erf, -0.5 * y, -y / width, 1.0 / width),
            Loss::Exponential => Expansion { factor: -y, ..once(PowerSeries::Exp, 0.0, -y, 0.0) },
            Loss::Logistic { .. } => once(PowerSeries::Tanh, -0.5 * y, -0.5 * y, 0.0),
        })
    }
}

/// Computes a smooth abs(u), whose derivative is erf(u).
fn rho(u: f64) -> f64 {
    u * erf(u) + (-u * u).exp() / PI.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Loss> {
        let mut all = vec![
            Loss::HalfSquare,
            Loss::Square,
            Loss::Exponential,
            Loss::Logistic { norm_bound: 1.0 },
        ];
        for width in [0.3, 1.0, 4.0] {
            all.push(Loss::Hinge { width });
            all.extend([0.0, 0.1, 1.0, 5.0].map(|tube| Loss::Absolute { tube, width }));
        }
        all
    }

    #[test]
    fn slopes_are_the_derivatives_of_the_values() {
        for loss in all() {
            for target in [-1.0, 1.0] {
                for i in -40..=40 {
                    let (p, h) = (0.1 * f64::from(i), 1e-5);
                    let slope = loss.slope(p, target);
                    // Richardson's quotient has an error of the order of h^4.
                    let quotient = |h: f64| {
                        (loss.value(p + h, target) - loss.value(p - h, target)) / (2.0 * h)
                    };
                    let expected = (4.0 * quotient(h) - quotient(2.0 * h)) / 3.0;
                    let scale = 1.0 + loss.value(p, target).abs();
                    assert!(
                        (slope - expected).abs() < 1e-9 * scale,
                        "{loss:?} at {p}: {slope}, {expected}"
                    );
                }
            }
        }
    }

    /// Checks the largest distance between smoothed and plain loss, which is at the end of the
    /// tube.
    #[test]
    fn smoothing_adds_what_it_is_said_to_add() {
        for width in [0.25, 1.0, 3.0] {
            for tube in [0.0, 0.1, 0.5, 1.0, 4.0] {
                let loss = Loss::Absolute { tube, width };
                let gap = |z: f64| loss.value(z, 0.0) - (z.abs() - tube).max(0.0);
                let u = 2.0 * tube / width;
                let bound = 0.5 * width * (1.0 / PI.sqrt() + rho(u) - u);
                let grid = (-100_000..=100_000).map(|i| gap(1e-4 * f64::from(i)));
                let (least, most) =
                    grid.fold((f64::MAX, f64::MIN), |(a, b), g| (a.min(g), b.max(g)));
                assert!(
                    least >= -1e-13 && (most - bound).abs() < 1e-13,
                    "{loss:?}: {least} to {most}, {bound}"
                );
                assert!((gap(tube) - bound).abs() < 1e-14 && (gap(-tube) - bound).abs() < 1e-14);
                // eps / (2 sqrt pi) beside a wide tube, eps / sqrt pi without one.
                let wide = width / (2.0 * PI.sqrt());
                match tube {
                    0.0 => assert!((bound - 2.0 * wide).abs() < 1e-15),
                    _ if tube >= 4.0 * width => assert!((bound - wide).abs() < 1e-15),
                    _ => assert!(bound > wide && bound < 2.0 * wide),
                }
            }
            let hinge = |p: f64| Loss::Hinge { width }.value(p, 1.0) - (1.0 - p).max(0.0);
            let most =
                (-50_000..=50_000).map(|i| hinge(1e-4 * f64::from(i))).fold(f64::MIN, f64::max);
            assert!((most - width / (2.0 * PI.sqrt())).abs() < 1e-14);
        }
    }
}
