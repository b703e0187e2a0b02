//! Times the hinge solver over a grid of C, for Gram matrices of k_gamma.
//!
//!     cargo bench -p halfseen --bench kernel_solvers
//!     cargo bench -p halfseen --bench kernel_solvers -- PREFIX [TOL [warm]]
//!
//! PREFIX: Gram matrices PREFIX_g1.npy .. PREFIX_g4.npy and labels PREFIX_y.npy instead of
//! synthetic ones.
//!
//! With `warm`, each C is not also solved by itself.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use faer::Mat;
use halfseen::Silent;
use halfseen::sampling::{Purpose, Stream};
use halfseen::solve::{SolverOptions, SolverStop, hinge};
use std::time::Instant;

/// The numbers of a NumPy file of 64-bit floats.
fn numbers(path: &str) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[header..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Rows with a third of their cells unseen and noisy linear labels; Gram matrices of k_1..k_4, mean
/// diagonal 1.
fn synthetic(n: usize, d: usize) -> (Vec<Mat<f64>>, Vec<f64>) {
    let mut stream = Stream::new(1, Purpose::Data, n as u64);
    let weights: Vec<f64> = (0..d).map(|_| stream.normal() / (d as f64).sqrt()).collect();
    let mut labels = Vec::new();
    let mut values = Mat::<f64>::zeros(d + 1, n);
    let mut seen = Mat::<f64>::zeros(d + 1, n);
    for i in 0..n {
        let mut score = 0.5 * stream.normal();
        for j in 0..d {
            let x = stream.normal();
            score += weights[j] * x;
            if stream.unit() < 0.7 {
                (values[(j, i)], seen[(j, i)]) = (x, 1.0);
            }
        }
        (values[(d, i)], seen[(d, i)]) = (1.0, 1.0);
        labels.push(if score > 0.0 { 1.0 } else { -1.0 });
    }
    let (counts, products) = (seen.transpose() * &seen, values.transpose() * &values);
    let grams = (1..=4).map(|gamma| {
        let sum = |c: f64| (0..gamma).fold(0.0, |f, _| f * c + 1.0);
        let gram = Mat::from_fn(n, n, |i, j| sum(counts[(i, j)]) * products[(i, j)]);
        let mean = (0..n).map(|i| gram[(i, i)]).sum::<f64>() / n as f64;
        Mat::from_fn(n, n, |i, j| gram[(i.max(j), i.min(j))] / mean)
    });
    (grams.collect(), labels)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let (grams, labels) = match arguments.first() {
        None => synthetic(2000, 50),
        Some(prefix) => {
            let labels = numbers(&format!("{prefix}_y.npy"));
            let n = labels.len();
            let read = |gamma| {
                let cells = numbers(&format!("{prefix}_g{gamma}.npy"));
                Mat::from_fn(n, n, |i, j| cells[i * n + j])
            };
            ((1..=4).map(read).collect(), labels)
        }
    };
    let tol = arguments.get(1).map_or(1e-4, |text| text.parse().unwrap());
    let cs: Vec<f64> = (-5..=5).map(|e| 10_f64.powi(e)).collect();
    let options = SolverOptions { tol, ..SolverOptions::default() };
    let cold = arguments.get(2).is_none_or(|word| word != "warm");
    let mut total = 0.0;
    println!("n = {}, tol = {tol:e}", labels.len());
    for (gamma, gram) in (1..).zip(&grams) {
        for &c in cs.iter().filter(|_| cold) {
            let start = Instant::now();
            let solved = hinge::solve(gram.as_ref(), &labels, c, None, &options, &Silent).unwrap();
            println!(
                "gamma {gamma} C {c:7.0e} cold {:8.1} ms  objective {:.6e} gap {:.1e} passes {} support {} {:?}",
                start.elapsed().as_secs_f64() * 1e3,
                solved.objective,
                solved.gap / solved.objective,
                solved.passes,
                solved.support,
                solved.stop
            );
        }
        let start = Instant::now();
        let solved = hinge::path(gram.as_ref(), &labels, &cs, &options, &Silent).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        total += seconds;
        let unfinished = solved.iter().filter(|f| f.stop != SolverStop::Tolerance).count();
        println!(
            "gamma {gamma} path of {}: {:.1} ms, unfinished {unfinished}",
            cs.len(),
            seconds * 1e3
        );
    }
    println!("four paths: {:.1} ms", total * 1e3);
}
