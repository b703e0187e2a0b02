//! Holds a theorem as a function of the examples, and inverts it.

use super::assumptions::Assumptions;
use super::setting::Setting;
use std::fmt;

/// Measured moments are means, with rounding.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Plans for more examples than this are not made.
pub const MOST_EXAMPLES: u64 = 1_000_000_000_000_000_000;

/// What a theorem promises for one learner.
#[derive(Debug)]
pub struct Guarantee {
    /// The learner's name.
    pub learner: &'static str,
    /// Paper and theorem.
    pub theorem: &'static str,
    /// What the theorem assumes.
    pub assumes: Assumptions,
    /// Reads of one example.
    pub budget: u64,
    /// How far above the best rule the learned one can be.
    pub excess: Excess,
}

/// How far above the best rule the learned one can be.
#[derive(Debug)]
pub enum Excess {
    /// A bound with its constants.
    Known(Bound),
    /// The theorem has no constants.
    RateOnly {
        /// The theorem's O(...).
        rate: &'static str,
        /// What a user should know.
        note: &'static str,
    },
    /// The assumptions cannot hold.
    Inapplicable {
        /// Why, and what to change.
        why: String,
    },
}

/// A bound of the examples.
type Curve = Box<dyn Fn(u64) -> f64 + Send + Sync>;
/// The symbols of a formula and their values for so many examples.
type Constants = Box<dyn Fn(u64) -> Vec<(&'static str, f64)> + Send + Sync>;

/// A bound on the excess of the mean squared error, in expectation over examples and draws.
pub struct Bound {
    /// For this implementation.
    pub formula: &'static str,
    /// What the paper prints: of half the squared error in papers B and C.
    pub printed: Printed,
    /// The parameter that the theorem sets, and its value.
    pub tuning: Tuning,
    /// How formula and print differ, and what else to know.
    pub note: &'static str,
    /// If not always, then with at least this probability over the first phase.
    pub probability: Option<f64>,
    constants: Constants,
    curve: Curve,
}

/// A theorem's own words.
pub struct Printed {
    /// The formula.
    pub formula: &'static str,
    curve: Option<Curve>,
}

/// The parameter that a theorem sets.
pub struct Tuning {
    /// Its name.
    pub name: &'static str,
    curve: Curve,
}

impl Printed {
    pub(crate) fn new(
        formula: &'static str,
        curve: impl Fn(u64) -> f64 + Send + Sync + 'static,
    ) -> Printed {
        Printed { formula, curve: Some(Box::new(curve)) }
    }

    /// A formula whose constant the paper leaves open.
    pub(crate) fn rate(formula: &'static str) -> Printed {
        Printed { formula, curve: None }
    }

    /// The value after so many examples; `None` where the theorem does not hold yet, or has no
    /// constant.
    pub fn at(&self, examples: u64) -> Option<f64> {
        self.curve.as_ref().and_then(|curve| finite(curve, examples))
    }

    /// The least number of examples whose printed bound is at most `error`; `None` as in
    /// [`Bound::examples`].
    pub fn examples(&self, error: f64) -> Option<u64> {
        self.curve.as_ref().and_then(|curve| least_examples(curve, error))
    }
}

impl Tuning {
    pub(crate) fn new(
        name: &'static str,
        curve: impl Fn(u64) -> f64 + Send + Sync + 'static,
    ) -> Tuning {
        Tuning { name, curve: Box::new(curve) }
    }

    /// The value for so many examples.
    pub fn at(&self, examples: u64) -> Option<f64> {
        finite(&self.curve, examples)
    }
}

impl Bound {
    /// A bound; `curve` falls with the examples and is infinite where the theorem does not hold
    /// yet.
    pub(crate) fn new(
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

    /// Names the symbols of the formula that the setting does not name.
    pub(crate) fn with_constants(
        mut self,
        constants: impl Fn(u64) -> Vec<(&'static str, f64)> + Send + Sync + 'static,
    ) -> Bound {
        self.constants = Box::new(constants);
        self
    }

    /// The symbols of the formula that the setting does not name, for so many examples.
    pub fn constants(&self, examples: u64) -> Vec<(&'static str, f64)> {
        (self.constants)(examples)
    }

    /// The excess after so many examples; `None` where the theorem does not hold yet.
    pub fn at(&self, examples: u64) -> Option<f64> {
        finite(&self.curve, examples)
    }

    /// The least number of examples whose bound is at most `error`; `None`: more than
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

/// Bisection on whole numbers, so that bound(m) <= error < bound(m - 1) as computed, not only as
/// written.
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
