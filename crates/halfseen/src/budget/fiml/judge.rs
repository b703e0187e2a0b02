//! Judges candidates by examples that they were not fitted to, from what was read of these.

use super::covariance::Covariance;
use super::small::{cholesky, forward};
use super::standard::Rows;

/// ln(2 pi).
const LOG_TWO_PI: f64 = 1.837_877_066_409_345_5;

/// Sum of log p(y | x_o) over examples under S + ridge I, for each ridge; -infinity where that is not positive definite.
pub(crate) fn predictive(
    covariance: &impl Covariance,
    ridges: &[f64],
    rows: &Rows,
    examples: impl Iterator<Item = usize>,
) -> Vec<f64> {
    let most = rows.most() + 1;
    let (mut whole, mut factor, mut centred, mut b) =
        (vec![0.0; most * most], vec![0.0; most * most], vec![0.0; most], vec![0.0; most]);
    let mut sums = vec![0.0; ridges.len()];
    for i in examples {
        let (places, values, y) = rows.example(i);
        let n = places.len() + 1;
        covariance.block(places, &mut whole[..n * n]);
        for (a, (&place, &x)) in places.iter().zip(values).enumerate() {
            centred[a] = x - covariance.mean(place as usize);
        }
        centred[n - 1] = y - covariance.target_mean();
        for (sum, ridge) in sums.iter_mut().zip(ridges) {
            factor[..n * n].copy_from_slice(&whole[..n * n]);
            (0..n - 1).for_each(|a| factor[a * n + a] += ridge);
            if !cholesky(&mut factor, n) {
                *sum = f64::NEG_INFINITY;
                continue;
            }
            b[..n].copy_from_slice(&centred[..n]);
            forward(&factor, n, &mut b[..n]);
            *sum -= 0.5 * (LOG_TWO_PI + b[n - 1] * b[n - 1]) + factor[n * n - 1].ln();
        }
    }
    sums
}
