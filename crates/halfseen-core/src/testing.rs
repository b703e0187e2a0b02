//! Makes small data sets for the tests of this family.

use crate::data::{Examples, Layout, Matrix, Scaler};
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) struct Data {
    pub(crate) matrix: Matrix,
    pub(crate) targets: Vec<f64>,
    scaler: Scaler,
    layout: Arc<Layout>,
}

impl Data {
    pub(crate) fn new(cells: Array2<f64>, targets: Vec<f64>) -> Data {
        let layout = Arc::new(Layout::singletons(cells.ncols()));
        Data { matrix: Matrix::F64(cells), targets, scaler: Scaler::None {}, layout }
    }

    /// Returns correlated attributes with means, and a noisy linear target.
    pub(crate) fn random(m: usize, d: usize, seed: u64) -> Data {
        let mut stream = Stream::new(seed, Purpose::Data, (m * 1000 + d) as u64);
        let mut cells = Array2::zeros((m, d));
        let mut targets = Vec::with_capacity(m);
        for mut row in cells.rows_mut() {
            let common = stream.normal();
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = 0.7 * stream.normal() + 0.5 * common + 0.2 * j as f64;
            }
            let signal: f64 = row
                .iter()
                .enumerate()
                .map(|(j, x)| x * (1.0 - 0.4 * j as f64) / (1.0 + j as f64))
                .sum();
            targets.push(signal + 0.5 * stream.normal() + 1.5);
        }
        Data::new(cells, targets)
    }

    pub(crate) fn examples(&self) -> Examples<'_> {
        Examples::new(&self.matrix, &self.scaler, &self.layout, &self.targets)
    }

    pub(crate) fn row(&self, row: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.matrix.columns()];
        self.matrix.row_into(row, &mut out);
        out
    }
}

impl Data {
    pub(crate) fn repeat_rows(&mut self, times: usize) {
        let (m, d) = (self.targets.len(), self.matrix.columns());
        let cells = Array2::from_shape_fn((m * times, d), |(i, j)| self.matrix.get(i % m, j));
        let targets = (0..m * times).map(|i| self.targets[i % m]).collect();
        *self = Data::new(cells, targets);
    }

    /// Returns the least mean squared error over a set, by Nesterov's projected gradient descent on
    /// rows, restarted when the objective rises.
    pub(crate) fn minimise(
        &self,
        intercept: bool,
        steps: usize,
        project: impl Fn(&mut [f64]),
    ) -> f64 {
        let (m, d) = (self.targets.len(), self.matrix.columns());
        let mean = |j: usize| (0..m).map(|i| self.matrix.get(i, j)).sum::<f64>() / m as f64;
        let means: Vec<f64> = (0..d).map(|j| if intercept { mean(j) } else { 0.0 }).collect();
        let rows: Vec<Vec<f64>> =
            (0..m).map(|i| (0..d).map(|j| self.matrix.get(i, j) - means[j]).collect()).collect();
        let target_mean = if intercept { self.targets.iter().sum::<f64>() / m as f64 } else { 0.0 };
        let errors = |w: &[f64]| -> Vec<f64> {
            let score = |x: &[f64]| -> f64 { x.iter().zip(w).map(|(a, b)| a * b).sum() };
            rows.iter().zip(&self.targets).map(|(x, y)| score(x) - (y - target_mean)).collect()
        };
        let objective = |w: &[f64]| errors(w).iter().map(|e| e * e).sum::<f64>() / m as f64;
        let curvature = (2.0 * rows.iter().flatten().map(|x| x * x).sum::<f64>() / m as f64)
            .max(f64::MIN_POSITIVE);
        let (mut w, mut ahead, mut momentum) = (vec![0.0; d], vec![0.0; d], 1.0_f64);
        let mut best = objective(&w);
        for _ in 0..steps {
            let residuals = errors(&ahead);
            let mut next = ahead.clone();
            for (x, e) in rows.iter().zip(&residuals) {
                next.iter_mut().zip(x).for_each(|(v, x)| *v -= 2.0 * e * x / m as f64 / curvature);
            }
            project(&mut next);
            let value = objective(&next);
            if value > best {
                (ahead, momentum) = (w.clone(), 1.0);
                continue;
            }
            best = value;
            let following = (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) / 2.0;
            let push = (momentum - 1.0) / following;
            ahead = next.iter().zip(&w).map(|(n, o)| n + push * (n - o)).collect();
            (w, momentum) = (next, following);
        }
        best
    }
}

pub(crate) fn mean_square(data: &Data, weights: &[f64], intercept: f64) -> f64 {
    let score = |i: usize| -> f64 { data.row(i).iter().zip(weights).map(|(x, w)| x * w).sum() };
    let m = data.targets.len();
    (0..m).map(|i| (score(i) + intercept - data.targets[i]).powi(2)).sum::<f64>() / m as f64
}
