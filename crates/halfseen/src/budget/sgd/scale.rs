//! Scales attributes by their own reads as they come, where nobody declared how large they are.
//!
//! [`Layout::scaled_by_reads`] says so: an honest fit without bounds and moments, or ask and tell
//! without them. Weights v_j are then kept for attributes in units of their own, (x_j - c_j) / s_j,
//! where s_j is three times the sample deviation of the reads of j (with `centre = none` three
//! times the root of their mean square about 0), and what is asked for, told and predicted is in
//! the units of the values: w_j = v_j / s_j. So the radius bounds weights that can be compared, and
//! every E x_j^2 is 1/9: theory's norms are known before the first read but for the target's.
//!
//! - *No look ahead.* A query carries v_j / s_j and c_j as they are when it is asked, and its
//!   product is <w,x> of the predictor that would have been handed out then. The gradient of an
//!   answer divides by the s_j that takes in the value itself, so that no value is longer than the
//!   root of the number of reads, however large it is (as in normalised online learning).
//! - *When s_j moves, v_j stays*, and w_j moves with s_j. After n reads one more moves s_j by a
//!   share of order 1/n, which is less than a step does; `Sgd::predictor` divides the averaged v_j
//!   by the last s_j. Nothing has to be rewritten: O(1) for each read.
//! - Before four reads of j nothing is known of s_j and v_j stays 0. An attribute that showed one
//!   value only has no size, and no weight.
//!
//! S. Ross, P. Mineiro and J. Langford, "Normalized Online Learning", UAI 2013.

use super::Sgd;
use crate::budget::recipe::{Proportions, Recipe, Source};
use crate::budget::step_size::Norms;
use crate::data::Layout;
use crate::learner::{ColumnTerm, Query};
use crate::loss::Loss;
use crate::params::Centre;
use halfseen_solve::iterate::Iterate;

/// Deviations by which a value is divided: nearly all of them then lie in [-1, 1], as those do that
/// are scaled by a declared range.
const DEVIATIONS: f64 = 3.0;
/// The second moment of an attribute in such units.
pub(super) const UNIT_SQUARE: f64 = 1.0 / (DEVIATIONS * DEVIATIONS);

/// Whether a learner scales by its reads: not where a parameter says how large attributes are.
pub(super) fn by_reads(recipe: &Recipe, layout: &Layout) -> bool {
    let declared = match recipe.draws.as_ref().map(|d| &d.proportions) {
        Some(Proportions::Optimal(Source::Given(_))) => true,
        Some(Proportions::Optimal(Source::FirstPhase(phases))) => phases.moment_norm.is_some(),
        _ => matches!(recipe.loss, Loss::Logistic { norm_bound } if norm_bound.is_finite()),
    };
    layout.scaled_by_reads() && !declared && recipe.centre != Centre::Given
}

impl<I: Iterate> Sgd<I> {
    /// The unit of a slot that is scaled, with one more read if it is given; 0 while its reads do
    /// not tell.
    #[inline]
    pub(super) fn size(&self, slot: usize, more: Option<f64>) -> f64 {
        DEVIATIONS * self.state.running.size(slot, self.recipe.centre != Centre::None, more)
    }

    /// A weight for scaled values as one for the values themselves.
    #[inline]
    pub(super) fn raw(&self, slot: usize, weight: f64) -> f64 {
        if !self.scaled {
            return weight;
        }
        let size = self.size(slot, None);
        if size > 0.0 { weight / size } else { 0.0 }
    }

    /// How far a value is from its centre, in units of the attribute where it is scaled; 0 while
    /// they are not known.
    #[inline]
    pub(super) fn deviation(&self, slot: usize, part: ColumnTerm, value: f64) -> f64 {
        let deviation = self.unscaled(slot, part, value);
        if !self.scaled || deviation == 0.0 {
            return deviation;
        }
        let size = self.size(slot, Some(value));
        if size > 0.0 { deviation / size } else { 0.0 }
    }

    /// How far a value is from its centre.
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

    /// Replaces `known` by the values of an answer that cost nothing. They come first.
    pub(super) fn read_known(&self, query: &Query, values: &[f64], known: &mut Vec<f64>) {
        let reads = query.reads.iter().take(self.layout.panels() - self.layout.sampled_panels());
        let slots = reads.flat_map(|read| self.layout.slots_of(read.panel as usize));
        known.clear();
        known.extend(
            slots
                .zip(&query.parts)
                .zip(values)
                .map(|((slot, part), value)| self.deviation(slot, *part, *value)),
        );
    }

    /// The norms of attributes in units of their own.
    pub(super) fn unit_norms(&self, target: f64) -> Norms {
        let slots = self.layout.sampled_slots();
        let known = (self.layout.slots() - slots) as f64 * UNIT_SQUARE
            + f64::from(u8::from(self.recipe.intercept));
        self.norms(slots as f64 * UNIT_SQUARE, UNIT_SQUARE, known, target)
    }
}
