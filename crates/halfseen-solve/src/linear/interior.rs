//! Follows the central path of hinge problems over features, with or without a free bias.
//!
//! **Problem**: minimise (1/2) |v|^2 + sum_i c_i [s_i - y_i <v, f_i>]_+, where a last feature of
//! ones for a free bias is not penalised. The dual has 0 <= beta_i <= c_i, and v = v_0 + X beta for
//! X with columns y_i f_i; v_0 is the contribution of examples outside the problem.
//!
//! **Conditions** at mu, for J = I with 0 at a free bias, and t = c - beta:
//!
//!   J v = v_0 + X beta,   X'v - s = lower - upper,   lower beta = mu,   upper t = mu.
//!
//! At mu = 0, `upper` are the losses and `lower` the excess of each example over its margin. With W
//! = (lower / beta + upper / t)^-1 a direction of [`crate::interior`] solves (J + X W X') dv = X W
//! rho - (J v - v_0 - X beta), then dbeta = W (rho - X' dv), as in Ferris and Munson (SIAM J.
//! Optim. 13, 2003). v is updated itself, not summed from beta, so large costs do not reduce its
//! precision; the number of steps hardly grows with them.

use super::Features;
use super::outer::add_outer;
use crate::cholesky::{CholeskyFactor, NotPositive};
use crate::error::Result;
use crate::interior::{Bounds, CentralPath, Pairs, Progress, Reach, Steps, Target, follow};
use crate::monitor::Monitor;
use crate::stop::SolverStop;
use crate::vectors::add_multiple;
use faer::{Mat, MatRef, Par};

/// Number of examples gathered at a time.
const BLOCK: usize = 1024;

/// Examples of a problem.
pub(crate) struct Part<'a> {
    pub(crate) features: Features<'a>,
    /// Columns of the features used.
    pub(crate) of: &'a [usize],
    pub(crate) signs: &'a [f64],
    pub(crate) costs: &'a [f64],
    pub(crate) margins: &'a [f64],
    /// v_0, (D).
    pub(crate) fixed: Vec<f64>,
    /// True if the last feature is that of a free bias.
    pub(crate) bias: bool,
}

impl Part<'_> {
    /// Computes sum += factor X v.
    fn add_combined(&self, factor: f64, v: &[f64], sum: &mut [f64]) {
        let signed: Vec<f64> = v.iter().zip(self.signs).map(|(v, y)| factor * v * y).collect();
        self.features.add_combined(&signed, self.of, sum);
    }

    /// Returns X'v.
    fn scores(&self, v: &[f64]) -> Vec<f64> {
        let mut scores = self.features.scores(v, self.of);
        scores.iter_mut().zip(self.signs).for_each(|(z, y)| *z *= y);
        scores
    }

    /// Returns beta half way between its bounds; with a free bias, reduced for the class of greater
    /// cost so that sum_i y_i beta_i = 0.
    fn middle(&self) -> Vec<f64> {
        let mass = |y: f64| {
            self.signs.iter().zip(self.costs).filter(|(s, _)| **s == y).map(|(_, c)| c).sum::<f64>()
        };
        let (plus, minus) = (mass(1.0), mass(-1.0));
        let share = |y: f64| match self.bias {
            false => 0.5,
            true => 0.5 * (if y > 0.0 { minus / plus } else { plus / minus }).min(1.0),
        };
        self.signs.iter().zip(self.costs).map(|(y, c)| share(*y) * c).collect()
    }
}

/// Follows the central path of hinge problems whose last feature, of ones, is that of a free bias,
/// until `judge`, which gets v and beta at each point, says that it is solved or no step helps.
/// Returns the number of steps and the reason for stopping.
///
/// # Errors
/// No examples or features, or a feature that is not finite.
pub fn follow_biased(
    features: MatRef<'_, f64>,
    [signs, costs, margins]: [&[f64]; 3],
    mut judge: impl FnMut(&[f64], &[f64]) -> Progress,
    most: u64,
    monitor: &dyn Monitor,
) -> Result<(u64, SolverStop)> {
    let features = Features::new(features)?;
    let (of, fixed) = ((0..signs.len()).collect::<Vec<usize>>(), vec![0.0; features.width()]);
    let part = Part { features, of: &of, signs, costs, margins, fixed, bias: true };
    let mut interior = Interior::new(part);
    let judge = |at: &mut Interior<'_>| judge(at.vector(), at.beta());
    Ok(follow(&mut interior, judge, most, monitor))
}

/// Interior point with its workspace.
pub(crate) struct Interior<'a> {
    part: Part<'a>,
    /// v, and its direction.
    vector: Vec<f64>,
    change: Vec<f64>,
    /// beta, with the multipliers `lower` and `upper`.
    bounds: Bounds,
}

/// Newton system at a point.
pub(crate) struct System {
    factor: CholeskyFactor,
    /// W.
    weight: Vec<f64>,
    /// J v - v_0 - X beta.
    stationary: Vec<f64>,
    /// X'v - s - lower + upper.
    margin: Vec<f64>,
}

impl<'a> Interior<'a> {
    /// Creates a point that satisfies all equations and is nearly centred, at the price of a large
    /// mu: beta in the middle, v = v_0 + X beta, and slacks that are large relative to the scores.
    pub(crate) fn new(part: Part<'a>) -> Interior<'a> {
        let (features, m) = (part.fixed.len(), part.of.len());
        let beta = part.middle();
        let room: Vec<f64> = part.costs.iter().zip(&beta).map(|(c, b)| c - b).collect();
        let mut vector = part.fixed.clone();
        part.add_combined(1.0, &beta, &mut vector);
        if part.bias {
            vector[features - 1] = 0.0;
        }
        let beyond: Vec<f64> =
            part.scores(&vector).iter().zip(part.margins).map(|(z, s)| z - s).collect();
        let mu = (0..m)
            .map(|i| beyond[i].abs() * beta[i].min(room[i]))
            .fold(f64::MIN_POSITIVE, f64::max);
        let lower = (0..m).map(|i| beyond[i].max(0.0) + mu / beta[i]).collect();
        let upper = (0..m).map(|i| (-beyond[i]).max(0.0) + mu / room[i]).collect();
        let bounds = Bounds::new(beta, part.costs, lower, upper);
        let change = vec![0.0; features];
        Interior { part, vector, change, bounds }
    }

    /// Returns v.
    pub(crate) fn vector(&self) -> &[f64] {
        &self.vector
    }

    /// Returns beta, inside its bounds.
    pub(crate) fn beta(&self) -> &[f64] {
        self.bounds.variables()
    }

    /// Returns beta, moved to a bound if a coordinate step on an example of |f_i|^2 = `squares[i]`
    /// would reach it.
    pub(crate) fn settled(&self, squares: &[f64]) -> Vec<f64> {
        self.bounds.settled(self.part.costs, squares)
    }

    /// Makes steps until the sum of lower beta and upper t, which is the gap up to rounding, is at
    /// most `target` or no step helps. Returns the number of steps, and true if a system could not
    /// be solved.
    pub(crate) fn run(&mut self, target: f64, most: u64, monitor: &dyn Monitor) -> (u64, bool) {
        let judge = |path: &mut Self| {
            let left = path.products();
            Progress { solved: left <= target, left }
        };
        let (steps, stop) = follow(self, judge, most, monitor);
        (steps, stop == SolverStop::NumericalFailure)
    }

    /// Returns the residuals of the first two conditions.
    fn residuals(&self) -> (Vec<f64>, Vec<f64>) {
        let Interior { part, vector, bounds: Bounds { at: [lower, upper], .. }, .. } = self;
        let mut stationary: Vec<f64> =
            vector.iter().zip(&part.fixed).map(|(v, fixed)| v - fixed).collect();
        if let (true, Some(last)) = (part.bias, part.fixed.len().checked_sub(1)) {
            stationary[last] = -part.fixed[last];
        }
        part.add_combined(-1.0, &lower.slack, &mut stationary);
        let mut margin = part.scores(vector);
        for (i, z) in margin.iter_mut().enumerate() {
            *z = *z - part.margins[i] - lower.multiplier[i] + upper.multiplier[i];
        }
        (stationary, margin)
    }
}

impl CentralPath for Interior<'_> {
    type System = System;
    const SHARE: f64 = 0.995;

    fn at(&self) -> &[Pairs] {
        &self.bounds.at
    }

    /// Factors J + X W X'.
    fn factor(&mut self, monitor: &dyn Monitor) -> std::result::Result<System, NotPositive> {
        let (stationary, margin) = self.residuals();
        let (features, m) = (stationary.len(), margin.len());
        let mut system = Mat::identity(features, features);
        if self.part.bias {
            system[(features - 1, features - 1)] = 0.0;
        }
        let weight: Vec<f64> = self.bounds.diagonal().iter().map(|d| 1.0 / d).collect();
        let mut scaled = Mat::zeros(features, m.min(BLOCK));
        for start in (0..m).step_by(BLOCK) {
            let many = BLOCK.min(m - start);
            for k in 0..many {
                let root = weight[start + k].sqrt();
                let column = self.part.features.column(self.part.of[start + k]);
                let to = scaled.col_as_slice_mut(k);
                to.iter_mut().zip(column).for_each(|(to, from)| *to = root * from);
            }
            add_outer(&mut system, scaled.as_ref().subcols(0, many), monitor);
        }
        let factor = CholeskyFactor::new(system, Par::Seq)?;
        Ok(System { factor, weight, stationary, margin })
    }

    fn solve(&mut self, system: &System, target: Target) -> Reach {
        let System { factor, weight, stationary, margin } = system;
        let held = self.bounds.held(target);
        let rho: Vec<f64> =
            (0..margin.len()).map(|i| held[0][i] - held[1][i] - margin[i]).collect();
        let weighted: Vec<f64> = rho.iter().zip(weight).map(|(r, w)| r * w).collect();
        let mut right = Mat::from_fn(stationary.len(), 1, |k, _| -stationary[k]);
        self.part.add_combined(1.0, &weighted, right.col_as_slice_mut(0));
        factor.solve(&mut right);
        self.change.copy_from_slice(right.col_as_slice(0));
        let mut beta = self.part.scores(&self.change);
        for ((beta, rho), weight) in beta.iter_mut().zip(&rho).zip(weight) {
            *beta = weight * (rho - *beta);
        }
        self.bounds.complete(beta, held)
    }

    fn advance(&mut self, steps: Steps) {
        add_multiple(&mut self.vector, steps.primal, &self.change);
        self.bounds.advance(steps, self.part.costs);
    }
}
