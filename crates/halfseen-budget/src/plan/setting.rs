//! States the assumptions of the theorems about data, reads and the best predictor.

use super::moments::MomentNorms;
use halfseen_core::error::{ErrorKind, Result, shown, too_few_reads, too_many_reads};

/// Default share of the examples in a first phase, of learners and of plans.
pub(crate) const SHARE: f64 = 0.2;
/// Default probability delta that a first phase misleads, of learners and of plans.
pub(crate) const CONFIDENCE: f64 = 0.05;

/// Assumptions of the theorems, as numbers.
///
/// Units of attributes are such that |x_i| <= 1 (Cesa-Bianchi et al. 2010, Kukliansky and Shamir
/// 2015, lasso of Hazan and Koren 2012) and |x|_2 <= [`norm`](Setting::norm) (ridge).
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// d: number of attributes that can be read.
    pub dims: u64,
    /// Number of all reads of one example; k + 1 in the papers of 2012 and 2015.
    pub budget: u64,
    /// B: the best predictor has |w|_1 <= B or |w|_2 <= B.
    pub radius: f64,
    /// R: |x|_2 <= R. The papers assume 1.
    pub norm: f64,
    /// Norms of the second moments, in the same units; `None` means the worst case.
    pub moments: Option<MomentNorms>,
}

impl Default for Setting {
    fn default() -> Self {
        Setting { dims: 1, budget: 1, radius: 1.0, norm: 1.0, moments: None }
    }
}

/// Largest number of attributes: all integers up to here are exact.
const MOST_DIMS: u64 = 1_000_000_000_000;

impl Setting {
    /// Refuses settings to which no theorem applies.
    ///
    /// # Errors
    /// A value out of range, or a budget that is too small or too large for the attributes.
    pub fn check(&self) -> Result<()> {
        let refuse = |name, value: f64, allowed: &str| {
            Err(ErrorKind::OutOfRange { name, value: shown(value), allowed: allowed.to_owned() }
                .into())
        };
        // Wide enough for any unit, with finite squares.
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
        if self.budget > self.dims {
            return Err(too_many_reads(self.budget, self.dims));
        }
        if self.budget < 2 && !self.reads_all() {
            return Err(too_few_reads("every learner", self.budget, 2));
        }
        Ok(())
    }

    /// Returns true if every attribute is read, so that nothing is estimated.
    pub fn reads_all(&self) -> bool {
        self.budget == self.dims
    }

    /// Returns d.
    pub fn d(&self) -> f64 {
        self.dims as f64
    }

    /// Returns k of the papers of 2012 and 2015: the reads for the example, one less than the
    /// budget.
    pub fn draws(&self) -> f64 {
        self.budget.saturating_sub(1).max(1) as f64
    }

    /// Returns B R: the radius in units with |x|_2 <= 1, as in the ridge theorems.
    pub fn ridge_radius(&self) -> f64 {
        self.radius * self.norm
    }

    /// Returns |mu|_{1/2} in units with |x|_2 <= 1; without moments its largest value, d.
    pub fn half_norm(&self) -> f64 {
        self.moments
            .map_or(self.d(), |moments| (moments.half / (self.norm * self.norm)).min(self.d()))
    }

    /// Returns |mu|_1 in units with |x_i| <= 1; d without moments.
    pub fn moment_sum(&self) -> f64 {
        self.moments.map_or(self.d(), |moments| moments.sum.min(self.d()))
    }
}
