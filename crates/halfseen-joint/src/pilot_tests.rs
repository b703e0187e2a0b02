//! Tests fits with a pilot: what it brings, that it harms nothing, and what is refused.

use super::Fiml;
use super::candidates::{most_rank, strides};
use super::reads::Reads;
use super::standard::Standard;
use halfseen_core::data::{Examples, Layout, Matrix, Scaler};
use halfseen_core::error::ErrorKind;
use halfseen_core::learner::{FitSize, Learner};
use halfseen_core::model::{Fit, Note};
use halfseen_core::params::{Design, Shape};
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::sync::Arc;

struct Data {
    x: Matrix,
    y: Vec<f64>,
    layout: Arc<Layout>,
}

const D: usize = 20;

/// Draws attributes of three causes; the target is the difference of two that are alike, and others.
fn draw(rows: usize, seed: u64) -> Data {
    let mut truth = Stream::new(1, Purpose::Factor, 3);
    let loadings: Vec<f64> = (0..3 * D).map(|_| truth.normal()).collect();
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let (mut x, mut y) = (Array2::zeros((rows, D)), Vec::new());
    for mut row in x.rows_mut() {
        let z: [f64; 3] = std::array::from_fn(|_| stream.normal());
        for (j, v) in row.iter_mut().enumerate() {
            let shared: f64 = z.iter().zip(&loadings[3 * j..]).map(|(z, l)| z * l).sum();
            *v = shared + 0.5 * stream.normal();
        }
        row[1] = row[0] + 0.5 * stream.normal();
        y.push(3.0 * (row[0] - row[1]) + row[2] - row[7] + 0.5 * stream.normal());
    }
    Data { x: Matrix::F64(x), y, layout: Arc::new(Layout::singletons(D)) }
}

impl Data {
    fn examples(&self) -> Examples<'_> {
        Examples::new(&self.x, &Scaler::None {}, &self.layout, &self.y)
    }

    /// Returns the mean squared error of a fit, over the variance.
    fn error(&self, fit: &Fit) -> f64 {
        let scores = fit.predictor.scores(&self.examples()).unwrap().values;
        let mean = self.y.iter().sum::<f64>() / self.y.len() as f64;
        let square = |(s, y): (&f64, &f64)| (s - y).powi(2);
        scores.iter().zip(&self.y).map(square).sum::<f64>()
            / self.y.iter().map(|y| (y - mean).powi(2)).sum::<f64>()
    }
}

fn learner() -> Fiml {
    Fiml { budget: Some(2), design: Design::Uniform, shape: Shape::Linear, ..Fiml::default() }
}

fn fit(learner: &Fiml, data: &Data, pilot: Option<&Examples<'_>>) -> Fit {
    learner.fit(&Examples { pilot, ..data.examples() }, &Silent).unwrap()
}

fn weight(fit: &Fit) -> Option<(u64, f64)> {
    fit.report.notes.iter().find_map(|note| match note {
        Note::Pilot { rows, weight } => Some((*rows, *weight)),
        _ => None,
    })
}

#[test]
fn where_pairs_are_rare_a_pilot_of_the_same_kind_helps_by_a_wide_margin() {
    let (test, mut logs) = (draw(3_000, 90), 0.0);
    for seed in 0..3 {
        let (data, pilot) = (draw(400, seed), draw(100, 50 + seed));
        let without = fit(&learner(), &data, None);
        let with = fit(&learner(), &data, Some(&pilot.examples()));
        let (rows, weight) = weight(&with).unwrap();
        assert!(rows == 100 && weight > 0.0, "{weight}");
        // Its reads are not counted, and it is no example.
        assert_eq!((with.report.reads, with.report.examples), (800, 400));
        logs += (test.error(&with) / test.error(&without)).ln() / 3.0;
    }
    assert!(logs < 0.5_f64.ln(), "{}", logs.exp());
}

#[test]
fn a_pilot_that_contradicts_counts_nothing_and_changes_no_bit() {
    for shape in [Shape::Linear, Shape::Auto] {
        let learner = Fiml { budget: Some(4), shape, ..learner() };
        let (data, mut pilot) = (draw(400, 5), draw(100, 55));
        pilot.y.iter_mut().for_each(|y| *y = -*y);
        let without = fit(&learner, &data, None);
        let mut with = fit(&learner, &data, Some(&pilot.examples()));
        assert_eq!(weight(&with), Some((100, 0.0)));
        assert_eq!(with.predictor, without.predictor);
        with.report.notes.retain(|note| !matches!(note, Note::Pilot { .. }));
        assert_eq!(
            (&with.report.notes, with.report.risk),
            (&without.report.notes, without.report.risk)
        );
    }
}

/// Its rows are in no fold, whatever their number, and cells and targets may be missing.
#[test]
fn a_pilot_with_holes_and_without_targets_informs_on_the_attributes() {
    let (data, mut pilot) = (draw(400, 6), draw(301, 56));
    pilot.y[..200].fill(f64::NAN);
    let Matrix::F64(x) = &mut pilot.x else { panic!() };
    x.indexed_iter_mut().filter(|((i, j), _)| (i + j) % 5 == 0).for_each(|(_, v)| *v = f64::NAN);
    let test = draw(3_000, 90);
    let with = fit(&learner(), &data, Some(&pilot.examples()));
    let without = fit(&learner(), &data, None);
    assert!(weight(&with).unwrap().1 > 0.0);
    assert!(test.error(&with) < test.error(&without));
    // Also with deviations and curves.
    let more = Fiml { deviations: 3, shape: Shape::Additive, ..learner() };
    let found = fit(&more, &data, Some(&pilot.examples()));
    assert!(test.error(&found).is_finite() && weight(&found).is_some());
    assert_eq!(fit(&more, &data, Some(&pilot.examples())).predictor, found.predictor);
}

#[test]
fn many_classes_take_a_pilot_too() {
    let codes = |data: &Data| -> Vec<u32> {
        data.y.iter().map(|y| if *y < -1.0 { 0 } else { 1 + u32::from(*y > 1.0) }).collect()
    };
    let (mut data, mut pilot) = (draw(300, 7), draw(100, 57));
    let (of_data, mut of_pilot) = (codes(&data), codes(&pilot));
    // Not told.
    of_pilot[3] = u32::MAX;
    data.y.fill(f64::NAN);
    pilot.y.fill(f64::NAN);
    let labels = |codes| Some(halfseen_core::data::Labels { codes, classes: 3 });
    let pilot = Examples { labels: labels(&of_pilot), ..pilot.examples() };
    let examples = Examples { labels: labels(&of_data), pilot: Some(&pilot), ..data.examples() };
    let found = learner().fit(&examples, &Silent).unwrap();
    assert!(weight(&found).is_some_and(|(rows, weight)| rows == 100 && weight > 0.0));
    let wrong = Examples { labels: None, ..pilot.clone() };
    let error = learner().fit(&Examples { pilot: Some(&wrong), ..examples }, &Silent).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WrongTarget { .. }), "{error}");
}

#[test]
fn impossible_pilots_are_refused_and_their_memory_counts() {
    let data = draw(60, 8);
    let refused = |pilot: &Data| {
        let pilot = pilot.examples();
        learner().fit(&Examples { pilot: Some(&pilot), ..data.examples() }, &Silent).unwrap_err()
    };
    let narrow = Data {
        x: Matrix::F64(Array2::zeros((5, 3))),
        y: vec![0.0; 5],
        layout: Arc::new(Layout::singletons(3)),
    };
    assert!(matches!(
        refused(&narrow).kind(),
        ErrorKind::WrongLength { expected: D, found: 3, .. }
    ));
    let holes = Data { x: Matrix::F64(Array2::from_elem((5, D), f64::NAN)), ..draw(5, 9) };
    assert!(matches!(refused(&holes).kind(), ErrorKind::TooFewRows { rows: 0, .. }));
    let large = Data { x: Matrix::F64(Array2::from_elem((5, D), 1e60)), ..draw(5, 9) };
    assert!(matches!(refused(&large).kind(), ErrorKind::Diverged { .. }));
    let pilot = draw(100, 9);
    let pilot = pilot.examples();
    let size = |pilot| FitSize::of(&Examples { pilot, ..data.examples() });
    let needed = |pilot| learner().needed(&size(pilot)).bytes;
    assert!(needed(Some(&pilot)) > needed(None) + 16.0 * 100.0 * D as f64);
    // With too few examples to judge it, it does not count.
    let few = draw(9, 8);
    let (with, without) = (fit(&learner(), &few, Some(&pilot)), fit(&learner(), &few, None));
    assert_eq!((weight(&with), &with.predictor), (Some((100, 0.0)), &without.predictor));
}

/// Rows that do not count neither thin the examples, nor allow a rank, nor move the targets' mean.
#[test]
fn rows_that_do_not_count_change_nothing() {
    let reads_of = |rows: usize, seed: u64, keep: usize| {
        let data = draw(rows, seed);
        let mut reads = Reads::new();
        for i in 0..rows {
            let cells = (0..keep).map(|j| (i + j) % D);
            let cells = cells.map(|j| (j as u32, data.x.get(i, j)));
            reads.push(cells, data.y[i]);
        }
        reads
    };
    let (main, mut pilot) = (reads_of(60, 1, 1), reads_of(9_000, 2, D));
    pilot.set_targets(|_| 1e3);
    let alone = Standard::of(&main, D);
    let both = main.with_pilot(&pilot, 0.0);
    let standard = Standard::of(&both, D);
    assert_eq!((standard.centre, standard.spread), (alone.centre, alone.spread));
    let mut rows = standard.rows(&both);
    assert_eq!((strides(&rows, D, 1_000.0), most_rank(&rows, D)), ([1, 1], 1));
    rows.weigh_pilot(1.0);
    assert_eq!((strides(&rows, D, 1_000.0), most_rank(&rows, D)), ([9, 1], D / 3));
}
