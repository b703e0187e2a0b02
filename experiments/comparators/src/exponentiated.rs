//! Moves weights in an l1 ball by normalised exponentiated gradient, and averages them lazily.
//!
//! The two opposite weight vectors of the method start equal and move by reciprocal factors, so one
//! number per coordinate stores both: theta_i, minus eta times the sum of its clipped gradients.
//! Then w_i = B sinh(theta_i) / Z with Z = sum_j cosh(theta_j).
//!
//! A row changes theta only at its non-zero cells, with one exponential each. Z is summed anew
//! after every row, so it cannot drift. The average needs no pass over the other coordinates: with
//! A the sum of B / Z over the iterates so far, a coordinate that did not change while A grew by a
//! contributes a sinh(theta_i). A restarts from 0 before it mixes sums of very different size.
//!
//! Against overflow sinh, cosh and Z have a common factor e^-M, which cancels in w; M is 0 until
//! the largest |theta| approaches 300.

use crate::one_pass::Weights;
use halfseen::data::Cells;

/// Rows after which A restarts.
const RESTART: u32 = 256;

/// Factor of growth or fall of Z at which A restarts.
const SPREAD: f64 = 1e3;

/// Range of Z e^-M outside which M is chosen again; e^300 = 2e130.
const SMALL: f64 = 1e-130;
const LARGE: f64 = 1e130;

/// Weights, and the sum of the weights before each step.
#[derive(Debug, Clone)]
pub(crate) struct Exponentiated {
    radius: f64,
    coordinates: Vec<Coordinate>,
    /// e^-M cosh(theta_j).
    cosh: Vec<f64>,
    /// Z e^-M.
    total: f64,
    /// M.
    shift: f64,
    /// A since its last restart.
    clock: f64,
    /// Z at the last restart of A.
    total_at_restart: f64,
    rows_since_restart: u32,
    count: u64,
    /// e^(|theta| - M) for the columns of a row.
    powers: Vec<f64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Coordinate {
    theta: f64,
    /// e^-M sinh(theta).
    sinh: f64,
    /// A when theta last changed.
    since: f64,
    /// Sum of the weights up to that time.
    sum: f64,
}

impl Exponentiated {
    /// Starts from w = 0.
    pub(crate) fn new(columns: usize, radius: f64) -> Exponentiated {
        let total = columns as f64;
        Exponentiated {
            radius,
            coordinates: vec![Coordinate::default(); columns],
            cosh: vec![1.0; columns],
            total,
            shift: 0.0,
            clock: 0.0,
            total_at_restart: total,
            rows_since_restart: 0,
            count: 0,
            powers: Vec::new(),
        }
    }

    /// Updates every sum and restarts A from 0.
    fn restart(&mut self) {
        for c in &mut self.coordinates {
            c.sum += (self.clock - c.since) * c.sinh;
            c.since = 0.0;
        }
        self.clock = 0.0;
        self.total_at_restart = self.total;
        self.rows_since_restart = 0;
    }

    /// Chooses M for the current theta.
    fn rebase(&mut self) {
        self.restart();
        let largest = self.coordinates.iter().fold(0.0_f64, |a, c| a.max(c.theta.abs()));
        self.shift = if largest <= 200.0 { 0.0 } else { largest };
        for (c, cosh) in self.coordinates.iter_mut().zip(&mut self.cosh) {
            (c.sinh, *cosh) = sinh_cosh(c.theta, self.shift, (c.theta.abs() - self.shift).exp());
        }
        self.total = sum(&self.cosh);
        self.total_at_restart = self.total;
    }
}

impl Weights for Exponentiated {
    fn product(&self, cells: &Cells) -> f64 {
        let sum: f64 = cells.iter().map(|(j, x)| self.coordinates[j].sinh * x).sum();
        self.radius / self.total * sum
    }

    /// Clips each entry of the gradient to 1/`eta`.
    fn step(&mut self, eta: f64, slope: f64, cells: &Cells) {
        self.clock += self.radius / self.total;
        self.count += 1;
        let rate = eta * slope;
        self.powers.clear();
        for (j, x) in cells.iter() {
            let c = &mut self.coordinates[j];
            c.sum += (self.clock - c.since) * c.sinh;
            c.since = self.clock;
            c.theta -= (rate * x).clamp(-1.0, 1.0);
            self.powers.push(c.theta.abs() - self.shift);
        }
        // A separate loop: calls in the other loops would spill the vector registers each time.
        self.powers.iter_mut().for_each(|p| *p = p.exp());
        for ((j, _), &power) in cells.iter().zip(&self.powers) {
            let c = &mut self.coordinates[j];
            (c.sinh, self.cosh[j]) = sinh_cosh(c.theta, self.shift, power);
        }
        self.total = sum(&self.cosh);
        self.rows_since_restart += 1;
        let change = self.total / self.total_at_restart;
        if !(SMALL..=LARGE).contains(&self.total) {
            self.rebase();
        } else if self.rows_since_restart >= RESTART || !(1.0 / SPREAD..=SPREAD).contains(&change) {
            self.restart();
        }
    }

    fn average(&self) -> Vec<f64> {
        let n = self.count.max(1) as f64;
        self.coordinates.iter().map(|c| (c.sum + (self.clock - c.since) * c.sinh) / n).collect()
    }
}

/// Returns e^-shift sinh(theta) and e^-shift cosh(theta), from `up` = e^(|theta| - shift).
///
/// The difference for sinh loses digits near 0, but no more than the rounding of cosh, by whose sum
/// it is divided.
#[inline]
fn sinh_cosh(theta: f64, shift: f64, up: f64) -> (f64, f64) {
    let down = if shift == 0.0 { 1.0 / up } else { (-theta.abs() - shift).exp() };
    (((up - down) / 2.0).copysign(theta), (up + down) / 2.0)
}

/// Returns the sum, from eight partial sums.
fn sum(values: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let chunks = values.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(s, v)| *s += v);
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::{Purpose, Stream};

    /// Method as printed: two positive vectors, normalised at every step against overflow.
    struct Plain {
        radius: f64,
        up: Vec<f64>,
        down: Vec<f64>,
        sum: Vec<f64>,
        count: f64,
    }

    impl Plain {
        fn new(d: usize, radius: f64) -> Plain {
            Plain { radius, up: vec![1.0; d], down: vec![1.0; d], sum: vec![0.0; d], count: 0.0 }
        }

        fn weights(&self) -> Vec<f64> {
            let total: f64 = self.up.iter().chain(&self.down).sum();
            self.up.iter().zip(&self.down).map(|(u, v)| self.radius * (u - v) / total).collect()
        }

        fn step(&mut self, eta: f64, slope: f64, row: &[f64]) {
            let weights = self.weights();
            self.sum.iter_mut().zip(&weights).for_each(|(s, w)| *s += w);
            self.count += 1.0;
            for (j, x) in row.iter().enumerate() {
                let g = (slope * x).clamp(-1.0 / eta, 1.0 / eta);
                self.up[j] *= (-eta * g).exp();
                self.down[j] *= (eta * g).exp();
            }
            let total: f64 = self.up.iter().chain(&self.down).sum();
            self.up.iter_mut().chain(&mut self.down).for_each(|z| *z /= total);
        }
    }

    #[test]
    fn the_lazy_form_equals_the_plain_one() {
        // Small steps, steps that all clip, very large steps, d = 1; many cells are zero.
        for (d, eta, scale) in
            [(20, 0.01, 1.0), (13, 0.5, 1.0), (9, 1.0, 50.0), (1, 0.1, 1.0), (30, 0.001, 3.0)]
        {
            let mut stream = Stream::new(5, Purpose::Data, d as u64);
            let (mut lazy, mut plain) = (Exponentiated::new(d, 3.0), Plain::new(d, 3.0));
            let mut cells = Cells::default();
            for t in 0..3000 {
                let cell = |stream: &mut Stream| {
                    if stream.unit() < 0.6 { 0.0 } else { scale * stream.normal() }
                };
                let row: Vec<f64> = (0..d).map(|_| cell(&mut stream)).collect();
                cells.take(&row);
                let weights = plain.weights();
                let expected: f64 = weights.iter().zip(&row).map(|(w, x)| w * x).sum();
                let tolerance = 1e-12 * 3.0 * scale * d as f64;
                assert!((lazy.product(&cells) - expected).abs() < tolerance, "d {d}, row {t}");
                let target = row[0] - 0.5 * row[d - 1];
                plain.step(eta, expected - target, &row);
                lazy.step(eta, expected - target, &cells);
            }
            let mean: Vec<f64> = plain.sum.iter().map(|s| s / plain.count).collect();
            for (a, b) in lazy.average().iter().zip(&mean) {
                assert!((a - b).abs() < 1e-12, "d {d}: {a} and {b}");
            }
        }
    }

    #[test]
    fn thousands_of_clipped_steps_one_way_and_back_do_not_overflow() {
        let mut weights = Exponentiated::new(3, 2.0);
        let mut cells = Cells::default();
        cells.take(&[1.0, -0.5, 0.0]);
        for slope in [-1e9, 1e9] {
            for _ in 0..3000 {
                weights.step(1.0, slope, &cells);
                assert!(weights.product(&cells).is_finite() && weights.total > 0.0);
            }
        }
        // theta is 0 again, and so is w, but the average is not.
        assert!(weights.product(&cells).abs() < 1e-12);
        let average = weights.average();
        assert!(average[0] > 0.99 && average[1] < -0.99 && average[2] == 0.0);
        assert!(average.iter().map(|w| w.abs()).sum::<f64>() <= 2.0);
    }
}
