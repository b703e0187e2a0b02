//! Represents a theorem as a function of the number of examples, and inverts it.

use super::assumptions::Assumptions;
use super::setting::Setting;
use std::fmt;

/// Tolerance for rounding in measured moments, which are means.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Largest number of examples of a plan.
pub const MOST_EXAMPLES: u64 = 1_000_000_000_000_000_000;

/// Guarantee of a theorem for one learner.
#[derive(Debug)]
pub struct Guarantee {
    /// Name of the learner.
    pub learner: &'static str,
    /// Paper and theorem.
    pub theorem: &'static str,
    /// Assumptions of the theorem.
    pub assumes: Assumptions,
    /// Number of reads of one example.
    pub budget: u64,
    /// Excess error over the best predictor.
    pub excess: Excess,
}

/// Excess error of the learned predictor over the best one.
#[derive(Debug)]
pub enum Excess {
    /// A bound with constants.
    Known(Bound),
    /// A theorem without constants.
    RateOnly {
        /// Rate O(...) of the theorem.
        rate: &'static str,
        /// Remark for the user.
        note: &'static str,
    },
    /// The assumptions cannot hold.
    Inapplicable {
        /// Reason, and remedy.
        why: String,
    },
}

/// Bound as a function of the number of examples.
type Curve = Box<dyn Fn(u64) -> f64 + Send + Sync>;
/// Symbols of a formula with their values for a number of examples.
type Constants = Box<dyn Fn(u64) -> Vec<(&'static str, f64)> + Send + Sync>;

/// Bound on the excess mean squared error, in expectation over examples and draws.
pub struct Bound {
    /// Formula for this implementation.
    pub formula: &'static str,
    /// Published bound: of half the squared error in Hazan and Koren 2012, Kukliansky and Shamir
    /// 2015.
    pub printed: Printed,
    /// Parameter that the theorem sets, and its value.
    pub tuning: Tuning,
    /// Difference between the formula and the published bound, and further remarks.
    pub note: &'static str,
    /// Least probability, over the first phase, of the bound; `None` if it always holds.
    pub probability: Option<f64>,
    constants: Constants,
    curve: Curve,
}

/// Published form of a theorem.
pub struct Printed {
    /// Formula.
    pub formula: &'static str,
    curve: Option<Curve>,
}

/// Parameter that a theorem sets.
pub struct Tuning {
    /// Name of the parameter.
    pub name: &'static str,
    curve: Curve,
}

impl Printed {
    /// Creates a formula with its value for a number of examples.
    pub fn new(
        formula: &'static str,
        curve: impl Fn(u64) -> f64 + Send + Sync + 'static,
    ) -> Printed {
        Printed { formula, curve: Some(Box::new(curve)) }
    }

    /// Creates a formula whose constant the paper leaves open.
    pub fn rate(formula: &'static str) -> Printed {
        Printed { formula, curve: None }
    }

    /// Returns the value; `None` if the theorem does not hold yet, or has no constant.
    pub fn at(&self, examples: u64) -> Option<f64> {
        self.curve.as_ref().and_then(|curve| finite(curve, examples))
    }

    /// Inverts the published bound as [`Bound::examples`] does.
    pub fn examples(&self, error: f64) -> Option<u64> {
        self.curve.as_ref().and_then(|curve| least_examples(curve, error))
    }
}

impl Tuning {
    /// Creates a parameter with its value for a number of examples.
    pub fn new(name: &'static str, curve: impl Fn(u64) -> f64 + Send + Sync + 'static) -> Tuning {
        Tuning { name, curve: Box::new(curve) }
    }

    /// Returns the value of the parameter.
    pub fn at(&self, examples: u64) -> Option<f64> {
        finite(&self.curve, examples)
    }
}

impl Bound {
    /// Creates a bound; `curve` decreases, and is infinite where the theorem does not hold yet.
    pub fn new(
        formula: &'static str,
        curve: impl Fn(u64) -> f64 + Send + Sync + 'static,
        printed: Printed,
        tuning: Tuning,
    ) -> Bound {
        let curve = Box::new(curve);
        Bound {
            formula,
            printed,
            tuning,
            note: "",
            probability: None,
            constants: Box::new(|_| Vec::new()),
            curve,
        }
    }

    /// Adds the symbols of the formula that the setting does not define.
    pub(crate) fn with_constants(
        mut self,
        constants: impl Fn(u64) -> Vec<(&'static str, f64)> + Send + Sync + 'static,
    ) -> Bound {
        self.constants = Box::new(constants);
        self
    }

    /// Returns the symbols of the formula that the setting does not define.
    pub fn constants(&self, examples: u64) -> Vec<(&'static str, f64)> {
        (self.constants)(examples)
    }

    /// Returns the excess; `None` if the theorem does not hold yet.
    pub fn at(&self, examples: u64) -> Option<f64> {
        finite(&self.curve, examples)
    }

    /// Returns the least number of examples with a bound of at most `error`; `None` if above
    /// [`MOST_EXAMPLES`].
    pub fn examples(&self, error: f64) -> Option<u64> {
        least_examples(&self.curve, error)
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bound({})", self.formula)
    }
}

fn finite(curve: &Curve, examples: u64) -> Option<f64> {
    (examples > 0).then(|| curve(examples)).filter(|value| value.is_finite())
}

/// Bisects over integers, so that bound(m) <= error < bound(m - 1) as computed, not only in theory.
fn least_examples(curve: &Curve, error: f64) -> Option<u64> {
    let enough = |examples| finite(curve, examples).is_some_and(|excess| excess <= error);
    let (mut short, mut long) = (0, MOST_EXAMPLES);
    if !enough(long) {
        return None;
    }
    while long - short > 1 {
        let middle = short + (long - short) / 2;
        *(if enough(middle) { &mut long } else { &mut short }) = middle;
    }
    Some(long)
}

impl Guarantee {
    /// Creates a guarantee for examples of |x|_2 <= R.
    pub fn ridge(
        setting: &Setting,
        learner: &'static str,
        theorem: &'static str,
        excess: Excess,
    ) -> Guarantee {
        let sum = setting.moments.map_or(0.0, |moments| moments.sum);
        let why = || {
            // Rounded up, so that the named norm suffices.
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

    /// Creates a guarantee for examples of |x_i| <= 1 and targets of |y| <= B.
    pub fn lasso(
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

    /// Creates a guarantee by Cesa-Bianchi, Shalev-Shwartz and Shamir 2010: |x_i| <= 1, |y| <= 1.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversion_is_exact_on_the_boundary() {
        let root = |c: f64| -> Curve { Box::new(move |m| c / (m as f64).sqrt()) };
        for error in [1.0, 0.3, 0.1, 1e-3, 1e-6] {
            let m = least_examples(&root(3.0), error).unwrap();
            assert!(root(3.0)(m) <= error && (m == 1 || root(3.0)(m - 1) > error), "{error}: {m}");
        }
        assert_eq!(least_examples(&root(3.0), 3.0), Some(1));
        assert_eq!(least_examples(&root(3.0), 1.5), Some(4));
        assert!(least_examples(&root(1.0), 1e-9).is_some_and(|m| m > MOST_EXAMPLES - 1000));
        assert_eq!(least_examples(&root(1.0), 0.999e-9), None);
        assert_eq!(least_examples(&root(1.0), f64::NAN), None);
        let late: Curve = Box::new(|m| if m < 7 { f64::INFINITY } else { 0.0 });
        assert_eq!(least_examples(&late, 1.0), Some(7));
        assert_eq!((finite(&late, 6), finite(&late, 7), finite(&late, 0)), (None, Some(0.0), None));
    }
}
