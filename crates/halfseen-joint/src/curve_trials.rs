//! Tries curves on data of known truth: bends, straight lines, holes, panels.

use super::Fiml;
use super::forms::Form;
use super::reads::Reads;
use halfseen_core::data::{Examples, Layout, Matrix, Scaler};
use halfseen_core::learner::Learner;
use halfseen_core::model::{Fit, Predictor};
use halfseen_core::params::{Passive, Shape};
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::sync::Arc;

type Data = (Array2<f64>, Vec<f64>);

/// Draws eight attributes with a common cause; the target bends along two of them.
fn draw(rows: usize, seed: u64, bend: f64) -> Data {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let mut x = Array2::zeros((rows, 8));
    let mut y = Vec::new();
    for mut row in x.rows_mut() {
        let z = stream.normal();
        row.iter_mut().for_each(|v| *v = 0.7 * z + 0.7 * stream.normal());
        let bent = row[0].powi(2) + 1.5 * row[1].abs();
        y.push(row[2] - 0.5 * row[3] + bend * bent + 0.5 * stream.normal());
    }
    (x, y)
}

fn on<T>((x, y): &Data, of: impl FnOnce(&Examples<'_>) -> T) -> T {
    let (matrix, layout) = (Matrix::F64(x.clone()), Arc::new(Layout::singletons(x.ncols())));
    of(&Examples::new(&matrix, &Scaler::None {}, &layout, y))
}

fn fit(learner: &Fiml, data: &Data) -> Fit {
    on(data, |examples| learner.fit(examples, &Silent).unwrap())
}

fn of(shape: Shape) -> Fiml {
    Fiml { budget: Some(3), shape, ..Fiml::default() }
}

fn error(fit: &Fit, data: &Data) -> f64 {
    let scores = on(data, |examples| fit.predictor.scores(examples).unwrap());
    let square = |(s, y): (&f64, &f64)| (s - y).powi(2);
    scores.values.iter().zip(&data.1).map(square).sum::<f64>() / data.1.len() as f64
}

#[test]
fn curves_are_seen_where_they_are() {
    let (train, test) = (draw(3_000, 1, 1.0), draw(2_000, 2, 1.0));
    let [linear, additive, auto] =
        [Shape::Linear, Shape::Additive, Shape::Auto].map(|shape| fit(&of(shape), &train));
    assert!(matches!(linear.predictor, Predictor::Conditional(_)));
    let Predictor::Curves(curves) = &auto.predictor else { panic!("{:?}", auto.predictor) };
    assert!([0, 1].iter().all(|column| curves.curves.iter().any(|c| c.column == *column)));
    assert_eq!(auto.predictor, additive.predictor);
    let (straight, bent) = (error(&linear, &test), error(&auto, &test));
    // The noise is 0.25.
    assert!(straight > 2.0 && bent < 0.25 * straight, "{straight} and {bent}");
    // Attributes that the target does not bend along have parts that hardly do.
    let part = |column| curves.part(column, &[-1.0, 0.0, 1.0]);
    let bend = |part: Vec<f64>| part[0] + part[2] - 2.0 * part[1];
    assert!(bend(part(0)) > 1.5 && (4..8).all(|column| bend(part(column)).abs() < 0.3));
    // It expects what it gets.
    let (risk, error) = (auto.report.risk.unwrap(), auto.report.risk_error.unwrap());
    assert!((risk - bent).abs() < 3.0 * error + 0.1 * bent, "{risk} +- {error}, {bent}");
}

#[test]
fn straight_lines_stay_straight() {
    for seed in 0..5 {
        let (train, test) = (draw(1_500, 10 + seed, 0.0), draw(2_000, 20 + seed, 0.0));
        let [linear, auto] = [Shape::Linear, Shape::Auto].map(|shape| fit(&of(shape), &train));
        let (straight, auto) = (error(&linear, &test), error(&auto, &test));
        assert!(auto < 1.03 * straight, "seed {seed}: {straight} and {auto}");
    }
}

#[test]
fn curves_of_holes_are_expected() {
    let row = |data: &Data| {
        let mut data = data.clone();
        let mut stream = Stream::new(3, Purpose::Query, 0);
        data.0.iter_mut().for_each(|v| {
            if stream.unit() < 0.3 {
                *v = f64::NAN;
            }
        });
        data
    };
    let (train, test) = (row(&draw(4_000, 5, 1.0)), row(&draw(2_000, 6, 1.0)));
    let learner = |shape| Fiml { passive: Passive::All, shape, ..Fiml::default() };
    let [linear, auto] = [Shape::Linear, Shape::Auto].map(|shape| fit(&learner(shape), &train));
    let (straight, bent) = (error(&linear, &test), error(&auto, &test));
    assert!(bent < 0.65 * straight, "{straight} and {bent}");
    let level = 0.9;
    let ends = on(&test, |examples| auto.predictor.intervals(examples, level).unwrap());
    let inside = ends.iter().zip(&test.1).filter(|((a, b), y)| a <= y && *y <= b).count();
    let share = inside as f64 / test.1.len() as f64;
    assert!((0.85..0.97).contains(&share), "{share}");
}

#[test]
fn columns_in_another_order_have_the_same_curves() {
    let train = draw(1_500, 7, 1.0);
    let learner = Fiml { passive: Passive::All, shape: Shape::Additive, ..Fiml::default() };
    let found = fit(&learner, &train);
    let (x, y) = &train;
    let backwards = x.select(ndarray::Axis(1), &[7, 6, 5, 4, 3, 2, 1, 0]);
    let turned = fit(&learner, &(backwards.clone(), y.clone()));
    let (Predictor::Curves(a), Predictor::Curves(b)) = (&found.predictor, &turned.predictor) else {
        panic!("curves")
    };
    let curve = |curves: &halfseen_core::model::Curves, column| {
        curves.curves.iter().find(|c| c.column == column).map(|c| c.heights.clone())
    };
    (0..8).for_each(|column| assert_eq!(curve(a, column), curve(b, 7 - column)));
    let line = |fit: &Fit, x: &Array2<f64>| {
        on(&(x.clone(), y.clone()), |examples| fit.predictor.scores(examples).unwrap().values)
    };
    let pairs = line(&found, x).into_iter().zip(line(&turned, &backwards));
    let apart = pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>() / y.len() as f64;
    assert!(apart < 0.01, "{apart}");
}

#[test]
fn standard_errors_come_with_curves_too() {
    let learner = Fiml { deviations: 10, ..of(Shape::Additive) };
    let found = fit(&learner, &draw(1_000, 8, 1.0));
    let Predictor::Curves(curves) = &found.predictor else { panic!("curves") };
    let width = curves.conditional.linear.weights.len();
    assert_eq!(curves.conditional.deviations.len(), 10 * width);
    assert!(width > 8 && curves.columns() == 8);
}

/// Rows with curves show more columns, and sums over fewer examples would be smaller.
#[test]
fn the_same_examples_judge_both_forms() {
    let mut stream = Stream::new(8, Purpose::Data, 0);
    let mut reads = Reads::new();
    for _ in 0..30_000 {
        let x: Vec<f64> = (0..24).map(|_| stream.normal()).collect();
        let y = x.iter().map(|v| v * v).sum::<f64>();
        reads.push((0..24).zip(x.iter().copied()), y);
    }
    let forms = Form::all(&reads, 24, 3, None, Shape::Auto);
    let strides: Vec<usize> = forms.iter().map(|form| form.menu.judging()).collect();
    let alone = Form::all(&reads, 24, 3, None, Shape::Linear)[0].menu.judging();
    assert_eq!(strides, [3, 3]);
    assert!(alone < 3, "{alone}");
}
