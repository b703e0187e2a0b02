//! Judges candidates by examples that they were not fitted to, from what was read of these.
//!
//! What counts is the squared error of E(y | x_o), the best guess from the reads of an example. Its variance is left out of it: a
//! covariance that tells too little scatter would else be mended by a ridge that spoils the weights of all attributes together.

use super::covariance::Covariance;
use super::small::{cholesky, forward};
use super::standard::Rows;

/// Sum of (y - E(y | x_o))^2 over examples under S + ridge I, for each ridge; infinity where that is not positive definite.
pub(crate) fn squared_errors(
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
                *sum = f64::INFINITY;
                continue;
            }
            b[..n].copy_from_slice(&centred[..n]);
            forward(&factor, n, &mut b[..n]);
            *sum += (b[n - 1] * factor[n * n - 1]).powi(2);
        }
    }
    sums
}
