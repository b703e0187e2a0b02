//! Bounds DDAELR: GAELR with q_i ~ mu_i, the best for known moments (paper C, section 4).
//!
//! M = |mu|_1 = N: half the squared error exceeds by at most 4 B^2 sqrt(5 log(2d) (N/k + 1) / m) for m >= log 2d. N <= d; without
//! moments N = d is taken.

use super::gaelr::{half, step};
use super::gaerr::inflation;
use crate::plan::{Bound, Excess, Guarantee, Printed, Setting, Tuning};

/// The theorem for known moments of section 4.
pub(super) fn guarantee(setting: &Setting) -> Guarantee {
    let sum = setting.moment_sum();
    let growth = inflation(setting, sum);
    let [for_excess, for_print, for_step] = [0; 3].map(|_| setting.clone());
    let draws = setting.draws();
    let bound = Bound::new(
        if setting.reads_all() { "8 B^2 sqrt(5 log(2d) / m)" } else { "8 B^2 sqrt(5 log(2d) (N/k + 1) / m)" },
        move |m| 2.0 * half(&for_excess, growth, m as f64),
        Printed::new("4 B^2 sqrt(5 log(2d) (N/k + 1) / m)", move |m| half(&for_print, growth, m as f64)),
        Tuning::new("step", move |m| step(&for_step, growth, m as f64)),
    )
    .with_constants(move |_| vec![("N", sum), ("k", draws)]);
    Guarantee::lasso(setting, "ddaelr", "C, section 4, known moments", Excess::Known(bound))
}
