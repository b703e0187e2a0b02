//! Estimates the uncertainty of weights by the weighted-likelihood bootstrap: refits to randomly
//! weighted examples.
//!
//! Each refit gives every example an independent exponential weight of mean 1. The spread of the
//! refitted weights approximates their posterior under a flat prior to first order (M. Newton and
//! A. Raftery, "Approximate Bayesian inference with the weighted likelihood bootstrap", Journal of
//! the Royal Statistical Society B 1994), and their sampling variance whether or not the model is
//! right (D. Rubin, "The Bayesian bootstrap", Annals of Statistics 1981). Choices by held-out reads
//! are kept fixed, so the spread excludes their uncertainty.

use halfseen_core::error::{ErrorKind, Result};
use halfseen_solve::sampling::{Purpose, Stream};
use rayon::prelude::*;

/// Fewest refits with a spread.
pub(crate) const FEWEST: usize = 2;

/// Returns deviations of the weights, (refits, n_weights): (w_b - mean) / sqrt(refits - 1), so that
/// the sum of v v' is their covariance. `refit` fits to examples with these weights, (examples). It
/// is called once per refit, by any number of threads, which does not change the result.
///
/// # Errors
/// Those of `refit`; [`ErrorKind::Numerical`] for refits of different lengths, or not finite, or
/// fewer than two.
pub(crate) fn deviations(
    refits: usize,
    examples: usize,
    seed: u64,
    refit: impl Fn(&[f64]) -> Result<Vec<f64>> + Sync,
) -> Result<Vec<f64>> {
    let failed =
        |problem: &str| ErrorKind::Numerical { what: "the bootstrap", problem: problem.to_owned() };
    if refits < FEWEST {
        return Err(failed("a spread needs two refits").into());
    }
    let one = |b: usize| refit(&example_weights(examples, seed, b as u64));
    let found = (0..refits).into_par_iter().map(one).collect::<Result<Vec<_>>>()?;
    let width = found.first().map_or(0, Vec::len);
    if found.iter().any(|w| w.len() != width || w.iter().any(|v| !v.is_finite())) {
        return Err(failed("a refit gave other weights than finite ones for each slot").into());
    }
    let mut mean = vec![0.0; width];
    found.iter().for_each(|w| mean.iter_mut().zip(w).for_each(|(m, v)| *m += v / refits as f64));
    let root = (refits as f64 - 1.0).sqrt();
    Ok(found.iter().flat_map(|w| w.iter().zip(&mean).map(|(v, m)| (v - m) / root)).collect())
}

/// Returns the examples' weights in one refit: exponential, of mean 1.
pub(crate) fn example_weights(examples: usize, seed: u64, refit: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, Purpose::Bootstrap, refit);
    (0..examples).map(|_| -(1.0 - stream.unit()).ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;
    use faer::linalg::solvers::Solve;
    use halfseen_core::normal;

    const COLUMNS: usize = 4;

    struct Data {
        rows: Vec<[f64; COLUMNS]>,
        targets: Vec<f64>,
    }

    const TRUTH: [f64; COLUMNS] = [1.0, -0.5, 0.0, 2.0];

    /// Draws correlated columns of mean 0, and noise of standard deviation 1, with `uneven` larger
    /// where the first column is.
    fn data(count: usize, seed: u64, uneven: bool) -> Data {
        let mut stream = Stream::new(seed, Purpose::Data, 0);
        let mut rows = Vec::new();
        let mut targets = Vec::new();
        for _ in 0..count {
            let common = stream.normal();
            let row: [f64; COLUMNS] = std::array::from_fn(|_| 0.6 * common + 0.8 * stream.normal());
            let scale = if uneven { (0.2 + row[0] * row[0]).sqrt() } else { 1.0 };
            targets.push(
                row.iter().zip(TRUTH).map(|(x, w)| x * w).sum::<f64>() + scale * stream.normal(),
            );
            rows.push(row);
        }
        Data { rows, targets }
    }

    /// Solves weighted least squares.
    fn least_squares(data: &Data, weights: &[f64]) -> Vec<f64> {
        let (mut s, mut b) = (Mat::<f64>::zeros(COLUMNS, COLUMNS), Mat::<f64>::zeros(COLUMNS, 1));
        for ((row, y), weight) in data.rows.iter().zip(&data.targets).zip(weights) {
            for i in 0..COLUMNS {
                b[(i, 0)] += weight * row[i] * y;
                (0..COLUMNS).for_each(|j| s[(i, j)] += weight * row[i] * row[j]);
            }
        }
        s.partial_piv_lu().solve(&b).col_as_slice(0).to_vec()
    }

    #[test]
    fn the_sum_of_squares_is_the_covariance_of_the_refits_and_threads_change_nothing() {
        let refit = |w: &[f64]| Ok(vec![w[0] + w[1], w[2], 5.0]);
        let found = deviations(40, 3, 1, refit).unwrap();
        let refits: Vec<Vec<f64>> =
            (0..40).map(|b| refit(&example_weights(3, 1, b)).unwrap()).collect();
        for (i, j) in [(0, 0), (0, 1), (1, 1), (2, 2), (1, 2)] {
            let mean = |i: usize| refits.iter().map(|w| w[i]).sum::<f64>() / 40.0;
            let covariance =
                refits.iter().map(|w| (w[i] - mean(i)) * (w[j] - mean(j))).sum::<f64>() / 39.0;
            let sum: f64 = found.chunks(3).map(|v| v[i] * v[j]).sum();
            assert!((sum - covariance).abs() < 1e-14, "{sum} and {covariance}");
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| deviations(40, 3, 1, refit)).unwrap(), found);
        }
        assert_ne!(deviations(40, 3, 2, refit).unwrap(), found);
    }

    #[test]
    fn weights_of_examples_have_mean_and_variance_one() {
        let weights = example_weights(200_000, 7, 0);
        let mean = weights.iter().sum::<f64>() / 2e5;
        let variance = weights.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / 2e5;
        assert!((mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.03, "{mean}, {variance}");
        assert!(weights.iter().all(|w| w.is_finite() && *w >= 0.0));
    }

    /// Intervals for weights and for sums at new points have their nominal coverage, also under
    /// uneven noise, where the textbook's errors are wrong.
    #[test]
    fn intervals_cover_the_truth_as_often_as_they_say() {
        let (trials, level) = (500_u64, 0.95);
        let quantile = normal::upper_quantile((1.0 - level) / 2.0);
        for uneven in [false, true] {
            let (mut weights_inside, mut sums_inside) = ([0_u32; COLUMNS], 0_u32);
            for trial in 0..trials {
                let data = data(400, 1_000 + trial, uneven);
                let found = least_squares(&data, &[1.0; 400]);
                let spread = deviations(100, 400, trial, |w| Ok(least_squares(&data, w))).unwrap();
                let mut stream = Stream::new(trial, Purpose::Data, 1);
                let point: [f64; COLUMNS] = std::array::from_fn(|_| stream.normal());
                let inside = |along: &[f64; COLUMNS]| {
                    let dot = |v: &[f64]| v.iter().zip(along).map(|(a, b)| a * b).sum::<f64>();
                    let variance: f64 = spread.chunks(COLUMNS).map(|v| dot(v).powi(2)).sum();
                    u32::from((dot(&found) - dot(&TRUTH)).abs() <= quantile * variance.sqrt())
                };
                for (j, count) in weights_inside.iter_mut().enumerate() {
                    *count += inside(&std::array::from_fn(|l| f64::from(u8::from(l == j))));
                }
                sums_inside += inside(&point);
            }
            // 3 binomial errors, and 0.01 for 100 refits and 400 examples.
            let allowed = 3.0 * (level * (1.0 - level) / trials as f64).sqrt() + 0.01;
            for count in weights_inside.into_iter().chain([sums_inside]) {
                let share = f64::from(count) / trials as f64;
                assert!((share - level).abs() < allowed, "uneven {uneven}: {share}");
            }
        }
    }

    #[test]
    fn too_few_refits_and_numbers_that_are_none_are_refused() {
        assert!(deviations(1, 3, 1, |_| Ok(vec![1.0])).is_err());
        assert!(deviations(3, 3, 1, |_| Ok(vec![f64::NAN])).is_err());
        assert!(deviations(3, 3, 1, |w| Ok(vec![0.0; 1 + usize::from(w[0] > 1.0)])).is_err());
        let error =
            deviations(3, 3, 1, |_| Err(ErrorKind::Interrupted { during: "refitting" }.into()))
                .unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Interrupted { .. }));
    }
}
