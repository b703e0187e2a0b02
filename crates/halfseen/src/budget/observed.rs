//! Counts in what share of rows each panel happens to be observed: where nothing is chosen, these
//! are the probabilities.
//!
//! The assumption on which the estimates stand: panel i is observed with probability pi_i,
//! independently of the other panels and of all values (missing completely at random). The mask
//! costs nothing to look at: a fit counts it beforehand, over all its rows; ask and tell counts as
//! rows come, the present one included.

use super::ledger::LARGEST_COUNT;
use crate::data::Examples;
use serde::{Deserialize, Serialize};

/// The counts; see the module's documentation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Observed {
    rows: u64,
    /// Rows in which each sampled panel was observed.
    seen: Vec<u64>,
    /// Whether the rows to come were counted beforehand: those of a fit, which is not saved.
    #[serde(skip)]
    beforehand: bool,
}

impl Observed {
    pub(super) fn new(panels: usize) -> Observed {
        Observed { rows: 0, seen: vec![0; panels], beforehand: false }
    }

    /// Counts all rows to come. Whether any of them shows anything.
    pub(super) fn count_beforehand(&mut self, examples: &Examples<'_>) -> bool {
        let mut panels = Vec::new();
        for example in 0..examples.len() {
            panels_of(examples, example, &mut panels);
            self.see(&panels);
        }
        self.beforehand = true;
        self.seen.iter().any(|&n| n > 0) || self.seen.is_empty()
    }

    /// Counts one row, unless it was counted beforehand.
    pub(super) fn see(&mut self, panels: &[u32]) {
        if !self.beforehand {
            self.rows += 1;
            panels.iter().for_each(|&panel| self.seen[panel as usize] += 1);
        }
    }

    /// pi of a panel; 0 if it was never observed.
    #[inline]
    pub(super) fn share(&self, panel: usize) -> f64 {
        self.seen[panel] as f64 / self.rows.max(1) as f64
    }

    /// Whether the numbers of a saved state can be true.
    pub(super) fn is_sound(&self, panels: usize) -> bool {
        self.rows <= LARGEST_COUNT
            && self.seen.len() == panels
            && self.seen.iter().all(|&n| n <= self.rows)
    }

    /// Shares as a test declares them.
    #[cfg(test)]
    pub(super) fn declared(rows: u64, seen: &[u64]) -> Observed {
        Observed { rows, seen: seen.to_vec(), beforehand: true }
    }
}

/// Replaces `out` by the sampled panels of which a row shows every column.
pub(super) fn panels_of(examples: &Examples<'_>, example: usize, out: &mut Vec<u32>) {
    let layout = examples.layout;
    out.clear();
    let shown = |panel: &usize| {
        layout.slots_of(*panel).all(|slot| !examples.value(example, layout.column(slot)).is_nan())
    };
    out.extend((0..layout.sampled_panels()).filter(shown).map(|panel| panel as u32));
}
