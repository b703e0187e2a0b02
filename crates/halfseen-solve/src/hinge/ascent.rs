//! Ascends the dual of a hinge problem by one variable at a time, over all or some of its examples.

use super::gram::Columns;
use crate::sampling::{Purpose, Stream};
use crate::vectors::add_multiple;

/// Examples of a round, renumbered; all others keep their dual variables.
pub(super) struct Block<'a> {
    pub(super) columns: &'a Columns<'a>,
    pub(super) y: Vec<f64>,
    pub(super) c: Vec<f64>,
    pub(super) a: Vec<f64>,
    /// y s - K (y a) over all examples; updated by columns of K.
    pub(super) f: Vec<f64>,
    order: Vec<usize>,
    seed: u64,
    number: u64,
    /// Least gain for which a variable is updated.
    threshold: f64,
    /// Reused memory for the factors of Newton steps.
    pub(super) room: Vec<f64>,
    /// True if the last factorisation failed.
    pub(super) failed: bool,
}

/// Share of the largest gain of a pass below which the next pass skips a variable: a gain costs
/// O(1), an update O(n).
const WORTH: f64 = 0.05;

impl<'a> Block<'a> {
    /// Creates a block; `number` selects the order of the first pass.
    pub(super) fn new(
        columns: &'a Columns<'a>,
        [y, c, a, f]: [Vec<f64>; 4],
        seed: u64,
        number: u64,
    ) -> Block<'a> {
        let order = (0..y.len()).collect();
        let (threshold, room, failed) = (0.0, Vec::new(), false);
        let mut block = Block { columns, y, c, a, f, order, seed, number, threshold, room, failed };
        block.threshold =
            WORTH * (0..block.a.len()).fold(0.0_f64, |most, i| most.max(block.gain(i).1));
        block
    }

    /// Returns the best value of variable i, and its gain.
    #[inline]
    fn gain(&self, i: usize) -> (f64, f64) {
        let (g, k) = (self.y[i] * self.f[i], self.columns.diagonal[i]);
        // With k = 0 the dual is linear in a_i.
        let step = if g == 0.0 { 0.0 } else { g / k };
        let best = (self.a[i] + step).clamp(0.0, self.c[i]);
        let moved = best - self.a[i];
        (best, moved * (g - 0.5 * moved * k))
    }

    /// Updates each variable of sufficient gain, in a new random order; returns the block's gap.
    pub(super) fn pass(&mut self) -> f64 {
        let mut stream = Stream::new(self.seed, Purpose::Order, self.number);
        self.number += 1;
        for i in (1..self.order.len()).rev() {
            self.order.swap(i, stream.below(i + 1));
        }
        let mut largest = 0.0_f64;
        for at in 0..self.order.len() {
            let i = self.order[at];
            let (best, gain) = self.gain(i);
            largest = largest.max(gain);
            if gain > self.threshold {
                let moved = best - self.a[i];
                self.a[i] = best;
                add_multiple(&mut self.f, -moved * self.y[i], self.columns.column(i));
            }
        }
        self.threshold = WORTH * largest;
        self.gap()
    }

    /// Returns this block's contribution to the duality gap, as accurate as f.
    pub(super) fn gap(&self) -> f64 {
        let mut gap = 0.0;
        for i in 0..self.a.len() {
            let g = self.y[i] * self.f[i];
            gap += (self.c[i] - self.a[i]) * g.max(0.0) + self.a[i] * (-g).max(0.0);
        }
        gap
    }
}
