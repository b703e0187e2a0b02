//! Finds examples that show the same attributes, whose blocks of a covariance are the same, and
//! factorises such a block once for all of them.
//!
//! Rows of a table show few different sets of attributes, budgets of reads many. With n reads and m
//! examples alike, a factorisation for each takes m n^3; one for all, and products of matrices for
//! what the examples have of their own, n^3 + m n^2. Large blocks are taken one by one in any case:
//! four side by side (`batched_cholesky.rs`) do not fit in the caches. A large block of a factor model
//! is solved by its factors (`low_rank.rs`), and one of a whole covariance by what the example lacks, if
//! that is less (`lacking.rs`).

use super::covariance::Covariance;
use super::factor::Factor;
use super::folds::WeightedIndex;
use super::low_rank::LowRank;
use super::small_cholesky::dot;
use super::standard::{LOG_TWO_PI, Rows};
use super::workspace::fit;
use faer::{Mat, MatRef, Par, prelude::*};
use halfseen_solve::Watch;
use halfseen_solve::cholesky::{factor_in_place, invert, log_determinant, solve_in_place};

/// Least examples alike for a block of their own, and least product of these with its rows: fewer
/// are faster in lanes.
const FEWEST: usize = 4;
const LEAST: usize = 160;
/// Rows from which a block of its own is faster even for one example.
pub(crate) const LARGE: usize = 64;
/// Places for each factor from which a block is solved by its factors.
const FACTORS: usize = 3;
/// Examples that are solved for at once.
pub(crate) const CHUNK: usize = 64;
/// Savings that are worth the inverse of a whole covariance, in units of the cube of its side.
const WHOLE: usize = 5;

/// An example and its place in the list that it comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listed {
    pub(crate) counted: WeightedIndex,
    pub(crate) at: usize,
}

/// Examples in an order in which those that are alike follow one another, if many are.
#[derive(Debug)]
pub(crate) struct List<'a> {
    rows: &'a Rows,
    examples: Vec<Listed>,
    /// Side of the covariance whose inverse is worth having.
    side: Option<usize>,
}

/// Neighbours in a list.
pub(crate) enum Run<'l> {
    /// All show the same places, and all have a target or none has.
    Alike(&'l [Listed]),
    /// All lack so little that this is solved for (`lacking.rs`). Those that are alike follow one
    /// another, and all have a target or none has.
    Lacking(&'l [Listed]),
    Mixed(&'l [Listed]),
}

/// Returns neighbours that are alike, one set after another.
pub(crate) fn those_alike<'l>(
    rows: &Rows,
    run: &'l [Listed],
) -> impl Iterator<Item = &'l [Listed]> {
    run.chunk_by(|a, b| rows.are_alike(a.counted.example, b.counted.example))
}

/// Sort of the run that examples that are alike belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Alike,
    Lacking,
    Mixed,
}

impl<'a> List<'a> {
    pub(crate) fn of(
        rows: &'a Rows,
        examples: impl Iterator<Item = impl Into<WeightedIndex>>,
    ) -> List<'a> {
        let listed = |(at, counted): (usize, _)| Listed { counted: Into::into(counted), at };
        let mut examples: Vec<Listed> = examples.enumerate().map(listed).collect();
        examples.sort_by_key(|listed| rows.pattern(listed.counted.example));
        List { rows, examples, side: None }
    }

    /// Tells apart examples that lack little, if a covariance of so many places and the target can be
    /// inverted, and there are enough of them.
    pub(crate) fn completed(mut self, places: Option<usize>) -> List<'a> {
        self.side = places.map(|places| places + 1);
        let mut saved = 0;
        for run in self.runs() {
            let Run::Lacking(run) = run else { continue };
            saved += those_alike(self.rows, run).map(|alike| self.saved(alike)).sum::<usize>();
        }
        self.side = self.side.filter(|side| saved > WHOLE * side.pow(3));
        if self.side.is_some() {
            // Runs are longer if those with a target follow one another.
            self.examples.sort_by_key(|listed| self.rows.has_target(listed.counted.example));
        }
        self
    }

    /// Returns true if there are examples that lack little.
    pub(crate) fn lacks_little(&self) -> bool {
        self.side.is_some()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Listed> {
        self.examples.iter()
    }

    /// Returns the runs in order. Mixed ones have others, or the ends, on both sides.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let mut rest = &self.examples[..];
        std::iter::from_fn(move || {
            let first = rest.first()?;
            let has_target = |listed: &Listed| self.rows.has_target(listed.counted.example);
            let mut len = self.alike(rest);
            let kind = self.kind(&rest[..len]);
            while kind != Kind::Alike && len < rest.len() {
                let next = &rest[len..][..self.alike(&rest[len..])];
                let parted = kind == Kind::Lacking && has_target(&next[0]) != has_target(first);
                if parted || self.kind(next) != kind {
                    break;
                }
                len += next.len();
            }
            let (run, after) = rest.split_at(len);
            rest = after;
            Some(match kind {
                Kind::Alike => Run::Alike(run),
                Kind::Lacking => Run::Lacking(run),
                Kind::Mixed => Run::Mixed(run),
            })
        })
    }

    /// Returns how many of the first are alike; 1 where patterns are not known.
    fn alike(&self, rest: &[Listed]) -> usize {
        let pattern = |listed: &Listed| self.rows.pattern(listed.counted.example);
        let Some(first) = rest.first().and_then(pattern) else { return rest.len().min(1) };
        rest.iter().take_while(|listed| pattern(listed) == Some(first)).count()
    }

    fn kind(&self, alike: &[Listed]) -> Kind {
        let side = self.shown(alike) + 1;
        if side >= LARGE && self.saved(alike) > 0 {
            Kind::Lacking
        } else if side >= LARGE || alike.len() >= FEWEST && alike.len() * side >= LEAST {
            Kind::Alike
        } else {
            Kind::Mixed
        }
    }

    /// Returns how many places examples that are alike show.
    fn shown(&self, alike: &[Listed]) -> usize {
        self.rows.example(alike[0].counted.example).0.len()
    }

    /// Returns the multiplications, in units that do not matter, that are saved by solving for what
    /// examples lack.
    fn saved(&self, alike: &[Listed]) -> usize {
        let Some(side) = self.side else { return 0 };
        let shown = self.shown(alike);
        let spent = (side - shown).pow(3) + 6 * alike.len() * side * side;
        shown.pow(3).saturating_sub(spent)
    }
}

/// The block of examples that are alike, with what follows from it. The target is its last row,
/// unless it is unknown.
#[derive(Debug)]
pub(crate) struct Block {
    /// Number of rows.
    pub(crate) len: usize,
    places: Vec<u32>,
    /// The block with the target whether or not it is known, row by row, (shown + 1, shown + 1).
    whole: Vec<f64>,
    factor: Mat<f64>,
    inverse: Mat<f64>,
    /// x - mean of a chunk of examples, (len, up to CHUNK), then their weights times the next.
    weighted: Mat<f64>,
    /// T^-1 (x - mean).
    solved: Mat<f64>,
    /// The places' part, if it has few factors.
    low_rank: LowRank,
    by_factors: bool,
    /// The regression of the target on the places, (shown, 1), and the variance that it leaves.
    regression: Mat<f64>,
    unexplained: f64,
}

impl Block {
    pub(crate) fn new() -> Block {
        Block {
            len: 0,
            places: Vec::new(),
            whole: Vec::new(),
            factor: Mat::new(),
            inverse: Mat::new(),
            weighted: Mat::new(),
            solved: Mat::new(),
            low_rank: LowRank::new(),
            by_factors: false,
            regression: Mat::new(),
            unexplained: 0.0,
        }
    }

    /// Loads the block of an example.
    pub(crate) fn load(&mut self, covariance: &impl Covariance, rows: &Rows, example: usize) {
        let (places, _, y) = rows.example(example);
        self.places.clear();
        self.places.extend_from_slice(places);
        let shown = places.len();
        self.len = shown + usize::from(!y.is_nan());
        let few = |model: &Factor| shown >= LARGE && FACTORS * model.rank <= shown;
        self.by_factors = covariance.factors().is_some_and(few);
        if !self.by_factors {
            self.whole.resize((shown + 1) * (shown + 1), 0.0);
            covariance.block(places, &mut self.whole);
        }
    }

    /// Factorises the first rows with a ridge on the places. Returns the logarithm of their
    /// determinant; `None` if they are not positive definite, or the monitor asked to stop.
    fn factorise(&mut self, size: usize, ridge: f64, watch: &mut Watch<'_>) -> Option<f64> {
        if watch.stops_after(size * size * size / 3) {
            return None;
        }
        fit(&mut self.factor, size, size);
        let shown = self.places.len();
        let side = shown + 1;
        for j in 0..size {
            let column = &mut self.factor.col_as_slice_mut(j)[j..size];
            column.copy_from_slice(&self.whole[j * side + j..j * side + size]);
            column[0] += if j < shown { ridge } else { 0.0 };
        }
        let mut factor = self.factor.submatrix_mut(0, 0, size, size);
        factor_in_place(factor.rb_mut(), Par::Seq).ok()?;
        let log = log_determinant(factor.rb());
        log.is_finite().then_some(log)
    }

    /// Regresses the target on the places with a ridge on these. Returns the logarithm of the
    /// determinant of their part; `None` if the block is not positive definite, or the monitor asked
    /// to stop.
    fn regress(
        &mut self,
        covariance: &impl Covariance,
        ridge: f64,
        watch: &mut Watch<'_>,
    ) -> Option<f64> {
        let shown = self.places.len();
        let model = covariance.factors().filter(|_| self.by_factors);
        let log = match model {
            Some(model) => self.low_rank.load(model, &self.places, ridge, watch)?,
            None => self.factorise(shown, ridge, watch)?,
        };
        fit(&mut self.regression, shown, 1);
        let with_target = |place: &u32| covariance.of_target(*place as usize);
        let to = self.regression.col_as_slice_mut(0).iter_mut();
        to.zip(&self.places).for_each(|(to, place)| *to = with_target(place));
        let mut regression = self.regression.submatrix_mut(0, 0, shown, 1);
        match model {
            Some(_) => self.low_rank.solve(regression.rb_mut()),
            None => {
                solve_in_place(self.factor.submatrix(0, 0, shown, shown), regression.rb_mut());
            }
        }
        let places = self.places.iter().enumerate();
        let explained: f64 = places.map(|(a, place)| regression[(a, 0)] * with_target(place)).sum();
        self.unexplained = covariance.target_variance() - explained;
        (self.unexplained > 0.0).then_some(log)
    }

    /// Factorises the block. Returns the logarithm of its determinant; `None` if it is not positive
    /// definite, or the monitor asked to stop.
    pub(crate) fn determinant(
        &mut self,
        covariance: &impl Covariance,
        watch: &mut Watch<'_>,
    ) -> Option<f64> {
        if !self.by_factors {
            return self.factorise(self.len, 0.0, watch);
        }
        let log = self.regress(covariance, 0.0, watch)?;
        let with_target = self.len > self.places.len();
        Some(if with_target { log + self.unexplained.ln() } else { log })
    }

    /// Calls `each` for every chunk of a run with T^-1 (x - mean), a column for each example, their
    /// weights times it and without, after [`Block::determinant`], whose value is `log`. Returns the
    /// weighted log-likelihood; `None` if the monitor asked to stop.
    pub(crate) fn solve(
        &mut self,
        covariance: &impl Covariance,
        rows: &Rows,
        run: &[Listed],
        log: f64,
        watch: &mut Watch<'_>,
        mut each: impl FnMut(&[Listed], MatRef<'_, f64>, MatRef<'_, f64>),
    ) -> Option<f64> {
        let (len, shown) = (self.len, self.places.len());
        fit(&mut self.weighted, len, CHUNK);
        fit(&mut self.solved, len, CHUNK);
        let mut likelihood = 0.0;
        for chunk in run.chunks(CHUNK) {
            if watch.stops_after(4 * len * len * chunk.len()) {
                return None;
            }
            for (e, listed) in chunk.iter().enumerate() {
                let (places, values, y) = rows.example(listed.counted.example);
                let to = &mut self.weighted.col_as_slice_mut(e)[..len];
                for ((to, &place), x) in to.iter_mut().zip(places).zip(values) {
                    *to = x - covariance.mean(place as usize);
                }
                if len > shown {
                    to[shown] = y - covariance.target_mean();
                }
                self.solved.col_as_slice_mut(e)[..len].copy_from_slice(to);
            }
            match self.by_factors {
                true => self.solve_by_factors(chunk.len()),
                false => {
                    let solved = self.solved.submatrix_mut(0, 0, len, chunk.len());
                    solve_in_place(self.factor.submatrix(0, 0, len, len), solved);
                }
            }
            for (e, listed) in chunk.iter().enumerate() {
                let own = &mut self.weighted.col_as_slice_mut(e)[..len];
                let solved = &self.solved.col_as_slice(e)[..len];
                let (misfit, weight) = (dot(own, solved), listed.counted.weight);
                likelihood -= 0.5 * weight * (log + misfit + len as f64 * LOG_TWO_PI);
                own.iter_mut().zip(solved).for_each(|(to, solved)| *to = weight * solved);
            }
            let (weighted, solved) = (self.weighted.as_ref(), self.solved.as_ref());
            let [weighted, solved] =
                [weighted, solved].map(|of| of.submatrix(0, 0, len, chunk.len()));
            each(chunk, weighted, solved);
        }
        Some(likelihood)
    }

    /// Solves for a chunk. With b the regression on the places and s what it leaves, the target's row
    /// is (y - <b, x>) / s, and those of the places are their own solution less b times it.
    fn solve_by_factors(&mut self, examples: usize) {
        let (len, shown) = (self.len, self.places.len());
        let regression = &self.regression.col_as_slice(0)[..shown];
        if len > shown {
            for e in 0..examples {
                let column = self.solved.col_as_slice_mut(e);
                column[shown] =
                    (column[shown] - dot(&column[..shown], regression)) / self.unexplained;
            }
        }
        self.low_rank.solve(self.solved.submatrix_mut(0, 0, shown, examples));
        if len > shown {
            for e in 0..examples {
                let (places, target) = self.solved.col_as_slice_mut(e).split_at_mut(shown);
                let cells = places.iter_mut().zip(regression);
                cells.for_each(|(cell, b)| *cell -= b * target[0]);
            }
        }
    }

    /// Returns T^-1, its lower triangle, after [`Block::determinant`] of a covariance without factors;
    /// `None` if the monitor asked to stop.
    pub(crate) fn invert(&mut self, watch: &mut Watch<'_>) -> Option<MatRef<'_, f64>> {
        let len = self.len;
        if watch.stops_after(len * len * len) {
            return None;
        }
        fit(&mut self.inverse, len, len);
        let factor = self.factor.submatrix(0, 0, len, len);
        invert(factor, self.inverse.submatrix_mut(0, 0, len, len));
        Some(self.inverse.submatrix(0, 0, len, len))
    }

    /// Calls `each` for every example of a run with a target with its place in the list and y - E(y |
    /// x_o) under T with a ridge on the places. `None` if that is not positive definite, or the
    /// monitor asked to stop.
    pub(crate) fn residuals(
        &mut self,
        covariance: &impl Covariance,
        rows: &Rows,
        run: &[Listed],
        ridge: f64,
        watch: &mut Watch<'_>,
        mut each: impl FnMut(&Listed, f64),
    ) -> Option<()> {
        self.regress(covariance, ridge, watch)?;
        if watch.stops_after(run.len() * self.places.len()) {
            return None;
        }
        let weights = self.regression.col_as_slice(0);
        for listed in run {
            let (places, values, y) = rows.example(listed.counted.example);
            let cells = places.iter().zip(values).zip(weights);
            let told: f64 = cells.map(|((&j, x), w)| (x - covariance.mean(j as usize)) * w).sum();
            each(listed, y - covariance.target_mean() - told);
        }
        Some(())
    }
}
