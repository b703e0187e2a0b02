//! Watches a long computation: shows progress, and may ask it to stop.

/// Receives progress and may ask for an early, orderly end. Shared between threads.
///
/// Every fit takes one. A fit that is asked to stop returns the best point so far, with
/// [`Stop::Interrupted`](crate::stop::Stop::Interrupted) in its report.
pub trait Monitor: Sync {
    /// `done` of `total` units of work are finished. Called often; must be cheap.
    fn progress(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Whether to stop as soon as possible.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Shows nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Monitor for Silent {}

/// Passes on the wish to stop, but no progress: parts of a computation that run side by side would
/// mix theirs.
pub struct Quiet<'a>(pub &'a dyn Monitor);

impl Monitor for Quiet<'_> {
    fn should_stop(&self) -> bool {
        self.0.should_stop()
    }
}
