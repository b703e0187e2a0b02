//! Defines the reasons for which a solver stops.

/// Reason for which a solver stopped. Stopping early is never reported as success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolverStop {
    /// One pass over the examples was made; nothing is certified.
    OnePass,
    /// The closed form was evaluated.
    ClosedForm,
    /// The certified gap fell below the tolerance.
    Tolerance,
    /// The iteration limit was reached first.
    IterationLimit,
    /// Further steps did not lower the gap because of rounding.
    NoProgress,
    /// A factorisation failed, and the steps without one did not reach the tolerance.
    NumericalFailure,
    /// The monitor stopped the solver; the result is the best point so far.
    Interrupted,
}

/// Number of consecutive rounds without a smaller gap before a solver gives up.
pub(crate) const FUTILE_ROUNDS: u64 = 24;

impl SolverStop {
    /// Returns the reason for stopping above the tolerance: `failed` if a factorisation failed and
    /// nothing has helped since, else `limit` if the iteration limit was reached.
    pub(crate) fn short(failed: bool, limit: bool) -> SolverStop {
        match (failed, limit) {
            (true, _) => SolverStop::NumericalFailure,
            (_, true) => SolverStop::IterationLimit,
            _ => SolverStop::NoProgress,
        }
    }
}
