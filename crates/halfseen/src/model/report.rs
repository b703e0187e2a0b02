//! Tells how a fit went: why it stopped, what it read, what is certified.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a fit stopped. Stopping early never looks like success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// One pass over the examples, as the method is defined.
    OnePass,
    /// The closed form was evaluated.
    ClosedForm,
    /// The certified gap fell below the tolerance.
    Tolerance,
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
        matches!(self, Stop::OnePass | Stop::ClosedForm | Stop::Tolerance | Stop::Open)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::OnePass => "one pass over the examples was finished",
            Stop::ClosedForm => "the closed form was evaluated",
            Stop::Tolerance => "the certified gap fell below the tolerance",
            Stop::IterationLimit => {
                "the iterations ran out before the gap fell below the tolerance; raise max_iter or tol"
            }
            Stop::Interrupted => "it was interrupted; this is the best point so far",
            Stop::Open => "more examples may still be told",
        })
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
    /// The largest number of reads of one example.
    pub max_reads: u64,
    /// The longest wait between a query and its answer, in answers to other queries. The theorems cover 0.
    pub largest_delay: u64,
    /// Estimated mean squared error of the averaged iterates, in scaled units, from the reads that were made anyway
    /// (progressive validation): unbiased, and by convexity no less than the model's own in expectation.
    #[serde(deserialize_with = "Option::deserialize")]
    pub risk: Option<f64>,
    /// Its standard error.
    #[serde(deserialize_with = "Option::deserialize")]
    pub risk_error: Option<f64>,
    /// Seconds of the fit.
    pub seconds: f64,
}

impl Report {
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
            max_reads: d,
            largest_delay: 0,
            risk: None,
            risk_error: None,
            seconds: 0.0,
        }
    }
}
