//! Scores predictions against targets, in units of the target.

use crate::data::Target;
use crate::model::Scores;

/// Errors on a set of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Mean squared error, in units of the target or of the score against -1/+1. `None` if scores
    /// estimate no target: more than two classes, or margins.
    pub mse: Option<f64>,
    /// Share of misclassified rows; `None` for regression.
    pub error: Option<f64>,
    /// Mean over the classes of the misclassified share; `None` for regression.
    pub balanced_error: Option<f64>,
}

impl Score {
    /// Scores the predictions for some rows of a target, one row of `scores` each.
    pub fn of(scores: &Scores, target: &Target, rows: &[u32]) -> Score {
        let n = rows.len().max(1) as f64;
        let square = |wanted: &dyn Fn(u32) -> f64| {
            let squares = scores.values.iter().zip(rows).map(|(s, &r)| (s - wanted(r)).powi(2));
            (scores.outputs == 1 && scores.estimates).then(|| squares.sum::<f64>() / n)
        };
        match target {
            Target::Numbers(values) => {
                Score { mse: square(&|r| values[r as usize]), error: None, balanced_error: None }
            }
            Target::Classes { codes, classes } => {
                let (mut wrong, mut seen) =
                    (vec![0.0_f64; classes.len()], vec![0.0_f64; classes.len()]);
                for (at, &row) in rows.iter().enumerate() {
                    let code = codes[row as usize] as usize;
                    seen[code] += 1.0;
                    wrong[code] += f64::from(u8::from(scores.class(at) != code));
                }
                let shown: Vec<f64> = wrong
                    .iter()
                    .zip(&seen)
                    .filter(|(_, s)| **s > 0.0)
                    .map(|(w, s)| w / s)
                    .collect();
                let balanced = shown.iter().sum::<f64>() / shown.len().max(1) as f64;
                let mse = square(&|r| if codes[r as usize] == 1 { 1.0 } else { -1.0 });
                Score {
                    mse,
                    error: Some(wrong.iter().sum::<f64>() / n),
                    balanced_error: Some(balanced),
                }
            }
        }
    }

    /// Scores the best constant for all rows of a target: their mean, or their most frequent class.
    pub fn of_constant(target: &Target) -> Score {
        let variance = target.scores().map(|scores| {
            let n = scores.len().max(1) as f64;
            let mean = scores.iter().sum::<f64>() / n;
            scores.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n
        });
        let Target::Classes { classes, codes } = target else {
            return Score { mse: variance.ok(), error: None, balanced_error: None };
        };
        let mut counts = vec![0_u32; classes.len()];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let shown = counts.iter().filter(|count| **count > 0).count().max(1) as f64;
        let most = f64::from(counts.into_iter().max().unwrap_or(0));
        Score {
            mse: variance.ok(),
            error: Some(1.0 - most / codes.len().max(1) as f64),
            balanced_error: Some(1.0 - 1.0 / shown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Label;

    #[test]
    fn errors_are_counted_by_hand() {
        let classes = vec![Label::Number(3.0), Label::Number(5.0)];
        let target = Target::Classes { classes, codes: vec![0, 0, 0, 1] };
        let score =
            Score::of(&Scores::estimates(vec![-1.0, 0.0, 0.5, -0.5]), &target, &[0, 1, 2, 3]);
        assert_eq!(score.error, Some(0.5));
        assert_eq!(score.balanced_error, Some((1.0 / 3.0 + 1.0) / 2.0));
        assert_eq!(score.mse, Some((0.0 + 1.0 + 2.25 + 2.25) / 4.0));
        let score =
            Score::of(&Scores::estimates(vec![2.0]), &Target::Numbers(vec![0.0, 5.0]), &[1]);
        assert_eq!((score.mse, score.error), (Some(9.0), None));
    }

    #[test]
    fn margins_and_many_classes_have_no_squared_error() {
        let label = |n: u32| Label::Number(f64::from(n));
        let two = Target::Classes { classes: (0..2).map(label).collect(), codes: vec![0, 1] };
        let margins = Scores { values: vec![-3.0, -9.0], outputs: 1, estimates: false };
        let score = Score::of(&margins, &two, &[0, 1]);
        assert_eq!((score.mse, score.error), (None, Some(0.5)));
        let three =
            Target::Classes { classes: (0..3).map(label).collect(), codes: vec![2, 0, 2, 2] };
        // The first of equal scores wins.
        let values = vec![0.0, 1.0, 2.0, 5.0, 5.0, 5.0, 1.0, 1.0, 0.0, -3.0, -2.0, -1.0];
        let score =
            Score::of(&Scores { values, outputs: 3, estimates: true }, &three, &[0, 1, 2, 3]);
        assert_eq!(
            (score.mse, score.error, score.balanced_error),
            (None, Some(0.25), Some(1.0 / 6.0))
        );
    }
}
