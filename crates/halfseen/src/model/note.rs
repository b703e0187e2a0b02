//! Says what a reader of a report must know, and words it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a reader of a report must know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case", deny_unknown_fields)]
pub enum Note {
    /// Estimated slopes scatter so much that hardly anything is learned.
    SlopeVariance {
        /// Root mean square of one draw's estimate of the loss's argument, such as (<w,x> - y) /
        /// width: the scaled residual, and its scatter.
        residual: f64,
        /// What the mean square of a slope's estimate is at that residual; like e^(4 residual^2)
        /// for the error function.
        second_moment: f64,
    },
    /// Rows show nothing at all; what is learned of them is the constant.
    EmptyRows {
        /// How many.
        rows: u64,
    },
    /// Attributes that no training row shows: nothing is learned of them, and their values play no
    /// part.
    NeverObserved {
        /// The first.
        column: String,
        /// How many.
        columns: u64,
    },
    /// Whether an attribute is missing goes with the target: values are then hardly missing at
    /// random, and a model holds only where they go on missing as they did.
    InformativeHoles {
        /// The attribute where it shows most.
        column: String,
        /// The correlation of its being missing with the target, or with the class that it tells
        /// most of.
        correlation: f64,
    },
    /// Reads were asked for and gave no value. They are paid for, and what else was read of their
    /// examples is learned from.
    RefusedReads {
        /// How many.
        reads: u64,
    },
    /// Attributes that showed one value only, or were read once: their weights are 0.
    ConstantAttributes {
        /// The first.
        column: String,
        /// How many.
        columns: u64,
    },
    /// The target was the same in all examples: all weights are 0.
    ConstantTarget,
    /// No two attributes were ever read of one example: of each is known how it goes with the
    /// target, and not how attributes go with each other.
    NoPairs,
    /// Fewer examples than a fit can be judged by.
    FewExamples {
        /// How many.
        examples: u64,
    },
    /// Refinements of a model that ended early, as the likelihood would have fallen or a matrix
    /// lost its definiteness.
    GuardedRefinements {
        /// How many.
        refinements: u64,
    },
    /// Equal costs cannot be spent in parts: the budget was lowered to a multiple of the cost.
    ThreatFloored {
        /// The budget that was asked for.
        asked: f64,
        /// The budget that counts.
        used: f64,
    },
    /// The optimum is w = 0: nothing that is left under this threat tells the target.
    ThreatBeatsSignal {
        /// The budget N.
        threat: f64,
        /// The least budget at which weights are 0; `None` where it was not found.
        from: Option<f64>,
    },
    /// Under the threat the predictor errs on the rows it learned from no less than a constant
    /// does.
    NoBetterThanConstant {
        /// The share of them that the worst deletions turn wrong.
        attacked: f64,
        /// The share of the rarer class.
        constant: f64,
    },
    /// The learner's own test cannot tell its predictions from a constant: the mean of the targets,
    /// or where scores are margins the commonest class.
    NotShownBetter {
        /// Its squared error, or its share of wrong classes, as a share of the constant's.
        ratio: f64,
        /// The standard error of that share; 0 where none is known.
        standard_error: f64,
    },
    /// Answers came late: many queries were open at once.
    LateAnswers {
        /// The largest number of answers to other queries between a query and its own.
        delay: u64,
        /// How many times shorter the steps of so late an answer are.
        shorter: f64,
    },
    /// What a theorem promises of new rows.
    RiskBound {
        /// The theorem.
        theorem: String,
        /// The share of new rows that the worst deletions turn wrong is at most this.
        risk: f64,
        /// But for this probability.
        confidence: f64,
        /// How many settings were tried on the rows, this one included: the bound holds for all of
        /// them at once.
        #[serde(default = "one")]
        tried: u64,
        /// What was taken from the rows, though the theorem wants it fixed before they are seen.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        from_rows: Vec<String>,
    },
    /// What theorems 2 and 3 of paper E promise where attributes turn into noise.
    NoiseBound {
        /// The probability, at most, that noise moves a score by more than the margin.
        failure: f64,
        /// The share of training rows that the worst deletions leave within the margin.
        within: f64,
        /// The share of new rows that the noise turns wrong is at most this, on average over the
        /// noise.
        risk: f64,
        /// But for this probability.
        confidence: f64,
        /// How many settings were tried on the rows, this one included.
        tried: u64,
        /// What was taken from the rows, though the theorem wants it fixed before they are seen.
        from_rows: Vec<String>,
    },
    /// The margin is too small for the promise about noise.
    MarginTooSmall {
        /// The margin that was used.
        margin: f64,
        /// The least that theorem 3 of paper E asks for.
        needed: f64,
    },
    /// Of some training rows no search could prove which deletions are the worst.
    UnprovenDeletions {
        /// How many.
        rows: u64,
    },
    /// The predictor was cut down after the fit: what the report said of the whole one was left
    /// out.
    Truncated {
        /// Attributes that were kept.
        attributes: u64,
        /// Of how many.
        of: u64,
        /// The threat that the whole predictor was prepared for, where all that is left is worth no
        /// more.
        threat: Option<f64>,
    },
    /// Attributes of very different sizes share one box of weights.
    UnevenScales {
        /// The attribute of the largest values.
        largest: String,
        /// The attribute of the smallest.
        smallest: String,
        /// The ratio of their largest absolute values.
        ratio: f64,
    },
}

/// A delay below this is not worth a note.
const LEAST_DELAY: u64 = 10;

impl Note {
    /// What must be said of answers that came as late as this, among so many.
    pub(crate) fn of_delay(delay: u64, examples: u64) -> Option<Note> {
        let shorter = (1.0 + 2.0 * delay as f64).sqrt();
        (delay >= LEAST_DELAY && examples > 0).then_some(Note::LateAnswers { delay, shorter })
    }

    /// Whether it speaks of the predictor that was fitted, and not of the data.
    pub(super) fn is_of_predictor(&self) -> bool {
        matches!(
            self,
            Note::ThreatBeatsSignal { .. }
                | Note::NoBetterThanConstant { .. }
                | Note::NotShownBetter { .. }
                | Note::RiskBound { .. }
                | Note::NoiseBound { .. }
                | Note::MarginTooSmall { .. }
                | Note::UnprovenDeletions { .. }
        )
    }

    /// What must be said of a squared error (or a share of wrong classes), where it is not below
    /// the constant's by two of its standard errors.
    pub fn beside_constant(error: f64, standard_error: Option<f64>, constant: f64) -> Option<Note> {
        let deviation = standard_error.unwrap_or(0.0);
        // Unlike the opposite this takes in a NaN.
        let better = error + 2.0 * deviation < constant;
        let note = || Note::NotShownBetter {
            ratio: error / constant,
            standard_error: deviation / constant,
        };
        (!better && constant > 0.0).then(note)
    }
}

/// The number of settings where a file of an older version says nothing.
fn one() -> u64 {
    1
}

/// Under which conditions a bound on new rows holds.
fn conditions(tried: u64, from_rows: &[String]) -> String {
    let settings = match tried {
        1 => "threat, margin, box and costs".to_owned(),
        _ => format!("the {tried} settings tried, each with its threat, margin, box and costs,"),
    };
    match from_rows {
        [] => format!("if {settings} were chosen before the rows were seen"),
        some => format!(
            "if {settings} were chosen before the rows were seen, which does not hold here for {}: take it as a guide",
            crate::error::list(some)
        ),
    }
}

/// Larger numbers are not told apart from infinity.
const LARGEST_SHOWN: f64 = 1e300;

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::SlopeVariance { residual, second_moment } => write!(
                f,
                "the estimated slopes have a mean square of {}{:.0e} where exact ones have about 1, as one \
                 draw's estimate of the scaled residual has a root mean square of {}: too noisy to learn from; \
                 raise smoothing_width or lower radius",
                if *second_moment < LARGEST_SHOWN { "about " } else { "more than " },
                second_moment.min(LARGEST_SHOWN),
                if *residual < 1e6 { format!("{residual:.1}") } else { format!("{residual:.0e}") },
            ),
            Note::EmptyRows { rows } => {
                write!(f, "rows that show no attribute: {rows}; they tell only how targets are without any")
            }
            Note::NeverObserved { column, columns } => write!(
                f,
                "attributes that no training row shows: {columns} (first: '{}'); nothing is learned of them, and their values play no part",
                crate::error::short(column)
            ),
            Note::InformativeHoles { column, correlation } => write!(
                f,
                "whether '{}' is missing goes with the target (correlation {correlation:.2}): its values are hardly missing at \
                 random, and the model holds only where they go on missing as they did here",
                crate::error::short(column)
            ),
            Note::RefusedReads { reads } => write!(
                f,
                "reads that gave no value: {reads}; they are paid for, and what is learned holds only if being missing does not \
                 depend on the value"
            ),
            Note::ConstantAttributes { column, columns } => write!(
                f,
                "attributes that showed one value only, or were read once: {columns} (first: '{}'); their weights are 0",
                crate::error::short(column)
            ),
            Note::ConstantTarget => f.write_str("the target is the same in all examples: all weights are 0"),
            Note::NoPairs => f.write_str(
                "no two attributes were ever read of one example: of each it is known how it goes with the target, and how attributes \
                 go with each other is not; with a budget of 2 or more it would be",
            ),
            Note::FewExamples { examples } => write!(
                f,
                "there are {examples} examples only: nothing can be held out to judge a fit by; fiml then predicts the mean of the \
                 targets, and weights of other learners may be far off"
            ),
            Note::GuardedRefinements { refinements } => write!(
                f,
                "refinements of the model that ended early, as the likelihood would have fallen or a covariance lost its \
                 definiteness: {refinements}; what had been reached by then was used"
            ),
            Note::ThreatFloored { asked, used } => write!(
                f,
                "all costs are equal, and an attribute vanishes whole or not at all: threat {asked} means {used}"
            ),
            Note::ThreatBeatsSignal { from: Some(0.0), .. } => f.write_str(
                "all weights are 0, and would be with no threat at all: with these parameters the attributes tell too little of the target (a larger c, box_radius or a smaller margin may help)",
            ),
            Note::ThreatBeatsSignal { threat, from } => {
                let from = from.map_or(String::new(), |from| format!(", as every threat from {from} on does"));
                write!(
                    f,
                    "all weights are 0: a threat of {threat} leaves nothing that tells the target{from}; lower threat"
                )
            }
            Note::NoBetterThanConstant { attacked, constant } => write!(
                f,
                "under the threat {:.1} % of the rows it learned from go wrong, and {:.1} % would if it always told the same class: the \
                 threat leaves too little; lower threat, or choose another learner of the robust family",
                100.0 * attacked,
                100.0 * constant
            ),
            Note::NotShownBetter { ratio, standard_error } => write!(
                f,
                "its own test cannot tell it from a constant (the mean of the targets, or the commonest class): its error is {ratio:.3} +- \
                 {standard_error:.3} times the constant's; more examples or more reads of each would help"
            ),
            Note::LateAnswers { delay, shorter } => write!(
                f,
                "answers came up to {delay} other answers late: their steps were made up to {shorter:.1} times shorter, so less is \
                 learned than from answers in time, and its own test is one of the predictors at the time of asking; wait for answers \
                 before asking more, or use fiml, to which delay makes no difference"
            ),
            Note::RiskBound { theorem, risk, .. } if *risk >= 0.5 => write!(
                f,
                "{theorem} of paper E promises nothing here: its bound on the share of new rows that the worst deletions turn wrong is \
                 vacuous (one half or more); more rows, fewer attributes or a larger margin would help"
            ),
            Note::RiskBound { theorem, risk, confidence, tried, from_rows } => write!(
                f,
                "but for a probability of {confidence}, deletions within the threat turn at most {:.1} % of new rows wrong ({theorem} of \
                 paper E; {})",
                100.0 * risk,
                conditions(*tried, from_rows)
            ),
            Note::NoiseBound { failure, within, risk, confidence, tried, from_rows } => {
                write!(
                    f,
                    "noise of mean 0 in [-1, 1] on as many columns as the threat buys moves a score by more than the margin with a \
                     probability of at most {failure:.2e}, and {:.1} % of the training rows are within the margin (theorem 3 of paper E); ",
                    100.0 * within
                )?;
                match *risk >= 0.5 {
                    true => f.write_str("with theorem 2 that promises nothing of new rows, as the bound is one half or more"),
                    false => write!(
                        f,
                        "with theorem 2, but for a probability of {confidence}, the noise turns at most {:.1} % of new rows wrong ({})",
                        100.0 * risk,
                        conditions(*tried, from_rows)
                    ),
                }
            }
            Note::MarginTooSmall { margin, needed } => write!(
                f,
                "a margin of {margin} is too small for the promise about noise, which needs {needed:.4}: raise margin, or leave it at auto"
            ),
            Note::UnprovenDeletions { rows } => write!(
                f,
                "for {rows} training rows the search for the worst whole deletions ended early: the objective is a lower bound, and there is no \
                 certified gap; use smaller whole numbers as values, or deletions = fractional"
            ),
            Note::Truncated { attributes, of, threat } => {
                write!(
                    f,
                    "{attributes} of {of} attributes were kept after the fit: the objective, bounds and error estimates of the whole \
                     predictor do not hold for the truncated one and were left out; evaluate it on new rows"
                )?;
                threat.map_or(Ok(()), |threat| {
                    write!(f, ". The threat of {threat} no longer fits: the attributes that are left are worth no more, and all of them could vanish")
                })
            }
            Note::UnevenScales { largest, smallest, ratio } => write!(
                f,
                "values of '{}' are up to {ratio:.0e} times those of '{}', and one box holds the weights of both: scale each by its largest value (scale max)",
                crate::error::short(largest),
                crate::error::short(smallest)
            ),
        }
    }
}
