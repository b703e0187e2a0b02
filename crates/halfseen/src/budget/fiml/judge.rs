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
use halfseen_solve::Monitor;

/// Number of parts of a sum, whose scatter tells the error of a difference of two sums.
const PARTS: usize = 16;

/// Sum of squared errors over examples.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Errors {
    pub(crate) total: f64,
    /// Sums over every sixteenth example, from the first, the second, and so on.
    pub(crate) parts: [f64; PARTS],
    /// Number of examples.
    pub(crate) count: usize,
}

impl Errors {
    const INFINITE: Errors =
        Errors { total: f64::INFINITY, parts: [f64::INFINITY; PARTS], count: 0 };

    /// Adds the squared error of the example at this place.
    #[inline]
    pub(crate) fn add(&mut self, at: usize, square: f64) {
        self.total += square;
        self.parts[at % PARTS] += square;
        self.count += 1;
    }
}

/// Returns the sums of (y - E(y | x_o))^2 over examples under S + ridge I, for each ridge; infinity
/// if that is not positive definite, or the monitor asked to stop.
pub(crate) fn squared_errors(
    covariance: &impl Covariance,
    ridges: &[f64],
    rows: &Rows,
    examples: impl Iterator<Item = usize>,
    monitor: &dyn Monitor,
) -> Vec<Errors> {
    let examples = examples.map(WeightedIndex::from);
    wide(Judge { covariance, ridges, rows, examples, monitor })
}

struct Judge<'a, C, I> {
    covariance: &'a C,
    ridges: &'a [f64],
    rows: &'a Rows,
    examples: I,
    monitor: &'a dyn Monitor,
}

impl<C: Covariance, I: Iterator<Item = WeightedIndex>> NullaryFnOnce for Judge<'_, C, I> {
    type Output = Vec<Errors>;

    #[inline(always)]
    fn call(mut self) -> Vec<Errors> {
        let mut blocks = Blocks::new(self.rows.most(), self.monitor);
        let mut sums = vec![Errors::default(); self.ridges.len()];
        let mut at = 0;
        while blocks.load(self.covariance, self.rows, &mut self.examples) {
            for (sum, ridge) in sums.iter_mut().zip(self.ridges) {
                match blocks.residuals(*ridge) {
                    Some(found) => {
                        let found = found[..blocks.filled].iter().enumerate();
                        found.for_each(|(e, r)| sum.add(at + e, r * r));
                    }
                    None => *sum = Errors::INFINITE,
                }
            }
            at += blocks.filled;
        }
        if blocks.watch.stopped() {
            sums.fill(Errors::INFINITE);
        }
        sums
    }
}
