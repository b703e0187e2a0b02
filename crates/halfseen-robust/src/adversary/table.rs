//! Solves the knapsack for every whole budget by dynamic programming.

/// Best gain for each budget, with the items taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    /// Item, cost, and cumulative cost.
    items: Vec<(u32, usize, usize)>,
    best: Vec<f64>,
    /// One bit for each item and budget.
    taken: Vec<u64>,
    words: usize,
}

/// Largest number of bits of a table: 32 MB.
const LARGEST: usize = 1 << 28;

impl Table {
    /// Returns true if a table of this size is small enough.
    pub(crate) fn fits(items: usize, budget: usize) -> bool {
        (budget + 64).checked_mul(items).is_some_and(|bits| bits <= LARGEST)
    }

    /// Fills the table with items of gain above 0 and cost at least 1.
    pub(crate) fn fill(&mut self, items: impl Iterator<Item = (u32, f64, usize)>, budget: usize) {
        let width = budget + 1;
        self.words = width.div_ceil(64);
        self.items.clear();
        self.taken.clear();
        self.best.clear();
        self.best.resize(width, 0.0);
        // Beyond the cost of all items so far there is no more gain.
        let (mut reach, mut all) = (0, 0);
        for (item, gain, cost) in items.filter(|item| item.2 <= budget) {
            let from = self.taken.len();
            self.taken.resize(from + self.words, 0);
            all += cost;
            self.items.push((item, cost, all));
            let taken = &mut self.taken[from..];
            let (old, new) = (reach, budget.min(reach + cost));
            let full = self.best[old];
            self.best[old + 1..=new].fill(full);
            reach = new;
            for left in (cost..=reach).rev() {
                let with = self.best[left - cost] + gain;
                if with > self.best[left] {
                    self.best[left] = with;
                    taken[left / 64] |= 1 << (left % 64);
                }
            }
        }
        let full = self.best[reach];
        self.best[reach + 1..].fill(full);
    }

    /// Returns the best gain for each budget, from 0.
    pub(crate) fn best(&self) -> &[f64] {
        &self.best
    }

    /// Returns the items of the best gain for a budget, falling.
    pub(crate) fn items(&self, mut left: usize) -> impl Iterator<Item = u32> + '_ {
        let rows = self.items.iter().zip(self.taken.chunks_exact(self.words.max(1))).rev();
        rows.filter_map(move |(&(item, cost, all), taken)| {
            let is_taken = left >= all || taken[left / 64] >> (left % 64) & 1 == 1;
            is_taken.then(|| {
                left -= cost;
                item
            })
        })
    }
}
