//! Names the columns that are wanted of a file.

use std::collections::BTreeSet;

/// Columns that are wanted of a file, by name. A CSV file does not say which columns are numbers,
/// so that the caller does; other formats know it, and only leave out what is not wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Columns of numbers.
    pub numbers: BTreeSet<String>,
    /// Columns of text, whose cells are kept as they are written.
    pub texts: BTreeSet<String>,
    /// True if the other columns are wanted too. Their kind is what the first rows show.
    pub others: bool,
    /// Columns that are not wanted even then.
    pub except: BTreeSet<String>,
}

/// Kind of a column as it is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
    /// The kind that the first rows show.
    Shown,
    /// It is not wanted.
    Out,
}

impl Wanted {
    pub(crate) fn kind(&self, name: &str) -> Kind {
        if self.numbers.contains(name) {
            Kind::Number
        } else if self.texts.contains(name) {
            Kind::Text
        } else if self.others && !self.except.contains(name) {
            Kind::Shown
        } else {
            Kind::Out
        }
    }
}
