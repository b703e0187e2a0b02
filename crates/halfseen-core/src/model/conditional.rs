//! Predicts by a linear model that imputes missing cells from observed ones, with its uncertainty.
//!
//! **Setting**: attributes follow a factor model, x_j = mean_j + W_j z + e_j with var e_j = psi_j
//! and z ~ N(0, I_r); the target is <w, x> + intercept + e. Given x_o, the observed cells of a row,
//!   E z = A^-1 sum_o W_j (x_j - mean_j) / psi_j and cov z = A^-1, A = I + sum_o W_j W_j' / psi_j,
//! so <w, x> has the mean m_o, in which missing cells are replaced by mean_j + W_j E z, and the
//! variance
//!   v_o = u' A^-1 u + sum_m w_j^2 psi_j, u = sum_m w_j W_j, sums over the missing cells m.
//! A complete row gets the score of the linear model, an empty one its value at the means.
//!
//! One row costs O(d), with missing values O(d r^2 + r^3) for d observed cells.

mod cut;
#[cfg(test)]
pub(super) mod tests;

use super::factor::Room;
use super::{Linear, Link, Scores};
use crate::data::Examples;
use crate::error::{Error, ErrorKind, Result, no_intervals};
use crate::{normal, student};
use serde::{Deserialize, Serialize};

/// Linear model with the distribution of its attributes, in scaled units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditional {
    /// Linear model; its fill is the mean of each column.
    pub linear: Linear,
    /// r: number of columns of W.
    pub rank: usize,
    /// W in row-major order, (n_columns, r).
    pub loadings: Vec<f64>,
    /// psi, (n_columns): all above 0.
    pub noise: Vec<f64>,
    /// Least and largest value of each column, (n_columns) or empty: a cell beyond them counts as
    /// the nearer one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<[f64; 2]>,
    /// Residual variance of the target for complete rows.
    pub residual: f64,
    /// Degrees of freedom of `residual`; `None` if it counts as known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees: Option<f64>,
    /// Deviations of the weights, (n_deviations, n_columns): the sum of v v' over them is V, the
    /// covariance of the weights. May be empty.
    pub deviations: Vec<f64>,
    /// Link from the linear predictor to the probability of a class.
    #[serde(deserialize_with = "Option::deserialize")]
    pub link: Option<Link>,
}

/// Buffers for one row.
struct Work {
    /// Scaled row, with missing cells replaced by their expectations.
    row: Vec<f64>,
    /// True if a cell was missing.
    missing: Vec<bool>,
    posterior: Room,
    /// u, (r).
    u: Vec<f64>,
}

impl Conditional {
    /// Returns the scores of all examples, in scaled units.
    ///
    /// # Errors
    /// Cells so large that a score is not finite.
    pub fn scores(&self, examples: &Examples<'_>) -> Result<Scores> {
        self.scores_of(examples.len(), |i, row| examples.row_into(i, row))
    }

    /// Does the same for this number of rows, which `write` writes.
    pub(super) fn scores_of(
        &self,
        rows: usize,
        write: impl Fn(usize, &mut [f64]),
    ) -> Result<Scores> {
        let mut work = self.work();
        let mut values = Vec::with_capacity(rows);
        for i in 0..rows {
            write(i, &mut work.row);
            let (mean, variance) = self.sum(&mut work);
            let score =
                self.link.map_or_else(|| self.linear.clip(mean), |link| link.score(mean, variance));
            values.push(finite("a score", score)?);
        }
        Ok(Scores::estimates(values))
    }

    /// Returns mean and variance of the linear predictor of all examples given their observed
    /// cells, in scaled units. The variance is 0 for a complete row.
    ///
    /// # Errors
    /// As for [`Conditional::scores`].
    pub fn sums(&self, examples: &Examples<'_>) -> Result<Vec<(f64, f64)>> {
        let mut work = self.work();
        let one = |i| {
            examples.row_into(i, &mut work.row);
            let (mean, variance) = self.sum(&mut work);
            Ok((finite("a score", mean)?, finite("a variance", variance)?))
        };
        (0..examples.len()).map(one).collect()
    }

    /// Returns intervals that contain the target for a share `level` of such rows, in scaled units:
    /// quantiles of Student's t around the prediction, with the variance
    ///   residual + (x - mean)' V (x - mean) + v_o,
    /// where missing cells of x are replaced by their expectations. Without deviations the weights
    /// count as known.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfRange`] if the level is not above 0 and below 1;
    /// [`ErrorKind::Request`] if there is a link; as for [`Conditional::scores`].
    pub fn intervals(&self, examples: &Examples<'_>, level: f64) -> Result<Vec<(f64, f64)>> {
        self.intervals_of(examples.len(), |i, row| examples.row_into(i, row), level)
    }

    /// Does the same for this number of rows, which `write` writes.
    pub(super) fn intervals_of(
        &self,
        rows: usize,
        write: impl Fn(usize, &mut [f64]),
        level: f64,
    ) -> Result<Vec<(f64, f64)>> {
        check_level(level)?;
        if self.link.is_some() {
            return Err(no_intervals("what is predicted is a class"));
        }
        let tail = (1.0 - level) / 2.0;
        let quantile = self
            .degrees
            .map_or_else(|| normal::upper_quantile(tail), |n| student::upper_quantile(tail, n));
        let mut work = self.work();
        let one = |i| {
            write(i, &mut work.row);
            let (mean, unseen) = self.sum(&mut work);
            self.expect(&mut work);
            let centred = || work.row.iter().zip(&self.linear.fill).map(|(x, mean)| x - mean);
            let of_weights: f64 = match self.linear.weights.len() {
                0 => 0.0,
                columns => {
                    let along =
                        |v: &[f64]| v.iter().zip(centred()).map(|(v, x)| v * x).sum::<f64>();
                    self.deviations.chunks_exact(columns).map(|v| along(v).powi(2)).sum()
                }
            };
            let half = quantile * (self.residual + of_weights + unseen).sqrt();
            let mean = self.linear.clip(mean);
            Ok((
                finite("an interval's end", mean - half)?,
                finite("an interval's end", mean + half)?,
            ))
        };
        (0..rows).map(one).collect()
    }

    /// Returns the standard error of each weight, in scaled units, (n_columns); `None` without
    /// deviations.
    pub fn standard_errors(&self) -> Option<Vec<f64>> {
        if self.deviations.is_empty() {
            return None;
        }
        let mut squares = vec![0.0; self.linear.weights.len()];
        for row in self.deviations.chunks_exact(squares.len().max(1)) {
            squares.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
        }
        Some(squares.into_iter().map(f64::sqrt).collect())
    }

    fn work(&self) -> Work {
        let columns = self.linear.weights.len();
        Work {
            row: vec![0.0; columns],
            missing: vec![false; columns],
            posterior: Room::new(self.rank),
            u: vec![0.0; self.rank],
        }
    }

    /// Returns the value that a cell of a column counts as.
    pub(super) fn bounded(&self, column: usize, value: f64) -> f64 {
        self.bounds.get(column).map_or(value, |[least, largest]| value.clamp(*least, *largest))
    }

    /// Returns the loadings of one column, (r).
    #[inline]
    fn row(&self, column: usize) -> &[f64] {
        &self.loadings[column * self.rank..(column + 1) * self.rank]
    }

    /// Returns m_o and v_o of the row in `work`, and leaves there E z, and means for missing cells.
    fn sum(&self, work: &mut Work) -> (f64, f64) {
        let Work { row, missing, posterior, u } = work;
        for (value, [least, largest]) in row.iter_mut().zip(&self.bounds) {
            *value = value.clamp(*least, *largest);
        }
        let mut complete = true;
        for ((value, missing), mean) in
            row.iter_mut().zip(missing.iter_mut()).zip(&self.linear.fill)
        {
            *missing = value.is_nan();
            if *missing {
                *value = *mean;
                complete = false;
            }
        }
        let score = self.linear.score(row);
        if complete {
            return (score, 0.0);
        }
        posterior.start(1.0);
        u.fill(0.0);
        let mut variance = 0.0;
        for j in 0..row.len() {
            let (loading, weight) = (self.row(j), self.linear.weights[j]);
            if missing[j] {
                u.iter_mut().zip(loading).for_each(|(u, w)| *u += weight * w);
                variance += weight * weight * self.noise[j];
            } else {
                posterior.add(loading, 1.0 / self.noise[j], row[j] - self.linear.fill[j]);
            }
        }
        posterior.solve();
        let filled: f64 = u.iter().zip(posterior.solution()).map(|(u, z)| u * z).sum();
        posterior.whiten(u);
        (score + filled, variance + u.iter().map(|a| a * a).sum::<f64>())
    }

    /// Adds to the means of missing cells, to give their conditional expectations.
    fn expect(&self, work: &mut Work) {
        for j in (0..work.row.len()).filter(|&j| work.missing[j]) {
            work.row[j] +=
                self.row(j).iter().zip(work.posterior.solution()).map(|(w, z)| w * z).sum::<f64>();
        }
    }

    /// Refuses non-finite numbers, wrong lengths, invalid variances, and bounds in wrong order.
    pub(crate) fn validate(&self, columns: usize) -> Result<()> {
        self.validate_at("predictor", columns)
    }

    /// Does the same for a model stored at this key of a file.
    pub(super) fn validate_at(&self, place: &str, columns: usize) -> Result<()> {
        let bad =
            |key: &str, problem: String| Err(Error::in_model(format!("{place}.{key}"), problem));
        self.linear.validate_at(&format!("{place}.linear"), columns)?;
        if ![0, columns].contains(&self.bounds.len()) {
            return bad("bounds", format!("has {} pairs for {columns} columns", self.bounds.len()));
        }
        let ordered = |[least, largest]: &[f64; 2]| {
            least.is_finite() && largest.is_finite() && least <= largest
        };
        if !self.bounds.iter().all(ordered) {
            return bad("bounds", "must be pairs of finite numbers, the least first".into());
        }
        for (key, numbers, width) in
            [("loadings", &self.loadings, self.rank), ("noise", &self.noise, 1)]
        {
            // An overflowing product cannot be a length.
            if columns.checked_mul(width) != Some(numbers.len()) {
                return bad(
                    key,
                    format!("has {} numbers for {columns} columns of {width}", numbers.len()),
                );
            }
        }
        if self.rank > columns {
            return bad("rank", format!("is {}, more than the {columns} columns", self.rank));
        }
        if !self.deviations.is_empty()
            && (columns == 0 || !self.deviations.len().is_multiple_of(columns))
        {
            return bad(
                "deviations",
                format!("has {} numbers, not a multiple of {columns}", self.deviations.len()),
            );
        }
        for (key, numbers) in
            [("loadings", &self.loadings), ("noise", &self.noise), ("deviations", &self.deviations)]
        {
            if !numbers.iter().all(|v| v.is_finite()) {
                return bad(key, "holds a number that is not finite".into());
            }
        }
        // Divisors must not be so small that quotients overflow.
        if !self.noise.iter().all(|v| *v >= f64::MIN_POSITIVE) {
            return bad("noise", "holds a number that is not above 0".into());
        }
        if !(self.residual.is_finite() && self.residual >= 0.0) {
            return bad("residual", "must be finite and at least 0".into());
        }
        if !self.degrees.is_none_or(|n| n.is_finite() && n >= 1.0) {
            return bad("degrees", "must be finite and at least 1".into());
        }
        if !self.link.is_none_or(|link| link.centre.is_finite()) {
            return bad("link.centre", "is not finite".into());
        }
        Ok(())
    }
}

/// Returns the error for intervals of classes.
pub(super) fn no_number() -> crate::Error {
    no_intervals("what is predicted is a class")
}

/// Refuses levels of intervals that are not above 0 and below 1.
pub(super) fn check_level(level: f64) -> Result<()> {
    // NaN fails this test.
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    let allowed = "above 0 and below 1".to_owned();
    Err(ErrorKind::OutOfRange { name: "level", value: level.to_string(), allowed }.into())
}

fn finite(what: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(ErrorKind::Diverged { what, value }.into()) }
}
