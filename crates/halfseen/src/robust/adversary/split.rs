//! Finds where a list in falling order reaches an amount, without putting it in order: O(n),
//! whatever the order given.

/// Items by a key, falling; of equal keys the first item comes first.
///
/// Halves the list about its median again and again, and follows the half in which the amount is
/// reached: n + n/2 + n/4 + ... steps.
#[derive(Debug, Clone, Default)]
pub(in crate::robust) struct Split {
    /// (key's bits, complemented so that the largest comes first; item).
    items: Vec<(u64, u32)>,
    /// How many come before the amount is reached.
    before: usize,
}

impl Split {
    /// Forgets everything.
    pub(in crate::robust) fn clear(&mut self) {
        self.items.clear();
        self.before = 0;
    }

    /// Adds an item with a key of at least 0.
    #[inline]
    pub(in crate::robust) fn push(&mut self, key: f64, item: u32) {
        self.items.push((!key.to_bits(), item));
    }

    /// How many items there are.
    pub(in crate::robust) fn len(&self) -> usize {
        self.items.len()
    }

    /// Walks down until the amounts of the items (each at least 0) sum to `wanted` or more; gives
    /// the sum of the items before the one that reaches it, or `None` if all together do not.
    pub(in crate::robust) fn reach(
        &mut self,
        wanted: f64,
        amount: impl Fn(u32) -> f64,
    ) -> Option<f64> {
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

    /// The items before the one that reaches it, in any order.
    pub(in crate::robust) fn before(&self) -> impl Iterator<Item = u32> + '_ {
        self.items[..self.before].iter().map(|&(_, item)| item)
    }

    /// The item that reaches it.
    pub(in crate::robust) fn reaching(&self) -> Option<u32> {
        self.items.get(self.before).map(|&(_, item)| item)
    }
}
