//! Defines the notes of a report.

mod words;

use serde::{Deserialize, Serialize};

/// Note for the reader of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case", deny_unknown_fields)]
pub enum Note {
    /// Remark on which no code depends.
    Remark {
        /// Subject, such as `no-pairs`.
        about: String,
        /// Finding, with its meaning and what to do.
        text: String,
        /// True if it is about the fitted predictor and not about the data.
        of_predictor: bool,
    },
    /// Rows without any observed attribute inform the intercept only.
    EmptyRows {
        /// Number of rows.
        rows: u64,
    },
    /// Models of each of more than two classes against the rest have more errors together than the
    /// most frequent class, or as many, which is predicted instead.
    MostFrequentClass {
        /// Share of training rows that the models misclassified.
        wrong: f64,
        /// Share of training rows of other classes.
        constant: f64,
    },
    /// Requested reads returned no value. They are paid for, and the other reads of these examples
    /// are used.
    RefusedReads {
        /// Number of reads.
        reads: u64,
    },
    /// Rows of a pilot, and what each of them counts beside an example: 0 if held-out reads
    /// contradict it.
    Pilot {
        /// Number of rows.
        rows: u64,
        /// Weight of each of them, from 0 to 1; of more than two classes the mean.
        weight: f64,
    },
    /// The target was the same in all examples, so all weights are 0.
    ConstantTarget,
    /// Too few examples to evaluate a fit.
    FewExamples {
        /// Number of examples.
        examples: u64,
    },
    /// The optimum is w = 0: the attributes that survive this threat do not predict the target.
    ThreatBeatsSignal {
        /// Budget N.
        threat: f64,
        /// Least budget with zero weights; `None` if it was not found.
        from: Option<f64>,
    },
    /// Under the threat the predictor has no fewer errors on training rows than a constant.
    NoBetterThanConstant {
        /// Share of these rows misclassified under the worst deletions.
        attacked: f64,
        /// Share of the rarer class.
        constant: f64,
    },
    /// The learner's own test cannot distinguish its predictions from a constant: the mean of the
    /// targets, or the most frequent class if scores are margins.
    NotShownBetter {
        /// Squared error, or misclassified share, relative to that of the constant.
        ratio: f64,
        /// Standard error of the ratio; 0 if unknown.
        standard_error: f64,
        /// Budget of the threat under which the rows of the test were predicted, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threat: Option<f64>,
    },
    /// Theoretical bound for new rows.
    RiskBound {
        /// Theorem.
        theorem: String,
        /// Bound on the share of new rows misclassified under the worst deletions.
        risk: f64,
        /// Probability that the bound fails.
        confidence: f64,
        /// Number of settings tried on the rows, including this one; the bound holds for all of
        /// them jointly.
        tried: u64,
        /// Quantities chosen by the rows, although the theorem requires them to be fixed before.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        from_rows: Vec<String>,
    },
    /// Bounds of theorems 2 and 3 of Dekel and Shamir 2008 for noise in attributes.
    NoiseBound {
        /// Largest probability that noise changes a score by more than the margin.
        failure: f64,
        /// Share of training rows within the margin under the worst deletions.
        within: f64,
        /// Bound on the share of new rows misclassified under noise, averaged over the noise.
        risk: f64,
        /// Probability that the bound fails.
        confidence: f64,
        /// Number of settings tried on the rows, including this one.
        tried: u64,
        /// Quantities chosen by the rows, although the theorem requires them to be fixed before.
        from_rows: Vec<String>,
    },
    /// For some training rows the search did not prove the worst deletions.
    UnprovenDeletions {
        /// Number of rows.
        rows: u64,
    },
    /// The predictor was truncated after the fit, and report entries on the whole predictor were
    /// removed.
    Truncated {
        /// Number of kept attributes.
        attributes: u64,
        /// Number of attributes before.
        of: u64,
        /// Threat of the whole predictor, if it could delete all remaining attributes.
        threat: Option<f64>,
    },
}

impl Note {
    /// Returns a remark on the data.
    pub fn on_data(about: &str, text: String) -> Note {
        Note::Remark { about: about.to_owned(), text, of_predictor: false }
    }

    /// Returns a remark on the fitted predictor.
    pub fn on_predictor(about: &str, text: String) -> Note {
        Note::Remark { about: about.to_owned(), text, of_predictor: true }
    }

    /// Returns true for a remark about this.
    pub fn is_about(&self, what: &str) -> bool {
        matches!(self, Note::Remark { about, .. } if about == what)
    }

    /// Returns true for a bound that says nothing: one half or more.
    pub fn is_vacuous(&self) -> bool {
        match self {
            Note::RiskBound { risk, .. } => *risk >= VACUOUS,
            Note::NoiseBound { failure, risk, .. } => *risk >= VACUOUS && *failure >= VACUOUS,
            _ => false,
        }
    }

    /// Returns the notes that a reader is told: no bound that says nothing, and of notes that a
    /// model is a constant the one that says why.
    pub fn told(notes: &[Note]) -> impl Iterator<Item = &Note> {
        let least = notes.iter().filter_map(Note::constancy).min();
        notes.iter().filter(move |note| {
            let explained = note.constancy().zip(least).is_some_and(|(own, least)| own > least);
            !explained && !note.is_vacuous()
        })
    }

    /// Returns true if a note says that the model is no better than a constant, or not shown to be.
    pub fn is_of_constant(&self) -> bool {
        self.constancy().is_some()
    }

    /// Returns how directly a note says why the model is a constant, the cause first.
    fn constancy(&self) -> Option<u8> {
        match self {
            Note::ConstantTarget => Some(0),
            Note::ThreatBeatsSignal { .. } => Some(1),
            Note::MostFrequentClass { .. } => Some(2),
            Note::NoBetterThanConstant { .. } => Some(3),
            Note::NotShownBetter { .. } => Some(4),
            _ => None,
        }
    }

    /// Returns true if a note is about the fitted predictor and not about the data.
    pub(super) fn is_of_predictor(&self) -> bool {
        matches!(
            self,
            Note::ThreatBeatsSignal { .. }
                | Note::MostFrequentClass { .. }
                | Note::NoBetterThanConstant { .. }
                | Note::NotShownBetter { .. }
                | Note::RiskBound { .. }
                | Note::NoiseBound { .. }
                | Note::UnprovenDeletions { .. }
                | Note::Remark { of_predictor: true, .. }
        )
    }

    /// Returns a note if a squared error (in scaled units, or a misclassified share) is not below
    /// the constant's by two standard errors. If targets do not vary, the constant has no error but
    /// rounding, and there is nothing to be better at.
    pub fn beside_constant(error: f64, standard_error: Option<f64>, constant: f64) -> Option<Note> {
        let deviation = standard_error.unwrap_or(0.0);
        // NaN is not better.
        let better = error + 2.0 * deviation < constant;
        let note = || Note::NotShownBetter {
            ratio: error / constant,
            standard_error: deviation / constant,
            threat: None,
        };
        (!better && constant > ROUNDING).then(note)
    }
}

/// Error of a constant below which targets do not vary.
const ROUNDING: f64 = 1e-12;

/// Bound on a share from which on it says nothing: a coin toss has it.
const VACUOUS: f64 = 0.5;
