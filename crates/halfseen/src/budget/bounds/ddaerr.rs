//! Bounds DDAERR: GAERR with q_i ~ sqrt(mu_i), the best for known moments (paper C, theorem 3.5).
//!
//! S = |mu|_{1/2} = H: half the squared error exceeds by at most 2 B^2 sqrt((H/k + 1) / m) from w = 0. H <= d, and H = d only if
//! all moments are equal; without moments H = d is taken.

use super::gaerr::inflation;
use crate::plan::{Bound, Excess, Guarantee, Printed, Setting, Tuning};

/// Theorem 3.5.
pub(super) fn guarantee(setting: &Setting) -> Guarantee {
    let (b, half_norm) = (setting.ridge_radius(), setting.half_norm());
    let (growth, squared) = (inflation(setting, half_norm), setting.norm * setting.norm);
    let root = move |m: u64| (growth / m as f64).sqrt();
    let draws = setting.draws();
    let mut bound = Bound::new(
        if setting.reads_all() { "4 B^2 / sqrt(m)" } else { "4 B^2 sqrt((H/k + 1) / m)" },
        move |m| 4.0 * b * b * root(m),
        Printed::new("4 B^2 sqrt((H/k + 1) / m)", move |m| 4.0 * b * b * root(m)),
        Tuning::new("step", move |m| 1.0 / (2.0 * squared * (growth * m as f64).sqrt())),
    )
    .with_constants(move |_| vec![("H", half_norm), ("k", draws)]);
    bound.note = "from any w; w = 0 halves it";
    Guarantee::ridge(setting, "ddaerr", "C, theorem 3.5", Excess::Known(bound))
}
