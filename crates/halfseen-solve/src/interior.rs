//! Follows central paths: the primal-dual interior-point method of all solvers in this crate.
//!
//! **Setting**: slacks s > 0 and multipliers z > 0 form pairs. At the optimum every product s z is
//! 0; on the central path every product is mu, times the weight of the pair if pairs have weights.
//!
//! **Method**: Mehrotra's predictor and corrector (SIAM J. Optim. 2, 1992), and for some problems
//! Gondzio's centrality correctors (Comput. Optim. Appl. 6, 1996). [`step`] is one iteration,
//! [`follow`] all of them. A [`CentralPath`] computes its residuals and solves for a Newton
//! direction; [`pairs`] computes with pairs.

mod pairs;

pub(crate) use pairs::{Bounds, Pairs, WideReach, advance, hold, products, reach};

use crate::cholesky::NotPositive;
use crate::monitor::Monitor;
use crate::stop::SolverStop;

/// Lower limit of the share of the products left by the affine step, in Mehrotra's rule.
const LEAST_LEFT: f64 = 1e-6;
/// Step length from which on centrality correctors are not worthwhile.
const NEARLY_WHOLE: f64 = 0.95;
/// Increase of the step lengths that centrality correctors aim at.
const LONGER: f64 = 0.3;
/// Least increase of the step lengths for which a corrector is accepted.
const GAIN: f64 = 0.05;
/// Products within these factors of the target are not corrected.
const CENTRAL: [f64; 2] = [0.1, 10.0];
/// Step length below which there is no progress.
const SHORTEST: f64 = 1e-10;
/// Fall of what is left, relative to what was left at the last progress, that counts as progress.
const ENOUGH: f64 = 0.9;

/// Step lengths of slacks and multipliers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Steps {
    pub(crate) primal: f64,
    pub(crate) dual: f64,
}

/// Target of a direction for the products.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// First-order target 0: the affine direction.
    Optimum,
    /// Target `mu`, given the second-order term of the last, affine direction.
    Centre { mu: f64 },
    /// Correction of the last direction: products after these steps along it should be near `mu`.
    /// Residuals are not corrected.
    Correction { mu: f64, ahead: Steps },
}

impl Target {
    /// Returns the first-order change of s z for a pair of this weight; ds and dz are those of the
    /// last direction.
    #[inline(always)]
    pub(crate) fn change(self, weight: f64, [s, z]: [f64; 2], [ds, dz]: [f64; 2]) -> f64 {
        match self {
            Target::Optimum => -s * z,
            Target::Centre { mu } => weight * mu - s * z - ds * dz,
            Target::Correction { mu, ahead } => {
                let product = (s + ahead.primal * ds) * (z + ahead.dual * dz);
                let [low, high] = CENTRAL.map(|factor| weight * (factor * mu));
                if product < low {
                    low - product
                } else if product > high {
                    (high - product).max(-high)
                } else {
                    0.0
                }
            }
        }
    }

    /// Returns true if the solution is added to the last direction.
    pub(crate) fn corrects(self) -> bool {
        matches!(self, Target::Correction { .. })
    }
}

/// Largest step of a direction before a slack or multiplier is 0, and the resulting products.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reach {
    /// Largest -ds / s of slacks: the reciprocal of the longest step.
    primal: f64,
    /// The same for multipliers.
    dual: f64,
    /// Sum of ds z.
    slack: f64,
    /// Sum of s dz.
    multiplier: f64,
    /// Sum of ds dz.
    both: f64,
}

impl Reach {
    /// Includes a slack, its multiplier, and their changes.
    #[inline(always)]
    pub(crate) fn pair(&mut self, [s, z]: [f64; 2], [ds, dz]: [f64; 2]) {
        // Not max, which is slower because of NaN; NaN shows in the sums.
        let (primal, dual) = (-ds / s, -dz / z);
        self.primal = if primal > self.primal { primal } else { self.primal };
        self.dual = if dual > self.dual { dual } else { self.dual };
        self.slack += ds * z;
        self.multiplier += s * dz;
        self.both += ds * dz;
    }

    /// Combines two parts.
    pub(crate) fn and(self, other: Reach) -> Reach {
        Reach {
            primal: self.primal.max(other.primal),
            dual: self.dual.max(other.dual),
            slack: self.slack + other.slack,
            multiplier: self.multiplier + other.multiplier,
            both: self.both + other.both,
        }
    }

    /// Uses one length for slacks and multipliers, as a nonlinear objective requires.
    pub(crate) fn together(self) -> Reach {
        let most = self.primal.max(self.dual);
        Reach { primal: most, dual: most, ..self }
    }

    /// Returns the longest steps, at most 1, that go this fraction of the way to the boundary.
    fn steps(&self, share: f64) -> Steps {
        let step = |ratio: f64| if ratio > share { share / ratio } else { 1.0 };
        Steps { primal: step(self.primal), dual: step(self.dual) }
    }

    /// Returns the sum of products after these steps, given the sum `now`.
    fn products(&self, now: f64, Steps { primal, dual }: Steps) -> f64 {
        now + primal * self.slack + dual * self.multiplier + primal * dual * self.both
    }

    fn is_finite(&self) -> bool {
        [self.primal, self.dual, self.slack, self.multiplier, self.both]
            .iter()
            .all(|x| x.is_finite())
    }
}

/// Interior point with its Newton equations.
pub(crate) trait CentralPath {
    /// Factored Newton matrix.
    type System;
    /// Fraction of the way to the boundary of a step.
    const SHARE: f64;
    /// Number of consecutive steps that ends the path if what is left has not fallen below `ENOUGH` of
    /// what it was before them.
    const PATIENCE: u32 = 12;
    /// Largest number of centrality correctors per step.
    const CORRECTORS: usize = 0;

    /// Returns the pairs at the point; types with other storage define sum and number instead.
    fn at(&self) -> &[Pairs] {
        &[]
    }

    /// Returns the sum of all products.
    fn products(&self) -> f64 {
        products(self.at())
    }

    /// Returns the number of pairs, counted by weight.
    fn pairs(&self) -> f64 {
        self.at().iter().map(|pairs| pairs.slack.len()).sum::<usize>() as f64
    }

    /// Computes the residuals at the point, and factors the Newton matrix. The result is not used
    /// once the monitor has asked to stop.
    fn factor(&mut self, monitor: &dyn Monitor) -> Result<Self::System, NotPositive>;

    /// Solves for the direction towards a target. A correction of the last direction is only
    /// tentative until [`CentralPath::accept`].
    fn solve(&mut self, system: &Self::System, target: Target) -> Reach;

    /// Solves for the direction towards the target of this step; returns the target mean of the
    /// products too. By Mehrotra: the smaller the products left by the affine direction, straight
    /// to the optimum, the lower; and with the second-order term of the affine direction.
    fn centre(&mut self, system: &Self::System) -> (f64, Reach) {
        let products = self.products();
        let affine = self.solve(system, Target::Optimum);
        let left = affine.products(products, affine.steps(1.0)) / products;
        let mu = products / self.pairs() * left.clamp(LEAST_LEFT, 1.0).powi(3);
        (mu, self.solve(system, Target::Centre { mu }))
    }

    /// Accepts the tentative correction.
    fn accept(&mut self) {}

    /// Moves the point along the direction.
    fn advance(&mut self, steps: Steps);
}

/// Makes one iteration. The point is unchanged if rounding allows no further step.
///
/// # Errors
/// [`SolverStop::NumericalFailure`], [`SolverStop::NoProgress`] or [`SolverStop::Interrupted`].
pub(crate) fn step<P: CentralPath>(path: &mut P, monitor: &dyn Monitor) -> Result<(), SolverStop> {
    // Residuals, and one factorisation for all directions of this step.
    let system = path.factor(monitor);
    if monitor.should_stop() {
        return Err(SolverStop::Interrupted);
    }
    let system = system.map_err(|_| SolverStop::NumericalFailure)?;
    let (mu, mut reach) = path.centre(&system);
    // Centrality correctors: longer steps by moving outlying products closer to mu (Gondzio).
    for _ in 0..P::CORRECTORS {
        let steps = reach.steps(1.0);
        if steps.primal.min(steps.dual) > NEARLY_WHOLE {
            break;
        }
        let longer = |step: f64| (step + LONGER).min(1.0);
        let ahead = Steps { primal: longer(steps.primal), dual: longer(steps.dual) };
        let corrected = path.solve(&system, Target::Correction { mu, ahead });
        let new = corrected.steps(1.0);
        if new.primal + new.dual < steps.primal + steps.dual + GAIN {
            break;
        }
        path.accept();
        reach = corrected;
    }
    // As far as slacks and multipliers stay above 0.
    let steps = reach.steps(P::SHARE);
    if !reach.is_finite() {
        return Err(SolverStop::NumericalFailure);
    }
    if steps.primal.max(steps.dual) <= SHORTEST {
        return Err(SolverStop::NoProgress);
    }
    path.advance(steps);
    Ok(())
}

/// Progress at a point.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// True if the tolerance is reached.
    pub solved: bool,
    /// Quantity that steps must lower: a gap, or the sum of products.
    pub left: f64,
}

/// Makes steps until `judge`, which may store the best point, reports success or no step helps.
/// Returns the number of steps and the reason for stopping.
pub(crate) fn follow<P: CentralPath>(
    path: &mut P,
    mut judge: impl FnMut(&mut P) -> Progress,
    most: u64,
    monitor: &dyn Monitor,
) -> (u64, SolverStop) {
    let (mut steps, mut idle, mut last) = (0, 0, f64::INFINITY);
    let stop = loop {
        let Progress { solved, left } = judge(path);
        idle = if left < ENOUGH * last { 0 } else { idle + 1 };
        last = if idle == 0 { left } else { last };
        if solved {
            break SolverStop::Tolerance;
        }
        if monitor.should_stop() {
            break SolverStop::Interrupted;
        }
        if steps >= most {
            break SolverStop::IterationLimit;
        }
        if idle >= P::PATIENCE {
            break SolverStop::NoProgress;
        }
        if let Err(stop) = step(path, monitor) {
            break stop;
        }
        steps += 1;
    };
    (steps, stop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Silent;

    /// Minimises <c, x> over 0 <= x <= u from the middle: x is u if c < 0, else 0.
    struct Toy<const CORRECTORS: usize> {
        c: Vec<f64>,
        u: Vec<f64>,
        bounds: Bounds,
        trial: [Pairs; 2],
        corrected: usize,
        fails: bool,
    }

    impl<const CORRECTORS: usize> Toy<CORRECTORS> {
        fn new() -> Self {
            let c = (0..40).map(|i| (1.0 + f64::from(i)) * [1.0, -3.0][i as usize % 2]).collect();
            let u: Vec<f64> = (0..40).map(|i| 10_f64.powi(i % 7 - 3)).collect();
            let multiplier = || vec![1.0; 40];
            let x = u.iter().map(|u| 0.5 * u).collect();
            let bounds = Bounds::new(x, &u, multiplier(), multiplier());
            let trial = [0, 0].map(Pairs::zeros);
            Toy { c, u, bounds, trial, corrected: 0, fails: false }
        }

        fn lack(&self, i: usize) -> f64 {
            let [lower, upper] = &self.bounds.at;
            self.c[i] - lower.multiplier[i] + upper.multiplier[i]
        }

        fn run(&mut self, tol: f64, most: u64) -> (u64, SolverStop) {
            let judge = |toy: &mut Self| {
                let left = toy.products();
                Progress { solved: left <= tol, left }
            };
            follow(self, judge, most, &Silent)
        }
    }

    impl<const CORRECTORS: usize> CentralPath for Toy<CORRECTORS> {
        type System = Vec<f64>;
        const SHARE: f64 = 0.95;
        const CORRECTORS: usize = CORRECTORS;

        fn at(&self) -> &[Pairs] {
            &self.bounds.at
        }

        fn factor(&mut self, _: &dyn Monitor) -> Result<Vec<f64>, NotPositive> {
            if self.fails { Err(NotPositive { column: 1 }) } else { Ok(self.bounds.diagonal()) }
        }

        fn solve(&mut self, diagonal: &Vec<f64>, target: Target) -> Reach {
            let (held, last) = (self.bounds.held(target), self.bounds.direction.clone());
            let lack = |i: usize| if target.corrects() { 0.0 } else { self.lack(i) };
            let change = |i: usize| (held[0][i] - held[1][i] - lack(i)) / diagonal[i];
            let change = (0..diagonal.len()).map(change).collect();
            let mut reach = self.bounds.complete(change, held);
            if target.corrects() {
                self.trial = std::mem::replace(&mut self.bounds.direction, last);
                let pairs = self.trial.iter_mut().zip(&self.bounds.direction);
                pairs.for_each(|(trial, last)| trial.add(last));
                reach = super::reach(&self.bounds.at, &self.trial).together();
            }
            reach
        }

        fn accept(&mut self) {
            self.corrected += 1;
            std::mem::swap(&mut self.bounds.direction, &mut self.trial);
        }

        fn advance(&mut self, steps: Steps) {
            self.bounds.advance(steps, &self.u);
        }
    }

    fn solved<const CORRECTORS: usize>() -> (u64, usize) {
        let mut toy = Toy::<CORRECTORS>::new();
        let (steps, stop) = toy.run(1e-9, 60);
        assert_eq!(stop, SolverStop::Tolerance);
        for (i, x) in toy.bounds.variables().iter().enumerate() {
            let wanted = if toy.c[i] < 0.0 { toy.u[i] } else { 0.0 };
            assert!((x - wanted).abs() <= 1e-9 && toy.lack(i).abs() < 1e-6, "{i}: {x}");
        }
        (steps, toy.corrected)
    }

    #[test]
    fn the_optimum_is_reached_and_correctors_save_steps() {
        let ((plain, none), (corrected, some)) = (solved::<0>(), solved::<2>());
        assert!(none == 0 && some > 0 && corrected < plain, "{plain} {corrected} {some}");
    }

    #[test]
    fn every_way_to_stop_is_told() {
        struct Now;
        impl Monitor for Now {
            fn should_stop(&self) -> bool {
                true
            }
        }
        let start = Toy::<0>::new().bounds.at[0].slack.clone();
        let mut toy = Toy::<0>::new();
        assert_eq!(toy.run(1e-9, 2), (2, SolverStop::IterationLimit));
        let idle = |_: &mut Toy<0>| Progress { solved: false, left: 1.0 };
        let mut toy = Toy::<0>::new();
        let patience = u64::from(<Toy<0> as CentralPath>::PATIENCE);
        assert_eq!(follow(&mut toy, idle, 99, &Silent), (patience, SolverStop::NoProgress));
        let mut toy = Toy::<0> { fails: true, ..Toy::new() };
        assert_eq!(toy.run(1e-9, 60), (0, SolverStop::NumericalFailure));
        assert_eq!(toy.bounds.variables(), start);
        let mut toy = Toy::<0>::new();
        toy.c[3] = f64::NAN;
        assert_eq!(toy.run(1e-9, 60), (0, SolverStop::NumericalFailure));
        assert_eq!(toy.bounds.variables(), start);
        assert_eq!(follow(&mut Toy::<0>::new(), idle, 99, &Now), (0, SolverStop::Interrupted));
    }

    #[test]
    fn slow_progress_goes_on_and_none_ends_the_path() {
        let mut left = 1.0;
        let falling = |_: &mut Toy<0>| {
            left *= 0.95;
            Progress { solved: false, left }
        };
        assert_eq!(
            follow(&mut Toy::<0>::new(), falling, 40, &Silent),
            (40, SolverStop::IterationLimit)
        );
        // Up and down without getting anywhere.
        let mut at = 0;
        let waving = |_: &mut Toy<0>| {
            at += 1;
            Progress { solved: false, left: [1.0, 1.2, 0.95][at % 3] }
        };
        assert_eq!(follow(&mut Toy::<0>::new(), waving, 40, &Silent).1, SolverStop::NoProgress);
    }

    #[test]
    fn targets_change_products_as_they_say() {
        let (s, z, ds, dz) = (2.0, 3.0, -0.5, 0.25);
        let change = |target: Target| target.change(1.5, [s, z], [ds, dz]);
        assert_eq!(change(Target::Optimum), -6.0);
        assert_eq!(change(Target::Centre { mu: 2.0 }), 3.0 - 6.0 + 0.125);
        let ahead = Steps { primal: 1.0, dual: 1.0 };
        // The predicted product is 1.5 x 3.25 = 4.875.
        let correction = |mu| change(Target::Correction { mu, ahead });
        assert_eq!(correction(1.0), 0.0);
        assert!((correction(100.0) - (15.0 - 4.875)).abs() < 1e-12);
        assert!((correction(0.2) - (3.0 - 4.875)).abs() < 1e-12);
        // At most the largest product that is not corrected.
        assert!((correction(0.1) + 1.5).abs() < 1e-12);
    }
}
