//! Names the assumptions of the theorems, and rejects a guarantee that the moments contradict.

/// Assumptions of a theorem about examples and predictors.
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
    /// x_i| <= 1, |w|_1 <= B, |y| <= 1: Cesa-Bianchi, Shalev-Shwartz and Shamir 2010.
    Bounded,
}

impl Assumptions {
    /// Returns the assumptions as formulas.
    pub fn text(&self) -> &'static str {
        match self {
            Assumptions::Ridge { .. } => "|x|_2 <= R, |w|_2 <= B, |y| <= B R",
            Assumptions::Lasso { .. } => "|x_i| <= 1, |w|_1 <= B, |y| <= B",
            Assumptions::Bounded => "|x_i| <= 1, |w|_1 <= B, |y| <= 1",
        }
    }

    /// Returns the largest excess of predicting 0 over the best predictor; a bound that is not
    /// smaller is vacuous.
    pub fn excess_of_zero(&self) -> f64 {
        match self {
            Assumptions::Ridge { reach } | Assumptions::Lasso { reach } => reach * reach,
            Assumptions::Bounded => 1.0,
        }
    }
}
