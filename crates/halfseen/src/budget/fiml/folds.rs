//! Assigns examples to folds by their number modulo the number of folds, so that further examples
//! leave folds unchanged.

/// A subset of the examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoldSubset {
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

/// A subset of the examples, with weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WeightedSubset<'a> {
    pub(crate) part: FoldSubset,
    /// Weight of each of all examples, finite and not negative; `None`: 1.
    pub(crate) weights: Option<&'a [f64]>,
}

/// An example with a weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WeightedIndex {
    pub(crate) example: usize,
    pub(crate) weight: f64,
}

impl FoldSubset {
    /// Returns true if the subset holds an example.
    #[inline]
    pub(crate) fn holds(self, example: usize) -> bool {
        match self {
            FoldSubset::All => true,
            FoldSubset::Without { fold, of } => example % of != fold,
            FoldSubset::Only { fold, of } => example % of == fold,
        }
    }

    /// Returns the numbers of the subset's examples.
    pub(crate) fn of(self, examples: usize) -> impl Iterator<Item = usize> + Clone {
        (0..examples).filter(move |&i| self.holds(i))
    }
}

impl<'a> WeightedSubset<'a> {
    /// Returns the examples of positive weight.
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
