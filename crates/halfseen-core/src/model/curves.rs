//! Predicts by a conditional linear model of attributes and of one curve of each: sums of curves.
//!
//! A curve is piecewise linear in its attribute, constant beyond its ends, and unknown where the
//! attribute is. The linear model has a weight for every column and for every curve, so the
//! attribute's part of the prediction is w_j x_j + v_j curve_j(x_j).

#[cfg(test)]
pub(super) mod tests;

use super::{Conditional, Linear, Scores};
use crate::data::Examples;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Linear model of columns and of curves of them, with the distribution of both, in scaled units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curves {
    /// Curves by increasing column, at most one of each.
    pub curves: Vec<AttributeCurve>,
    /// Model of the columns, and of the curves after them.
    pub conditional: Conditional,
}

/// Piecewise linear function of one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeCurve {
    /// Encoded column.
    pub column: usize,
    /// Increasing values of the column, at least one.
    pub knots: Vec<f64>,
    /// Value of the curve at each knot.
    pub heights: Vec<f64>,
}

impl AttributeCurve {
    /// Returns the value of the curve at a number; NaN for NaN.
    pub fn at(&self, x: f64) -> f64 {
        interpolate(&self.knots, &self.heights, x)
    }
}

/// Returns the value of a piecewise linear function of at least one knot; NaN for NaN.
pub fn interpolate(knots: &[f64], heights: &[f64], x: f64) -> f64 {
    let above = knots.partition_point(|knot| *knot <= x);
    match (above, knots.get(above)) {
        _ if x.is_nan() => x,
        (0, _) => heights[0],
        (_, None) => heights[knots.len() - 1],
        (_, Some(right)) => {
            let (left, from) = (knots[above - 1], heights[above - 1]);
            from + (heights[above] - from) * ((x - left) / (right - left))
        }
    }
}

impl Curves {
    /// Returns the number of columns of a row.
    pub fn columns(&self) -> usize {
        self.conditional.linear.weights.len() - self.curves.len()
    }

    /// Returns the scores of all examples, in scaled units.
    ///
    /// # Errors
    /// As for [`Conditional::scores`].
    pub fn scores(&self, examples: &Examples<'_>) -> Result<Scores> {
        self.conditional.scores_of(examples.len(), |i, row| self.expand(examples, i, row))
    }

    /// Returns prediction intervals; see [`Conditional::intervals`].
    ///
    /// # Errors
    /// As for [`Conditional::intervals`].
    pub fn intervals(&self, examples: &Examples<'_>, level: f64) -> Result<Vec<(f64, f64)>> {
        let rows = |i, row: &mut [f64]| self.expand(examples, i, row);
        self.conditional.intervals_of(examples.len(), rows, level)
    }

    /// Returns the part of the prediction that comes from one column, at several of its values:
    /// 0 on average over the distribution of the attributes.
    pub fn part(&self, column: usize, values: &[f64]) -> Vec<f64> {
        let along = self.along(column);
        values.iter().map(|&x| along(&self.conditional.linear.weights, x)).collect()
    }

    /// Returns the standard error of [`Curves::part`]; `None` without deviations.
    pub fn part_errors(&self, column: usize, values: &[f64]) -> Option<Vec<f64>> {
        let (deviations, along) = (&self.conditional.deviations, self.along(column));
        let refits = || deviations.chunks_exact(self.conditional.linear.weights.len().max(1));
        let one = |&x: &f64| refits().map(|v| along(v, x).powi(2)).sum::<f64>().sqrt();
        (!deviations.is_empty()).then(|| values.iter().map(one).collect())
    }

    /// Returns the standard deviation of [`Curves::part`] over the distribution of the attributes.
    pub fn part_deviation(&self, column: usize) -> f64 {
        let Conditional { linear, rank, loadings, noise, .. } = &self.conditional;
        let places = [Some(column), self.place(column)];
        let places = || places.into_iter().flatten();
        let shared = |r| places().map(|j| linear.weights[j] * loadings[j * rank + r]).sum::<f64>();
        let own: f64 = places().map(|j| linear.weights[j].powi(2) * noise[j]).sum();
        ((0..*rank).map(|r| shared(r).powi(2)).sum::<f64>() + own).sqrt()
    }

    /// Returns the place of a column's curve among the weights.
    fn place(&self, column: usize) -> Option<usize> {
        let at = self.curves.iter().position(|curve| curve.column == column)?;
        Some(self.columns() + at)
    }

    /// Returns the function of weights and a value of the column that sums the column and its
    /// curve, less their means.
    fn along(&self, column: usize) -> impl Fn(&[f64], f64) -> f64 {
        let (place, means) = (self.place(column), &self.conditional.linear.fill);
        move |weights, x| {
            let x = self.conditional.bounded(column, x);
            let line = weights[column] * (x - means[column]);
            place.map_or(line, |at| {
                let height = self.curves[at - self.columns()].at(x);
                let height = self.conditional.bounded(at, height);
                line + weights[at] * (height - means[at])
            })
        }
    }

    /// Returns the linear model of the columns alone: curves count as their means.
    pub fn line(&self) -> Linear {
        let (columns, mut line) = (self.columns(), self.conditional.linear.clone());
        let bent = line.weights.iter().zip(&line.fill).skip(columns);
        line.intercept += bent.map(|(weight, mean)| weight * mean).sum::<f64>();
        line.weights.truncate(columns);
        line.fill.truncate(columns);
        line
    }

    /// Writes an example's cells and curves.
    fn expand(&self, examples: &Examples<'_>, i: usize, row: &mut [f64]) {
        let (cells, bent) = row.split_at_mut(self.columns());
        examples.row_into(i, cells);
        for (curve, value) in self.curves.iter().zip(bent) {
            *value = curve.at(self.conditional.bounded(curve.column, cells[curve.column]));
        }
    }

    /// Refuses non-finite numbers, wrong lengths, and knots that do not increase.
    pub(crate) fn validate(&self, columns: usize) -> Result<()> {
        let bad = |key: String, problem: String| {
            Err(Error::in_model(format!("predictor.{key}"), problem))
        };
        let mut before = None;
        for (at, AttributeCurve { column, knots, heights }) in self.curves.iter().enumerate() {
            if *column >= columns || before.is_some_and(|before| before >= *column) {
                let problem = format!("is {column}; columns increase and are below {columns}");
                return bad(format!("curves[{at}].column"), problem);
            }
            before = Some(*column);
            if knots.is_empty() || knots.len() != heights.len() {
                let problem = format!("has {} numbers for {} knots", heights.len(), knots.len());
                return bad(format!("curves[{at}].heights"), problem);
            }
            if !knots.iter().chain(heights).all(|v| v.is_finite()) {
                return bad(format!("curves[{at}]"), "holds a number that is not finite".into());
            }
            if !knots.windows(2).all(|pair| pair[0] < pair[1]) {
                return bad(format!("curves[{at}].knots"), "do not increase".into());
            }
        }
        self.conditional.validate_at("predictor.conditional", columns + self.curves.len())
    }
}
