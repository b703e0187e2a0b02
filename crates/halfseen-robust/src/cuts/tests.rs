//! Compares row generation with the programs that list every deletion, by a general solver.

use super::*;
use crate::RobustHinge;
use crate::reference_lp::{Optimum, Textbook, quantile_loss, random, rows_in, rows_of};
use halfseen_core::data::Layout;
use halfseen_solve::sampling::{Purpose, Stream};
use halfseen_solve::{Silent, SolverStop};
use ndarray::Array2;
use std::sync::atomic::{AtomicU64, Ordering};

fn options(case: &Textbook<'_>) -> CutOptions {
    CutOptions { box_radius: case.box_radius, intercept: case.intercept, tol: 1e-8, max_iter: 300 }
}

fn task<'a>(case: &Textbook<'a>, loss: Loss<'a>, whole: bool) -> Task<'a> {
    Task { rows: case.rows, loss, whole, intercept: case.intercept }
}

fn of_hinge(
    case: &Textbook<'_>,
    signs: &[f64],
    (margin, whole): (f64, bool),
    options: &CutOptions,
    monitor: &dyn Monitor,
) -> Result<CutSolution> {
    let loss = Loss::Hinge { signs, hinge: RobustHinge { threat: case.threat, margin } };
    solve(&task(case, loss, whole), options, monitor)
}

fn hinge(case: &Textbook<'_>, signs: &[f64], margin: f64, whole: bool) -> CutSolution {
    let point = of_hinge(case, signs, (margin, whole), &options(case), &Silent).unwrap();
    assert!(point.weights.iter().all(|w| w.abs() <= case.box_radius));
    assert!(case.intercept || point.bias == 0.0);
    if !whole {
        let hinge = RobustHinge { threat: case.threat, margin };
        let plain = hinge.mean(case.rows, signs, &point.weights, point.bias);
        assert!((plain - point.objective).abs() <= 1e-12 * point.objective.max(1.0));
    }
    point
}

fn quantile(case: &Textbook<'_>, targets: &[f64], q: f64, whole: bool) -> CutSolution {
    let loss = Loss::Quantile { targets, q, threat: case.threat };
    let task = task(case, loss, whole);
    let point = solve(&task, &options(case), &Silent).unwrap();
    assert!(point.weights.iter().all(|w| w.abs() <= case.box_radius));
    let at =
        Optimum { weights: point.weights.clone(), bias: point.bias, objective: point.objective };
    let plain = quantile_loss(case, targets, q, &at, whole);
    assert!((mean(&task, &point.weights, point.bias).0 - plain).abs() <= 1e-12 * plain.max(1.0));
    assert!((plain - point.objective).abs() <= 1e-12 * point.objective.max(1.0));
    point
}

/// Asserts that the optimum equals that of the general solver and lies between the bounds.
fn agree(point: &CutSolution, optimum: f64, what: &str) {
    assert!(point.gap <= 1e-8 * point.objective.max(1e-3 * point.alone), "{what}: {point:?}");
    let scale = optimum.max(point.alone).max(1e-3);
    let off = (point.objective - optimum).abs() / scale;
    assert!(off < 1e-7, "{what}: {} and {optimum}", point.objective);
    assert!(optimum >= point.objective - point.gap - 1e-8 * scale, "{what}");
}

/// Returns numeric targets with outliers for a table.
fn targets(cells: &Array2<f64>, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, Purpose::Data, 7);
    let rule: Vec<f64> = (0..cells.ncols()).map(|_| stream.normal()).collect();
    let score =
        |row: ndarray::ArrayView1<'_, f64>| row.iter().zip(&rule).map(|(x, w)| x * w).sum::<f64>();
    cells
        .rows()
        .into_iter()
        .map(|row| 0.5 * score(row) + 0.4 * stream.normal().powi(3) + 0.7)
        .collect()
}

fn ones(n: usize, budget: f64) -> Threat {
    Threat::uniform(n, budget).unwrap()
}

#[test]
fn without_a_threat_it_is_the_plain_hinge_in_a_box() {
    for seed in 0..12 {
        let (m, n) = (60 + 20 * seed as usize, 5 + 4 * seed as usize);
        let (mut cells, signs) = random(m, n, 0.1 * (seed % 10) as f64, seed);
        cells.column_mut(2).fill(0.0);
        cells.row_mut(3).fill(0.0);
        let (rows, threat) = (rows_of(cells), ones(n, 0.0));
        let case =
            Textbook { rows: &rows, threat: &threat, box_radius: 0.7, intercept: seed % 2 == 0 };
        // LP (4) with P = V: no deletions.
        let margin = 1.5;
        let optimum = case.relaxed(&signs, margin).objective;
        agree(&hinge(&case, &signs, margin, seed % 3 == 0), optimum, &format!("seed {seed}"));
    }
}

#[test]
fn theorem_1() {
    let (mut widest, mut open) = (0.0_f64, 0);
    for seed in 0..50 {
        let (m, n) = (4 + (seed % 5) as usize, 3 + (seed % 4) as usize);
        let (cells, signs) = random(m, n, 0.2, 100 + seed);
        let rows = rows_of(cells);
        let mut stream = Stream::new(seed, Purpose::Data, 1);
        let kind = seed % 3;
        let values: Vec<f64> = match kind {
            0 => (0..n).map(|j| f64::from(u8::from(j % 3 != 1))).collect(),
            1 => vec![0.3; n],
            _ => (0..n).map(|_| 0.2 + stream.unit()).collect(),
        };
        let total: f64 = values.iter().sum();
        let budget = match kind {
            0 => 1.0,
            1 => 0.6,
            _ => (0.2 + 0.5 * stream.unit()) * total,
        };
        let threat = Threat::new(values, budget).unwrap();
        let case =
            Textbook { rows: &rows, threat: &threat, box_radius: 1.0, intercept: seed % 2 == 0 };
        let margin = (0.1 + stream.unit()) * threat.left();
        let (relaxed, whole) =
            (case.relaxed(&signs, margin).objective, case.whole(&signs, margin).objective);
        assert!(relaxed >= whole - 1e-9);
        agree(&hinge(&case, &signs, margin, false), relaxed, &format!("LP (4), seed {seed}"));
        if kind == 2 {
            assert!(relaxed - whole <= case.box_radius + 1e-9);
            widest = widest.max(relaxed - whole);
            open += usize::from(relaxed - whole > 1e-6);
        } else {
            assert!((relaxed - whole).abs() < 1e-8, "{relaxed} {whole}");
            agree(&hinge(&case, &signs, margin, true), whole, &format!("LP (3), seed {seed}"));
        }
    }
    assert!(open >= 5 && widest > 1e-3, "{open} cases have a gap, of at most {widest}");
}

#[test]
fn whole_deletions_of_whole_numbers_are_those_of_all_subsets() {
    let mut less = 0;
    for seed in 0..15 {
        let (m, n) = (15 + 3 * seed as usize, 4 + (seed % 6) as usize);
        let (cells, signs) = random(m, n, 0.15, 200 + seed);
        let rows = rows_of(cells);
        let values: Vec<f64> =
            (0..n).map(|j| [1.0, 3.0, 2.0, 0.0, 5.0][(j + seed as usize) % 5]).collect();
        let threat = Threat::new(values, 2.0 + (seed % 3) as f64).unwrap();
        let case =
            Textbook { rows: &rows, threat: &threat, box_radius: 1.0, intercept: seed % 2 == 0 };
        let margin = 0.15 * threat.left();
        let optimum = case.whole(&signs, margin).objective;
        let point = hinge(&case, &signs, margin, true);
        agree(&point, optimum, &format!("seed {seed}"));
        less += usize::from(hinge(&case, &signs, margin, false).objective > point.objective + 1e-6);
    }
    assert!(less >= 5, "fractions gain in {less} cases only");
}

#[test]
fn regression_is_that_of_all_subsets() {
    for seed in 0..15 {
        let (m, n) = (12 + 3 * seed as usize, 3 + (seed % 5) as usize);
        let (cells, _) = random(m, n, 0.15, 300 + seed);
        let y = targets(&cells, seed);
        let rows = rows_of(cells);
        let values: Vec<f64> = (0..n).map(|j| [1.0, 2.0, 3.0][(j + seed as usize) % 3]).collect();
        let q = [0.5, 0.1, 0.8][seed as usize % 3];
        for threat in [Threat::new(values, 2.0).unwrap(), ones(n, 1.0), ones(n, 0.0)] {
            let case = Textbook {
                rows: &rows,
                threat: &threat,
                box_radius: 0.6,
                intercept: seed % 2 == 0,
            };
            let (whole, relaxed) =
                (case.quantile_whole(&y, q).objective, case.quantile_relaxed(&y, q).objective);
            agree(&quantile(&case, &y, q, true), whole, &format!("whole, seed {seed}, {threat:?}"));
            agree(
                &quantile(&case, &y, q, false),
                relaxed,
                &format!("relaxed, seed {seed}, {threat:?}"),
            );
        }
    }
}

#[test]
fn a_median_by_hand() {
    // Half the absolute loss of 1, 2 and 7 around their median.
    let (rows, threat) = (rows_of(Array2::zeros((3, 2))), ones(2, 1.0));
    let case = Textbook { rows: &rows, threat: &threat, box_radius: 1.0, intercept: true };
    let point = quantile(&case, &[1.0, 7.0, 2.0], 0.5, false);
    assert!((point.objective - 1.0).abs() < 1e-12 && (point.bias - 2.0).abs() < 1e-6, "{point:?}");
    // Without a bias rows of zeros determine nothing.
    let case = Textbook { intercept: false, ..case };
    assert!((quantile(&case, &[1.0, 7.0, 2.0], 0.5, false).objective - 10.0 / 6.0).abs() < 1e-12);
}

#[test]
fn degenerate_tables() {
    for intercept in [true, false] {
        for (m, n) in [(1, 3), (2, 1), (6, 2)] {
            let (cells, _) = random(m, n, 0.0, 5);
            for cells in [cells.clone(), Array2::zeros((m, n))] {
                let (rows, threat) = (rows_of(cells), ones(n, if n > 1 { 1.0 } else { 0.0 }));
                let case = Textbook { rows: &rows, threat: &threat, box_radius: 1.0, intercept };
                let mut mixed = vec![1.0; m];
                mixed[0] = -1.0;
                for signs in [vec![1.0; m], vec![-1.0; m], mixed] {
                    let name = format!("{m} x {n}, {intercept}, {signs:?}");
                    agree(
                        &hinge(&case, &signs, 0.8, true),
                        case.whole(&signs, 0.8).objective,
                        &name,
                    );
                    agree(
                        &quantile(&case, &signs, 0.3, true),
                        case.quantile_whole(&signs, 0.3).objective,
                        &name,
                    );
                }
                let nothing = quantile(&case, &vec![0.0; m], 0.5, false);
                assert_eq!(
                    (nothing.objective, nothing.gap, nothing.stop),
                    (0.0, 0.0, SolverStop::Tolerance)
                );
            }
        }
    }
}

#[test]
fn attributes_of_several_columns_vanish_as_one_and_known_ones_never() {
    for seed in 0..6 {
        let (cells, signs) = random(25, 7, 0.2, 400 + seed);
        let y = targets(&cells, seed);
        let mut builder = Layout::builder(7);
        builder.sampled("a", vec![5, 1]);
        builder.sampled("b", vec![0]);
        builder.sampled("c", vec![2, 3, 6]);
        builder.known("d", vec![4]);
        let rows = rows_in(cells, builder.finish().unwrap());
        let threat = Threat::new(vec![2.0, 1.0, 3.0], 3.0).unwrap();
        let case =
            Textbook { rows: &rows, threat: &threat, box_radius: 1.0, intercept: seed % 2 == 0 };
        let margin = 0.4 * threat.left();
        agree(&hinge(&case, &signs, margin, true), case.whole(&signs, margin).objective, "whole");
        agree(
            &hinge(&case, &signs, margin, false),
            case.relaxed(&signs, margin).objective,
            "relaxed",
        );
        agree(
            &quantile(&case, &y, 0.4, true),
            case.quantile_whole(&y, 0.4).objective,
            "whole quantile",
        );
        agree(
            &quantile(&case, &y, 0.4, false),
            case.quantile_relaxed(&y, 0.4).objective,
            "relaxed quantile",
        );
    }
}

#[test]
fn threads_change_no_bit() {
    let (cells, signs) = random(300, 30, 0.3, 9);
    let y = targets(&cells, 9);
    let rows = rows_of(cells);
    let threat = Threat::new((0..30).map(|j| 1.0 + f64::from(j % 3)).collect(), 6.0).unwrap();
    let case = Textbook { rows: &rows, threat: &threat, box_radius: 1.0, intercept: true };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (hinge(&case, &signs, 3.0, true), quantile(&case, &y, 0.7, false)))
    };
    let (one, two) = (with(1), with(2));
    assert_eq!(format!("{one:?}"), format!("{two:?}"));
}

/// Monitor that stops after a number of queries.
struct Patience(AtomicU64, u64);

impl Monitor for Patience {
    fn should_stop(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= self.1
    }
}

#[test]
fn an_interrupted_solver_returns_its_best_point_and_gap() {
    let (cells, signs) = random(120, 8, 0.2, 11);
    let (rows, threat) = (rows_of(cells), ones(8, 2.0));
    let case = Textbook { rows: &rows, threat: &threat, box_radius: 1.0, intercept: true };
    let loss = RobustHinge { threat: &threat, margin: 1.0 };
    let optimum = case.relaxed(&signs, 1.0).objective;
    for after in [0, 3, 10, 20] {
        let patience = Patience(AtomicU64::new(0), after);
        let point = of_hinge(&case, &signs, (1.0, false), &options(&case), &patience).unwrap();
        assert_eq!(point.stop, SolverStop::Interrupted);
        assert!(
            (loss.mean(&rows, &signs, &point.weights, point.bias) - point.objective).abs() < 1e-12
        );
        assert!(point.objective <= point.alone + 1e-12);
        assert!(
            (point.objective - point.gap..=point.objective).contains(&optimum),
            "{point:?} {optimum}"
        );
    }
    let few = CutOptions { max_iter: 2, ..options(&case) };
    let point = of_hinge(&case, &signs, (1.0, false), &few, &Silent).unwrap();
    assert_eq!(point.stop, SolverStop::IterationLimit);
    assert!(point.gap > 1e-8 && point.objective - point.gap <= optimum);
}

#[test]
fn whole_deletions_of_other_values_are_refused() {
    let (cells, signs) = random(10, 3, 0.0, 1);
    let rows = rows_of(cells);
    let threat = Threat::new(vec![0.5, 1.2, 0.7], 1.0).unwrap();
    let case = Textbook { rows: &rows, threat: &threat, box_radius: 1.0, intercept: true };
    let error =
        of_hinge(&case, &signs, (1.0, true), &options(&case), &Silent).unwrap_err().to_string();
    assert!(error.contains("deletions = fractional"), "{error}");
    let loss = Loss::Quantile { targets: &signs, q: 0.5, threat: &threat };
    let refused = task(&case, loss, true);
    let error = solve(&refused, &options(&case), &Silent).unwrap_err().to_string();
    assert!(error.contains("whole numbers"), "{error}");
}
