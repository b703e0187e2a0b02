//! Computes with pairs of a slack and a multiplier, stored in two lists.

use super::{Reach, Steps, Target};
use crate::vectors::add_multiple;
use crate::wide::{NullaryFnOnce, wide};
use std::ops::Range;

/// Number of sums that the processor computes in parallel.
const LANES: usize = 8;

/// Slacks and multipliers of one kind of bound at a point, or their changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pairs {
    pub(crate) slack: Vec<f64>,
    pub(crate) multiplier: Vec<f64>,
}

impl Pairs {
    pub(crate) fn zeros(count: usize) -> Pairs {
        Pairs { slack: vec![0.0; count], multiplier: vec![0.0; count] }
    }

    /// Returns slacks and multipliers of a range.
    #[inline(always)]
    pub(crate) fn at(&self, range: Range<usize>) -> (&[f64], &[f64]) {
        (&self.slack[range.clone()], &self.multiplier[range])
    }

    #[inline(always)]
    pub(crate) fn at_mut(&mut self, range: Range<usize>) -> (&mut [f64], &mut [f64]) {
        (&mut self.slack[range.clone()], &mut self.multiplier[range])
    }

    /// Adds another direction.
    pub(crate) fn add(&mut self, other: &Pairs) {
        add_multiple(&mut self.slack, 1.0, &other.slack);
        add_multiple(&mut self.multiplier, 1.0, &other.multiplier);
    }

    /// Returns z / s: the increase of a multiplier per unit of decrease of its slack.
    pub(crate) fn ratios(&self) -> Vec<f64> {
        self.multiplier.iter().zip(&self.slack).map(|(z, s)| z / s).collect()
    }

    /// Returns the changes of multipliers that reach the target with fixed slacks. `last` is the
    /// previous direction; pair i has the weight `weight(i)`.
    pub(crate) fn held(
        &self,
        target: Target,
        last: &Pairs,
        weight: impl Fn(usize) -> f64,
    ) -> Vec<f64> {
        let change = |i: usize| {
            let (now, by) =
                ([self.slack[i], self.multiplier[i]], [last.slack[i], last.multiplier[i]]);
            target.change(weight(i), now, by) / self.slack[i]
        };
        (0..self.slack.len()).map(change).collect()
    }

    /// Returns the direction for these changes of slacks, given the result of [`Pairs::held`].
    pub(crate) fn complete(&self, slack: Vec<f64>, mut held: Vec<f64>) -> Pairs {
        for (i, dz) in held.iter_mut().enumerate() {
            *dz -= self.multiplier[i] / self.slack[i] * slack[i];
        }
        Pairs { slack, multiplier: held }
    }
}

/// Returns the sum of products.
pub(crate) fn products(at: &[Pairs]) -> f64 {
    let of = |p: &Pairs| p.slack.iter().zip(&p.multiplier).map(|(s, z)| s * z).sum::<f64>();
    at.iter().map(of).sum()
}

/// Returns the reach of a direction.
pub(crate) fn reach(at: &[Pairs], direction: &[Pairs]) -> Reach {
    wide(ReachOf { at, direction })
}

struct ReachOf<'p> {
    at: &'p [Pairs],
    direction: &'p [Pairs],
}

impl NullaryFnOnce for ReachOf<'_> {
    type Output = Reach;

    #[inline(always)]
    fn call(self) -> Reach {
        let mut reach = WideReach::default();
        for (at, by) in self.at.iter().zip(self.direction) {
            reach.pairs((&at.slack, &at.multiplier), (&by.slack, &by.multiplier));
        }
        reach.total()
    }
}

/// Reach of the pairs whose number has each remainder by [`LANES`].
#[derive(Default)]
pub(crate) struct WideReach {
    primal: [f64; LANES],
    dual: [f64; LANES],
    slack: [f64; LANES],
    multiplier: [f64; LANES],
    both: [f64; LANES],
    rest: Reach,
}

impl WideReach {
    /// Includes slacks, multipliers, and their changes.
    #[inline(always)]
    pub(crate) fn pairs(&mut self, at: (&[f64], &[f64]), by: (&[f64], &[f64])) {
        let [slack, multiplier, by_slack, by_multiplier] =
            [at.0, at.1, by.0, by.1].map(|list| list.as_chunks::<LANES>());
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        for (((s, z), ds), dz) in
            slack.0.iter().zip(multiplier.0).zip(by_slack.0).zip(by_multiplier.0)
        {
            for k in 0..LANES {
                self.primal[k] = larger(-ds[k] / s[k], self.primal[k]);
                self.dual[k] = larger(-dz[k] / z[k], self.dual[k]);
                self.slack[k] += ds[k] * z[k];
                self.multiplier[k] += s[k] * dz[k];
                self.both[k] += ds[k] * dz[k];
            }
        }
        let rest = slack.1.iter().zip(multiplier.1).zip(by_slack.1).zip(by_multiplier.1);
        rest.for_each(|(((&s, &z), &ds), &dz)| self.rest.pair([s, z], [ds, dz]));
    }

    /// Combines all.
    pub(crate) fn total(&self) -> Reach {
        let lane = |k: usize| Reach {
            primal: self.primal[k],
            dual: self.dual[k],
            slack: self.slack[k],
            multiplier: self.multiplier[k],
            both: self.both[k],
        };
        (0..LANES).map(lane).fold(self.rest, Reach::and)
    }
}

/// Writes the changes of multipliers that reach the target with fixed slacks, for pairs of one
/// weight at a point and their last changes.
#[inline(always)]
pub(crate) fn hold(
    target: Target,
    weight: f64,
    (slack, multiplier): (&[f64], &[f64]),
    (d_slack, d_multiplier): (&[f64], &[f64]),
    to: &mut [f64],
) {
    let pairs = slack.iter().zip(multiplier).zip(d_slack).zip(d_multiplier).zip(to);
    // One loop for each target: none is chosen within.
    macro_rules! each {
        ($target:expr) => {
            pairs.for_each(|((((&s, &z), &ds), &dz), to)| {
                *to = $target.change(weight, [s, z], [ds, dz]) / s
            })
        };
    }
    match target {
        Target::Optimum => each!(Target::Optimum),
        Target::Centre { mu } => each!(Target::Centre { mu }),
        Target::Correction { mu, ahead } => each!(Target::Correction { mu, ahead }),
    }
}

/// Moves along a direction; nothing becomes 0.
pub(crate) fn advance(at: &mut [Pairs], direction: &[Pairs], steps: Steps) {
    for (at, by) in at.iter_mut().zip(direction) {
        for (to, step, by) in [
            (&mut at.slack, steps.primal, &by.slack),
            (&mut at.multiplier, steps.dual, &by.multiplier),
        ] {
            to.iter_mut()
                .zip(by)
                .for_each(|(to, by)| *to = (*to + step * by).max(f64::MIN_POSITIVE));
        }
    }
}

/// Variables a with 0 <= a <= c: the slacks of `lower` are a, those of `upper` c - a. The latter
/// are updated too, because the difference has no correct digits where it is small.
#[derive(Debug)]
pub(crate) struct Bounds {
    pub(crate) at: [Pairs; 2],
    pub(crate) direction: [Pairs; 2],
}

impl Bounds {
    /// Creates bounds for interior variables and multipliers above 0.
    pub(crate) fn new(a: Vec<f64>, costs: &[f64], lower: Vec<f64>, upper: Vec<f64>) -> Bounds {
        let room = a.iter().zip(costs).map(|(a, c)| c - a).collect();
        let direction = [Pairs::zeros(a.len()), Pairs::zeros(a.len())];
        let lower = Pairs { slack: a, multiplier: lower };
        Bounds { at: [lower, Pairs { slack: room, multiplier: upper }], direction }
    }

    pub(crate) fn variables(&self) -> &[f64] {
        &self.at[0].slack
    }

    /// Returns the contribution of both bounds to the diagonal of the variables' equations.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        let [lower, upper] = [self.at[0].ratios(), self.at[1].ratios()];
        lower.iter().zip(&upper).map(|(l, u)| l + u).collect()
    }

    /// Returns the changes of both multipliers that reach the target with fixed variables.
    pub(crate) fn held(&self, target: Target) -> [Vec<f64>; 2] {
        [0, 1].map(|side| self.at[side].held(target, &self.direction[side], |_| 1.0))
    }

    /// Sets the direction for changes of the variables, with a common step length.
    pub(crate) fn complete(&mut self, change: Vec<f64>, [lower, upper]: [Vec<f64>; 2]) -> Reach {
        let room = change.iter().map(|d| -d).collect();
        self.direction = [self.at[0].complete(change, lower), self.at[1].complete(room, upper)];
        reach(&self.at, &self.direction).together()
    }

    pub(crate) fn advance(&mut self, steps: Steps, costs: &[f64]) {
        advance(&mut self.at, &self.direction, steps);
        let [lower, upper] = &mut self.at;
        for ((a, room), cost) in lower.slack.iter_mut().zip(&mut upper.slack).zip(costs) {
            // The larger of a and c - a determines both.
            if *a > *room {
                *a = cost - *room;
            } else {
                *room = cost - *a;
            }
        }
    }

    /// Returns the variables, moved to a bound if a coordinate step would reach it; `curvatures`
    /// are the second derivatives.
    pub(crate) fn settled(&self, costs: &[f64], curvatures: &[f64]) -> Vec<f64> {
        let [lower, upper] = &self.at;
        let settle = |i: usize| {
            let (a, room, near) = (lower.slack[i], upper.slack[i], NEAR * costs[i]);
            if a < near && lower.multiplier[i] > a * curvatures[i] {
                0.0
            } else if room < near && upper.multiplier[i] > room * curvatures[i] {
                costs[i]
            } else {
                a.min(costs[i])
            }
        };
        (0..costs.len()).map(settle).collect()
    }
}

/// Distance from a bound, relative to the cost, within which a variable may be moved to it.
const NEAR: f64 = 1e-3;
