//! Applies a theorem: the excess after a number of examples, or the examples for an excess.

use super::setting::Setting;
use super::theorems::Theorem;
use serde_json::{Value, json};

/// Largest number of examples of a plan.
pub const MOST_EXAMPLES: u64 = 1_000_000_000_000_000_000;

/// Goal of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// A number of examples; the excess follows.
    Examples(u64),
    /// A largest excess error; the number of examples follows.
    Error(f64),
}

/// Guarantee of a theorem, with the examples and reads that it needs.
#[derive(Debug)]
pub struct Plan {
    /// Theorem.
    pub theorem: &'static Theorem,
    /// Number of reads of one example.
    pub budget: u64,
    /// Number of examples; `None` if more than [`MOST_EXAMPLES`].
    pub examples: Option<u64>,
    /// Number of reads of all examples; `None` if more than [`MOST_EXAMPLES`].
    pub reads: Option<u64>,
    /// Bound on the excess mean squared error after these examples; `None` if the theorem needs
    /// more of them, or its assumptions cannot hold.
    pub excess: Option<f64>,
    /// Value of the theorem's parameter for these examples, where there is a bound.
    pub step: Option<f64>,
    /// True if the bound is below the largest excess of predicting 0, hence not vacuous.
    pub says_something: bool,
    /// Reason why the assumptions cannot hold, and remedy.
    pub contradiction: Option<String>,
}

/// Returns the plan of a theorem for a goal.
pub fn plan(theorem: &'static Theorem, setting: &Setting, goal: Goal) -> Plan {
    let budget = setting.budget;
    let contradiction = theorem.assumes.contradiction(setting);
    let possible = contradiction.is_none();
    let examples = match goal {
        Goal::Examples(examples) => Some(examples),
        Goal::Error(error) if possible => least_examples(|m| theorem.excess(setting, m), error),
        Goal::Error(_) => None,
    };
    let excess = examples.filter(|_| possible).and_then(|m| theorem.excess(setting, m));
    Plan {
        theorem,
        budget,
        examples,
        reads: examples.and_then(|m| m.checked_mul(budget)).filter(|all| *all <= MOST_EXAMPLES),
        excess,
        step: excess.and(examples).and_then(|m| theorem.step(setting, m)),
        says_something: excess.is_some_and(|e| e < theorem.assumes.excess_of_zero(setting)),
        contradiction,
    }
}

impl Plan {
    /// Returns the plan with its theorem, for the program and for Python.
    pub fn as_json(&self) -> Value {
        let Theorem { learner, source, assumes, formula, parameter, .. } = self.theorem;
        json!({
            "learner": learner, "theorem": source, "assumes": assumes.text(), "formula": formula,
            "budget": self.budget, "examples": self.examples, "reads": self.reads,
            "excess": self.excess, "says_something": self.says_something,
            "set": self.step.map(|value| json!({ *parameter: value })),
            "contradiction": self.contradiction,
        })
    }
}

/// Returns the least number of examples with a bound of at most `error`; `None` if above
/// [`MOST_EXAMPLES`].
///
/// It bisects over integers, so that bound(m) <= error < bound(m - 1) as computed, not only in
/// theory.
fn least_examples(bound: impl Fn(u64) -> Option<f64>, error: f64) -> Option<u64> {
    let enough = |examples| bound(examples).is_some_and(|excess| excess <= error);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversion_is_exact_on_the_boundary() {
        let root = |c: f64| move |m: u64| Some(c / (m as f64).sqrt());
        for error in [1.0, 0.3, 0.1, 1e-3, 1e-6] {
            let m = least_examples(root(3.0), error).unwrap();
            let at = |m| root(3.0)(m).unwrap();
            assert!(at(m) <= error && (m == 1 || at(m - 1) > error), "{error}: {m}");
        }
        assert_eq!(least_examples(root(3.0), 3.0), Some(1));
        assert_eq!(least_examples(root(3.0), 1.5), Some(4));
        assert!(least_examples(root(1.0), 1e-9).is_some_and(|m| m > MOST_EXAMPLES - 1000));
        assert_eq!(least_examples(root(1.0), 0.999e-9), None);
        assert_eq!(least_examples(root(1.0), f64::NAN), None);
        assert_eq!(least_examples(|m| (m >= 7).then_some(0.0), 1.0), Some(7));
    }
}
