use super::*;
use crate::hinge;
use crate::monitor::Silent;
use crate::sampling::{Purpose, Stream};

/// Returns the Gram matrix of n rows of d normal numbers, and random codes.
fn problem(n: usize, d: usize, classes: usize, seed: u64) -> (Mat<f64>, Vec<u32>) {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let x = Mat::from_fn(n, d, |_, _| stream.normal());
    let codes = (0..n).map(|_| stream.below(classes) as u32).collect();
    (&x * x.transpose(), codes)
}

/// Classes that most rows tell apart.
fn learnable(n: usize, d: usize, classes: usize, seed: u64) -> (Mat<f64>, Vec<u32>) {
    let (gram, mut codes) = problem(n, d, classes, seed);
    for i in (0..n).filter(|i| i % 7 > 0) {
        let better = |r: usize, s: usize| if gram[(i, r)] > gram[(i, s)] { r } else { s };
        codes[i] = (1..classes).fold(0, better) as u32;
    }
    (gram, codes)
}

fn options(tol: f64) -> SolverOptions {
    SolverOptions { tol, ..SolverOptions::default() }
}

/// Returns objective and dual objective by definition.
fn both(gram: &Mat<f64>, codes: &[u32], c: f64, b: &Mat<f64>) -> (f64, f64) {
    let z = gram * b;
    let (mut primal, mut dual) = (0.0, 0.0);
    for i in 0..codes.len() {
        let y = codes[i] as usize;
        let error = |r: usize| if r == y { 0.0 } else { 1.0 };
        let mut worst = f64::NEG_INFINITY;
        for r in 0..b.ncols() {
            primal += 0.5 * b[(i, r)] * z[(i, r)];
            dual -= 0.5 * b[(i, r)] * z[(i, r)] + b[(i, r)] * error(r);
            worst = worst.max(error(r) + z[(i, r)] - z[(i, y)]);
        }
        primal += c * worst;
    }
    (primal, dual)
}

/// Returns the projection onto the simplex, by comparing all faces.
fn by_faces(point: &[f64], total: f64) -> Vec<f64> {
    let mut best = (f64::INFINITY, Vec::new());
    for face in 1..1_u32 << point.len() {
        let on = |r: usize| face >> r & 1 == 1;
        let sum: f64 = (0..point.len()).filter(|&r| on(r)).map(|r| point[r]).sum();
        let shift = (sum - total) / f64::from(face.count_ones());
        let at: Vec<f64> =
            (0..point.len()).map(|r| if on(r) { point[r] - shift } else { 0.0 }).collect();
        let distance: f64 = at.iter().zip(point).map(|(a, p)| (a - p).powi(2)).sum();
        if at.iter().all(|&a| a >= 0.0) && distance < best.0 {
            best = (distance, at);
        }
    }
    best.1
}

#[test]
fn projections_are_those_of_all_faces() {
    let mut stream = Stream::new(3, Purpose::Data, 0);
    for trial in 0..2000 {
        let k = 1 + trial % 5;
        let point: Vec<f64> =
            (0..k).map(|_| (2.0 * stream.normal()).round() / 2.0 + 0.1 * stream.unit()).collect();
        let total = 0.01 + 3.0 * stream.unit();
        let mut projected = point.clone();
        ascent::project(&mut projected, total, &mut vec![0.0; k]);
        for (f, e) in projected.iter().zip(by_faces(&point, total)) {
            assert!((f - e).abs() < 1e-12, "{point:?}");
        }
    }
}

#[test]
fn gap_is_primal_minus_dual_and_reaches_the_tolerance() {
    for (n, d, classes) in [(30, 4, 3), (25, 40, 5), (4, 2, 7), (1, 1, 3)] {
        let (gram, codes) = problem(n, d, classes, n as u64);
        for c in [1e-5, 1e-2, 1.0, 1e2, 1e5] {
            let solved =
                solve(gram.as_ref(), &codes, classes, c, None, &options(1e-8), &Silent).unwrap();
            let (primal, dual) = both(&gram, &codes, c, &solved.coefficients);
            assert_eq!(
                solved.stop,
                SolverStop::Tolerance,
                "n {n} c {c:e} gap {:e}",
                solved.gap / solved.objective
            );
            assert!((primal - solved.objective).abs() <= 1e-9 * primal);
            assert!(primal - dual <= 2e-8 * primal && primal - dual >= -1e-9 * primal);
            for (i, &y) in codes.iter().enumerate() {
                assert!(solved.coefficients.row(i).iter().sum::<f64>().abs() <= 1e-12 * c);
                for r in 0..classes {
                    let bound = if r == y as usize { c } else { 0.0 };
                    assert!(solved.coefficients[(i, r)] <= bound * (1.0 + 1e-12));
                }
            }
        }
    }
}

#[test]
fn two_classes_are_the_binary_hinge_at_twice_the_cost() {
    let (gram, codes) = problem(30, 5, 2, 8);
    let labels: Vec<f64> = codes.iter().map(|&y| if y == 1 { 1.0 } else { -1.0 }).collect();
    for c in [0.01, 1.0] {
        let solved = solve(gram.as_ref(), &codes, 2, c, None, &options(1e-10), &Silent).unwrap();
        let binary =
            hinge::solve(gram.as_ref(), &labels, 2.0 * c, None, &options(1e-10), &Silent).unwrap();
        assert!((2.0 * solved.objective - binary.objective).abs() < 1e-8 * binary.objective);
        let (z, u) = (&gram * &solved.coefficients, &gram * &binary.coefficients);
        for i in 0..30 {
            assert!((z[(i, 1)] - z[(i, 0)] - u[(i, 0)]).abs() < 1e-3);
        }
    }
}

#[test]
fn warm_starts_and_paths_reach_the_same_objective() {
    let (gram, codes) = problem(40, 6, 4, 11);
    let cs = [10.0, 0.001, 0.1];
    let path = path(gram.as_ref(), &codes, 4, &cs, &options(1e-8), &Silent).unwrap();
    for (&c, at) in cs.iter().zip(&path) {
        let cold = solve(gram.as_ref(), &codes, 4, c, None, &options(1e-8), &Silent).unwrap();
        assert!((cold.objective - at.objective).abs() <= 2e-8 * cold.objective);
        let again = Some(cold.coefficients.as_ref());
        let warm = solve(gram.as_ref(), &codes, 4, c, again, &options(1e-7), &Silent).unwrap();
        assert_eq!(warm.passes, 0);
    }
}

#[test]
fn the_order_of_rows_and_the_names_of_classes_do_not_matter() {
    let (gram, codes) = problem(20, 3, 3, 5);
    let turned = Mat::from_fn(20, 20, |i, j| gram[(19 - i, 19 - j)]);
    let renamed: Vec<u32> = codes.iter().rev().map(|y| (y + 1) % 3).collect();
    let one = solve(gram.as_ref(), &codes, 3, 0.5, None, &options(1e-9), &Silent).unwrap();
    let two = solve(turned.as_ref(), &renamed, 3, 0.5, None, &options(1e-9), &Silent).unwrap();
    assert!((one.objective - two.objective).abs() <= 2e-9 * one.objective);
}

#[test]
fn equal_rows_of_different_classes_and_rows_of_zeros_are_solved() {
    // Two equal rows of two classes, one row of zeros: no v is better than 0, and each row loses 1.
    let gram = Mat::from_fn(3, 3, |i, j| if i < 2 && j < 2 { 1.0 } else { 0.0 });
    for classes in [2, 4] {
        let solved =
            solve(gram.as_ref(), &[0, 1, 1], classes, 0.3, None, &options(1e-9), &Silent).unwrap();
        assert_eq!(solved.stop, SolverStop::Tolerance);
        if classes == 2 {
            assert!((solved.objective - 0.9).abs() < 1e-8);
        }
    }
    let alone = solve(gram.as_ref(), &[0, 0, 0], 1, 0.3, None, &options(1e-9), &Silent).unwrap();
    assert_eq!((alone.objective, alone.support), (0.0, 0));
}

#[test]
fn a_larger_matrix_of_low_rank_is_solved_for_every_c() {
    let (gram, codes) = problem(400, 6, 4, 21);
    for tol in [1e-4, 1e-8] {
        let cs = [1e-5, 1e-2, 1.0, 1e2, 1e5];
        for (c, solved) in
            cs.iter().zip(path(gram.as_ref(), &codes, 4, &cs, &options(tol), &Silent).unwrap())
        {
            let (primal, dual) = both(&gram, &codes, *c, &solved.coefficients);
            assert_eq!(
                solved.stop,
                SolverStop::Tolerance,
                "c {c:e} gap {:e}",
                solved.gap / solved.objective
            );
            assert!(primal - dual <= 1.01 * tol * primal + 1e-12 * primal);
        }
    }
    // No signal: every example loses 1.
    let nothing = Mat::zeros(60, 60);
    let solved =
        solve(nothing.as_ref(), &codes[..60], 4, 0.5, None, &options(1e-8), &Silent).unwrap();
    assert_eq!((solved.objective, solved.stop), (30.0, SolverStop::Tolerance));
}

#[test]
fn limits_are_reported_with_the_true_gap() {
    let (gram, codes) = problem(60, 5, 4, 2);
    let few = SolverOptions { tol: 1e-9, max_passes: 2, seed: 0 };
    let solved = solve(gram.as_ref(), &codes, 4, 100.0, None, &few, &Silent).unwrap();
    let (primal, dual) = both(&gram, &codes, 100.0, &solved.coefficients);
    assert_eq!((solved.stop, solved.passes), (SolverStop::IterationLimit, 2));
    assert!((solved.gap - (primal - dual)).abs() <= 1e-8 * primal);
}

#[test]
fn bad_input_is_refused() {
    let (gram, codes) = problem(5, 2, 3, 2);
    let run = |gram: &Mat<f64>, codes: &[u32], classes, c, tol| {
        solve(gram.as_ref(), codes, classes, c, None, &options(tol), &Silent).unwrap_err()
    };
    let mut broken = gram.clone();
    broken[(1, 2)] = f64::NAN;
    assert!(matches!(run(&broken, &codes, 3, 1.0, 1e-4), Error::Numerical { .. }));
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(run(&gram, &codes, 3, c, 1e-4), Error::OutOfRange { .. }));
    }
    assert!(matches!(run(&gram, &codes, 0, 1.0, 1e-4), Error::OutOfRange { .. }));
    assert!(matches!(run(&gram, &codes, 3, 1.0, 0.0), Error::OutOfRange { .. }));
    assert!(matches!(run(&gram, &[0, 1, 2, 3, 0], 3, 1.0, 1e-4), Error::WrongTarget { .. }));
    assert!(matches!(run(&gram, &[0, 1], 3, 1.0, 1e-4), Error::WrongLength { .. }));
    assert!(matches!(run(&Mat::zeros(0, 0), &[], 3, 1.0, 1e-4), Error::TooFewRows { .. }));
}

/// Rows that can be separated have one solution for all large C, which costs nothing again.
#[test]
fn one_solution_serves_every_c_that_separates() {
    let (gram, codes) = problem(60, 80, 5, 7);
    let cs = [1e-3, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5];
    let solutions = path(gram.as_ref(), &codes, 5, &cs, &options(1e-4), &Silent).unwrap();
    let (first, last) = (&solutions[2], &solutions[7]);
    assert!((last.objective / first.objective - 1.0).abs() < 3e-4);
    for (solved, &c) in solutions.iter().zip(&cs) {
        let (primal, dual) = both(&gram, &codes, c, &solved.coefficients);
        assert_eq!(solved.stop, SolverStop::Tolerance);
        assert!((primal - solved.objective).abs() <= 1e-9 * primal, "c {c:e}");
        assert!((primal - dual - solved.gap).abs() <= 1e-9 * primal, "c {c:e}");
    }
    let again: u64 = solutions[3..].iter().map(|solved| solved.passes).sum();
    assert!(again <= 20, "{again} passes over rows that are separated");
}

#[test]
fn ascent_through_a_factor_goes_the_same_way() {
    let (n, classes, c) = (300, 4, 1e-3);
    let (gram, codes) = learnable(n, 5, classes, 9);
    let factors = Factors::default();
    let low = factors.narrow(gram.as_ref()).unwrap().transpose().to_owned();
    assert_eq!(low.nrows(), 5);
    let search = || {
        let mut search = Search::new(gram.as_ref(), &codes, classes, vec![c; n]);
        search.certify();
        search
    };
    let (mut whole, mut through) = (search(), search());
    for (search, across) in [(&mut whole, None), (&mut through, Some(&low))] {
        let stream = Stream::new(1, Purpose::Order, 0);
        search.ascent(across, &mut Mat::new()).unwrap().passes(7, 0.0, stream, &Silent);
    }
    let [(gap, w), (same_gap, same)] = [whole, through].map(|mut search| {
        search.dual.settle();
        (search.certify().gap, search.dual.w)
    });
    assert!((w - same).norm_max() < 1e-9 && (gap - same_gap).abs() < 1e-9 * gap.max(1.0));
}

#[test]
fn a_step_leaves_no_better_exchange_between_two_classes() {
    let (classes, cost) = (4, 0.8);
    for seed in 0..50 {
        let mut stream = Stream::new(3, Purpose::Data, seed);
        let (x, mut v) = (stream.normal(), Mat::from_fn(1, classes, |_, _| stream.normal()));
        let mut dual = Dual::new(vec![seed as usize % classes], vec![cost], classes);
        let mut sorted = vec![0.0; classes];
        let point = dual.w.col_as_slice_mut(0);
        point.iter_mut().for_each(|w| *w = 0.5 * stream.normal());
        ascent::project(point, cost, &mut sorted);
        let (y, old) = (dual.y[0], dual.w.clone());
        let level = |r: usize| if r == y { 0.0 } else { 1.0 } + v[(0, r)] * x;
        let levels: Vec<f64> = (0..classes).map(level).collect();
        let column = Mat::from_fn(1, 1, |_, _| x);
        let columns = slices(column.as_ref()).unwrap();
        let levels_of = Levels::Computed(&mut v);
        let mut ascent = Ascent { columns, diagonal: &[x * x], levels: levels_of, dual: &mut dual };
        ascent.passes(1, 0.0, stream, &Silent);
        // The rise of the dual objective from the old weights.
        let rise = |w: &Mat<f64>| -> f64 {
            let moved = |r: usize| w[(r, 0)] - old[(r, 0)];
            (0..classes).map(|r| (levels[r] - 0.5 * x * x * moved(r)) * moved(r)).sum()
        };
        assert!((dual.w.sum() - cost).abs() < 1e-12 && rise(&dual.w) >= -1e-12, "{seed}");
        for (r, s) in (0..classes).flat_map(|r| (0..classes).map(move |s| (r, s))) {
            let mut other = dual.w.clone();
            other[(r, 0)] += 1e-4;
            other[(s, 0)] -= 1e-4;
            assert!(other[(s, 0)] < 0.0 || rise(&other) <= rise(&dual.w) + 1e-12, "{seed}");
        }
    }
}

#[test]
fn a_factor_that_misleads_is_given_up() {
    let (n, classes, c) = (300, 4, 1e-3);
    let (gram, codes) = learnable(n, 5, classes, 9);
    let by = |factors: &Factors| {
        let costs = (c, &vec![1.0; n][..]);
        let gram = gram.as_ref();
        solve_with(gram, &codes, classes, costs, None, factors, &options(1e-9), &Silent).unwrap()
    };
    let solved = by(&Factors::default());
    assert_eq!(solved.stop, SolverStop::Tolerance);
    let of_twice = low_rank((2.0 * &gram).as_ref(), n).unwrap();
    let misled = by(&Factors { narrow: OnceCell::from(Some(of_twice)), ..Factors::default() });
    assert_eq!(misled.stop, SolverStop::Tolerance);
    assert!(misled.passes > solved.passes, "the factor was not used");
}

#[test]
fn one_large_row_hides_no_others_from_the_factor() {
    let (n, classes) = (480, 3);
    let (mut gram, codes) = learnable(n, 5, classes, 2);
    let size = |i: usize| if i == 7 { 1e6 } else { 1.0 };
    gram = Mat::from_fn(n, n, |i, j| size(i) * size(j) * gram[(i, j)]);
    let factor = low_rank(gram.as_ref(), 30).unwrap();
    assert_eq!(factor.ncols(), 5);
    let solved = solve(gram.as_ref(), &codes, classes, 1.0, None, &options(1e-4), &Silent).unwrap();
    assert_eq!(solved.stop, SolverStop::Tolerance);
}

#[test]
fn any_factor_that_memory_allows_is_used_for_interior_point_steps() {
    // Random targets and a large C: ascent alone does not end.
    let (n, classes, rank) = (1000, 60, 95);
    let (gram, _) = problem(n, rank, classes, 4);
    assert!(work(n, classes, Some(rank)) > INTERIOR_WORK);
    let factors = Factors::default();
    let chosen = form(gram.as_ref(), classes, &factors);
    assert!(matches!(chosen, Some(Form::Low(rows)) if rows.ncols() == rank));
}

/// Asks to stop at the second look, and counts looks.
struct AtSecond(std::sync::atomic::AtomicUsize);

impl Monitor for AtSecond {
    fn should_stop(&self) -> bool {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 0
    }
}

#[test]
fn a_step_over_a_factor_looks_at_the_monitor() {
    let rows = Mat::from_fn(2000, 3, |i, j| ((3 * i + j) as f64).sin());
    let ratios = Mat::from_fn(2000, 4, |i, j| 1.0 + ((i + j) % 5) as f64);
    let monitor = AtSecond(0.into());
    let system = newton::Newton::new(Form::Low(rows.as_ref()), 1.0, ratios.as_ref(), &monitor);
    assert!(system.is_err(), "a system after the monitor asked to stop");
    assert!(monitor.0.into_inner() < 20, "went on");
}
