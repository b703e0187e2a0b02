//! Times the robust Perceptron per row, beside a plain loop that sorts each row and averages every
//! weight.
//!
//!     cargo bench -p halfseen --bench perceptron
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::Silent;
use halfseen::data::{Examples, Labels, Layout, Matrix, Scaler};
use halfseen::learner::with;
use halfseen::registry::find;
use halfseen::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// Repetitions; the median is printed.
const REPEATS: usize = 5;

/// Dense rows (m, n) in [-1, 1] that a plane tells, one in ten wrongly.
fn rows(m: usize, n: usize) -> (Array2<f64>, Vec<u32>) {
    let mut stream = Stream::new(1, Purpose::Data, n as u64);
    let cells = Array2::from_shape_simple_fn((m, n), || 2.0 * stream.unit() - 1.0);
    let code = |row: ndarray::ArrayView1<'_, f64>, flip: bool| {
        let score: f64 =
            row.iter().enumerate().map(|(j, x)| if j % 2 == 0 { *x } else { -x }).sum();
        u32::from((score > 0.0) != flip)
    };
    let codes = cells.rows().into_iter().map(|row| code(row, stream.unit() < 0.1)).collect();
    (cells, codes)
}

/// Nanoseconds per row, the median.
fn time(rows: usize, mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let began = Instant::now();
            run();
            began.elapsed().as_nanos() as f64 / rows as f64
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    times[REPEATS / 2]
}

/// Algorithm and average as the paper writes them.
fn plainly(cells: &Array2<f64>, codes: &[u32], budget: usize, margin: f64) -> Vec<f64> {
    let (m, n) = cells.dim();
    let step = ((n + 1) as f64 / (m as f64 * (n as f64 / 3.0 + 1.0))).sqrt();
    let (mut w, mut b, mut mean, mut kept) = (vec![0.0; n], 0.0, vec![0.0; n], vec![true; n]);
    let left = (n - budget) as f64;
    for (row, &code) in cells.rows().into_iter().zip(codes) {
        let y = if code == 1 { 1.0 } else { -1.0 };
        mean.iter_mut().zip(&w).for_each(|(sum, w)| *sum += w / m as f64);
        let gains: Vec<f64> = row.iter().zip(&w).map(|(x, w)| y * w * x - margin / left).collect();
        let mut order: Vec<usize> = (0..n).filter(|&j| gains[j] > 0.0).collect();
        order.sort_unstable_by(|&i, &j| gains[j].total_cmp(&gains[i]));
        kept.fill(true);
        order.iter().take(budget).for_each(|&j| kept[j] = false);
        let damage: f64 = order.iter().take(budget).map(|&j| gains[j]).sum();
        let score: f64 = b + row.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>();
        if margin * n as f64 / left - y * score + damage > 0.0 {
            for j in (0..n).filter(|&j| kept[j]) {
                w[j] = f64::clamp(w[j] + step * y * row[j], -1.0, 1.0);
            }
            b = f64::clamp(b + step * y, -1.0, 1.0);
        }
    }
    mean
}

fn main() {
    println!(
        "{:>8} {:>6} {:>4} {:>12} {:>12} {:>14} {:>8}",
        "rows", "n", "N", "ns/row", "plain", "rows/s", "ratio"
    );
    for (m, n, budget) in
        [(200_000, 100, 0), (200_000, 100, 10), (200_000, 100, 50), (30_000, 784, 50)]
    {
        let (cells, codes) = rows(m, n);
        let (layout, scaler) = (Arc::new(Layout::singletons(n)), Scaler::None {});
        let targets: Vec<f64> = codes.iter().map(|&code| 2.0 * f64::from(code) - 1.0).collect();
        let matrix = Matrix::F64(cells.clone());
        let examples = Examples {
            matrix: &matrix,
            scaler: &scaler,
            layout: &layout,
            targets: &targets,
            rows: (0..m as u32).collect::<Vec<u32>>().into(),
            weights: None,
            moments: None,
            labels: Some(Labels { codes: &codes, classes: 2 }),
            declared: Default::default(),
            pilot: None,
        };
        let margin = 0.01 * (n - budget) as f64;
        let learner =
            with(find("robust-perceptron").unwrap(), &vec![("threat", budget.to_string())])
                .unwrap();
        // The whole fit: reading the rows, the pass, and the mean loss of the average.
        let ours = time(m, || drop(black_box(learner.fit(&examples, &Silent).unwrap())));
        let plain = time(m, || drop(black_box(plainly(&cells, &codes, budget, margin))));
        println!(
            "{m:>8} {n:>6} {budget:>4} {ours:>12.0} {plain:>12.0} {:>14.0} {:>8.2}",
            1e9 / ours,
            plain / ours
        );
    }
}
