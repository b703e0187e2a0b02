//! Draws slots in proportion to |w_j| times fixed factors, beside an iterate's own masses.
//!
//! With the factors sqrt(E x_j^2) this is the proportion in which one draw of <w,x> has the least
//! second moment on average over x: (sum_j |w_j| sqrt(mu_j))^2 (the heuristic of Kukliansky and
//! Shamir 2015). Only an iterate that scales all its slots alike can carry it: leaves change with
//! their slot alone.

use crate::sampling::SumTree;

/// The second weighting of an iterate.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighing {
    factors: Vec<f64>,
    tree: SumTree,
}

impl Weighing {
    /// One factor of at least 0 per slot; `relative` gives |w_j| up to a common scale.
    pub(super) fn new(factors: Vec<f64>, relative: impl Fn(usize) -> f64) -> Weighing {
        let tree = SumTree::filled(factors.len(), 0.0);
        let mut weighing = Weighing { factors, tree };
        weighing.refill(relative);
        weighing
    }

    /// Takes in a change of the common scale.
    pub(super) fn refill(&mut self, relative: impl Fn(usize) -> f64) {
        let factors = &self.factors;
        self.tree.refill(|j| factors[j] * relative(j));
    }

    /// Takes in a changed slot; the sums stay stale until [`refresh`](Weighing::refresh).
    #[inline]
    pub(super) fn write(&mut self, slot: usize, relative: f64) {
        self.tree.write(slot, self.factors[slot] * relative);
    }

    /// Recomputes the sums above the changed slots.
    #[inline]
    pub(super) fn refresh(&mut self, written: impl Iterator<Item = usize> + Clone) {
        self.tree.refresh(written);
    }

    /// The slot at position `unit` in [0, 1) of the cumulated masses; `None` while all are zero.
    #[inline]
    pub fn draw(&self, unit: f64) -> Option<usize> {
        self.tree.draw(unit)
    }

    /// The mass by which [`draw`](Weighing::draw) goes.
    #[inline]
    pub fn mass(&self, slot: usize) -> f64 {
        self.tree.get(slot)
    }

    /// The sum of all masses.
    #[inline]
    pub fn total_mass(&self) -> f64 {
        self.tree.total()
    }
}
