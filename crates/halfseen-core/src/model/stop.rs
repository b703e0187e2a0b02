//! Names the reasons for which a fit stops.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Reason for which a fit stopped. Stopping early never looks like success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The method finished its single pass over the examples.
    OnePass,
    /// The requested number of passes over the examples was finished.
    Passes,
    /// Chunks of the examples were solved to the tolerance, and their predictors averaged.
    Chunks,
    /// The total budget, of reads or money, left too little for another example.
    BudgetSpent,
    /// The closed form was evaluated.
    ClosedForm,
    /// The certified gap fell below the tolerance.
    Tolerance,
    /// A stationary point of a possibly nonconvex problem was reached: its distance to the optimum
    /// is unknown.
    Stationary,
    /// The iteration limit was reached.
    IterationLimit,
    /// Rounding prevented further decrease of the gap.
    NoProgress,
    /// A factorisation failed, and the remaining methods did not reach the tolerance.
    NumericalFailure,
    /// The monitor asked to stop; this is the best point so far.
    Interrupted,
    /// The fit is still running: more examples can be added.
    Open,
}

impl Stop {
    /// Returns true if the method reached its guarantee.
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

impl From<halfseen_solve::SolverStop> for Stop {
    fn from(stop: halfseen_solve::SolverStop) -> Stop {
        use halfseen_solve::SolverStop as Of;
        match stop {
            Of::OnePass => Stop::OnePass,
            Of::ClosedForm => Stop::ClosedForm,
            Of::Tolerance => Stop::Tolerance,
            Of::IterationLimit => Stop::IterationLimit,
            Of::NoProgress => Stop::NoProgress,
            Of::NumericalFailure => Stop::NumericalFailure,
            Of::Interrupted => Stop::Interrupted,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::OnePass => "one pass over the examples was finished",
            Stop::Passes => "all passes over the examples were finished",
            Stop::Chunks => "every chunk of the examples was solved to the tolerance, and the weights were averaged",
            Stop::BudgetSpent => "the total budget left too little for another example",
            Stop::ClosedForm => "the closed form was evaluated",
            Stop::Tolerance => "the certified gap fell below the tolerance",
            Stop::Stationary => "a stationary point was reached, which need not be the optimum",
            Stop::IterationLimit => {
                "the iteration limit was reached before the gap fell below the tolerance; raise max_iter or tol"
            }
            Stop::NoProgress => {
                "rounding allowed no further progress before the gap fell below the tolerance; raise tol, or lower c"
            }
            Stop::NumericalFailure => {
                "a linear system could not be solved before the gap fell below the tolerance; scale the attributes, or lower c"
            }
            Stop::Interrupted => "the fit was interrupted; this is the best point so far",
            Stop::Open => "still running: more examples can be added",
        })
    }
}
