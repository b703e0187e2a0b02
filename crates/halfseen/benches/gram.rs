//! Times Gram matrices of incomplete rows beside the two plain products that they are made of.
//!
//!     cargo bench -p halfseen --bench gram
//!
//! The rate that the shares refer to is that of faer's own product in double precision: C = M'M and
//! D = X'X, each n x n in full, on all threads, into memory that is there already or, as its
//! operator does, into fresh memory. Runs alternate, and medians are printed.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used)]

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use halfseen::Silent;
use halfseen::kernel::gram::{bytes_needed, cross, gram};
use halfseen::kernel::{Kernel, Masked};
use halfseen::params::Normalization;
use halfseen::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::hint::black_box;
use std::time::Instant;

/// Alternations; medians are printed.
const REPEATS: usize = 5;

/// Normal values, half of them observed.
fn rows(n: usize, d: usize) -> Masked {
    let mut stream = Stream::new(1, Purpose::Data, (n + d) as u64);
    let cells = Array2::from_shape_fn((n, d), |_| {
        let value = stream.normal();
        if stream.unit() < 0.5 { value } else { f64::NAN }
    });
    Masked::from_rows(cells.view(), false).unwrap()
}

fn seconds(run: impl FnOnce()) -> f64 {
    let began = Instant::now();
    run();
    began.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let (n, d) = match sizes[..] {
        [n, d] => (n, d),
        _ => (8_000, 200),
    };
    let rows = rows(n, d);
    let dense = rows.dense();
    let mask = Mat::from_fn(d, n, |j, i| f64::from(dense.observed()[(j, i)]));
    let kernels: Vec<Kernel> = (1..=4)
        .map(|gamma| {
            let mut kernel = Kernel::new(gamma, None, Normalization::Trace, 1).unwrap();
            kernel.fit(&rows).unwrap();
            kernel
        })
        .collect();
    let (mut counts, mut products) = (Mat::<f64>::zeros(n, n), Mat::<f64>::zeros(n, n));
    let new = rows.select(&(0..n / 8).collect::<Vec<_>>());

    let names = [
        "two plain products",
        "the same, fresh memory",
        "gamma 1 to 4, all at once",
        "gamma 1 to 4, one by one",
        "gamma 3 alone",
        "gamma 1 to 4, n/8 rows across",
    ];
    let mut times = vec![Vec::new(); names.len()];
    for _ in 0..REPEATS {
        times[0].push(seconds(|| {
            for (matrix, out) in [(&mask, &mut counts), (&dense.values, &mut products)] {
                matmul(&mut *out, Accum::Replace, matrix.transpose(), matrix, 1.0, Par::rayon(0));
            }
            black_box((&counts, &products));
        }));
        times[1].push(seconds(|| {
            drop(black_box((mask.transpose() * &mask, dense.values.transpose() * &dense.values)))
        }));
        let grams = |of: &[Kernel]| drop(black_box(gram(of, &rows, &Silent).unwrap()));
        times[2].push(seconds(|| grams(&kernels)));
        times[3].push(seconds(|| kernels.chunks(1).for_each(grams)));
        times[4].push(seconds(|| grams(&kernels[2..3])));
        times[5].push(seconds(|| drop(black_box(cross(&kernels, &rows, &new, &Silent).unwrap()))));
    }
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    let gigabytes = bytes_needed(n, 4) as f64 / 1e9;
    let rate = 4.0 * (n as f64).powi(2) * d as f64 / medians[0] / 1e9;
    println!(
        "n = {n}, d = {d}, {} threads; four kernels take {gigabytes:.2} GB",
        rayon::current_num_threads()
    );
    println!(
        "plain products: {rate:.1} GFLOP/s; shares of their rate, in memory that is there and in fresh memory:"
    );
    for (name, time) in names.iter().zip(&medians) {
        println!("{name:>30}: {time:.3} s, {:.2}, {:.2}", medians[0] / time, medians[1] / time);
    }
}
