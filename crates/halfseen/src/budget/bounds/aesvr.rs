//! States the rate of attribute-efficient support vector regression (paper B), whose theorem has no constants.

use crate::plan::{Excess, Guarantee, Setting};

/// Theorem 4.4.
pub(super) fn guarantee(setting: &Setting) -> Guarantee {
    let excess = Excess::RateOnly {
        rate: "m = O(d/k) exp(O(log^2(B/error))), for the absolute error",
        note: "its estimates vary like exp(4 z^2) in the residual z over the error: of use only for errors near B",
    };
    Guarantee::ridge(setting, "aesvr", "B, theorem 4.4", excess)
}
