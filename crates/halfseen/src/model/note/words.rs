//! Words the notes of a report.

use super::{Note, VACUOUS};
use std::fmt;

/// Larger numbers are shown as more than this.
const LARGEST_SHOWN: f64 = 1e300;

/// Returns the conditions of a bound on new rows.
fn conditions(tried: u64, from_rows: &[String]) -> String {
    let settings = match tried {
        1 => "threat, margin, box and costs".to_owned(),
        _ => format!("the {tried} settings tried, each with its threat, margin, box and costs,"),
    };
    match from_rows {
        [] => format!("if {settings} were chosen before the rows were seen"),
        some => format!(
            "if {settings} were chosen before the rows were seen, which does not hold here for {}; treat it as a guide only",
            crate::error::list(some)
        ),
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::SlopeVariance { residual, second_moment } => write!(
                f,
                "the estimated slopes are too noisy to learn from: their mean square is {}{:.0e} (exact slopes: about 1); \
                 single draws estimate the scaled residual with a root mean square of {}; raise \
                 smoothing_width or lower radius",
                if *second_moment < LARGEST_SHOWN { "about " } else { "more than " },
                second_moment.min(LARGEST_SHOWN),
                if *residual < 1e6 { format!("{residual:.1}") } else { format!("{residual:.0e}") },
            ),
            Note::EmptyRows { rows } => {
                write!(f, "rows without any observed attribute: {rows}; they only affect the intercept")
            }
            Note::NeverObserved { column, columns } => write!(
                f,
                "attributes missing in every training row: {columns} (first: '{}'); they are not learned, and their values are ignored",
                crate::error::short(column)
            ),
            Note::InformativeHoles { column, correlation } => write!(
                f,
                "missingness of '{}' is correlated with the target (correlation {correlation:.2}): its values are probably not \
                 missing at random, and the model is valid only for rows with the same missingness",
                crate::error::short(column)
            ),
            Note::RefusedReads { reads } => write!(
                f,
                "reads that returned no value: {reads}; they are paid for, and the fit is valid only if missingness does not \
                 depend on the value"
            ),
            Note::UnknownTargets { examples } => write!(
                f,
                "examples without a target: {examples}; their reads inform on the attributes alone, and the fit is valid only if \
                 a target's absence does not depend on the target"
            ),
            Note::Pilot { rows, weight: 0.0 } => write!(
                f,
                "pilot: its {rows} rows do not count: held-out examples do not favour them, or are too few to tell"
            ),
            Note::Pilot { rows, weight } => write!(
                f,
                "pilot: {rows} rows count as {} of an example each, as far as held-out examples do not contradict",
                (100.0 * weight).round() / 100.0
            ),
            Note::ConstantAttributes { column, columns } => write!(
                f,
                "attributes with a single distinct value, or read only once: {columns} (first: '{}'); their weights are 0",
                crate::error::short(column)
            ),
            Note::ConstantTarget => f.write_str("the target is the same in all examples: all weights are 0"),
            Note::NoPairs => f.write_str(
                "no example had two attributes read: correlations between attributes could not be estimated, only those with the \
                 target; use a budget of at least 2",
            ),
            Note::FewExamples { examples } => write!(
                f,
                "there are only {examples} examples, too few to hold any out for evaluation; fiml then predicts the mean of the \
                 targets, and weights of other learners may be far off"
            ),
            Note::GuardedRefinements { refinements } => write!(
                f,
                "model refinements that ended early, because the likelihood would have decreased or a covariance was not \
                 positive definite: {refinements}; the last valid result was used"
            ),
            Note::ThreatFloored { asked, used } => write!(
                f,
                "all values are equal, so only multiples of this value can be spent: threat {asked} means {used}"
            ),
            Note::ThreatBeatsSignal { from: Some(0.0), .. } => f.write_str(
                "all weights are 0, and would be without a threat, so the prediction is a constant: the attributes carry too little signal for this learner; \
                 try --scale each --basis hats if the fit was without (in Python scale='each', basis='hats'), or another learner",
            ),
            Note::ThreatBeatsSignal { threat, from } => {
                let from = from.map_or(String::new(), |from| format!(", as under every threat of at least {from}"));
                write!(
                    f,
                    "all weights are 0, so the prediction is a constant: under a threat of {threat} the remaining attributes do not predict the target{from}; lower threat"
                )
            }
            Note::MostFrequentClass { wrong, constant } => write!(
                f,
                "the most frequent class is always predicted, with {:.1} % of the training rows misclassified: models of each class \
                 against the rest misclassify {:.1} %; other parameters (a lower threat, if it prepares for one) or another learner may help",
                100.0 * constant,
                100.0 * wrong
            ),
            Note::NearTies { lower } => write!(
                f,
                "the hinge loss is only {:.1} % below that of equal scores for all classes, so small differences decide; equal scores \
                 are its best where no class has half of the probability; try loss = squared, or a larger c with a smaller tol",
                100.0 * lower
            ),
            Note::NoBetterThanConstant { attacked, constant } => write!(
                f,
                "under the threat {:.1} % of the training rows are misclassified, compared with {:.1} % by a constant class: the \
                 threat leaves too little signal; lower threat, or try --scale each --basis hats if the fit was without (in Python scale='each', basis='hats'), \
                 or another learner of the robust family",
                100.0 * attacked,
                100.0 * constant
            ),
            Note::NotShownBetter { ratio, standard_error, threat: Some(threat) } => write!(
                f,
                "its own test cannot distinguish it from a constant under its threat of {threat}: its error there is \
                 {ratio:.3} +- {standard_error:.3} times the constant's; try a lower threat, more examples, the fit with and without \
                 --scale each --basis hats (in Python scale='each', basis='hats'), or another learner of the robust family"
            ),
            Note::NotShownBetter { ratio, standard_error, threat: None } => write!(
                f,
                "its own test cannot distinguish it from a constant (the mean or the quantile of the targets, or the most frequent class): its error is \
                 {ratio:.3} +- {standard_error:.3} times the constant's; more examples would help, and with a budget more reads of each"
            ),
            Note::LateAnswers { delay, shorter } => write!(
                f,
                "answers were delayed by up to {delay} other answers: steps were up to {shorter:.1} times shorter, so less was learned \
                 than from immediate answers; its own test evaluates the predictors at the time of the queries; wait for answers \
                 before asking more, or use fiml, which delays do not affect"
            ),
            Note::RiskBound { theorem, risk, .. } if *risk >= VACUOUS => write!(
                f,
                "{theorem} of Dekel and Shamir (2008) gives no guarantee here: its bound on the share of new rows misclassified under \
                 the worst deletions is vacuous (one half or more); more rows, fewer attributes or a larger margin would help"
            ),
            Note::RiskBound { theorem, risk, confidence, tried, from_rows } => write!(
                f,
                "except with probability {confidence}, deletions within the threat misclassify at most {:.1} % of new rows ({theorem} of \
                 Dekel and Shamir 2008; {})",
                100.0 * risk,
                conditions(*tried, from_rows)
            ),
            Note::NoiseBound { failure, within, risk, confidence, tried, from_rows } => {
                write!(
                    f,
                    "noise of mean 0 in [-1, 1] on any columns within the threat changes a score by more than the margin with a \
                     probability of at most {failure:.2e}; {:.1} % of the training rows are within the margin (theorem 3 of Dekel \
                     and Shamir 2008)",
                    100.0 * within
                )?;
                match *risk >= VACUOUS {
                    true => Ok(()),
                    false => write!(
                        f,
                        "; by theorem 2, except with probability {confidence}, the noise misclassifies at most {:.1} % of new rows ({})",
                        100.0 * risk,
                        conditions(*tried, from_rows)
                    ),
                }
            }
            Note::MarginTooSmall { margin, needed } => write!(
                f,
                "a margin of {margin} is too small for the bound on noise, which needs {needed:.4}: raise margin, or leave it at auto"
            ),
            Note::UnprovenDeletions { rows } => write!(
                f,
                "for {rows} training rows the search for the worst whole deletions ended early: the objective is a lower bound, and there is no \
                 certified gap; use smaller integers as values, or deletions = fractional"
            ),
            Note::Truncated { attributes, of, threat } => {
                write!(
                    f,
                    "{attributes} of {of} attributes were kept after the fit: the objective, bounds and error estimates of the whole \
                     predictor do not hold for the truncated one and were removed; evaluate it on new rows"
                )?;
                threat.map_or(Ok(()), |threat| {
                    write!(f, ". The threat of {threat} no longer applies: it could delete all of the remaining attributes")
                })
            }
            Note::EdgeOfGrid { parameter, value, other_end, tried, beyond, largest } => {
                let (end, more) = if *largest { ("largest", "larger") } else { ("smallest", "smaller") };
                write!(
                    f,
                    "the best {parameter}, {value}, is the {end} of the {tried} that tuning tried (the other end is {other_end}), so a {more} one may be \
                     better. Fit again with --set {parameter}={beyond}, which tunes the rest (in Python {parameter}={beyond}), and compare both models \
                     on rows that neither has seen"
                )
            }
            Note::UnevenScales { largest, smallest, ratio } => write!(
                f,
                "values of '{}' are up to {ratio:.0e} times those of '{}', but one box bounds the weights of both: scale each by its largest value (scale max)",
                crate::error::short(largest),
                crate::error::short(smallest)
            ),
        }
    }
}
