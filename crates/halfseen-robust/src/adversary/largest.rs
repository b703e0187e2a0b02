//! Selects the largest of a list of gains, O(n) for any order.
//!
//! Gains above a threshold are marked, one bit each, without a branch; the largest are selected
//! from those marked. Lists that follow one another are often alike, so the threshold lies a little
//! below the `count`-th largest gains of the last ones. If too few gains exceed it, all above 0 are
//! marked. What is selected does not depend on it.

/// Number of gains whose marks share a word.
const WORD: usize = 64;

/// Share of the last list in the running means.
const SHARE: f64 = 0.125;

/// Distance of the threshold from the running mean, in mean deviations: two of three per cent of
/// lists are then marked twice.
const DEVIATIONS: f64 = 2.5;

/// The `count` largest gains above 0; ties go to the first.
#[derive(Debug, Clone, Default)]
pub(super) struct Largest {
    count: usize,
    /// Running mean of the `count`-th largest gain above 0, or 0, and of its deviations from that.
    mean: f64,
    deviation: f64,
    items: Vec<u32>,
    bits: Vec<u64>,
}

impl Largest {
    /// Returns the sum of the largest gains.
    pub(super) fn of_gains(&mut self, count: usize, gains: &[f64]) -> f64 {
        if self.count != count {
            (self.count, self.mean, self.deviation) = (count, 0.0, 0.0);
        }
        let count = count.min(gains.len());
        self.items.clear();
        if count == 0 {
            return 0.0;
        }
        let threshold = (self.mean - DEVIATIONS * self.deviation).max(0.0);
        self.mark(gains, threshold);
        if self.items.len() < count && threshold > 0.0 {
            self.mark(gains, 0.0);
        }
        let least = if self.items.len() < count { 0.0 } else { self.select(count, gains) };
        let change = least - self.mean;
        self.mean += SHARE * change;
        self.deviation += SHARE * (change.abs() - self.deviation);
        self.items.iter().map(|&item| gains[item as usize]).sum()
    }

    /// Returns the items of the largest gains, increasing.
    pub(super) fn items(&self) -> &[u32] {
        &self.items
    }

    /// Lists the items with a gain above the threshold.
    fn mark(&mut self, gains: &[f64], threshold: f64) {
        self.items.clear();
        let (words, rest) = gains.as_chunks::<WORD>();
        for (word, gains) in words.iter().enumerate() {
            self.list(word * WORD, marks(gains, threshold));
        }
        // A gain of 0 is above no threshold.
        let mut last = [0.0; WORD];
        last[..rest.len()].copy_from_slice(rest);
        self.list(words.len() * WORD, marks(&last, threshold));
    }

    #[inline]
    fn list(&mut self, first: usize, mut marks: u64) {
        while marks != 0 {
            self.items.push(first as u32 + marks.trailing_zeros());
            marks &= marks - 1;
        }
    }

    /// Keeps the `count` largest of the listed items, in their order; returns the least of them.
    fn select(&mut self, count: usize, gains: &[f64]) -> f64 {
        // Positive numbers are ordered as their bits.
        let bits_of = |item: u32| gains[item as usize].to_bits();
        self.bits.clear();
        self.bits.extend(self.items.iter().map(|&item| bits_of(item)));
        let above = self.bits.len() - count;
        let (_, &mut least, above) = self.bits.select_nth_unstable(above);
        // Number of kept items that equal the least.
        let mut equal = count - above.iter().filter(|&&bits| bits > least).count();
        let mut kept = 0;
        for at in 0..self.items.len() {
            let item = self.items[at];
            self.items[kept] = item;
            let bits = bits_of(item);
            let tied = usize::from(bits == least && equal > 0);
            equal -= tied;
            kept += usize::from(bits > least) + tied;
        }
        self.items.truncate(kept);
        f64::from_bits(least)
    }
}

/// Returns a bit for each gain above the threshold, from the lowest.
#[inline]
fn marks(gains: &[f64; WORD], threshold: f64) -> u64 {
    // Eight words of marks, which vector registers hold.
    let mut marks = [0; 8];
    for (eighth, gains) in gains.as_chunks::<8>().0.iter().enumerate() {
        for lane in 0..8 {
            let mark = 1_u64 << (8 * eighth + lane);
            marks[lane] |= if gains[lane] > threshold { mark } else { 0 };
        }
    }
    marks.into_iter().fold(0, |all, marks| all | marks)
}
