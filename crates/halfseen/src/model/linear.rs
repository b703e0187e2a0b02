//! Predicts by a linear model of scaled attributes.

use crate::data::{Examples, Signs};
use crate::error::{ErrorKind, Result};
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
    pub(crate) fn of_signs(
        signs: &Signs,
        mut weights: Vec<f64>,
        bias: f64,
        fill: Vec<f64>,
    ) -> Linear {
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
        let (mut row, mut filled) = (vec![0.0; examples.columns()], Vec::new());
        let mut scores = vec![Vec::with_capacity(examples.len()); predictors.len()];
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
        let bad = |key: &str, problem: String| {
            Err(ErrorKind::BadFile { what: "model", key: format!("{place}.{key}"), problem }.into())
        };
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
