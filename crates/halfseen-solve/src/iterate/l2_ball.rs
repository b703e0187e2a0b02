//! Maintains a weight vector in a Euclidean ball as scale times vector, with projection in O(1).
//!
//! w = s u, with u_j^2 in a sum tree of total Q, so |w| = s sqrt(Q). An active projection only sets
//! s = B / sqrt(Q), and drawing j in proportion to w_j^2 is drawing in proportion to u_j^2.
//! Averages are lazy: with S the sum of the scales of counted iterates, slot j owes (S - S_j) u_j,
//! where S_j was S when u_j last changed.

use super::{Iterate, NOTHING, Weighing, check_saved, is_count, lazy_sum, no_tree};
use crate::error::Result;
use crate::sampling::SumTree;
use serde::{Deserialize, Serialize};

/// Scale below which the vector is rebased. Averages require this threshold: S would absorb the
/// scales of late iterates if they were much smaller than early ones.
const SMALLEST_SCALE: f64 = 1e-3;

/// Vector in the Euclidean ball; see the module.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L2Ball {
    radius: f64,
    scale: f64,
    /// S: the weighted sum of the scales of the counted iterates since the last rebase.
    counted_scale: f64,
    /// Sum of the weights of the counted iterates.
    counted: f64,
    /// S at the last restart of the average. Earlier contributions of a slot are dropped when the
    /// slot is next accessed.
    forgotten: f64,
    slots: Vec<Slot>,
    /// u_j^2.
    #[serde(skip, default = "no_tree")]
    squares: SumTree,
    /// |u_j| times a factor.
    #[serde(skip)]
    weighing: Option<Weighing>,
}

/// State of one slot, within a cache line.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[repr(align(32))]
struct Slot {
    /// u_j.
    value: f64,
    /// Sum of the counted w_j up to `since`.
    sum: f64,
    /// S at the last update of `sum`.
    since: f64,
}

impl Slot {
    /// Returns the sum of the counted w_j up to S = `now`.
    #[inline]
    fn sum_at(&self, now: f64, forgotten: f64) -> f64 {
        lazy_sum(self.sum, self.since, self.value, now, forgotten)
    }
}

impl L2Ball {
    fn rebase(&mut self) {
        for slot in &mut self.slots {
            slot.sum = slot.sum_at(self.counted_scale, self.forgotten);
            slot.since = 0.0;
            slot.value *= self.scale;
        }
        self.scale = 1.0;
        self.counted_scale = 0.0;
        self.forgotten = NOTHING;
        let slots = &self.slots;
        self.squares.refill(|j| slots[j].value * slots[j].value);
        if let Some(weighing) = &mut self.weighing {
            weighing.refill(|j| slots[j].value.abs());
        }
    }
}

impl Iterate for L2Ball {
    fn new(len: usize, radius: f64) -> Self {
        let slots = vec![Slot { value: 0.0, sum: 0.0, since: 0.0 }; len];
        L2Ball {
            radius,
            scale: 1.0,
            counted_scale: 0.0,
            counted: 0.0,
            forgotten: NOTHING,
            slots,
            squares: SumTree::filled(len, 0.0),
            weighing: None,
        }
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline]
    fn weight(&self, slot: usize) -> f64 {
        self.scale * self.slots[slot].value
    }

    #[inline]
    fn draw(&self, unit: f64) -> Option<usize> {
        self.squares.draw(unit)
    }

    #[inline]
    fn mass(&self, slot: usize) -> f64 {
        self.squares.get(slot)
    }

    #[inline]
    fn total_mass(&self) -> f64 {
        self.squares.total()
    }

    #[inline]
    fn step(&mut self, gradient: &[(u32, f64)], size: f64, shrink: f64) {
        self.scale *= shrink;
        if self.scale < SMALLEST_SCALE {
            self.rebase();
        }
        let size = size / self.scale;
        for &(j, g) in gradient {
            let slot = &mut self.slots[j as usize];
            slot.sum = slot.sum_at(self.counted_scale, self.forgotten);
            slot.since = self.counted_scale;
            slot.value -= size * g;
            self.squares.write(j as usize, slot.value * slot.value);
        }
        self.squares.refresh(gradient.iter().map(|&(j, _)| j as usize));
        if let Some(weighing) = &mut self.weighing {
            gradient
                .iter()
                .for_each(|&(j, _)| weighing.write(j as usize, self.slots[j as usize].value.abs()));
            weighing.refresh(gradient.iter().map(|&(j, _)| j as usize));
        }
        let norm = self.squares.total().sqrt();
        if self.scale * norm > self.radius {
            self.scale = self.radius / norm;
            if self.scale < SMALLEST_SCALE {
                self.rebase();
            }
        }
    }

    #[inline]
    fn count(&mut self, weight: f64) {
        self.counted_scale += weight * self.scale;
        self.counted += weight;
    }

    fn restart_average(&mut self) {
        self.counted = 0.0;
        self.forgotten = self.counted_scale;
    }

    fn average(&self) -> Vec<f64> {
        if self.counted == 0.0 {
            return (0..self.len()).map(|j| self.weight(j)).collect();
        }
        let sum = |s: &Slot| s.sum_at(self.counted_scale, self.forgotten);
        self.slots.iter().map(|s| sum(s) / self.counted).collect()
    }

    fn weigh(&mut self, factors: Vec<f64>) -> bool {
        self.weighing = Some(Weighing::new(factors, |j| self.slots[j].value.abs()));
        true
    }

    #[inline]
    fn weighed(&self) -> Option<&Weighing> {
        self.weighing.as_ref()
    }

    fn restore(&mut self, len: usize, radius: f64) -> Result<()> {
        let finite = self
            .slots
            .iter()
            .all(|s| s.value.abs() < 1e150 && s.sum.is_finite() && s.since.is_finite())
            && self.scale.is_finite()
            && self.scale >= SMALLEST_SCALE
            && self.counted_scale.is_finite()
            && self.forgotten.is_finite()
            && is_count(self.counted);
        check_saved((self.len(), len), (self.radius, radius), finite)?;
        self.squares = SumTree::filled(len, 0.0);
        let slots = &self.slots;
        self.squares.refill(|j| slots[j].value * slots[j].value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iterate::dense_reference::{Dense, check_twin};
    use crate::projection::onto_l2_ball;

    fn naive(radius: f64) -> impl Fn(&mut Dense, &[(u32, f64)], f64, f64) {
        move |dense, gradient, size, shrink| {
            dense.gradient_step(gradient, size, shrink);
            onto_l2_ball(&mut dense.weights, radius);
        }
    }

    #[test]
    fn equals_its_dense_twin() {
        check_twin::<L2Ball>(60, 1.0, 0.3, 1.0, naive(1.0), |w| w * w);
    }

    #[test]
    fn equals_its_dense_twin_through_many_rebases() {
        check_twin::<L2Ball>(60, 2.0, 5.0, 1.0, naive(2.0), |w| w * w);
        check_twin::<L2Ball>(40, 1.0, 0.2, 0.95, naive(1.0), |w| w * w);
    }
}
