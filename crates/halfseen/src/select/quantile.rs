//! Scores predictions of a quantile, in units of the target.

use crate::data::Target;
use crate::error::significant;
use crate::model::{NumberLoss, Scores};

/// Errors of predictions of a quantile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileScore {
    /// Quantile that is predicted.
    pub quantile: f64,
    /// Mean quantile loss.
    pub loss: f64,
    /// Mean quantile loss of the best constant, which is the quantile of the same targets.
    pub constant_loss: f64,
    /// Share of targets that are at most the prediction; close to the quantile if it is right.
    pub below: f64,
}

impl QuantileScore {
    /// Returns what the loss comes to beside that of the best constant for the same rows.
    pub fn in_words(&self) -> String {
        let QuantileScore { quantile, loss, constant_loss, below } = *self;
        if constant_loss == 0.0 {
            return "These rows do not vary, so nothing can be explained.".to_owned();
        }
        let below = format!(
            "{:.1} % of the targets are at most the prediction, which is of the quantile {quantile}.",
            100.0 * below
        );
        let (own, other) = (significant(loss), significant(constant_loss));
        match loss < constant_loss {
            true => format!(
                "{below} The mean quantile loss is {own}; that of predicting the quantile of all targets is {other}."
            ),
            false => {
                format!(
                    "{below} The model is no better than predicting the quantile of all targets."
                )
            }
        }
    }
}

/// Errors of predictions of a quantile, on rows that come in parts.
#[derive(Debug, Clone)]
pub struct QuantileTally {
    quantile: f64,
    rows: u64,
    loss: f64,
    below: u64,
}

impl QuantileTally {
    /// Starts with no row.
    pub fn new(quantile: f64) -> QuantileTally {
        QuantileTally { quantile, rows: 0, loss: 0.0, below: 0 }
    }

    /// Adds the predictions for all rows of a target; classes have none.
    pub fn add(&mut self, scores: &Scores, target: &Target) {
        let Target::Numbers(values) = target else { return };
        let loss = NumberLoss::Quantile(self.quantile);
        for (score, y) in scores.values.iter().zip(values) {
            self.loss += loss.of(*score, *y);
            self.below += u64::from(y <= score);
        }
        self.rows += values.len() as u64;
    }

    /// Returns the mean loss so far; `None` without a row.
    pub fn loss(&self) -> Option<f64> {
        (self.rows > 0).then(|| self.loss / self.rows as f64)
    }

    /// Returns the errors beside those of the best constant for all targets; `None` without a row.
    pub fn score(&self, targets: &[f64]) -> Option<QuantileScore> {
        let (quantile, n) = (self.quantile, targets.len() as f64);
        let loss = NumberLoss::Quantile(quantile);
        let constant = loss.constant(targets.iter().map(|y| (*y, 1.0)));
        let constant_loss = targets.iter().map(|y| loss.of(constant, *y)).sum::<f64>() / n;
        let below = self.below as f64 / self.rows as f64;
        Some(QuantileScore { quantile, loss: self.loss()?, constant_loss, below })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_hand_and_told() {
        let mut tally = QuantileTally::new(0.75);
        assert_eq!((tally.loss(), tally.score(&[])), (None, None));
        tally.add(&Scores::estimates(vec![1.0, 1.0]), &Target::Numbers(vec![1.0, 3.0]));
        tally.add(&Scores::estimates(vec![4.0, 5.0]), &Target::Numbers(vec![2.0, 5.0]));
        let score = tally.score(&[1.0, 3.0, 2.0, 5.0]).unwrap();
        // Residuals 0, 2, -2 and 0; from the third of four targets 2, 1, 0 below and 2 above.
        let expected = QuantileScore {
            quantile: 0.75,
            loss: (1.5 + 0.5) / 4.0,
            constant_loss: (0.5 + 0.0 + 0.25 + 1.5) / 4.0,
            below: 0.75,
        };
        assert_eq!((score, tally.loss()), (expected, Some(0.5)));
        assert_eq!(
            score.in_words(),
            "75.0 % of the targets are at most the prediction, which is of the quantile 0.75. The mean quantile loss is 0.5; that \
             of predicting the quantile of all targets is 0.5625."
        );
        let worse = QuantileScore { loss: 0.6, ..score }.in_words();
        assert!(
            worse.ends_with("no better than predicting the quantile of all targets."),
            "{worse}"
        );
        let same = QuantileScore { constant_loss: 0.0, ..score }.in_words();
        assert!(same.contains("do not vary"), "{same}");
    }
}
