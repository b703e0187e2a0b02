//! Bounds two-phase DDAELR: q_i ~ A_i + (4/3) eps from a first phase (paper C, section 4).
//!
//! With A, eps and U of `phases.rs`: M = max_i mu_i / q_i <= 2 sum_j U_j, and never more than 3 d. The second phase starts anew from
//! w = 0, with G^2 = 4 B^2 (M/k + 1): half the squared error exceeds by at most 2 B G sqrt(5 log(2d) / m2) for m2 >= log 2d, but with
//! probability delta over the first. The sum of the moments is estimated as well as given, so there is one theorem.
//! The constants are derived here: our copy of the paper has lost its own.

use super::gaelr::{half, step};
use super::gaerr::inflation;
use super::phases::{Phases, SMOOTHING};
use crate::plan::{Bound, Excess, Guarantee, Printed, Setting, Tuning};

/// The theorem for unknown moments of section 4.
pub(super) fn guarantee(setting: &Setting) -> Guarantee {
    let sum = setting.moment_sum();
    let spread = {
        let d = setting.d();
        move |p: &Phases| (2.0 * (p.lasso_sum(sum) + 4.0 / 3.0 * d * p.eps())).min(3.0 * d)
    };
    let phases = {
        let setting = setting.clone();
        move |examples| Phases::of(&setting, examples)
    };
    // A theorem of m2 examples and M/k + 1; `none` where there is no second phase.
    let theorem = |value: fn(&Setting, f64, f64) -> f64, times: f64, none: f64| {
        let (setting, phases) = (setting.clone(), phases.clone());
        move |m| phases(m).map_or(none, |p| times * value(&setting, inflation(&setting, spread(&p)), p.second))
    };
    let mut bound = Bound::new(
        if setting.reads_all() { "8 B^2 sqrt(5 log(2d) / m2)" } else { "8 B^2 sqrt(5 log(2d) (M/k + 1) / m2)" },
        theorem(half, 2.0, f64::INFINITY),
        Printed::new("4 B^2 sqrt(5 log(2d) (M/k + 1) / m2)", theorem(half, 1.0, f64::INFINITY)),
        Tuning::new("step", theorem(step, 1.0, 0.0)),
    )
    .with_constants({
        let draws = setting.draws();
        move |m| {
            let known = [("N", sum), ("k", draws)];
            let found = phases(m).map(|p| [("M", spread(&p)), ("m1", p.first), ("m2", p.second)]);
            known.into_iter().chain(found.into_iter().flatten()).collect()
        }
    });
    bound.note = SMOOTHING;
    bound.probability = Some(1.0 - setting.confidence);
    Guarantee::lasso(setting, "ddaelr-2p", "C, section 4, unknown moments", Excess::Known(bound))
}
