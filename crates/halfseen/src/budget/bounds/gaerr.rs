//! Bounds AERR with any probabilities q of the draws (paper C, theorem 3.1 and lemma 3.4).
//!
//! E |x~|_2^2 <= S/k + 1 with S = sum_i mu_i / q_i, |x|_2 <= 1 and k = budget - 1 draws with replacement, and E phi^2 <= 4 B^2
//! for every x. So G^2 = 4 B^2 (S/k + 1), and half the squared error exceeds by at most B G / sqrt(m) from w = 0, by twice
//! that from elsewhere in the ball.

use crate::plan::Setting;

/// S/k + 1; 1 where every attribute is read.
pub(super) fn inflation(setting: &Setting, spread: f64) -> f64 {
    if setting.reads_all() { 1.0 } else { spread / setting.draws() + 1.0 }
}
