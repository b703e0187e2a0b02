//! States the rate of the moment estimate of paper A, whose theorem has no constants.

use crate::plan::{Excess, Guarantee, Setting};

/// Theorem 1.
pub(super) fn guarantee(setting: &Setting) -> Guarantee {
    let excess = Excess::RateOnly {
        rate: "O((d B)^2 / k sqrt(ln(d/delta) / m)), with probability 1 - delta",
        note: "no constant is known",
    };
    Guarantee::bounded(setting, "baseline", "A, theorem 1", excess)
}
