//! Defines the layout of trees with eight adjacent children per node, and walks them.

/// Shape of a tree over n leaves, all levels in one array, leaves first.
///
/// Eight f64 fill a cache line: at n = 10^6 an update or draw touches 7 lines, not the 20 levels of
/// a binary tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fan {
    /// Start of each level; the last is the root. 8^11 leaves exceed any memory.
    starts: [usize; 12],
    levels: usize,
}

impl Fan {
    /// Number of children of a node.
    pub(crate) const OUT: usize = 8;

    /// Creates a tree over `leaves`; every level is padded to a multiple of eight.
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

    /// Returns the number of nodes in all levels.
    pub(crate) fn nodes(&self) -> usize {
        self.starts[self.levels() - 1] + 1
    }

    /// Returns the number of levels, including leaves and root.
    #[inline]
    pub(crate) fn levels(&self) -> usize {
        self.levels
    }

    #[inline]
    pub(crate) fn start(&self, level: usize) -> usize {
        self.starts[level]
    }

    /// Returns the nodes of a level above the given leaves, each once if the leaves increase.
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

    /// Returns the number of the siblings that are the children of the `at`-th node of a level,
    /// where all nodes are counted by eights.
    #[inline]
    pub(crate) fn children(&self, level: usize, at: usize) -> usize {
        self.starts[level - 1] / Self::OUT + at
    }
}

/// Numbers of the children of one node, in a cache line of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(crate) struct Siblings(pub(crate) [f64; Fan::OUT]);

impl Siblings {
    /// Sums in a fixed order that suits four-fold SIMD.
    #[inline]
    pub(crate) fn sum(&self) -> f64 {
        self.fold(|a, b| a + b)
    }

    /// Returns the least; none is NaN.
    #[inline]
    pub(crate) fn least(&self) -> f64 {
        self.fold(|a, b| if a < b { a } else { b })
    }

    #[inline]
    fn fold(&self, join: impl Fn(f64, f64) -> f64) -> f64 {
        let c = &self.0;
        let [a, b, c, d] = [join(c[0], c[4]), join(c[1], c[5]), join(c[2], c[6]), join(c[3], c[7])];
        join(join(a, c), join(b, d))
    }
}

/// Returns the child at position `rest` of the cumulated weights, and makes `rest` the position
/// inside it. `None` if no child has weight.
///
/// Guards against rounding: only children with weight are chosen, and the last of them if rounding
/// leaves a rest beyond it.
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
