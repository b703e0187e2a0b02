//! Solves linear programs of losses that an adversary makes larger, over weights in a box.
//!
//! | module | loss of a row |
//! |---|---|
//! | [`deletion`] | the hinge after fractional deletions, all of them eliminated in closed form |
//! | [`cuts`] | the largest of affine pieces, which an oracle finds when they are needed |

pub mod cuts;
pub mod deletion;

use crate::error::{Error, Result};
use crate::length;
use std::ops::Range;

/// Rows without their zeros.
#[derive(Debug, Clone, Copy)]
pub struct SparseRows<'a> {
    /// Row i has the entries `starts[i]..starts[i + 1]`.
    pub starts: &'a [usize],
    /// The slot of each entry, increasing in a row.
    pub slots: &'a [u32],
    /// Its value.
    pub values: &'a [f64],
    /// How much each row counts, positive; `None` is 1 for all.
    pub weights: Option<&'a [f64]>,
    /// Number of slots: of weights.
    pub width: usize,
}

impl<'a> SparseRows<'a> {
    /// Refuses rows that are none, or whose lists do not fit together.
    fn check(&self) -> Result<()> {
        if self.starts.len() < 2 {
            return Err(Error::TooFewRows { what: "a linear program".into(), least: 1, rows: 0 });
        }
        let entries = self.slots.len();
        length("the values of rows", entries, self.values.len())?;
        length("the entries of rows", self.starts[self.len()], entries)?;
        if !self.starts.is_sorted() || self.slots.iter().any(|&j| j as usize >= self.width) {
            let problem = "starts decrease, or a slot is beyond the last".into();
            return Err(Error::Numerical { what: "sparse rows", problem });
        }
        self.weights.map_or(Ok(()), |w| length("the weights of rows", self.len(), w.len()))
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn entries(&self) -> usize {
        self.slots.len()
    }

    /// The sum of what all rows count.
    fn total(&self) -> f64 {
        self.weights.map_or(self.len() as f64, |weights| weights.iter().sum())
    }

    #[inline]
    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    #[inline]
    fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Slots and values of one row.
    #[inline]
    fn row(&self, row: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.range(row);
        (&self.slots[range.clone()], &self.values[range])
    }
}
