//! Remembers how large the slopes of a smooth loss came out, which its steps go by, and why.
//!
//! The theorems' G^2 is E phi^2 times E |x~|^2. For the squares E phi^2 is bounded by norms; for a
//! series the only bound is exponential in (radius / width)^2, so the mean of the phi^2 seen stands
//! in for it, steadied by ten of 1 (the losses' exact slopes are at most 1, but for the exponential
//! one). It is looked up anew when norms are, each time the answers have become four times as many.

use super::gen_est::GenEst;
use crate::model::Note;
use serde::{Deserialize, Serialize};

/// Pseudo-answers with phi^2 = 1 by which the mean is steadied at first.
const PRIOR_SLOPES: f64 = 10.0;
/// A slope whose square has a larger mean than this is reported.
const HOPELESS: f64 = 1e4;

/// Sums over the answers, none of them infinite: files hold finite numbers. See the module's
/// documentation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SlopeStats {
    slopes: f64,
    slope_squares: f64,
    residuals: f64,
    residual_squares: f64,
    /// The E phi^2 that steps go by at present.
    pub(super) settled: f64,
}

impl SlopeStats {
    pub(super) fn new() -> SlopeStats {
        SlopeStats {
            slopes: 0.0,
            slope_squares: 0.0,
            residuals: 0.0,
            residual_squares: 0.0,
            settled: 1.0,
        }
    }

    /// Takes in one answer's slope.
    #[inline]
    pub(super) fn see_slope(&mut self, slope: f64) {
        self.slopes += 1.0;
        self.slope_squares = (self.slope_squares + slope * slope).min(f64::MAX);
    }

    /// Takes in what estimates the series' argument: their number and the sum of their squares.
    #[inline]
    pub(super) fn see_residuals(&mut self, (count, squares): (f64, f64)) {
        self.residuals += count;
        self.residual_squares = (self.residual_squares + squares).min(f64::MAX);
    }

    /// Looks the mean up.
    pub(super) fn settle(&mut self) {
        self.settled = (self.slope_squares + PRIOR_SLOPES) / (self.slopes + PRIOR_SLOPES);
    }

    /// What a reader of the report must know.
    pub(super) fn note(&self, estimator: &GenEst) -> Option<Note> {
        let square = self.residual_squares / self.residuals.max(1.0);
        let second_moment = estimator.second_moment(square);
        (second_moment > HOPELESS)
            .then(|| Note::SlopeVariance { residual: square.sqrt(), second_moment })
    }

    /// Whether the numbers of a saved state can be true.
    pub(super) fn is_sound(&self) -> bool {
        let SlopeStats { slopes, slope_squares, residuals, residual_squares, settled } = *self;
        let sums = [slopes, slope_squares, residuals, residual_squares];
        sums.iter().all(|v| v.is_finite() && *v >= 0.0) && settled.is_finite() && settled > 0.0
    }
}
