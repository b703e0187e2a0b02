//! Bounds two-phase DDAERR: q_i ~ sqrt(A_i + (4/3) eps) from a first phase (paper C, theorems 3.6 and 3.12).
//!
//! With A, eps and U of `phases.rs`, S = sum mu_i / q_i and H = |mu|_{1/2}:
//!
//! - safe: S <= d (1 + sqrt(2 sum A_i)), as sum_j sqrt(U_j) <= sqrt(d sum A_j) + d sqrt((4/3) eps);
//! - H given (3.6): S <= sqrt(3) H + (4/sqrt 3) d sqrt(H eps);
//! - H estimated (3.12), by 2 (sum_j sqrt(U_j))^2 >= S: at most 6 H + (32/3) d^2 eps.
//!
//! The smaller of the safe and the adaptive bound goes into G^2 = 4 B^2 (S/k + 1) and the step 2 B / (G sqrt(m2)); each fails with probability
//! at most delta. The second phase may start anywhere in the ball (from the first phase's w), so half the squared error exceeds by
//! at most 2 B G / sqrt(m2). The constants are derived here: our copy of the paper has lost its own.

use super::gaerr::inflation;
use super::phases::{Phases, SMOOTHING};
use crate::plan::{Bound, Excess, Guarantee, Printed, Setting, Tuning};

/// Theorem 3.6: |mu|_{1/2} is given.
pub(super) fn given(setting: &Setting) -> Guarantee {
    guarantee(setting, "C, theorem 3.6 (moment_norm given)", spread_given)
}

/// Theorem 3.12: |mu|_{1/2} is estimated.
pub(super) fn estimated(setting: &Setting) -> Guarantee {
    guarantee(setting, "C, theorem 3.12 (moment_norm estimated)", spread_estimated)
}

fn spread_safe(d: f64, sum: f64) -> f64 {
    d * (1.0 + (2.0 * sum).sqrt())
}

fn spread_given(half_norm: f64, eps: f64, d: f64) -> f64 {
    3.0_f64.sqrt() * half_norm + 4.0 / 3.0_f64.sqrt() * d * (half_norm * eps).sqrt()
}

fn spread_estimated(half_norm: f64, eps: f64, d: f64) -> f64 {
    6.0 * half_norm + 32.0 / 3.0 * d * d * eps
}

fn guarantee(setting: &Setting, theorem: &'static str, adaptive: fn(f64, f64, f64) -> f64) -> Guarantee {
    let (b, squared) = (setting.ridge_radius(), setting.norm * setting.norm);
    let spread = {
        let (d, half_norm) = (setting.d(), setting.half_norm());
        move |phases: &Phases| spread_safe(d, phases.ridge_sum()).min(adaptive(half_norm, phases.eps(), d))
    };
    let phases = {
        let setting = setting.clone();
        move |examples| Phases::of(&setting, examples)
    };
    // S/k + 1, and m2.
    let growth = {
        let (phases, spread, setting) = (phases.clone(), spread, setting.clone());
        move |examples| phases(examples).map(|p| (inflation(&setting, spread(&p)), p.second))
    };
    let half = {
        let growth = growth.clone();
        move |examples| growth(examples).map_or(f64::INFINITY, |(growth, m2)| 4.0 * b * b * (growth / m2).sqrt())
    };
    let printed = half.clone();
    let mut bound = Bound::new(
        if setting.reads_all() { "8 B^2 / sqrt(m2)" } else { "8 B^2 sqrt((S/k + 1) / m2)" },
        move |m| 2.0 * half(m),
        Printed::new("4 B^2 sqrt((S/k + 1) / m2)", printed),
        Tuning::new("step", move |m| growth(m).map_or(0.0, |(growth, m2)| 1.0 / (squared * (growth * m2).sqrt()))),
    )
    .with_constants({
        let (half_norm, draws) = (setting.half_norm(), setting.draws());
        move |m| {
            let known = [("H", half_norm), ("k", draws)];
            let found = phases(m).map(|p| [("S", spread(&p)), ("m1", p.first), ("m2", p.second)]);
            known.into_iter().chain(found.into_iter().flatten()).collect()
        }
    });
    bound.note = SMOOTHING;
    bound.probability = Some(1.0 - setting.confidence);
    Guarantee::ridge(setting, "ddaerr-2p", theorem, Excess::Known(bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every corner of the band that U lies in, for d = 5: no S is above the bounds, and none of them below S by much.
    #[test]
    fn the_spread_is_bounded_for_every_outcome_of_the_first_phase() {
        let profiles = [[0.2; 5], [1.0, 0.0, 0.0, 0.0, 0.0], [0.6, 0.3, 0.08, 0.01, 0.01], [0.5, 0.5, 0.0, 0.0, 0.0]];
        for (mu, eps) in profiles.iter().flat_map(|mu| [1e-9, 1e-3, 0.1, 10.0].map(|eps| (mu, eps))) {
            let half_norm = mu.iter().map(|m: &f64| m.sqrt()).sum::<f64>().powi(2);
            let mut widest = 0.0_f64;
            for corner in 0..32 {
                // A from 0 or (1/2) mu - (4/3) eps to (3/2) mu + (4/3) eps.
                let a = |i: usize| match corner >> i & 1 {
                    0 => (0.5 * mu[i] - 4.0 / 3.0 * eps).max(0.0),
                    _ => 1.5 * mu[i] + 4.0 / 3.0 * eps,
                };
                let root = |i: usize| (a(i) + 4.0 / 3.0 * eps).sqrt();
                let total: f64 = (0..5).map(root).sum();
                let spread: f64 = (0..5).map(|i| mu[i] * total / root(i)).sum();
                let sum: f64 = (0..5).map(a).sum();
                assert!(spread <= spread_given(half_norm, eps, 5.0) * (1.0 + 1e-12));
                assert!(spread <= 2.0 * total * total * (1.0 + 1e-12));
                assert!(2.0 * total * total <= spread_estimated(half_norm, eps, 5.0) * (1.0 + 1e-12));
                assert!(spread <= spread_safe(5.0, sum) * (1.0 + 1e-12));
                widest = widest.max(spread);
            }
            assert!(eps > 1e-6 || widest > 0.9 * half_norm);
        }
    }
}
