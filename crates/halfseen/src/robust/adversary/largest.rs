//! Selects the largest of a list of gains in one pass, O(n) for any order.
//!
//! Gains above a threshold are appended to a buffer. When it is full, the largest are selected, and
//! the smallest of these becomes the threshold; gains appended since the last selection pay for the
//! next. The first threshold is estimated from a sample (Floyd and Rivest 1975); if too few gains
//! exceed it, the pass is repeated from 0.

/// Number of gains processed together.
const BLOCK: usize = 16;

/// Number of gains sampled for the first threshold.
const SAMPLE: usize = 64;

/// The `count` largest gains above 0; ties go to the first.
#[derive(Debug, Clone, Default)]
pub(super) struct Largest {
    count: usize,
    /// Lower limit of appended gains: the `count`-th largest so far, an estimate, or 0.
    threshold: f64,
    length: usize,
    items: Vec<u32>,
    bits: Vec<u64>,
}

impl Largest {
    /// Returns the sum of the largest gains.
    pub(super) fn of_gains(&mut self, count: usize, gains: &[f64]) -> f64 {
        self.count = count.min(gains.len());
        self.length = 0;
        if self.count == 0 {
            return 0.0;
        }
        self.items.resize(2 * self.count + 4 * BLOCK, 0);
        self.threshold = self.guess(gains);
        self.pass(gains);
        if self.length < self.count && self.threshold > 0.0 {
            (self.threshold, self.length) = (0.0, 0);
            self.pass(gains);
        }
        self.items().iter().map(|&item| gains[item as usize]).sum()
    }

    /// Returns the items of the largest gains, increasing.
    pub(super) fn items(&self) -> &[u32] {
        &self.items[..self.length]
    }

    /// Returns a threshold that the `count` largest probably exceed, with few others.
    fn guess(&mut self, gains: &[f64]) -> f64 {
        let n = gains.len();
        let expected = (SAMPLE * self.count) as f64 / n as f64;
        let rank = (expected + 2.0 * expected.sqrt() + 1.0) as usize;
        if n < 4 * SAMPLE || rank >= SAMPLE {
            return 0.0;
        }
        self.bits.clear();
        self.bits.extend((0..SAMPLE).map(|i| gains[i * n / SAMPLE].max(0.0).to_bits()));
        f64::from_bits(*self.bits.select_nth_unstable(SAMPLE - 1 - rank).1)
    }

    fn pass(&mut self, gains: &[f64]) {
        let mut first = 0;
        let blocks = gains.chunks_exact(BLOCK);
        let last = blocks.remainder();
        for block in blocks {
            // Most blocks contain nothing: the maximum of each uses vector registers.
            let mut largest = [0.0_f64; 4];
            for part in block.chunks_exact(4) {
                for lane in 0..4 {
                    largest[lane] =
                        if part[lane] > largest[lane] { part[lane] } else { largest[lane] };
                }
            }
            let larger = |a: f64, b: f64| if a > b { a } else { b };
            if larger(larger(largest[0], largest[2]), larger(largest[1], largest[3]))
                > self.threshold
            {
                self.note(block, first, gains);
            }
            first += BLOCK as u32;
        }
        self.note(last, first, gains);
        self.select(gains);
    }

    /// Appends the gains above the threshold.
    #[inline]
    fn note(&mut self, block: &[f64], first: u32, gains: &[f64]) {
        let room = &mut self.items[self.length..self.length + BLOCK];
        // Written in turn and kept if larger: no branch to mispredict.
        let mut count = 0;
        for (lane, &gain) in block.iter().enumerate() {
            room[count % BLOCK] = first + lane as u32;
            count += usize::from(gain > self.threshold);
        }
        self.length += count;
        if self.length + BLOCK > self.items.len() {
            self.select(gains);
        }
    }

    /// Keeps the `count` largest of the buffer, in their order.
    fn select(&mut self, gains: &[f64]) {
        let length = self.length;
        if length <= self.count {
            return;
        }
        // Positive numbers are ordered as their bits.
        self.bits.clear();
        self.bits.extend(self.items[..length].iter().map(|&item| gains[item as usize].to_bits()));
        let (_, &mut least, above) = self.bits.select_nth_unstable(length - self.count);
        // Number of kept items that equal the least.
        let mut equal = self.count - above.iter().filter(|&&bits| bits > least).count();
        let mut kept = 0;
        for at in 0..length {
            let item = self.items[at];
            self.items[kept] = item;
            let bits = gains[item as usize].to_bits();
            let tied = usize::from(bits == least && equal > 0);
            equal -= tied;
            kept += usize::from(bits > least) + tied;
        }
        self.length = kept;
        self.threshold = f64::from_bits(least);
    }
}
