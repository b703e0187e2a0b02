//! Maintains the iterate of normalised exponentiated gradient by its log-odds, one number per slot.
//!
//! The two-sided weights z+ and z- start equal and get opposite updates. Therefore z- = 1/z+, and
//! one number theta_j = -eta sum_t g_tj suffices: w_j = B sinh(theta_j) / Z with Z = sum_i
//! cosh(theta_i) (Hazan and Koren 2012, algorithm 2, in closed form). Untouched slots cost nothing.
//! Both sums are in sum trees with leaves scaled by e^-M, so that |theta| may grow to the number of
//! steps.

use super::{Iterate, NOTHING, Weighing, check_saved, is_count, lazy_sum, no_tree};
use crate::error::Result;
use crate::sampling::SumTree;
use serde::{Deserialize, Serialize};

/// Growth of Z since the last shift at which leaves are shifted again. Averages require this
/// threshold, long before overflow: the sum of 1/Z would absorb the terms of late iterates.
const LARGEST_GROWTH: f64 = 1e3;
/// Value of Z in shifted units below which leaves are shifted again.
const SMALLEST_TOTAL: f64 = 1e-200;
/// Largest excess of a saved |theta| over the shift.
const LARGEST_EXPONENT: f64 = 300.0;

/// Vector in the l1 ball with multiplicative updates; see the module.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entropic {
    radius: f64,
    /// M.
    shift: f64,
    /// Z in shifted units at the last shift.
    total_at_shift: f64,
    /// Sum of B/Z over the counted iterates since the last shift, in shifted units.
    counted_scale: f64,
    /// Sum of the weights of the counted iterates.
    counted: f64,
    /// `counted_scale` at the last restart of the average. Earlier contributions of a slot are
    /// dropped when the slot is next accessed.
    forgotten: f64,
    slots: Vec<Slot>,
    /// |sinh theta_j| e^-M.
    #[serde(skip, default = "no_tree")]
    sinh: SumTree,
    /// cosh theta_j e^-M.
    #[serde(skip, default = "no_tree")]
    cosh: SumTree,
    /// |sinh theta_j| e^-M times a factor.
    #[serde(skip)]
    weighing: Option<Weighing>,
}

/// State of one slot, within a cache line.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[repr(align(32))]
struct Slot {
    theta: f64,
    /// Sum of the counted w_j up to `since`.
    sum: f64,
    /// `counted_scale` at the last update of `sum`.
    since: f64,
}

impl Slot {
    /// Returns the present sum of the counted w_j, given |sinh theta_j| in shifted units.
    #[inline]
    fn sum_at(&self, now: f64, forgotten: f64, sinh: f64) -> f64 {
        lazy_sum(self.sum, self.since, sinh.copysign(self.theta), now, forgotten)
    }
}

/// Returns |sinh theta| e^-M and cosh theta e^-M, without overflow or cancellation near 0.
#[inline]
fn shifted(theta: f64, shift: f64, scale: f64) -> (f64, f64) {
    debug_assert!(scale == (-shift).exp());
    let size = theta.abs();
    if size < 1.0 {
        // One exponential: with m = e^|theta| - 1, e^-|theta| = 1 - m/(1 + m).
        let m = size.exp_m1();
        let less = m / (1.0 + m);
        return (0.5 * (m + less) * scale, 0.5 * (2.0 + m - less) * scale);
    }
    let half = 0.5 * (size - shift).exp();
    let decay = (-2.0 * size).exp();
    (half - half * decay, half + half * decay)
}

impl Entropic {
    /// Moves the shift to the largest |theta| and updates every sum.
    fn reshift(&mut self) {
        for (j, slot) in self.slots.iter_mut().enumerate() {
            slot.sum = slot.sum_at(self.counted_scale, self.forgotten, self.sinh.get(j));
            slot.since = 0.0;
        }
        self.counted_scale = 0.0;
        self.forgotten = NOTHING;
        self.shift = self.slots.iter().fold(0.0, |peak, s| s.theta.abs().max(peak));
        self.rebuild();
        self.total_at_shift = self.cosh.total();
    }

    fn rebuild(&mut self) {
        let (slots, shift, scale) = (&self.slots, self.shift, (-self.shift).exp());
        self.sinh.refill(|j| shifted(slots[j].theta, shift, scale).0);
        self.cosh.refill(|j| shifted(slots[j].theta, shift, scale).1);
        if let Some(weighing) = &mut self.weighing {
            weighing.refill(|j| self.sinh.get(j));
        }
    }
}

impl Iterate for Entropic {
    fn new(len: usize, radius: f64) -> Self {
        Entropic {
            radius,
            shift: 0.0,
            total_at_shift: len as f64,
            counted_scale: 0.0,
            counted: 0.0,
            forgotten: NOTHING,
            slots: vec![Slot { theta: 0.0, sum: 0.0, since: 0.0 }; len],
            sinh: SumTree::filled(len, 0.0),
            cosh: SumTree::filled(len, 1.0),
            weighing: None,
        }
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline]
    fn weight(&self, slot: usize) -> f64 {
        self.radius * self.sinh.get(slot).copysign(self.slots[slot].theta) / self.cosh.total()
    }

    #[inline]
    fn draw(&self, unit: f64) -> Option<usize> {
        self.sinh.draw(unit)
    }

    #[inline]
    fn mass(&self, slot: usize) -> f64 {
        self.sinh.get(slot)
    }

    #[inline]
    fn total_mass(&self) -> f64 {
        self.sinh.total()
    }

    /// Clips the step of each slot to [-1, 1] (Hazan and Koren clip g to 1/eta).
    #[inline]
    fn step(&mut self, gradient: &[(u32, f64)], size: f64, shrink: f64) {
        debug_assert!(shrink == 1.0, "exponentiated gradient does not shrink");
        let scale = (-self.shift).exp();
        for &(j, g) in gradient {
            let j = j as usize;
            let slot = &mut self.slots[j];
            slot.sum = slot.sum_at(self.counted_scale, self.forgotten, self.sinh.get(j));
            slot.since = self.counted_scale;
            slot.theta -= (size * g).clamp(-1.0, 1.0);
            let (sinh, cosh) = shifted(slot.theta, self.shift, scale);
            self.sinh.write(j, sinh);
            self.cosh.write(j, cosh);
        }
        let written = gradient.iter().map(|&(j, _)| j as usize);
        self.sinh.refresh(written.clone());
        self.cosh.refresh(written.clone());
        if let Some(weighing) = &mut self.weighing {
            written.clone().for_each(|j| weighing.write(j, self.sinh.get(j)));
            weighing.refresh(written);
        }
        let total = self.cosh.total();
        if total > LARGEST_GROWTH * self.total_at_shift || total < SMALLEST_TOTAL {
            self.reshift();
        }
    }

    #[inline]
    fn count(&mut self, weight: f64) {
        // Without slots Z is 0, and there is nothing to sum.
        if !self.is_empty() {
            self.counted_scale += weight * self.radius / self.cosh.total();
        }
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
        let sum =
            |(j, s): (usize, &Slot)| s.sum_at(self.counted_scale, self.forgotten, self.sinh.get(j));
        self.slots.iter().enumerate().map(|slot| sum(slot) / self.counted).collect()
    }

    fn weigh(&mut self, factors: Vec<f64>) -> bool {
        self.weighing = Some(Weighing::new(factors, |j| self.sinh.get(j)));
        true
    }

    #[inline]
    fn weighed(&self) -> Option<&Weighing> {
        self.weighing.as_ref()
    }

    fn restore(&mut self, len: usize, radius: f64) -> Result<()> {
        let finite = self.slots.iter().all(|s| {
            s.theta.is_finite()
                && s.theta.abs() - self.shift <= LARGEST_EXPONENT
                && s.sum.is_finite()
                && s.since.is_finite()
        }) && self.shift.is_finite()
            && (self.total_at_shift > 0.0 || len == 0)
            && self.counted_scale.is_finite()
            && self.forgotten.is_finite()
            && is_count(self.counted);
        check_saved((self.len(), len), (self.radius, radius), finite)?;
        self.sinh = SumTree::filled(len, 0.0);
        self.cosh = SumTree::filled(len, 0.0);
        self.rebuild();
        let total = self.cosh.total();
        check_saved(
            (len, len),
            (radius, radius),
            len == 0 || (total.is_finite() && total >= SMALLEST_TOTAL),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iterate::dense_reference::{Dense, check_twin};

    /// Takes the published two-vector step, with separate logarithms of z+ and z- renormalised each
    /// time.
    fn naive(len: usize, radius: f64) -> impl Fn(&mut Dense, &[(u32, f64)], f64, f64) {
        let logs = std::cell::RefCell::new((vec![0.0_f64; len], vec![0.0_f64; len]));
        move |dense, gradient, size, _| {
            let (plus, minus) = &mut *logs.borrow_mut();
            for &(j, g) in gradient {
                let clipped = g.clamp(-1.0 / size, 1.0 / size);
                plus[j as usize] -= size * clipped;
                minus[j as usize] += size * clipped;
            }
            let top = plus.iter().chain(minus.iter()).fold(f64::NEG_INFINITY, |a, b| a.max(*b));
            let total: f64 = plus.iter().chain(minus.iter()).map(|z| (z - top).exp()).sum();
            for (j, w) in dense.weights.iter_mut().enumerate() {
                *w = radius * ((plus[j] - top).exp() - (minus[j] - top).exp()) / total;
            }
        }
    }

    #[test]
    fn equals_the_two_vector_form() {
        check_twin::<Entropic>(60, 1.5, 0.02, 1.0, naive(60, 1.5), f64::abs);
    }

    #[test]
    fn equals_the_two_vector_form_where_plain_exponentials_overflow() {
        check_twin::<Entropic>(20, 1.0, 1.0, 1.0, naive(20, 1.0), f64::abs);
    }
}
