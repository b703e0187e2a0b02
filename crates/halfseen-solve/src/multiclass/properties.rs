//! Tests the solver's certificate on larger low-rank problems, random directions and odd data.

use super::*;
use crate::monitor::Silent;
use crate::sampling::{Purpose, Stream};

fn exact() -> SolverOptions {
    SolverOptions { tol: 1e-8, ..SolverOptions::default() }
}

/// Returns rows of a few columns, with noisy classes correlated with them.
fn problem(n: usize, columns: usize, classes: usize, seed: u64) -> (Mat<f64>, Vec<u32>) {
    let mut stream = Stream::new(seed, Purpose::Data, n as u64);
    let rows = Mat::from_fn(columns, n, |_, _| stream.normal());
    let centres = Mat::from_fn(columns, classes, |_, _| stream.normal());
    let codes = (0..n).map(|i| {
        let score = |r: usize| (0..columns).map(|j| rows[(j, i)] * centres[(j, r)]).sum::<f64>();
        let best = (0..classes).max_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap();
        if stream.unit() < 0.15 { stream.below(classes) as u32 } else { best as u32 }
    });
    let codes = codes.collect();
    let gram = rows.transpose() * &rows;
    (gram, codes)
}

/// Returns the primal objective of coefficients, by plain sums.
fn primal(gram: &Mat<f64>, codes: &[u32], c: f64, b: &Mat<f64>) -> f64 {
    let z = gram * b;
    let square: f64 = (0..b.ncols()).map(|r| b.col(r).transpose() * z.col(r)).sum();
    let loss = |i: usize| {
        let own = codes[i] as usize;
        let raised = (0..b.ncols()).map(|r| z[(i, r)] + if r == own { 0.0 } else { 1.0 });
        raised.fold(f64::NEG_INFINITY, f64::max) - z[(i, own)]
    };
    0.5 * square + c * (0..codes.len()).map(loss).sum::<f64>()
}

#[test]
fn the_gap_closes_for_small_and_large_c_and_any_rank() {
    for (n, columns, classes) in [(40, 60, 3), (90, 4, 5), (30, 2, 4)] {
        let (gram, codes) = problem(n, columns, classes, 5);
        for c in [1e-5, 1e-2, 1.0, 1e3, 1e5] {
            let solved = solve(gram.as_ref(), &codes, classes, c, None, &exact(), &Silent).unwrap();
            assert_eq!(
                solved.stop,
                SolverStop::Tolerance,
                "{n} {classes} {c}: {:e} of {:e}",
                solved.gap,
                solved.objective
            );
            let plain = primal(&gram, &codes, c, &solved.coefficients);
            assert!(
                (plain - solved.objective).abs() <= 1e-7 * plain.abs().max(1e-9),
                "{plain} {}",
                solved.objective
            );
            for (i, &y) in codes.iter().enumerate() {
                let row: Vec<f64> = (0..classes).map(|r| solved.coefficients[(i, r)]).collect();
                assert!(row.iter().sum::<f64>().abs() <= 1e-12 * c);
                for (r, b) in row.iter().enumerate() {
                    assert!(*b <= if y as usize == r { c * (1.0 + 1e-12) } else { 0.0 });
                }
            }
        }
    }
}

#[test]
fn no_direction_improves_the_primal() {
    let (gram, codes) = problem(25, 3, 4, 8);
    let solved = solve(gram.as_ref(), &codes, 4, 0.7, None, &exact(), &Silent).unwrap();
    let mut stream = Stream::new(1, Purpose::Data, 2);
    for size in [1e-3, 1e-2, 0.1] {
        for _ in 0..200 {
            let moved =
                Mat::from_fn(25, 4, |i, r| solved.coefficients[(i, r)] + size * stream.normal());
            assert!(primal(&gram, &codes, 0.7, &moved) >= solved.objective * (1.0 - 1e-8));
        }
    }
}

#[test]
fn two_classes_are_the_binary_hinge_with_twice_c() {
    let (gram, codes) = problem(50, 6, 2, 3);
    let signs: Vec<f64> = codes.iter().map(|&code| if code == 1 { 1.0 } else { -1.0 }).collect();
    for c in [0.01, 1.0, 50.0] {
        let two = solve(gram.as_ref(), &codes, 2, c, None, &exact(), &Silent).unwrap();
        let one =
            crate::hinge::solve(gram.as_ref(), &signs, 2.0 * c, None, &exact(), &Silent).unwrap();
        // v_1 = -v_0 = v/2: |v_0|^2 + |v_1|^2 = |v|^2 / 2, and both hinges are 1 - y <v, x>.
        assert!((2.0 * two.objective - one.objective).abs() <= 1e-6 * one.objective, "{c}");
        for i in 0..50 {
            assert_eq!(two.coefficients[(i, 0)], -two.coefficients[(i, 1)]);
        }
    }
}

#[test]
fn warm_starts_end_where_cold_ones_do_and_permutations_do_not_matter() {
    let (gram, codes) = problem(60, 5, 4, 13);
    let cs = [1.0, 0.01, 100.0];
    let all = path(gram.as_ref(), &codes, 4, &cs, &exact(), &Silent).unwrap();
    for (c, warm) in cs.iter().zip(&all) {
        let cold = solve(gram.as_ref(), &codes, 4, *c, None, &exact(), &Silent).unwrap();
        assert!((warm.objective - cold.objective).abs() <= 3e-8 * cold.objective);
        let renamed: Vec<u32> = codes.iter().rev().map(|code| (code + 1) % 4).collect();
        let turned = Mat::from_fn(60, 60, |i, j| gram[(59 - i, 59 - j)]);
        let other = solve(turned.as_ref(), &renamed, 4, *c, None, &exact(), &Silent).unwrap();
        assert!((other.objective - cold.objective).abs() <= 3e-8 * cold.objective);
    }
}

#[test]
fn odd_data_have_defined_answers() {
    let one = Mat::from_fn(1, 1, |_, _| 2.0);
    // One row against two other classes: v_own = 2/3 t phi, others -t/3; by hand |a| <= C.
    let solved = solve(one.as_ref(), &[1], 3, 100.0, None, &exact(), &Silent).unwrap();
    assert!(solved.gap <= 1e-8 * solved.objective);
    let z: Vec<f64> = (0..3).map(|r| 2.0 * solved.coefficients[(0, r)]).collect();
    assert!((z[1] - z[0] - 1.0).abs() < 1e-6 && (z[0] - z[2]).abs() < 1e-6, "{z:?}");
    // One class: predicting 0 has no loss.
    let (gram, _) = problem(10, 2, 3, 1);
    let solved =
        solve(gram.as_ref(), &[2; 10], 3, 1.0, None, &SolverOptions::default(), &Silent).unwrap();
    assert!(solved.objective.is_finite() && solved.stop == SolverStop::Tolerance);
    // Rows of zeros always lose 1 each.
    let zeros = Mat::zeros(4, 4);
    let solved = solve(zeros.as_ref(), &[0, 1, 2, 0], 3, 2.0, None, &exact(), &Silent).unwrap();
    assert_eq!((solved.objective, solved.stop), (8.0, SolverStop::Tolerance));
    // The same row with every label.
    let same = Mat::full(6, 6, 1.5);
    let solved =
        solve(same.as_ref(), &[0, 1, 2, 0, 1, 2], 3, 1e4, None, &exact(), &Silent).unwrap();
    assert_eq!(solved.stop, SolverStop::Tolerance);
}

#[test]
fn bad_input_is_refused_and_limits_are_told() {
    let (gram, codes) = problem(30, 2, 3, 4);
    let fails = |gram: &Mat<f64>, codes: &[u32], c: f64| {
        solve(gram.as_ref(), codes, 3, c, None, &SolverOptions::default(), &Silent).unwrap_err()
    };
    let mut odd = gram.clone();
    odd[(3, 2)] = f64::NAN;
    assert!(matches!(fails(&odd, &codes, 1.0), Error::Numerical { .. }));
    assert!(matches!(fails(&gram, &codes, 0.0), Error::OutOfRange { .. }));
    assert!(matches!(fails(&gram, &codes[1..], 1.0), Error::WrongLength { .. }));
    assert!(matches!(fails(&gram, &[3; 30], 1.0), Error::WrongTarget { .. }));
    assert!(matches!(fails(&Mat::zeros(0, 0), &[], 1.0), Error::TooFewRows { .. }));
    let short = SolverOptions { tol: 1e-12, max_passes: 1, seed: 0 };
    let solved = solve(gram.as_ref(), &codes, 3, 10.0, None, &short, &Silent).unwrap();
    assert_eq!(solved.stop, SolverStop::IterationLimit);
    let better = solve(gram.as_ref(), &codes, 3, 10.0, None, &exact(), &Silent).unwrap();
    assert!(solved.objective - solved.gap <= better.objective * (1.0 + 1e-9), "the gap is a bound");
}
