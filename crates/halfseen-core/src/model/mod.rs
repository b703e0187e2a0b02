//! Defines the result of a fit: a predictor, a report, and the model file of both.

mod conditional;
mod conformal;
mod curves;
mod factor;
mod file;
mod kernel;
mod linear;
mod link;
mod note;
mod number_loss;
mod patterns;
mod predictor;
mod raw;
mod report;
mod scores;
mod sketched;
mod stop;
mod truncate;

pub use conditional::Conditional;
pub use conformal::{CalibrationRows, Conformal, ConformalIntervals, NEAREST, SAME, least_rows};
pub use curves::interpolate;
pub use curves::{AttributeCurve, Curves};
pub use factor::{Factor, One, Room};
pub use file::{Intervals, Model, Prediction};
pub use kernel::KernelExpansion;
pub use linear::Linear;
pub use link::{Curve, Link};
pub use note::Note;
pub use number_loss::NumberLoss;
pub use predictor::{Linears, PerClass, Predictor};
pub use raw::{RawCurve, RawSum};
pub use report::{BudgetKind, Outside, Report};
pub use scores::Scores;
pub use scores::largest;
pub use sketched::Sketched;
pub use stop::Stop;
pub use truncate::check_truncation;

/// Result of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Predictor, in scaled units.
    pub predictor: Predictor,
    /// Report on the fit.
    pub report: Report,
}

impl Fit {
    /// Returns the linear model, if the predictor is one.
    ///
    /// # Errors
    /// [`ErrorKind::NotLinear`](crate::ErrorKind::NotLinear).
    pub fn linear(&self) -> crate::Result<&Linear> {
        self.predictor.linear()
    }
}
