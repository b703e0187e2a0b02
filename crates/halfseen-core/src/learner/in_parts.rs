//! Defines how a learner learns from rows that come in parts, or one after the other.

use crate::data::Examples;
use crate::error::Result;
use crate::model::{Fit, Report};
use crate::params::Fill;
use halfseen_solve::Monitor;

/// Way of a learner to learn without holding all rows, which a
/// `partial::Partial` goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InParts {
    /// The fit depends on the rows only by their number, means and second moments; missing values
    /// are filled so.
    Moments(Fill),
    /// The fit depends on the rows only by sums over features of them
    /// ([`Learner::by_features`](super::Learner::by_features)).
    Features,
    /// Each row is learned from once, in their order, in one stream
    /// ([`Learner::steps`](super::Learner::steps)); what parts learned cannot be merged.
    Stream,
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
