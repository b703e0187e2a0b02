//! What a fit returns: a predictor, a report, and the model file that keeps both.

mod factor;
mod file;
mod linear;
mod report;
mod truncate;

pub use factor::{Factor, One, Room};
pub use file::{Model, Prediction};
pub use linear::Linear;
pub use report::{BudgetKind, Note, Outside, Report, Stop};
pub use truncate::check_truncation;

/// What a learner returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// How to predict, in scaled units.
    pub predictor: Linear,
    /// How it was learned.
    pub report: Report,
}
