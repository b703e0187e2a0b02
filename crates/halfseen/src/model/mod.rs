//! What a fit returns: a predictor, a report, and the model file that keeps both.

mod factor;
mod file;
mod kernel;
mod linear;
mod predictor;
mod report;
mod sketched;
mod truncate;

pub use factor::{Factor, One, Room};
pub use file::{Model, Prediction};
pub use kernel::Expansion;
pub use linear::Linear;
pub use sketched::Sketched;
pub use predictor::{Linears, Predictor, Scores};
pub use report::{BudgetKind, Note, Outside, Report, Stop};
pub use truncate::check_truncation;

/// What a learner returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// How to predict, in scaled units.
    pub predictor: Predictor,
    /// How it was learned.
    pub report: Report,
}

impl Fit {
    /// The weighted sum that was learned, where it is one.
    ///
    /// # Errors
    /// [`ErrorKind::NotLinear`](crate::ErrorKind::NotLinear).
    pub fn linear(&self) -> crate::Result<&Linear> {
        self.predictor.linear()
    }
}
