//! Fits the link from a linear predictor to the probability of a class, to partially read examples.
//!
//! P(y = +1 | x) = curve(a + b s), s = <w, x - mean> + centre. Only x_o of an example was read;
//! under the factor model s given x_o is normal with mean m_o and variance v_o (see
//! [`Conditional`]), so P(y = +1 | x_o) = curve((a + b m_o) / sqrt(1 + c b^2 v_o)) with c = 1 for
//! the probit and, approximately, c = pi / 8 for the logistic curve. a and b maximise the
//! likelihood of the classes given the reads.
//!
//! A normal prior of standard deviation 10, on a at the mean of s and on b times the standard
//! deviation of s, keeps both finite if a threshold separates the classes.

use halfseen_core::model::{Conditional, Curve, Link};

/// 1 / the prior's variance.
const PRIOR: f64 = 0.01;
/// Steps of the ascent.
const STEPS: usize = 100;
/// Halvings of one step.
const HALVINGS: usize = 30;

/// Linear predictor of one example given its reads, and its class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    /// m_o.
    pub(crate) mean: f64,
    /// v_o.
    pub(crate) variance: f64,
    /// -1 or +1.
    pub(crate) sign: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Calibration {
    pub(crate) curve: Curve,
    /// a.
    pub(crate) constant: f64,
    /// b.
    pub(crate) slope: f64,
    /// Mean log-likelihood of the classes it was fitted to, without the prior.
    pub(crate) likelihood: f64,
}

impl Calibration {
    /// Fits the curve of largest likelihood, under the weak prior. Without pairs, or with pairs of
    /// one mean, the slope is 0.
    pub(crate) fn fit(curve: Curve, pairs: &[Pair]) -> Calibration {
        let count = pairs.len().max(1) as f64;
        let centre = pairs.iter().map(|p| p.mean).sum::<f64>() / count;
        let square =
            pairs.iter().map(|p| (p.mean - centre).powi(2) + p.variance).sum::<f64>() / count;
        let unit = if square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 };
        let standard: Vec<Pair> = pairs
            .iter()
            .map(|p| Pair {
                mean: (p.mean - centre) / unit,
                variance: p.variance / (unit * unit),
                ..*p
            })
            .collect();
        let prior = |a: f64, b: f64| 0.5 * PRIOR * (a * a + b * b);
        let (mut a, mut b) = (0.0, 0.0);
        let mut objective = sum(curve, a, b, &standard) - prior(a, b);
        for _ in 0..STEPS {
            let (gradient, [aa, ab, bb]) = slopes(curve, a, b, &standard);
            let gradient = [gradient[0] - PRIOR * a, gradient[1] - PRIOR * b];
            let (aa, bb) = (aa + PRIOR, bb + PRIOR);
            let determinant = aa * bb - ab * ab;
            let step = [
                (bb * gradient[0] - ab * gradient[1]) / determinant,
                (aa * gradient[1] - ab * gradient[0]) / determinant,
            ];
            let better = (0..HALVINGS).map(|h| 0.5_f64.powi(h as i32)).find_map(|size| {
                let (a, b) = (a + size * step[0], b + size * step[1]);
                let value = sum(curve, a, b, &standard) - prior(a, b);
                (value > objective).then_some((a, b, value))
            });
            let Some((next_a, next_b, value)) = better else { break };
            let gain = value - objective;
            (a, b, objective) = (next_a, next_b, value);
            if gain <= 1e-13 * (1.0 + objective.abs()) {
                break;
            }
        }
        let slope = b / unit;
        let likelihood = sum(curve, a, b, &standard) / count;
        Calibration { curve, constant: a - slope * centre, slope, likelihood }
    }

    /// Adds this link to a plain predictor; `centre` was subtracted from the targets -1 and +1.
    pub(crate) fn link(&self, mut plain: Conditional, centre: f64) -> Conditional {
        plain.linear.weights.iter_mut().chain(&mut plain.deviations).for_each(|w| *w *= self.slope);
        plain.linear.intercept = self.constant + self.slope * plain.linear.intercept - centre;
        plain.link = Some(Link { curve: self.curve, centre });
        plain
    }
}

/// Returns the log-likelihood of the classes.
fn sum(curve: Curve, a: f64, b: f64, pairs: &[Pair]) -> f64 {
    pairs
        .iter()
        .map(|p| curve.log(p.sign * (a + b * p.mean) / curve.flattening(b * b * p.variance)).0)
        .sum()
}

/// Returns its gradient, and minus its Hessian without the second derivatives of the curve's
/// argument: (aa, ab, bb), positive definite.
fn slopes(curve: Curve, a: f64, b: f64, pairs: &[Pair]) -> ([f64; 2], [f64; 3]) {
    let (mut gradient, mut hessian) = ([0.0; 2], [0.0; 3]);
    for p in pairs {
        let flat = curve.flattening(b * b * p.variance);
        let by_a = 1.0 / flat;
        let by_b = (p.mean - a * b * p.variance * curve.per_variance()) / (flat * flat * flat);
        let (_, slope, bend) = curve.log(p.sign * (a + b * p.mean) / flat);
        gradient[0] += p.sign * slope * by_a;
        gradient[1] += p.sign * slope * by_b;
        hessian[0] += bend * by_a * by_a;
        hessian[1] += bend * by_a * by_b;
        hessian[2] += bend * by_b * by_b;
    }
    (gradient, hessian)
}

#[cfg(test)]
mod tests;
