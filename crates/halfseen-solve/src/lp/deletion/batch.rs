//! The terms of a batch of rows, until they are added to the triangle at once.

use super::problem::Part;
use super::triangle::{BATCH, Terms};
use std::array;
use std::ops::Range;

/// Terms of the rows of a batch, one after another.
#[derive(Debug)]
pub(super) struct Batch {
    /// r and q of each entry.
    pub(super) plus: Vec<f64>,
    pub(super) minus: Vec<f64>,
    /// D of each item.
    pub(super) blocks: Vec<f64>,
    /// r of each row's bias.
    pub(super) bias: [f64; BATCH],
}

impl Batch {
    /// Makes room for any batch of this part's rows.
    pub(super) fn new(part: &Part) -> Batch {
        let most = |starts: &[usize]| {
            let batches = (0..starts.len() - 1).step_by(BATCH);
            let sizes = batches.map(|at| starts[(at + BATCH).min(starts.len() - 1)] - starts[at]);
            vec![0.0; sizes.max().unwrap_or(0)]
        };
        let (plus, minus, blocks) = (most(&part.starts), most(&part.starts), most(&part.items));
        Batch { plus, minus, blocks, bias: [0.0; BATCH] }
    }

    /// Returns the terms of the batch's rows, then empty ones.
    #[inline(always)]
    pub(super) fn terms<'a>(&'a self, part: &'a Part, rows: Range<usize>) -> [Terms<'a>; BATCH] {
        let (at, of) = (part.starts[rows.start], part.items[rows.start]);
        array::from_fn(|number| {
            let row = rows.start + number;
            if row >= rows.end {
                return Terms::default();
            }
            let (entries, items) = (part.entries(row), part.items(row));
            Terms {
                slots: &part.slots[entries.clone()],
                plus: &self.plus[entries.start - at..entries.end - at],
                minus: &self.minus[entries.start - at..entries.end - at],
                cells: &part.cells[entries.clone()],
                owners: if part.owners.is_empty() { &[] } else { &part.owners[entries] },
                blocks: &self.blocks[items.start - of..items.end - of],
                bias: self.bias[number],
            }
        })
    }
}
