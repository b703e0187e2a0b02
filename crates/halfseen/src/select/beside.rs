//! Measures the references of a comparison: the best constant, and one adversary for all learners.

use super::row::{ComparisonRow, CurvePoint};
use super::score::Score;
use crate::data::{Examples, Target, Threat};
use crate::error::Result;
use crate::model::{Fit, Scores, Stop};
use crate::prepare::Prepared;
use crate::robust::{Attack, attack};
use halfseen_solve::sampling::Split;

/// Name of the row of the constant predictor: the training mean, or the most frequent class.
pub const CONSTANT: &str = "constant";

/// Attack on the test rows of all learners alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttackPlan {
    /// Number of attributes to delete; each has cost 1.
    pub threat: f64,
    /// Kind of adversary, who knows the predictor.
    pub attack: Attack,
}

impl AttackPlan {
    /// Returns the errors of a fit on attacked test rows; `None` if its model is not additive, so
    /// that no attack is known.
    ///
    /// # Errors
    /// A threat of at least all attributes.
    pub(super) fn score(
        &self,
        fit: &Fit,
        prepared: &Prepared<'_>,
        tests: &Examples<'_>,
        (target, seed): (&Target, u64),
    ) -> Result<Option<Score>> {
        let threat = Threat::uniform(prepared.layout.sampled_panels(), self.threat)?;
        if fit.predictor.additive().is_err() {
            return Ok(None);
        }
        let scores = attack(&fit.predictor, tests, &threat, self.attack, seed)?.scores;
        Ok(Some(Score::of(
            &scores.map(|score| prepared.prepare.target.undo(score)),
            target,
            &tests.rows,
        )))
    }
}

/// Returns the row and the curve point of the constant on one split. No attribute is deleted from
/// it.
pub(super) fn constant(
    (trained, tested): (&Target, &Target),
    number: usize,
    split: &Split,
    (attacked, priced): (bool, bool),
) -> (ComparisonRow, CurvePoint) {
    let scores = predictions(trained, &split.train, split.test.len());
    let score = Score::of(&scores, tested, &split.test);
    let under_attack = Some(score).filter(|_| attacked);
    let examples = split.train.len() as u64;
    let row = ComparisonRow {
        learner: CONSTANT,
        split: number,
        budget: 0,
        examples,
        reads: 0,
        distinct: 0,
        spent: priced.then_some(0.0),
        outside_bounds: None,
        first_outside: None,
        unused: None,
        tuning_reads: 0,
        tuned: false,
        imputed: 0,
        vanished: 0,
        test_mse: score.mse,
        test_error: score.error,
        attacked_mse: under_attack.and_then(|score| score.mse),
        attacked_error: under_attack.and_then(|score| score.error),
        seconds: 0.0,
        converged: true,
        stop: Stop::ClosedForm,
        params: serde_json::Map::new(),
        notes: Vec::new(),
    };
    let point = CurvePoint {
        learner: CONSTANT,
        split: number,
        examples,
        distinct: 0,
        spent: priced.then_some(0.0),
        test_mse: score.mse,
        test_error: score.error,
        risk: None,
        risk_error: None,
    };
    (row, point)
}

/// Repeats the mean of the training targets or signs, or the most frequent of more than two classes
/// (the first of equals), `count` times.
fn predictions(target: &Target, train: &[u32], count: usize) -> Scores {
    match target.scores() {
        Ok(values) => {
            let mean =
                train.iter().map(|&r| values[r as usize]).sum::<f64>() / train.len().max(1) as f64;
            Scores::estimates(vec![mean; count])
        }
        Err(_) => {
            let mut shares = vec![0.0; target.classes().len()];
            if let Target::Classes { codes, .. } = target {
                train.iter().for_each(|&r| shares[codes[r as usize] as usize] += 1.0);
            }
            Scores { outputs: shares.len(), values: shares.repeat(count), estimates: true }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Label;

    #[test]
    fn a_constant_knows_the_training_rows_alone() {
        let split = Split { train: vec![0, 1, 2], test: vec![3, 4] };
        let numbers = Target::Numbers(vec![1.0, 2.0, 6.0, 3.0, 5.0]);
        let (row, point) = constant((&numbers, &numbers), 7, &split, (false, false));
        assert_eq!((row.test_mse, row.test_error, row.attacked_mse), (Some(2.0), None, None));
        assert_eq!(
            (point.test_mse, point.examples, point.split, point.distinct),
            (Some(2.0), 3, 7, 0)
        );
        let classes = |n: u32, codes: Vec<u32>| Target::Classes {
            classes: (0..n).map(|c| Label::Number(f64::from(c))).collect(),
            codes,
        };
        let two = classes(2, vec![1, 0, 1, 0, 1]);
        let (row, _) = constant((&two, &two), 0, &split, (true, true));
        let square = ((1.0 + 1.0 / 3.0_f64).powi(2) + (1.0 - 1.0 / 3.0_f64).powi(2)) / 2.0;
        assert!((row.test_mse.unwrap() - square).abs() < 1e-15);
        assert_eq!(
            (row.test_error, row.attacked_error, row.spent),
            (Some(0.5), Some(0.5), Some(0.0))
        );
        let three = classes(3, vec![2, 2, 0, 1, 2]);
        let (row, _) = constant((&three, &three), 0, &split, (false, false));
        assert_eq!((row.test_mse, row.test_error), (None, Some(0.5)));
    }
}
