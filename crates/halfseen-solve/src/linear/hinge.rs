//! Minimises the hinge loss over features: the linear support vector machine, without a bias.
//!
//! **Setting**: (1/2) |w|^2 + sum_i c_i [s_i - y_i z_i]_+ with z_i = <w, f_i>; usually every cost
//! c_i is C and every margin s_i is 1.
//!
//! **Guarantee**: with w = sum_i a_i y_i f_i, 0 <= a_i <= c_i and g_i = s_i - y_i z_i, primal minus
//! dual objective is sum_i (c_i - a_i) [g_i]_+ + a_i [-g_i]_+, evaluated at recomputed w and z.
//! The solver stops when the best primal objective exceeds the best dual one by at most `tol` times
//! itself.
//!
//! **Method**: rounds of dual coordinate ascent in w, O(D) per step, with shrinking (Hsieh et al.,
//! ICML 2008), each followed by a certificate. If the rate of the rounds predicts a long run, as
//! for large C, an interior-point method continues with the examples that are not settled at a
//! bound. It has its own w, and an a from which coordinate ascent can continue. The best w and the
//! best a are kept, each with its objective.

use super::interior::{Interior, Part};
use super::rotate::Rotation;
use super::{Features, LinearSolved, check_finite, increasing};
use crate::error::Result;
use crate::monitor::Monitor;
use crate::sampling::{Purpose, Stream};
use crate::stop::{FUTILE_ROUNDS, SolverStop};
use crate::vectors::{add_multiple, dot, square};
use crate::{SolverOptions, check_weighted};
use faer::{Mat, MatRef};

/// Largest number of passes per round.
const PASSES: u64 = 10;
/// Predicted number of remaining passes below which ascent always continues, and the cost of an
/// interior-point method in passes, per feature or example (its matrix products are several times
/// faster per number).
const LEAST_LEFT: f64 = 30.0;
const PASSES_PER_SIZE: f64 = 0.25;

/// Hinge problem over n examples; see the module.
#[derive(Debug, Clone, Copy)]
pub struct LinearHingeProblem<'a> {
    /// (D, n): one example per column, contiguous.
    pub features: MatRef<'a, f64>,
    /// n labels, each -1 or +1.
    pub labels: &'a [f64],
    /// n costs c_i, positive.
    pub costs: &'a [f64],
    /// n margins s_i, finite.
    pub margins: &'a [f64],
}

/// Minimises (1/2) |w|^2 + sum_i c_i [s_i - y_i z_i]_+.
///
/// `warm` holds n initial dual variables, clipped to 0..=c_i. Passes count those of coordinate
/// ascent over the unsettled examples, and interior-point steps. Also returns the dual variables.
///
/// # Errors
/// If lengths differ, there are no examples or features, a feature is not finite, a label is not -1
/// or 1, a cost is not positive, or a margin is not finite;
/// [`Error::Numerical`](crate::Error::Numerical) if numbers are out of range.
pub fn hinge(
    problem: &LinearHingeProblem<'_>,
    warm: Option<&[f64]>,
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<(LinearSolved, Vec<f64>)> {
    options.check()?;
    let features = Features::new(problem.features)?;
    check(problem, warm)?;
    let mut search = Search::new(features, problem);
    if let Some(warm) = warm {
        search
            .a
            .iter_mut()
            .zip(warm)
            .zip(problem.costs)
            .for_each(|((a, &w), &c)| *a = w.clamp(0.0, c));
    }
    let solved = search.run(options, monitor)?;
    Ok((solved, search.best.duals))
}

/// Solves for each of `cs`, in their order, with costs C and margins 1, each from the solution of
/// the nearest smaller C; variables at the bound stay there.
///
/// # Errors
/// Those of [`hinge`].
pub fn hinge_path(
    features: MatRef<'_, f64>,
    labels: &[f64],
    cs: &[f64],
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Vec<LinearSolved>> {
    hinge_path_weighted(features, labels, &vec![1.0; labels.len()], cs, options, monitor)
}

/// Does the same with costs c_i = C `weights[i]`; weights are positive.
///
/// # Errors
/// Those of [`hinge`].
pub fn hinge_path_weighted(
    features: MatRef<'_, f64>,
    labels: &[f64],
    weights: &[f64],
    cs: &[f64],
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Vec<LinearSolved>> {
    options.check()?;
    let order = increasing(cs)?;
    let columns = Features::new(features)?;
    let margins = vec![1.0; labels.len()];
    let mut solved: Vec<Option<LinearSolved>> = vec![None; cs.len()];
    // Costs and dual variables of the smaller C.
    let mut last: Option<[Vec<f64>; 2]> = None;
    for i in order {
        let costs: Vec<f64> = weights.iter().map(|weight| cs[i] * weight).collect();
        let problem = LinearHingeProblem { features, labels, costs: &costs, margins: &margins };
        check(&problem, None)?;
        let mut search = Search::new(columns, &problem);
        if let Some([smaller, duals]) = &last {
            let before = duals.iter().zip(smaller).zip(&costs);
            let start = |((&old, smaller), &cost): ((&f64, &f64), &f64)| {
                if old >= *smaller { cost } else { old }
            };
            search.a = before.map(start).collect();
        }
        solved[i] = Some(search.run(options, monitor)?);
        let duals = search.best.duals;
        last = Some([costs, duals]);
    }
    Ok(solved.into_iter().flatten().collect())
}

fn check(problem: &LinearHingeProblem<'_>, warm: Option<&[f64]>) -> Result<()> {
    check_weighted(problem.features.ncols(), [problem.labels, problem.costs, problem.margins], warm)
}

/// Dual point with its state.
struct Search<'a> {
    features: Features<'a>,
    y: &'a [f64],
    c: &'a [f64],
    s: &'a [f64],
    /// |f_i|^2.
    squares: Vec<f64>,
    all: Vec<usize>,
    a: Vec<f64>,
    w: Vec<f64>,
    /// s - y z as of the last certificate.
    g: Vec<f64>,
    passes: u64,
    /// True if the last interior-point method ended with a system that could not be solved.
    failed: bool,
    best: Best,
}

#[derive(Debug, Clone, Copy)]
struct Certificate {
    primal: f64,
    gap: f64,
}

impl Certificate {
    fn dual(&self) -> f64 {
        self.primal - self.gap
    }
}

/// Best w and best a so far, with their objectives.
struct Best {
    weights: Vec<f64>,
    primal: f64,
    duals: Vec<f64>,
    dual: f64,
}

impl Best {
    fn gap(&self) -> f64 {
        (self.primal - self.dual).max(0.0)
    }

    fn offer_weights(&mut self, weights: &[f64], primal: f64) {
        if primal < self.primal {
            self.primal = primal;
            self.weights.copy_from_slice(weights);
        }
    }

    fn offer_duals(&mut self, duals: &[f64], dual: f64) {
        if dual > self.dual {
            self.dual = dual;
            self.duals.copy_from_slice(duals);
        }
    }
}

impl<'a> Search<'a> {
    fn new(features: Features<'a>, problem: &LinearHingeProblem<'a>) -> Search<'a> {
        let n = features.len();
        Search {
            features,
            y: problem.labels,
            c: problem.costs,
            s: problem.margins,
            squares: (0..n).map(|i| square(features.column(i))).collect(),
            all: (0..n).collect(),
            a: vec![0.0; n],
            w: vec![0.0; features.width()],
            g: vec![0.0; n],
            passes: 0,
            failed: false,
            best: Best {
                weights: vec![0.0; features.width()],
                primal: f64::INFINITY,
                duals: vec![0.0; n],
                dual: f64::NEG_INFINITY,
            },
        }
    }

    /// Recomputes w and z, and objective and gap from them.
    fn certify(&mut self) -> Result<Certificate> {
        let signed: Vec<f64> = self.a.iter().zip(self.y).map(|(a, y)| a * y).collect();
        self.w.fill(0.0);
        self.features.add_combined(&signed, &self.all, &mut self.w);
        let z = self.features.scores(&self.w, &self.all);
        let (mut loss, mut gap) = (0.0, 0.0);
        for (i, z) in z.iter().enumerate() {
            let g = self.s[i] - self.y[i] * z;
            self.g[i] = g;
            loss += self.c[i] * g.max(0.0);
            gap += (self.c[i] - self.a[i]) * g.max(0.0) + self.a[i] * (-g).max(0.0);
        }
        let primal = square(&self.w) / 2.0 + loss;
        check_finite("the hinge loss over features", primal, gap)?;
        Ok(Certificate { primal, gap })
    }

    fn run(&mut self, options: &SolverOptions, monitor: &dyn Monitor) -> Result<LinearSolved> {
        let mut now = self.certify()?;
        self.offer(now);
        let mut patience = LEAST_LEFT;
        let (mut futile, mut least) = (0, f64::INFINITY);
        let stop = loop {
            let target = options.tol * self.best.primal;
            if self.best.gap() <= target {
                break SolverStop::Tolerance;
            }
            futile = if self.best.gap() < least { 0 } else { futile + 1 };
            least = least.min(self.best.gap());
            let limit = self.passes >= options.max_passes;
            if limit || futile > FUTILE_ROUNDS {
                break SolverStop::short(self.failed, limit);
            }
            if monitor.should_stop() {
                break SolverStop::Interrupted;
            }
            let active = self.unsettled();
            let (before, started) = (now.gap, self.passes);
            let room = options.max_passes - self.passes;
            let limits = (0.3 * target, PASSES.min(room));
            self.ascend(active, limits, options.seed, monitor);
            now = self.certify()?;
            self.offer(now);
            // Number of passes left at this rate; another method may be faster.
            let rate = (before / now.gap).ln() / (self.passes - started).max(1) as f64;
            let left = (now.gap / target).ln() / rate.max(1e-300);
            let active = self.unsettled();
            let size = active.len().min(self.features.width()) as f64;
            let room = options.max_passes.saturating_sub(self.passes);
            let gap = self.best.gap();
            if gap > target && left > patience.max(PASSES_PER_SIZE * size) && room > 0 {
                now = self.interior(&active, target, room, monitor)?;
                if self.best.gap() > gap / 2.0 {
                    // No help; the next try is much later.
                    patience *= 8.0;
                }
            }
        };
        let best = &self.best;
        let weights = Mat::from_fn(best.weights.len(), 1, |k, _| best.weights[k]);
        let support = best.duals.iter().filter(|&&a| a != 0.0).count();
        Ok(LinearSolved {
            weights,
            objective: best.primal,
            gap: best.gap(),
            passes: self.passes,
            support,
            stop,
        })
    }

    /// Keeps the present point if it is the best.
    fn offer(&mut self, now: Certificate) {
        self.best.offer_weights(&self.w, now.primal);
        self.best.offer_duals(&self.a, now.dual());
    }

    /// Returns the examples that are free, or not clearly held at a bound.
    fn unsettled(&self) -> Vec<usize> {
        let violation = |i: usize| {
            if self.a[i] <= 0.0 {
                self.g[i]
            } else if self.a[i] >= self.c[i] {
                -self.g[i]
            } else {
                self.g[i].abs()
            }
        };
        let largest = self.all.iter().fold(0.0_f64, |most, &i| most.max(violation(i)));
        self.all.iter().copied().filter(|&i| violation(i) > -largest).collect()
    }

    /// Makes passes of coordinate ascent over `active` until the gap seen on the way is at most
    /// `target`.
    fn ascend(
        &mut self,
        mut active: Vec<usize>,
        (target, most): (f64, u64),
        seed: u64,
        monitor: &dyn Monitor,
    ) {
        let mut threshold = f64::INFINITY;
        for _ in 0..most {
            if monitor.should_stop() {
                return;
            }
            let mut stream = Stream::new(seed, Purpose::Order, self.passes);
            for at in (1..active.len()).rev() {
                active.swap(at, stream.below(at + 1));
            }
            self.passes += 1;
            let (mut gap, mut largest) = (0.0, 0.0_f64);
            active.retain(|&i| {
                let (column, a, c) = (self.features.column(i), self.a[i], self.c[i]);
                let g = self.s[i] - self.y[i] * dot(&self.w, column);
                gap += (c - a) * g.max(0.0) + a * (-g).max(0.0);
                let held = if a <= 0.0 {
                    -g
                } else if a >= c {
                    g
                } else {
                    -g.abs()
                };
                largest = largest.max(-held);
                if held >= 0.0 {
                    return held <= threshold;
                }
                // With f_i = 0 the dual is linear in a_i.
                let best = (a + g / self.squares[i]).clamp(0.0, c);
                self.a[i] = best;
                add_multiple(&mut self.w, (best - a) * self.y[i], column);
                true
            });
            threshold = largest;
            if gap <= target || active.is_empty() {
                break;
            }
        }
    }

    /// Solves for the examples of `active`, with all others fixed, to a gap below `target`; ascent
    /// may continue from the result.
    fn interior(
        &mut self,
        active: &[usize],
        target: f64,
        most: u64,
        monitor: &dyn Monitor,
    ) -> Result<Certificate> {
        let before = (self.a.clone(), self.certify()?);
        let pick = |values: &[f64]| -> Vec<f64> { active.iter().map(|&i| values[i]).collect() };
        let (signs, costs, margins, squares) =
            (pick(self.y), pick(self.c), pick(self.s), pick(&self.squares));
        // Contribution of the other examples to w.
        let mut fixed = self.w.clone();
        let signed: Vec<f64> = active.iter().map(|&i| -self.a[i] * self.y[i]).collect();
        self.features.add_combined(&signed, active, &mut fixed);
        // Fewer examples than features: an equal problem in that number of features.
        let narrow = (active.len() < self.features.width()).then(|| {
            let width = self.features.width();
            Rotation::new(Mat::from_fn(width, active.len(), |k, at| {
                self.features.column(active[at])[k]
            }))
        });
        let rotated = narrow.as_ref().map(|r| r.rotated(false));
        let all: Vec<usize> = (0..active.len()).collect();
        let (features, of) = match &rotated {
            Some(rotated) => (Features::new(rotated.as_ref())?, &all[..]),
            None => (self.features, active),
        };
        let start = narrow.as_ref().map_or_else(|| fixed.clone(), |r| r.forward(&fixed));
        let bias = false;
        let part = Part {
            features,
            of,
            signs: &signs,
            costs: &costs,
            margins: &margins,
            fixed: start.clone(),
            bias,
        };
        let mut path = Interior::new(part);
        let (steps, failed) = path.run(0.1 * target, most, monitor);
        self.passes += steps;
        self.failed = failed;
        // The w of the interior point.
        let weights = match &narrow {
            Some(rotation) => {
                let moved: Vec<f64> =
                    path.vector().iter().zip(&start).map(|(v, from)| v - from).collect();
                add_multiple(&mut fixed, 1.0, &rotation.back(&moved));
                fixed
            }
            None => path.vector().to_vec(),
        };
        let primal = self.objective(&weights);
        self.best.offer_weights(&weights, primal);
        // Its a: with variables moved to their bounds if that does not raise the gap, else
        // unchanged.
        active.iter().zip(path.beta()).for_each(|(&i, a)| self.a[i] = a.min(self.c[i]));
        let (inner, inside) = (self.a.clone(), self.certify()?);
        active.iter().zip(path.settled(&squares)).for_each(|(&i, a)| self.a[i] = a);
        let mut now = self.certify()?;
        let enough = inside.dual().min(self.best.primal - target);
        if now.dual() < enough {
            self.a.copy_from_slice(&inner);
            now = self.certify()?;
        }
        if now.dual() < before.1.dual() {
            self.a.copy_from_slice(&before.0);
            now = self.certify()?;
        }
        self.offer(now);
        Ok(now)
    }

    /// Returns the primal objective of any w.
    fn objective(&self, weights: &[f64]) -> f64 {
        let z = self.features.scores(weights, &self.all);
        let loss: f64 = z
            .iter()
            .enumerate()
            .map(|(i, z)| self.c[i] * (self.s[i] - self.y[i] * z).max(0.0))
            .sum();
        square(weights) / 2.0 + loss
    }
}

#[cfg(test)]
mod tests;
