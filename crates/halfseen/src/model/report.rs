//! Tells how a fit went: why it stopped, what it read, what is certified.

use crate::prepare::Layout;
use crate::robust::Threat;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a fit stopped. Stopping early never looks like success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// One pass over the examples, as the method is defined.
    OnePass,
    /// Several passes over the examples, as many as were asked for.
    Passes,
    /// Chunks of the examples were solved to the tolerance, and their predictors averaged.
    Chunks,
    /// The total budget left too few reads for another example.
    BudgetSpent,
    /// The closed form was evaluated.
    ClosedForm,
    /// The certified gap fell below the tolerance.
    Tolerance,
    /// A stationary point was reached of a problem that need not be convex: nothing says how far it is from the
    /// optimum.
    Stationary,
    /// The iterations ran out first.
    IterationLimit,
    /// The monitor asked to stop; this is the best point so far.
    Interrupted,
    /// More examples may still be told.
    Open,
}

impl Stop {
    /// Whether the method did all that it promises.
    pub fn converged(self) -> bool {
        matches!(
            self,
            Stop::OnePass
                | Stop::Passes
                | Stop::Chunks
                | Stop::BudgetSpent
                | Stop::ClosedForm
                | Stop::Tolerance
                | Stop::Stationary
                | Stop::Open
        )
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::OnePass => "one pass over the examples was finished",
            Stop::Passes => "all passes over the examples were finished",
            Stop::Chunks => "every chunk of the examples was solved to the tolerance, and the weights were averaged",
            Stop::BudgetSpent => "the total budget left too few reads for another example",
            Stop::ClosedForm => "the closed form was evaluated",
            Stop::Tolerance => "the certified gap fell below the tolerance",
            Stop::Stationary => "a stationary point was reached, which need not be the optimum",
            Stop::IterationLimit => {
                "the iterations ran out before the gap fell below the tolerance; raise max_iter or tol"
            }
            Stop::Interrupted => "it was interrupted; this is the best point so far",
            Stop::Open => "more examples may still be told",
        })
    }
}

/// A value that was read outside its declared bounds, in raw units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outside {
    /// The row of the table, from 1.
    pub row: u64,
    /// The attribute.
    pub column: String,
    /// The value.
    pub value: f64,
    /// The least value declared.
    pub low: f64,
    /// The largest value declared.
    pub high: f64,
}

/// On what the budget is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BudgetKind {
    /// On every example.
    Each,
    /// On average over the learner's draws, and nearly: the reads of one example are a random number, whose mean is at most the
    /// budget and 1.06 more (`aesvr`); see [`Report::mean_reads`] for what it was.
    Expected,
}

/// What a reader of a report must know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case", deny_unknown_fields)]
pub enum Note {
    /// Estimated slopes scatter so much that hardly anything is learned.
    SlopeVariance {
        /// Root mean square of one draw's estimate of the loss's argument, such as (<w,x> - y) / width: the
        /// scaled residual, and its scatter.
        residual: f64,
        /// What the mean square of a slope's estimate is at that residual; like e^(4 residual^2) for the error function.
        second_moment: f64,
    },
    /// Rows show nothing at all; what is learned of them is the constant.
    EmptyRows {
        /// How many.
        rows: u64,
    },
    /// Attributes that no training row shows: nothing is learned of them, and their values play no part.
    NeverObserved {
        /// The first.
        column: String,
        /// How many.
        columns: u64,
    },
    /// Whether an attribute is missing goes with the target: values are then hardly missing at random, and a model holds only
    /// where they go on missing as they did.
    InformativeHoles {
        /// The attribute where it shows most.
        column: String,
        /// The correlation of its being missing with the target, or with the class that it tells most of.
        correlation: f64,
    },
    /// Reads were asked for and gave no value. They are paid for, and what else was read of their examples is learned from.
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
    /// No two attributes were ever read of one example: of each is known how it goes with the target, and not how attributes go
    /// with each other.
    NoPairs,
    /// Fewer examples than a fit can be judged by.
    FewExamples {
        /// How many.
        examples: u64,
    },
    /// Refinements of a model that ended early, as the likelihood would have fallen or a matrix lost its definiteness.
    GuardedRefinements {
        /// How many.
        refinements: u64,
    },
    /// Equal values cannot be spent in parts: the budget was lowered to a multiple of the value.
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
    /// Under the threat the predictor errs on the rows it learned from no less than a constant does.
    NoBetterThanConstant {
        /// The share of them that the worst deletions turn wrong.
        attacked: f64,
        /// The share of the rarer class.
        constant: f64,
    },
    /// The learner's own test cannot tell its predictions from a constant.
    NotShownBetter {
        /// Its squared error, as a share of the constant's.
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
    },
    /// The margin is too small for the promise about noise.
    MarginTooSmall {
        /// The margin that was used.
        margin: f64,
        /// The least that theorem 3 of paper E asks for.
        needed: f64,
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

    /// What must be said of a squared error with its standard error, where it is not below the constant's by two of them.
    pub fn beside_constant(error: f64, standard_error: Option<f64>, constant: f64) -> Option<Note> {
        let deviation = standard_error.unwrap_or(0.0);
        // Unlike the opposite this takes in a NaN.
        let better = error + 2.0 * deviation < constant;
        let note = || Note::NotShownBetter { ratio: error / constant, standard_error: deviation / constant };
        (!better && constant > 0.0).then(note)
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
                "there are {examples} examples only: nothing can be held out to judge a fit by, and weights may be far off"
            ),
            Note::GuardedRefinements { refinements } => write!(
                f,
                "refinements of the model that ended early, as the likelihood would have fallen or a covariance lost its \
                 definiteness: {refinements}; what had been reached by then was used"
            ),
            Note::ThreatFloored { asked, used } => write!(
                f,
                "all values are equal, and an attribute vanishes whole or not at all: threat {asked} means {used}"
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
                 threat leaves too little; lower threat, or try fdrop",
                100.0 * attacked,
                100.0 * constant
            ),
            Note::NotShownBetter { ratio, standard_error } => write!(
                f,
                "its own test cannot tell it from always predicting the mean of the targets: its squared error is {ratio:.3} +- \
                 {standard_error:.3} times that one's; more examples or more reads of each would help"
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
            Note::RiskBound { theorem, risk, confidence } => write!(
                f,
                "but for a probability of {confidence}, deletions within the threat turn at most {:.1} % of new rows wrong ({theorem} of \
                 paper E, if threat, margin and box were chosen before the rows were seen)",
                100.0 * risk
            ),
            Note::MarginTooSmall { margin, needed } => write!(
                f,
                "a margin of {margin} is too small for the promise about noise, which needs {needed:.4}: raise margin, or leave it at auto"
            ),
            Note::UnevenScales { largest, smallest, ratio } => write!(
                f,
                "values of '{}' are up to {ratio:.0e} times those of '{}', and one box holds the weights of both: scale each by its largest value (scale max)",
                crate::error::short(largest),
                crate::error::short(smallest)
            ),
        }
    }
}

/// How a fit went. No key may be absent from a file: what is not there is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The learner's name.
    pub learner: String,
    /// Why it stopped.
    pub stop: Stop,
    /// [`Stop::converged`].
    pub converged: bool,
    /// The objective reached, in scaled units, where there is one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub objective: Option<f64>,
    /// A certified bound on objective minus optimum, where there is one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub gap: Option<f64>,
    /// Examples learned from.
    pub examples: u64,
    /// Examples skipped because a requested read was refused, or nothing was observed that teaches anything. Estimates stay unbiased only if a
    /// refusal does not depend on the value refused.
    pub skipped: u64,
    /// Reads with multiplicity, as the papers count them; what happened to be observed, at no cost, where a learner is passive.
    pub reads: u64,
    /// Distinct (example, panel) cells read: what is paid for.
    pub distinct: u64,
    /// How often each panel that can be read was, in the order of the layout: they sum to `distinct`. Empty where every
    /// cell is read, and in files older than these counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panel_reads: Vec<u64>,
    /// The sum of the prices of the distinct reads: their number where no prices were declared. (A file
    /// without it is older than prices.)
    #[serde(default = "unpriced")]
    pub spent: f64,
    /// Reads of the total budget that were left, where there is one.
    #[serde(default)]
    pub unused: Option<u64>,
    /// Values read that lie outside the declared bounds of their attributes. The learner goes on, but the
    /// theorems' excess errors assume that there are none.
    #[serde(default)]
    pub outside_bounds: u64,
    /// The first of them.
    #[serde(default)]
    pub first_outside: Option<Outside>,
    /// Whether the budget was kept on each example, or only nearly, on average.
    pub budget_kind: BudgetKind,
    /// The largest number of reads of one example.
    pub max_reads: u64,
    /// The longest wait between a query and its answer, in answers to other queries. The theorems cover 0.
    pub largest_delay: u64,
    /// Estimated mean squared error of the averaged iterates, in scaled units, from the reads that were made anyway
    /// (progressive validation): unbiased, and by convexity no less than the model's own in expectation. The iterates are those of
    /// when the queries were asked: where answers come late ([`Note::LateAnswers`]), those of long before.
    #[serde(deserialize_with = "Option::deserialize")]
    pub risk: Option<f64>,
    /// Its standard error.
    #[serde(deserialize_with = "Option::deserialize")]
    pub risk_error: Option<f64>,
    /// What a reader must know besides.
    pub notes: Vec<Note>,
    /// Passes or iterations of the solver, where it has such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
    /// Rows that the predictor compares with: those whose coefficient is not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<u64>,
    /// Mean squared error, in scaled units, of each row's prediction from all the others, where it comes for free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave_one_out: Option<f64>,
    /// What the predictor is prepared for, where a learner prepares for attributes that vanish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threat: Option<Threat>,
    /// Seconds of the fit.
    pub seconds: f64,
}

/// No number: [`Model`](super::Model) replaces it by the number of distinct reads.
fn unpriced() -> f64 {
    f64::NAN
}

impl Report {
    /// Mean number of reads of one example, those skipped included; 0 before the first.
    pub fn mean_reads(&self) -> f64 {
        self.reads as f64 / (self.examples + self.skipped).max(1) as f64
    }

    /// A report of a learner that reads every cell of `examples` rows with `panels` panels.
    pub fn full(learner: &str, stop: Stop, examples: usize, panels: usize) -> Report {
        let (m, d) = (examples as u64, panels as u64);
        Report {
            learner: learner.to_owned(),
            stop,
            converged: stop.converged(),
            objective: None,
            gap: None,
            examples: m,
            skipped: 0,
            reads: m * d,
            distinct: m * d,
            panel_reads: Vec::new(),
            spent: (m * d) as f64,
            unused: None,
            outside_bounds: 0,
            first_outside: None,
            budget_kind: BudgetKind::Each,
            max_reads: d,
            largest_delay: 0,
            risk: None,
            risk_error: None,
            notes: Vec::new(),
            passes: None,
            support: None,
            leave_one_out: None,
            threat: None,
            seconds: 0.0,
        }
    }

    /// The same report, of a learner that pays the prices of every panel for each example.
    pub fn paid(mut self, layout: &Layout) -> Report {
        self.spent = self.examples as f64 * layout.full_price();
        self
    }
}
