//! Names the ways in which a solver can stop.

/// Why a solver stopped. Stopping early never looks like success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// One pass over the examples was finished, which certifies nothing.
    OnePass,
    /// The closed form was evaluated.
    ClosedForm,
    /// The certified gap fell below the tolerance.
    Tolerance,
    /// The iterations ran out first.
    IterationLimit,
    /// Further steps no longer lowered the gap: rounding allows no better.
    NoProgress,
    /// A factorisation failed, and what can do without it did not reach the tolerance.
    NumericalFailure,
    /// The monitor asked to stop; this is the best point so far.
    Interrupted,
}

/// Rounds in a row that do not lower the gap before a solver gives up.
pub(crate) const FUTILE_ROUNDS: u64 = 24;

impl Stop {
    /// Why a solver gives up that did not reach the tolerance: `failed` if a factorisation did, and
    /// nothing has helped since; else `limit` if its iterations ran out.
    pub(crate) fn short(failed: bool, limit: bool) -> Stop {
        match (failed, limit) {
            (true, _) => Stop::NumericalFailure,
            (_, true) => Stop::IterationLimit,
            _ => Stop::NoProgress,
        }
    }
}
