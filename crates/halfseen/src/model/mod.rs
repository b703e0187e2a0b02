//! What a fit returns: a predictor, a report, and the model file that keeps both.

mod conditional;
mod factor;
mod file;
mod kernel;
mod linear;
mod link;
mod note;
mod predictor;
mod report;
mod scores;
mod sketched;
mod stop;
mod truncate;

pub use conditional::Conditional;
pub use factor::{Factor, One, Room};
pub use file::{Intervals, Model, Prediction};
pub use kernel::Expansion;
pub use linear::Linear;
pub use link::{Curve, Link};
pub use note::Note;
pub use predictor::{Linears, Predictor};
pub use report::{BudgetKind, Outside, Report};
pub use scores::Scores;
pub use sketched::Sketched;
pub use stop::Stop;
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
