//! Reports progress of a long computation and lets the caller stop it.

/// Receives progress and may request an early, orderly end. Shared between threads.
///
/// Every fit takes one. A stopped fit returns the best point so far, with
/// [`Stop::Interrupted`](crate::stop::Stop::Interrupted) in its report.
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
