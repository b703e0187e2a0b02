//! Makes intervals for any regression model from rows that it did not learn from.
//!
//! **Setting**: the model f, its preparation included, is fixed; n calibration rows and a new row
//! are exchangeable, each with cells x, target y and missing attributes M. A new row that lacks m
//! is compared with calibration rows at equal information: where f sees only what the union
//! u = m + M leaves. With the scores s = |y - f(x; u)| / c(x; u), where c is the width of the
//! model's own interval if that depends on the row, else 1, and k = ceil((n + 1) level) for the
//! number n of rows in use, the interval comes from the first of these sets that has k <= n rows:
//!
//! 1. rows that lack exactly m, if they are [`SAME`] times as many as the level needs (with fewer
//!    the interval reaches the largest score or nearly so) or 2 has no others: f(x; m) -/+ c(x; m)
//!    times the k-th smallest score. The target is inside with a probability of at least `level`
//!    given m, and of k / (n + 1) if no two scores are equal: its score is exchangeable with the n
//!    others. Nothing is assumed of M.
//! 2. rows that lack nothing but parts of m, so that u = m (CP-MDA-Exact): the same interval and
//!    guarantee if M is independent of (x, y).
//! 3. the rows that add the fewest missing attributes to m, drawn among those that add as many,
//!    [`NEAREST`] times as many as the level needs (CP-MDA-Nested* with a choice by the patterns alone): from the (n + 1 - k)-th smallest
//!    f(x; u_i) - c(x; u_i) s_i to the k-th smallest f(x; u_i) + c(x; u_i) s_i, where u_i is the
//!    union with the i-th row. The new target is outside only if it has the larger score in k of
//!    the n comparisons.
//!
//! For 3 and M independent of (x, y), Zaffran et al. prove 1 - 2 (1 - level) for independent rows,
//! and `level` for a variant if quantiles spread as less is seen. A check of the first: let N rows
//! take the roles at random. In role of the new row, row a beats a random other one at u_i with
//! probability r_i(a) / (N - 1), r_i(a) being the rank of its score at u_i. The ranks at one u sum
//! to N (N - 1) / 2, so that at most a share 2 (1 - p) of the rows has a mean rank of p (N - 1) or
//! more, and the number of wins of the others is within O(sqrt n) of its mean.
//!
//! A score that is divided by something that depends on u alone gives the same intervals. So c is
//! used only where the model's intervals depend on the cells: with deviations of the weights.
//!
//! M. Zaffran, A. Dieuleveut, J. Josse, Y. Romano, "Conformal Prediction with Missing Values",
//! ICML 2023; M. Zaffran, J. Josse, Y. Romano, A. Dieuleveut, "Predictive Uncertainty
//! Quantification with Missing Covariates", 2024.

use super::conditional::{check_level, no_number};
use super::patterns::{Pattern, beyond, columns_of, union};
use super::{Intervals, Model};
use crate::data::{Examples, Layout, Matrix, Table, Target, Task};
use crate::error::{ErrorKind, Result};
use crate::prepare::Applied;
use halfseen_solve::sampling::{Purpose, Stream, shuffle};
use halfseen_solve::{Monitor, Silent};
use ndarray::Array2;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Factor of the least number of rows that are compared at unions of missing attributes: each costs
/// a prediction for each new row.
pub const NEAREST: usize = 20;

/// Factor of the least number of rows that lack the same attributes, to do without others.
pub const SAME: usize = 5;

/// Rows that are predicted at once, and cells that may be copied for this, 8 MB.
const ROWS: usize = 1024;
const CELLS: usize = 1 << 20;

/// Largest absolute target.
const LARGEST: f64 = 1e100;

/// Level whose width, if intervals of the model depend on the cells, scales the scores. Any does.
const WIDTH: f64 = 0.5;

/// A regression model with rows to calibrate its intervals.
#[derive(Debug)]
pub struct Conformal<'a> {
    /// Columns that the calibration table had in excess, or lacked.
    pub applied: Applied,
    model: &'a Model,
    matrix: Matrix,
    targets: Vec<f64>,
    columns: Vec<Range<usize>>,
    patterns: Vec<Pattern>,
    /// Place of each row in an order that does not depend on its cells.
    order: Vec<u32>,
    layout: Arc<Layout>,
}

/// Calibration rows that an interval comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalibrationRows {
    /// Rows that lack the same attributes.
    Same,
    /// Rows that lack no other attributes than the row; others of these were hidden.
    Contained,
    /// Rows that lack other attributes than the row, which were hidden in the row too.
    Union,
}

/// Conformal intervals for the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct ConformalIntervals {
    /// Ends of the intervals, and differences between the table's columns and the model's.
    pub intervals: Intervals,
    /// Rows that each interval comes from.
    pub bases: Vec<CalibrationRows>,
}

/// Prediction for a row, in units of the target, with the width that scales its score.
#[derive(Debug, Clone, Copy)]
struct Centre {
    at: f64,
    width: f64,
}

impl<'a> Conformal<'a> {
    /// Takes calibration rows with their targets, (n_rows), in the target's units. The rows must be
    /// exchangeable with those that will be predicted, and the model must not have learned from
    /// them: its file does not know its training rows, so that nothing checks this.
    ///
    /// # Errors
    /// [`ErrorKind::Request`] for classes; [`ErrorKind::WrongLength`] if targets are not one for
    /// each row; targets that are not finite; see also
    /// [`Schema::encode`](crate::prepare::Schema::encode).
    pub fn of(model: &'a Model, table: &Table, target: &Target) -> Result<Conformal<'a>> {
        let Target::Numbers(targets) = target else { return Err(no_number()) };
        if model.task == Task::Classification {
            return Err(no_number());
        }
        if targets.len() != table.rows() {
            let what = "calibration targets, one for each row".to_owned();
            let (expected, found) = (table.rows(), targets.len());
            return Err(ErrorKind::WrongLength { what, expected, found }.into());
        }
        // NaN is in no range.
        if let Some(at) = targets.iter().position(|y| !(-LARGEST..=LARGEST).contains(y)) {
            let (row, column, value) = (at + 1, model.target.clone(), targets[at]);
            return Err(match value.is_finite() {
                true => ErrorKind::TooLarge { row, column, value },
                false => ErrorKind::NotFinite { row, column, value },
            }
            .into());
        }
        let encoded = model.prepare.encode(table)?;
        let columns = columns_of(&model.prepare.schema);
        let mut order: Vec<u32> = (0..table.rows() as u32).collect();
        shuffle(&mut Stream::new(0, Purpose::Order, 0), &mut order);
        Ok(Conformal {
            applied: encoded.applied,
            model,
            targets: targets.clone(),
            order,
            patterns: Pattern::all(&encoded.matrix, &columns),
            layout: Arc::new(Layout::singletons(encoded.matrix.columns())),
            matrix: encoded.matrix.into_owned(),
            columns,
        })
    }

    /// Returns an interval for each row of a table, (n_rows), in the target's units. Of rows compared
    /// with [`CalibrationRows::Same`] it contains the target of a share `level`, whether the model is right or
    /// not; of others under the conditions at the head of this file.
    /// Columns are matched, and holes taken, as by [`Model::predict`]. Ends are not clipped, but
    /// scores are those of predictions as the model gives them.
    ///
    /// Rows that lack the same attributes share the predictions of calibration rows; a row whose
    /// interval has the basis [`CalibrationRows::Union`] costs up to [`NEAREST`] times [`least_rows`]
    /// predictions of its own. Beside the encoded tables this takes a few numbers per calibration
    /// row and at most 8 MB, or a row.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfRange`] for a level that is not between 0 and 1;
    /// [`ErrorKind::TooFewRows`] if there are fewer calibration rows than [`least_rows`]; see also
    /// [`Model::predict`].
    pub fn intervals(&self, table: &Table, level: f64) -> Result<ConformalIntervals> {
        self.intervals_while(table, level, &Silent)
    }

    /// Does the same, and looks at the monitor in between.
    ///
    /// # Errors
    /// As for [`Conformal::intervals`]; [`ErrorKind::Interrupted`].
    pub fn intervals_while(
        &self,
        table: &Table,
        level: f64,
        monitor: &dyn Monitor,
    ) -> Result<ConformalIntervals> {
        check_level(level)?;
        let (rows, least) = (self.targets.len(), least_rows(level));
        if rows < least {
            let what = format!("calibration of intervals of level {level}");
            return Err(ErrorKind::TooFewRows { what, least, rows }.into());
        }
        let encoded = self.model.prepare.encode(table)?;
        let mut ends = vec![(f64::NAN, f64::NAN); table.rows()];
        let mut bases = vec![CalibrationRows::Union; table.rows()];
        let mut done = 0;
        for Pattern { missing, rows } in Pattern::all(&encoded.matrix, &self.columns) {
            let (basis, with) = self.basis(&missing, level);
            if basis == CalibrationRows::Union {
                self.nested(&encoded.matrix, (&missing, &rows), level, &mut ends, monitor)?;
            } else {
                let centres = self.as_found(&encoded.matrix, &rows, monitor)?;
                let mut scores = match basis {
                    CalibrationRows::Same => {
                        self.scores(&with, self.as_found(&self.matrix, &with, monitor)?)
                    }
                    _ => {
                        let hidden: Vec<_> = with.iter().map(|&row| (row, &missing[..])).collect();
                        self.scores(&with, self.hidden(&self.matrix, &hidden, monitor)?)
                    }
                };
                let score = smallest(&mut scores, rank(with.len(), level));
                for (&row, Centre { at, width }) in rows.iter().zip(centres) {
                    ends[row as usize] = (at - width * score, at + width * score);
                }
            }
            rows.iter().for_each(|&row| bases[row as usize] = basis);
            done += rows.len() as u64;
            monitor.progress(done, table.rows() as u64);
        }
        if let Some((low, high)) = ends.iter().find(|(a, b)| !(a.is_finite() && b.is_finite())) {
            let value = if low.is_finite() { *high } else { *low };
            return Err(ErrorKind::Diverged { what: "an interval's end", value }.into());
        }
        Ok(ConformalIntervals { intervals: Intervals { ends, applied: encoded.applied }, bases })
    }

    /// Returns the calibration rows for new rows that lack these attributes; none for unions.
    fn basis(&self, missing: &[u32], level: f64) -> (CalibrationRows, Vec<u32>) {
        let least = least_rows(level);
        let same = self.patterns.iter().find(|p| p.missing == missing);
        let same = same.map_or(&[][..], |p| &p.rows);
        let contained = self.patterns.iter().filter(|p| beyond(&p.missing, missing) == 0);
        let contained: Vec<u32> = contained.flat_map(|p| p.rows.iter().copied()).collect();
        if contained.len() < least {
            (CalibrationRows::Union, Vec::new())
        } else if same.len() >= SAME.saturating_mul(least) || same.len() == contained.len() {
            (CalibrationRows::Same, same.to_vec())
        } else {
            (CalibrationRows::Contained, contained)
        }
    }

    /// Writes the ends of rows that lack these attributes, by comparisons at unions.
    fn nested(
        &self,
        matrix: &Matrix,
        (missing, rows): (&[u32], &[u32]),
        level: f64,
        ends: &mut [(f64, f64)],
        monitor: &dyn Monitor,
    ) -> Result<()> {
        // Rows by how many attributes they add, and then by the order in which they were drawn.
        let mut nearest = Vec::with_capacity(self.targets.len());
        for (at, pattern) in self.patterns.iter().enumerate() {
            let more = beyond(&pattern.missing, missing);
            nearest.extend(pattern.rows.iter().map(|&r| (more, self.order[r as usize], r, at)));
        }
        let most = NEAREST.saturating_mul(least_rows(level));
        if nearest.len() > most {
            nearest.select_nth_unstable(most);
            nearest.truncate(most);
        }
        let (mut known, mut unions) = (HashMap::new(), Vec::<Vec<u32>>::new());
        // Each row with the place of its union.
        let mut with = Vec::with_capacity(nearest.len());
        for (.., row, pattern) in nearest {
            let hidden = union(missing, &self.patterns[pattern].missing);
            let at = known.get(&hidden).copied().unwrap_or(unions.len());
            if at == unions.len() {
                known.insert(hidden.clone(), at);
                unions.push(hidden);
            }
            with.push((row, at));
        }
        let hidden: Vec<_> = with.iter().map(|&(row, at)| (row, &unions[at][..])).collect();
        let used: Vec<u32> = with.iter().map(|(row, _)| *row).collect();
        let scores = self.scores(&used, self.hidden(&self.matrix, &hidden, monitor)?);
        let (n, k) = (with.len(), rank(with.len(), level));
        let (mut low, mut high) = (vec![0.0; n], vec![0.0; n]);
        for &row in rows {
            let hidden: Vec<_> = unions.iter().map(|hidden| (row, &hidden[..])).collect();
            let centres = self.hidden(matrix, &hidden, monitor)?;
            for (i, ((_, at), score)) in with.iter().zip(&scores).enumerate() {
                let Centre { at, width } = centres[*at];
                (low[i], high[i]) = (at - width * score, at + width * score);
            }
            let (low, high) = (smallest(&mut low, n + 1 - k), smallest(&mut high, k));
            // They may cross at levels below one half.
            ends[row as usize] = (low.min(high), low.max(high));
        }
        Ok(())
    }

    /// Returns the scores of calibration rows from their predictions.
    fn scores(&self, rows: &[u32], centres: Vec<Centre>) -> Vec<f64> {
        let score = |(&row, centre): (&u32, Centre)| {
            (self.targets[row as usize] - centre.at).abs() / centre.width
        };
        rows.iter().zip(centres).map(score).collect()
    }

    /// Predicts rows of a matrix as they are.
    fn as_found(
        &self,
        matrix: &Matrix,
        rows: &[u32],
        monitor: &dyn Monitor,
    ) -> Result<Vec<Centre>> {
        let mut centres = Vec::with_capacity(rows.len());
        let all = Examples::new(matrix, &self.model.prepare.scaler, &self.layout, &[]);
        for rows in rows.chunks(ROWS) {
            self.predict(&all.with_rows(rows), &mut centres, monitor)?;
        }
        Ok(centres)
    }

    /// Predicts rows of a matrix, each without the attributes beside it.
    fn hidden(
        &self,
        matrix: &Matrix,
        rows: &[(u32, &[u32])],
        monitor: &dyn Monitor,
    ) -> Result<Vec<Centre>> {
        let mut centres = Vec::with_capacity(rows.len());
        let width = matrix.columns();
        for rows in rows.chunks((CELLS / width.max(1)).clamp(1, ROWS)) {
            let mut cells = Array2::zeros((rows.len(), width));
            for (mut cells, (row, missing)) in cells.rows_mut().into_iter().zip(rows) {
                // Rows of a new matrix are slices.
                let Some(cells) = cells.as_slice_mut() else { continue };
                matrix.row_into(*row as usize, cells);
                for &attribute in *missing {
                    cells[self.columns[attribute as usize].clone()].fill(f64::NAN);
                }
            }
            let cells = Matrix::F64(cells);
            let all = Examples::new(&cells, &self.model.prepare.scaler, &self.layout, &[]);
            self.predict(&all, &mut centres, monitor)?;
        }
        Ok(centres)
    }

    /// Adds the predictions of some examples.
    fn predict(
        &self,
        examples: &Examples<'_>,
        centres: &mut Vec<Centre>,
        monitor: &dyn Monitor,
    ) -> Result<()> {
        if monitor.should_stop() {
            return Err(ErrorKind::Interrupted { during: "predicting" }.into());
        }
        let Model { predictor, prepare, .. } = self.model;
        let by_row = predictor.conditional().is_some_and(|known| !known.deviations.is_empty());
        let widths = if by_row { predictor.intervals(examples, WIDTH)? } else { Vec::new() };
        let scores = predictor.scores(examples)?.values;
        centres.extend(scores.into_iter().enumerate().map(|(i, score)| {
            let width = widths.get(i).map_or(1.0, |(low, high)| high - low);
            // A model without any error has no width.
            let width = if width > 0.0 { width } else { 1.0 };
            Centre { at: prepare.target.undo(score), width }
        }));
        Ok(())
    }
}

/// Returns the least number of calibration rows for intervals of a level above 0 and below 1:
/// 9 for 0.9, 19 for 0.95.
pub fn least_rows(level: f64) -> usize {
    let mut rows = ((floored(level) / (1.0 - floored(level))).ceil() as usize).max(1);
    // Rounding of the quotient may be off by one.
    while rows > 1 && rank(rows - 1, level) < rows {
        rows -= 1;
    }
    while rank(rows, level) > rows {
        rows += 1;
    }
    rows
}

/// Returns k: the rank of the score among n that is the half width of the interval; above n if they
/// are too few.
fn rank(n: usize, level: f64) -> usize {
    (((n + 1) as f64 * floored(level)).ceil() as usize).max(1)
}

/// Lowers a level by less than matters, so that a product with an integer that should be one is not
/// above it: 100 times 0.55 is 55.
fn floored(level: f64) -> f64 {
    level * (1.0 - 1e-12)
}

/// Returns the k-th smallest number, from 1; the numbers change their order.
fn smallest(numbers: &mut [f64], k: usize) -> f64 {
    *numbers.select_nth_unstable_by(k - 1, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integers decide: the level is `percent` / 100.
    #[test]
    fn ranks_are_those_of_exact_arithmetic() {
        for percent in 1..100 {
            let level = percent as f64 / 100.0;
            for n in 1..500 {
                assert_eq!(rank(n, level), ((n + 1) * percent).div_ceil(100), "{n}, {percent} %");
            }
            let least = (1..500).find(|n| ((n + 1) * percent).div_ceil(100) <= *n);
            assert_eq!(Some(least_rows(level)), least, "{percent} %");
        }
        assert_eq!([0.5, 0.9, 0.95, 0.99, 0.999].map(least_rows), [1, 9, 19, 99, 999]);
        assert_eq!((least_rows(1e-300), rank(7, 1e-300)), (1, 1));
        assert!(least_rows(1.0 - 1e-16) > 100_000_000_000);
    }
}
