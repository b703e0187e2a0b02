//! Steps along the central path of the weighted hinge loss with a free bias.
//!
//! **Conditions** at mu, for X with columns y_i (x_i, 1), v = (w, b), J = diag(1, ..., 1, 0), and t = c - beta:
//!
//!   J v = X beta,   X'v - s = lower - upper,   lower beta = mu,   upper t = mu.
//!
//! Where mu = 0, `upper` are the losses and `lower` what each example has beyond its margin. With W = (lower / beta + upper / t)^-1
//! a Newton step solves (J + X W X') dv = X W rho - (J v - X beta), then dbeta = W (rho - X' dv).

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::solve::solve_in_place;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, Par};

/// Steps go this share of the way to the nearest bound.
const SHARE: f64 = 0.995;

/// A point inside all bounds, with room for a step.
pub(super) struct Interior<'a> {
    signed: &'a Mat<f64>,
    margins: &'a [f64],
    costs: &'a [f64],
    /// w and b.
    vector: Vec<f64>,
    pub(super) beta: Vec<f64>,
    /// c - beta, moved with it: where it is small, the difference would have no digits.
    room: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    system: Mat<f64>,
    scaled: Mat<f64>,
    memory: MemBuffer,
    weight: Vec<f64>,
    rho: Vec<f64>,
    /// The residuals of the first two conditions.
    stationary: Vec<f64>,
    margin: Vec<f64>,
    step: Direction,
}

#[derive(Debug, Default)]
struct Direction {
    vector: Vec<f64>,
    beta: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Direction {
    fn zero(features: usize, n: usize) -> Direction {
        let zero = || vec![0.0; n];
        Direction { vector: vec![0.0; features], beta: zero(), lower: zero(), upper: zero() }
    }
}

impl<'a> Interior<'a> {
    /// A point that satisfies all equations and is nearly centred, at the price of a large mu: beta half way between its
    /// bounds (the class of greater cost less), v = X beta, and slacks that all are large beside the scores.
    pub(super) fn new(signed: &'a Mat<f64>, costs: &'a [f64], margins: &'a [f64]) -> Interior<'a> {
        let (features, n) = (signed.nrows(), signed.ncols());
        let sign = |i: usize| signed[(features - 1, i)];
        let mass = |y: f64| (0..n).filter(|&i| sign(i) == y).map(|i| costs[i]).sum::<f64>();
        let (plus, minus) = (mass(1.0), mass(-1.0));
        let share = |y: f64| if y > 0.0 { 0.5 * (minus / plus).min(1.0) } else { 0.5 * (plus / minus).min(1.0) };
        let beta: Vec<f64> = (0..n).map(|i| share(sign(i)) * costs[i]).collect();
        let room: Vec<f64> = costs.iter().zip(&beta).map(|(c, b)| c - b).collect();
        let mut vector = vec![0.0; features];
        (0..n).for_each(|i| add(&mut vector, beta[i], signed.col_as_slice(i)));
        vector[features - 1] = 0.0;
        let beyond: Vec<f64> = (0..n).map(|i| dot(signed.col_as_slice(i), &vector) - margins[i]).collect();
        let mu = (0..n).map(|i| beyond[i].abs() * beta[i].min(room[i])).fold(0.0, f64::max);
        let lower = (0..n).map(|i| beyond[i].max(0.0) + mu / beta[i]).collect();
        let upper = (0..n).map(|i| (-beyond[i]).max(0.0) + mu / room[i]).collect();
        let zero = || vec![0.0; n];
        Interior {
            signed,
            margins,
            costs,
            vector,
            beta,
            room,
            lower,
            upper,
            system: Mat::zeros(features, features),
            scaled: Mat::zeros(features, n),
            memory: MemBuffer::new(cholesky_in_place_scratch::<f64>(features, Par::Seq, Default::default())),
            weight: zero(),
            rho: zero(),
            stationary: vec![0.0; features],
            margin: zero(),
            step: Direction::zero(features, n),
        }
    }

    /// w.
    pub(super) fn weights(&self) -> &[f64] {
        &self.vector[..self.vector.len() - 1]
    }

    /// One predictor and one corrector. `false` where the numbers allow no further step; the point is then unchanged.
    pub(super) fn step(&mut self) -> bool {
        let n = self.beta.len();
        self.residuals();
        if !self.factorise() {
            return false;
        }
        let mu = self.complementarity(0.0);
        self.solve(|_| (0.0, 0.0));
        let affine = self.complementarity(self.longest());
        let centre = mu * (affine / mu).powi(3);
        let products: Vec<(f64, f64)> = (0..n)
            .map(|i| (centre - self.step.beta[i] * self.step.lower[i], centre + self.step.beta[i] * self.step.upper[i]))
            .collect();
        self.solve(|i| products[i]);
        let length = (SHARE * self.longest()).min(1.0);
        let numbers = self.step.vector.iter().chain(&self.step.beta).chain(&self.step.lower).chain(&self.step.upper);
        if length.is_nan() || length <= 0.0 || !numbers.clone().all(|v| v.is_finite()) {
            return false;
        }
        add(&mut self.vector, length, &self.step.vector);
        add(&mut self.beta, length, &self.step.beta);
        add(&mut self.room, -length, &self.step.beta);
        add(&mut self.lower, length, &self.step.lower);
        add(&mut self.upper, length, &self.step.upper);
        for numbers in [&mut self.beta, &mut self.room, &mut self.lower, &mut self.upper] {
            numbers.iter_mut().for_each(|v| *v = v.max(f64::MIN_POSITIVE));
        }
        // The larger of beta and c - beta has the digits of both.
        for ((beta, room), cost) in self.beta.iter_mut().zip(&mut self.room).zip(self.costs) {
            if *beta > *room {
                *beta = cost - *room;
            } else {
                *room = cost - *beta;
            }
        }
        true
    }

    /// J v - X beta and X'v - s - lower + upper.
    fn residuals(&mut self) {
        let last = self.vector.len() - 1;
        self.stationary.copy_from_slice(&self.vector);
        self.stationary[last] = 0.0;
        for i in 0..self.beta.len() {
            let column = self.signed.col_as_slice(i);
            add(&mut self.stationary, -self.beta[i], column);
            self.margin[i] = dot(column, &self.vector) - self.margins[i] - self.lower[i] + self.upper[i];
        }
    }

    /// Factorises J + X W X'.
    fn factorise(&mut self) -> bool {
        for i in 0..self.beta.len() {
            self.weight[i] = 1.0 / (self.lower[i] / self.beta[i] + self.upper[i] / self.room[i]);
            let root = self.weight[i].sqrt();
            let (to, from) = (self.scaled.col_as_slice_mut(i), self.signed.col_as_slice(i));
            to.iter_mut().zip(from).for_each(|(t, f)| *t = root * f);
        }
        let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let (left, right) = (self.scaled.as_ref(), self.scaled.transpose());
        triangular::matmul(self.system.as_mut(), lower, Accum::Replace, left, full, right, full, 1.0, Par::Seq);
        for j in 0..self.vector.len() - 1 {
            self.system[(j, j)] += 1.0;
        }
        let stack = MemStack::new(&mut self.memory);
        let regular = LltRegularization::default();
        cholesky_in_place(self.system.as_mut(), regular, Par::Seq, stack, Default::default()).is_ok()
    }

    /// The Newton step towards lower beta and upper t of these values.
    fn solve(&mut self, towards: impl Fn(usize) -> (f64, f64)) {
        let (n, features) = (self.beta.len(), self.vector.len());
        self.step.vector.iter_mut().zip(&self.stationary).for_each(|(s, r)| *s = -r);
        for i in 0..n {
            let (low, high) = towards(i);
            let lower = low / self.beta[i] - self.lower[i];
            let upper = high / self.room[i] - self.upper[i];
            self.rho[i] = lower - upper - self.margin[i];
            (self.step.lower[i], self.step.upper[i]) = (lower, upper);
            add(&mut self.step.vector, self.weight[i] * self.rho[i], self.signed.col_as_slice(i));
        }
        let right = MatMut::from_column_major_slice_mut(&mut self.step.vector, features, 1);
        solve_in_place(self.system.as_ref(), right, Par::Seq, MemStack::new(&mut self.memory));
        for i in 0..n {
            let change = dot(self.signed.col_as_slice(i), &self.step.vector);
            let beta = self.weight[i] * (self.rho[i] - change);
            self.step.beta[i] = beta;
            self.step.lower[i] -= self.lower[i] * beta / self.beta[i];
            self.step.upper[i] += self.upper[i] * beta / self.room[i];
        }
    }

    /// The longest step, at most 1, that stays inside.
    fn longest(&self) -> f64 {
        let mut length = 1.0_f64;
        for i in 0..self.beta.len() {
            let beta = self.step.beta[i];
            for (at, step) in [
                (self.beta[i], beta),
                (self.room[i], -beta),
                (self.lower[i], self.step.lower[i]),
                (self.upper[i], self.step.upper[i]),
            ] {
                if step < 0.0 {
                    length = length.min(-at / step);
                }
            }
        }
        length
    }

    /// The mean of lower beta and upper t after a step of this length.
    fn complementarity(&self, length: f64) -> f64 {
        let step = &self.step;
        let sum: f64 = (0..self.beta.len())
            .map(|i| {
                let moved = length * step.beta[i];
                (self.beta[i] + moved) * (self.lower[i] + length * step.lower[i])
                    + (self.room[i] - moved) * (self.upper[i] + length * step.upper[i])
            })
            .sum();
        sum / (2 * self.beta.len()) as f64
    }
}

fn add(sum: &mut [f64], times: f64, vector: &[f64]) {
    sum.iter_mut().zip(vector).for_each(|(s, v)| *s += times * v);
}

/// Four partial sums: the compiler may then use vector registers.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (left, right) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in left.zip(right) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}
