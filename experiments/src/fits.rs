//! Fits learners and scores what they predict: what the ways to run an experiment share.

use crate::problem::{Problem, options};
use anyhow::{Context as _, Result};
use halfseen::Silent;
use halfseen::data::Target;
use halfseen::learner::{Assignments, Learner};
use halfseen::model::{Fit, Predictor, Scores};
use halfseen::prepare::Prepared;
use halfseen::select::Score;

/// The classes by which splits keep their proportions; numbers have none.
pub(crate) fn strata(target: &Target) -> Option<&[u32]> {
    match target {
        Target::Classes { codes, .. } => Some(codes),
        Target::Numbers(_) => None,
    }
}

/// The learner with a seed, where it has one.
pub(crate) fn seeded(learner: &dyn Learner, word: u64) -> Result<Box<dyn Learner>> {
    let mut learner = learner.clone_box();
    if learner.needs().seeded {
        learner.set("seed", &(word >> 1).to_string())?;
    }
    Ok(learner)
}

/// What a tuned setting is chosen by: the share told wrongly, or the mean squared error of numbers;
/// infinite where there is neither.
pub(crate) fn loss(score: &Score) -> f64 {
    score.error.or(score.mse).filter(|error| !error.is_nan()).unwrap_or(f64::INFINITY)
}

/// How scores of some rows, in the units of learning, do against their targets.
pub(crate) fn scored(
    prepared: &Prepared<'_>,
    scores: Scores,
    target: &Target,
    rows: &[u32],
) -> Score {
    Score::of(&scores.map(|score| prepared.prepare.target.undo(score)), target, rows)
}

/// The losses of several predictors on some rows.
pub(crate) fn losses(
    prepared: &Prepared<'_>,
    predictors: &[&Predictor],
    target: &Target,
    rows: &[u32],
) -> Result<Vec<f64>> {
    let scores = Predictor::scores_of(predictors, &prepared.examples_of(rows))?;
    Ok(scores.into_iter().map(|scores| loss(&scored(prepared, scores, target, rows))).collect())
}

/// The setting of least error; the first of equals.
pub(crate) fn least(settings: &[Assignments], errors: &[f64]) -> Result<Assignments> {
    let least = (0..errors.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b]));
    least.and_then(|at| settings.get(at).cloned()).context("no setting to choose from")
}

/// Learns from some rows and scores others.
pub(crate) fn fit_and_score(
    problem: &Problem,
    learner: &dyn Learner,
    train: &[u32],
    test: &[u32],
) -> Result<(Fit, Score)> {
    let Problem { table, target_name, target, .. } = problem;
    let prepared = Prepared::new(table, (target_name, target), train, &options(problem, learner))?;
    let fit = learner.fit(&prepared.examples(), &Silent)?;
    let scores = fit.predictor.scores(&prepared.examples_of(test))?;
    let score = scored(&prepared, scores, target, test);
    Ok((fit, score))
}
