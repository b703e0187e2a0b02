//! Follows the central path until the certified gap is small.

use super::certificate::Balance;
use super::problem::Problem;
use super::triangle;
use super::weights::Weights;
use super::worker::Worker;
use super::{DeletionSolution, Program};
use crate::cholesky::{NotPositive, Scaled};
use crate::interior::{CentralPath, Progress, Reach, Steps, Target, advance, follow, products};
use crate::monitor::Monitor;
use crate::stop::SolverStop;
use rayon::prelude::*;

/// Multiple of the tolerance in the products from which on the certificate is computed, and the
/// number of iterations after which it is computed anyway.
const DUE: (f64, u64) = (4.0, 10);

/// Target mean of the products as a share of their mean, not Mehrotra's cube of what the affine step
/// leaves: a few of very many pairs shorten that step, so that it says little about the others.
const CENTRING: f64 = 0.1;

/// Share of the loss without weights below which objectives count as nearly 0.
const NEARLY_0: f64 = 1e-3;

pub(super) fn minimise(
    program: &Program<'_>,
    keep: &[usize],
    monitor: &dyn Monitor,
) -> DeletionSolution {
    let problem = Problem::new(program, keep);
    let mut state = State::new(&problem);
    state.start();
    state.certify();
    let (mut steps, mut certified) = (0, 0);
    let judge = |state: &mut State<'_>| {
        let left = state.products;
        let due = left <= DUE.0 * state.allowed(program.tol) || steps >= certified + DUE.1;
        if due {
            certified = steps;
            state.certify();
        }
        monitor.progress(steps.min(program.max_iter), program.max_iter);
        steps += 1;
        Progress { solved: due && state.best.gap() <= state.allowed(program.tol), left }
    };
    let (iterations, mut stop) = follow(&mut state, judge, program.max_iter, monitor);
    if stop != SolverStop::Tolerance {
        state.certify();
        if state.best.gap() <= state.allowed(program.tol) {
            stop = SolverStop::Tolerance;
        }
    }
    state.finish(iterations, stop)
}

struct State<'p> {
    problem: &'p Problem,
    workers: Vec<Worker<'p>>,
    weights: Weights,
    direction: Weights,
    trial: Weights,
    right: Vec<f64>,
    /// Sum of all products at the point.
    products: f64,
    pairs: f64,
    best: Best,
}

/// Best weights and best bound so far, in the problem's units, as sums over rows.
struct Best {
    weights: Vec<f64>,
    above: f64,
    below: f64,
}

impl Best {
    fn gap(&self) -> f64 {
        self.above - self.below
    }
}

impl<'p> State<'p> {
    fn new(problem: &'p Problem) -> State<'p> {
        let width = problem.width;
        State {
            problem,
            workers: problem.parts.par_iter().map(|part| Worker::new(part, width)).collect(),
            weights: Weights::zeros(width),
            direction: Weights::zeros(width),
            trial: Weights::zeros(width),
            right: vec![0.0; width + 1],
            products: 0.0,
            pairs: problem.pairs(),
            best: Best { weights: vec![0.0; width + 1], above: f64::INFINITY, below: 0.0 },
        }
    }

    /// Starts with weights of 0.
    fn start(&mut self) {
        let problem = self.problem;
        let rows = || problem.parts.iter().flat_map(|part| part.signs.iter().zip(&part.weights));
        let positive: f64 = rows().filter(|(y, _)| **y > 0.0).map(|(_, s)| s).sum();
        let negative: f64 = rows().filter(|(y, _)| **y <= 0.0).map(|(_, s)| s).sum();
        let share = |y: f64| {
            let (own, other) = if y > 0.0 { (positive, negative) } else { (negative, positive) };
            if problem.bias { 0.5 * f64::min(1.0, other / own) } else { 0.5 }
        };
        self.workers.par_iter_mut().for_each(|worker| worker.start(problem, share));
        self.sum_vectors();
        self.weights = Weights::start(&self.right);
        self.sum_products();
    }

    /// Sums the parts' vectors in order.
    fn sum_vectors(&mut self) {
        self.right.fill(0.0);
        for worker in &self.workers {
            self.right.iter_mut().zip(&worker.vector).for_each(|(sum, x)| *sum += x);
        }
    }

    /// Returns the gap at which to stop: relative to the objective or, if that is nearly 0, to the
    /// loss without weights.
    fn allowed(&self, tol: f64) -> f64 {
        let Problem { margin, budget, rate, .. } = *self.problem;
        let without = self.problem.total() * (margin + budget * rate);
        tol * self.best.above.max(NEARLY_0 * without)
    }

    fn finish(self, iterations: u64, stop: SolverStop) -> DeletionSolution {
        let Problem { radius, unit, width, .. } = *self.problem;
        let mean = unit / self.problem.total();
        let weights =
            self.best.weights[..width].iter().map(|w| w.clamp(-1.0, 1.0) * radius).collect();
        DeletionSolution {
            weights,
            bias: self.best.weights[width] * unit,
            bound: self.best.below * mean,
            iterations,
            stop,
        }
    }

    /// Solves for the change of the weights, given the parts' right sides.
    fn solve_for_weights(&mut self, system: &Scaled, target: Target) {
        self.sum_vectors();
        self.weights.right_side(&self.direction, &mut self.trial, target, &mut self.right);
        self.trial.w.copy_from_slice(&self.right);
        system.solve(&mut self.trial.w);
    }

    /// Solves for the direction, given the parts' right sides.
    fn complete(&mut self, system: &Scaled, target: Target) -> Reach {
        self.solve_for_weights(system, target);
        let moved = &self.trial.w;
        let parts: Vec<Reach> =
            self.workers.par_iter_mut().map(|worker| worker.substitute(target, moved)).collect();
        let last = target.corrects().then_some(&self.direction);
        let reach = self.weights.substitute(&mut self.trial, last);
        if !target.corrects() {
            self.accept();
        }
        parts.into_iter().fold(reach, Reach::and)
    }

    fn sum_products(&mut self) {
        let parts: Vec<f64> = self.workers.par_iter().map(|worker| products(&worker.now)).collect();
        self.products = parts.iter().sum::<f64>() + products(&self.weights.sides);
    }

    /// Bounds the optimum from both sides at this point, and keeps the best.
    fn certify(&mut self) {
        let (problem, weights) = (self.problem, &self.weights.w);
        let balance = Balance::of(problem, &self.workers);
        let parts: Vec<(f64, f64)> = self
            .workers
            .par_iter_mut()
            .map(|worker| (worker.above(problem, weights), worker.below(problem, balance)))
            .collect();
        self.sum_vectors();
        let pull: f64 = self.right[..problem.width].iter().map(|x| x.abs()).sum();
        let above: f64 = parts.iter().map(|part| part.0).sum();
        let below = parts.iter().map(|part| part.1).sum::<f64>() - pull;
        if above < self.best.above {
            self.best.above = above;
            self.best.weights.copy_from_slice(&self.weights.w);
        }
        self.best.below = self.best.below.max(below);
    }
}

impl CentralPath for State<'_> {
    type System = Scaled;
    const SHARE: f64 = 0.9;
    /// None ends it: steps are short for long if values of attributes differ much in size.
    const PATIENCE: u32 = u32::MAX;
    /// More save iterations, but cost more than they save.
    const CORRECTORS: usize = 1;

    fn products(&self) -> f64 {
        self.products
    }

    fn pairs(&self) -> f64 {
        self.pairs
    }

    fn factor(&mut self, monitor: &dyn Monitor) -> Result<Scaled, NotPositive> {
        let problem = self.problem;
        self.workers.par_iter_mut().for_each(|worker| worker.eliminate(problem, monitor));
        let mut diagonal = self.weights.diagonal();
        diagonal.push(if problem.bias { 0.0 } else { 1.0 });
        let triangles = self.workers.iter().map(|worker| worker.triangle.as_slice());
        Scaled::new(triangle::sum(triangles, &diagonal))
    }

    /// The affine direction is needed for the second-order terms only, row by row.
    fn centre(&mut self, system: &Scaled) -> (f64, Reach) {
        let (problem, mu) = (self.problem, CENTRING * self.products / self.pairs);
        self.solve_for_weights(system, Target::Optimum);
        let affine = &self.trial.w;
        self.workers.par_iter_mut().for_each(|worker| worker.centre(problem, mu, affine));
        self.weights.substitute(&mut self.trial, None);
        std::mem::swap(&mut self.direction, &mut self.trial);
        (mu, self.complete(system, Target::Centre { mu }))
    }

    fn solve(&mut self, system: &Scaled, target: Target) -> Reach {
        let problem = self.problem;
        self.workers.par_iter_mut().for_each(|worker| worker.right_side(problem, target));
        self.complete(system, target)
    }

    fn accept(&mut self) {
        self.workers.iter_mut().for_each(Worker::accept);
        std::mem::swap(&mut self.direction, &mut self.trial);
    }

    fn advance(&mut self, steps: Steps) {
        self.workers.par_iter_mut().for_each(|worker| {
            let Worker { now, direction, .. } = worker;
            advance(now, direction, steps);
        });
        self.weights.advance(&self.direction, steps);
        self.sum_products();
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::ConstraintRows;
    use super::super::KNOWN;
    use super::*;
    use crate::interior::step;
    use crate::monitor::Silent;
    use crate::sampling::{Purpose, Stream};

    /// Numbers of the present direction, the weights last.
    fn numbers(state: &State<'_>) -> Vec<f64> {
        let points = state.workers.iter().flat_map(|worker| &worker.direction);
        let pairs = points.chain(&state.direction.sides);
        let numbers = pairs.flat_map(|pairs| pairs.slack.iter().chain(&pairs.multiplier));
        numbers.chain(&state.direction.w).copied().collect()
    }

    /// With items of one entry, of two, and entries that are never deleted.
    #[test]
    fn the_direction_to_the_centre_is_that_after_an_affine_direction_that_was_written() {
        let mut stream = Stream::new(4, Purpose::Data, 0);
        let (width, count) = (9, 70);
        let cells: Vec<f64> = (0..width * count).map(|_| stream.normal()).collect();
        let signs: Vec<f64> = (0..count).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let weights: Vec<f64> = (0..count).map(|i| 1.0 + (i % 2) as f64).collect();
        let starts: Vec<usize> = (0..=count).map(|row| row * width).collect();
        let slots: Vec<u32> = (0..width * count).map(|at| (at % width) as u32).collect();
        let single: Vec<u32> = (0..width as u32).collect();
        for attribute in [&single[..], &[0, 0, 1, 2, 2, 3, KNOWN, KNOWN, 4]] {
            let program = Program {
                rows: ConstraintRows {
                    starts: &starts,
                    slots: &slots,
                    values: &cells,
                    weights: Some(&weights),
                    width,
                },
                signs: &signs,
                attribute,
                values: &[1.0, 0.5, 2.0, 1.5, 1.0, 1.0, 3.0, 1.0, 1.0],
                budget: 1.5,
                margin: 1.0,
                rate: 0.3,
                radius: 2.0,
                bias: true,
                tol: 1e-6,
                max_iter: 100,
            };
            let keep: Vec<usize> = (0..count).collect();
            let problem = Problem::new(&program, &keep);
            let mut state = State::new(&problem);
            state.start();
            for _ in 0..6 {
                let system = state.factor(&Silent).unwrap();
                state.solve(&system, Target::Optimum);
                let mu = CENTRING * state.products / state.pairs;
                state.solve(&system, Target::Centre { mu });
                let wanted = numbers(&state);
                let system = state.factor(&Silent).unwrap();
                assert_eq!(state.centre(&system).0, mu);
                for (actual, wanted) in numbers(&state).iter().zip(&wanted) {
                    assert!(
                        (actual - wanted).abs() <= 1e-9 * wanted.abs().max(1.0),
                        "{actual} {wanted}"
                    );
                }
                step(&mut state, &Silent).unwrap();
            }
        }
    }
}
