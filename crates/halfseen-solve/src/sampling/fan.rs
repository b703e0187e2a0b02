//! Lays out trees whose nodes have eight children side by side, and walks them.

use std::ops::Range;

/// The shape of a tree over n leaves, all levels in one array, leaves first.
///
/// Eight f64 fill a cache line: at n = 10^6 an update or a draw touches 7 lines instead of the 20
/// levels of a binary tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fan {
    /// Where each level starts; the last is the root. 8^11 leaves are more than memory holds.
    starts: [usize; 12],
    levels: usize,
}

impl Fan {
    /// Children of a node.
    pub(crate) const OUT: usize = 8;

    /// A tree over so many leaves; every level is padded to a multiple of eight.
    pub(crate) fn new(leaves: usize) -> Fan {
        let mut fan = Fan { starts: [0; 12], levels: 1 };
        let mut width = leaves.max(1).next_multiple_of(Self::OUT);
        let mut next = width;
        while width > 1 {
            fan.starts[fan.levels] = next;
            fan.levels += 1;
            width = match width / Self::OUT {
                1 => 1,
                parents => parents.next_multiple_of(Self::OUT),
            };
            next += width;
        }
        fan
    }

    /// Nodes in all levels.
    pub(crate) fn nodes(&self) -> usize {
        self.starts[self.levels() - 1] + 1
    }

    /// Number of levels, the leaves' and the root's included.
    #[inline]
    pub(crate) fn levels(&self) -> usize {
        self.levels
    }

    /// Where a level starts.
    #[inline]
    pub(crate) fn start(&self, level: usize) -> usize {
        self.starts[level]
    }

    /// The nodes of a level above the given leaves, each once where the leaves increase.
    #[inline]
    pub(crate) fn above(
        level: usize,
        leaves: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = usize> {
        let mut last = usize::MAX;
        leaves
            .map(move |leaf| leaf >> (3 * level))
            .filter(move |&at| std::mem::replace(&mut last, at) != at)
    }

    /// The children of the `at`-th node of a level.
    #[inline]
    pub(crate) fn children(&self, level: usize, at: usize) -> Range<usize> {
        let first = self.starts[level - 1] + at * Self::OUT;
        first..first + Self::OUT
    }
}

/// The child at position `rest` of the cumulated weights; `rest` becomes the position inside it.
/// `None` if no child has weight.
///
/// The rounding guard: only children with weight are ever chosen, and where rounding leaves a rest
/// beyond the last of them, that last one is.
#[inline]
pub(crate) fn choose(rest: &mut f64, weight: impl Fn(usize) -> f64) -> Option<usize> {
    let mut chosen = None;
    let mut before = 0.0;
    for i in 0..Fan::OUT {
        let w = weight(i);
        if w > 0.0 {
            *rest = (*rest - before).max(0.0);
            chosen = Some(i);
            if *rest < w {
                break;
            }
            before = w;
        }
    }
    chosen
}
