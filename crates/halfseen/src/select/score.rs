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
        let mut tally = Tally::default();
        tally.add(scores, target, rows);
        tally.score()
    }

    /// Scores the best constant for all rows of a target: their mean, or their most frequent class.
    pub fn of_constant(target: &Target) -> Score {
        let mut tally = ConstantTally::default();
        tally.add(target);
        tally.score()
    }
}

/// Errors on rows that come in parts; the order of the rows decides the bits, not the parts.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    rows: usize,
    /// Sum of squares; `None` once scores estimate no target.
    squares: Option<f64>,
    /// Rows of each class, and those among them that are misclassified.
    classes: Vec<[u64; 2]>,
}

impl Tally {
    /// Adds the predictions for some rows of a target, one row of `scores` each.
    pub fn add(&mut self, scores: &Scores, target: &Target, rows: &[u32]) {
        let first = self.rows == 0;
        self.rows += rows.len();
        let estimates = scores.outputs == 1 && scores.estimates;
        let before = if first { Some(0.0) } else { self.squares };
        let wanted = |row: u32| match target {
            Target::Numbers(values) => values[row as usize],
            Target::Classes { codes, .. } if codes[row as usize] == 1 => 1.0,
            Target::Classes { .. } => -1.0,
        };
        self.squares = before.filter(|_| estimates).map(|sum| {
            let squares = scores.values.iter().zip(rows).map(|(s, &r)| (s - wanted(r)).powi(2));
            squares.fold(sum, |sum, square| sum + square)
        });
        if let Target::Classes { codes, classes } = target {
            self.classes.resize(classes.len(), [0; 2]);
            for (at, &row) in rows.iter().enumerate() {
                let code = codes[row as usize] as usize;
                self.classes[code][0] += 1;
                self.classes[code][1] += u64::from(scores.class(at) != code);
            }
        }
    }

    /// Returns the errors so far.
    pub fn score(&self) -> Score {
        let n = self.rows.max(1) as f64;
        let mse = self.squares.map(|sum| sum / n);
        if self.classes.is_empty() {
            return Score { mse, error: None, balanced_error: None };
        }
        let shown = || self.classes.iter().filter(|[seen, _]| *seen > 0);
        let shares = shown().map(|[seen, wrong]| *wrong as f64 / *seen as f64);
        let wrong: u64 = self.classes.iter().map(|[_, wrong]| wrong).sum();
        Score {
            mse,
            error: Some(wrong as f64 / n),
            balanced_error: Some(shares.sum::<f64>() / shown().count().max(1) as f64),
        }
    }
}

/// Errors of the best constant on rows that come in parts.
#[derive(Debug, Clone, Default)]
pub struct ConstantTally {
    rows: u64,
    mean: f64,
    /// Sum of squared distances from the mean; `None` for more than two classes.
    spread: Option<f64>,
    classes: Vec<u64>,
}

impl ConstantTally {
    /// Adds all rows of a target.
    pub fn add(&mut self, target: &Target) {
        if self.rows == 0 {
            self.spread = Some(0.0);
        }
        if let Target::Classes { classes, codes } = target {
            self.classes.resize(classes.len(), 0);
            codes.iter().for_each(|&code| self.classes[code as usize] += 1);
        }
        let Ok(scores) = target.scores() else {
            self.rows += target.len() as u64;
            self.spread = None;
            return;
        };
        for y in scores.iter() {
            self.rows += 1;
            let away = y - self.mean;
            self.mean += away / self.rows as f64;
            self.spread = self.spread.map(|spread| spread + away * (y - self.mean));
        }
    }

    /// Returns the errors so far.
    pub fn score(&self) -> Score {
        let n = self.rows.max(1) as f64;
        let mse = self.spread.map(|spread| spread / n);
        let Some(&most) = self.classes.iter().max() else {
            return Score { mse, error: None, balanced_error: None };
        };
        let shown = self.classes.iter().filter(|count| **count > 0).count().max(1) as f64;
        let (error, balanced) = (1.0 - most as f64 / n, 1.0 - 1.0 / shown);
        Score { mse, error: Some(error), balanced_error: Some(balanced) }
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

    #[test]
    fn parts_of_rows_give_the_errors_of_all_to_the_bit() {
        let values: Vec<f64> = (0..50).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let label = |n: u32| Label::Number(f64::from(n));
        let of_classes = |classes: u32| Target::Classes {
            classes: (0..classes).map(label).collect(),
            codes: (0..50).map(|i| i * i % classes).collect(),
        };
        let all: Vec<u32> = (0..50).collect();
        let numbers = Target::Numbers(values.iter().map(|x| x * 3.0 + 1e6).collect());
        for (target, outputs) in [(numbers, 1), (of_classes(2), 1), (of_classes(3), 3)] {
            let scores = |rows: &[u32]| {
                let of = |&row: &u32| (0..outputs).map(move |j| (row * 31 + j * 17) % 23);
                let values = rows.iter().flat_map(of).map(|n| f64::from(n) * 0.1 - 1.0).collect();
                Scores { values, outputs: outputs as usize, estimates: true }
            };
            let part = |rows: &[u32]| match &target {
                Target::Numbers(values) => {
                    Target::Numbers(rows.iter().map(|&r| values[r as usize]).collect())
                }
                Target::Classes { classes, codes } => Target::Classes {
                    classes: classes.clone(),
                    codes: rows.iter().map(|&r| codes[r as usize]).collect(),
                },
            };
            let (mut tally, mut constant) = (Tally::default(), ConstantTally::default());
            for rows in all.chunks(7) {
                let own: Vec<u32> = (0..rows.len() as u32).collect();
                tally.add(&scores(rows), &part(rows), &own);
                constant.add(&part(rows));
            }
            assert_eq!(tally.score(), Score::of(&scores(&all), &target, &all));
            assert_eq!(constant.score(), Score::of_constant(&target));
        }
        // The mean and the mean squared distance from it by hand.
        let constant = Score::of_constant(&Target::Numbers(vec![1.0, 2.0, 6.0]));
        assert!((constant.mse.unwrap() - 14.0 / 3.0).abs() < 1e-14);
    }
}
