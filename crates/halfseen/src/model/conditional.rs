//! Predicts by a weighted sum that fills in what a row does not show by what it shows, and says how
//! sure it is.
//!
//! **Setting**: attributes follow a factor model, x_j = mean_j + W_j z + e_j with var e_j = psi_j
//! and z ~ N(0, I_r); the target is <w, x> + intercept + e. Given x_o, the cells that a row shows,
//!   E z = A^-1 sum_o W_j (x_j - mean_j) / psi_j and cov z = A^-1, A = I + sum_o W_j W_j' / psi_j,
//! so <w, x> has the mean m_o in which missing cells are replaced by mean_j + W_j E z, and the
//! variance
//!   v_o = u' A^-1 u + sum_m w_j^2 psi_j, u = sum_m w_j W_j, sums over the missing cells m.
//! A row that shows all scores the weighted sum, an empty one its value at the means.
//!
//! One row costs O(d), with holes O(d r^2 + r^3) for d cells shown.

mod cut;
#[cfg(test)]
mod tests;

use super::factor::Room;
use super::{Linear, Link, Scores};
use crate::data::Examples;
use crate::error::{ErrorKind, Result};
use crate::{normal, student};
use serde::{Deserialize, Serialize};

/// A weighted sum with the distribution of its attributes, everything in scaled units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditional {
    /// The sum; its fill is the mean of each column.
    pub linear: Linear,
    /// r: columns of W.
    pub rank: usize,
    /// W row by row, (n_columns, r).
    pub loadings: Vec<f64>,
    /// psi, (n_columns): all above 0.
    pub noise: Vec<f64>,
    /// The target's variance about the sum where everything is seen.
    pub residual: f64,
    /// The degrees of freedom with which that is known; none: it counts as known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees: Option<f64>,
    /// Deviations of the weights, (n_deviations, n_columns): the sum of v v' over them is V, the
    /// weights' covariance. May be empty.
    pub deviations: Vec<f64>,
    /// Turns the sum into a probability, for two classes.
    #[serde(deserialize_with = "Option::deserialize")]
    pub link: Option<Link>,
}

/// Room for one row.
struct Work {
    /// The scaled row, then what is expected of missing cells in their place.
    row: Vec<f64>,
    /// Whether a cell was missing.
    missing: Vec<bool>,
    posterior: Room,
    /// u, (r).
    u: Vec<f64>,
}

impl Conditional {
    /// The scores of all examples, in scaled units.
    ///
    /// # Errors
    /// Cells so large that a score is no finite number.
    pub fn scores(&self, examples: &Examples<'_>) -> Result<Scores> {
        let mut work = self.work();
        let mut values = Vec::with_capacity(examples.len());
        for i in 0..examples.len() {
            examples.row_into(i, &mut work.row);
            let (mean, variance) = self.sum(&mut work);
            let score =
                self.link.map_or_else(|| self.linear.clip(mean), |link| link.score(mean, variance));
            values.push(finite("a score", score)?);
        }
        Ok(Scores::estimates(values))
    }

    /// Mean and variance of the weighted sum of all examples given the cells that they show, in
    /// scaled units. The variance is 0 for a complete row.
    ///
    /// # Errors
    /// As [`Conditional::scores`].
    pub fn sums(&self, examples: &Examples<'_>) -> Result<Vec<(f64, f64)>> {
        let mut work = self.work();
        let one = |i| {
            examples.row_into(i, &mut work.row);
            let (mean, variance) = self.sum(&mut work);
            Ok((finite("a score", mean)?, finite("a variance", variance)?))
        };
        (0..examples.len()).map(one).collect()
    }

    /// Intervals that hold the target of a share `level` of rows like these, in scaled units:
    /// quantiles of Student's t about the prediction, at the variance
    ///   residual + (x - mean)' V (x - mean) + v_o,
    /// with missing cells of x replaced by what is expected of them. Without deviations the weights
    /// count as known.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfRange`]: a level that is not above 0 and below 1. [`ErrorKind::NoIntervals`]: there is a link. As
    /// [`Conditional::scores`].
    pub fn intervals(&self, examples: &Examples<'_>, level: f64) -> Result<Vec<(f64, f64)>> {
        // NaN is in no range.
        if !(level > 0.0 && level < 1.0) {
            let allowed = "above 0 and below 1".to_owned();
            return Err(
                ErrorKind::OutOfRange { name: "level", value: level.to_string(), allowed }.into()
            );
        }
        if self.link.is_some() {
            return Err(ErrorKind::NoIntervals { reason: "what is predicted is a class" }.into());
        }
        let tail = (1.0 - level) / 2.0;
        let quantile = self
            .degrees
            .map_or_else(|| normal::upper_quantile(tail), |n| student::upper_quantile(tail, n));
        let mut work = self.work();
        let one = |i| {
            examples.row_into(i, &mut work.row);
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
        (0..examples.len()).map(one).collect()
    }

    /// Standard error of each weight, in scaled units, (n_columns); `None` where there are no
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

    /// The loading of one column, (r).
    #[inline]
    fn row(&self, column: usize) -> &[f64] {
        &self.loadings[column * self.rank..(column + 1) * self.rank]
    }

    /// m_o and v_o of the row in `work`. Leaves E z there, and means in the place of missing cells.
    fn sum(&self, work: &mut Work) -> (f64, f64) {
        let Work { row, missing, posterior, u } = work;
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

    /// Replaces the means that stand for missing cells by what is expected of these.
    fn expect(&self, work: &mut Work) {
        for j in (0..work.row.len()).filter(|&j| work.missing[j]) {
            work.row[j] +=
                self.row(j).iter().zip(work.posterior.solution()).map(|(w, z)| w * z).sum::<f64>();
        }
    }

    /// Refuses numbers that are not finite, not as many as there are columns, or no variances.
    pub(crate) fn validate(&self, columns: usize) -> Result<()> {
        let bad = |key: &str, problem: String| {
            Err(ErrorKind::BadFile { what: "model", key: format!("predictor.{key}"), problem }
                .into())
        };
        self.linear.validate_at("predictor.linear", columns)?;
        for (key, numbers, width) in
            [("loadings", &self.loadings, self.rank), ("noise", &self.noise, 1)]
        {
            // A product out of range is not the length of anything.
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
                format!("has {} numbers, not so many times {columns}", self.deviations.len()),
            );
        }
        for (key, numbers) in
            [("loadings", &self.loadings), ("noise", &self.noise), ("deviations", &self.deviations)]
        {
            if !numbers.iter().all(|v| v.is_finite()) {
                return bad(key, "holds a number that is not finite".into());
            }
        }
        // What is divided by may not be so small that the quotient is no number.
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

fn finite(what: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(ErrorKind::Diverged { what, value }.into()) }
}
