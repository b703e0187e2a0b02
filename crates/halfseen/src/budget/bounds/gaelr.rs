//! Bounds AELR with any probabilities q of the draws (paper C, section 4).
//!
//! max_i E x~_i^2 <= M/k + 1 with M = max_i mu_i / q_i, |x_i| <= 1 and k = budget - 1 draws with replacement. So
//! G^2 = 4 B^2 (M/k + 1), and half the squared error exceeds by at most 2 B G sqrt(5 log(2d) / m) for m >= log 2d.

use crate::plan::Setting;

/// 4 B^2 sqrt(5 log(2d) inflation / m), of half the squared error.
pub(in crate::budget) fn half(setting: &Setting, inflation: f64, examples: f64) -> f64 {
    let log = (2.0 * setting.d()).ln();
    if examples < log {
        return f64::INFINITY;
    }
    4.0 * setting.radius * setting.radius * (5.0 * log * inflation / examples).sqrt()
}

/// eta = sqrt(log(2d) / 5m) / G, G = 2 B sqrt(inflation).
pub(in crate::budget) fn step(setting: &Setting, inflation: f64, examples: f64) -> f64 {
    ((2.0 * setting.d()).ln() / (5.0 * examples * inflation)).sqrt() / (2.0 * setting.radius)
}
