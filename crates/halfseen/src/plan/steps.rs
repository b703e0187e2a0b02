//! Computes the step sizes that the theorems on gradient steps prescribe.

use super::Setting;

/// Returns eta = B / (G sqrt m).
pub fn euclidean_eta(radius: f64, examples: f64, g: f64) -> f64 {
    radius / (g * examples.sqrt())
}

/// Returns eta = sqrt(log(2d) / 5m) / G.
pub fn entropic_eta(slots: f64, examples: f64, g: f64) -> f64 {
    ((2.0 * slots).ln() / (5.0 * examples)).sqrt() / g
}

/// Returns 4 B^2 sqrt(5 c log(2d) / m): bounds half the squared error for |x_i| <= 1, |y| <= B and
/// E x~_i^2 <= c, G = 2 B sqrt(c).
pub fn half_excess(setting: &Setting, c: f64, examples: f64) -> f64 {
    let log = (2.0 * setting.d()).ln();
    if examples < log {
        return f64::INFINITY;
    }
    4.0 * setting.radius * setting.radius * (5.0 * log * c / examples).sqrt()
}

/// Returns the eta of the theorem under the same assumptions.
pub fn planned_step(setting: &Setting, c: f64, examples: f64) -> f64 {
    entropic_eta(setting.d(), examples, 2.0 * setting.radius * c.sqrt())
}
