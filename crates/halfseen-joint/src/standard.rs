//! Standardises the reads: every attribute by their estimates of its mean and standard deviation.
//!
//! If attributes have similar scales (no variance is more than 100 times their median, nor that
//! 10,000 times their lower quartile), all share one standard deviation, that of all reads: an
//! attribute with little variation in its few reads may still vary, and must not get a large weight
//! by chance. A ridge, and every prior, is then the same for all. If scales differ, each attribute
//! has its own standard deviation. Attributes with fewer than two reads, or with one value only,
//! are excluded.

use super::basis::{BySlot, SlotCurve};
use super::reads::Reads;
use halfseen_core::model::interpolate;
use std::collections::HashMap;

/// Pseudo-reads at the pooled variance, and number of reads by which a variance is shrunk.
const PRIOR_READS: f64 = 2.5;
const SHRUNK_BY: f64 = 5.0;
/// Scales are similar if no variance is more than `ALIKE` times their median, nor that
/// `ALIKE_BELOW` times their lower quartile.
const ALIKE: f64 = 100.0;
const ALIKE_BELOW: f64 = 1e4;
/// Reads of an example from which it pays to find others of the same attributes.
const LONG: usize = 16;
/// Different patterns of reads after which more than every other one must have been there before.
const PATTERNS: usize = 32;
/// ln(2 pi), of normal densities.
pub(crate) const LOG_TWO_PI: f64 = 1.837_877_066_409_345_5;
/// No place: the slot is excluded.
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Standard {
    /// The included slots, increasing; their numbers here are *places*.
    pub(crate) slots: Vec<u32>,
    /// Mean of each place, in units of the values.
    pub(crate) mean: Vec<f64>,
    /// Standard deviation of each place, in units of the values.
    pub(crate) deviation: Vec<f64>,
    /// The variance that a factor model starts from, of each place, in standard units.
    pub(crate) own: Vec<f64>,
    /// Reads of each place.
    pub(crate) reads: Vec<f64>,
    /// Mean of the target.
    pub(crate) centre: f64,
    /// Standard deviation of the target; 1 if it is constant.
    pub(crate) spread: f64,
    /// Means of all slots, excluded ones too; 0 for slots never read. Those of curves follow.
    pub(crate) means: Vec<f64>,
    /// Least and largest value that counts, of each slot.
    pub(crate) bounds: Vec<[f64; 2]>,
    /// Slots of the attributes of the curves, increasing. Curve c is slot `bounds.len() + c`.
    pub(crate) curves: Vec<u32>,
}

/// Examples in standard units, by places.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rows {
    starts: Vec<usize>,
    places: Vec<u32>,
    values: Vec<f64>,
    /// NaN where the target is unknown.
    targets: Vec<f64>,
    /// Numbers of the examples; empty if these are their positions.
    numbers: Vec<u64>,
    /// Number of the places that each example shows and of whether its target is known; empty if few
    /// examples show the same, or examples show few.
    patterns: Vec<u32>,
    /// Number of rows of a pilot, the last of the examples, and what each of them counts.
    pilot: (usize, f64),
}

impl Standard {
    /// Returns the units in which the reads of `slots` slots have mean 0 and variance about 1.
    pub(crate) fn of(reads: &Reads, slots: usize) -> Standard {
        Standard::within(reads, BySlot::of(reads, slots).bounds())
    }

    /// Does the same for known bounds of each slot.
    pub(crate) fn within(reads: &Reads, bounds: Vec<[f64; 2]>) -> Standard {
        let slots = bounds.len();
        let bounded = || {
            let within = |(slot, value): (u32, f64)| {
                let [least, largest] = bounds[slot as usize];
                (slot as usize, value.clamp(least, largest))
            };
            reads.iter().map(within)
        };
        let mut count = vec![0.0_f64; slots];
        let mut means = vec![0.0_f64; slots];
        for (slot, value) in bounded() {
            count[slot] += 1.0;
            means[slot] += (value - means[slot]) / count[slot];
        }
        // Squares are in units of a power of two near each slot's largest deviation: no scale makes
        // them 0 or infinite.
        let mut unit = vec![0.0_f64; slots];
        for (slot, value) in bounded() {
            unit[slot] = unit[slot].max((value - means[slot]).abs());
        }
        unit.iter_mut().for_each(|u| *u = power_of_two(*u));
        let largest = unit.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let mut spread = vec![0.0_f64; slots];
        for (slot, value) in bounded() {
            spread[slot] += ((value - means[slot]) / unit[slot]).powi(2);
        }
        let squares: f64 =
            spread.iter().zip(&unit).map(|(square, u)| square * (u / largest).powi(2)).sum();
        let pooled = squares / count.iter().sum::<f64>().max(1.0);
        // A deviation within the rounding of the mean is none.
        let varies = |j: usize| {
            spread[j] > count[j] * (1e-14 * (means[j] / unit[j])).powi(2)
                && spread[j] > 0.0
                && count[j] > 1.0
        };
        let taking: Vec<usize> = (0..slots).filter(|&j| varies(j)).collect();
        let own = |j: usize| spread[j] / count[j] * (unit[j] / largest).powi(2);
        let mut variances: Vec<f64> = taking.iter().map(|&j| own(j)).collect();
        variances.sort_unstable_by(f64::total_cmp);
        let part = |of: usize| variances.get(variances.len() / of).copied().unwrap_or(0.0);
        let (median, quartile) = (part(2), part(4));
        let alike = median <= ALIKE_BELOW * quartile
            && variances.last().is_none_or(|most| *most <= ALIKE * median);
        // In units of each slot.
        let pooled_of = |j: usize| {
            if alike { pooled * (largest / unit[j]).powi(2) } else { spread[j] / count[j] }
        };
        let steadied = |j: usize| (spread[j] + PRIOR_READS * pooled_of(j)) / (count[j] + SHRUNK_BY);
        let targets = || reads.main_targets();
        let m = targets().count().max(1) as f64;
        let centre = targets().sum::<f64>() / m;
        let of_targets = power_of_two(targets().map(|y| (y - centre).abs()).fold(0.0, f64::max));
        let square = targets().map(|y| ((y - centre) / of_targets).powi(2)).sum::<f64>() / m;
        let varied = square > (1e-14 * (centre / of_targets)).powi(2);
        Standard {
            mean: taking.iter().map(|&j| means[j]).collect(),
            deviation: taking.iter().map(|&j| pooled_of(j).sqrt() * unit[j]).collect(),
            own: taking.iter().map(|&j| steadied(j) / pooled_of(j)).collect(),
            reads: taking.iter().map(|&j| count[j]).collect(),
            slots: taking.iter().map(|&j| j as u32).collect(),
            centre,
            spread: if varied { square.sqrt() * of_targets } else { 1.0 },
            means,
            bounds,
            curves: Vec::new(),
        }
    }

    /// Adds curves of included slots, in units in which they vary as much as their attributes.
    pub(crate) fn with_curves(&self, curves: &[SlotCurve]) -> Standard {
        let mut wider = self.clone();
        for curve in curves {
            let Ok(place) = self.slots.binary_search(&curve.slot) else { continue };
            wider.slots.push((self.bounds.len() + wider.curves.len()) as u32);
            wider.curves.push(curve.slot);
            wider.mean.push(0.0);
            wider.deviation.push(1.0 / self.own[place].sqrt());
            wider.own.push(self.own[place]);
            wider.reads.push(self.reads[place]);
            wider.means.push(0.0);
        }
        wider
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the reads in these units, without those of excluded slots.
    pub(crate) fn rows(&self, reads: &Reads) -> Rows {
        self.rows_with(reads, &[])
    }

    /// Does the same with the values of some of the curves, of other heights or the same.
    pub(crate) fn rows_with(&self, reads: &Reads, curves: &[SlotCurve]) -> Rows {
        let mut curve_of = vec![NONE; if curves.is_empty() { 0 } else { self.bounds.len() }];
        for (at, curve) in curves.iter().enumerate() {
            curve_of[curve.slot as usize] = at as u32;
        }
        let mut place = vec![NONE; self.means.len()];
        for (at, &slot) in self.slots.iter().enumerate() {
            place[slot as usize] = at as u32;
        }
        let mut rows = Rows {
            starts: Vec::with_capacity(reads.len() + 1),
            places: Vec::with_capacity(reads.cells()),
            values: Vec::with_capacity(reads.cells()),
            targets: reads.targets().iter().map(|y| (y - self.centre) / self.spread).collect(),
            numbers: reads.numbers().to_vec(),
            patterns: Vec::new(),
            pilot: reads.pilot(),
        };
        rows.starts.push(0);
        for i in 0..reads.len() {
            let (slots, values) = reads.example(i);
            let bounded = |(slot, value): (&u32, &f64)| {
                let [least, largest] = self.bounds[*slot as usize];
                (*slot, value.clamp(least, largest))
            };
            let cells = || slots.iter().zip(values).map(bounded);
            let mut push = |slot: usize, value: f64| {
                let at = place[slot];
                if at != NONE {
                    rows.places.push(at);
                    rows.values
                        .push((value - self.mean[at as usize]) / self.deviation[at as usize]);
                }
            };
            cells().for_each(|(slot, value)| push(slot as usize, value));
            if !curves.is_empty() {
                for (slot, value) in cells().filter(|(slot, _)| curve_of[*slot as usize] != NONE) {
                    let curve = &curves[curve_of[slot as usize] as usize];
                    // A part may have a curve that all examples together have not.
                    if let Ok(at) = self.curves.binary_search(&slot) {
                        let height = interpolate(&curve.knots, &curve.heights, value);
                        push(self.bounds.len() + at, height);
                    }
                }
            }
            rows.starts.push(rows.places.len());
        }
        if rows.places.len() >= LONG * rows.len() {
            rows.patterns = rows.count_patterns();
        }
        rows
    }
}

/// Returns the power of two below a number that is not negative, at least the smallest normal
/// number.
fn power_of_two(number: f64) -> f64 {
    f64::from_bits(number.to_bits() & (0x7ff << 52)).max(f64::MIN_POSITIVE)
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    /// Returns the number of examples that are no rows of a pilot: the first ones.
    #[inline]
    pub(crate) fn main(&self) -> usize {
        self.len() - self.pilot.0
    }

    /// Returns what an example counts: 1, or less for a row of a pilot.
    #[inline]
    pub(crate) fn weight(&self, i: usize) -> f64 {
        if i < self.main() { 1.0 } else { self.pilot.1 }
    }

    /// Returns what each row of the pilot counts; 0 without one.
    pub(crate) fn pilot_weight(&self) -> f64 {
        self.pilot.1
    }

    /// Changes what each row of the pilot counts.
    pub(crate) fn weigh_pilot(&mut self, weight: f64) {
        self.pilot.1 = weight;
    }

    /// Returns the targets of all examples, NaN where they are unknown and for rows of a pilot.
    pub(crate) fn main_targets(&self) -> Vec<f64> {
        let mut targets = self.targets.clone();
        targets[self.main()..].fill(f64::NAN);
        targets
    }

    /// Visits the examples with a known target that are no rows of a pilot.
    pub(crate) fn told(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.main()).filter(|&i| self.has_target(i))
    }

    /// Returns true if the target of an example is known.
    #[inline]
    pub(crate) fn has_target(&self, i: usize) -> bool {
        !self.targets[i].is_nan()
    }

    /// Returns the number of known targets, without those of a pilot.
    pub(crate) fn known(&self) -> usize {
        self.told().count()
    }

    /// Returns the number of an example, by which it belongs to a fold.
    #[inline]
    pub(crate) fn number(&self, i: usize) -> u64 {
        self.numbers.get(i).copied().unwrap_or(i as u64)
    }

    /// Numbers the examples anew if a fold has less than half of its share of the known targets:
    /// those with a target in their order, and those without one in theirs.
    pub(crate) fn balance(&mut self, folds: usize) {
        let mut held = vec![0_usize; folds];
        self.told().for_each(|i| held[(self.number(i) % folds as u64) as usize] += 1);
        let known: usize = held.iter().sum();
        if held.iter().all(|held| 2 * held * folds >= known) {
            return;
        }
        let mut next = [0_u64; 2];
        let number = |target: &f64| {
            let next = &mut next[usize::from(target.is_nan())];
            *next += 1;
            *next - 1
        };
        self.numbers = self.targets.iter().map(number).collect();
    }

    /// Returns the places of one example, their values, and its target, NaN if that is unknown.
    #[inline]
    pub(crate) fn example(&self, i: usize) -> (&[u32], &[f64], f64) {
        let reads = self.starts[i]..self.starts[i + 1];
        (&self.places[reads.clone()], &self.values[reads], self.targets[i])
    }

    /// Returns the number of an example's places and of whether its target is known; `None` if few
    /// examples have the same.
    #[inline]
    pub(crate) fn pattern(&self, i: usize) -> Option<u32> {
        self.patterns.get(i).copied()
    }

    /// Returns true if two examples are known to show the same places, and both have a target or none
    /// has.
    #[inline]
    pub(crate) fn are_alike(&self, a: usize, b: usize) -> bool {
        self.pattern(a).is_some_and(|pattern| self.pattern(b) == Some(pattern))
    }

    /// Finds the patterns however few the reads are.
    #[cfg(test)]
    pub(crate) fn with_patterns(&self) -> Rows {
        Rows { patterns: self.count_patterns(), ..self.clone() }
    }

    /// Numbers the patterns in the order of the examples; empty as soon as few come again.
    fn count_patterns(&self) -> Vec<u32> {
        let mut known = HashMap::new();
        let mut number = |i: usize| {
            let (places, _, y) = self.example(i);
            let next = known.len();
            let number = *known.entry((places, y.is_nan())).or_insert(next as u32);
            (known.len() <= PATTERNS + i / 2).then_some(number)
        };
        (0..self.len()).map(&mut number).collect::<Option<Vec<u32>>>().unwrap_or_default()
    }

    /// Returns the largest number of reads of one example, whether or not its target is known.
    pub(crate) fn most(&self) -> usize {
        self.starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }

    /// Returns the number of ordered pairs of different places shown together with a target, without
    /// those of a pilot.
    pub(crate) fn pairs(&self) -> f64 {
        self.told()
            .map(|i| (self.starts[i + 1] - self.starts[i]) as f64)
            .map(|q| q * (q - 1.0).max(0.0))
            .sum()
    }
}
