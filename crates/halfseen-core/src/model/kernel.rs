//! Predicts by comparing a row with the training rows.

use super::Scores;
use crate::data::Examples;
use crate::error::{Error, Result};
use crate::kernel::gram::cross;
use crate::kernel::{Kernel, Masked};
use faer::Mat;
use halfseen_solve::{Silent, multiply};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Number of rows compared at once, which bounds the memory of a prediction.
const BLOCK: usize = 1024;

/// Scores score_j(x) = sum_i coefficients_ij k(x_i, x), in scaled units. The kernel compares the
/// cells observed in both rows, without imputation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "File", try_from = "File")]
pub struct KernelExpansion {
    /// Fitted kernel.
    pub kernel: Kernel,
    /// True if the columns include an always observed constant.
    pub constant: bool,
    /// Training rows, including the constant.
    pub support: Arc<Masked>,
    /// (n_support, outputs).
    pub coefficients: Mat<f64>,
    /// True if a score estimates the target; see [`Scores::estimates`].
    pub estimates: bool,
}

impl KernelExpansion {
    /// Returns the number of scores of a row.
    pub fn outputs(&self) -> usize {
        self.coefficients.ncols()
    }

    /// Removes rows whose coefficients are all 0; at least one row stays.
    pub fn pruned(self) -> KernelExpansion {
        let used = |&i: &usize| (0..self.outputs()).any(|j| self.coefficients[(i, j)] != 0.0);
        let mut keep: Vec<usize> = (0..self.support.len()).filter(used).collect();
        if keep.len() == self.support.len() {
            return self;
        }
        if keep.is_empty() {
            keep.push(0);
        }
        let coefficients =
            Mat::from_fn(keep.len(), self.outputs(), |i, j| self.coefficients[(keep[i], j)]);
        KernelExpansion { support: Arc::new(self.support.select(&keep)), coefficients, ..self }
    }

    /// Returns the scores of all examples by each of several predictors. Those with the same
    /// training rows share each comparison: two matrix products for all kernels.
    ///
    /// # Errors
    /// Cells or kernel values too large to be finite.
    pub fn scores_of(
        predictors: &[&KernelExpansion],
        examples: &Examples<'_>,
    ) -> Result<Vec<Scores>> {
        let empty = |p: &&KernelExpansion| Scores {
            values: Vec::with_capacity(examples.len() * p.outputs()),
            outputs: p.outputs(),
            estimates: p.estimates,
        };
        let mut scores: Vec<Scores> = predictors.iter().map(empty).collect();
        let mut left: Vec<usize> = (0..predictors.len()).collect();
        while let Some(&first) = left.first() {
            let first = predictors[first];
            let shares = |p: &KernelExpansion| {
                Arc::ptr_eq(&p.support, &first.support) && p.constant == first.constant
            };
            let (together, others) = left.into_iter().partition(|&at| shares(predictors[at]));
            left = others;
            Self::compare(predictors, &together, examples, &mut scores)?;
        }
        Ok(scores)
    }

    /// Adds the scores of those predictors that share their rows.
    fn compare(
        all: &[&KernelExpansion],
        these: &[usize],
        examples: &Examples<'_>,
        scores: &mut [Scores],
    ) -> Result<()> {
        let Some(first) = these.first().map(|&at| all[at]) else { return Ok(()) };
        let mut kernels: Vec<Kernel> = Vec::new();
        let mut of = Vec::with_capacity(these.len());
        for &at in these {
            let known = kernels.iter().position(|kernel| *kernel == all[at].kernel);
            of.push(known.unwrap_or(kernels.len()));
            if known.is_none() {
                kernels.push(all[at].kernel.clone());
            }
        }
        for rows in examples.rows.chunks(BLOCK) {
            let block = first.support.another(&examples.with_rows(rows), first.constant)?;
            let compared = cross(&kernels, &first.support, &block, &Silent)?;
            for (&at, &kernel) in these.iter().zip(&of) {
                let mut product = Mat::zeros(all[at].outputs(), rows.len());
                let (left, right) = (all[at].coefficients.transpose(), &compared[kernel]);
                multiply(product.as_mut(), left, right);
                (0..rows.len()).for_each(|i| scores[at].values.extend(product.col_as_slice(i)));
            }
        }
        Ok(())
    }

    /// Refuses rows with a number of columns other than `columns`.
    pub(crate) fn validate(&self, columns: usize) -> Result<()> {
        let expected = columns + usize::from(self.constant);
        if self.support.columns() == expected {
            return Ok(());
        }
        let problem =
            format!("have {} columns where {expected} are needed", self.support.columns());
        Err(Error::in_model("predictor.rows", problem))
    }
}

/// Predictor as stored in a file.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kernel: Kernel,
    constant: bool,
    estimates: bool,
    support: Masked,
    /// Row by row.
    coefficients: Vec<Vec<f64>>,
}

impl From<KernelExpansion> for File {
    fn from(from: KernelExpansion) -> File {
        let row = |i| (0..from.outputs()).map(|j| from.coefficients[(i, j)]).collect();
        let coefficients = (0..from.support.len()).map(row).collect();
        let KernelExpansion { kernel, constant, support, estimates, .. } = from;
        File { kernel, constant, estimates, support: Masked::clone(&support), coefficients }
    }
}

impl TryFrom<File> for KernelExpansion {
    type Error = crate::Error;

    fn try_from(file: File) -> Result<KernelExpansion> {
        let (rows, outputs) = (file.support.len(), file.coefficients.first().map_or(0, Vec::len));
        if rows == 0 || outputs == 0 || file.coefficients.len() != rows {
            let problem =
                format!("are {} rows for {rows} rows of support", file.coefficients.len());
            return Err(Error::in_model("predictor.coefficients", problem));
        }
        if file.coefficients.iter().any(|row| row.len() != outputs) {
            return Err(Error::in_model("predictor.coefficients", "are not as many in each row"));
        }
        if file.coefficients.iter().flatten().any(|v| !v.is_finite()) {
            return Err(Error::in_model(
                "predictor.coefficients",
                "hold a number that is not finite",
            ));
        }
        let coefficients = Mat::from_fn(rows, outputs, |i, j| file.coefficients[i][j]);
        let File { kernel, constant, estimates, support, .. } = file;
        Ok(KernelExpansion {
            kernel,
            constant,
            support: Arc::new(support),
            coefficients,
            estimates,
        })
    }
}
