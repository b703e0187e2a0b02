//! Times the solvers over Gram matrices against the solvers over features, which are given the rows
//! of a factor of the same matrix.
//!
//!     cargo bench -p halfseen-solve --bench through_a_factor -- ROWS COLUMNS GAMMA CLASSES [TOL]
//!
//! Rows with a third of their cells unseen, k_gamma, noisy linear labels; C from 1e-5 to 1e5. The
//! factor is timed by itself: faer's Cholesky with diagonal pivots, cut off at the rank there is.
//! Coefficients over examples and a gap of K itself would cost more; neither is timed.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt_pivoting::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::{Mat, Par};
use halfseen_solve::sampling::{Purpose, Stream};
use halfseen_solve::{Silent, SolverOptions, SolverStop, hinge, linear, multiclass};
use std::fs;

/// The Gram matrix of k_gamma, mean diagonal 1, and codes of classes.
fn synthetic(n: usize, d: usize, gamma: u32, classes: usize) -> (Mat<f64>, Vec<u32>) {
    let mut stream = Stream::new(1, Purpose::Data, n as u64);
    let rule = Mat::from_fn(d, classes, |_, _| stream.normal() / (d as f64).sqrt());
    let mut values = Mat::<f64>::zeros(d + 1, n);
    let mut seen = Mat::<f64>::zeros(d + 1, n);
    let mut codes = Vec::new();
    for i in 0..n {
        let mut scores: Vec<f64> = (0..classes).map(|_| 0.5 * stream.normal()).collect();
        for j in 0..d {
            let x = stream.normal();
            scores.iter_mut().enumerate().for_each(|(r, score)| *score += rule[(j, r)] * x);
            if stream.unit() < 0.7 {
                (values[(j, i)], seen[(j, i)]) = (x, 1.0);
            }
        }
        (values[(d, i)], seen[(d, i)]) = (1.0, 1.0);
        codes.push((0..classes).max_by(|&r, &s| scores[r].total_cmp(&scores[s])).unwrap() as u32);
    }
    let (counts, products) = (seen.transpose() * &seen, values.transpose() * &values);
    let sum = |c: f64| (0..gamma).fold(0.0, |f, _| f * c + 1.0);
    let gram = Mat::from_fn(n, n, |i, j| sum(counts[(i, j)]) * products[(i, j)]);
    let mean = (0..n).map(|i| gram[(i, i)]).sum::<f64>() / n as f64;
    (Mat::from_fn(n, n, |i, j| gram[(i.max(j), i.min(j))] / mean), codes)
}

/// Seconds, and objective, gap and stop of each C.
type Timed = (f64, Vec<(f64, f64, SolverStop)>);

/// Processor time of all threads so far, in seconds: the clock on the wall counts other programs.
fn seconds() -> f64 {
    let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("schedstat")).unwrap();
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    tasks.map(|t| of(t).split(' ').next().unwrap().parse::<f64>().unwrap()).sum::<f64>() / 1e9
}

/// L' with K = L L', (rank, n): one example per column.
fn factor(gram: &Mat<f64>) -> Mat<f64> {
    let n = gram.nrows();
    let (mut lower, mut to, mut from) = (gram.clone(), vec![0_usize; n], vec![0_usize; n]);
    let scratch = cholesky_in_place_scratch::<usize, f64>(n, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    let rank =
        cholesky_in_place(lower.as_mut(), &mut to, &mut from, Par::Seq, stack, Default::default())
            .map_or(n, |(factor, _)| factor.rank);
    let largest = lower[(0, 0)].powi(2);
    let enough = |&k: &usize| lower[(k, k)].powi(2) <= 1e-14 * n as f64 * largest;
    let rank = (0..rank).find(enough).unwrap_or(rank);
    Mat::from_fn(rank, n, |k, i| if k <= from[i] { lower[(from[i], k)] } else { 0.0 })
}

fn main() {
    let numbers: Vec<f64> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let size = |at: usize, default: usize| numbers.get(at).map_or(default, |&x| x as usize);
    let (n, d, gamma, classes) = (size(0, 1000), size(1, 50), size(2, 2), size(3, 2));
    let options =
        SolverOptions { tol: numbers.get(4).copied().unwrap_or(1e-4), ..SolverOptions::default() };
    let (gram, codes) = synthetic(n, d, gamma as u32, classes);
    let cs: Vec<f64> = (-5..=5).map(|e| 10_f64.powi(e)).collect();
    let start = seconds();
    let features = factor(&gram);
    let factored = seconds() - start;
    let labels: Vec<f64> = codes.iter().map(|&code| 2.0 * f64::from(code) - 1.0).collect();
    let indices: Vec<usize> = codes.iter().map(|&code| code as usize).collect();
    let mut worst = 0.0_f64;
    for j in (0..n).step_by((n / 20).max(1)) {
        let product = features.transpose() * features.as_ref().subcols(j, 1);
        worst = (0..n).fold(worst, |w, i| w.max((product[(i, 0)] - gram[(i, j)]).abs()));
    }
    println!(
        "n {n} d {d} gamma {gamma} classes {classes}: rank {}, factor {factored:.3} s, K - LL' {worst:.1e}",
        features.nrows()
    );
    let (mut old, mut new) = (Vec::new(), Vec::new());
    // In alternation, and the shorter time of two.
    for _ in 0..2 {
        let start = seconds();
        let solutions = match classes {
            2 => hinge::path(gram.as_ref(), &labels, &cs, &options, &Silent),
            _ => multiclass::path(gram.as_ref(), &codes, classes, &cs, &options, &Silent),
        };
        old.push((
            seconds() - start,
            solutions.unwrap().iter().map(|s| (s.objective, s.gap, s.stop)).collect::<Vec<_>>(),
        ));
        let start = seconds();
        let view = features.as_ref();
        let solutions = match classes {
            2 => linear::hinge_path(view, &labels, &cs, &options, &Silent),
            _ => linear::multiclass_path(view, &indices, classes, &cs, &options, &Silent),
        };
        new.push((
            seconds() - start,
            solutions.unwrap().iter().map(|s| (s.objective, s.gap, s.stop)).collect::<Vec<_>>(),
        ));
    }
    if classes == 2 {
        // From the dual variables over L to a certificate over K.
        let start = seconds();
        let (ones, mut warm, mut polish) = (vec![1.0; n], vec![0.0; n], 0);
        let mut largest = 0.0_f64;
        for &c in &cs {
            let costs = vec![c; n];
            let (features, labels, margins) = (features.as_ref(), &labels, &ones);
            let problem = linear::LinearHingeProblem { features, labels, costs: &costs, margins };
            let half = SolverOptions { tol: 0.5 * options.tol, ..options };
            let (_, duals) = linear::hinge(&problem, Some(&warm), &half, &Silent).unwrap();
            let polished = hinge::solve(gram.as_ref(), labels, c, Some(&duals), &options, &Silent);
            let polished = polished.unwrap();
            polish += polished.passes;
            largest = largest.max(polished.gap / polished.objective);
            let grown = |i: usize| if duals[i] >= c { 10.0 * c } else { duals[i] };
            warm = (0..n).map(grown).collect();
        }
        println!(
            "  over L, then from there over K: {:.3} s, {polish} passes, gap {largest:.1e}",
            seconds() - start
        );
    }
    let tell = |name: &str, times: &[Timed]| {
        let least = times.iter().map(|t| t.0).fold(f64::INFINITY, f64::min);
        let open = times[0].1.iter().filter(|f| f.2 != SolverStop::Tolerance).count();
        let gap = times[0].1.iter().map(|f| f.1 / f.0).fold(0.0, f64::max);
        println!("  {name}: {least:.3} s, largest relative gap {gap:.1e}, unfinished {open}");
        least
    };
    let (old, new) = (tell("over K", &old), tell("over L", &new));
    println!("  ratio {:.2}, with the factor {:.2}", new / old, (new + factored) / old);
}
