//! Predicts by linear models of random features of a row.

use super::Scores;
use crate::data::Examples;
use crate::error::{Error, Result};
use crate::kernel::{Masked, Sketch};
use faer::Mat;
use halfseen_solve::multiply;
use serde::{Deserialize, Serialize};

/// Number of rows sketched at once, which bounds the memory of a prediction.
const BLOCK: usize = 1024;

/// Scores score_j(x) = sum_k weights_kj phi_k(x), in scaled units; missing cells are not imputed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "File", try_from = "File")]
pub struct Sketched {
    /// Map to the features.
    pub sketch: Sketch,
    /// True if the columns include an always observed constant.
    pub constant: bool,
    /// (n_features, outputs).
    pub weights: Mat<f64>,
    /// True if a score estimates the target; see [`Scores::estimates`].
    pub estimates: bool,
}

impl Sketched {
    /// Returns the number of scores of a row.
    pub fn outputs(&self) -> usize {
        self.weights.ncols()
    }

    /// Returns the scores of all examples by each of several predictors; those with the same sketch
    /// share its features.
    ///
    /// # Errors
    /// Cells too large to be finite.
    pub fn scores_of(predictors: &[&Sketched], examples: &Examples<'_>) -> Result<Vec<Scores>> {
        let empty = |p: &&Sketched| Scores {
            values: Vec::new(),
            outputs: p.outputs(),
            estimates: p.estimates,
        };
        let mut scores: Vec<Scores> = predictors.iter().map(empty).collect();
        for rows in examples.rows.chunks(BLOCK) {
            let block = examples.with_rows(rows);
            let mut last: Option<(&Sketched, Mat<f64>)> = None;
            for (predictor, scores) in predictors.iter().zip(&mut scores) {
                let same =
                    |l: &Sketched| l.constant == predictor.constant && l.sketch == predictor.sketch;
                let features = match last.take() {
                    Some((l, features)) if same(l) => features,
                    _ => predictor.sketch.features(&Masked::new(&block, predictor.constant)?)?,
                };
                let mut product = Mat::zeros(predictor.outputs(), rows.len());
                let weights = predictor.weights.transpose();
                multiply(product.as_mut(), weights, &features);
                (0..rows.len()).for_each(|i| scores.values.extend(product.col_as_slice(i)));
                last = Some((predictor, features));
            }
        }
        Ok(scores)
    }

    /// Refuses a sketch of other columns.
    pub(crate) fn validate(&self, columns: usize) -> Result<()> {
        let expected = columns + usize::from(self.constant);
        if self.sketch.columns() == expected {
            return Ok(());
        }
        let problem =
            format!("is of {} columns where {expected} are needed", self.sketch.columns());
        Err(Error::in_model("predictor.sketch", problem))
    }
}

/// Predictor as stored in a file.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    sketch: Sketch,
    constant: bool,
    estimates: bool,
    /// Feature by feature.
    weights: Vec<Vec<f64>>,
}

impl From<Sketched> for File {
    fn from(from: Sketched) -> File {
        let row = |k| (0..from.outputs()).map(|j| from.weights[(k, j)]).collect();
        let weights = (0..from.weights.nrows()).map(row).collect();
        File { sketch: from.sketch, constant: from.constant, estimates: from.estimates, weights }
    }
}

impl TryFrom<File> for Sketched {
    type Error = crate::Error;

    fn try_from(file: File) -> Result<Sketched> {
        let (width, outputs) = (file.sketch.width(), file.weights.first().map_or(0, Vec::len));
        if outputs == 0
            || file.weights.len() != width
            || file.weights.iter().any(|row| row.len() != outputs)
        {
            let problem = format!("are not one row of equal length for each of {width} features");
            return Err(Error::in_model("predictor.weights", problem));
        }
        if file.weights.iter().flatten().any(|v| !v.is_finite()) {
            return Err(Error::in_model("predictor.weights", "hold a number that is not finite"));
        }
        let weights = Mat::from_fn(width, outputs, |k, j| file.weights[k][j]);
        Ok(Sketched {
            sketch: file.sketch,
            constant: file.constant,
            weights,
            estimates: file.estimates,
        })
    }
}
