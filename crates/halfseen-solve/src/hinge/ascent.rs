//! Ascends the dual of a hinge problem one variable at a time, over all its examples or over some.

use super::gram::Columns;
use crate::sampling::{Purpose, Stream};
use crate::vectors::add_multiple;

/// The examples that a round works on, with numbers of their own: all others keep their dual
/// variables.
pub(super) struct Block<'a> {
    pub(super) columns: &'a Columns<'a>,
    pub(super) y: Vec<f64>,
    pub(super) c: Vec<f64>,
    pub(super) a: Vec<f64>,
    /// y s - K (y a) over all examples; moved by columns of K.
    pub(super) f: Vec<f64>,
    order: Vec<usize>,
    seed: u64,
    number: u64,
    /// The least gain worth a column.
    threshold: f64,
    /// Memory for the factors of Newton steps, which the next block takes over.
    pub(super) room: Vec<f64>,
    /// Whether the last factorisation failed.
    pub(super) failed: bool,
}

/// The share of the largest gain of a pass below which the next pass leaves a variable alone: to
/// look at a variable costs O(1), to move it O(n).
const WORTH: f64 = 0.05;

impl<'a> Block<'a> {
    /// `number` tells the first pass's order from those of other blocks.
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

    /// The best value of variable i, and what it gains.
    #[inline]
    fn gain(&self, i: usize) -> (f64, f64) {
        let (g, k) = (self.y[i] * self.f[i], self.columns.diagonal[i]);
        // With k = 0 the dual is linear in a_i.
        let step = if g == 0.0 { 0.0 } else { g / k };
        let best = (self.a[i] + step).clamp(0.0, self.c[i]);
        let moved = best - self.a[i];
        (best, moved * (g - 0.5 * moved * k))
    }

    /// Moves each variable that is worth it to its best value, in an order drawn anew; returns the
    /// block's gap.
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

    /// What this block adds to the duality gap, as far as f is right.
    pub(super) fn gap(&self) -> f64 {
        let mut gap = 0.0;
        for i in 0..self.a.len() {
            let g = self.y[i] * self.f[i];
            gap += (self.c[i] - self.a[i]) * g.max(0.0) + self.a[i] * (-g).max(0.0);
        }
        gap
    }
}
