//! Draws rows of a random subspace and hides random cells: the first toy data of Hazan, Livni and
//! Mansour 2015, section 5.1.

use crate::incomplete::{Incomplete, Subspace};
use crate::{out_of_range, rank_in_range};
use halfseen::error::Result;
use ndarray::Array2;

/// Rows x normal in a random subspace of `rank` dimensions, y = <w, x> with mean 0 and standard
/// deviation 1, and cells observed independently with probability `observed` (Hazan et al. 2015,
/// section 5.1.1: 1,000 rows of rank 10 in 20 columns).
///
/// The paper divides by the standard deviation of the drawn targets, this generator by that of
/// their distribution, so that a shorter draw is a prefix of a longer one. A seed gives the same
/// rows for every `observed`, and a larger one hides fewer cells. Empty rows are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct LowRank {
    /// d.
    pub columns: usize,
    /// r, from 1 to d.
    pub rank: usize,
    /// p, above 0 and at most 1.
    pub observed: f64,
    /// Normal distribution in the subspace.
    pub spread: Spread,
}

/// Normal distribution in a subspace; papers that do not specify it may mean either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// x = U z with U orthonormal: equal variance in all directions of the subspace.
    Isotropic,
    /// x = B z with independent standard normals in B too, so that variances differ by direction.
    Loadings,
}

impl Default for LowRank {
    /// Returns the paper's 20 columns of rank 10, with half of the cells observed.
    fn default() -> Self {
        LowRank { columns: 20, rank: 10, observed: 0.5, spread: Spread::Isotropic }
    }
}

impl LowRank {
    /// Draws rows.
    ///
    /// # Errors
    /// No column, a rank outside 1 to the number of columns, or `observed` out of range.
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
