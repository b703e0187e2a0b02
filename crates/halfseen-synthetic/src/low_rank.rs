//! Draws rows of a random subspace and hides cells at random: the first toy data of D, section 5.1.

use crate::incomplete::{Incomplete, Subspace};
use crate::{out_of_range, rank_in_range};
use halfseen::error::Result;
use ndarray::Array2;

/// x normal in a random subspace of `rank` dimensions, y = <w, x> of mean 0 and standard deviation
/// 1, and every cell observed with probability `observed` by itself (D, section 5.1.1: 1,000 rows
/// of rank 10 in 20 columns).
///
/// The paper divides by the deviation of the drawn targets, here it is that of their distribution:
/// so that fewer rows are the first of more. The same seed has the same rows for every `observed`,
/// and hides fewer cells where it is larger. Rows with nothing observed are left in.
#[derive(Debug, Clone, PartialEq)]
pub struct LowRank {
    /// d.
    pub columns: usize,
    /// r, from 1 to d.
    pub rank: usize,
    /// p, above 0 and at most 1.
    pub observed: f64,
    /// Which normal distribution in the subspace.
    pub spread: Spread,
}

/// A normal distribution in a subspace: papers that say no more than that may mean either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// x = U z with U orthonormal: alike in all directions of the subspace.
    Isotropic,
    /// x = B z with independent standard normals in B as well, so that some directions spread more
    /// than others.
    Loadings,
}

impl Default for LowRank {
    /// The paper's 20 columns of rank 10, half of the cells observed.
    fn default() -> Self {
        LowRank { columns: 20, rank: 10, observed: 0.5, spread: Spread::Isotropic }
    }
}

impl LowRank {
    /// Draws rows.
    ///
    /// # Errors
    /// No column, a rank that is not from 1 to the columns, or `observed` out of range.
    pub fn draw(&self, rows: usize, seed: u64) -> Result<Incomplete> {
        rank_in_range(self.rank, self.columns)?;
        if !(self.observed > 0.0 && self.observed <= 1.0) {
            return Err(out_of_range("observed", self.observed, "above 0 and at most 1".into()));
        }
        let (mut space, _, mut stream) = Subspace::draw(self.columns, self.rank, seed, 6);
        if self.spread == Spread::Loadings {
            space.spread_by_loadings();
        }
        let mut complete = Array2::zeros((rows, self.columns));
        let (mut targets, mut observed) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for mut cells in complete.rows_mut() {
            let x = space.row(&mut stream);
            targets.push(space.score(&x));
            observed.push((0..self.columns).map(|_| stream.unit() < self.observed).collect());
            cells.iter_mut().zip(x).for_each(|(cell, x)| *cell = x);
        }
        Ok(Incomplete::new(complete, &observed, targets, space.truth, space.basis))
    }
}
