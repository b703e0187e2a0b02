//! Forecasts what more subjects buy, from the curve of the learner's own error.
//!
//! The error with n examples is taken as a + b / n with b >= 0, as for an average of n terms. The
//! examples of a point of the curve are among those of every later point, so the errors of two
//! points covary by the variance of the later one, and differences between neighbours are
//! independent of each other and of the last error. Generalised least squares then has a short
//! form: b is fitted to the differences, and the curve passes through its last point. Of b only the
//! part that exceeds its noise is used, b (1 - (its standard error / b)^2), 0 if negative (James and
//! Stein 1961): without that, forecasts were worse than "the error stays as it is".

use crate::curve::{Curve, CurvePoint, NINETY, WIDER};
use serde::Serialize;

/// Number of examples more that is forecast if nobody says another.
pub const MORE: u64 = 100;

/// Share of the target's variance below which what more subjects buy does not pay.
pub(crate) const WORTH: f64 = 0.01;

/// Error to expect with more subjects.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Forecast {
    /// Number of examples more.
    pub more: u64,
    /// Number of examples then.
    pub examples: u64,
    /// Mean squared error then, in the target's units squared.
    pub error: Range,
    /// Decrease of the error from now.
    pub gain: Range,
    /// Money for them, by what the present design asks, subjects without a target included.
    pub cost: f64,
    /// Number of examples from which on as many more lower the error by less than 1 % of the
    /// target's variance; the ends by the ends of `gain`. 0 if they do so from the first on.
    pub enough: Range,
}

/// Estimate, and an interval that is meant to hold the truth nine times of ten.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// Estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Curve {
    /// Returns the forecast for as many examples more; `None` with fewer than two points that have
    /// an error and its standard error.
    pub fn forecast(&self, more: u64) -> Option<Forecast> {
        let known: Vec<Known> = self.points.iter().filter_map(Known::of).collect();
        let (last, point) = (*known.last()?, self.points.last()?);
        // The curve is that of the present only if its last point has an error.
        Known::of(point)?;
        let slope = Slope::of(&known)?;
        let (now, more_examples) = (point.examples as f64, more as f64);
        let saved = 1.0 / now - 1.0 / (now + more_examples);
        let end = |side: f64| (slope.b + side * NINETY * slope.error).max(0.0);
        let (low, b, high) = (end(-1.0), slope.beyond_noise(), end(1.0));
        let spread = WIDER * WIDER * last.variance + (saved * slope.error).powi(2);
        let error = last.error - saved * b;
        let side = NINETY * spread.sqrt();
        let enough = |b: f64| enough(b, more_examples, WORTH * self.variance);
        Some(Forecast {
            more,
            examples: point.examples + more,
            error: Range {
                estimate: error.max(0.0),
                low: (error - side).max(0.0),
                high: (error + side).max(0.0),
            },
            gain: Range { estimate: saved * b, low: saved * low, high: saved * high },
            cost: self.price * more_examples,
            enough: Range { estimate: enough(b), low: enough(low), high: enough(high) },
        })
    }
}

/// Error of a point, with its variance.
#[derive(Debug, Clone, Copy)]
struct Known {
    inverse: f64,
    error: f64,
    variance: f64,
}

impl Known {
    fn of(point: &CurvePoint) -> Option<Known> {
        let (error, standard) = (point.error?, point.standard_error?);
        let inverse = 1.0 / point.examples as f64;
        Some(Known { inverse, error, variance: standard * standard })
    }
}

/// The b of a + b / n, and its standard error.
#[derive(Debug, Clone, Copy)]
struct Slope {
    b: f64,
    error: f64,
}

impl Slope {
    fn of(known: &[Known]) -> Option<Slope> {
        let (mut weight, mut sum) = (0.0, 0.0);
        let steps: Vec<(f64, f64, f64)> = known
            .windows(2)
            .map(|pair| {
                let (x, fall) = (pair[0].inverse - pair[1].inverse, pair[0].error - pair[1].error);
                (x, fall, difference(pair[0].variance, pair[1].variance))
            })
            .collect();
        for (x, fall, variance) in &steps {
            weight += x * x / variance;
            sum += x * fall / variance;
        }
        if !(weight > 0.0 && weight.is_finite()) {
            return None;
        }
        let b = sum / weight;
        // Differences that scatter more about the line than their variances say make it less
        // certain by as much.
        let scatter: f64 =
            steps.iter().map(|(x, fall, variance)| (fall - b * x).powi(2) / variance).sum();
        let excess = (scatter / (steps.len() as f64 - 1.0).max(1.0)).max(1.0);
        Some(Slope { b, error: (excess / weight).sqrt() })
    }

    fn beyond_noise(self) -> f64 {
        if self.b <= self.error {
            return 0.0;
        }
        self.b * (1.0 - (self.error / self.b).powi(2))
    }
}

/// Returns the variance of the difference of two neighbours. It cannot be below that of the
/// examples which only the later has, about half of them.
fn difference(earlier: f64, later: f64) -> f64 {
    (earlier - later).max(0.5 * earlier).max(f64::MIN_POSITIVE)
}

/// Returns n from which on b / n - b / (n + more) is below `worth`.
fn enough(b: f64, more: f64, worth: f64) -> f64 {
    if b <= 0.0 || worth <= 0.0 {
        return 0.0;
    }
    // n (n + more) = b more / worth
    let n = 0.5 * ((more * more + 4.0 * b * more / worth).sqrt() - more);
    n.ceil().max(0.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests
mod tests {
    use super::*;
    use crate::curve::OwnTest;

    fn curve(points: &[(u64, f64, f64)]) -> Curve {
        let point = |&(examples, error, standard): &(u64, f64, f64)| CurvePoint {
            examples,
            reads: 4 * examples,
            cost: 2.5 * examples as f64,
            error: Some(error),
            standard_error: Some(standard),
            low: None,
            high: None,
        };
        let points = points.iter().map(point).collect();
        Curve { test: OwnTest::HeldOut, points, variance: 10.0, price: 2.5 }
    }

    #[test]
    fn an_exact_curve_is_continued() {
        // 2 + 300 / n, with hardly any noise.
        let at = |n: u64| (n, 2.0 + 300.0 / n as f64, 1e-6 / (n as f64).sqrt());
        let curve = curve(&[at(50), at(100), at(200), at(400)]);
        let found = curve.forecast(100).unwrap();
        assert!((found.error.estimate - 2.6).abs() < 1e-5, "{found:?}");
        assert!((found.gain.estimate - 0.15).abs() < 1e-5, "{found:?}");
        assert_eq!((found.examples, found.cost), (500, 250.0));
        // n (n + 100) = 300 * 100 / 0.1 at n = 500.
        assert!((found.enough.estimate - 500.0).abs() < 2.0, "{found:?}");
        let twice = curve.forecast(400).unwrap();
        assert!((twice.error.estimate - 2.375).abs() < 1e-5, "{twice:?}");
    }

    #[test]
    fn a_curve_that_rises_or_is_noise_is_forecast_to_stay() {
        let rising = curve(&[(50, 3.0, 0.5), (100, 3.5, 0.3), (200, 4.0, 0.2)]);
        let found = rising.forecast(100).unwrap();
        assert_eq!((found.error.estimate, found.gain.estimate, found.gain.low), (4.0, 0.0, 0.0));
        // A fall by a tenth of its noise.
        let noise = curve(&[(50, 4.1, 1.0), (100, 4.0, 0.9)]);
        let found = noise.forecast(100).unwrap();
        assert_eq!((found.gain.estimate, found.enough.estimate), (0.0, 0.0));
        assert!(found.gain.high > 0.0 && found.enough.high > 0.0, "{found:?}");
        assert!(found.error.high - found.error.estimate >= 2.0 * 1.6449 * 0.9, "{found:?}");
    }

    #[test]
    fn one_point_or_one_without_an_error_has_no_forecast() {
        assert_eq!(curve(&[(50, 3.0, 0.5)]).forecast(100), None);
        let mut last = curve(&[(50, 3.0, 0.5), (100, 2.0, 0.3), (200, 1.5, 0.2)]);
        last.points[2].error = None;
        assert_eq!(last.forecast(100), None);
        assert_eq!(curve(&[]).forecast(100), None);
    }

    #[test]
    fn ends_enclose_their_estimates() {
        for fall in [0.0, 0.3, 0.6, 1.0, 3.0] {
            let curve = curve(&[(50, 4.0 + fall, 1.0), (100, 4.0, 0.6), (200, 3.9, 0.3)]);
            let found = curve.forecast(100).unwrap();
            for range in [found.error, found.gain, found.enough] {
                assert!(range.low <= range.estimate && range.estimate <= range.high, "{range:?}");
            }
        }
    }
}
