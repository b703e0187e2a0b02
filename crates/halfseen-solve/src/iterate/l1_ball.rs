//! Maintains weights in an l1 ball as scale times shifted keys, with soft thresholding in O(log d).
//!
//! Active slots have w_j = s sigma_j (a_j - Theta) with a_j > Theta; all others are zero.
//! Projecting onto the ball (Duchi, Shalev-Shwartz, Singer and Chandra 2008) only raises the common
//! threshold Theta and deactivates slots whose keys it passes. Each of these was inserted once, so
//! a step costs O(k log d) amortised. Averages are lazy: with S the sum of s and R that of s Theta
//! over the counted iterates, slot j owes sigma_j (a_j dS - dR) since its last update.

use super::active_set::ActiveSet;
use super::{Iterate, LARGEST_COUNT, check_saved, is_count};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Scale below which keys are rebased, so that late iterates are not absorbed in S and R.
const SMALLEST_SCALE: f64 = 1e-3;
/// Ratio of s Theta to B / (number of active slots) above which keys are rebased: a_j - Theta
/// cancels.
const LARGEST_THRESHOLD: f64 = 1e6;

/// Vector in the l1 ball; see the module.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L1Ball {
    radius: f64,
    scale: f64,
    threshold: f64,
    /// S.
    counted_scale: f64,
    /// R.
    counted_threshold: f64,
    /// Sum of the weights of the counted iterates.
    counted: f64,
    /// Number of slot updates since the last rebase.
    touched: u64,
    /// Number of restarts of the average, and (S, R) at the last one.
    restarts: u32,
    restarted_at: (f64, f64),
    slots: Vec<Slot>,
    #[serde(skip, default = "empty")]
    active: ActiveSet,
}

/// State of one slot, contiguous in memory.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Slot {
    /// sigma_j: -1, 1, or 0 if the slot is inactive.
    sign: f32,
    /// Value of `restarts` at the last update of `sum`; a later restart invalidates `sum`.
    restarts: u32,
    /// a_j, while active.
    key: f64,
    /// Sum of the counted w_j up to `since`.
    sum: f64,
    /// S and R at the last update of `sum`.
    since: (f64, f64),
}

fn empty() -> ActiveSet {
    ActiveSet::new(0)
}

impl L1Ball {
    /// Returns the present sum of the counted w_j.
    #[inline]
    fn sum_now(&self, slot: &Slot) -> f64 {
        let known = slot.restarts == self.restarts;
        let (sum, (scale, threshold)) =
            if known { (slot.sum, slot.since) } else { (0.0, self.restarted_at) };
        if slot.sign == 0.0 {
            return sum;
        }
        let owed = slot.key * (self.counted_scale - scale) - (self.counted_threshold - threshold);
        sum + f64::from(slot.sign) * owed
    }

    #[inline]
    fn bring_up_to_date(&mut self, j: usize) {
        let sum = self.sum_now(&self.slots[j]);
        let slot = &mut self.slots[j];
        slot.sum = sum;
        slot.since = (self.counted_scale, self.counted_threshold);
        slot.restarts = self.restarts;
    }

    /// Sets the weight of an up-to-date slot j to w; the active set needs a refresh afterwards.
    #[inline]
    fn write_weight(&mut self, j: usize, w: f64) {
        let key = w.abs() / self.scale + self.threshold;
        // A weight lost to rounding beside the threshold is zero.
        if key > self.threshold {
            self.slots[j].sign = w.signum() as f32;
            self.slots[j].key = key;
            self.active.write(j, key);
        } else {
            self.slots[j].sign = 0.0;
            self.active.write(j, f64::INFINITY);
        }
    }

    #[inline]
    fn set_weight(&mut self, j: usize, w: f64) {
        self.write_weight(j, w);
        self.active.refresh(std::iter::once(j));
    }

    /// Resets s to 1 and Theta to 0. Visits active slots only: the others owe nothing.
    fn rebase(&mut self) {
        let (scale, threshold) = (self.scale, self.threshold);
        let mut next = self.active.first();
        while let Some(j) = next {
            self.bring_up_to_date(j);
            next = self.active.next(j);
        }
        self.scale = 1.0;
        self.threshold = 0.0;
        let mut next = self.active.first();
        while let Some(j) = next {
            next = self.active.next(j);
            let w = scale * (self.slots[j].key - threshold);
            self.set_weight(j, w.copysign(f64::from(self.slots[j].sign)));
        }
        self.touched = 0;
        // S and R restart: the sums of the slots are up to date.
        self.counted_scale = 0.0;
        self.counted_threshold = 0.0;
        self.restarted_at = (0.0, 0.0);
        let mut next = self.active.first();
        while let Some(j) = next {
            self.slots[j].since = (0.0, 0.0);
            next = self.active.next(j);
        }
    }

    /// Raises the threshold until w is in the ball, dropping the slots that it passes.
    fn project(&mut self) {
        let room = self.radius / self.scale;
        if self.active.sum() - self.threshold * self.active.number() <= room {
            return;
        }
        loop {
            let raised = (self.active.sum() - room) / self.active.number();
            if self.active.least() > raised {
                // Rounding must not lower it: inactive slots stay inactive.
                self.threshold = self.threshold.max(raised);
                return;
            }
            let Some(j) = self.active.argmin() else { return };
            self.bring_up_to_date(j);
            if self.active.number() == 1.0 {
                // Only if one weight exceeds the radius beyond the precision of f64.
                let sign = f64::from(self.slots[j].sign);
                self.threshold = 0.0;
                self.set_weight(j, sign * self.radius);
                return;
            }
            self.slots[j].sign = 0.0;
            self.active.set(j, f64::INFINITY);
        }
    }
}

impl Iterate for L1Ball {
    fn new(len: usize, radius: f64) -> Self {
        let slot = Slot { sign: 0.0, restarts: 0, key: 0.0, sum: 0.0, since: (0.0, 0.0) };
        L1Ball {
            radius,
            scale: 1.0,
            threshold: 0.0,
            counted_scale: 0.0,
            counted_threshold: 0.0,
            counted: 0.0,
            touched: 0,
            restarts: 0,
            restarted_at: (0.0, 0.0),
            slots: vec![slot; len],
            active: ActiveSet::new(len),
        }
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline]
    fn weight(&self, slot: usize) -> f64 {
        let Slot { sign, key, .. } = self.slots[slot];
        f64::from(sign) * self.scale * (key - self.threshold)
    }

    #[inline]
    fn draw(&self, unit: f64) -> Option<usize> {
        self.active.draw(unit, self.threshold)
    }

    #[inline]
    fn mass(&self, slot: usize) -> f64 {
        if self.slots[slot].sign == 0.0 { 0.0 } else { self.slots[slot].key - self.threshold }
    }

    #[inline]
    fn total_mass(&self) -> f64 {
        self.active.sum() - self.threshold * self.active.number()
    }

    #[inline]
    fn step(&mut self, gradient: &[(u32, f64)], size: f64, shrink: f64) {
        self.scale *= shrink;
        let cancels =
            self.threshold * self.scale * self.active.number() > LARGEST_THRESHOLD * self.radius;
        if self.scale < SMALLEST_SCALE || cancels || self.touched > self.len().max(1024) as u64 {
            self.rebase();
        }
        for &(j, g) in gradient {
            let j = j as usize;
            self.bring_up_to_date(j);
            let w = self.weight(j) - size * g;
            self.write_weight(j, w);
        }
        self.active.refresh(gradient.iter().map(|&(j, _)| j as usize));
        self.touched += gradient.len() as u64;
        self.project();
    }

    #[inline]
    fn count(&mut self, weight: f64) {
        self.counted_scale += weight * self.scale;
        self.counted_threshold += weight * self.scale * self.threshold;
        self.counted += weight;
    }

    fn restart_average(&mut self) {
        self.counted = 0.0;
        self.restarts += 1;
        self.restarted_at = (self.counted_scale, self.counted_threshold);
    }

    fn average(&self) -> Vec<f64> {
        if self.counted == 0.0 {
            return (0..self.len()).map(|j| self.weight(j)).collect();
        }
        self.slots.iter().map(|s| self.sum_now(s) / self.counted).collect()
    }

    fn restore(&mut self, len: usize, radius: f64) -> Result<()> {
        let sound = |s: &Slot| {
            let numbers = s.restarts <= self.restarts
                && [s.sum, s.since.0, s.since.1].iter().all(|v| v.is_finite());
            numbers
                && (s.sign == 0.0
                    || s.sign.abs() == 1.0 && s.key > self.threshold && s.key.is_finite())
        };
        let finite = self.slots.iter().all(sound)
            && [
                self.threshold,
                self.counted_scale,
                self.counted_threshold,
                self.restarted_at.0,
                self.restarted_at.1,
            ]
            .iter()
            .all(|v| v.is_finite())
            && self.scale > 0.0
            && self.scale.is_finite()
            && is_count(self.counted)
            && self.touched <= LARGEST_COUNT
            && self.restarts < u32::MAX;
        check_saved((self.len(), len), (self.radius, radius), finite)?;
        self.active = ActiveSet::new(len);
        for (j, slot) in self.slots.iter().enumerate().filter(|(_, s)| s.sign != 0.0) {
            self.active.set(j, slot.key);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iterate::dense_reference::{Dense, check_twin};
    use crate::projection::onto_l1_ball;

    fn naive(radius: f64) -> impl Fn(&mut Dense, &[(u32, f64)], f64, f64) {
        move |dense, gradient, size, shrink| {
            dense.gradient_step(gradient, size, shrink);
            onto_l1_ball(&mut dense.weights, radius);
        }
    }

    #[test]
    fn equals_its_dense_twin() {
        check_twin::<L1Ball>(60, 1.5, 0.1, 1.0, naive(1.5), f64::abs);
    }

    #[test]
    fn equals_its_dense_twin_through_many_rebases() {
        check_twin::<L1Ball>(60, 2.0, 3.0, 1.0, naive(2.0), f64::abs);
        check_twin::<L1Ball>(40, 1.0, 0.2, 0.9, naive(1.0), f64::abs);
    }

    #[test]
    fn the_first_strongly_convex_step_wipes_and_later_ones_shrink() {
        // AER's step: shrink by 1 - 1/t, so s = 1/t and keys grow like t.
        let (mut lazy, radius) = (L1Ball::new(30, 1.5), 1.5);
        let mut dense = vec![0.0; 30];
        let mut stream = crate::sampling::Stream::new(1, crate::sampling::Purpose::Data, 0);
        for t in 1..=10_000 {
            let (j, g) = (stream.below(30), stream.normal());
            let (size, shrink) = (20.0 / f64::from(t), 1.0 - 1.0 / f64::from(t));
            lazy.step(&[(j as u32, g)], size, shrink);
            dense.iter_mut().for_each(|w| *w *= shrink);
            dense[j] -= size * g;
            onto_l1_ball(&mut dense, radius);
            for (i, expected) in dense.iter().enumerate() {
                assert!((lazy.weight(i) - expected).abs() < 1e-12, "t = {t}");
            }
        }
    }

    #[test]
    fn one_weight_far_beyond_the_radius_is_cut_to_it() {
        let mut lazy = L1Ball::new(3, 1e-3);
        lazy.step(&[(1, -1e20)], 1.0, 1.0);
        assert_eq!(lazy.weight(1), 1e-3);
        assert_eq!(lazy.draw(0.999), Some(1));
    }
}
