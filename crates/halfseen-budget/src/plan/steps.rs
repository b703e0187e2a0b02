//! Computes the step sizes that the theorems on gradient steps prescribe.

/// Returns eta = B / (G sqrt m).
pub fn euclidean_eta(radius: f64, examples: f64, g: f64) -> f64 {
    radius / (g * examples.sqrt())
}

/// Returns eta = sqrt(log(2d) / 5m) / G.
pub fn entropic_eta(slots: f64, examples: f64, g: f64) -> f64 {
    ((2.0 * slots).ln() / (5.0 * examples)).sqrt() / g
}
