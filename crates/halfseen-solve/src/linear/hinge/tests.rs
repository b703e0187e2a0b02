use super::super::testing::{GRID, farthest, normal, signs};
use super::*;
use crate::error::Error;
use crate::hinge as gram_form;
use crate::monitor::Silent;

fn fine() -> SolverOptions {
    SolverOptions { tol: 1e-8, ..SolverOptions::default() }
}

fn path(
    features: &Mat<f64>,
    labels: &[f64],
    cs: &[f64],
    options: &SolverOptions,
) -> Vec<LinearSolved> {
    hinge_path(features.as_ref(), labels, cs, options, &Silent).unwrap()
}

fn objective(features: &Mat<f64>, labels: &[f64], c: f64, w: &Mat<f64>) -> f64 {
    let z = features.transpose() * w;
    let loss: f64 = labels.iter().enumerate().map(|(i, y)| (1.0 - y * z[(i, 0)]).max(0.0)).sum();
    square(w.col_as_slice(0)) / 2.0 + c * loss
}

#[test]
fn the_whole_grid_is_certified_to_1e_8() {
    for (d, n, noise) in
        [(5, 80, 0.3), (40, 25, 0.0), (30, 200, 0.5), (1, 1, 0.0), (3, 2, 0.0), (60, 400, 0.02)]
    {
        let (features, labels) = signs(d, n, noise, 1);
        for (solved, c) in path(&features, &labels, &GRID, &fine()).iter().zip(GRID) {
            assert_eq!(
                solved.stop,
                SolverStop::Tolerance,
                "{d} x {n}, {c}: {} of {}",
                solved.gap,
                solved.objective
            );
            assert!(solved.gap <= 1e-8 * solved.objective);
            let value = objective(&features, &labels, c, &solved.weights);
            assert!((value - solved.objective).abs() <= 1e-10 * value);
            // Another start and another method find nothing better.
            let cold = path(&features, &labels, &[c], &fine()).remove(0);
            assert!((cold.objective - solved.objective).abs() <= 1e-8 * value, "{d} x {n}, {c}");
        }
    }
}

#[test]
fn objectives_are_those_of_the_gram_form() {
    for (d, n) in [(6, 60), (50, 30)] {
        let (features, labels) = signs(d, n, 0.3, 2);
        let gram = features.transpose() * &features;
        for c in [1e-3, 0.1, 1.0] {
            let solved = path(&features, &labels, &[c], &fine()).remove(0);
            let expected =
                gram_form::solve(gram.as_ref(), &labels, c, None, &fine(), &Silent).unwrap();
            assert!((solved.objective - expected.objective).abs() <= 2e-8 * expected.objective);
            let weights = &features * &expected.coefficients;
            assert!(farthest(&solved.weights, &weights) < 1e-3);
        }
    }
}

#[test]
fn one_example_has_a_closed_form() {
    // max over a in [0, C] of a s - a^2 |f|^2 / 2.
    let features = Mat::from_fn(2, 1, |k, _| [3.0, 4.0][k]);
    for (c, a) in [(0.01, 0.01), (1.0, 0.04)] {
        for label in [-1.0, 1.0] {
            let solved = path(&features, &[label], &[c], &fine()).remove(0);
            assert!((solved.weights[(0, 0)] - 3.0 * a * label).abs() < 1e-12);
            assert!((solved.weights[(1, 0)] - 4.0 * a * label).abs() < 1e-12);
        }
    }
}

#[test]
fn optimality_conditions_hold_with_costs_and_margins() {
    let (features, labels) = signs(8, 60, 0.4, 3);
    let mut stream = Stream::new(4, Purpose::Data, 0);
    let costs: Vec<f64> = (0..60).map(|_| 0.1 + stream.unit()).collect();
    let margins: Vec<f64> = (0..60).map(|_| stream.unit() - 0.1).collect();
    let problem = LinearHingeProblem {
        features: features.as_ref(),
        labels: &labels,
        costs: &costs,
        margins: &margins,
    };
    let tight = SolverOptions { tol: 1e-12, ..SolverOptions::default() };
    let (solved, duals) = hinge(&problem, None, &tight, &Silent).unwrap();
    let z = features.transpose() * &solved.weights;
    for i in 0..60 {
        let g = margins[i] - labels[i] * z[(i, 0)];
        assert!((0.0..=costs[i]).contains(&duals[i]));
        if g > 1e-5 {
            assert!((duals[i] - costs[i]).abs() < 1e-5);
        } else if g < -1e-5 {
            assert!(duals[i] < 1e-5);
        }
    }
    let (warm, _) = hinge(&problem, Some(&duals), &fine(), &Silent).unwrap();
    assert_eq!((warm.passes, warm.stop), (0, SolverStop::Tolerance));
}

#[test]
fn the_interior_point_method_alone_reaches_the_optimum() {
    for (d, n, c) in [(10, 120, 1e5), (80, 50, 1e3), (20, 20, 1.0)] {
        let (features, labels) = signs(d, n, 0.2, 5);
        let (costs, margins) = (vec![c; n], vec![1.0; n]);
        let problem = LinearHingeProblem {
            features: features.as_ref(),
            labels: &labels,
            costs: &costs,
            margins: &margins,
        };
        let mut search = Search::new(Features::new(features.as_ref()).unwrap(), &problem);
        let all = search.all.clone();
        let start = search.certify().unwrap();
        search.interior(&all, 1e-9 * start.primal.min(1.0), 100, &Silent).unwrap();
        let end = search.certify().unwrap();
        assert!(end.gap <= 1e-6 * end.primal, "{d} x {n}: {end:?} after {}", search.passes);
        assert!(search.passes < 60);
    }
}

#[test]
fn one_class_and_empty_examples_are_defined() {
    let solved = path(&normal(3, 5, 6), &[1.0; 5], &[1.0], &fine()).remove(0);
    assert_eq!(solved.stop, SolverStop::Tolerance);
    let solved = path(&Mat::zeros(3, 4), &[1.0, -1.0, 1.0, 1.0], &[2.0], &fine()).remove(0);
    assert_eq!((solved.objective, solved.gap, solved.stop), (8.0, 0.0, SolverStop::Tolerance));
}

#[test]
fn threads_do_not_matter_and_limits_are_told() {
    let (features, labels) = signs(300, 700, 0.2, 7);
    let run = || path(&features, &labels, &[0.1, 1e4], &fine());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for (a, b) in run().iter().zip(pool.install(run)) {
        assert_eq!(a.weights, b.weights);
    }
    let few =
        path(&features, &labels, &[1e4], &SolverOptions { max_passes: 3, ..fine() }).remove(0);
    assert_eq!((few.stop, few.passes), (SolverStop::IterationLimit, 3));
    struct Now;
    impl Monitor for Now {
        fn should_stop(&self) -> bool {
            true
        }
    }
    let solved = hinge_path(features.as_ref(), &labels, &[1.0], &fine(), &Now).unwrap().remove(0);
    assert_eq!(solved.stop, SolverStop::Interrupted);
}

#[test]
fn what_cannot_be_is_refused() {
    let (features, labels) = signs(3, 4, 0.1, 8);
    let kind = |f: &Mat<f64>, y: &[f64], c: f64| {
        hinge_path(f.as_ref(), y, &[c], &fine(), &Silent).unwrap_err().clone()
    };
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(kind(&features, &labels, c), Error::OutOfRange { .. }));
    }
    assert!(matches!(kind(&features, &labels[1..], 1.0), Error::WrongLength { .. }));
    assert!(matches!(kind(&features, &[1.0, 0.0, 1.0, 1.0], 1.0), Error::WrongTarget { .. }));
    assert!(matches!(kind(&Mat::zeros(3, 0), &[], 1.0), Error::TooFewRows { .. }));
    assert!(matches!(kind(&Mat::zeros(0, 4), &labels, 1.0), Error::NoColumns));
    let mut bad = features.clone();
    bad[(1, 2)] = f64::NAN;
    assert!(matches!(kind(&bad, &labels, 1.0), Error::NotFinite { row: 3, .. }));
    assert!(matches!(
        kind(&Mat::from_fn(3, 4, |_, _| 1e200), &labels, 1.0),
        Error::Numerical { .. }
    ));
}
