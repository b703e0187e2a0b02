//! Estimates the attributes' means and standard deviations from the learner's own reads.
//!
//! The choice of a panel never depends on the example's values. Therefore the plain mean over the
//! reads of a slot is unbiased, whatever the probabilities of the reads were.

use serde::{Deserialize, Serialize};

/// Number of pseudo-reads at the pooled value that smooth a slot's second moment.
const PRIOR_READS: f64 = 10.0;
/// Minimum number of reads of a slot before values are divided by its size.
const LEAST_READS: f64 = 4.0;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunningMoments {
    slots: Vec<Slot>,
    /// Slots read so far, in order of their first read.
    touched: Vec<u32>,
    /// Number of paid reads, and the sum of their squared deviations from the centre.
    pub(crate) pooled: (f64, f64),
}

/// Reads of one slot, within a cache line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[repr(align(32))]
pub(crate) struct Slot {
    pub(crate) reads: f64,
    pub(crate) mean: f64,
    /// Sum of squared deviations from the mean (Welford's recurrence).
    spread: f64,
}

impl RunningMoments {
    pub(crate) fn new(slots: usize) -> RunningMoments {
        let slot = Slot { reads: 0.0, mean: 0.0, spread: 0.0 };
        RunningMoments {
            slots: vec![slot; slots],
            touched: Vec::with_capacity(slots),
            pooled: (0.0, 0.0),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline]
    pub(crate) fn see(&mut self, slot: usize, value: f64) {
        let s = &mut self.slots[slot];
        if s.reads == 0.0 {
            self.touched.push(slot as u32);
        }
        s.reads += 1.0;
        let before = value - s.mean;
        s.mean += before / s.reads;
        s.spread += before * (value - s.mean);
    }

    /// Returns what the reads of a slot were.
    #[inline]
    pub(crate) fn of(&self, slot: usize) -> Slot {
        self.slots[slot]
    }

    /// Adds the deviation of a paid read from its centre.
    #[inline]
    pub(crate) fn pool(&mut self, deviation: f64) {
        self.pooled.0 += 1.0;
        self.pooled.1 += deviation * deviation;
    }

    /// Returns the deviation of a value from a running mean that was `centre` at ask time; 0 for
    /// the first read of a slot, which sets the mean. A centre of 0 stands for none: if answers are
    /// delayed, others may have set the mean since.
    #[inline]
    pub(crate) fn deviation(&self, slot: usize, centre: f64, value: f64) -> f64 {
        if self.slots[slot].reads == 0.0 {
            return 0.0;
        }
        value - if centre == 0.0 { self.mean(slot) } else { centre }
    }

    /// Returns the estimated size of a slot's values: the root of their variance, or of their mean
    /// square about 0. `more` is one more value. The size is 0 if reads are too few or all equal.
    #[inline]
    pub(crate) fn size(&self, slot: usize, centred: bool, more: Option<f64>) -> f64 {
        let Slot { mut reads, mut mean, mut spread } = self.slots[slot];
        if let Some(value) = more {
            reads += 1.0;
            let before = value - mean;
            mean += before / reads;
            spread += before * (value - mean);
        }
        if reads < LEAST_READS || spread <= 0.0 {
            return 0.0;
        }
        let square = if centred { spread / (reads - 1.0) } else { spread / reads + mean * mean };
        square.sqrt()
    }

    /// Returns true if a slot was never read.
    #[inline]
    pub(crate) fn is_new(&self, slot: usize) -> bool {
        self.slots[slot].reads == 0.0
    }

    /// Returns the mean of the reads of a slot; 0 before the first.
    #[inline]
    pub(crate) fn mean(&self, slot: usize) -> f64 {
        self.slots[slot].mean
    }

    pub(crate) fn pooled_reads(&self) -> f64 {
        self.pooled.0
    }

    /// Returns the mean square of the pooled deviations; 0 before the first.
    pub(crate) fn pooled(&self) -> f64 {
        self.pooled.1 / self.pooled.0.max(1.0)
    }

    /// Returns the sum over the first `sampled` slots of the estimated mean squares of x - centre,
    /// and the largest of them. Visits each slot that was read once.
    pub(crate) fn squares(&self, sampled: usize, centre: impl Fn(usize) -> f64) -> (f64, f64) {
        let pooled = self.pooled();
        let (mut sum, mut largest, mut seen) = (0.0, 0.0_f64, 0);
        for j in self.touched.iter().map(|&j| j as usize).filter(|&j| j < sampled) {
            let square = self.square(j, centre(j));
            sum += square;
            largest = largest.max(square);
            seen += 1;
        }
        (sum + pooled * (sampled - seen) as f64, largest)
    }

    /// Returns the estimated mean square of x - centre of one slot, smoothed by the pooled one.
    pub(crate) fn square(&self, slot: usize, centre: f64) -> f64 {
        self.steadied(slot, centre, PRIOR_READS)
    }

    /// Returns the same with `prior` pseudo-reads at the pooled value.
    pub(crate) fn steadied(&self, slot: usize, centre: f64, prior: f64) -> f64 {
        let (s, pooled) = (&self.slots[slot], self.pooled());
        let square = s.spread + s.reads * (s.mean - centre).powi(2);
        (square + prior * pooled) / (s.reads + prior)
    }

    /// Returns the mean square of the reads of one slot about their own mean; 0 before the first.
    pub(crate) fn variance(&self, slot: usize) -> f64 {
        self.slots[slot].spread / self.slots[slot].reads.max(1.0)
    }

    /// Returns the sum of the mean squares of the slots from `first` on, which are always known.
    pub(crate) fn known_squares(&self, first: usize) -> f64 {
        (first..self.len()).map(|slot| self.variance(slot) + self.mean(slot).powi(2)).sum()
    }

    /// Returns true if saved numbers are consistent.
    pub(crate) fn is_sound(&self) -> bool {
        let finite = |s: &Slot| {
            s.reads >= 0.0 && s.reads.is_finite() && s.mean.is_finite() && s.spread.is_finite()
        };
        let mut unseen: Vec<bool> = self.slots.iter().map(|s| s.reads > 0.0).collect();
        // Every slot that was read occurs in `touched` once.
        let once = |&j: &u32| unseen.get_mut(j as usize).is_some_and(std::mem::take);
        let pooled = self.pooled.0 >= 0.0 && self.pooled.0.is_finite() && self.pooled.1.is_finite();
        pooled
            && self.slots.iter().all(finite)
            && self.touched.iter().all(once)
            && !unseen.contains(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_reads_are_those_of_the_values() {
        let mut running = RunningMoments::new(3);
        for v in [1.0, 2.0, 6.0] {
            running.see(1, v);
            running.pool(v);
        }
        assert_eq!(running.mean(1), 3.0);
        // One slot read: its mean square 41/3 is the pooled one, used for the other slot too.
        let (sum, largest) = running.squares(2, |_| 0.0);
        assert!((largest - 41.0 / 3.0).abs() < 1e-14);
        assert!((sum - 2.0 * 41.0 / 3.0).abs() < 1e-13);
        // About its mean it is 14/3, smoothed by ten reads at the pooled value.
        let (sum, _) = running.squares(2, |j| if j == 1 { 3.0 } else { 0.0 });
        let steadied = (14.0 + 10.0 * 41.0 / 3.0) / 13.0;
        assert!((sum - steadied - 41.0 / 3.0).abs() < 1e-13, "about the mean: {sum}");
        running.see(2, 4.0);
        assert_eq!(running.known_squares(2), 16.0);
    }
}
