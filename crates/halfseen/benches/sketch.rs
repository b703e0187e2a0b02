//! Measures random features of k_gamma: their error beside the exact kernel, and training time
//! against rows.
//!
//!     cargo bench -p halfseen --bench sketch
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use faer::Mat;
use halfseen::Silent;
use halfseen::kernel::gram::{cross, gram};
use halfseen::kernel::{Kernel, Masked, Sketch};
use halfseen::params::Normalization;
use halfseen::sampling::{Purpose, Stream};
use halfseen::solve::{SolverOptions, linear, ridge};
use ndarray::Array2;
use std::time::Instant;

/// Gaussian rows in a random subspace of `rank` dimensions, each cell shown with probability
/// `share`, and a linear target of deviation 1 (paper D, section 5: missing completely at random).
fn toy(n: usize, d: usize, rank: usize, share: f64, seed: u64) -> (Masked, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let mut normal = |rows, columns| Mat::from_fn(rows, columns, |_, _| stream.normal());
    let (basis, inner, rule) = (normal(d, rank), normal(rank, n), normal(d, 1));
    let x = &basis * &inner;
    let y = x.transpose() * &rule;
    let deviation = |values: &mut dyn Iterator<Item = f64>| {
        (values.map(|v| v * v).sum::<f64>() / n as f64).sqrt()
    };
    let of_column: Vec<f64> = (0..d).map(|j| deviation(&mut (0..n).map(|i| x[(j, i)]))).collect();
    let of_target = deviation(&mut (0..n).map(|i| y[(i, 0)]));
    let cells = Array2::from_shape_fn((n, d), |(i, j)| {
        if stream.unit() < share { x[(j, i)] / of_column[j] } else { f64::NAN }
    });
    (
        Masked::from_rows(cells.view(), true).unwrap(),
        (0..n).map(|i| y[(i, 0)] / of_target).collect(),
    )
}

fn kernel(gamma: u64, rows: &Masked) -> Kernel {
    let mut kernel = Kernel::new(gamma, None, Normalization::Trace, 1).unwrap();
    kernel.fit(rows).unwrap();
    kernel
}

fn length(matrix: &Mat<f64>) -> f64 {
    matrix.col_iter().flat_map(|c| c.iter()).map(|v| v * v).sum::<f64>().sqrt()
}

fn column(values: &[f64]) -> Mat<f64> {
    Mat::from_fn(values.len(), 1, |i, _| values[i])
}

fn mean_square(scores: &Mat<f64>, targets: &[f64]) -> f64 {
    targets.iter().enumerate().map(|(i, y)| (scores[(i, 0)] - y).powi(2)).sum::<f64>()
        / targets.len() as f64
}

const GRID: [f64; 7] = [1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3];

/// The test errors of the exact kernel, each C.
fn exact_errors(
    kernel: &Kernel,
    train: (&Masked, &[f64]),
    test: (&Masked, &[f64]),
    cs: &[f64],
) -> Vec<f64> {
    let k = gram(std::slice::from_ref(kernel), train.0, &Silent).unwrap().remove(0);
    let to = cross(std::slice::from_ref(kernel), train.0, test.0, &Silent).unwrap().remove(0);
    let targets = column(train.1);
    let error = |&c: &f64| {
        let solved = ridge::solve(k.as_ref(), targets.as_ref(), c).unwrap();
        mean_square(&(to.transpose() * &solved.coefficients), test.1)
    };
    cs.iter().map(error).collect()
}

/// The same with random features of both, by the Gram matrix of them: there are fewer rows than
/// features.
fn sketched_errors(
    k: &Mat<f64>,
    f: (&Mat<f64>, &Mat<f64>),
    train: &[f64],
    test: &[f64],
) -> Vec<f64> {
    let targets = column(train);
    let error = |&c: &f64| {
        let weights = f.0 * &ridge::solve(k.as_ref(), targets.as_ref(), c).unwrap().coefficients;
        mean_square(&(f.1.transpose() * &weights), test)
    };
    GRID.iter().map(error).collect()
}

fn least(errors: &[f64]) -> f64 {
    errors.iter().copied().fold(f64::INFINITY, f64::min)
}

/// |K^ - K| / |K| and the test error beside the exact kernel's, both at their best C.
fn accuracy() {
    println!(
        "MCAR toy, d = 20 and the constant, p = 0.5, 700 training and 700 test rows; means over 3 seeds"
    );
    println!("gamma features  width  exact?  kernel error  test mse  exact mse");
    for gamma in [2, 3, 4] {
        let mut exact = 0.0;
        let mut sums = [(0.0, 0.0, 0, false); 6];
        for seed in 0..3 {
            let (rows, targets) = toy(1400, 20, 10, 0.5, seed);
            let half = |from: usize| rows.select(&(from..from + 700).collect::<Vec<_>>());
            let (train, test) = (half(0), half(700));
            let kernel = kernel(gamma, &train);
            let (train, test) = ((&train, &targets[..700]), (&test, &targets[700..]));
            exact += least(&exact_errors(&kernel, train, test, &GRID)) / 3.0;
            let k = gram(std::slice::from_ref(&kernel), train.0, &Silent).unwrap().remove(0);
            for (sum, features) in sums.iter_mut().zip([256, 512, 1024, 2048, 4096, 8192]) {
                let sketch = Sketch::of(&kernel, train.0.columns(), features, seed).unwrap();
                let f = sketch.features(train.0).unwrap();
                let of_test = sketch.features(test.0).unwrap();
                let sketched = f.transpose() * &f;
                sum.0 += length(&(&sketched - &k)) / length(&k) / 3.0;
                sum.1 += least(&sketched_errors(&sketched, (&f, &of_test), train.1, test.1)) / 3.0;
                (sum.2, sum.3) = (sketch.width(), sketch.is_exact());
            }
        }
        for (sum, features) in sums.iter().zip([256, 512, 1024, 2048, 4096, 8192]) {
            println!(
                "{gamma:5} {features:8} {:6}  {:6} {:13.5} {:9.4} {exact:10.4}",
                sum.2, sum.3, sum.0, sum.1
            );
        }
    }
}

/// Seconds against rows, and the error beside the exact kernel at 5,000 rows.
fn rows() {
    const C: f64 = 0.1;
    println!(
        "\nd = 50 and the constant, gamma = 2, p = 0.5, 2,048 features: seconds, and ratio to 5,000 rows"
    );
    println!("  rows   sketch           ridge            hinge (1e-4, C = {C})");
    let (all, targets) = toy(42_000, 50, 10, 0.5, 9);
    let test_rows = all.select(&(40_000..42_000).collect::<Vec<_>>());
    let test = (&test_rows, &targets[40_000..]);
    let mut first: Option<[f64; 3]> = None;
    for n in [5_000, 10_000, 20_000, 40_000] {
        let rows = all.select(&(0..n).collect::<Vec<_>>());
        let kernel = kernel(2, &rows);
        let start = Instant::now();
        let sketch = Sketch::of(&kernel, rows.columns(), 2048, 1).unwrap();
        let features = sketch.features(&rows).unwrap();
        let sketching = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let solved =
            linear::ridge_path(features.as_ref(), column(&targets[..n]).as_ref(), &[C], &Silent)
                .unwrap();
        let squared = start.elapsed().as_secs_f64();
        let labels: Vec<f64> = targets[..n].iter().map(|y| y.signum()).collect();
        let start = Instant::now();
        let machine = linear::hinge_path(
            features.as_ref(),
            &labels,
            &[C],
            &SolverOptions::default(),
            &Silent,
        )
        .unwrap();
        let hinged = start.elapsed().as_secs_f64();
        let now = [sketching, squared, hinged];
        let base = *first.get_or_insert(now);
        print!("{n:6}");
        (0..3).for_each(|k| print!(" {:8.3} ({:4.2})", now[k], now[k] / base[k]));
        println!("  {} passes, {:?}", machine[0].passes, machine[0].stop);
        let scores = sketch.features(test.0).unwrap().transpose() * &solved[0].weights;
        print!("       test mse {:.4}", mean_square(&scores, test.1));
        if n == 5_000 {
            let start = Instant::now();
            let exact = exact_errors(&kernel, (&rows, &targets[..n]), test, &[C]);
            print!(", exact kernel {:.4} in {:.1} s", exact[0], start.elapsed().as_secs_f64());
        }
        println!();
    }
}

fn main() {
    accuracy();
    rows();
}
