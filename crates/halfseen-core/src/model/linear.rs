//! Predicts by a linear model of scaled attributes.

use crate::data::{Cells, Examples, Signs};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Largest absolute number of a model; predictions from larger ones need not be finite.
const LARGEST: f64 = 1e200;
const TOO_LARGE: &str = "holds a number beyond 1e200, from which no finite prediction follows";

/// Linear model: score = intercept + sum_j weights_j x_j, in scaled units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    /// One weight per encoded column, (n_columns).
    pub weights: Vec<f64>,
    /// Constant term.
    pub intercept: f64,
    /// Replacement for a missing cell, (n_columns): the mean of the attribute as known to the
    /// learner.
    pub fill: Vec<f64>,
    /// Smallest and largest training target, the range of predictions. [`Linear::score`] ignores
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<[f64; 2]>,
}

impl Linear {
    /// Returns the linear model in scaled units whose sign relative to the middle of two classes is
    /// that of `weights` and `bias`.
    pub fn of_signs(signs: &Signs, mut weights: Vec<f64>, bias: f64, fill: Vec<f64>) -> Linear {
        weights.iter_mut().for_each(|w| *w *= signs.half);
        Linear { weights, intercept: signs.centre + signs.half * bias, fill, clip: None }
    }

    /// Returns the linear predictor of one scaled row, (n_columns).
    #[inline]
    pub fn score(&self, row: &[f64]) -> f64 {
        // Four partial sums allow vector registers, and keep the result independent of the number
        // of threads that score other rows.
        let mut sums = [0.0; 4];
        let (weights, values) = (self.weights.chunks_exact(4), row.chunks_exact(4));
        let rest: f64 =
            weights.remainder().iter().zip(values.remainder()).map(|(w, v)| w * v).sum();
        for (w, v) in weights.zip(values) {
            for lane in 0..4 {
                sums[lane] += w[lane] * v[lane];
            }
        }
        self.total(sums, rest)
    }

    /// Returns the same number, to the last bit, of a row's cells that are not zero; missing ones
    /// take [`Linear::fill`].
    fn score_of_cells(&self, cells: &Cells) -> f64 {
        let (mut sums, mut rest) = ([0.0; 4], 0.0);
        let in_lanes = self.weights.len() / 4 * 4;
        for (j, value) in cells.iter() {
            let value = if value.is_nan() { self.fill[j] } else { value };
            let sum = if j < in_lanes { &mut sums[j % 4] } else { &mut rest };
            *sum += self.weights[j] * value;
        }
        self.total(sums, rest)
    }

    #[inline]
    fn total(&self, sums: [f64; 4], rest: f64) -> f64 {
        self.intercept + (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
    }

    /// Returns the nearest number in the range of predictions; NaN stays NaN.
    #[inline]
    pub fn clip(&self, sum: f64) -> f64 {
        self.clip.map_or(sum, |[low, high]| sum.clamp(low, high))
    }

    /// Returns the scores of all examples, in scaled units; missing cells take [`Linear::fill`].
    pub fn scores(&self, examples: &Examples<'_>) -> Vec<f64> {
        Linear::scores_of(&[self], examples).pop().unwrap_or_default()
    }

    /// Returns the scores of all examples by each of several predictors, reading every row once.
    pub fn scores_of(predictors: &[&Linear], examples: &Examples<'_>) -> Vec<Vec<f64>> {
        let mut scores = vec![Vec::with_capacity(examples.len()); predictors.len()];
        if examples.is_sparse() {
            let mut cells = Cells::of(examples);
            for i in 0..examples.len() {
                cells.read(examples, i);
                for (predictor, scores) in predictors.iter().zip(&mut scores) {
                    scores.push(predictor.clip(predictor.score_of_cells(&cells)));
                }
            }
            return scores;
        }
        let (mut row, mut filled) = (vec![0.0; examples.columns()], Vec::new());
        for i in 0..examples.len() {
            examples.row_into(i, &mut row);
            let complete = !row.iter().any(|v| v.is_nan());
            for (predictor, scores) in predictors.iter().zip(&mut scores) {
                if complete {
                    scores.push(predictor.clip(predictor.score(&row)));
                    continue;
                }
                filled.clear();
                let cells = row.iter().zip(&predictor.fill);
                filled
                    .extend(cells.map(|(value, fill)| if value.is_nan() { *fill } else { *value }));
                scores.push(predictor.clip(predictor.score(&filled)));
            }
        }
        scores
    }

    /// Refuses non-finite numbers and wrong lengths.
    pub(crate) fn validate(&self, columns: usize) -> Result<()> {
        self.validate_at("predictor", columns)
    }

    /// Does the same for a linear model stored at this key of a file.
    pub(super) fn validate_at(&self, place: &str, columns: usize) -> Result<()> {
        let bad =
            |key: &str, problem: String| Err(Error::in_model(format!("{place}.{key}"), problem));
        for (key, numbers) in [("weights", &self.weights), ("fill", &self.fill)] {
            if numbers.len() != columns {
                return bad(key, format!("has {} numbers for {columns} columns", numbers.len()));
            }
            if !numbers.iter().all(|v| v.is_finite()) {
                return bad(key, "holds a number that is not finite".into());
            }
            if !numbers.iter().all(|v| v.abs() <= LARGEST) {
                return bad(key, TOO_LARGE.into());
            }
        }
        if !self.intercept.is_finite() {
            return bad("intercept", "is not finite".into());
        }
        if self.intercept.abs() > LARGEST {
            return bad("intercept", TOO_LARGE.into());
        }
        if !self.clip.is_none_or(|[low, high]| low.is_finite() && high.is_finite() && low <= high) {
            return bad("clip", "must be two finite numbers, the least first".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Csr, Layout, Matrix, Scaler};
    use ndarray::Array2;
    use std::sync::Arc;

    /// Three cells of 101 columns in each of 40 rows, one of them missing in every fifth row.
    fn rows() -> Csr {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..40_u32 {
            columns.extend([i, 2 * i + 20, 100]);
            let last = if i % 5 == 0 { f64::NAN } else { 1.0 / f64::from(i + 3) };
            values.extend([f64::from(i).sin(), -0.3, last]);
            starts.push(columns.len());
        }
        Csr::new(starts, columns, values, 101).unwrap()
    }

    #[test]
    fn sparse_rows_score_the_same_bits_as_dense_ones() {
        let sparse = Matrix::Csr(rows());
        let dense = Matrix::F64(Array2::from_shape_fn((40, 101), |(i, j)| sparse.get(i, j)));
        let number = |j: usize, by: f64| (j as f64 * by).cos();
        let mut one = Linear {
            weights: (0..101).map(|j| number(j, 1.7)).collect(),
            intercept: 0.1,
            fill: (0..101).map(|j| number(j, 0.6)).collect(),
            clip: None,
        };
        let other = Linear { clip: Some([-0.2, 0.2]), ..one.clone() };
        one.weights[100] = 3.0;
        let (layout, targets) = (Arc::new(Layout::singletons(101)), [0.0; 40]);
        let divisors = (1..102).map(f64::from).collect();
        let each = Scaler::Each { offset: vec![0.0; 101], divisor: divisors };
        let moved = Scaler::Each { offset: vec![0.5; 101], divisor: vec![2.0; 101] };
        for (scaler, few) in [(Scaler::None {}, true), (each, true), (moved, false)] {
            let [sparse, dense] = [&sparse, &dense].map(|matrix| {
                Examples::new(matrix, &scaler, &layout, &targets).with_rows(vec![7, 0, 39, 20])
            });
            assert_eq!((sparse.is_sparse(), dense.is_sparse()), (few, false));
            let [actual, expected] =
                [&sparse, &dense].map(|examples| Linear::scores_of(&[&one, &other], examples));
            assert_eq!(actual, expected);
            assert_eq!(actual[1][0], actual[1][0].clamp(-0.2, 0.2));
        }
    }
}
