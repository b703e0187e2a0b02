//! Names what the theorems assume, and takes a promise back where the moments contradict it.

use super::guarantee::{Excess, Guarantee};
use super::setting::Setting;

/// What a theorem assumes about examples and rules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Assumptions {
    /// |x|_2 <= R, |w|_2 <= B, |y| <= B R.
    Ridge {
        /// B R.
        reach: f64,
    },
    /// |x_i| <= 1, |w|_1 <= B, |y| <= B.
    Lasso {
        /// B.
        reach: f64,
    },
    /// |x_i| <= 1, |w|_1 <= B, |y| <= 1: paper A.
    Bounded,
}

impl Assumptions {
    /// In formulas.
    pub fn text(&self) -> &'static str {
        match self {
            Assumptions::Ridge { .. } => "|x|_2 <= R, |w|_2 <= B, |y| <= B R",
            Assumptions::Lasso { .. } => "|x_i| <= 1, |w|_1 <= B, |y| <= B",
            Assumptions::Bounded => "|x_i| <= 1, |w|_1 <= B, |y| <= 1",
        }
    }

    /// The most by which predicting 0 can be worse than the best rule: a bound that is not below
    /// this says nothing.
    pub fn excess_of_zero(&self) -> f64 {
        match self {
            Assumptions::Ridge { reach } | Assumptions::Lasso { reach } => reach * reach,
            Assumptions::Bounded => 1.0,
        }
    }
}

/// Measured moments are means, with rounding.
const ROUNDING: f64 = 1.0 + 1e-9;

impl Guarantee {
    /// A promise for examples of |x|_2 <= R.
    pub(crate) fn ridge(
        setting: &Setting,
        learner: &'static str,
        theorem: &'static str,
        excess: Excess,
    ) -> Guarantee {
        let sum = setting.moments.map_or(0.0, |moments| moments.sum);
        let why = || {
            // Rounded up, so that what is named is enough.
            let least = (sum.sqrt() * 1000.0).ceil() / 1000.0;
            format!(
                "the moments sum to {sum:.4}, so |x|_2 <= {} cannot hold; give a norm of at least {least}",
                setting.norm
            )
        };
        let possible = sum <= setting.norm * setting.norm * ROUNDING;
        let excess = if possible { excess } else { Excess::Inapplicable { why: why() } };
        let assumes = Assumptions::Ridge { reach: setting.ridge_radius() };
        Guarantee { learner, theorem, assumes, budget: setting.budget, excess }
    }

    /// A promise for examples of |x_i| <= 1 and targets of |y| <= B.
    pub(crate) fn lasso(
        setting: &Setting,
        learner: &'static str,
        theorem: &'static str,
        excess: Excess,
    ) -> Guarantee {
        let assumes = Assumptions::Lasso { reach: setting.radius };
        Guarantee {
            learner,
            theorem,
            assumes,
            budget: setting.budget,
            excess: at_most_one(setting, excess),
        }
    }

    /// A promise of paper A, for examples of |x_i| <= 1 and targets of |y| <= 1.
    pub(crate) fn bounded(
        setting: &Setting,
        learner: &'static str,
        theorem: &'static str,
        excess: Excess,
    ) -> Guarantee {
        let assumes = Assumptions::Bounded;
        Guarantee {
            learner,
            theorem,
            assumes,
            budget: setting.budget,
            excess: at_most_one(setting, excess),
        }
    }
}

fn at_most_one(setting: &Setting, excess: Excess) -> Excess {
    let largest = setting.moments.map_or(0.0, |moments| moments.largest);
    if largest <= ROUNDING {
        return excess;
    }
    let why = format!(
        "a moment is {largest:.4}, so |x_i| <= 1 cannot hold; divide the attributes by their largest value"
    );
    Excess::Inapplicable { why }
}
