//! Bounds AERR with any probabilities q of the draws (paper C, theorem 3.1 and lemma 3.4).
//!
//! E |x~|_2^2 <= S/k + 1 with S = sum_i mu_i / q_i, |x|_2 <= 1 and k = budget - 1 draws with replacement, and E phi^2 <= 4 B^2
//! for every x. So G^2 = 4 B^2 (S/k + 1), and half the squared error exceeds by at most B G / sqrt(m) from w = 0, by twice
//! that from elsewhere in the ball.

use crate::plan::{Assumptions, Excess, Guarantee, Setting};

/// S/k + 1; 1 where every attribute is read.
pub(super) fn inflation(setting: &Setting, spread: f64) -> f64 {
    if setting.reads_all() { 1.0 } else { spread / setting.draws() + 1.0 }
}

/// The assumptions of the ridge theorems, unless the moments contradict them.
pub(in crate::budget) fn ridge(
    setting: &Setting,
    learner: &'static str,
    theorem: &'static str,
    excess: impl FnOnce() -> Excess,
) -> Guarantee {
    let possible = setting.moments.is_none_or(|moments| moments.sum <= setting.norm * setting.norm * (1.0 + 1e-9));
    let excess = if possible { excess() } else { Excess::Inapplicable { why: too_small(setting) } };
    let assumes = Assumptions::Ridge { reach: setting.ridge_radius() };
    Guarantee { learner, theorem, assumes, budget: setting.budget, excess }
}

fn too_small(setting: &Setting) -> String {
    let sum = setting.moments.map_or(0.0, |moments| moments.sum);
    // Rounded up, so that what is named is enough.
    let least = (sum.sqrt() * 1000.0).ceil() / 1000.0;
    format!("the moments sum to {sum:.4}, so |x|_2 <= {} cannot hold; give a norm of at least {least}", setting.norm)
}
