//! Counts the queries that wait for their answers, by which a late step is shortened.

/// Numbers of queries that wait for their answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wait {
    /// Number of queries that were open when the answered one was asked.
    pub delay: u64,
    /// Number of other queries open now: examples that are certain to come if the total is unknown.
    pub open: u64,
}

impl Wait {
    /// Returns the factor of a delayed step, 1 / sqrt(1 + 2 delay).
    #[inline]
    pub fn shortened(self) -> f64 {
        if self.delay == 0 { 1.0 } else { 1.0 / (1.0 + 2.0 * self.delay as f64).sqrt() }
    }
}
