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
    /// The monitor asked to stop; this is the best point so far.
    Interrupted,
}
