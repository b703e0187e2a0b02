//! Tests the solver on unusual views, invalid input, indefinite and low-rank matrices, and its gap.

use super::*;

#[test]
fn any_view_of_a_matrix_will_do() {
    let data = Data::polynomial(40, 3, 0.5, 1);
    let expected = data.solve(10.0, 1e-8);
    let rows: Vec<f64> = (0..1600).map(|k| data.gram[(k / 40, k % 40)]).collect();
    let row_major = MatRef::from_row_major_slice(&rows, 40, 40);
    for view in [data.gram.as_ref().transpose(), row_major] {
        let solved = solve(view, &data.labels, 10.0, None, &to(1e-8), &Silent).unwrap();
        assert_eq!(solved.coefficients, expected.coefficients);
    }
    let labels: Vec<f64> = data.labels.iter().rev().copied().collect();
    let backwards = data.gram.as_ref().reverse_rows_and_cols();
    let solved = solve(backwards, &labels, 10.0, None, &to(1e-8), &Silent).unwrap();
    assert!((solved.objective - expected.objective).abs() <= solved.gap + expected.gap);
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let data = Data::linear(4, 2, 0.5, 1);
    let run = |gram: &Mat<f64>, labels: &[f64], c: f64, warm: Option<&[f64]>, tol: f64| {
        solve(gram.as_ref(), labels, c, warm, &to(tol), &Silent).map_err(|e| e.clone())
    };
    let good = &data.labels[..];
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            run(&data.gram, good, c, None, 1e-4),
            Err(Error::OutOfRange { name: "c", .. })
        ));
        let many = path(data.gram.as_ref(), good, &[1.0, c], &to(1e-4), &Silent);
        assert!(matches!(many.unwrap_err(), Error::OutOfRange { name: "c", .. }));
    }
    for tol in [0.0, -1.0, f64::NAN] {
        assert!(matches!(
            run(&data.gram, good, 1.0, None, tol),
            Err(Error::OutOfRange { name: "tol", .. })
        ));
    }
    assert!(matches!(run(&data.gram, &good[..3], 1.0, None, 1e-4), Err(Error::WrongLength { .. })));
    assert!(matches!(
        run(&data.gram, good, 1.0, Some(&[0.0; 5]), 1e-4),
        Err(Error::WrongLength { .. })
    ));
    assert!(matches!(
        run(&data.gram, good, 1.0, Some(&[f64::NAN; 4]), 1e-4),
        Err(Error::OutOfRange { .. })
    ));
    assert!(matches!(
        run(&Mat::zeros(4, 3), good, 1.0, None, 1e-4),
        Err(Error::WrongLength { .. })
    ));
    assert!(matches!(run(&Mat::zeros(0, 0), &[], 1.0, None, 1e-4), Err(Error::TooFewRows { .. })));
    for label in [0.0, 2.0, f64::NAN] {
        let labels = [1.0, -1.0, 1.0, label];
        assert!(matches!(
            run(&data.gram, &labels, 1.0, None, 1e-4),
            Err(Error::WrongTarget { .. })
        ));
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut gram = data.gram.clone();
        (gram[(2, 1)], gram[(1, 2)]) = (bad, bad);
        assert!(matches!(run(&gram, good, 1.0, None, 1e-4), Err(Error::Numerical { .. })));
    }
    let mut negative = data.gram.clone();
    negative[(3, 3)] = -1.0;
    assert!(matches!(run(&negative, good, 1.0, None, 1e-4), Err(Error::Numerical { .. })));
    let huge = Mat::full(4, 4, 1e300);
    assert!(matches!(
        run(&huge, &[1.0; 4], 1e200, Some(&[1e200; 4]), 1e-4),
        Err(Error::Numerical { .. })
    ));
    for (costs, margins) in [([0.0; 4], [1.0; 4]), ([1.0; 4], [f64::NAN; 4])] {
        let problem = HingeProblem {
            gram: data.gram.as_ref(),
            labels: good,
            costs: &costs,
            margins: &margins,
        };
        assert!(solve_weighted(&problem, None, &to(1e-4), &Silent).is_err());
    }
}

#[test]
fn what_is_no_gram_matrix_ends_without_a_certificate_or_with_a_true_sum() {
    let mut stream = Stream::new(1, Purpose::Data, 0);
    let any = Mat::from_fn(30, 30, |_, _| stream.normal());
    let gram = Mat::from_fn(30, 30, |i, j| if i == j { 0.1 } else { any[(i.max(j), i.min(j))] });
    let labels: Vec<f64> = (0..30).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let options = SolverOptions { max_passes: 300, ..SolverOptions::default() };
    let solved = solve(gram.as_ref(), &labels, 10.0, None, &options, &Silent).unwrap();
    assert!(solved.objective.is_finite() && solved.gap >= 0.0);
}

#[test]
fn a_low_rank_is_found_and_its_factor_is_one() {
    let data = Data::linear(90, 7, 0.5, 1);
    let columns = Columns::new(slices(data.gram.as_ref()).unwrap());
    assert!(low_rank(&columns, 7).is_none());
    let factor = low_rank(&columns, 30).unwrap();
    assert_eq!(factor.ncols(), 8);
    let product = &factor * factor.transpose();
    let worst = (0..90).flat_map(|j| (0..90).map(move |i| (i, j)));
    assert!(
        worst.map(|(i, j)| (product[(i, j)] - data.gram[(i, j)]).abs()).fold(0.0, f64::max) < 1e-12
    );
    // Both systems solve the same equations.
    let (y, all): (Vec<f64>, Vec<usize>) = (data.labels.clone(), (0..90).collect());
    let d: Vec<f64> = (0..90).map(|i| 10_f64.powi(i % 7 - 3)).collect();
    let right: Vec<f64> = (0..90).map(|i| f64::from(i % 5) - 2.0).collect();
    let (mut low, mut dense) = (System::low(&factor, &all), System::dense(&columns));
    assert!(low.factor(&d).is_ok() && dense.factor(&d).is_ok());
    for (a, b) in low.solve(&d, &y, &right).iter().zip(dense.solve(&d, &y, &right)) {
        assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} {b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_gap_bounds_what_is_lost(
        seed in 0_u64..1_000_000,
        n in 1_usize..40,
        d in 1_usize..8,
        e in -3.0_f64..4.0,
        full: bool,
        noise in 0.0_f64..2.0,
    ) {
        let data = if full { Data::polynomial(n, d, noise, seed) } else { Data::linear(n, d, noise, seed) };
        let c = 10_f64.powf(e);
        let exact = data.solve(c, 1e-10);
        prop_assert_eq!(exact.stop, SolverStop::Tolerance);
        for max_passes in [1, 3, 8, 1000] {
            let options = SolverOptions { tol: 1e-3, max_passes, seed };
            let solved = solve(data.gram.as_ref(), &data.labels, c, None, &options, &Silent).unwrap();
            let rounding = 1e-9 * exact.objective;
            prop_assert!(solved.gap >= 0.0);
            prop_assert!(solved.objective - solved.gap <= exact.objective + rounding);
            prop_assert!(solved.objective >= exact.objective - exact.gap - rounding);
        }
    }
}
