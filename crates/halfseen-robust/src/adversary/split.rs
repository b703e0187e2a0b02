//! Finds the item at which a list in falling order reaches an amount, without sorting: O(n) for any
//! order.

/// Items by falling key; ties go to the first.
///
/// The list is halved about its median repeatedly, following the half in which the amount is
/// reached: n + n/2 + n/4 + ... steps.
#[derive(Debug, Clone, Default)]
pub(crate) struct Split {
    /// (bits of the key, complemented so that the largest comes first; item).
    items: Vec<(u64, u32)>,
    /// Number of items before the amount is reached.
    before: usize,
}

impl Split {
    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.before = 0;
    }

    /// Adds an item with a key of at least 0.
    #[inline]
    pub(crate) fn push(&mut self, key: f64, item: u32) {
        self.items.push((!key.to_bits(), item));
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Finds the first item at which the cumulative amount (each at least 0) is `wanted` or more.
    /// Returns the sum before it, or `None` if the total is less.
    pub(crate) fn reach(&mut self, wanted: f64, amount: impl Fn(u32) -> f64) -> Option<f64> {
        let (mut low, mut high, mut sum) = (0, self.items.len(), 0.0);
        let all: f64 = self.items.iter().map(|&(_, item)| amount(item)).sum();
        if all < wanted {
            self.before = high;
            return None;
        }
        while high - low > 1 {
            let middle = (high - low) / 2;
            let (left, ..) = self.items[low..high].select_nth_unstable(middle);
            let part: f64 = left.iter().map(|&(_, item)| amount(item)).sum();
            if sum + part >= wanted {
                high = low + middle;
            } else {
                sum += part;
                low += middle;
            }
        }
        self.before = low;
        (high > low).then_some(sum)
    }

    /// Returns the items before that item, in any order.
    pub(crate) fn before(&self) -> impl Iterator<Item = u32> + '_ {
        self.items[..self.before].iter().map(|&(_, item)| item)
    }

    /// Returns that item.
    pub(crate) fn reaching(&self) -> Option<u32> {
        self.items.get(self.before).map(|&(_, item)| item)
    }
}
