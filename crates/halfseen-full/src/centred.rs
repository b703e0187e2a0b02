//! Surveys all examples once: rejects bad cells, computes the means, and drops columns without
//! effect.
//!
//! An unpenalised intercept has a closed form: for any w the best b is mean(y) - <w, mean(x)>,
//! which leaves the same problem without intercept on centred data. Centring precedes the sums of
//! products (a second pass over the cells), so a large mean costs no precision. A constant column
//! is detected exactly, not by its rounded standard deviation.

use halfseen_core::data::{Examples, check_row, check_shape};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::model::{Linear, Report, Stop};
use std::ops::Range;

/// Examples minus their weighted means (or as they are, without intercept), on the columns that are
/// then not all zero.
#[derive(Debug)]
pub struct Centred<'a, 'b> {
    examples: &'a Examples<'b>,
    /// Sum of the weights.
    total: f64,
    /// Columns that are not zero in every row, increasing.
    columns: Vec<usize>,
    /// Mean of every column, (n_columns): it replaces missing values when the model predicts.
    mean: Vec<f64>,
    /// Shift subtracted from each of `columns`.
    shift: Vec<f64>,
    /// Shift subtracted from the targets.
    target_shift: f64,
}

impl<'a, 'b> Centred<'a, 'b> {
    /// Makes the first pass.
    ///
    /// # Errors
    /// No rows, no columns, a missing or infinite cell or target.
    pub fn new(examples: &'a Examples<'b>, learner: &str, intercept: bool) -> Result<Self> {
        check_shape(examples, learner)?;
        let (m, d) = (examples.len(), examples.columns());
        let (mut first, mut row) = (vec![0.0; d], vec![0.0; d]);
        let (mut sum, mut varies, mut total) = (vec![0.0; d], vec![false; d], 0.0);
        examples.row_into(0, &mut first);
        for i in 0..m {
            examples.row_into(i, &mut row);
            check_row(examples, i, &row)?;
            let weight = examples.weight(i);
            total += weight;
            for (((s, v), x), f) in sum.iter_mut().zip(&mut varies).zip(&row).zip(&first) {
                *s += weight * x;
                *v |= x != f;
            }
        }
        let mean: Vec<f64> =
            (0..d).map(|j| if varies[j] { sum[j] / total } else { first[j] }).collect();
        if let Some(j) = mean.iter().position(|v| !v.is_finite()) {
            return Err(ErrorKind::Diverged { what: "the sum of a column", value: sum[j] }.into());
        }
        let columns: Vec<usize> =
            (0..d).filter(|&j| varies[j] || (!intercept && first[j] != 0.0)).collect();
        let shift = columns.iter().map(|&j| if intercept { mean[j] } else { 0.0 }).collect();
        let target_sum: f64 = (0..m).map(|i| examples.weight(i) * examples.target(i)).sum();
        let target_shift = if intercept { target_sum / total } else { 0.0 };
        Ok(Centred { examples, total, columns, mean, shift, target_shift })
    }

    /// Returns the number of examples.
    pub fn len(&self) -> usize {
        self.examples.len()
    }

    /// Returns true if there are no examples.
    pub fn is_empty(&self) -> bool {
        self.examples.is_empty()
    }

    /// Returns the number of columns kept.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Returns the weight of one example.
    pub fn weight(&self, example: usize) -> f64 {
        self.examples.weight(example)
    }

    /// Returns the sum of all weights: the number of examples if they have none.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Returns the report of a learner that read every cell.
    pub fn report(&self, learner: &str, stop: Stop) -> Report {
        let layout = self.examples.layout;
        Report::full(learner, stop, self.len(), layout.sampled_panels()).paid(layout)
    }

    /// Returns the centred target of one example.
    pub fn target(&self, example: usize) -> f64 {
        self.examples.target(example) - self.target_shift
    }

    /// Replaces `block` by the centred kept cells of some examples, row by row.
    pub fn block_into(&self, range: Range<usize>, block: &mut Vec<f64>) {
        let mut row = vec![0.0; self.examples.columns()];
        block.clear();
        for i in range {
            self.examples.row_into(i, &mut row);
            block.extend(self.columns.iter().zip(&self.shift).map(|(&j, s)| row[j] - s));
        }
    }

    /// Returns the columns kept, increasing.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Returns the mean of every column, (n_columns).
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the predictor on all columns, given the weights of the kept ones; predictions are
    /// clipped to the range of the targets.
    pub fn predictor(&self, kept: &[f64]) -> Linear {
        let mut weights = vec![0.0; self.examples.columns()];
        let mut intercept = self.target_shift;
        for ((&j, w), s) in self.columns.iter().zip(kept).zip(&self.shift) {
            weights[j] = *w;
            intercept -= w * s;
        }
        let clip = self.examples.target_range();
        Linear { weights, intercept, fill: self.mean.clone(), clip }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Data;
    use ndarray::array;

    #[test]
    fn constant_columns_are_dropped_exactly() {
        // Three times 0.1, divided by three, is not 0.1.
        let data = Data::new(
            array![[0.1, 1.0, 0.0], [0.1, 2.0, 0.0], [0.1, 4.0, 0.0]],
            vec![1.0, 2.0, 3.0],
        );
        let examples = data.examples();
        assert_eq!(Centred::new(&examples, "ridge", true).unwrap().columns, [1]);
        assert_eq!(Centred::new(&examples, "ridge", false).unwrap().columns, [0, 1]);
    }

    #[test]
    fn bad_cells_are_refused_by_row_and_name() {
        for (value, missing) in [(f64::NAN, true), (f64::NEG_INFINITY, false)] {
            let data = Data::new(array![[0.0, 1.0], [1.0, value]], vec![1.0, 2.0]);
            let error = Centred::new(&data.examples(), "ridge", true).unwrap_err();
            let kind = match missing {
                true => ErrorKind::MissingCell { row: 2, column: "x1".into() },
                false => ErrorKind::NotFinite { row: 2, column: "x1".into(), value },
            };
            assert_eq!(error.kind(), &kind);
        }
        let data = Data::new(array![[0.0, f64::MAX], [1.0, f64::MIN]], vec![1.0, 2.0]);
        let scaler = halfseen_core::data::Scaler::Each {
            offset: vec![0.0, f64::MIN],
            divisor: vec![1.0, 1.0],
        };
        let error = Centred::new(&Examples { scaler: &scaler, ..data.examples() }, "ridge", true)
            .unwrap_err();
        assert_eq!(
            error.kind(),
            &ErrorKind::TooLarge { row: 1, column: "x1".into(), value: f64::MAX }
        );
        let data = Data::new(array![[0.0], [1.0]], vec![1.0, f64::NAN]);
        let error = Centred::new(&data.examples(), "ridge", true).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::NotFinite { row: 2, column, .. } if column == "target")
        );
    }

    #[test]
    fn nothing_to_learn_from_is_refused() {
        let data = Data::new(array![[0.0], [1.0]], vec![1.0, 2.0]);
        let error = Centred::new(&data.examples().prefix(0), "ridge", true).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TooFewRows { least: 1, rows: 0, .. }));
        let data = Data::new(ndarray::Array2::zeros((2, 0)), vec![1.0, 2.0]);
        let error = Centred::new(&data.examples(), "ridge", true).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::NoAttributes);
    }
}
