//! Tests candidates on examples that they were not fitted to, from the reads of these.
//!
//! The criterion is the squared error of E(y | x_o), the best prediction from the reads of an
//! example. Its variance does not count: else a ridge that spoils the weights of all attributes
//! together would compensate for a covariance with too little variance.

use super::batched_cholesky::Blocks;
use super::covariance::Covariance;
use super::folds::WeightedIndex;
use super::simd4::{NullaryFnOnce, wide};
use super::standard::Rows;

/// Returns the sum of (y - E(y | x_o))^2 over examples under S + ridge I, for each ridge; infinity
/// if that is not positive definite.
pub(crate) fn squared_errors(
    covariance: &impl Covariance,
    ridges: &[f64],
    rows: &Rows,
    examples: impl Iterator<Item = usize>,
) -> Vec<f64> {
    wide(Judge { covariance, ridges, rows, examples: examples.map(WeightedIndex::from) })
}

struct Judge<'a, C, I> {
    covariance: &'a C,
    ridges: &'a [f64],
    rows: &'a Rows,
    examples: I,
}

impl<C: Covariance, I: Iterator<Item = WeightedIndex>> NullaryFnOnce for Judge<'_, C, I> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn call(mut self) -> Vec<f64> {
        let mut blocks = Blocks::new(self.rows.most());
        let mut sums = vec![0.0; self.ridges.len()];
        while blocks.load(self.covariance, self.rows, &mut self.examples) {
            for (sum, ridge) in sums.iter_mut().zip(self.ridges) {
                match blocks.residuals(*ridge) {
                    Some(found) => found[..blocks.filled].iter().for_each(|r| *sum += r * r),
                    None => *sum = f64::INFINITY,
                }
            }
        }
        sums
    }
}
