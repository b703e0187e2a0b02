//! Counts the share of rows in which each panel is observed, the probabilities of passive learners.
//!
//! The estimates assume that panel i is observed with probability pi_i, independently of the other
//! panels and of all values (missing completely at random). Looking at the mask costs nothing: a
//! fit counts it beforehand over all its rows; ask and tell count as rows come, the present one
//! included.

use super::ledger::LARGEST_COUNT;
use crate::data::Examples;
use serde::{Deserialize, Serialize};

/// Estimates how often each panel is observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    rows: u64,
    /// Number of rows in which each sampled panel was observed.
    seen: Vec<u64>,
    /// True if the rows to come were counted beforehand, as in a fit (which is not saved).
    #[serde(skip)]
    beforehand: bool,
}

impl Observed {
    /// Creates counts of no rows.
    pub fn new(panels: usize) -> Observed {
        Observed { rows: 0, seen: vec![0; panels], beforehand: false }
    }

    /// Counts all rows to come. Returns true if any panel is observed, or there are none.
    pub fn count_beforehand(&mut self, examples: &Examples<'_>) -> bool {
        let mut panels = Vec::new();
        for example in 0..examples.len() {
            panels_of(examples, example, &mut panels);
            self.see(&panels);
        }
        self.beforehand = true;
        self.seen.iter().any(|&n| n > 0) || self.seen.is_empty()
    }

    /// Counts one row, unless it was counted beforehand.
    pub fn see(&mut self, panels: &[u32]) {
        if !self.beforehand {
            self.rows += 1;
            panels.iter().for_each(|&panel| self.seen[panel as usize] += 1);
        }
    }

    /// Returns pi of a panel; 0 if it was never observed.
    #[inline]
    pub fn share(&self, panel: usize) -> f64 {
        self.seen[panel] as f64 / self.rows.max(1) as f64
    }

    /// Returns true if saved numbers are consistent.
    pub fn is_sound(&self, panels: usize) -> bool {
        self.rows <= LARGEST_COUNT
            && self.seen.len() == panels
            && self.seen.iter().all(|&n| n <= self.rows)
    }

    /// Returns shares that were declared.
    pub fn declared(rows: u64, seen: &[u64]) -> Observed {
        Observed { rows, seen: seen.to_vec(), beforehand: true }
    }
}

/// Replaces `out` by the sampled panels all of whose columns are observed in a row.
pub(crate) fn panels_of(examples: &Examples<'_>, example: usize, out: &mut Vec<u32>) {
    let layout = examples.layout;
    out.clear();
    let shown = |panel: &usize| {
        layout.slots_of(*panel).all(|slot| !examples.value(example, layout.column(slot)).is_nan())
    };
    out.extend((0..layout.sampled_panels()).filter(shown).map(|panel| panel as u32));
}
