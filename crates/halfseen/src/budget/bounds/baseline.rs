//! States the rate of the moment estimate of paper A, whose theorem has no constants.

use crate::plan::{Excess, Guarantee, Setting};

/// Theorem 1.
pub(super) fn guarantee(setting: &Setting) -> Guarantee {
    let excess = Excess::RateOnly {
        rate: "O((d B)^2 / k sqrt(ln(d/delta) / m)), with probability 1 - delta",
        note: "no constant is known, and the estimated moments need not be those of any data, so that the problem solved may not be convex",
    };
    Guarantee::bounded(setting, "baseline", "A, theorem 1", excess)
}
