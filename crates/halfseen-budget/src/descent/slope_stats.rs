//! Records the size of a smooth loss's slopes, for its step sizes and for a note in the report.
//!
//! The theorems' G^2 is E phi^2 times E |x~|^2. For the squared loss norms bound E phi^2. For a
//! series the only bound is exponential in (radius / width)^2, so the mean of the observed phi^2
//! replaces it, smoothed by ten values of 1 (exact slopes are at most 1, except for the exponential
//! loss). It is updated with the norms, each time the number of answers has become four times as
//! large.

use super::gen_est::GenEst;
use halfseen_core::model::Note;
use serde::{Deserialize, Serialize};

/// Number of pseudo-answers with phi^2 = 1 that smooth the mean.
const PRIOR_SLOPES: f64 = 10.0;
/// Threshold for the mean of the squared slope, above which it is reported.
const HOPELESS: f64 = 1e4;
/// Larger numbers are shown as more than this.
const LARGEST_SHOWN: f64 = 1e300;

/// Sums over the answers, kept finite because files hold finite numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlopeStats {
    slopes: f64,
    slope_squares: f64,
    residuals: f64,
    residual_squares: f64,
    /// Current E phi^2 of the steps.
    pub(crate) settled: f64,
}

impl SlopeStats {
    pub(crate) fn new() -> SlopeStats {
        SlopeStats {
            slopes: 0.0,
            slope_squares: 0.0,
            residuals: 0.0,
            residual_squares: 0.0,
            settled: 1.0,
        }
    }

    #[inline]
    pub(crate) fn see_slope(&mut self, slope: f64) {
        self.slopes += 1.0;
        self.slope_squares = (self.slope_squares + slope * slope).min(f64::MAX);
    }

    /// Adds estimates of the series' argument, as their number and sum of squares.
    #[inline]
    pub(crate) fn see_residuals(&mut self, (count, squares): (f64, f64)) {
        self.residuals += count;
        self.residual_squares = (self.residual_squares + squares).min(f64::MAX);
    }

    pub(crate) fn settle(&mut self) {
        self.settled = (self.slope_squares + PRIOR_SLOPES) / (self.slopes + PRIOR_SLOPES);
    }

    /// Returns a note for the report if slopes vary too much.
    pub(crate) fn note(&self, estimator: &GenEst) -> Option<Note> {
        let square = self.residual_squares / self.residuals.max(1.0);
        let second_moment = estimator.second_moment(square);
        (second_moment > HOPELESS).then(|| {
            let residual = square.sqrt();
            let text = format!(
                "the estimated slopes are too noisy to learn from: their mean square is {}{:.0e} (exact slopes: about 1); single draws \
                 estimate the scaled residual with a root mean square of {}; raise smoothing_width or lower radius",
                if second_moment < LARGEST_SHOWN { "about " } else { "more than " },
                second_moment.min(LARGEST_SHOWN),
                if residual < 1e6 { format!("{residual:.1}") } else { format!("{residual:.0e}") },
            );
            Note::on_data("slope-variance", text)
        })
    }

    /// Returns true if saved numbers are consistent.
    pub(crate) fn is_sound(&self) -> bool {
        let SlopeStats { slopes, slope_squares, residuals, residual_squares, settled } = *self;
        let sums = [slopes, slope_squares, residuals, residual_squares];
        sums.iter().all(|v| v.is_finite() && *v >= 0.0) && settled.is_finite() && settled > 0.0
    }
}
