//! Says when ascent gives way to the interior-point method, over a Gram matrix and over features.

/// Least number of passes of ascent before an affordable interior-point method.
pub(crate) const PASSES_BEFORE_INTERIOR: u64 = 40;
/// Largest number of unknowns of its system, whose square is stored: a rank or a number of features,
/// times classes.
pub const INTERIOR_SIZE: usize = 6000;
/// Number of interior-point steps to expect.
const STEPS: f64 = 30.0;
/// Time of a multiplication of ascent, whose data are in memory, in those of a matrix product.
const ASCENT_PRICE: f64 = 8.0;

/// Returns the number of passes of ascent that take as long as the interior-point method, given the
/// multiplications of a step of the latter and of a pass: when ascent has taken them in vain, the
/// total is at most twice that of the better method.
pub(crate) fn passes_as_long(step: f64, pass: f64) -> u64 {
    (STEPS * step / (pass * ASCENT_PRICE)) as u64
}
