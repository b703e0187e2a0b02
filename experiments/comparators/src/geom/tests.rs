//! Compares the weighted form with the problem as printed, and with the plain support vector
//! machine.

use super::*;
use halfseen::data::{Examples as Table, Labels, Layout, Matrix, Scaler};
use halfseen::learner::with;
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Learner, Silent};
use ndarray::Array2;
use std::sync::Arc;

const NAN: f64 = f64::NAN;

fn setup(c: f64) -> Setup {
    Setup { c, rounds: 5, until: Until { tol: 1e-9, max_iter: 200 } }
}

fn cells(n: usize, d: usize, hidden: f64, seed: u64) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, n as u64);
    let full = Array2::from_shape_fn((n, d), |_| stream.normal());
    let score = |i: usize, e: f64| {
        (0..d).map(|j| full[(i, j)] / (1 + j) as f64).sum::<f64>() + 0.4 + 0.3 * e
    };
    let signs = (0..n).map(|i| if score(i, stream.normal()) < 0.0 { -1.0 } else { 1.0 }).collect();
    let cells =
        Array2::from_shape_fn((n, d), |at| if stream.unit() < hidden { NAN } else { full[at] });
    (cells, signs)
}

fn masked(cells: &Array2<f64>) -> Masked {
    Masked::from_rows(cells.view(), false).unwrap()
}

fn fit(cells: &Array2<f64>, signs: &[f64], setup: Setup) -> Plane {
    separate(&masked(cells), signs, &[setup], &Silent).unwrap().remove(0)
}

/// Compares both objectives of the problem as printed, min |w|^2/2 + C sum xi with y_i (<w, x_i> +
/// b) / s_i >= 1 - xi_i, at the solution of the weighted form: rows and bias divided by s_i,
/// multipliers alpha_i = s_i beta_i.
#[test]
fn the_weighted_form_solves_the_problem_as_printed() {
    let (cells, signs) = cells(60, 4, 0.4, 1);
    let rows = masked(&cells);
    for c in [0.01, 1.0, 100.0] {
        let shares: Vec<f64> = (0..60).map(|i| 0.2 + 0.1 * (i % 8) as f64).collect();
        let costs: Vec<f64> = shares.iter().map(|s| c / s).collect();
        let dense = rows.dense();
        let examples = Examples::new(dense.values.as_ref(), &signs).unwrap();
        let best = examples.separate(&costs, &shares, setup(c).until, &Silent).unwrap();
        let losses = Space::new(&rows, &Silent).unwrap().losses(
            &signs,
            &[c; 60],
            (&best.weights, best.bias),
            &shares,
        );
        let printed = 0.5 * best.weights.iter().map(|w| w * w).sum::<f64>() + losses;
        assert!((printed - best.objective).abs() < 1e-11 * printed);
        let alpha: Vec<f64> = best.multipliers.iter().zip(&shares).map(|(b, s)| b * s).collect();
        assert!(alpha.iter().all(|a| (0.0..=c * (1.0 + 1e-15)).contains(a)));
        let balance: f64 = (0..60).map(|i| alpha[i] * signs[i] / shares[i]).sum();
        let image = |j: usize| {
            (0..60).map(|i| alpha[i] * signs[i] * dense.values[(j, i)] / shares[i]).sum::<f64>()
        };
        let dual = alpha.iter().sum::<f64>() - 0.5 * (0..4).map(|j| image(j).powi(2)).sum::<f64>();
        assert!(balance.abs() < 1e-10 * c * 60.0);
        assert!(
            printed >= dual - 1e-10 * printed && printed - dual < 2e-9 * printed,
            "{printed} and {dual}"
        );
    }
}

#[test]
fn with_nothing_missing_it_is_the_support_vector_machine_after_one_round() {
    for c in [1e-3, 1.0, 1e5] {
        let (cells, signs) = cells(80, 5, 0.0, 2);
        let plane = fit(&cells, &signs, setup(c));
        let rows = masked(&cells);
        let dense = rows.dense();
        let examples = Examples::new(dense.values.as_ref(), &signs).unwrap();
        let plain = examples.separate(&[c; 80], &[1.0; 80], setup(c).until, &Silent).unwrap();
        assert_eq!((plane.rounds.len(), plane.stop, plane.kept), (1, Stop::Tolerance, 0));
        assert_eq!((&plane.weights, plane.bias), (&plain.weights, plain.bias));
        assert!((plane.rounds[0].geometric - plain.objective).abs() < 1e-12 * plain.objective);
    }
}

#[test]
fn rounds_reweight_by_what_each_row_shows_and_the_best_is_kept() {
    let (cells, signs) = cells(100, 5, 0.4, 3);
    let plane = fit(&cells, &signs, setup(1.0));
    assert_eq!((plane.rounds.len(), plane.stop), (5, Stop::Tolerance));
    let least = plane.rounds.iter().map(|r| r.geometric).fold(f64::MAX, f64::min);
    assert_eq!(plane.rounds[plane.kept].geometric, least);
    assert!(plane.rounds.iter().all(|r| r.gap <= 1e-9 * r.objective));
    // By hand: shares of the kept plane, and J at them.
    let full: Vec<usize> = (0..100).filter(|&i| cells.row(i).iter().any(|v| !v.is_nan())).collect();
    assert_eq!(plane.empty, 100 - full.len());
    let length: f64 = plane.weights.iter().map(|w| w * w).sum::<f64>();
    let mut by_hand = 0.5 * length;
    for &i in &full {
        let shown: f64 =
            (0..5).filter(|&j| !cells[(i, j)].is_nan()).map(|j| plane.weights[j].powi(2)).sum();
        let share = (shown / length).sqrt().max(1e-3);
        let score: f64 = (0..5)
            .filter(|&j| !cells[(i, j)].is_nan())
            .map(|j| plane.weights[j] * cells[(i, j)])
            .sum();
        by_hand += (1.0 - signs[i] * (score + plane.bias) / share).max(0.0);
    }
    assert!((by_hand - least).abs() < 1e-10 * least, "{by_hand} and {least}");
    // The first round is the support vector machine on zeros, so the best is no worse.
    assert!(least <= plane.rounds[0].geometric);
    // The iteration becomes stationary, or the last round was done in full.
    let long = fit(&cells, &signs, Setup { rounds: 200, ..setup(1.0) });
    assert!(long.stop == Stop::Stationary || long.rounds.len() == 200);
}

/// Tests Chechik's point: the margin of a row that shows one of two attributes is along that one.
#[test]
fn shares_are_those_of_the_attributes_shown() {
    let rows = masked(&ndarray::array![[1.0, NAN], [NAN, 1.0], [1.0, 1.0], [NAN, NAN]]);
    let space = Space::new(&rows, &Silent).unwrap();
    let shown_shares = |weights: &[f64]| space.shown_shares(weights);
    let shares = shown_shares(&[3.0, 4.0]).unwrap();
    for (share, expected) in shares.iter().zip([0.6, 0.8, 1.0, 1e-3]) {
        assert!((share - expected).abs() < 1e-15);
    }
    assert!(shown_shares(&[0.0, 0.0]).is_none());
    // No square underflows.
    assert!((shown_shares(&[3e-200, 4e-200]).unwrap()[0] - 0.6).abs() < 1e-15);
    assert!((shown_shares(&[3e200, 4e200]).unwrap()[0] - 0.6).abs() < 1e-15);
}

#[test]
fn scaling_rows_divides_the_weights() {
    let (cells, signs) = cells(60, 3, 0.3, 4);
    let one = fit(&cells, &signs, setup(0.5));
    for factor in [1e-4, 1e4] {
        let other = fit(&cells.mapv(|v| v * factor), &signs, setup(0.5 / (factor * factor)));
        assert_eq!(one.kept, other.kept);
        let pairs = one.weights.iter().zip(&other.weights);
        assert!(
            pairs.clone().all(|(a, b)| (a - b * factor).abs() < 1e-4),
            "{:?}",
            pairs.collect::<Vec<_>>()
        );
    }
}

#[test]
fn degenerate_rows_have_defined_answers() {
    // Nothing observed at all: the majority class.
    let nothing = Array2::from_elem((5, 2), NAN);
    let plane = fit(&nothing, &[1.0, 1.0, 1.0, -1.0, -1.0], setup(1.0));
    assert_eq!((plane.weights, plane.bias, plane.empty), (vec![0.0, 0.0], 1.0, 5));
    assert_eq!((plane.rounds.len(), plane.stop), (1, Stop::Tolerance));
    let plane = fit(&ndarray::array![[2.0, NAN]], &[-1.0], setup(1.0));
    assert_eq!((plane.weights, plane.bias), (vec![0.0, 0.0], -1.0));
    // Empty rows do not change the plane of the others.
    let (cells, signs) = cells(40, 3, 0.2, 5);
    let more = Array2::from_shape_fn((43, 3), |(i, j)| if i < 40 { cells[(i, j)] } else { NAN });
    let more_signs = [signs.clone(), vec![1.0, -1.0, -1.0]].concat();
    let (with, without) = (fit(&more, &more_signs, setup(1.0)), fit(&cells, &signs, setup(1.0)));
    assert_eq!(
        (with.weights, with.bias, with.empty),
        (without.weights, without.bias, without.empty + 3)
    );
}

#[test]
fn bad_numbers_are_refused() {
    let (cells, signs) = cells(10, 2, 0.2, 6);
    let rows = masked(&cells);
    let try_with = |signs: &[f64], setup: Setup| separate(&rows, signs, &[setup], &Silent).is_err();
    assert!(try_with(&signs[1..], setup(1.0)));
    assert!(try_with(&[vec![0.0], signs[1..].to_vec()].concat(), setup(1.0)));
    for c in [0.0, -1.0, NAN, f64::INFINITY] {
        assert!(try_with(&signs, setup(c)));
    }
    let empty = Masked::from_rows(Array2::zeros((0, 2)).view(), false).unwrap();
    assert!(separate(&empty, &[], &[setup(1.0)], &Silent).is_err());
    assert!(separate(&rows, &signs, &[], &Silent).unwrap().is_empty());
}

struct Owned {
    matrix: Matrix,
    targets: Vec<f64>,
    codes: Vec<u32>,
    layout: Arc<Layout>,
}

impl Owned {
    fn new(n: usize, d: usize, centre: f64) -> Owned {
        let (cells, signs) = cells(n, d, 0.3, 7);
        let targets = signs.iter().map(|y| y - centre).collect();
        let codes = signs.iter().map(|y| u32::from(*y > 0.0)).collect();
        Owned {
            matrix: Matrix::F64(cells),
            targets,
            codes,
            layout: Arc::new(Layout::singletons(d)),
        }
    }

    fn examples(&self, classes: usize) -> Table<'_> {
        let rows: Vec<u32> = (0..self.targets.len() as u32).rev().collect();
        let labels = (classes > 0).then_some(Labels { codes: &self.codes, classes });
        let table = Table::new(&self.matrix, &Scaler::None {}, &self.layout, &self.targets);
        Table { labels, ..table.with_rows(rows) }
    }
}

#[test]
fn the_learner_predicts_classes_whatever_was_subtracted_from_the_targets() {
    let geom = GeometricMargin { tol: 1e-8, ..GeometricMargin::default() };
    let (plain, centred) = (Owned::new(150, 4, 0.0), Owned::new(150, 4, 0.3));
    let one = geom.fit(&plain.examples(2), &Silent).unwrap();
    let other = geom.fit(&centred.examples(2), &Silent).unwrap();
    let (a, b) = (one.linear().unwrap(), other.linear().unwrap());
    assert_eq!((&a.weights, &a.fill), (&b.weights, &b.fill));
    assert!((a.intercept - 0.3 - b.intercept).abs() < 1e-14 && a.fill == vec![0.0; 4]);
    let scores = a.scores(&plain.examples(2));
    let right =
        scores.iter().zip(plain.targets.iter().rev()).filter(|(z, y)| **z * **y > 0.0).count();
    assert!(right > 105, "{right} of 150");
    let report = &one.report;
    assert!(report.converged && report.gap.unwrap() <= 1e-8 * report.objective.unwrap());
    let seen = (0..150)
        .flat_map(|i| (0..4).map(move |j| (i, j)))
        .filter(|&(i, j)| !plain.matrix.get(i, j).is_nan());
    assert_eq!(report.reads, seen.count() as u64);
    assert!(report.examples + report.skipped == 150 && report.spent == report.reads as f64);
}

#[test]
fn a_grid_gives_what_separate_fits_give() {
    let data = Owned::new(60, 3, 0.0);
    let geom = GeometricMargin::default();
    let mut settings = geom.grid().settings();
    assert_eq!(settings.len(), 11);
    settings.push(vec![("rounds", "1".into()), ("c", "3".into())]);
    let fits = geom.fit_grid(&settings, &data.examples(2), &Silent).unwrap();
    for (setting, together) in settings.iter().zip(&fits) {
        let alone = with(Box::new(geom.clone()), setting).unwrap();
        let alone = alone.fit(&data.examples(2), &Silent).unwrap();
        assert_eq!(alone.predictor, together.predictor);
        assert!(together.report.converged, "{setting:?}");
    }
    assert!(geom.fit_grid(&[], &data.examples(2), &Silent).unwrap().is_empty());
}

#[test]
fn only_two_classes_are_told_apart() {
    let data = Owned::new(20, 2, 0.0);
    for classes in [0, 3] {
        let error = GeometricMargin::default().fit(&data.examples(classes), &Silent).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WrongTarget { .. }), "{error}");
    }
    let bad = GeometricMargin { c: NAN, ..GeometricMargin::default() };
    assert!(matches!(
        bad.fit(&data.examples(2), &Silent).unwrap_err().kind(),
        ErrorKind::OutOfRange { name: "c", .. }
    ));
}

struct Impatient;
impl Monitor for Impatient {
    fn should_stop(&self) -> bool {
        true
    }
}

#[test]
fn an_interrupted_fit_is_marked() {
    let data = Owned::new(60, 3, 0.0);
    let fit = GeometricMargin::default().fit(&data.examples(2), &Impatient).unwrap();
    assert_eq!((fit.report.stop, fit.report.converged), (Stop::Interrupted, false));
    let short = GeometricMargin { max_iter: 2, ..GeometricMargin::default() };
    assert_eq!(short.fit(&data.examples(2), &Silent).unwrap().report.stop, Stop::IterationLimit);
}
