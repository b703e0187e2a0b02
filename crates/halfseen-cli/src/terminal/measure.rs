//! Chooses the error that tables and figures show.

use halfseen::data::Target;
use halfseen::select::{Comparison, CurvePoint, Score, Statistics, Summary};

/// Error that tables and figures show: the squared error, or for classes the misclassification rate
/// if some learner's score does not estimate a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Squared,
    /// Share of misclassified test rows.
    Wrong,
}

impl Measure {
    /// Returns the measure that fits a comparison.
    pub(crate) fn of(comparison: &Comparison) -> Measure {
        let told = comparison.summary.iter().any(|s| s.test_error.is_some());
        let estimated = comparison.summary.iter().all(|s| s.test_mse.is_some());
        if told && !estimated { Measure::Wrong } else { Measure::Squared }
    }

    /// Returns the measure that fits one score.
    pub(crate) fn of_score(score: &Score) -> Measure {
        if score.mse.is_none() && score.error.is_some() { Measure::Wrong } else { Measure::Squared }
    }

    /// Returns the label of an axis or a column.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Measure::Squared => "test squared error",
            Measure::Wrong => "test error",
        }
    }

    /// Returns the label of an axis, and the factor of the numbers along it.
    pub(crate) fn axis(self) -> (&'static str, f64) {
        match self {
            Measure::Squared => ("test squared error", 1.0),
            Measure::Wrong => ("test error (%)", 100.0),
        }
    }

    pub(crate) fn at(self, point: &CurvePoint) -> Option<f64> {
        match self {
            Measure::Squared => point.test_mse,
            Measure::Wrong => point.test_error,
        }
    }

    pub(crate) fn over(self, summary: &Summary) -> Option<Statistics> {
        match self {
            Measure::Squared => summary.test_mse,
            Measure::Wrong => summary.test_error,
        }
    }

    /// Returns the error of predicting the mean, or the most frequent class; larger errors are not
    /// drawn.
    pub(crate) fn of_nothing(self, target: &Target) -> f64 {
        let constant = Score::of_constant(target);
        let error = match self {
            Measure::Squared => constant.mse,
            Measure::Wrong => constant.error,
        };
        error.unwrap_or(f64::INFINITY)
    }
}
