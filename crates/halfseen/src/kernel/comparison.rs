//! Compares two incomplete rows.

/// One incomplete row: values, 0 where nothing was observed, and 1 or 0 for observed or not; both
/// (columns).
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The values.
    pub values: &'a [f64],
    /// The mask.
    pub observed: &'a [f32],
}

/// A kernel of two incomplete rows; closures are kernels too.
pub trait Comparison {
    /// k(a, b).
    fn compare(&self, a: Row<'_>, b: Row<'_>) -> f64;
}

impl<F: Fn(Row<'_>, Row<'_>) -> f64> Comparison for F {
    fn compare(&self, a: Row<'_>, b: Row<'_>) -> f64 {
        self(a, b)
    }
}
