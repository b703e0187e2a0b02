//! States what the theorems assume about the data, the reads and the rule to be found.

use super::moments::MomentNorms;
use crate::error::{ErrorKind, Result, shown};

/// The share of the examples that a first phase takes, unless another is set: of learners and of
/// plans.
pub(crate) const SHARE: f64 = 0.2;
/// The probability delta with which a first phase may mislead, unless another is set: of learners
/// and of plans.
pub(crate) const CONFIDENCE: f64 = 0.05;

/// The assumptions of the theorems, as numbers.
///
/// Attributes are in units in which |x_i| <= 1 (papers A and C's and B's lasso) and |x|_2 <=
/// [`norm`](Setting::norm) (ridge).
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// d: attributes that can be read.
    pub dims: u64,
    /// All reads of one example; papers B and C call it k + 1.
    pub budget: u64,
    /// B: the rule to be found has |w|_1 <= B or |w|_2 <= B.
    pub radius: f64,
    /// B_2 of paper A: the rule to be found has |w|_2 <= B_2 as well; `None`: B.
    pub radius2: Option<f64>,
    /// R: |x|_2 <= R. The papers take 1.
    pub norm: f64,
    /// Norms of the second moments, in the same units; `None`: as bad as the assumptions allow.
    pub moments: Option<MomentNorms>,
    /// delta: what is learned in a first phase fails with at most this probability.
    pub confidence: f64,
    /// The share of the examples that a first phase takes.
    pub phase1: f64,
}

impl Default for Setting {
    fn default() -> Self {
        Setting {
            dims: 1,
            budget: 1,
            radius: 1.0,
            radius2: None,
            norm: 1.0,
            moments: None,
            confidence: CONFIDENCE,
            phase1: SHARE,
        }
    }
}

/// The largest number of attributes: all whole numbers up to here are exact.
const MOST_DIMS: u64 = 1_000_000_000_000;

impl Setting {
    /// Refuses what no theorem can be applied to.
    ///
    /// # Errors
    /// A value out of range, or a budget that is too small or too large for the attributes.
    pub fn check(&self) -> Result<()> {
        let refuse = |name, value: f64, allowed: &str| {
            Err(ErrorKind::OutOfRange { name, value: shown(value), allowed: allowed.to_owned() }
                .into())
        };
        // Wide enough for any unit, and squares stay finite.
        let sizes = "a number from 1e-50 to 1e50";
        let size = |value: f64| (1e-50..=1e50).contains(&value);
        if !(1..=MOST_DIMS).contains(&self.dims) {
            return refuse("dims", self.dims as f64, "a whole number from 1 to 10^12");
        }
        if !size(self.radius) {
            return refuse("radius", self.radius, sizes);
        }
        if !size(self.norm) {
            return refuse("norm", self.norm, sizes);
        }
        if let Some(radius2) = self.radius2
            && !(size(radius2) && radius2 <= self.radius)
        {
            return refuse(
                "radius2",
                radius2,
                "a number above 0 and at most the radius, as |w|_2 <= |w|_1",
            );
        }
        let share = |value: f64| value > 0.0 && value < 1.0;
        if !share(self.confidence) || self.confidence < 1e-300 {
            return refuse(
                "confidence",
                self.confidence,
                "a number above 0 and below 1, such as 0.05",
            );
        }
        if !share(self.phase1) {
            return refuse("phase1", self.phase1, "a number above 0 and below 1, such as 0.2");
        }
        let length = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        if self.budget > self.dims {
            return Err(ErrorKind::BudgetTooLarge {
                budget: length(self.budget),
                panels: length(self.dims),
            }
            .into());
        }
        if self.budget < 2 && !self.reads_all() {
            let learner = "every learner".to_owned();
            return Err(ErrorKind::BudgetTooSmall {
                learner,
                budget: length(self.budget),
                least: 2,
            }
            .into());
        }
        Ok(())
    }

    /// Whether every attribute is read, so that nothing is estimated.
    pub fn reads_all(&self) -> bool {
        self.budget == self.dims
    }

    /// d.
    pub fn d(&self) -> f64 {
        self.dims as f64
    }

    /// k of papers B and C: the reads that estimate the example, one less than the budget.
    pub fn draws(&self) -> f64 {
        self.budget.saturating_sub(1).max(1) as f64
    }

    /// B R: the radius in units in which |x|_2 <= 1, as the ridge theorems have it.
    pub fn ridge_radius(&self) -> f64 {
        self.radius * self.norm
    }

    /// |mu|_{1/2} in units in which |x|_2 <= 1; d without moments, which is the most it can be.
    pub fn half_norm(&self) -> f64 {
        self.moments
            .map_or(self.d(), |moments| (moments.half / (self.norm * self.norm)).min(self.d()))
    }

    /// |mu|_1 in units in which |x_i| <= 1; d without moments.
    pub fn moment_sum(&self) -> f64 {
        self.moments.map_or(self.d(), |moments| moments.sum.min(self.d()))
    }
}
