//! Keeps the reads of every example: its slots, their values, its target if that is known, and its
//! number.

use serde::{Deserialize, Serialize};

/// The reads of all examples, one after another, without refused ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reads {
    /// Example i has the reads `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    slots: Vec<u32>,
    values: Vec<f64>,
    /// NaN where the target is unknown, in a file null.
    #[serde(with = "nullable")]
    targets: Vec<f64>,
    /// Number of each example, by which it belongs to a fold; empty if the numbers are 0, 1, 2, ...
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<u64>,
    /// Number of rows of a pilot, the last of the examples, and what each of them counts.
    #[serde(skip)]
    pilot: (usize, f64),
}

impl Default for Reads {
    fn default() -> Self {
        Self::new()
    }
}

impl Reads {
    /// Starts without reads.
    pub(crate) fn new() -> Reads {
        Reads {
            starts: vec![0],
            slots: Vec::new(),
            values: Vec::new(),
            targets: Vec::new(),
            numbers: Vec::new(),
            pilot: (0, 0.0),
        }
    }

    /// Returns these examples and behind them the rows of a pilot, each of which counts `weight`.
    pub(crate) fn with_pilot(&self, pilot: &Reads, weight: f64) -> Reads {
        let mut all = self.clone();
        all.starts.extend(pilot.starts[1..].iter().map(|start| self.cells() + start));
        all.slots.extend(&pilot.slots);
        all.values.extend(&pilot.values);
        all.targets.extend(&pilot.targets);
        all.pilot = (pilot.len(), weight);
        all
    }

    /// Returns the number of rows of a pilot, the last of the examples, and what each counts.
    pub(crate) fn pilot(&self) -> (usize, f64) {
        self.pilot
    }

    /// Keeps one example, without refused reads, which are NaN. Its number is its position if all
    /// numbers before it are, else `number`.
    pub(crate) fn push_next(
        &mut self,
        number: u64,
        cells: impl Iterator<Item = (u32, f64)>,
        target: f64,
    ) {
        let number = if self.numbers.is_empty() { self.len() as u64 } else { number };
        self.push_numbered(number, cells, target);
    }

    /// Keeps one example under its number, without refused reads, which are NaN. A target that is
    /// NaN is unknown.
    pub(crate) fn push_numbered(
        &mut self,
        number: u64,
        cells: impl Iterator<Item = (u32, f64)>,
        target: f64,
    ) {
        if self.numbers.is_empty() && number != self.len() as u64 {
            self.numbers.extend(0..self.len() as u64);
            self.numbers.push(number);
        } else if !self.numbers.is_empty() {
            self.numbers.push(number);
        }
        for (slot, value) in cells.filter(|(_, value)| !value.is_nan()) {
            self.slots.push(slot);
            self.values.push(value);
        }
        self.starts.push(self.slots.len());
        self.targets.push(target);
    }

    /// Keeps one example under its position.
    #[cfg(test)]
    pub(crate) fn push(&mut self, cells: impl Iterator<Item = (u32, f64)>, target: f64) {
        self.push_next(self.len() as u64, cells, target);
    }

    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    /// Returns the number of reads.
    pub(crate) fn cells(&self) -> usize {
        self.slots.len()
    }

    /// Returns the slots of one example, and their values.
    pub(crate) fn example(&self, i: usize) -> (&[u32], &[f64]) {
        let reads = self.starts[i]..self.starts[i + 1];
        (&self.slots[reads.clone()], &self.values[reads])
    }

    /// Returns the target of one example; NaN if it is unknown.
    pub(crate) fn target(&self, i: usize) -> f64 {
        self.targets[i]
    }

    /// Returns the targets of all examples; NaN where they are unknown.
    pub(crate) fn targets(&self) -> &[f64] {
        &self.targets
    }

    /// Changes the known targets.
    pub(crate) fn set_targets(&mut self, of: impl Fn(usize) -> f64) {
        let known = self.targets.iter_mut().enumerate().filter(|(_, target)| !target.is_nan());
        known.for_each(|(i, target)| *target = of(i));
    }

    /// Visits the known targets, example by example.
    pub(crate) fn known_targets(&self) -> impl Iterator<Item = f64> + Clone {
        self.targets.iter().copied().filter(|target| !target.is_nan())
    }

    /// Visits the known targets without those of a pilot.
    pub(crate) fn main_targets(&self) -> impl Iterator<Item = f64> + Clone {
        let main = &self.targets[..self.len() - self.pilot.0];
        main.iter().copied().filter(|target| !target.is_nan())
    }

    /// Returns the number of known targets, without those of a pilot.
    pub(crate) fn told(&self) -> usize {
        self.main_targets().count()
    }

    /// Returns the numbers of the examples; empty if these are their positions.
    pub(crate) fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// Visits all reads, (slot, value), example by example.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        self.slots.iter().copied().zip(self.values.iter().copied())
    }

    /// Returns true if a saved state holds reads of this number of slots, none larger than
    /// `largest`, of examples numbered below `numbers`.
    pub(crate) fn is_sound(&self, slots: usize, largest: f64, numbers: u64) -> bool {
        self.starts.first() == Some(&0)
            && self.starts.last() == Some(&self.slots.len())
            && self.starts.windows(2).all(|w| w[0] <= w[1])
            && self.starts.len() == self.targets.len() + 1
            && self.values.len() == self.slots.len()
            && (self.numbers.is_empty() || self.numbers.len() == self.targets.len())
            && self.numbers.iter().all(|&number| number < numbers)
            && self.slots.iter().all(|&slot| (slot as usize) < slots)
            && (0..self.len()).all(|i| self.example(i).0.windows(2).all(|w| w[0] < w[1]))
            && self.values.iter().all(|v| v.abs() <= largest)
            && self.known_targets().all(|v| v.abs() <= largest)
    }
}

/// Writes unknown targets as null, since JSON has no NaN.
mod nullable {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        targets: &[f64],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(targets.iter().map(|y| Some(*y).filter(|y| !y.is_nan())))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<f64>, D::Error> {
        let targets = Vec::<Option<f64>>::deserialize(deserializer)?;
        Ok(targets.into_iter().map(|y| y.unwrap_or(f64::NAN)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_from_the_first_that_is_no_position() {
        let mut reads = Reads::new();
        reads.push_next(7, [(0, 1.0)].into_iter(), 1.0);
        reads.push_numbered(1, [(1, 1.0), (2, f64::NAN)].into_iter(), f64::NAN);
        assert_eq!((reads.numbers(), reads.cells()), (&[][..], 2));
        reads.push_numbered(5, std::iter::empty(), 2.0);
        reads.push_next(9, std::iter::empty(), 3.0);
        assert_eq!(reads.numbers(), [0, 1, 5, 9]);
        assert_eq!(reads.known_targets().collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert!(reads.is_sound(2, 3.0, 10) && !reads.is_sound(2, 3.0, 9));
        let json = serde_json::to_value(&reads).unwrap();
        assert_eq!(json["targets"], serde_json::json!([1.0, null, 2.0, 3.0]));
        let again: Reads = serde_json::from_value(json).unwrap();
        assert_eq!(format!("{again:?}"), format!("{reads:?}"));
        let old = serde_json::json!({ "starts": [0, 1], "slots": [0], "values": [1.0], "targets": [2.0] });
        let old: Reads = serde_json::from_value(old).unwrap();
        assert!(old.numbers().is_empty() && old.is_sound(1, 2.0, 1));
    }
}
