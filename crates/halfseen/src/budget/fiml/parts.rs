//! Says which examples are fitted to and which are held out: every so-many-th, so that further examples leave folds as they are.

/// Some of the examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
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

impl Part {
    /// Whether an example is among them.
    #[inline]
    pub(crate) fn holds(self, example: usize) -> bool {
        match self {
            Part::All => true,
            Part::Without { fold, of } => example % of != fold,
            Part::Only { fold, of } => example % of == fold,
        }
    }

    /// Their numbers, of so many in all.
    pub(crate) fn of(self, examples: usize) -> impl Iterator<Item = usize> + Clone {
        (0..examples).filter(move |&i| self.holds(i))
    }
}
