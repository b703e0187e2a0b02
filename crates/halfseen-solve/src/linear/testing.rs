//! Generates small problems for the tests of the linear solvers.

use crate::sampling::{Purpose, Stream};
use faer::Mat;

pub(super) const GRID: [f64; 11] = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5];

pub(super) fn normal(rows: usize, columns: usize, seed: u64) -> Mat<f64> {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    Mat::from_fn(rows, columns, |_, _| stream.normal())
}

/// Returns features and the classes of a noisy linear rule.
pub(super) fn classes(
    d: usize,
    n: usize,
    classes: usize,
    noise: f64,
    seed: u64,
) -> (Mat<f64>, Vec<usize>) {
    let (features, rule, off) =
        (normal(d, n, seed), normal(d, classes, seed + 1), normal(n, classes, seed + 2));
    let scores = features.transpose() * &rule;
    let score = |i: usize, r: usize| scores[(i, r)] + noise * (d as f64).sqrt() * off[(i, r)];
    let best =
        |i: usize| (0..classes).max_by(|&r, &s| score(i, r).total_cmp(&score(i, s))).unwrap_or(0);
    let labels = (0..n).map(best).collect();
    (features, labels)
}

/// Returns the same with two classes, -1 and 1.
pub(super) fn signs(d: usize, n: usize, noise: f64, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let (features, labels) = classes(d, n, 2, noise, seed);
    (features, labels.iter().map(|&r| 2.0 * r as f64 - 1.0).collect())
}

/// Returns the largest difference relative to the largest number.
pub(super) fn farthest(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let largest =
        |m: &Mat<f64>| m.col_iter().flat_map(|c| c.iter()).fold(0.0_f64, |s, d| s.max(d.abs()));
    largest(&(a - b)) / largest(b).max(1e-300)
}
