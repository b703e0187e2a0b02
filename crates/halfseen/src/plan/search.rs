//! Turns guarantees into plans, and finds the best reads per example for a total.

use super::Promise;
use super::guarantee::{Excess, Guarantee, MOST_EXAMPLES};
use super::setting::Setting;

/// Goal of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// A number of examples; the excess follows.
    Examples(u64),
    /// A largest excess error; the number of examples follows.
    Error(f64),
}

/// Guarantee with the examples and reads that it needs.
#[derive(Debug)]
pub struct Plan {
    /// Guarantee, with the reads of one example.
    pub guarantee: Guarantee,
    /// Number of examples; `None` if unknown or more than [`MOST_EXAMPLES`].
    pub examples: Option<u64>,
    /// Excess of the mean squared error after these examples.
    pub excess: Option<f64>,
    /// Number of reads of all examples; `None` if unknown or more than [`MOST_EXAMPLES`].
    pub reads: Option<u64>,
}

impl Plan {
    /// Returns true if the bound is below the largest excess of predicting 0, hence not vacuous.
    pub fn says_something(&self) -> bool {
        self.excess.is_some_and(|excess| excess < self.guarantee.assumes.excess_of_zero())
    }
}

/// Returns the plan of a guarantee for a goal, at its reads per example.
pub fn make(guarantee: Guarantee, goal: Goal) -> Plan {
    let Excess::Known(bound) = &guarantee.excess else {
        let examples = if let Goal::Examples(examples) = goal { Some(examples) } else { None };
        let reads = examples.and_then(|m| reads(m, guarantee.budget));
        return Plan { guarantee, examples, excess: None, reads };
    };
    let examples = match goal {
        Goal::Examples(examples) => Some(examples),
        Goal::Error(error) => bound.examples(error),
    };
    let excess = examples.and_then(|m| bound.at(m));
    let reads = examples.and_then(|m| reads(m, guarantee.budget));
    Plan { guarantee, examples, excess, reads }
}

/// Returns a plan for each of these guarantees: for a goal, or the best for `total` reads.
pub fn all(
    promises: &[Promise],
    setting: &Setting,
    total: Option<u64>,
    goal: Option<Goal>,
) -> Vec<Plan> {
    let plan = |promise: &Promise| match (total, goal) {
        (Some(total), _) => Some(best(*promise, setting, total, goal)),
        (None, goal) => goal.map(|goal| make(promise(setting), goal)),
    };
    promises.iter().filter_map(plan).collect()
}

/// Returns the best plan for `total` reads: the one of least excess, or for [`Goal::Error`] the one
/// of fewest reads (possibly more than `total`). [`Goal::Examples`] limits the examples.
///
/// Ties go to fewer reads per example. Above 4096 it tries 64 numbers per octave, d and d - 1.
pub fn best(promise: Promise, setting: &Setting, total: u64, goal: Option<Goal>) -> Plan {
    let at = |budget| promise(&Setting { budget, ..setting.clone() });
    let plan = |budget: u64| {
        let guarantee = at(budget);
        let affordable = total / guarantee.budget;
        match goal {
            None => make(guarantee, Goal::Examples(affordable)),
            Some(Goal::Examples(most)) => make(guarantee, Goal::Examples(affordable.min(most))),
            Some(error) => make(guarantee, error),
        }
    };
    let cost = |plan: &Plan| match goal {
        Some(Goal::Error(_)) => plan.reads.map_or(f64::INFINITY, |reads| reads as f64),
        _ => plan.excess.unwrap_or(f64::INFINITY),
    };
    let mut found = plan(setting.dims.min(2));
    if !matches!(found.guarantee.excess, Excess::Known(_)) || found.guarantee.budget == setting.dims
    {
        return found;
    }
    for budget in candidates(setting.dims) {
        let next = plan(budget);
        if cost(&next) < cost(&found) {
            found = next;
        }
    }
    found
}

/// Returns the numbers of reads per example to try, from 3 on.
fn candidates(dims: u64) -> impl Iterator<Item = u64> {
    const EACH: u64 = 4096;
    let octaves = (1..64 * 40).map(|i| (EACH as f64 * (f64::from(i) / 64.0).exp2()) as u64);
    let coarse = octaves.take_while(move |k| *k < dims);
    (3..=EACH.min(dims)).chain(coarse).chain([dims - 1, dims]).filter(|k| *k >= 2)
}

fn reads(examples: u64, budget: u64) -> Option<u64> {
    examples.checked_mul(budget).filter(|reads| *reads <= MOST_EXAMPLES)
}
