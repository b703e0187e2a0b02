//! Words the notes of a report.

use super::{Note, VACUOUS};
use std::fmt;

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
            Note::Remark { text, .. } => f.write_str(text),
            Note::EmptyRows { rows } => {
                write!(f, "rows without any observed attribute: {rows}; they only affect the intercept")
            }
            Note::RefusedReads { reads } => write!(
                f,
                "reads that returned no value: {reads}; they are paid for, and the fit is valid only if missingness does not \
                 depend on the value"
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
            Note::ConstantTarget => f.write_str("the target is the same in all examples: all weights are 0"),
            Note::FewExamples { examples } => write!(
                f,
                "there are only {examples} examples, too few to hold any out for evaluation; fiml then predicts the mean of the \
                 targets, and weights of other learners may be far off"
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
        }
    }
}
