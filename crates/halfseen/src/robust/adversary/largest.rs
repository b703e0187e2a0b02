//! Finds the largest of a stream of gains in one pass: O(n) whatever their order.
//!
//! Gains above a threshold are kept in a buffer. When it is full, the largest are selected in it, and the least of them
//! becomes the threshold: each selection is paid for by the gains that arrived since the last one.

/// Gains looked at together.
const BLOCK: usize = 16;

/// Keeps the `count` largest gains above 0, of equal ones the first.
#[derive(Debug, Clone, Default)]
pub(super) struct Largest {
    count: usize,
    /// Only larger gains are let in: the `count`-th largest so far, or 0.
    threshold: f64,
    length: usize,
    gains: Vec<f64>,
    items: Vec<u32>,
    bits: Vec<u64>,
}

impl Largest {
    /// Forgets everything.
    fn start(&mut self, count: usize, items: usize) {
        self.count = count.min(items);
        self.threshold = 0.0;
        self.length = 0;
        let room = 2 * self.count + 4 * BLOCK;
        self.gains.resize(room, 0.0);
        self.items.resize(room, 0);
    }

    /// Looks at the gains of items given in order.
    pub(super) fn of_gains(&mut self, count: usize, gains: &[f64]) {
        self.start(count, gains.len());
        if self.count == 0 {
            return;
        }
        let mut blocks = gains.chunks_exact(BLOCK);
        let mut first = 0;
        for block in &mut blocks {
            if let Ok(block) = block.try_into() {
                self.look(block, first);
            }
            first += BLOCK as u32;
        }
        let mut last = [0.0; BLOCK];
        last[..blocks.remainder().len()].copy_from_slice(blocks.remainder());
        self.look(&last, first);
        self.finish();
    }

    /// Looks at the gains `factor w_j x_j - least` of all j in order.
    pub(super) fn of_products(&mut self, count: usize, weights: &[f64], values: &[f64], factor: f64, least: f64) {
        self.start(count, values.len());
        if self.count == 0 {
            return;
        }
        let (mut weights, mut values) = (weights.chunks_exact(BLOCK), values.chunks_exact(BLOCK));
        let mut first = 0;
        let mut gains = [0.0; BLOCK];
        for (w, x) in (&mut weights).zip(&mut values) {
            for lane in 0..BLOCK {
                gains[lane] = factor * (w[lane] * x[lane]) - least;
            }
            self.look(&gains, first);
            first += BLOCK as u32;
        }
        gains = [0.0; BLOCK];
        for ((gain, w), x) in gains.iter_mut().zip(weights.remainder()).zip(values.remainder()) {
            *gain = factor * (w * x) - least;
        }
        self.look(&gains, first);
        self.finish();
    }

    /// Lets in what is above the threshold.
    #[inline(always)]
    fn look(&mut self, gains: &[f64; BLOCK], first: u32) {
        // Most blocks hold nothing: the largest of each is found in vector registers.
        let mut largest = [0.0_f64; 4];
        for part in gains.chunks_exact(4) {
            for lane in 0..4 {
                largest[lane] = if part[lane] > largest[lane] { part[lane] } else { largest[lane] };
            }
        }
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        if larger(larger(largest[0], largest[2]), larger(largest[1], largest[3])) > self.threshold {
            self.let_in(gains, first);
        }
    }

    fn let_in(&mut self, gains: &[f64; BLOCK], first: u32) {
        // Written one after the other and kept where larger: no branch to guess.
        let (mut kept, mut items, mut count) = ([0.0; BLOCK], [0_u32; BLOCK], 0);
        for (lane, &gain) in gains.iter().enumerate() {
            kept[count % BLOCK] = gain;
            items[count % BLOCK] = first + lane as u32;
            count += usize::from(gain > self.threshold);
        }
        let at = self.length;
        self.gains[at..at + BLOCK].copy_from_slice(&kept);
        self.items[at..at + BLOCK].copy_from_slice(&items);
        self.length += count;
        if self.length + BLOCK > self.gains.len() {
            self.select();
        }
    }

    /// Keeps the `count` largest of the buffer, in their order.
    fn select(&mut self) {
        let length = self.length;
        if length <= self.count {
            return;
        }
        // Numbers above 0 are in the order of their bits.
        self.bits.clear();
        self.bits.extend(self.gains[..length].iter().map(|gain| gain.to_bits()));
        let (_, &mut least, above) = self.bits.select_nth_unstable(length - self.count);
        // How many equal to the least are among them.
        let mut equal = self.count - above.iter().filter(|&&bits| bits > least).count();
        let mut kept = 0;
        for at in 0..length {
            let (gain, item) = (self.gains[at], self.items[at]);
            self.gains[kept] = gain;
            self.items[kept] = item;
            let bits = gain.to_bits();
            let tied = usize::from(bits == least && equal > 0);
            equal -= tied;
            kept += usize::from(bits > least) + tied;
        }
        self.length = kept;
        self.threshold = f64::from_bits(least);
    }

    fn finish(&mut self) {
        self.select();
    }

    /// The items kept, increasing.
    pub(super) fn items(&self) -> &[u32] {
        &self.items[..self.length]
    }

    /// The sum of their gains, in their order.
    pub(super) fn sum(&self) -> f64 {
        self.gains[..self.length].iter().sum()
    }
}
