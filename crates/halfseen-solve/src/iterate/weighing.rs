//! Draws slots in proportion to |w_j| times fixed factors, in addition to an iterate's own masses.
//!
//! With the factors sqrt(E x_j^2) one draw of <w,x> has the least second moment on average over x:
//! (sum_j |w_j| sqrt(mu_j))^2 (the heuristic of Kukliansky and Shamir 2015). Only iterates that
//! scale all slots alike support it, because a leaf may change with its slot only.

use crate::sampling::SumTree;

/// Second weighting of an iterate.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighing {
    factors: Vec<f64>,
    tree: SumTree,
}

impl Weighing {
    /// Creates a weighting with one factor >= 0 per slot; `relative` gives |w_j| up to a common
    /// scale.
    pub(super) fn new(factors: Vec<f64>, relative: impl Fn(usize) -> f64) -> Weighing {
        let tree = SumTree::filled(factors.len(), 0.0);
        let mut weighing = Weighing { factors, tree };
        weighing.refill(relative);
        weighing
    }

    /// Updates all leaves after a change of the common scale.
    pub(super) fn refill(&mut self, relative: impl Fn(usize) -> f64) {
        let factors = &self.factors;
        self.tree.refill(|j| factors[j] * relative(j));
    }

    /// Updates a changed slot; sums stay stale until [`refresh`](Weighing::refresh).
    #[inline]
    pub(super) fn write(&mut self, slot: usize, relative: f64) {
        self.tree.write(slot, self.factors[slot] * relative);
    }

    /// Recomputes the sums above the changed slots.
    #[inline]
    pub(super) fn refresh(&mut self, written: impl Iterator<Item = usize> + Clone) {
        self.tree.refresh(written);
    }

    /// Returns the slot at position `unit` in [0, 1) of the cumulated masses; `None` while all are
    /// zero.
    #[inline]
    pub fn draw(&self, unit: f64) -> Option<usize> {
        self.tree.draw(unit)
    }

    /// Returns the mass of a slot in [`draw`](Weighing::draw).
    #[inline]
    pub fn mass(&self, slot: usize) -> f64 {
        self.tree.get(slot)
    }

    /// Returns the sum of all masses.
    #[inline]
    pub fn total_mass(&self) -> f64 {
        self.tree.total()
    }
}
