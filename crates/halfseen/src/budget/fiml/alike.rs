//! Finds examples that show the same attributes, whose blocks of a covariance are the same, and
//! factorises such a block once for all of them.
//!
//! Rows of a table show few different sets of attributes, budgets of reads many. With n reads and m
//! examples alike, a factorisation for each takes m n^3; one for all, and products of matrices for
//! what the examples have of their own, n^3 + m n^2. Large blocks are taken one by one in any case:
//! four side by side (`batched_cholesky.rs`) do not fit in the caches.

use super::covariance::Covariance;
use super::folds::WeightedIndex;
use super::small_cholesky::dot;
use super::standard::{LOG_TWO_PI, Rows};
use faer::{Mat, MatRef, Par, prelude::*};
use halfseen_solve::Watch;
use halfseen_solve::cholesky::{factor_in_place, invert, solve_in_place};

/// Least examples alike for a block of their own, and least product of these with its rows: fewer
/// are faster in lanes.
const FEWEST: usize = 4;
const LEAST: usize = 160;
/// Rows from which a block of its own is faster even for one example.
pub(crate) const LARGE: usize = 64;
/// Examples that are solved for at once.
const CHUNK: usize = 64;

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
}

/// Neighbours in a list.
pub(crate) enum Run<'l> {
    /// All show the same places, and all have a target or none has.
    Alike(&'l [Listed]),
    Mixed(&'l [Listed]),
}

impl<'a> List<'a> {
    pub(crate) fn of(
        rows: &'a Rows,
        examples: impl Iterator<Item = impl Into<WeightedIndex>>,
    ) -> List<'a> {
        let listed = |(at, counted): (usize, _)| Listed { counted: Into::into(counted), at };
        let mut examples: Vec<Listed> = examples.enumerate().map(listed).collect();
        examples.sort_by_key(|listed| rows.pattern(listed.counted.example));
        List { rows, examples }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Listed> {
        self.examples.iter()
    }

    /// Returns the runs in order. Those that are mixed have others, or the ends, on both sides.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let mut rest = &self.examples[..];
        std::iter::from_fn(move || {
            let mut mixed = 0;
            while mixed < rest.len() {
                let alike = self.alike(&rest[mixed..]);
                if self.is_worth_it(&rest[mixed..mixed + alike]) {
                    break;
                }
                mixed += alike;
            }
            let (run, after) = match mixed {
                0 if rest.is_empty() => return None,
                0 => rest.split_at(self.alike(rest)),
                _ => rest.split_at(mixed),
            };
            rest = after;
            Some(if mixed == 0 { Run::Alike(run) } else { Run::Mixed(run) })
        })
    }

    /// Returns how many of the first are alike; 1 where patterns are not known.
    fn alike(&self, rest: &[Listed]) -> usize {
        let pattern = |listed: &Listed| self.rows.pattern(listed.counted.example);
        let Some(first) = rest.first().and_then(pattern) else { return rest.len().min(1) };
        rest.iter().take_while(|listed| pattern(listed) == Some(first)).count()
    }

    fn is_worth_it(&self, run: &[Listed]) -> bool {
        let side = |listed: &Listed| self.rows.example(listed.counted.example).0.len() + 1;
        let side = side(&run[0]);
        side >= LARGE || run.len() >= FEWEST && run.len() * side >= LEAST
    }
}

/// The block of examples that are alike, with what follows from it. The target is its last row,
/// unless it is unknown.
#[derive(Debug)]
pub(crate) struct Block {
    /// Number of rows.
    pub(crate) len: usize,
    /// Number of places.
    shown: usize,
    /// The block with the target whether or not it is known, row by row, (shown + 1, shown + 1).
    whole: Vec<f64>,
    factor: Mat<f64>,
    inverse: Mat<f64>,
    /// x - mean of a chunk of examples, (len, up to CHUNK), then their weights times the next.
    weighted: Mat<f64>,
    /// T^-1 (x - mean).
    solved: Mat<f64>,
}

impl Block {
    pub(crate) fn new() -> Block {
        Block {
            len: 0,
            shown: 0,
            whole: Vec::new(),
            factor: Mat::new(),
            inverse: Mat::new(),
            weighted: Mat::new(),
            solved: Mat::new(),
        }
    }

    /// Loads the block of an example.
    pub(crate) fn load(&mut self, covariance: &impl Covariance, rows: &Rows, example: usize) {
        let (places, _, y) = rows.example(example);
        self.shown = places.len();
        self.len = self.shown + usize::from(!y.is_nan());
        self.whole.resize((self.shown + 1) * (self.shown + 1), 0.0);
        covariance.block(places, &mut self.whole);
    }

    /// Factorises the first rows with a ridge on the places. Returns the logarithm of their
    /// determinant; `None` if they are not positive definite, or the monitor asked to stop.
    fn factorise(&mut self, size: usize, ridge: f64, watch: &mut Watch<'_>) -> Option<f64> {
        if watch.stops_after(size * size * size / 3) {
            return None;
        }
        fit(&mut self.factor, size, size);
        let side = self.shown + 1;
        for j in 0..size {
            let column = &mut self.factor.col_as_slice_mut(j)[j..size];
            column.copy_from_slice(&self.whole[j * side + j..j * side + size]);
            column[0] += if j < self.shown { ridge } else { 0.0 };
        }
        let mut factor = self.factor.submatrix_mut(0, 0, size, size);
        factor_in_place(factor.rb_mut(), Par::Seq).ok()?;
        let log = (0..size).map(|j| 2.0 * factor[(j, j)].ln()).sum::<f64>();
        log.is_finite().then_some(log)
    }

    /// Factorises the block. Returns the logarithm of its determinant; `None` if it is not positive
    /// definite, or the monitor asked to stop.
    pub(crate) fn determinant(&mut self, watch: &mut Watch<'_>) -> Option<f64> {
        self.factorise(self.len, 0.0, watch)
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
        let len = self.len;
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
                if len > self.shown {
                    to[self.shown] = y - covariance.target_mean();
                }
                self.solved.col_as_slice_mut(e)[..len].copy_from_slice(to);
            }
            let mut solved = self.solved.submatrix_mut(0, 0, len, chunk.len());
            solve_in_place(self.factor.submatrix(0, 0, len, len), solved.rb_mut());
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

    /// Returns T^-1, its lower triangle, after [`Block::determinant`]; `None` if the monitor asked to
    /// stop.
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
        let shown = self.shown;
        self.factorise(shown, ridge, watch)?;
        let (last, variance) = self.whole[shown * (shown + 1)..].split_at(shown);
        fit(&mut self.solved, shown, 1);
        self.solved.col_as_slice_mut(0)[..shown].copy_from_slice(last);
        let weights = self.solved.submatrix_mut(0, 0, shown, 1);
        solve_in_place(self.factor.submatrix(0, 0, shown, shown), weights);
        let weights = &self.solved.col_as_slice(0)[..shown];
        let unexplained = variance[0] - dot(weights, last);
        if unexplained.is_nan() || unexplained <= 0.0 || watch.stops_after(run.len() * shown) {
            return None;
        }
        for listed in run {
            let (places, values, y) = rows.example(listed.counted.example);
            let cells = places.iter().zip(values).zip(weights);
            let told: f64 = cells.map(|((&j, x), w)| (x - covariance.mean(j as usize)) * w).sum();
            each(listed, y - covariance.target_mean() - told);
        }
        Some(())
    }
}

/// Makes a matrix at least so large; what it holds is lost.
fn fit(matrix: &mut Mat<f64>, rows: usize, columns: usize) {
    if matrix.nrows() < rows || matrix.ncols() < columns {
        *matrix = Mat::zeros(rows.max(matrix.nrows()), columns.max(matrix.ncols()));
    }
}
