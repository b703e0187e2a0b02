//! Moves weights in an l1 ball by regularised dual averaging with an l1 penalty, and averages them.
//!
//! w = argmin over |w|_1 <= B of <z, w> + t lambda |w|_1 + |w|_2^2 / (2 eta), z the sum of the t
//! gradients so far (Xiao, JMLR 11, 2010, algorithm 1 with h = |w|_2^2 / 2 and beta_t = 1/eta).
//! Penalty and ball each move every coordinate of -eta z towards zero by a threshold and stop it
//! there, so both together do it by the sum of the thresholds: soften by eta lambda t, then
//! project. Without the ball this is equation (10) of the paper. Weights that the penalty keeps at
//! zero are exactly zero; their average need not be. O(d) per step.

use crate::one_pass::Weights;
use halfseen::data::Cells;
use halfseen_solve::projection::onto_l1_ball_in;

/// Weights, sum of the gradients, and sum of the weights before each step.
#[derive(Debug, Clone)]
pub(crate) struct DualAveraging {
    radius: f64,
    /// lambda.
    penalty: f64,
    /// z.
    gradients: Vec<f64>,
    weights: Vec<f64>,
    sum: Vec<f64>,
    /// t.
    count: u64,
    /// Working memory of the projection.
    room: Vec<f64>,
}

impl DualAveraging {
    /// Starts from w = 0.
    pub(crate) fn new(columns: usize, radius: f64, penalty: f64) -> DualAveraging {
        let zeros = vec![0.0; columns];
        let (gradients, weights, sum) = (zeros.clone(), zeros.clone(), zeros);
        DualAveraging { radius, penalty, gradients, weights, sum, count: 0, room: Vec::new() }
    }
}

impl Weights for DualAveraging {
    fn product(&self, cells: &Cells) -> f64 {
        cells.iter().map(|(j, x)| self.weights[j] * x).sum()
    }

    fn step(&mut self, eta: f64, slope: f64, cells: &Cells) {
        self.sum.iter_mut().zip(&self.weights).for_each(|(s, w)| *s += w);
        self.count += 1;
        for (j, x) in cells.iter() {
            self.gradients[j] += slope * x;
        }
        let threshold = self.penalty * self.count as f64;
        for (w, z) in self.weights.iter_mut().zip(&self.gradients) {
            *w = -eta * (z.abs() - threshold).max(0.0).copysign(*z);
        }
        onto_l1_ball_in(&mut self.weights, self.radius, &mut self.room);
    }

    fn average(&self) -> Vec<f64> {
        let n = self.count.max(1) as f64;
        self.sum.iter().map(|s| s / n).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::{Purpose, Stream};

    /// Tests that w is the minimiser: by strong convexity F(v) >= F(w) + |v - w|^2 / (2 eta) for
    /// any v of the ball.
    #[test]
    fn every_iterate_is_the_least_point_of_its_definition() {
        let (d, eta) = (6, 0.05);
        for (radius, penalty) in [(0.3, 0.0), (0.3, 0.1), (50.0, 0.2), (1.0, 0.5)] {
            let mut stream = Stream::new(3, Purpose::Data, 1);
            let (mut averaging, mut cells) =
                (DualAveraging::new(d, radius, penalty), Cells::default());
            let (mut z, mut zeros) = (vec![0.0; d], 0);
            for t in 1..=60 {
                let row: Vec<f64> =
                    (0..d).map(|j| if j == t % d { 0.0 } else { stream.normal() + 0.3 }).collect();
                let slope = stream.normal() - 0.8;
                cells.take(&row);
                averaging.step(eta, slope, &cells);
                z.iter_mut().zip(&row).for_each(|(z, x)| *z += slope * x);
                let objective = |w: &[f64]| -> f64 {
                    let cell = |(w, z): (&f64, &f64)| {
                        z * w + t as f64 * penalty * w.abs() + w * w / (2.0 * eta)
                    };
                    w.iter().zip(&z).map(cell).sum()
                };
                let least = averaging.weights.clone();
                zeros += least.iter().filter(|w| **w == 0.0).count();
                assert!(least.iter().map(|w| w.abs()).sum::<f64>() <= radius * (1.0 + 1e-12));
                for trial in 0..40 {
                    // Near and far, on the boundary and inside.
                    let size = [0.001, 0.1, 1.0, 10.0][trial % 4] * radius;
                    let mut v: Vec<f64> =
                        least.iter().map(|w| w + size * stream.normal()).collect();
                    halfseen_solve::projection::onto_l1_ball(&mut v, radius);
                    let distance: f64 = v.iter().zip(&least).map(|(a, b)| (a - b).powi(2)).sum();
                    let (at, best) = (objective(&v), objective(&least));
                    let slack = 1e-9 * (at.abs() + best.abs() + 1e-3);
                    assert!(
                        at - best >= distance / (2.0 * eta) - slack,
                        "t {t}: {at}, {best}, {distance}"
                    );
                }
            }
            assert!(zeros > 0);
        }
    }
}
