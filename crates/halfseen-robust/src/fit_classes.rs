//! Fits robust learners to more than two classes, and tests them under their threat.

use super::attack::{Attack, attack};
use super::values::information;
use halfseen_core::data::Examples;
use halfseen_core::error::Result;
use halfseen_core::learner::one_against_rest::{constant_error, each_class, share};
use halfseen_core::model::{Fit, Note};
use halfseen_core::params::{AttributeCosts, Damage};

/// Returns the costs to use for every class: information about the class is the same for all.
///
/// # Errors
/// As [`information`].
pub fn costs_of_classes(costs: &AttributeCosts, examples: &Examples<'_>) -> Result<AttributeCosts> {
    Ok(match costs {
        AttributeCosts::Information if examples.classes() > 2 => {
            AttributeCosts::Numbers(information(examples)?)
        }
        other => other.clone(),
    })
}

/// Fits by a function for two classes, of more each against the rest; `damage` is that of each
/// setting. Notes if deletions leave several classes no better than the most frequent one.
///
/// # Errors
/// Those of `fit`; as [`attack`].
pub fn fit_classes(
    examples: &Examples<'_>,
    damage: &[Damage],
    fit: impl FnMut(&Examples<'_>) -> Result<Vec<Fit>>,
) -> Result<Vec<Fit>> {
    let mut fits = each_class(examples, fit)?;
    if examples.classes() <= 2 {
        return Ok(fits);
    }
    let constant = constant_error(examples);
    for (fit, damage) in fits.iter_mut().zip(damage) {
        let silent = |note: &Note| matches!(note, Note::MostFrequentClass { .. });
        let Some(threat) = fit.report.threat.as_ref().filter(|t| t.effective() > 0.0) else {
            continue;
        };
        if *damage != Damage::Deletion || fit.report.notes.iter().any(silent) {
            continue;
        }
        let attacked = share(examples, |part| {
            let scores = attack(&fit.predictor, part, threat, Attack::Exact, 0)?.scores;
            let missed = |row| part.code(row) != Some(scores.class(row) as u32);
            Ok((0..part.len()).map(missed).collect())
        })?;
        if attacked >= constant && constant > 0.0 {
            fit.report.notes.push(Note::NoBetterThanConstant { attacked, constant });
        }
    }
    Ok(fits)
}
