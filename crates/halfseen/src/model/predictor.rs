//! Gathers the forms of predictors: what turns a scaled row into scores.

use super::Linear;
use crate::data::Examples;
use crate::error::{ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// What a fit returns to predict by, in scaled units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Predictor {
    /// A weighted sum.
    Linear(Linear),
}

/// The scores of some rows, (n_rows, outputs).
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Row by row.
    pub values: Vec<f64>,
    /// Scores of one row: 1, or one for each of more than two classes.
    pub outputs: usize,
    /// Whether a score estimates the target (a number, or -1/+1). If not, only its sign or the largest one means something.
    pub estimates: bool,
}

impl Scores {
    /// One estimate of the target for each row.
    pub fn estimates(values: Vec<f64>) -> Scores {
        Scores { values, outputs: 1, estimates: true }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.outputs.max(1)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The scores of one row, (outputs).
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.outputs..(row + 1) * self.outputs]
    }

    /// The class that a row's scores mean: the second of two where the score is above 0, else the first with the largest score.
    pub fn class(&self, row: usize) -> usize {
        match self.row(row) {
            [score] => usize::from(*score > 0.0),
            scores => (1..scores.len()).fold(0, |best, r| if scores[r] > scores[best] { r } else { best }),
        }
    }

    /// The same with every score changed.
    pub fn map(mut self, change: impl Fn(f64) -> f64) -> Scores {
        self.values.iter_mut().for_each(|v| *v = change(*v));
        self
    }
}

impl Predictor {
    /// Scores of one row: 1, or one for each of more than two classes.
    pub fn outputs(&self) -> usize {
        match self {
            Predictor::Linear(_) => 1,
        }
    }

    /// The weighted sum, where it is one.
    ///
    /// # Errors
    /// [`ErrorKind::NotLinear`].
    pub fn linear(&self) -> Result<&Linear> {
        match self {
            Predictor::Linear(linear) => Ok(linear),
            #[allow(unreachable_patterns)]
            _ => Err(ErrorKind::NotLinear.into()),
        }
    }

    /// The scores of all examples, in scaled units.
    ///
    /// # Errors
    /// Cells so large that a score is no finite number.
    pub fn scores(&self, examples: &Examples<'_>) -> Result<Scores> {
        let mut scores = Self::scores_of(&[self], examples)?;
        Ok(scores.pop().unwrap_or_else(|| Scores::estimates(Vec::new())))
    }

    /// The scores of all examples by each of several predictors, which share what they can: rows are read once.
    ///
    /// # Errors
    /// As [`Predictor::scores`].
    pub fn scores_of(predictors: &[&Predictor], examples: &Examples<'_>) -> Result<Vec<Scores>> {
        let linear: Vec<&Linear> = predictors.iter().filter_map(|p| p.linear().ok()).collect();
        let scores = Linear::scores_of(&linear, examples).into_iter().map(Scores::estimates);
        Ok(scores.collect())
    }

    /// Refuses numbers that are not finite, or not of these sizes.
    pub(crate) fn validate(&self, columns: usize) -> Result<()> {
        match self {
            Predictor::Linear(linear) => linear.validate(columns),
        }
    }
}

impl From<Linear> for Predictor {
    fn from(linear: Linear) -> Predictor {
        Predictor::Linear(linear)
    }
}
