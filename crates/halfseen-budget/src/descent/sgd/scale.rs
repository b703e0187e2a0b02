//! Scales attributes by their own reads, if no bounds on them are declared.
//!
//! This applies if [`Layout::scaled_by_reads`] is true: an honest fit, or ask and tell, without
//! bounds and moments. Weights v_j then belong to attributes in units of their own, (x_j - c_j) /
//! s_j. s_j is three times the sample standard deviation of the reads of j (with `centre = none`
//! three times the root of their mean square about 0). Queries, answers and predictions are in the
//! units of the values: w_j = v_j / s_j. So the radius bounds comparable weights, and every E x_j^2
//! is 1/9: theory's norms are known before the first read, except for the target's.
//!
//! - *No look ahead.* A query carries the v_j / s_j and c_j of the time it is asked, and its
//!   product is <w,x> of the predictor at that time. The gradient of an answer divides by the s_j
//!   that includes the value itself, so that no scaled value, however large, exceeds the root of
//!   the number of reads (as in normalised online learning).
//! - *When s_j changes, v_j stays*, and w_j changes with s_j. After n reads one more changes s_j by
//!   a share of order 1/n, less than a step does. `Sgd::predictor` divides the averaged v_j by the
//!   last s_j. Nothing needs to be rewritten: O(1) per read.
//! - Before four reads of j, s_j is unknown and v_j stays 0. An attribute with only one distinct
//!   value has no size, and no weight.
//!
//! S. Ross, P. Mineiro and J. Langford, "Normalized Online Learning", UAI 2013.

use super::Sgd;
use crate::descent::recipe::{DrawMoments, Proportions, Recipe};
use crate::descent::step_size::Norms;
use halfseen_core::data::Layout;
use halfseen_core::learner::{ColumnTerm, Query};
use halfseen_core::loss::Loss;
use halfseen_core::params::Centre;
use halfseen_solve::iterate::Iterate;

/// Number of standard deviations in a unit, so that nearly all values lie in [-1, 1], as if scaled
/// by a declared range.
const DEVIATIONS: f64 = 3.0;
/// Second moment of an attribute in such units.
pub(super) const UNIT_SQUARE: f64 = 1.0 / (DEVIATIONS * DEVIATIONS);

/// Returns true if a learner scales by its reads, which it does not if a parameter states the size
/// of attributes.
pub(super) fn by_reads(recipe: &Recipe, layout: &Layout) -> bool {
    let declared = match recipe.draws.as_ref().map(|d| &d.proportions) {
        Some(Proportions::Optimal(DrawMoments::Given(_))) => true,
        Some(Proportions::Optimal(DrawMoments::FirstPhase(phases))) => phases.moment_norm.is_some(),
        _ => matches!(recipe.loss, Loss::Logistic { norm_bound } if norm_bound.is_finite()),
    };
    layout.scaled_by_reads() && !declared && recipe.centre != Centre::Given
}

impl<I: Iterate> Sgd<I> {
    /// Returns the unit of a scaled slot, with one more read if given; 0 while it is unknown.
    #[inline]
    pub(super) fn size(&self, slot: usize, more: Option<f64>) -> f64 {
        DEVIATIONS * self.state.running.size(slot, self.recipe.centre != Centre::None, more)
    }

    /// Converts a weight for scaled values into one for the values themselves.
    #[inline]
    pub(super) fn raw(&self, slot: usize, weight: f64) -> f64 {
        if !self.scaled {
            return weight;
        }
        let size = self.size(slot, None);
        if size > 0.0 { weight / size } else { 0.0 }
    }

    /// Returns a deviation in units of the attribute, if it is scaled; 0 while these are unknown.
    #[inline]
    pub(super) fn in_units(&self, slot: usize, deviation: f64, value: f64) -> f64 {
        if !self.scaled || deviation == 0.0 {
            return deviation;
        }
        let size = self.size(slot, Some(value));
        if size > 0.0 { deviation / size } else { 0.0 }
    }

    /// Returns the deviation of a value from its centre, in units of the attribute if it is scaled.
    #[inline]
    pub(super) fn deviation(&self, slot: usize, part: ColumnTerm, value: f64) -> f64 {
        self.in_units(slot, self.unscaled(slot, part, value), value)
    }

    /// Returns the deviation of a value from its centre.
    #[inline]
    pub(super) fn unscaled(&self, slot: usize, part: ColumnTerm, value: f64) -> f64 {
        let running = self.recipe.centre == Centre::Running
            && (self.scaled || slot < self.layout.sampled_slots());
        if running {
            self.state.running.deviation(slot, part.centre, value)
        } else {
            value - part.centre
        }
    }

    /// Writes the known values of an answer, which come first, to `free`.
    #[inline]
    pub(super) fn read_known(&mut self, query: &Query, values: &[f64]) {
        let mut free = std::mem::take(&mut self.free);
        free.clear();
        let known = query.cells(&self.layout, values).take(self.state.known.len());
        free.extend(known.map(|(_, slot, part, value)| self.deviation(slot, part, value)));
        self.free = free;
    }

    /// Returns the norms of attributes in units of their own.
    pub(super) fn unit_norms(&self, target: f64) -> Norms {
        let slots = self.layout.sampled_slots();
        let known = (self.layout.slots() - slots) as f64 * UNIT_SQUARE
            + f64::from(u8::from(self.recipe.intercept));
        self.norms(slots as f64 * UNIT_SQUARE, UNIT_SQUARE, known, target)
    }
}
