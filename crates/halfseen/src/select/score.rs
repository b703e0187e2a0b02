//! Scores predictions against targets, in the target's own units.

use crate::data::Target;

/// Errors on a set of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Mean squared error: in the target's units, or of the score against -1/+1.
    pub mse: f64,
    /// Share of rows whose class is told wrongly; `None` for regression.
    pub error: Option<f64>,
    /// Mean over the classes of the share told wrongly in each; `None` for regression.
    pub balanced_error: Option<f64>,
}

impl Score {
    /// Scores the predictions of some rows of a target with numbers or two classes. A score of 0
    /// tells the first class.
    pub fn of(scores: &[f64], target: &Target, rows: &[u32]) -> Score {
        let n = rows.len().max(1) as f64;
        match target {
            Target::Numbers(values) => {
                let squares = scores.iter().zip(rows).map(|(s, &r)| (s - values[r as usize]).powi(2));
                Score { mse: squares.sum::<f64>() / n, error: None, balanced_error: None }
            }
            Target::Classes { codes, .. } => {
                let (mut square, mut wrong, mut seen) = (0.0, [0.0; 2], [0.0_f64; 2]);
                for (score, &row) in scores.iter().zip(rows) {
                    let code = usize::from(codes[row as usize] == 1);
                    square += (score - if code == 1 { 1.0 } else { -1.0 }).powi(2);
                    seen[code] += 1.0;
                    wrong[code] += f64::from(u8::from((*score > 0.0) != (code == 1)));
                }
                let shown: Vec<f64> = (0..2).filter(|&c| seen[c] > 0.0).map(|c| wrong[c] / seen[c]).collect();
                let balanced = shown.iter().sum::<f64>() / shown.len().max(1) as f64;
                Score { mse: square / n, error: Some((wrong[0] + wrong[1]) / n), balanced_error: Some(balanced) }
            }
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
        let score = Score::of(&[-1.0, 0.0, 0.5, -0.5], &target, &[0, 1, 2, 3]);
        assert_eq!(score.error, Some(0.5));
        assert_eq!(score.balanced_error, Some((1.0 / 3.0 + 1.0) / 2.0));
        assert_eq!(score.mse, (0.0 + 1.0 + 2.25 + 2.25) / 4.0);
        let score = Score::of(&[2.0], &Target::Numbers(vec![0.0, 5.0]), &[1]);
        assert_eq!((score.mse, score.error), (9.0, None));
    }
}
