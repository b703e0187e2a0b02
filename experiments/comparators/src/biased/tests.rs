//! Compares the biased solver with enumerated optima, its own certificates, and scaling identities.

use super::certify::best_bias;
use super::*;
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream};
use proptest::prelude::*;

const TIGHT: Until = Until { tol: 1e-8, max_iter: 200 };

/// Returns noisy classes of a plane, not linearly separable if `noise` is large.
fn data(n: usize, d: usize, noise: f64, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, (n * 100 + d) as u64);
    let rows = Mat::from_fn(d, n, |_, _| stream.normal());
    let sign = |i: usize, e: f64| {
        if rows[(0, i)] - 0.5 * rows[(d - 1, i)] + 0.3 + noise * e < 0.0 { -1.0 } else { 1.0 }
    };
    let signs = (0..n).map(|i| sign(i, stream.normal())).collect();
    (rows, signs)
}

fn objective(
    rows: &Mat<f64>,
    signs: &[f64],
    costs: &[f64],
    margins: &[f64],
    w: &[f64],
    b: f64,
) -> f64 {
    let score = |i: usize| (0..w.len()).map(|j| w[j] * rows[(j, i)]).sum::<f64>() + b;
    let loss = |i: usize| costs[i] * (margins[i] - signs[i] * score(i)).max(0.0);
    0.5 * w.iter().map(|w| w * w).sum::<f64>() + (0..signs.len()).map(loss).sum::<f64>()
}

/// Returns the optimum by enumerating all 3^n cases of each beta at 0, at its cost, or between;
/// between, the margin is met exactly.
fn enumerated(rows: &Mat<f64>, signs: &[f64], costs: &[f64], margins: &[f64]) -> f64 {
    let n = signs.len();
    let product =
        |i: usize, j: usize| (0..rows.nrows()).map(|k| rows[(k, i)] * rows[(k, j)]).sum::<f64>();
    let mut best = f64::MAX;
    for code in 0..3_usize.pow(n as u32) {
        let state: Vec<usize> = (0..n).map(|i| code / 3_usize.pow(i as u32) % 3).collect();
        let free: Vec<usize> = (0..n).filter(|&i| state[i] == 2).collect();
        let mut beta: Vec<f64> =
            (0..n).map(|i| if state[i] == 1 { costs[i] } else { 0.0 }).collect();
        // sum_j beta_j y_j k_ij + b = y_i s_i for free i, and sum_j y_j beta_j = 0, by elimination.
        let m = free.len() + 1;
        let mut system = vec![vec![0.0; m + 1]; m];
        for (r, &i) in free.iter().enumerate() {
            for (c, &j) in free.iter().enumerate() {
                system[r][c] = signs[j] * product(i, j);
            }
            system[r][m - 1] = 1.0;
            system[r][m] = signs[i] * margins[i]
                - (0..n).map(|j| beta[j] * signs[j] * product(i, j)).sum::<f64>();
        }
        for (c, &j) in free.iter().enumerate() {
            system[m - 1][c] = signs[j];
        }
        system[m - 1][m] = -(0..n).map(|j| beta[j] * signs[j]).sum::<f64>();
        let Some(solution) = eliminate(system) else { continue };
        free.iter().zip(&solution).for_each(|(&i, b)| beta[i] = *b);
        let w: Vec<f64> = (0..rows.nrows())
            .map(|k| (0..n).map(|i| beta[i] * signs[i] * rows[(k, i)]).sum())
            .collect();
        // Any point is an upper bound; the right one is the optimum.
        let scores: Vec<f64> =
            (0..n).map(|i| (0..w.len()).map(|k| w[k] * rows[(k, i)]).sum()).collect();
        let bias = best_bias(&scores, signs, costs, margins);
        best = best.min(objective(rows, signs, costs, margins, &w, bias));
    }
    best
}

/// Returns one solution of a consistent system, free unknowns at 0.
fn eliminate(mut system: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let m = system.len();
    let mut pivots = Vec::new();
    let mut row = 0;
    for column in 0..m {
        let Some(at) =
            (row..m).max_by(|&a, &b| system[a][column].abs().total_cmp(&system[b][column].abs()))
        else {
            break;
        };
        if system[at][column].abs() < 1e-10 {
            continue;
        }
        system.swap(row, at);
        let pivot = system[row].clone();
        for other in (0..m).filter(|&o| o != row) {
            let factor = system[other][column] / pivot[column];
            system[other].iter_mut().zip(&pivot).for_each(|(s, p)| *s -= factor * p);
        }
        pivots.push(column);
        row += 1;
    }
    if system[row..].iter().any(|r| r[m].abs() > 1e-8) {
        return None;
    }
    let mut solution = vec![0.0; m];
    pivots.iter().enumerate().for_each(|(r, &c)| solution[c] = system[r][m] / system[r][c]);
    Some(solution)
}

#[test]
fn tiny_problems_have_the_enumerated_optimum() {
    for (n, d, c, seed) in [
        (2, 1, 1.0, 1),
        (5, 1, 0.1, 2),
        (6, 2, 1.0, 3),
        (7, 2, 30.0, 4),
        (6, 8, 5.0, 5),
        (7, 1, 1e5, 6),
    ] {
        let (rows, mut signs) = data(n, d, 1.0, seed);
        (signs[0], signs[1]) = (1.0, -1.0);
        let mut stream = Stream::new(seed, Purpose::Data, 99);
        let margins: Vec<f64> = (0..n).map(|_| 0.1 + stream.unit()).collect();
        let costs: Vec<f64> = margins.iter().map(|s| c / s).collect();
        let examples = Examples::new(rows.as_ref(), &signs).unwrap();
        let plane = examples.separate(&costs, &margins, TIGHT, &Silent).unwrap();
        let best = enumerated(&rows, &signs, &costs, &margins);
        assert_eq!(plane.stop, SolverStop::Tolerance);
        assert!(
            (plane.objective - best).abs() <= 2e-8 * best,
            "{n} x {d}: {} and {best}",
            plane.objective
        );
    }
}

/// Recomputes P and D to confirm the gap; beta is feasible.
#[test]
fn gaps_are_certified_at_any_cost_on_singular_and_regular_products() {
    for (n, d, noise) in
        [(200, 5, 1.0), (200, 5, 0.0), (60, 60, 1.0), (40, 150, 1.0), (150, 30, 3.0)]
    {
        let (mut rows, mut signs) = data(n, d, noise, 8);
        // Duplicate rows, with equal and with other signs, and one of zeros.
        for j in 0..d {
            rows[(j, 1)] = rows[(j, 0)];
            rows[(j, 3)] = rows[(j, 2)];
            rows[(j, 4)] = 0.0;
        }
        (signs[1], signs[3]) = (signs[0], -signs[2]);
        let examples = Examples::new(rows.as_ref(), &signs).unwrap();
        for c in [1e-5, 1e-2, 1.0, 1e2, 1e5] {
            for margins in [
                vec![1.0; n],
                (0..n)
                    .map(|i| if i % 7 == 0 { 1e-3 } else { 0.3 + 0.1 * (i % 5) as f64 })
                    .collect(),
            ] {
                let costs: Vec<f64> = margins.iter().map(|s| c / s).collect();
                for tol in [1e-4, 1e-8] {
                    let plane = examples
                        .separate(&costs, &margins, Until { tol, max_iter: 200 }, &Silent)
                        .unwrap();
                    let place = format!(
                        "{n} x {d}, C = {c}, tol {tol}: {} steps, gap {}",
                        plane.steps, plane.gap
                    );
                    assert!(
                        plane.stop == SolverStop::Tolerance && plane.gap <= tol * plane.objective,
                        "{place}"
                    );
                    let primal =
                        objective(&rows, &signs, &costs, &margins, &plane.weights, plane.bias);
                    assert!((primal - plane.objective).abs() <= 1e-10 * primal, "{place}");
                    let beta = &plane.multipliers;
                    let mass: f64 = beta.iter().sum();
                    assert!(beta.iter().zip(&costs).all(|(b, c)| (0.0..=*c).contains(b)));
                    assert!(
                        beta.iter().zip(&signs).map(|(b, y)| b * y).sum::<f64>().abs()
                            <= 1e-13 * mass,
                        "{place}"
                    );
                    let image =
                        |j: usize| (0..n).map(|i| beta[i] * signs[i] * rows[(j, i)]).sum::<f64>();
                    let square: f64 = (0..d).map(|j| image(j).powi(2)).sum();
                    let dual =
                        beta.iter().zip(&margins).map(|(b, s)| b * s).sum::<f64>() - 0.5 * square;
                    assert!(
                        (primal - dual - plane.gap).abs() <= 1e-9 * primal,
                        "{place}: {}",
                        primal - dual
                    );
                    assert!(plane.steps <= 60, "{place}");
                }
            }
        }
    }
}

/// Tests complementary slackness: beta 0 beyond the margin, c inside it.
#[test]
fn multipliers_satisfy_the_conditions_of_karush_kuhn_and_tucker() {
    let (rows, signs) = data(80, 4, 1.0, 3);
    let (costs, margins) = (vec![2.0; 80], vec![1.0; 80]);
    let examples = Examples::new(rows.as_ref(), &signs).unwrap();
    let plane =
        examples.separate(&costs, &margins, Until { tol: 1e-11, max_iter: 200 }, &Silent).unwrap();
    let (mut above, mut below, mut at) = (0, 0, 0);
    for i in 0..80 {
        let score = (0..4).map(|j| plane.weights[j] * rows[(j, i)]).sum::<f64>() + plane.bias;
        let beyond = signs[i] * score - margins[i];
        let beta = plane.multipliers[i];
        if beyond > 1e-4 {
            above += 1;
            assert!(beta < 1e-4, "{beyond} {beta}");
        } else if beyond < -1e-4 {
            below += 1;
            assert!(beta > 2.0 - 1e-4, "{beyond} {beta}");
        } else {
            at += 1;
        }
    }
    assert!(above > 10 && below > 10 && (2..=5).contains(&at), "{above} {below} {at}");
}

#[test]
fn scaling_the_features_divides_the_weights() {
    let (rows, signs) = data(50, 3, 1.0, 4);
    let margins = vec![1.0; 50];
    let fit = |factor: f64| {
        let scaled = Mat::from_fn(3, 50, |j, i| factor * rows[(j, i)]);
        let examples = Examples::new(scaled.as_ref(), &signs).unwrap();
        examples
            .separate(
                &vec![0.5 / (factor * factor); 50],
                &margins,
                Until { tol: 1e-10, max_iter: 200 },
                &Silent,
            )
            .unwrap()
    };
    let one = fit(1.0);
    for factor in [1e-6, 1e-3, 1e3, 1e6] {
        let other = fit(factor);
        assert!((other.objective * factor * factor - one.objective).abs() < 1e-9 * one.objective);
        for (a, b) in one.weights.iter().zip(&other.weights) {
            assert!((a - b * factor).abs() < 1e-4, "{a} and {}", b * factor);
        }
    }
}

#[test]
fn one_class_alone_needs_only_a_bias() {
    for sign in [1.0, -1.0] {
        for n in [1, 3] {
            let (rows, _) = data(n, 2, 1.0, 1);
            let signs = vec![sign; n];
            let examples = Examples::new(rows.as_ref(), &signs).unwrap();
            let margins: Vec<f64> = (0..n).map(|i| 0.5 + 0.2 * i as f64).collect();
            let plane = examples.separate(&vec![1.0; n], &margins, TIGHT, &Silent).unwrap();
            assert_eq!((plane.objective, plane.gap, plane.stop), (0.0, 0.0, SolverStop::Tolerance));
            assert_eq!((plane.weights, plane.bias), (vec![0.0; 2], sign * margins[n - 1]));
        }
    }
}

#[test]
fn rows_of_zeros_leave_the_majority() {
    let rows = Mat::<f64>::zeros(3, 5);
    let signs = [1.0, 1.0, 1.0, -1.0, -1.0];
    let examples = Examples::new(rows.as_ref(), &signs).unwrap();
    for c in [1e-5, 1.0, 1e5] {
        let plane = examples.separate(&[c; 5], &[1.0; 5], TIGHT, &Silent).unwrap();
        assert_eq!(
            (plane.weights, plane.bias, plane.stop),
            (vec![0.0; 3], 1.0, SolverStop::Tolerance)
        );
        assert!((plane.objective - 4.0 * c).abs() < 1e-12 * c);
    }
}

#[test]
fn bad_numbers_are_refused() {
    let rows = Mat::<f64>::zeros(1, 2);
    let new = |rows: &Mat<f64>, signs: &[f64]| {
        Examples::new(rows.as_ref(), signs).map(|_| ()).unwrap_err()
    };
    assert!(matches!(new(&Mat::zeros(1, 0), &[]), Error::TooFewRows { .. }));
    assert!(matches!(new(&rows, &[1.0]), Error::WrongLength { .. }));
    assert!(matches!(new(&rows, &[1.0, 0.0]), Error::WrongTarget { .. }));
    assert!(matches!(new(&rows, &[1.0, f64::NAN]), Error::WrongTarget { .. }));
    let mut holed = rows.clone();
    holed[(0, 1)] = f64::NAN;
    assert!(matches!(new(&holed, &[1.0, -1.0]), Error::NotFinite { row: 2, .. }));
    let examples = Examples::new(rows.as_ref(), &[1.0, -1.0]).unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(examples.separate(&[1.0, bad], &[1.0; 2], TIGHT, &Silent).is_err());
        assert!(examples.separate(&[1.0; 2], &[bad, 1.0], TIGHT, &Silent).is_err());
        assert!(
            examples
                .separate(&[1.0; 2], &[1.0; 2], Until { tol: bad, max_iter: 1 }, &Silent)
                .is_err()
        );
    }
    assert!(examples.separate(&[1.0], &[1.0; 2], TIGHT, &Silent).is_err());
    assert!(examples.separate(&[1.0; 2], &[1.0; 3], TIGHT, &Silent).is_err());
}

#[test]
fn huge_and_tiny_values_give_a_certificate_or_an_error() {
    let (rows, signs) = data(30, 3, 1.0, 2);
    for factor in [1e-150, 1e-50, 1e50, 1e100, 1e200] {
        let scaled = Mat::from_fn(3, 30, |j, i| factor * rows[(j, i)]);
        let examples = Examples::new(scaled.as_ref(), &signs).unwrap();
        for c in [1e-5, 1.0, 1e5] {
            match examples.separate(&[c; 30], &[1.0; 30], TIGHT, &Silent) {
                Ok(plane) => assert!(
                    plane.objective.is_finite() && plane.gap >= 0.0 && plane.gap <= plane.objective
                ),
                Err(error) => {
                    assert!(matches!(error, Error::Numerical { .. }), "{error}")
                }
            }
        }
    }
}

struct Impatient;
impl Monitor for Impatient {
    fn should_stop(&self) -> bool {
        true
    }
}

#[test]
fn stopping_early_is_said_and_still_certified() {
    let (rows, signs) = data(100, 4, 1.0, 3);
    let (costs, margins) = (vec![1.0; 100], vec![1.0; 100]);
    let examples = Examples::new(rows.as_ref(), &signs).unwrap();
    let best = examples.separate(&costs, &margins, TIGHT, &Silent).unwrap();
    for max_iter in [0, 1, 3, 5] {
        let plane =
            examples.separate(&costs, &margins, Until { tol: 1e-8, max_iter }, &Silent).unwrap();
        assert_eq!((plane.stop, plane.steps), (SolverStop::IterationLimit, max_iter));
        assert!(
            plane.objective >= best.objective - best.gap
                && plane.objective - plane.gap <= best.objective
        );
    }
    assert_eq!(
        examples.separate(&costs, &margins, TIGHT, &Impatient).unwrap().stop,
        SolverStop::Interrupted
    );
    // A tolerance below rounding must not loop forever.
    let plane = examples
        .separate(&costs, &margins, Until { tol: 1e-300, max_iter: u64::MAX }, &Silent)
        .unwrap();
    assert!(
        plane.gap < 1e-10 * plane.objective && plane.steps < 100,
        "{} after {}",
        plane.gap,
        plane.steps
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn the_bias_is_the_best(n in 1_usize..12, seed in 0_u64..1000) {
        let mut stream = Stream::new(seed, Purpose::Data, 0);
        let mut draw = |low: f64| (0..n).map(|_| low + stream.unit()).collect::<Vec<f64>>();
        let (scores, costs, margins) = (draw(-0.5), draw(0.1), draw(0.1));
        let signs: Vec<f64> = draw(-0.5).iter().map(|v| if *v < 0.0 { -1.0 } else { 1.0 }).collect();
        let loss = |b: f64| (0..n).map(|i| costs[i] * (margins[i] - signs[i] * (scores[i] + b)).max(0.0)).sum::<f64>();
        let least = loss(best_bias(&scores, &signs, &costs, &margins));
        for i in 0..n {
            prop_assert!(least <= loss(signs[i] * margins[i] - scores[i]) + 1e-12);
        }
    }

    #[test]
    fn any_data_reach_the_tolerance(
        n in 1_usize..30, d in 1_usize..12, seed in 0_u64..10_000, c in -5_i32..6, noise in 0.0..2.0_f64, copies in 1_usize..3
    ) {
        let (rows, signs) = data(n, d, noise, seed);
        let rows = Mat::from_fn(d, n * copies, |j, i| rows[(j, i % n)]);
        let signs: Vec<f64> = (0..n * copies).map(|i| signs[i % n]).collect();
        let mut stream = Stream::new(seed, Purpose::Data, 5);
        let margins: Vec<f64> = (0..n * copies).map(|_| 10.0_f64.powf(-3.0 * stream.unit())).collect();
        let costs: Vec<f64> = margins.iter().map(|s| 10.0_f64.powi(c) / s).collect();
        let examples = Examples::new(rows.as_ref(), &signs).unwrap();
        let plane = examples.separate(&costs, &margins, TIGHT, &Silent).unwrap();
        prop_assert_eq!(plane.stop, SolverStop::Tolerance, "{} of {} after {}", plane.gap, plane.objective, plane.steps);
    }
}
