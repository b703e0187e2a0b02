//! Tries the learner on data of known truth: correlated attributes, its own test, intervals,
//! missingness that depends on observed values.

use super::Fiml;
use halfseen_core::data::{Examples, Layout, Matrix, Scaler};
use halfseen_core::learner::Learner;
use halfseen_core::model::{Conditional, Fit, Note, Predictor};
use halfseen_core::params::{Passive, Shape};
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream, subset};
use ndarray::Array2;
use std::sync::Arc;

type Data = (Array2<f64>, Vec<f64>);

fn draw(
    rows: usize,
    columns: usize,
    seed: u64,
    mut row: impl FnMut(&mut Stream, &mut [f64]) -> f64,
) -> Data {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let mut x = Array2::zeros((rows, columns));
    let mut cells = vec![0.0; columns];
    let mut y = Vec::new();
    for mut to in x.rows_mut() {
        y.push(row(&mut stream, &mut cells));
        to.iter_mut().zip(&cells).for_each(|(to, v)| *to = *v);
    }
    (x, y)
}

fn fit(learner: &Fiml, data: &Data) -> Fit {
    on(data, |examples| learner.fit(examples, &Silent).unwrap())
}

fn on<T>((x, y): &Data, of: impl FnOnce(&Examples<'_>) -> T) -> T {
    let (matrix, layout) = (Matrix::F64(x.clone()), Arc::new(Layout::singletons(x.ncols())));
    of(&Examples::new(&matrix, &Scaler::None {}, &layout, y))
}

fn reading(budget: u64, seed: u64) -> Fiml {
    Fiml { budget: Some(budget), seed, ..Fiml::default() }
}

fn conditional(fit: &Fit) -> &Conditional {
    match &fit.predictor {
        Predictor::Conditional(found) => found,
        other => panic!("{other:?}"),
    }
}

/// Returns the mean squared error of the predictions.
fn error(fit: &Fit, data: &Data) -> f64 {
    let scores = on(data, |examples| fit.predictor.scores(examples).unwrap());
    let square = |(s, y): (&f64, &f64)| (s - y).powi(2);
    scores.values.iter().zip(&data.1).map(square).sum::<f64>() / data.1.len() as f64
}

fn variance(y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / y.len() as f64
}

/// Draws six attributes, two with correlation rho; the target has their difference in units of its
/// standard deviation.
fn collinear(rho: f64, rows: usize, seed: u64) -> Data {
    let deviation = (2.0 * (1.0 - rho)).sqrt();
    draw(rows, 6, seed, |stream, x| {
        x.iter_mut().for_each(|v| *v = stream.normal());
        x[1] = rho * x[0] + (1.0 - rho * rho).sqrt() * x[1];
        (x[0] - x[1]) / deviation + 0.5 * x[2] + 0.3 * stream.normal()
    })
}

#[test]
fn weights_of_correlated_attributes_do_not_explode() {
    let small = [0.97, 0.98, 0.99, 0.995, 0.999]
        .into_iter()
        .flat_map(|rho| (0..3).map(move |seed| (rho, 2_000, seed)));
    for (rho, rows, seed) in
        small.chain([(0.97, 20_000, 0), (0.995, 20_000, 0), (0.999, 20_000, 1)])
    {
        let (train, test) = (collinear(rho, rows, seed), collinear(rho, 4_000, 100 + seed));
        let truth = |x: ndarray::ArrayView1<'_, f64>| {
            (x[0] - x[1]) / (2.0 * (1.0 - rho)).sqrt() + 0.5 * x[2]
        };
        let best = test
            .0
            .rows()
            .into_iter()
            .zip(&test.1)
            .map(|(x, y)| (y - truth(x)).powi(2))
            .sum::<f64>()
            / 4_000.0;
        for budget in [3, 6] {
            let found = fit(&reading(budget, seed), &train);
            let (error, variance) = (error(&found, &test), variance(&test.1));
            assert!(
                error < best + 0.03 * variance,
                "rho {rho}, {rows} rows, budget {budget}: {error}, best {best}"
            );
        }
    }
}

/// Draws attributes of r common causes, or independent ones for r = 0.
fn caused(columns: usize, r: usize, rows: usize, seed: u64) -> Data {
    let mut truth = Stream::new(seed, Purpose::Factor, 9);
    let loadings: Vec<f64> = (0..columns * r).map(|_| truth.normal()).collect();
    let weights: Vec<f64> = (0..columns.max(r)).map(|_| truth.normal()).collect();
    let length = weights[..columns].iter().map(|w| w * w).sum::<f64>().sqrt();
    draw(rows, columns, seed + 1_000, |stream, x| {
        let z: Vec<f64> = (0..r).map(|_| stream.normal()).collect();
        for (j, v) in x.iter_mut().enumerate() {
            *v =
                stream.normal() + z.iter().zip(&loadings[j * r..]).map(|(z, l)| z * l).sum::<f64>();
        }
        let signal: f64 = match r {
            0 => x.iter().zip(&weights).map(|(x, w)| x * w / length).sum(),
            _ => z.iter().zip(&weights).map(|(z, w)| 0.6 * z * w).sum(),
        };
        signal + 0.5 * stream.normal()
    })
}

#[test]
fn its_own_test_is_within_two_standard_errors_of_the_truth_nine_times_of_ten() {
    let kinds = [
        (20, 0, 3, 5_000),
        (20, 0, 2, 1_000),
        (50, 3, 4, 1_000),
        (50, 3, 2, 2_000),
        (8, 1, 3, 600),
    ];
    let (mut near, mut all, mut errors) = (0, 0, 0.0);
    for (columns, r, budget, rows) in kinds {
        for seed in 0..6 {
            let (x, y) = caused(columns, r, rows + 4_000, seed);
            let part = |from: usize, to: usize| {
                (
                    Array2::from_shape_fn((to - from, columns), |(i, j)| x[(from + i, j)]),
                    y[from..to].to_vec(),
                )
            };
            let found = fit(&reading(budget, seed), &part(0, rows));
            let truth = error(&found, &part(rows, rows + 4_000));
            let (risk, deviation) = (found.report.risk.unwrap(), found.report.risk_error.unwrap());
            all += 1;
            errors += deviation / truth;
            near += usize::from((risk - truth).abs() <= 2.0 * deviation);
        }
    }
    assert!(10 * near >= 9 * all, "{near} of {all}");
    // The test is not passed by large standard errors.
    assert!(
        errors / f64::from(all as u32) < 0.3,
        "standard errors are {} of the truth",
        errors / all as f64
    );
}

/// Returns the coverage of intervals of 90 %, of complete rows and of rows that show two
/// attributes, over draws of `rows` rows of which `budget` attributes are read.
fn coverage(rho: f64, rows: usize, budget: u64, draws: u64) -> [f64; 2] {
    let (mut inside, mut count) = ([0.0; 2], 0.0);
    for seed in 0..draws {
        let row = |stream: &mut Stream, x: &mut [f64]| {
            let z = stream.normal();
            x.iter_mut().for_each(|v| *v = rho.sqrt() * z + (1.0 - rho).sqrt() * stream.normal());
            x[0] + 0.5 * x[1] + stream.normal()
        };
        let (train, whole) = (draw(rows, 5, seed, row), draw(60, 5, 10_000 + seed, row));
        let mut holes = whole.clone();
        let mut shown = Vec::new();
        for (i, mut row) in holes.0.rows_mut().into_iter().enumerate() {
            subset(&mut Stream::new(seed, Purpose::Query, i as u64), 5, 2, &mut shown);
            (0..5).filter(|j| !shown.contains(&(*j as u32))).for_each(|j| row[j] = f64::NAN);
        }
        let found = fit(&reading(budget, seed), &train);
        for (inside, data) in inside.iter_mut().zip([&whole, &holes]) {
            let ends = on(data, |examples| found.predictor.intervals(examples, 0.9).unwrap());
            *inside +=
                ends.iter().zip(&data.1).filter(|((low, high), y)| low <= *y && *y <= high).count()
                    as f64;
        }
        count += 60.0;
    }
    inside.map(|n| n / count)
}

#[test]
fn intervals_hold_the_target_as_often_as_they_say_from_three_examples_on() {
    for rho in [0.0, 0.9] {
        for (rows, budget) in
            [(3, 5), (5, 5), (9, 5), (12, 5), (30, 5), (30, 3), (100, 3), (600, 3)]
        {
            let least = if rows < 30 { 0.85 } else { 0.86 };
            for found in coverage(rho, rows, budget, 200) {
                assert!(
                    (least..0.945).contains(&found),
                    "rho {rho}, {rows} rows, budget {budget}: {found}"
                );
            }
        }
    }
}

#[test]
fn standard_errors_are_how_much_weights_vary_over_draws() {
    let (draws, columns) = (40, 5);
    let (mut weights, mut squares) = (Vec::new(), 0.0);
    for seed in 0..draws {
        let data = draw(600, columns, 50 + seed, |stream, x| {
            let z = stream.normal();
            x.iter_mut().for_each(|v| *v = 0.7 * z + 0.7 * stream.normal());
            x[0] + 0.5 * x[1] + stream.normal()
        });
        let found = fit(&Fiml { deviations: 20, shape: Shape::Linear, ..reading(3, seed) }, &data);
        weights.push(found.linear().unwrap().weights.clone());
        let errors = conditional(&found).standard_errors().unwrap();
        squares += errors.iter().map(|e| e * e).sum::<f64>() / (draws as f64 * columns as f64);
    }
    let spread: f64 =
        (0..columns).map(|j| variance(&weights.iter().map(|w| w[j]).collect::<Vec<_>>())).sum();
    let ratio = (squares / (spread / columns as f64)).sqrt();
    assert!(
        (0.75..1.33).contains(&ratio),
        "standard errors are {ratio} of the standard deviation over draws"
    );
}

#[test]
fn means_are_right_where_holes_depend_on_what_is_seen() {
    let row = |stream: &mut Stream, x: &mut [f64]| {
        x[0] = stream.normal();
        (1..6).for_each(|j| x[j] = 0.8 * x[0] + 0.6 * stream.normal());
        x[1..].iter().sum::<f64>() + 0.5 * stream.normal()
    };
    let (mut train, whole) = (draw(20_000, 6, 1, row), draw(4_000, 6, 2, row));
    let mut stream = Stream::new(3, Purpose::Data, 0);
    for mut row in train.0.rows_mut() {
        (1..6)
            .filter(|_| row[0] > 0.0 && stream.unit() < 0.9)
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|j| row[j] = f64::NAN);
    }
    let found =
        fit(&Fiml { passive: Passive::All, shape: Shape::Linear, ..Fiml::default() }, &train);
    assert!(error(&found, &whole) < 0.28, "complete rows: {}", error(&found, &whole));
    let mut first = whole.clone();
    first.0.indexed_iter_mut().filter(|((_, j), _)| *j > 0).for_each(|(_, v)| *v = f64::NAN);
    let scores = on(&first, |examples| conditional(&found).sums(examples).unwrap());
    let mean = scores.iter().zip(&first.1).map(|((s, _), y)| s - y).sum::<f64>() / 4_000.0;
    // The best squared error is 2.05; with means of the observed values it was 11.4, and the mean
    // error -2.63.
    assert!(mean.abs() < 0.2 && error(&found, &first) < 2.3, "{mean}, {}", error(&found, &first));
}

#[test]
fn one_attribute_alone_has_the_slope_of_least_squares() {
    let data = draw(3_000, 1, 4, |stream, x| {
        x[0] = stream.normal();
        x[0] + 0.1 * stream.normal()
    });
    let slope = fit(&reading(1, 0), &data).linear().unwrap().weights[0];
    assert!((slope - 1.0).abs() < 0.01, "{slope}");
}

#[test]
fn what_its_own_test_does_not_show_to_be_better_than_the_mean_is_the_mean() {
    for (rows, columns) in [(5, 3), (40, 30), (150, 300)] {
        let row = |stream: &mut Stream, x: &mut [f64]| {
            x.iter_mut().for_each(|v| *v = stream.normal());
            stream.normal()
        };
        let (train, test) = (draw(rows, columns, 5, row), draw(1_000, columns, 6, row));
        let found = fit(&reading(3, 0), &train);
        let mean = train.1.iter().sum::<f64>() / rows as f64;
        let constant = test.1.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 1_000.0;
        assert!(
            error(&found, &test) <= constant + 1e-12,
            "{rows} rows: {} and {constant}",
            error(&found, &test)
        );
        let said =
            |note: &Note| matches!(note, Note::NotShownBetter { .. } | Note::FewExamples { .. });
        assert!(found.report.notes.iter().any(said), "{:?}", found.report.notes);
    }
}

#[test]
fn predictions_stay_in_the_range_of_the_targets_and_weights_do_not_know() {
    let data = draw(2_000, 3, 7, |stream, x| {
        x.iter_mut().for_each(|v| *v = stream.normal());
        x[0] + x[1] + 0.1 * stream.normal()
    });
    let found = fit(&reading(2, 0), &data);
    let largest = data.1.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let far = (Array2::from_elem((1, 3), 1e3), vec![0.0]);
    let score = |fit: &Fit| on(&far, |examples| fit.predictor.scores(examples).unwrap()).values[0];
    assert_eq!(score(&found), largest);
    let mut free = found.clone();
    let Predictor::Conditional(of) = &mut free.predictor else { panic!("a conditional predictor") };
    of.linear.clip = None;
    // The attributes count as the ends of their bounds.
    assert!(score(&free) > largest && score(&free) < 3.0 * largest);
    assert_eq!(free.linear().unwrap().weights, found.linear().unwrap().weights);
}
