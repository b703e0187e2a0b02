//! Turns promises into plans, and finds the best number of reads per example where their total
//! counts.

use super::Promise;
use super::guarantee::{Excess, Guarantee, MOST_EXAMPLES};
use super::setting::Setting;

/// What a plan is made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// So many examples; the excess follows.
    Examples(u64),
    /// An excess error at most this; the examples follow.
    Error(f64),
}

/// A promise, and what it takes.
#[derive(Debug)]
pub struct Plan {
    /// The promise, with the reads of one example.
    pub guarantee: Guarantee,
    /// Examples; `None`: more than [`MOST_EXAMPLES`], or unknown.
    pub examples: Option<u64>,
    /// Excess of the mean squared error after these.
    pub excess: Option<f64>,
    /// All reads of all examples; `None`: more than [`MOST_EXAMPLES`], or unknown.
    pub reads: Option<u64>,
}

impl Plan {
    /// Whether the promise is one: the bound is below what predicting 0 can lose.
    pub fn says_something(&self) -> bool {
        self.excess.is_some_and(|excess| excess < self.guarantee.assumes.excess_of_zero())
    }
}

/// The plan that a guarantee makes for a goal, at its reads per example.
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

/// The best plan for `total` reads: with no goal or so many examples at most, the least excess;
/// with an error, the fewest reads (which may be more than `total`).
///
/// Ties go to the fewer reads per example. Numbers of reads above 4096 are tried 64 to the octave,
/// and d and d - 1 always.
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

/// Numbers of reads per example to try, from 3 on.
fn candidates(dims: u64) -> impl Iterator<Item = u64> {
    const EACH: u64 = 4096;
    let octaves = (1..64 * 40).map(|i| (EACH as f64 * (f64::from(i) / 64.0).exp2()) as u64);
    let coarse = octaves.take_while(move |k| *k < dims);
    (3..=EACH.min(dims)).chain(coarse).chain([dims - 1, dims]).filter(|k| *k >= 2)
}

fn reads(examples: u64, budget: u64) -> Option<u64> {
    examples.checked_mul(budget).filter(|reads| *reads <= MOST_EXAMPLES)
}
