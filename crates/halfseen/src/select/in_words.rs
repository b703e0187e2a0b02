//! Says in words what errors come to beside those of a constant.

use super::beside::CONSTANT;
use super::compare::{Comparison, Summary};
use super::score::Score;
use super::statistics::Statistics;
use crate::error::significant;

impl Score {
    /// Returns what the error comes to beside that of the best constant for the same rows, which
    /// is [`Score::of_constant`].
    pub fn in_words(&self, constant: &Score) -> String {
        match (self.error, constant.error, self.mse, constant.mse) {
            (Some(error), Some(other), ..) => {
                let better = match error < other {
                    true => "",
                    false => " So the model is no better than that.",
                };
                format!(
                    "{} of the rows are predicted wrong. Always predicting the most frequent class would be wrong for {}.{better}",
                    wrong(error),
                    wrong(other)
                )
            }
            (None, _, Some(error), Some(other)) if other > 0.0 && error < other => format!(
                "The model explains {} of the variance. Its typical error is {}; that of predicting the mean is {}.",
                explained(error, other),
                significant(error.sqrt()),
                significant(other.sqrt())
            ),
            (None, _, Some(_), Some(other)) if other > 0.0 => {
                "The model is no better than predicting the mean.".to_owned()
            }
            _ => "These rows do not vary, so nothing can be explained.".to_owned(),
        }
    }
}

/// Error by which learners are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Judged {
    /// True for the share of wrong rows, false for the squared error.
    wrong: bool,
    attacked: bool,
}

impl Judged {
    fn of(self, summary: &Summary) -> Option<f64> {
        let figure: Option<Statistics> = match (self.attacked, self.wrong) {
            (true, true) => summary.attacked_error,
            (true, false) => summary.attacked_mse,
            (false, true) => summary.test_error,
            (false, false) => summary.test_mse,
        };
        figure.map(|figure| figure.mean)
    }
}

impl Comparison {
    /// Returns the learner with the least mean error on test rows: of classes the share of wrong
    /// rows, of numbers the squared error; under attack if there was one. `None` if there is none.
    pub fn best(&self) -> Option<&'static str> {
        self.least(self.learned()).map(|(name, _)| name)
    }

    /// Returns the learners whose mean error is not below that of the constant.
    pub fn no_better_than_constant(&self) -> Vec<&'static str> {
        let Some(constant) = self.constant() else { return Vec::new() };
        let errors = self.learned().filter_map(|of| Some((of.learner, self.judged().of(of)?)));
        errors.filter(|(_, error)| *error >= constant).map(|(name, _)| name).collect()
    }

    /// Returns what the best learner comes to, beside one that reads less and a constant. It is
    /// empty if no learner has an error.
    pub fn in_words(&self) -> String {
        let judged = self.judged();
        let Some((best, least)) = self.least(self.learned()) else { return String::new() };
        let under = if judged.attacked { " under attack" } else { "" };
        let constant = self.constant();
        if constant.is_some_and(|constant| least >= constant) {
            let guess = if judged.wrong { "the most frequent class" } else { "the mean" };
            return format!("No learner is better than predicting {guess}{under}.");
        }
        let share = |error: f64| match constant.filter(|_| !judged.wrong) {
            Some(constant) => explained(error, constant),
            None if judged.wrong => wrong(error),
            None => significant(error),
        };
        let figure = share(least);
        let text = match (judged.wrong, constant) {
            (true, Some(constant)) => format!(
                "{best} gets {figure} of the test rows wrong{under}; the most frequent class would be wrong for {}.",
                wrong(constant)
            ),
            (true, None) => format!("{best} gets {figure} of the test rows wrong{under}."),
            (false, Some(_)) => {
                format!(
                    "{best} explains {figure} of the variance of the test rows' targets{under}."
                )
            }
            (false, None) => format!("{best} has the least squared error{under}: {figure}."),
        };
        // Of learners that read less than the best, the best one.
        let most = self.reads_per_row(best);
        let fewer = self.learned().filter(|of| self.reads_per_row(of.learner) < 0.9 * most);
        let beside = self.least(fewer).map_or(String::new(), |(name, error)| {
            let what = match constant.is_some_and(|constant| error >= constant) {
                true => "is no better than the constant".to_owned(),
                false => share(error),
            };
            let (reads, most) = (significant(self.reads_per_row(name)), significant(most));
            format!(" {name}, which reads {reads} instead of {most} attributes per row, {what}.")
        });
        text + &beside
    }

    /// Returns the mean number of attributes that a learner reads of a training row.
    pub fn reads_per_row(&self, learner: &str) -> f64 {
        let rows = || self.rows.iter().filter(|row| row.learner == learner);
        let examples: u64 = rows().map(|row| row.examples).sum();
        rows().map(|row| row.reads).sum::<u64>() as f64 / examples.max(1) as f64
    }

    fn judged(&self) -> Judged {
        Judged {
            wrong: self.summary.iter().any(|of| of.test_error.is_some()),
            attacked: self
                .learned()
                .any(|of| of.attacked_error.is_some() || of.attacked_mse.is_some()),
        }
    }

    fn learned(&self) -> impl Iterator<Item = &Summary> {
        self.summary.iter().filter(|of| of.learner != CONSTANT)
    }

    fn constant(&self) -> Option<f64> {
        self.summary.iter().find(|of| of.learner == CONSTANT).and_then(|of| self.judged().of(of))
    }

    /// Returns the first with the least error, and the error.
    fn least<'a>(&self, of: impl Iterator<Item = &'a Summary>) -> Option<(&'static str, f64)> {
        let errors = of.filter_map(|of| Some((of.learner, self.judged().of(of)?)));
        errors.min_by(|(_, one), (_, other)| one.total_cmp(other))
    }
}

/// Returns a share of wrong rows.
fn wrong(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Returns the share of the variance that an error leaves explained.
fn explained(error: f64, constant: f64) -> String {
    format!("{:.0} %", 100.0 * (1.0 - error / constant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Label, Target};

    fn summary(learner: &'static str, mse: Option<f64>, error: Option<f64>) -> Summary {
        let figure = |value: Option<f64>| value.and_then(|value| Statistics::of(vec![value]));
        Summary {
            learner,
            budget: 0,
            test_mse: figure(mse),
            test_error: figure(error),
            attacked_mse: None,
            attacked_error: None,
            reads: None,
            distinct: None,
            spent: None,
            seconds: None,
        }
    }

    fn comparison(summary: Vec<Summary>) -> Comparison {
        Comparison { rows: Vec::new(), summary, curve: Vec::new() }
    }

    #[test]
    fn numbers_are_explained_and_classes_are_wrong() {
        let numbers = [("ridge", 1.0), ("aerr", 3.0), ("zero", 9.0), (CONSTANT, 4.0)];
        let result = comparison(numbers.map(|(name, mse)| summary(name, Some(mse), None)).into());
        assert_eq!(result.best(), Some("ridge"));
        assert_eq!(result.no_better_than_constant(), ["zero"]);
        let text = "ridge explains 75 % of the variance of the test rows' targets.";
        assert_eq!(result.in_words(), text);
        let classes = [("svm", Some(2.0), 0.25), ("mean", Some(0.1), 0.125), (CONSTANT, None, 0.4)];
        let result = comparison(classes.map(|(name, mse, e)| summary(name, mse, Some(e))).into());
        let text = "mean gets 12.5 % of the test rows wrong; the most frequent class would be wrong for 40.0 %.";
        assert_eq!(result.in_words(), text);
        let bad =
            comparison(vec![summary("svm", None, Some(0.5)), summary(CONSTANT, None, Some(0.5))]);
        assert_eq!(bad.in_words(), "No learner is better than predicting the most frequent class.");
        assert_eq!(comparison(vec![]).in_words(), "");
        assert_eq!(comparison(vec![]).best(), None);
    }

    #[test]
    fn attacked_errors_decide_if_there_are_any() {
        let mut result = comparison(vec![
            summary("svm", None, Some(0.1)),
            summary("robust-lp", None, Some(0.2)),
            summary(CONSTANT, None, Some(0.5)),
        ]);
        let under = [0.6, 0.25, 0.5].map(|error| Statistics::of(vec![error]));
        result.summary.iter_mut().zip(under).for_each(|(of, error)| of.attacked_error = error);
        assert_eq!(result.best(), Some("robust-lp"));
        assert_eq!(result.no_better_than_constant(), ["svm"]);
        assert!(result.in_words().contains("25.0 % of the test rows wrong under attack; the most"));
    }

    #[test]
    fn a_score_stands_beside_the_constants() {
        let numbers = Score::of_constant(&Target::Numbers(vec![0.0, 4.0]));
        assert_eq!((numbers.mse, numbers.error), (Some(4.0), None));
        let score = |mse, error| Score { mse, error, balanced_error: error };
        assert_eq!(
            score(Some(1.0), None).in_words(&numbers),
            "The model explains 75 % of the variance. Its typical error is 1; that of predicting the mean is 2."
        );
        assert!(score(Some(5.0), None).in_words(&numbers).contains("no better than predicting"));
        let same = Score::of_constant(&Target::Numbers(vec![3.0, 3.0]));
        assert!(score(Some(0.0), None).in_words(&same).contains("do not vary"));
        let classes = ["a", "b", "c"].map(|name| Label::Text(name.into())).to_vec();
        let three = Target::Classes { classes: classes.clone(), codes: vec![0, 0, 0, 1] };
        let constant = Score::of_constant(&three);
        assert_eq!(
            (constant.mse, constant.error, constant.balanced_error),
            (None, Some(0.25), Some(0.5))
        );
        assert_eq!(
            score(None, Some(0.125)).in_words(&constant),
            "12.5 % of the rows are predicted wrong. Always predicting the most frequent class would be wrong for 25.0 %."
        );
        assert!(score(None, Some(0.25)).in_words(&constant).ends_with("no better than that."));
        let two = Target::Classes { classes: classes[..2].to_vec(), codes: vec![0, 0, 0, 1] };
        assert_eq!(Score::of_constant(&two).mse, Some(0.75));
    }
}
