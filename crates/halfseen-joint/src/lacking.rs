//! Solves for what an example lacks in the place of what it shows.
//!
//! With K the inverse of the covariance of all d places and the target, o what an example shows and m
//! the rest, x_m given x_o has the precision K_mm and the mean -u, u = K_mm^-1 K_mo x_o (everything
//! less its mean). With the example completed by that mean, z = (x_o, -u), the block T of o has
//! T^-1 x_o = (K z)_o, while (K z)_m = 0; log det T is that of the whole covariance plus log det
//! K_mm; and T^-1, with rows of 0 for m, is K - K_.m K_mm^-1 K_m. of which the sum over examples needs
//! the small K_mm^-1 alone, and two products in the end. So n^3 for an example that shows n becomes
//! (d - n)^3 + d^2.
//!
//! Source: identities of partitioned inverses; S. Lauritzen, "Graphical Models", 1996, appendix C.

use super::alike::{CHUNK, Listed, those_alike};
use super::covariance::Covariance;
use super::precision::{Pending, Precision};
use super::standard::{LOG_TWO_PI, Rows};
use super::workspace::fit;
use faer::{Accum, Mat, Par, prelude::*};
use halfseen_solve::cholesky::{factor_in_place, invert, log_determinant, solve_in_place};
use halfseen_solve::{Watch, lower_product, multiply};

/// Workspace for examples that lack little.
#[derive(Debug)]
pub(crate) struct Lacking {
    /// m, increasing; the target is the last place.
    places: Vec<usize>,
    is_shown: Vec<bool>,
    /// K_mm, then its factor.
    factor: Mat<f64>,
    inverse: Mat<f64>,
    /// K_mo x_o of examples that are alike, then u.
    unseen: Mat<f64>,
    /// x_o, with 0 for m, of a chunk of examples, (size, CHUNK); then z, then weights times the next.
    completed: Mat<f64>,
    /// K times it.
    product: Mat<f64>,
}

/// Examples that are alike from one to the next, of which all have a target or none has.
pub(crate) struct Neighbours<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) run: &'a [Listed],
}

impl Lacking {
    pub(crate) fn new() -> Lacking {
        Lacking {
            places: Vec::new(),
            is_shown: Vec::new(),
            factor: Mat::new(),
            inverse: Mat::new(),
            unseen: Mat::new(),
            completed: Mat::new(),
            product: Mat::new(),
        }
    }

    /// Adds what examples say of a covariance to the sums of a_i = T_i^-1 (x_i - mean) and of a_i
    /// a_i', its lower triangle, and their T_i^-1 to those pending. Returns their log-likelihood;
    /// `None` if a block is not positive definite, or the monitor asked to stop.
    pub(crate) fn evaluate(
        &mut self,
        precision: &Precision,
        covariance: &impl Covariance,
        Neighbours { rows, run }: Neighbours<'_>,
        of_means: &mut [f64],
        mut score: Option<(&mut Mat<f64>, &mut Pending)>,
        watch: &mut Watch<'_>,
    ) -> Option<f64> {
        let (size, mut likelihood) = (precision.size(), 0.0);
        for chunk in run.chunks(CHUNK) {
            self.load(precision, covariance, rows, chunk, true, watch)?;
            let mut at = 0;
            for alike in those_alike(rows, chunk) {
                let log = precision.log + self.factorise(precision, rows, alike, true, watch)?;
                let shown = (size - self.solve(at, alike.len())) as f64;
                for (e, listed) in alike.iter().enumerate() {
                    let to = self.completed.col_as_slice_mut(at + e);
                    let places = self.places.iter().zip(self.unseen.col_as_slice(e));
                    places.for_each(|(&place, u)| to[place] = -u);
                    likelihood -= 0.5 * listed.counted.weight * (log + shown * LOG_TWO_PI);
                }
                if let Some((_, pending)) = &mut score {
                    let weight: f64 = alike.iter().map(|listed| listed.counted.weight).sum();
                    self.add_inverse(precision, weight, pending, watch)?;
                }
                at += alike.len();
            }
            self.multiply(precision, chunk.len());
            for (e, listed) in chunk.iter().enumerate() {
                let weight = listed.counted.weight;
                let (own, solved) =
                    (self.completed.col_as_slice_mut(e), self.product.col_as_slice(e));
                for ((own, solved), to) in own.iter_mut().zip(solved).zip(&mut *of_means) {
                    likelihood -= 0.5 * weight * *own * solved;
                    *own = weight * solved;
                    *to += *own;
                }
            }
            if let Some((score, _)) = &mut score {
                let (weighted, solved) = (&self.completed, &self.product);
                let [weighted, solved] = [weighted, solved].map(|of| of.subcols(0, chunk.len()));
                lower_product(score.as_mut(), Accum::Add, weighted, solved.transpose(), 1.0);
            }
        }
        Some(likelihood)
    }

    /// Calls `each` for every example with y - E(y | x_o). `None` if a block is not positive
    /// definite, or the monitor asked to stop.
    pub(crate) fn residuals(
        &mut self,
        precision: &Precision,
        covariance: &impl Covariance,
        Neighbours { rows, run }: Neighbours<'_>,
        watch: &mut Watch<'_>,
        mut each: impl FnMut(&Listed, f64),
    ) -> Option<()> {
        for chunk in run.chunks(CHUNK) {
            self.load(precision, covariance, rows, chunk, false, watch)?;
            let mut at = 0;
            for alike in those_alike(rows, chunk) {
                self.factorise(precision, rows, alike, false, watch)?;
                let lacking = self.solve(at, alike.len());
                for (e, listed) in alike.iter().enumerate() {
                    let y = rows.example(listed.counted.example).2 - covariance.target_mean();
                    each(listed, y + self.unseen[(lacking - 1, e)]);
                }
                at += alike.len();
            }
        }
        Some(())
    }

    /// Loads a chunk of examples, their targets only if these count, and multiplies them by K.
    fn load(
        &mut self,
        precision: &Precision,
        covariance: &impl Covariance,
        rows: &Rows,
        chunk: &[Listed],
        with_target: bool,
        watch: &mut Watch<'_>,
    ) -> Option<()> {
        let size = precision.size();
        if watch.stops_after(3 * size * size * chunk.len()) {
            return None;
        }
        fit(&mut self.completed, size, CHUNK);
        fit(&mut self.product, size, CHUNK);
        for (e, listed) in chunk.iter().enumerate() {
            let (places, values, y) = rows.example(listed.counted.example);
            let to = self.completed.col_as_slice_mut(e);
            to.fill(0.0);
            for (&place, x) in places.iter().zip(values) {
                to[place as usize] = x - covariance.mean(place as usize);
            }
            if with_target && !y.is_nan() {
                to[size - 1] = y - covariance.target_mean();
            }
        }
        self.multiply(precision, chunk.len());
        Some(())
    }

    /// Multiplies the first examples by K.
    fn multiply(&mut self, precision: &Precision, examples: usize) {
        let (of, to) = (&self.completed, &mut self.product);
        let (of, to) = (of.subcols(0, examples), to.subcols_mut(0, examples));
        multiply(to, precision.matrix.as_ref(), of);
    }

    /// Factorises K_mm of examples that are alike; the target is lacking unless it counts and is
    /// known. Returns the logarithm of its determinant.
    fn factorise(
        &mut self,
        precision: &Precision,
        rows: &Rows,
        alike: &[Listed],
        with_target: bool,
        watch: &mut Watch<'_>,
    ) -> Option<f64> {
        let size = precision.size();
        let (shown, _, y) = rows.example(alike[0].counted.example);
        self.is_shown.clear();
        self.is_shown.resize(size, false);
        shown.iter().for_each(|&place| self.is_shown[place as usize] = true);
        self.is_shown[size - 1] = with_target && !y.is_nan();
        self.places.clear();
        self.places.extend((0..size).filter(|&place| !self.is_shown[place]));
        let lacking = self.places.len();
        if watch.stops_after(lacking * lacking * lacking / 3) {
            return None;
        }
        fit(&mut self.factor, lacking, lacking);
        for (c, &place) in self.places.iter().enumerate() {
            let from = precision.matrix.col_as_slice(place);
            let to = &mut self.factor.col_as_slice_mut(c)[c..lacking];
            to.iter_mut().zip(&self.places[c..]).for_each(|(to, &other)| *to = from[other]);
        }
        let mut factor = self.factor.submatrix_mut(0, 0, lacking, lacking);
        factor_in_place(factor.rb_mut(), Par::Seq).ok()?;
        let log = log_determinant(factor.rb());
        log.is_finite().then_some(log)
    }

    /// Computes u of the examples from this one on, which are alike; returns the size of m.
    fn solve(&mut self, first: usize, examples: usize) -> usize {
        let lacking = self.places.len();
        fit(&mut self.unseen, lacking, CHUNK);
        for e in 0..examples {
            let (to, from) =
                (self.unseen.col_as_slice_mut(e), self.product.col_as_slice(first + e));
            to.iter_mut().zip(&self.places).for_each(|(to, &place)| *to = from[place]);
        }
        let unseen = self.unseen.submatrix_mut(0, 0, lacking, examples);
        solve_in_place(self.factor.submatrix(0, 0, lacking, lacking), unseen);
        lacking
    }

    /// Adds a weight times K_mm^-1 to those pending.
    fn add_inverse(
        &mut self,
        precision: &Precision,
        weight: f64,
        pending: &mut Pending,
        watch: &mut Watch<'_>,
    ) -> Option<()> {
        let lacking = self.places.len();
        if watch.stops_after(2 * lacking * lacking * lacking / 3) {
            return None;
        }
        fit(&mut self.inverse, lacking, lacking);
        let factor = self.factor.submatrix(0, 0, lacking, lacking);
        invert(factor, self.inverse.submatrix_mut(0, 0, lacking, lacking));
        let inverse = self.inverse.submatrix(0, 0, lacking, lacking);
        pending.add(precision, weight, &self.places, inverse);
        Some(())
    }
}
