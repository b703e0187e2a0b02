//! Sums the reads' contributions to the second moments of attributes and target.
//!
//! z are the free values: 1, then the always-known columns. e are centred sampled columns. Sums
//! linear in e use single reads, e e' uses pairs of reads; both have the mean of the sum over full
//! rows. Sums without e are exact.

use super::draws::Draws;
use super::products::{LARGEST_SUM, Products};
use halfseen_core::data::Layout;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sums {
    /// y^2.
    pub(super) target: f64,
    /// y z, (q).
    pub(super) known_target: Vec<f64>,
    /// z z', (q, q).
    pub(super) known: Products,
    /// y e, per sampled slot.
    pub(super) slot_target: Vec<f64>,
    /// e z', (sampled slots, q), row by row.
    pub(super) slot_known: Vec<f64>,
    /// e e', (sampled slots, sampled slots); empty if pairs are not drawn.
    pub(super) slots: Products,
}

/// Contents of one answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    /// The panels read, as they were drawn.
    pub(super) panels: &'a [u32],
    /// Their centred values, in order.
    pub(super) e: &'a [f64],
    /// The free values.
    pub(super) z: &'a [f64],
    pub(super) y: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) slots: usize,
    /// The length q of z.
    pub(super) known: usize,
    /// True if products of sampled slots are summed.
    pub(super) pairs: bool,
}

impl Shape {
    /// Returns the order of the products of sampled slots.
    fn order(self) -> usize {
        if self.pairs { self.slots } else { 0 }
    }

    /// Returns the number of sums, without overflow for any number of columns.
    pub(super) fn numbers(self) -> u64 {
        let [slots, known, order] = [self.slots, self.known, self.order()].map(|n| n as u64);
        let triangle = |n: u64| n.saturating_mul(n + 1) / 2;
        triangle(order)
            .saturating_add(triangle(known))
            .saturating_add(slots.saturating_mul(known + 1))
    }
}

impl Sums {
    pub(super) fn new(shape: Shape) -> Sums {
        let Shape { slots, known, .. } = shape;
        Sums {
            target: 0.0,
            known_target: vec![0.0; known],
            known: Products::new(known),
            slot_target: vec![0.0; slots],
            slot_known: vec![0.0; slots * known],
            slots: Products::new(shape.order()),
        }
    }

    /// Adds one answer: O(k) for singleton panels.
    pub(super) fn add(&mut self, draws: Draws, layout: &Layout, seen: Seen<'_>) {
        let Seen { panels, e, z, y } = seen;
        self.target += y * y;
        self.known_target.iter_mut().zip(z).for_each(|(sum, z)| *sum += y * z);
        self.known.add_square(z);
        let coefficient = draws.coefficient();
        let slots = panels.iter().flat_map(|&p| layout.slots_of(p as usize));
        for (slot, e) in slots.zip(e) {
            let value = coefficient * e;
            self.slot_target[slot] += value * y;
            let row = &mut self.slot_known[slot * z.len()..(slot + 1) * z.len()];
            row.iter_mut().zip(z).for_each(|(sum, z)| *sum += value * z);
        }
        if draws.pairs() > 0 {
            self.add_pairs(draws, layout, seen);
        } else if draws.all() && !self.slots.is_empty() {
            // Every panel was read, in order: e is the whole row.
            self.slots.add_square(e);
        }
    }

    /// Adds c e_i e_j to A_ij and A_ji for each drawn pair of panels and their columns i, j; the
    /// diagonal gets both.
    fn add_pairs(&mut self, draws: Draws, layout: &Layout, Seen { panels, e, .. }: Seen<'_>) {
        let coefficient = draws.pair_coefficient();
        let mut rest = e;
        for pair in panels.chunks_exact(2).take(draws.pairs()) {
            let [first, second] = [pair[0], pair[1]].map(|p| layout.slots_of(p as usize));
            let (left, later) = rest.split_at(first.len());
            let (right, later) = later.split_at(second.len());
            for (i, a) in first.zip(left) {
                for (j, b) in second.clone().zip(right) {
                    let value = coefficient * a * b;
                    self.slots.add(i, j, if i == j { 2.0 * value } else { value });
                }
            }
            rest = later;
        }
    }

    /// Completes sums read from a file. `false` if they do not fit this shape.
    pub(super) fn restore(&mut self, shape: Shape) -> bool {
        let lists = [&self.known_target, &self.slot_target, &self.slot_known];
        lists.map(Vec::len) == [shape.known, shape.slots, shape.slots * shape.known]
            && lists.into_iter().flatten().chain([&self.target]).all(|v| v.abs() <= LARGEST_SUM)
            && self.known.restore(shape.known)
            && self.slots.restore(shape.order())
    }
}
