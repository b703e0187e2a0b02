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
    guarantee(setting, "C, theorem 3.6 (moment_norm given)", |half_norm, phases, d| {
        3.0_f64.sqrt() * half_norm + 4.0 / 3.0_f64.sqrt() * d * (half_norm * phases.eps()).sqrt()
    })
}

/// Theorem 3.12: |mu|_{1/2} is estimated.
pub(super) fn estimated(setting: &Setting) -> Guarantee {
    guarantee(setting, "C, theorem 3.12 (moment_norm estimated)", |half_norm, phases, d| {
        6.0 * half_norm + 32.0 / 3.0 * d * d * phases.eps()
    })
}

fn guarantee(setting: &Setting, theorem: &'static str, adaptive: fn(f64, &Phases, f64) -> f64) -> Guarantee {
    let (b, squared) = (setting.ridge_radius(), setting.norm * setting.norm);
    let spread = {
        let (d, half_norm) = (setting.d(), setting.half_norm());
        move |phases: &Phases| {
            let safe = d * (1.0 + (2.0 * phases.ridge_sum()).sqrt());
            safe.min(adaptive(half_norm, phases, d))
        }
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
        "8 B^2 sqrt((S/k + 1) / m2)",
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
