//! Finds the largest of a list of gains in one pass: O(n) whatever their order.
//!
//! Gains above a threshold are noted in a buffer. When it is full, the largest are selected in it,
//! and the least of them becomes the threshold: each selection is paid for by the gains noted since
//! the last one. The first threshold is guessed from a sample (as Floyd and Rivest 1975 do); where
//! too few lie above it, the pass is repeated from 0.

/// Gains looked at together.
const BLOCK: usize = 16;

/// Gains that a guess is made from.
const SAMPLE: usize = 64;

/// Keeps the `count` largest gains above 0, of equal ones the first.
#[derive(Debug, Clone, Default)]
pub(super) struct Largest {
    count: usize,
    /// Only larger gains are noted: the `count`-th largest so far, a guess, or 0.
    threshold: f64,
    length: usize,
    items: Vec<u32>,
    bits: Vec<u64>,
}

impl Largest {
    /// The sum of the largest gains.
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

    /// The items of the largest gains, increasing.
    pub(super) fn items(&self) -> &[u32] {
        &self.items[..self.length]
    }

    /// A threshold that the `count` largest probably exceed, with few others.
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
            // Most blocks hold nothing: the largest of each is found in vector registers.
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

    /// Notes what is above the threshold.
    #[inline]
    fn note(&mut self, block: &[f64], first: u32, gains: &[f64]) {
        let room = &mut self.items[self.length..self.length + BLOCK];
        // Written one after the other and kept where larger: no branch to guess.
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
        // Numbers above 0 are in the order of their bits.
        self.bits.clear();
        self.bits.extend(self.items[..length].iter().map(|&item| gains[item as usize].to_bits()));
        let (_, &mut least, above) = self.bits.select_nth_unstable(length - self.count);
        // How many equal to the least are among them.
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
