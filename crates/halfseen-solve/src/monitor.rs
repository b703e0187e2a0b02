//! Reports progress of a long computation and lets the caller stop it.

use std::fmt;

/// Receives progress and may request an early, orderly end. Shared between threads.
///
/// Every fit takes one. A stopped fit returns the best point so far, with
/// [`SolverStop::Interrupted`](crate::stop::SolverStop::Interrupted) in its report.
pub trait Monitor: Sync {
    /// Reports that `done` of `total` units of work are finished. Called often; must be cheap.
    fn progress(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Names the part of the work that begins, such as a learner and a split. Parts may overlap.
    fn working_on(&self, what: &str) {
        let _ = what;
    }

    /// Returns true to stop as soon as possible.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Monitor that ignores progress and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Monitor for Silent {}

/// Forwards stop requests but no progress, for parts of a computation that run in parallel.
pub struct Quiet<'a>(pub &'a dyn Monitor);

impl Monitor for Quiet<'_> {
    fn should_stop(&self) -> bool {
        self.0.should_stop()
    }
}

/// Operations between two looks: a few milliseconds.
const BETWEEN: usize = 4_000_000;

/// Monitor that is looked at after every few million operations.
pub struct Watch<'a> {
    monitor: &'a dyn Monitor,
    spent: usize,
    stopped: bool,
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("stopped", &self.stopped).finish_non_exhaustive()
    }
}

impl<'a> Watch<'a> {
    /// Starts before any operation.
    pub fn new(monitor: &'a dyn Monitor) -> Watch<'a> {
        Watch { monitor, spent: 0, stopped: false }
    }

    /// Counts operations, and returns true once the monitor has asked to stop.
    #[inline]
    pub fn stops_after(&mut self, operations: usize) -> bool {
        self.spent = self.spent.saturating_add(operations);
        if self.spent >= BETWEEN {
            self.look();
        }
        self.stopped
    }

    /// Returns true if the monitor had asked to stop at the last look.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    #[cold]
    fn look(&mut self) {
        self.spent = 0;
        self.stopped |= self.monitor.should_stop();
    }
}
