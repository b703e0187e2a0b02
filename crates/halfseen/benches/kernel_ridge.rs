//! Times kernel ridge regression: the whole grid of C against one eigendecomposition, and Cholesky
//! for a single C.
//!
//!     cargo bench -p halfseen --bench kernel_ridge
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use faer::Mat;
use halfseen::sampling::{Purpose, Stream};
use halfseen::solve::ridge::{Spectrum, solve};
use std::hint::black_box;
use std::time::Instant;

/// Rounds, in each of which everything is timed once; the median of ratios is printed.
const ROUNDS: usize = 3;
/// C from 1e-5 to 1e5.
const GRID: std::ops::RangeInclusive<i32> = -5..=5;

fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    println!("seconds of one eigendecomposition; the rest in eigendecompositions");
    println!(
        "{:>6} {:>8} {:>10} {:>10} {:>14} {:>10}",
        "rows", "outputs", "seconds", "11 C", "11 C and loo", "Cholesky"
    );
    for (n, outputs) in [(1000, 1), (1000, 5), (2000, 1), (2000, 5)] {
        let mut stream = Stream::new(1, Purpose::Data, n as u64);
        // Rank n / 2: half of the spectrum is zero, as where columns are fewer than rows.
        let points = Mat::from_fn(n, n / 2, |_, _| stream.normal());
        let gram = &points * points.transpose();
        let targets = Mat::from_fn(n, outputs, |_, _| stream.normal());
        let (mut eigen, mut grid, mut with_loo, mut cholesky) = (vec![], vec![], vec![], vec![]);
        for _ in 0..ROUNDS {
            let mut spectrum = None;
            let one = seconds(|| spectrum = Some(Spectrum::new(gram.as_ref()).unwrap()));
            let spectrum = spectrum.unwrap();
            let solves = seconds(|| {
                for power in GRID {
                    black_box(spectrum.solve(targets.as_ref(), 10_f64.powi(power)).unwrap());
                }
            });
            let left_out = seconds(|| {
                for power in GRID {
                    black_box(
                        spectrum.leave_one_out(targets.as_ref(), 10_f64.powi(power)).unwrap(),
                    );
                }
            });
            eigen.push(one);
            grid.push((one + solves) / one);
            with_loo.push((one + solves + left_out) / one);
            cholesky.push(
                seconds(|| drop(black_box(solve(gram.as_ref(), targets.as_ref(), 1.0).unwrap())))
                    / one,
            );
        }
        println!(
            "{n:>6} {outputs:>8} {:>10.3} {:>10.2} {:>14.2} {:>10.3}",
            median(eigen),
            median(grid),
            median(with_loo),
            median(cholesky)
        );
    }
}
