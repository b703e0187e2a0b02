//! Times the losses of learners under the worst deletions of equal values, on rows like images of
//! digits.
//!
//!     cargo bench -p halfseen --bench adversary
//!
//! Rows have 784 attributes, dense (every value random) or like MNIST's 4 against 7 (19 in 100 not
//! 0, in runs). One thread. A loss is the row's score, the gain of each deletion, and the largest
//! of them: zeros are not stored. The yardstick is a plain weighted sum over all values of the same
//! rows; runs alternate, and the quickest of each is printed (others disturb it), with a full sort
//! beside them.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::data::{Examples, Layout, Matrix, Scaler, Threat};
use halfseen::robust::{RobustHinge, Rows};
use halfseen::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const REPEATS: usize = 15;
const ROWS: usize = 2_000;
const WIDTH: usize = 784;

fn quickest(times: Vec<f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}

fn seconds(run: impl FnOnce() -> f64) -> f64 {
    let began = Instant::now();
    black_box(run());
    began.elapsed().as_secs_f64()
}

/// Rows whose values that are not 0 come in runs, as strokes do.
fn digits(stream: &mut Stream) -> Vec<f64> {
    let mut row = vec![0.0; WIDTH];
    let mut left = 0;
    for value in &mut row {
        if left == 0 && stream.unit() < 0.035 {
            left = 4 + stream.below(5);
        }
        if left > 0 {
            *value = stream.unit().max(0.01);
            left -= 1;
        }
    }
    row
}

fn main() {
    let mut stream = Stream::new(1, Purpose::Data, 0);
    let weights: Vec<f64> = (0..WIDTH).map(|_| stream.normal().clamp(-1.0, 1.0)).collect();
    let dense: Vec<f64> = (0..ROWS * WIDTH).map(|_| stream.normal()).collect();
    let sparse: Vec<f64> = (0..ROWS).flat_map(|_| digits(&mut stream)).collect();
    let mut rising = dense.clone();
    for row in rising.chunks_exact_mut(WIDTH) {
        let mut gains: Vec<f64> = row.iter().zip(&weights).map(|(x, w)| w * x).collect();
        gains.sort_unstable_by(f64::total_cmp);
        row.iter_mut().zip(gains).zip(&weights).for_each(|((x, gain), w)| *x = gain / w);
    }
    let share = sparse.iter().filter(|v| **v != 0.0).count() as f64 / sparse.len() as f64;
    println!(
        "{ROWS} rows x {WIDTH}; digits: {:.1} in 100 not 0; millions of attribute values a second",
        100.0 * share
    );
    let total = (ROWS * WIDTH) as f64 / 1e6;
    let (layout, targets) = (Arc::new(Layout::singletons(WIDTH)), vec![0.0; ROWS]);
    let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    for (name, data) in [("dense", dense), ("digits", sparse), ("dense, gains rising", rising)] {
        let matrix = Matrix::F64(Array2::from_shape_vec((ROWS, WIDTH), data.clone()).unwrap());
        let rows = Rows::new(&Examples::new(&matrix, &Scaler::None {}, &layout, &targets), "bench")
            .unwrap();
        for count in [10, 50, 100] {
            let threat = Threat::uniform(WIDTH, count as f64).unwrap();
            let hinge = RobustHinge { threat: &threat, margin: 0.01 * threat.left() };
            let least = hinge.rate();
            let mut room = hinge.scratch();
            let mut gains = vec![0.0; WIDTH];
            let mut times = vec![Vec::new(); 3];
            for _ in 0..REPEATS {
                times[0].push(seconds(|| {
                    (0..ROWS)
                        .map(|i| hinge.loss(&rows, i, sign(i), &weights, 0.0, &mut room).loss)
                        .sum()
                }));
                times[1].push(seconds(|| {
                    let mut damage = |(i, row): (usize, &[f64])| {
                        gains
                            .iter_mut()
                            .zip(row)
                            .zip(&weights)
                            .for_each(|((g, x), w)| *g = sign(i) * w * x - least);
                        gains.sort_unstable_by(|a, b| b.total_cmp(a));
                        gains[..count].iter().filter(|g| **g > 0.0).sum::<f64>()
                    };
                    data.chunks_exact(WIDTH).enumerate().map(&mut damage).sum()
                }));
                times[2].push(seconds(|| {
                    let score =
                        |row: &[f64]| row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
                    data.chunks_exact(WIDTH).map(score).sum()
                }));
            }
            let rate: Vec<f64> = times.into_iter().map(|t| total / quickest(t)).collect();
            println!(
                "{name:>20}, N = {count:>3}: loss {:.0}, full sort {:.0}, plain sum {:.0}; {:.1} times the sort",
                rate[0],
                rate[1],
                rate[2],
                rate[0] / rate[1]
            );
        }
    }
}
