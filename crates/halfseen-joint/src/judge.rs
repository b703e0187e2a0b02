//! Tests candidates on examples that they were not fitted to, from the reads of these.
//!
//! The criterion is the squared error of E(y | x_o), the best prediction from the reads of an
//! example. Its variance does not count: else a ridge that spoils the weights of all attributes
//! together would compensate for a covariance with too little variance.

use super::alike::{Block, List, Run};
use super::batched_cholesky::Blocks;
use super::covariance::Covariance;
use super::lacking::{Lacking, Neighbours};
use super::simd4::{NullaryFnOnce, wide};
use super::standard::Rows;
use halfseen_solve::Monitor;

/// Number of parts of a sum, whose scatter tells the error of a difference of two sums.
const PARTS: usize = 16;

/// Sums over examples of squared errors r^2, of these times the target y, and of its squares, each
/// over every sixteenth example, from the first, the second, and so on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Errors {
    squares: [f64; PARTS],
    with_target: [f64; PARTS],
    of_target: [f64; PARTS],
    /// Number of examples.
    pub(crate) count: usize,
}

impl Errors {
    const INFINITE: Errors = Errors {
        squares: [f64::INFINITY; PARTS],
        with_target: [0.0; PARTS],
        of_target: [0.0; PARTS],
        count: 0,
    };

    /// Adds the error of the example at this place, and its target.
    #[inline]
    pub(crate) fn add(&mut self, at: usize, error: f64, target: f64) {
        let part = at % PARTS;
        self.squares[part] += error * error;
        self.with_target[part] += error * target;
        self.of_target[part] += target * target;
        self.count += 1;
    }

    /// Returns the sum of the squared errors.
    pub(crate) fn total(&self) -> f64 {
        self.squares.iter().sum()
    }

    /// Returns the sums of the squared errors of predictions that are multiplied by a scale.
    pub(crate) fn parts(&self, scale: f64) -> [f64; PARTS] {
        let less = 1.0 - scale;
        let part = |at: usize| {
            let own = scale * scale * self.squares[at];
            if less == 0.0 {
                return own;
            }
            own + less * (2.0 * scale * self.with_target[at] + less * self.of_target[at])
        };
        std::array::from_fn(part)
    }
}

/// Returns the slope of targets on predictions: the factor of these between 0 and 1 at which the sum
/// of squared errors is least.
pub(crate) fn slope(of: impl Iterator<Item = Errors>) -> f64 {
    let (mut product, mut square) = (0.0, 0.0);
    for errors in of {
        let target: f64 = errors.of_target.iter().sum();
        let with: f64 = errors.with_target.iter().sum();
        product += target - with;
        square += target - 2.0 * with + errors.total();
    }
    if square > 0.0 && square.is_finite() { (product / square).clamp(0.0, 1.0) } else { 1.0 }
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
    let list = List::of(rows, examples).completed(covariance.invertible());
    wide(Judge { covariance, ridges, rows, list: &list, monitor })
}

struct Judge<'a, C> {
    covariance: &'a C,
    ridges: &'a [f64],
    rows: &'a Rows,
    list: &'a List<'a>,
    monitor: &'a dyn Monitor,
}

impl<C: Covariance> NullaryFnOnce for Judge<'_, C> {
    type Output = Vec<Errors>;

    #[inline(always)]
    fn call(self) -> Vec<Errors> {
        let Judge { covariance, ridges, rows, list, monitor } = self;
        let (mut blocks, mut block) = (Blocks::new(rows.most(), monitor), Block::new());
        let mut sums = vec![Errors::default(); ridges.len()];
        let target = |example: usize| rows.example(example).2;
        if list.lacks_little() {
            let mut lacking = Lacking::new();
            for (sum, ridge) in sums.iter_mut().zip(ridges) {
                let watch = &mut blocks.watch;
                let mut found = *sum;
                let whole = covariance.precision(*ridge, watch).and_then(|precision| {
                    list.runs().try_for_each(|run| {
                        let Run::Lacking(run) = run else { return Some(()) };
                        let run = Neighbours { rows, run };
                        lacking.residuals(&precision, covariance, run, watch, |of, r| {
                            found.add(of.at, r, target(of.counted.example));
                        })
                    })
                });
                *sum = if whole.is_some() { found } else { Errors::INFINITE };
            }
        }
        for run in list.runs() {
            let run = match run {
                Run::Lacking(_) => continue,
                Run::Mixed(run) => run,
                Run::Alike(run) => {
                    block.load(covariance, rows, run[0].counted.example);
                    for (sum, ridge) in sums.iter_mut().zip(ridges) {
                        let mut found = *sum;
                        let whole = block.residuals(
                            covariance,
                            rows,
                            run,
                            *ridge,
                            &mut blocks.watch,
                            |of, r| {
                                found.add(of.at, r, target(of.counted.example));
                            },
                        );
                        *sum = if whole.is_some() { found } else { Errors::INFINITE };
                    }
                    continue;
                }
            };
            let (mut examples, mut at) = (run.iter().map(|listed| listed.counted), 0);
            while blocks.load(covariance, rows, &mut examples) {
                for (sum, ridge) in sums.iter_mut().zip(ridges) {
                    match blocks.residuals(*ridge) {
                        Some(found) => {
                            let found = found[..blocks.filled].iter().zip(&run[at..]);
                            found.for_each(|(r, of)| {
                                sum.add(of.at, *r, target(of.counted.example));
                            });
                        }
                        None => *sum = Errors::INFINITE,
                    }
                }
                at += blocks.filled;
            }
        }
        if blocks.watch.stopped() {
            sums.fill(Errors::INFINITE);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Targets, predictions three times too far from the mean, and their errors.
    fn too_far(count: usize) -> (Vec<(f64, f64)>, Errors) {
        let found: Vec<(f64, f64)> =
            (0..count).map(|i| (i as f64 * 0.7).sin()).map(|y| (y + 0.1, 3.0 * y)).collect();
        let mut errors = Errors::default();
        found.iter().enumerate().for_each(|(at, (y, guess))| errors.add(at, y - guess, *y));
        (found, errors)
    }

    #[test]
    fn errors_at_a_scale_are_those_of_scaled_predictions() {
        let (found, errors) = too_far(100);
        for scale in [0.0, 0.3, 1.0] {
            let wanted: f64 = found.iter().map(|(y, guess)| (y - scale * guess).powi(2)).sum();
            let sum: f64 = errors.parts(scale).iter().sum();
            assert!((sum - wanted).abs() < 1e-12 * wanted, "{scale}: {sum} and {wanted}");
        }
        assert_eq!((errors.total(), errors.count), (errors.parts(1.0).iter().sum(), 100));
    }

    #[test]
    fn the_slope_is_where_errors_are_least_between_zero_and_one() {
        let (_, errors) = too_far(100);
        let best = slope([errors].into_iter());
        let at = |scale| errors.parts(scale).iter().sum::<f64>();
        assert!((best - 1.0 / 3.0).abs() < 0.02, "{best}");
        assert!(at(best) < at(best - 1e-3) && at(best) < at(best + 1e-3));
        // Of two folds, both; too small predictions stay, and wrong ones are 0.
        assert!((slope([errors, errors].into_iter()) - best).abs() < 1e-14);
        let of = |guess: f64| {
            let mut errors = Errors::default();
            (0..4).for_each(|at| errors.add(at, 1.0 - guess, 1.0));
            slope([errors].into_iter())
        };
        assert_eq!([of(0.5), of(-0.5), of(0.0)], [1.0, 0.0, 1.0]);
    }
}
