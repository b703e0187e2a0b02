//! Solves with blocks of a factor model by its factors.
//!
//! A block of n places is N^1/2 (I + U U') N^1/2, with N their noise and a ridge, and U = N^-1/2 W
//! their loadings (n, r). By the identity of Sherman, Morrison and Woodbury (I + U U')^-1 is I - U
//! M^-1 U' with M = I + U'U, and det (I + U U') = det M: O(n r^2 + r^3) in the place of O(n^3).
//!
//! `Factor::solve` is the same identity over all places in plain loops; the two differ in the last bit.

use super::factor::Factor;
use super::workspace::fit;
use faer::{Accum, Mat, MatMut, Par, prelude::*};
use halfseen_solve::cholesky::{factor_in_place, log_determinant, solve_in_place};
use halfseen_solve::{Watch, lower_product, multiply, product};

/// Workspace for one block.
#[derive(Debug)]
pub(crate) struct LowRank {
    rank: usize,
    /// N^-1/2, (n).
    roots: Vec<f64>,
    /// U', a column for each place.
    loadings: Mat<f64>,
    /// M, then its factor.
    factor: Mat<f64>,
    /// M^-1 U' b.
    inner: Mat<f64>,
}

impl LowRank {
    pub(crate) fn new() -> LowRank {
        LowRank {
            rank: 0,
            roots: Vec::new(),
            loadings: Mat::new(),
            factor: Mat::new(),
            inner: Mat::new(),
        }
    }

    /// Loads the block of some places. Returns the logarithm of its determinant; `None` if it is not
    /// positive definite, or the monitor asked to stop.
    pub(crate) fn load(
        &mut self,
        model: &Factor,
        places: &[u32],
        ridge: f64,
        watch: &mut Watch<'_>,
    ) -> Option<f64> {
        let (n, r) = (places.len(), model.rank);
        if watch.stops_after(n * r * r + r * r * r / 3) {
            return None;
        }
        self.rank = r;
        fit(&mut self.loadings, r, n);
        fit(&mut self.factor, r, r);
        self.roots.clear();
        let mut log = 0.0;
        for (a, &place) in places.iter().enumerate() {
            let noise = model.noise[place as usize] + ridge;
            log += noise.ln();
            let root = 1.0 / noise.sqrt();
            self.roots.push(root);
            let to = self.loadings.col_as_slice_mut(a).iter_mut();
            to.zip(model.row(place as usize)).for_each(|(to, w)| *to = root * w);
        }
        let loadings = self.loadings.submatrix(0, 0, r, n);
        let mut factor = self.factor.submatrix_mut(0, 0, r, r);
        lower_product(factor.rb_mut(), Accum::Replace, loadings, loadings.transpose(), 1.0);
        (0..r).for_each(|p| factor[(p, p)] += 1.0);
        factor_in_place(factor.rb_mut(), Par::Seq).ok()?;
        log += log_determinant(factor.rb());
        log.is_finite().then_some(log)
    }

    /// Replaces b, a right-hand side per column, by the solution.
    pub(crate) fn solve(&mut self, mut b: MatMut<'_, f64>) {
        let (n, r, columns) = (b.nrows(), self.rank, b.ncols());
        fit(&mut self.inner, r, columns);
        self.scale(b.rb_mut());
        let loadings = self.loadings.submatrix(0, 0, r, n);
        let mut inner = self.inner.submatrix_mut(0, 0, r, columns);
        multiply(inner.rb_mut(), loadings, b.rb());
        solve_in_place(self.factor.submatrix(0, 0, r, r), inner.rb_mut());
        product(b.rb_mut(), Accum::Add, loadings.transpose(), inner.rb(), -1.0);
        self.scale(b);
    }

    fn scale(&self, mut b: MatMut<'_, f64>) {
        for e in 0..b.ncols() {
            self.roots.iter().enumerate().for_each(|(a, root)| b[(a, e)] *= root);
        }
    }
}
