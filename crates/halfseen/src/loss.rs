//! Differentiates losses of a score and a target.

/// A loss of the estimated product p and the target y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// (p - y)^2 / 2, as in papers B and C.
    HalfSquare,
    /// (p - y)^2, as in paper A.
    Square,
}

impl Loss {
    /// The derivative by p. Linear in p for both, so an unbiased product gives an unbiased slope.
    #[inline]
    pub fn slope(self, product: f64, target: f64) -> f64 {
        match self {
            Loss::HalfSquare => product - target,
            Loss::Square => 2.0 * (product - target),
        }
    }
}
