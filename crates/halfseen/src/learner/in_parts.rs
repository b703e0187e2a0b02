//! Defines how a learner learns from rows that come in parts.

use crate::data::{Examples, Layout, Moments};
use crate::error::Result;
use crate::model::{Fit, Predictor, Report};
use crate::params::Fill;
use halfseen_solve::Monitor;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Way of a learner to learn from parts of the rows, which a [`Partial`](crate::partial::Partial)
/// goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InParts {
    /// The fit depends on the rows only by their number, means and second moments; missing values
    /// are filled so.
    Moments(Fill),
    /// Each row is learned from once ([`Learner::steps`](super::Learner::steps)). The model of
    /// several parts is the average of theirs, an approximation; one more pass measures its losses
    /// where the learner has bounds ([`Learner::by_losses`](super::Learner::by_losses)).
    Steps,
    /// The fit depends on the rows only by sums over features of them
    /// ([`Learner::by_features`](super::Learner::by_features)).
    Features,
    /// Its reads are kept, and learned from when all parts are there: it
    /// [observes](super::AskTell::observe).
    Reads,
}

/// Facts of all rows, which are known before the first row of a part is learned from.
#[derive(Debug)]
pub struct PartFacts<'a> {
    /// Panels.
    pub layout: &'a Arc<Layout>,
    /// Number of rows of the part.
    pub rows: u64,
    /// Means and second moments of the scaled columns over all rows; `None` where the learner may
    /// not know them.
    pub moments: Option<&'a Moments>,
    /// Mean of the squared targets of all rows, in scaled units.
    pub target_square: f64,
    /// Bound on the squared length of a scaled row.
    pub longest_square: f64,
    /// Number of classes; 0 for numbers.
    pub classes: usize,
}

/// A fit that goes through rows once, batch by batch, in their order, and keeps none.
pub trait Steps: Send {
    /// Learns from each row of a batch.
    ///
    /// # Errors
    /// As [`Learner::fit`](super::Learner::fit).
    fn learn(&mut self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<()>;

    /// Returns the fit to the rows so far, after the last of them.
    ///
    /// # Errors
    /// Numerical failure.
    fn fit(&mut self, monitor: &dyn Monitor) -> Result<Fit>;

    /// Returns a lower bound on the mean loss over these rows, whatever the model, after the fit; `None`
    /// of a learner that has none.
    fn bound(&self) -> Option<f64> {
        None
    }
}

/// Sum of the losses of a model over some rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SumOfLosses {
    /// The sum.
    pub sum: f64,
    /// Number of rows whose loss may be larger.
    pub unproven: u64,
}

/// Models of which the one of least loss over all rows is taken.
pub trait ByLosses: Send {
    /// Returns the models: the average of parts, then others.
    fn models(&self) -> &[Predictor];

    /// Returns for each model the sum of its losses on the rows of a batch.
    ///
    /// # Errors
    /// As [`Learner::fit`](super::Learner::fit).
    fn losses(&self, examples: &Examples<'_>) -> Result<Vec<SumOfLosses>>;
}

/// Features of some rows.
#[derive(Debug)]
pub struct FeatureRows {
    /// Features and outputs of each row, one row after the other.
    pub numbers: Vec<f64>,
    /// A sum over the rows beside, of which [`ByFeatures::fit`] gets the mean.
    pub size: f64,
    /// Report on what was observed.
    pub report: Report,
}

/// A fit that depends on the rows only by the number, means and second moments of features and outputs.
pub trait ByFeatures: Send {
    /// Returns the number of features and outputs of a row.
    fn width(&self) -> usize;

    /// Returns the features and outputs of each row.
    ///
    /// # Errors
    /// As [`Learner::fit`](super::Learner::fit).
    fn rows(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<FeatureRows>;

    /// Fits to rows of features and outputs, each of this weight, which are equivalent to all rows;
    /// `size` is the mean of [`FeatureRows::size`] over these. The report counts no example.
    ///
    /// # Errors
    /// As [`Learner::fit`](super::Learner::fit).
    fn fit(&self, rows: (&[Vec<f64>], f64), size: f64, monitor: &dyn Monitor) -> Result<Fit>;
}
