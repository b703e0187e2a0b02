//! Keeps the reads of every example: its slots, their values and the target, and nothing else.

use serde::{Deserialize, Serialize};

/// The reads of all examples, one after another, without refused ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reads {
    /// Example i has the reads `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    slots: Vec<u32>,
    values: Vec<f64>,
    targets: Vec<f64>,
}

impl Reads {
    /// Starts without reads.
    pub(crate) fn new() -> Reads {
        Reads { starts: vec![0], slots: Vec::new(), values: Vec::new(), targets: Vec::new() }
    }

    /// Keeps one example, without refused reads, which are NaN.
    pub(crate) fn push(&mut self, cells: impl Iterator<Item = (u32, f64)>, target: f64) {
        for (slot, value) in cells.filter(|(_, value)| !value.is_nan()) {
            self.slots.push(slot);
            self.values.push(value);
        }
        self.starts.push(self.slots.len());
        self.targets.push(target);
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

    pub(crate) fn target(&self, i: usize) -> f64 {
        self.targets[i]
    }

    pub(crate) fn targets(&self) -> &[f64] {
        &self.targets
    }

    /// Visits all reads, (slot, value), example by example.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        self.slots.iter().copied().zip(self.values.iter().copied())
    }

    /// Returns true if a saved state holds reads of this number of slots, none larger than
    /// `largest`.
    pub(crate) fn is_sound(&self, slots: usize, largest: f64) -> bool {
        self.starts.first() == Some(&0)
            && self.starts.last() == Some(&self.slots.len())
            && self.starts.windows(2).all(|w| w[0] <= w[1])
            && self.starts.len() == self.targets.len() + 1
            && self.values.len() == self.slots.len()
            && self.slots.iter().all(|&slot| (slot as usize) < slots)
            && (0..self.len()).all(|i| self.example(i).0.windows(2).all(|w| w[0] < w[1]))
            && self.values.iter().chain(&self.targets).all(|v| v.abs() <= largest)
    }
}
