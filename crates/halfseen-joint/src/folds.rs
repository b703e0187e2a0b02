//! Assigns examples to folds by their number modulo the number of folds, so that further examples,
//! and examples that are withdrawn, leave the folds of the others unchanged.

use super::standard::Rows;

/// A subset of the examples. Rows of a pilot are in no fold.
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
    /// Strides, from 1, through its examples with a target and through those without, whose weights
    /// restore the ratio of the two.
    pub(crate) strides: [usize; 2],
}

/// A subset of some rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) subset: WeightedSubset<'a>,
}

/// An example with a weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WeightedIndex {
    pub(crate) example: usize,
    pub(crate) weight: f64,
}

impl FoldSubset {
    /// Returns true if the subset holds the example of this number.
    #[inline]
    pub(crate) fn holds(self, number: u64) -> bool {
        match self {
            FoldSubset::All => true,
            FoldSubset::Without { fold, of } => fold_of(number, of) != fold,
            FoldSubset::Only { fold, of } => fold_of(number, of) == fold,
        }
    }

    /// Returns the positions of the subset's examples.
    pub(crate) fn of(self, rows: &Rows) -> impl Iterator<Item = usize> + Clone {
        let pilot = !matches!(self, FoldSubset::Only { .. });
        let main = rows.main();
        (0..rows.len()).filter(move |&i| if i < main { self.holds(rows.number(i)) } else { pilot })
    }

    /// Returns the positions of the subset's examples with a known target.
    pub(crate) fn with_target(self, rows: &Rows) -> impl Iterator<Item = usize> + Clone {
        self.of(rows).filter(|&i| rows.has_target(i))
    }
}

/// Returns the fold of an example's number.
#[inline]
pub(crate) fn fold_of(number: u64, of: usize) -> usize {
    (number % of as u64) as usize
}

impl<'a> WeightedSubset<'a> {
    /// Returns the subset with other strides.
    pub(crate) fn every(self, strides: [usize; 2]) -> WeightedSubset<'a> {
        WeightedSubset { strides, ..self }
    }

    /// Returns the examples of positive weight.
    pub(crate) fn of<'r>(
        self,
        rows: &'r Rows,
    ) -> impl Iterator<Item = WeightedIndex> + Clone + use<'a, 'r> {
        let ratio = self.strides[1] as f64 / self.strides[0] as f64;
        let mut until = [0_usize; 2];
        let counted = move |i: usize| {
            let untold = usize::from(!rows.has_target(i));
            let weight = rows.weight(i)
                * self.weights.map_or(1.0, |weights| weights[i])
                * if untold == 1 { ratio } else { 1.0 };
            if weight <= 0.0 {
                return None;
            }
            let kept = until[untold] == 0;
            until[untold] = if kept { self.strides[untold] - 1 } else { until[untold] - 1 };
            kept.then_some(WeightedIndex { example: i, weight })
        };
        self.part.of(rows).filter_map(counted)
    }

    /// Returns the examples of positive weight with a known target.
    pub(crate) fn with_target<'r>(
        self,
        rows: &'r Rows,
    ) -> impl Iterator<Item = WeightedIndex> + Clone + use<'a, 'r> {
        self.of(rows).filter(|counted| rows.has_target(counted.example))
    }
}

impl From<FoldSubset> for WeightedSubset<'_> {
    fn from(part: FoldSubset) -> Self {
        WeightedSubset { part, weights: None, strides: [1; 2] }
    }
}

impl From<usize> for WeightedIndex {
    #[inline]
    fn from(example: usize) -> Self {
        WeightedIndex { example, weight: 1.0 }
    }
}
