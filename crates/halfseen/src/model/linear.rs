//! Predicts by a weighted sum of scaled attributes.

use crate::data::{Examples, Signs};
use crate::error::{ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// score = intercept + sum_j weights_j x_j, everything in scaled units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    /// One weight per encoded column, (n_columns).
    pub weights: Vec<f64>,
    /// The constant.
    pub intercept: f64,
    /// What stands in for a missing cell, (n_columns): the mean of the attribute as the learner
    /// knows it.
    pub fill: Vec<f64>,
    /// The least and the largest target learned from: nothing beyond is predicted.
    /// [`Linear::score`] does not know of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<[f64; 2]>,
}

impl Linear {
    /// The weighted sum in scaled units whose sign about the middle of two classes is that of
    /// `weights` and `bias`.
    pub(crate) fn of_signs(
        signs: &Signs,
        mut weights: Vec<f64>,
        bias: f64,
        fill: Vec<f64>,
    ) -> Linear {
        weights.iter_mut().for_each(|w| *w *= signs.half);
        Linear { weights, intercept: signs.centre + signs.half * bias, fill, clip: None }
    }

    /// The weighted sum of one scaled row, (n_columns).
    #[inline]
    pub fn score(&self, row: &[f64]) -> f64 {
        // Four partial sums: the compiler may then use vector registers, and the result does not
        // depend on how many threads score other rows.
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

    /// The nearest number that may be predicted. A NaN stays one.
    #[inline]
    pub fn clip(&self, sum: f64) -> f64 {
        self.clip.map_or(sum, |[low, high]| sum.clamp(low, high))
    }

    /// The scores of all examples, in scaled units; missing cells take [`Linear::fill`].
    pub fn scores(&self, examples: &Examples<'_>) -> Vec<f64> {
        Linear::scores_of(&[self], examples).pop().unwrap_or_default()
    }

    /// The scores of all examples by each of several predictors: every row is read once.
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

    /// Refuses numbers that are not finite or not as many as there are columns.
    pub(crate) fn validate(&self, columns: usize) -> Result<()> {
        self.validate_at("predictor", columns)
    }

    /// The same for a sum that stands at this key of a file.
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
        }
        if !self.intercept.is_finite() {
            return bad("intercept", "is not finite".into());
        }
        if !self.clip.is_none_or(|[low, high]| low.is_finite() && high.is_finite() && low <= high) {
            return bad("clip", "must be two finite numbers, the least first".into());
        }
        Ok(())
    }
}
