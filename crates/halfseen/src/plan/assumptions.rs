//! Names what the theorems assume, and takes a promise back where the moments contradict it.

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
