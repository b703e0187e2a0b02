//! Follows the central path of hinge problems over features, with or without a free bias.
//!
//! **Problem**: minimise (1/2) |v|^2 + sum_i c_i [s_i - y_i <v, f_i>]_+, where a last feature of
//! ones is not in the norm if it stands for a free bias. Its dual has 0 <= beta_i <= c_i, and v =
//! v_0 + X beta for X with columns y_i f_i; v_0 is what examples outside the problem contribute.
//!
//! **Conditions** at mu, for J = I, but 0 in the place of a free bias, and t = c - beta:
//!
//!   J v = v_0 + X beta,   X'v - s = lower - upper,   lower beta = mu,   upper t = mu.
//!
//! Where mu = 0, `upper` are the losses and `lower` what each example has beyond its margin. With
//! W = (lower / beta + upper / t)^-1 a Newton step solves (J + X W X') dv = X W rho - (J v - v_0 -
//! X beta), then dbeta = W (rho - X' dv). That is Mehrotra's predictor and corrector (SIAM J.
//! Optim. 2, 1992) as Ferris and Munson (SIAM J. Optim. 13, 2003) use it here. v is moved by
//! itself, not summed from beta, so that large costs take none of its digits; steps hardly grow in
//! number with them.

use super::Features;
use super::outer::add_outer;
use crate::cholesky::{Factor, NotPositive};
use crate::monitor::Monitor;
use crate::stop::Stop;
use crate::vectors::add_multiple;
use faer::{Mat, Par};

/// Steps go this share of the way to the nearest bound.
const SHARE: f64 = 0.995;
/// Steps without progress after which the method gives up.
const PATIENCE: u32 = 8;
/// Examples that are gathered at a time.
const BLOCK: usize = 1024;

/// The examples of a problem.
pub(crate) struct Part<'a> {
    pub(crate) features: Features<'a>,
    /// Which columns of the features they are.
    pub(crate) of: &'a [usize],
    pub(crate) signs: &'a [f64],
    pub(crate) costs: &'a [f64],
    pub(crate) margins: &'a [f64],
    /// v_0, (D).
    pub(crate) fixed: Vec<f64>,
    /// Whether the last feature is the one of a free bias.
    pub(crate) bias: bool,
}

impl Part<'_> {
    /// sum += factor X v.
    fn add_combined(&self, factor: f64, v: &[f64], sum: &mut [f64]) {
        let signed: Vec<f64> = v.iter().zip(self.signs).map(|(v, y)| factor * v * y).collect();
        self.features.add_combined(&signed, self.of, sum);
    }

    /// X'v.
    fn scores(&self, v: &[f64]) -> Vec<f64> {
        let mut scores = self.features.scores(v, self.of);
        scores.iter_mut().zip(self.signs).for_each(|(z, y)| *z *= y);
        scores
    }

    /// beta half way between its bounds; with a free bias, the class of greater cost less: sum_i
    /// y_i beta_i = 0.
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

/// A point inside all bounds, with room for a step.
pub(crate) struct Interior<'a> {
    part: Part<'a>,
    /// v.
    vector: Vec<f64>,
    beta: Vec<f64>,
    /// c - beta, moved with it: where it is small, the difference would have no digits.
    room: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// W.
    weight: Vec<f64>,
    /// The residuals of the first two conditions.
    stationary: Vec<f64>,
    margin: Vec<f64>,
}

/// Changes of a point.
struct Direction {
    vector: Vec<f64>,
    beta: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl<'a> Interior<'a> {
    /// A point that satisfies all equations and is nearly centred, at the price of a large mu: beta
    /// in the middle, v = v_0 + X beta, and slacks that all are large beside the scores.
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
        let (weight, stationary, margin) = (vec![0.0; m], vec![0.0; features], vec![0.0; m]);
        Interior { part, vector, beta, room, lower, upper, weight, stationary, margin }
    }

    /// v.
    pub(crate) fn vector(&self) -> &[f64] {
        &self.vector
    }

    /// beta, inside its bounds.
    pub(crate) fn beta(&self) -> &[f64] {
        &self.beta
    }

    /// beta, at the bound where a coordinate step on an example of |f_i|^2 = `squares[i]` would
    /// bring it.
    pub(crate) fn settled(&self, squares: &[f64]) -> Vec<f64> {
        let near = |value: f64, i: usize| value < 1e-3 * self.part.costs[i];
        let settle = |i: usize| {
            let (beta, room, cost) = (self.beta[i], self.room[i], self.part.costs[i]);
            if near(beta, i) && self.lower[i] > beta * squares[i] {
                0.0
            } else if near(room, i) && self.upper[i] > room * squares[i] {
                cost
            } else {
                beta.min(cost)
            }
        };
        (0..self.beta.len()).map(settle).collect()
    }

    /// Steps until lower beta and upper t sum to at most `target`, which is the gap up to rounding,
    /// or no step helps; returns the number of steps, and whether a system could not be solved.
    pub(crate) fn run(&mut self, target: f64, most: u64, monitor: &dyn Monitor) -> (u64, bool) {
        let whole = 2.0 * self.beta.len() as f64;
        let (mut steps, mut idle, mut least) = (0, 0, whole * self.complementarity(None));
        while steps < most && idle < PATIENCE && least > target && !monitor.should_stop() {
            if let Err(stop) = self.step() {
                return (steps, stop == Stop::NumericalFailure);
            }
            steps += 1;
            let sum = whole * self.complementarity(None);
            idle = if sum < 0.9 * least { 0 } else { idle + 1 };
            least = least.min(sum);
        }
        (steps, false)
    }

    /// One predictor and one corrector. Where the numbers allow no further step the point is
    /// unchanged.
    ///
    /// # Errors
    /// [`Stop::NumericalFailure`] or [`Stop::NoProgress`].
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        self.residuals();
        let factor = self.factor().map_err(|_| Stop::NumericalFailure)?;
        let mu = self.complementarity(None);
        let first = self.solve(&factor, |_| (0.0, 0.0));
        let affine = self.complementarity(Some((&first, self.longest(&first))));
        let centre = mu * (affine / mu).powi(3);
        let second = |i: usize| {
            (centre - first.beta[i] * first.lower[i], centre + first.beta[i] * first.upper[i])
        };
        let step = self.solve(&factor, second);
        let length = (SHARE * self.longest(&step)).min(1.0);
        let mut numbers =
            step.vector.iter().chain(&step.beta).chain(&step.lower).chain(&step.upper);
        if length.is_nan() || !numbers.all(|v| v.is_finite()) {
            return Err(Stop::NumericalFailure);
        }
        if length <= 0.0 {
            return Err(Stop::NoProgress);
        }
        add_multiple(&mut self.vector, length, &step.vector);
        add_multiple(&mut self.beta, length, &step.beta);
        add_multiple(&mut self.room, -length, &step.beta);
        add_multiple(&mut self.lower, length, &step.lower);
        add_multiple(&mut self.upper, length, &step.upper);
        for numbers in [&mut self.beta, &mut self.room, &mut self.lower, &mut self.upper] {
            numbers.iter_mut().for_each(|v| *v = v.max(f64::MIN_POSITIVE));
        }
        // The larger of beta and c - beta has the digits of both.
        for ((beta, room), cost) in self.beta.iter_mut().zip(&mut self.room).zip(self.part.costs) {
            if *beta > *room {
                *beta = cost - *room;
            } else {
                *room = cost - *beta;
            }
        }
        Ok(())
    }

    /// J v - v_0 - X beta and X'v - s - lower + upper.
    fn residuals(&mut self) {
        let last = self.vector.len() - 1;
        for ((r, v), fixed) in self.stationary.iter_mut().zip(&self.vector).zip(&self.part.fixed) {
            *r = v - fixed;
        }
        if self.part.bias {
            self.stationary[last] = -self.part.fixed[last];
        }
        self.part.add_combined(-1.0, &self.beta, &mut self.stationary);
        for (i, z) in self.part.scores(&self.vector).iter().enumerate() {
            self.margin[i] = z - self.part.margins[i] - self.lower[i] + self.upper[i];
        }
    }

    /// Cholesky's factor of J + X W X'.
    fn factor(&mut self) -> Result<Factor, NotPositive> {
        let (features, m) = (self.vector.len(), self.beta.len());
        let mut system = Mat::identity(features, features);
        if self.part.bias {
            system[(features - 1, features - 1)] = 0.0;
        }
        for (i, weight) in self.weight.iter_mut().enumerate() {
            *weight = 1.0 / (self.lower[i] / self.beta[i] + self.upper[i] / self.room[i]);
        }
        let mut scaled = Mat::zeros(features, m.min(BLOCK));
        for start in (0..m).step_by(BLOCK) {
            let many = BLOCK.min(m - start);
            for k in 0..many {
                let (root, column) = (
                    self.weight[start + k].sqrt(),
                    self.part.features.column(self.part.of[start + k]),
                );
                scaled
                    .col_as_slice_mut(k)
                    .iter_mut()
                    .zip(column)
                    .for_each(|(to, from)| *to = root * from);
            }
            add_outer(&mut system, scaled.as_ref().subcols(0, many));
        }
        Factor::new(system, Par::Seq)
    }

    /// The Newton step towards lower beta and upper t of these values.
    fn solve(&self, factor: &Factor, towards: impl Fn(usize) -> (f64, f64)) -> Direction {
        let m = self.beta.len();
        let (mut lower, mut upper, mut rho) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
        let mut weighted = vec![0.0; m];
        for i in 0..m {
            let (low, high) = towards(i);
            lower[i] = low / self.beta[i] - self.lower[i];
            upper[i] = high / self.room[i] - self.upper[i];
            rho[i] = lower[i] - upper[i] - self.margin[i];
            weighted[i] = self.weight[i] * rho[i];
        }
        let mut right = Mat::from_fn(self.vector.len(), 1, |k, _| -self.stationary[k]);
        self.part.add_combined(1.0, &weighted, right.col_as_slice_mut(0));
        factor.solve(&mut right);
        let vector = right.col_as_slice(0).to_vec();
        let mut beta = self.part.scores(&vector);
        for i in 0..m {
            beta[i] = self.weight[i] * (rho[i] - beta[i]);
            lower[i] -= self.lower[i] * beta[i] / self.beta[i];
            upper[i] += self.upper[i] * beta[i] / self.room[i];
        }
        Direction { vector, beta, lower, upper }
    }

    /// The longest step, at most 1, that stays inside.
    fn longest(&self, step: &Direction) -> f64 {
        let mut length = 1.0_f64;
        for (i, &beta) in step.beta.iter().enumerate() {
            for (at, change) in [
                (self.beta[i], beta),
                (self.room[i], -beta),
                (self.lower[i], step.lower[i]),
                (self.upper[i], step.upper[i]),
            ] {
                if change < 0.0 {
                    length = length.min(-at / change);
                }
            }
        }
        length
    }

    /// The mean of lower beta and upper t, after a step of this length.
    fn complementarity(&self, after: Option<(&Direction, f64)>) -> f64 {
        let of = |i: usize| {
            let (beta, lower, upper) = after.map_or((0.0, 0.0, 0.0), |(step, length)| {
                (length * step.beta[i], length * step.lower[i], length * step.upper[i])
            });
            (self.beta[i] + beta) * (self.lower[i] + lower)
                + (self.room[i] - beta) * (self.upper[i] + upper)
        };
        (0..self.beta.len()).map(of).sum::<f64>() / (2 * self.beta.len()) as f64
    }
}
