//! Draws rows of a random subspace and hides blocks of columns, any one of which suffices: the
//! second toy data of Hazan, Livni and Mansour 2015, section 5.1.

use crate::incomplete::{Incomplete, Subspace};
use crate::{out_of_range, rank_in_range};
use halfseen::error::Result;
use halfseen::sampling::Stream;
use ndarray::Array2;

const BLOCKS: usize = 3;

/// Rows x normal in a random subspace of `rank` dimensions, y = <w, x> with mean 0 and standard
/// deviation 1, and columns divided at random into three blocks. Each block is observed
/// independently with probability 1/3, given that at least one is (Hazan et al. 2015, section
/// 5.1.2: rank 20 in 200 columns).
///
/// Any block determines the row, so one linear rule per block predicts perfectly. 0-imputation adds
/// the rules of all observed blocks and is wrong if there are several. With gamma >= 3 the kernel
/// can divide by their number.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks {
    /// d.
    pub columns: usize,
    /// r, from 1 to the size of a block, d/3 rounded down.
    pub rank: usize,
}

impl Default for Blocks {
    /// Returns the 200 columns of rank 20 of the paper.
    fn default() -> Self {
        Blocks { columns: 200, rank: 20 }
    }
}

impl Blocks {
    /// Draws rows; [`Incomplete::blocks`] gives the block of each column.
    ///
    /// # Errors
    /// Fewer than three columns, or a rank that a block cannot have.
    pub fn draw(&self, rows: usize, seed: u64) -> Result<Incomplete> {
        if self.columns < BLOCKS {
            return Err(out_of_range("columns", self.columns, format!("at least {BLOCKS}")));
        }
        rank_in_range(self.rank, self.columns / BLOCKS)?;
        let (space, mut secret, mut stream) = Subspace::draw(self.columns, self.rank, seed, 7);
        let mut blocks: Vec<usize> = (0..self.columns).map(|j| j % BLOCKS).collect();
        for last in (1..self.columns).rev() {
            blocks.swap(last, secret.below(last + 1));
        }
        let mut complete = Array2::zeros((rows, self.columns));
        let (mut targets, mut observed) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for mut cells in complete.rows_mut() {
            let x = space.row(&mut stream);
            targets.push(space.score(&x));
            let shown = at_least_one(&mut stream);
            observed.push(blocks.iter().map(|&block| shown[block]).collect());
            cells.iter_mut().zip(x).for_each(|(cell, x)| *cell = x);
        }
        Ok(Incomplete {
            blocks,
            ..Incomplete::new(complete, &observed, targets, space.truth, space.basis)
        })
    }
}

/// Draws the observed blocks, until there is at least one.
fn at_least_one(stream: &mut Stream) -> [bool; BLOCKS] {
    loop {
        let shown = std::array::from_fn(|_| stream.below(3) == 0);
        if shown != [false; BLOCKS] {
            return shown;
        }
    }
}
