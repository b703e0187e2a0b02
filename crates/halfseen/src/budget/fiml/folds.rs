//! Says which examples are fitted to and which are held out: every so-many-th, so that further
//! examples leave folds as they are.

/// Some of the examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoldSubset {
    /// All of them.
    All,
    /// All but those of a fold.
    Without {
        /// The fold, from 0.
        fold: usize,
        /// Number of folds.
        of: usize,
    },
    /// Those of a fold.
    Only {
        /// The fold, from 0.
        fold: usize,
        /// Number of folds.
        of: usize,
    },
}

/// Some of the examples, with weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WeightedSubset<'a> {
    /// Which.
    pub(crate) part: FoldSubset,
    /// How often each of all examples counts, finite and not negative; `None`: once.
    pub(crate) weights: Option<&'a [f64]>,
}

/// An example that counts so often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WeightedIndex {
    /// Its number.
    pub(crate) example: usize,
    /// How often it counts; above 0.
    pub(crate) weight: f64,
}

impl FoldSubset {
    /// Whether an example is among them.
    #[inline]
    pub(crate) fn holds(self, example: usize) -> bool {
        match self {
            FoldSubset::All => true,
            FoldSubset::Without { fold, of } => example % of != fold,
            FoldSubset::Only { fold, of } => example % of == fold,
        }
    }

    /// Their numbers, of so many in all.
    pub(crate) fn of(self, examples: usize) -> impl Iterator<Item = usize> + Clone {
        (0..examples).filter(move |&i| self.holds(i))
    }
}

impl<'a> WeightedSubset<'a> {
    /// The examples that count, of so many in all.
    pub(crate) fn of(
        self,
        examples: usize,
    ) -> impl Iterator<Item = WeightedIndex> + Clone + use<'a> {
        let weight = move |i: usize| self.weights.map_or(1.0, |weights| weights[i]);
        let counted = move |i| WeightedIndex { example: i, weight: weight(i) };
        self.part.of(examples).map(counted).filter(|counted| counted.weight > 0.0)
    }
}

impl From<FoldSubset> for WeightedSubset<'_> {
    fn from(part: FoldSubset) -> Self {
        WeightedSubset { part, weights: None }
    }
}

impl From<usize> for WeightedIndex {
    #[inline]
    fn from(example: usize) -> Self {
        WeightedIndex { example, weight: 1.0 }
    }
}
