//! Compares expectations of missing cells with dense covariances, and intervals with data of known
//! truth.

use super::*;
use crate::data::{Label, Layout, Matrix, Scaler, Table, TargetScale, Task};
use crate::model::{Curve, Model, Predictor, Report, Stop};
use crate::prepare::{ColumnKind, ColumnSchema, Prepare, Schema};
use faer::Mat;
use faer::linalg::solvers::Solve;
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::sync::Arc;

pub(in crate::model) fn random(
    columns: usize,
    rank: usize,
    deviations: usize,
    seed: u64,
) -> Conditional {
    let mut stream = Stream::new(seed, Purpose::Data, (columns * 100 + rank) as u64);
    let mut numbers = |count: usize| -> Vec<f64> { (0..count).map(|_| stream.normal()).collect() };
    Conditional {
        linear: Linear {
            weights: numbers(columns),
            intercept: 0.7,
            fill: numbers(columns),
            clip: None,
        },
        rank,
        loadings: numbers(columns * rank),
        noise: numbers(columns).into_iter().map(|v| 0.2 + v.abs()).collect(),
        bounds: vec![],
        residual: 0.5,
        degrees: None,
        deviations: numbers(deviations * columns).into_iter().map(|v| 0.1 * v).collect(),
        link: None,
    }
}

/// Returns rows with each cell missing with probability `share`; the first is complete, the second
/// empty.
pub(in crate::model) fn rows(columns: usize, count: usize, share: f64) -> Matrix {
    let mut stream = Stream::new(5, Purpose::Data, columns as u64);
    Matrix::F64(Array2::from_shape_fn((count, columns), |(i, _)| {
        let (value, hidden) = (2.0 * stream.normal(), stream.unit() < share);
        if i == 1 || (i > 0 && hidden) { f64::NAN } else { value }
    }))
}

pub(in crate::model) fn on<T>(matrix: &Matrix, run: impl FnOnce(&Examples<'_>) -> T) -> T {
    let layout = Arc::new(Layout::singletons(matrix.columns()));
    run(&Examples::new(matrix, &Scaler::None {}, &layout, &[]))
}

pub(in crate::model) fn covariance(model: &Conditional) -> Mat<f64> {
    let d = model.noise.len();
    let dot =
        |i: usize, j: usize| model.row(i).iter().zip(model.row(j)).map(|(a, b)| a * b).sum::<f64>();
    Mat::from_fn(d, d, |i, j| dot(i, j) + if i == j { model.noise[i] } else { 0.0 })
}

/// Returns the completed row, m_o and v_o, by solving with S_oo.
fn twin(model: &Conditional, row: &[f64]) -> (Vec<f64>, f64, f64) {
    let (s, fill, weights) = (covariance(model), &model.linear.fill, &model.linear.weights);
    let seen: Vec<usize> = (0..row.len()).filter(|&j| !row[j].is_nan()).collect();
    let hidden: Vec<usize> = (0..row.len()).filter(|&j| row[j].is_nan()).collect();
    let oo = Mat::from_fn(seen.len(), seen.len(), |a, b| s[(seen[a], seen[b])]);
    let om = Mat::from_fn(seen.len(), hidden.len(), |a, b| s[(seen[a], hidden[b])]);
    let solved = if seen.is_empty() { om.clone() } else { oo.partial_piv_lu().solve(&om) };
    let mut filled = row.to_vec();
    let mut variance = 0.0;
    for (b, &j) in hidden.iter().enumerate() {
        filled[j] = fill[j]
            + (0..seen.len()).map(|a| solved[(a, b)] * (row[seen[a]] - fill[seen[a]])).sum::<f64>();
        for (c, &l) in hidden.iter().enumerate() {
            let explained: f64 = (0..seen.len()).map(|a| om[(a, c)] * solved[(a, b)]).sum();
            variance += weights[j] * weights[l] * (s[(j, l)] - explained);
        }
    }
    let mean = model.linear.intercept + filled.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
    (filled, mean, variance)
}

pub(in crate::model) fn close(a: f64, b: f64, within: f64) -> bool {
    (a - b).abs() <= within * (1.0 + b.abs())
}

#[test]
fn holes_are_conditioned_as_with_dense_covariances() {
    for (columns, rank, share) in
        [(7, 3, 0.4), (5, 1, 0.7), (4, 4, 0.5), (3, 0, 0.5), (30, 2, 0.9), (1, 1, 0.5)]
    {
        let mut model = random(columns, rank, 4, 3);
        let matrix = rows(columns, 40, share);
        let sums = on(&matrix, |examples| model.sums(examples).unwrap());
        let intervals = on(&matrix, |examples| model.intervals(examples, 0.9).unwrap());
        let scores = on(&matrix, |examples| model.scores(examples).unwrap());
        model.link = Some(Link { curve: Curve::Probit, centre: 0.2 });
        let linked = on(&matrix, |examples| model.scores(examples).unwrap());
        let mut row = vec![0.0; columns];
        for i in 0..40 {
            matrix.row_into(i, &mut row);
            let (filled, mean, variance) = twin(&model, &row);
            assert!(close(sums[i].0, mean, 1e-10), "{columns} {rank}: {} and {mean}", sums[i].0);
            assert!(
                close(sums[i].1, variance, 1e-10),
                "{columns} {rank}: {} and {variance}",
                sums[i].1
            );
            assert_eq!(scores.values[i], sums[i].0);
            let along = |v: &[f64]| {
                (0..columns).map(|j| v[j] * (filled[j] - model.linear.fill[j])).sum::<f64>()
            };
            let weights: f64 = model.deviations.chunks(columns).map(|v| along(v).powi(2)).sum();
            let half = 1.644_853_626_951_472_7 * (0.5 + weights + variance).sqrt();
            assert!(
                close(intervals[i].0, mean - half, 1e-10)
                    && close(intervals[i].1, mean + half, 1e-10)
            );
            let p = normal::below((mean + 0.2) / (1.0 + variance).sqrt());
            assert!(close(linked.values[i], 2.0 * p - 1.0 - 0.2, 1e-10));
        }
        assert_eq!(
            scores.values[0],
            model.linear.score(&{
                matrix.row_into(0, &mut row);
                row.clone()
            })
        );
        assert!(
            close(scores.values[1], model.linear.score(&model.linear.fill), 1e-14),
            "an empty row"
        );
        let predictor = Predictor::Conditional(Conditional { link: None, ..model.clone() });
        let other = Predictor::Linear(model.linear.clone());
        let together = on(&matrix, |examples| {
            Predictor::scores_of(&[&other, &predictor, &other], examples).unwrap()
        });
        assert_eq!(together[1], scores);
        assert_eq!(together[0], together[2]);
    }
}

#[test]
fn standard_errors_are_lengths_of_deviations() {
    let model = random(5, 2, 3, 1);
    let errors = model.standard_errors().unwrap();
    assert!((0..5).all(|j| {
        let square: f64 = (0..3).map(|b| model.deviations[b * 5 + j].powi(2)).sum();
        close(errors[j], square.sqrt(), 1e-15)
    }));
    assert_eq!(random(5, 2, 0, 1).standard_errors(), None);
}

#[test]
fn intervals_cover_as_often_as_they_say_with_any_holes() {
    let (columns, count) = (6, 20_000);
    let model = random(columns, 2, 0, 8);
    let mut stream = Stream::new(2, Purpose::Data, 0);
    let mut targets = Vec::with_capacity(count);
    let mut cells = Array2::zeros((count, columns));
    for i in 0..count {
        let z = [stream.normal(), stream.normal()];
        for j in 0..columns {
            let w = model.row(j);
            cells[(i, j)] = model.linear.fill[j]
                + w[0] * z[0]
                + w[1] * z[1]
                + model.noise[j].sqrt() * stream.normal();
        }
        let row: Vec<f64> = cells.row(i).to_vec();
        targets.push(model.linear.score(&row) + model.residual.sqrt() * stream.normal());
        (0..columns).filter(|_| stream.unit() < 0.6).for_each(|j| cells[(i, j)] = f64::NAN);
    }
    let matrix = Matrix::F64(cells);
    for level in [0.5, 0.8, 0.95] {
        let intervals = on(&matrix, |examples| model.intervals(examples, level).unwrap());
        let inside = intervals
            .iter()
            .zip(&targets)
            .filter(|((low, high), y)| low <= y && *y <= high)
            .count();
        let share = inside as f64 / count as f64;
        let error = (level * (1.0 - level) / count as f64).sqrt();
        assert!((share - level).abs() < 3.5 * error, "{level}: {share}");
    }
}

#[test]
fn a_cut_predictor_scores_as_the_whole_one_where_the_rest_is_missing() {
    let layout = Layout::singletons(7);
    for link in [
        None,
        Some(Link { curve: Curve::Probit, centre: -0.3 }),
        Some(Link { curve: Curve::Logistic, centre: 0.1 }),
    ] {
        for rank in [0, 2, 5] {
            let whole = Conditional { link, ..random(7, rank, 3, 6) };
            let matrix = rows(7, 30, 0.3);
            for attributes in [1, 3, 6, 7] {
                let cut = whole.truncated(attributes, &layout).unwrap();
                let stays: Vec<bool> = cut.linear.weights.iter().map(|w| *w != 0.0).collect();
                assert_eq!(stays.iter().filter(|s| **s).count(), attributes);
                let hidden = Matrix::F64(Array2::from_shape_fn((30, 7), |(i, j)| {
                    if stays[j] { matrix.get(i, j) } else { f64::NAN }
                }));
                let expected = on(&hidden, |examples| whole.scores(examples).unwrap());
                // Dropped attributes may be observed or missing.
                for matrix in [&matrix, &hidden] {
                    let scores = on(matrix, |examples| cut.scores(examples).unwrap());
                    for (a, b) in scores.values.iter().zip(&expected.values) {
                        assert!(close(*a, *b, 1e-10), "{link:?} {rank} {attributes}: {a} and {b}");
                    }
                }
                let mut kept = cut.clone();
                kept.keep(&stays);
                kept.validate(attributes).unwrap();
                let left: Vec<usize> = (0..7).filter(|&j| stays[j]).collect();
                let narrow = Matrix::F64(Array2::from_shape_fn((30, attributes), |(i, j)| {
                    matrix.get(i, left[j])
                }));
                let scores = on(&narrow, |examples| kept.scores(examples).unwrap());
                assert!(
                    scores.values.iter().zip(&expected.values).all(|(a, b)| close(*a, *b, 1e-10))
                );
                if link.is_none() {
                    let expected = on(&hidden, |examples| whole.intervals(examples, 0.8).unwrap());
                    let intervals = on(&narrow, |examples| kept.intervals(examples, 0.8).unwrap());
                    let same = |(a, b): (&(f64, f64), &(f64, f64))| {
                        close(a.0, b.0, 1e-10) && close(a.1, b.1, 1e-10)
                    };
                    assert!(intervals.iter().zip(&expected).all(same));
                }
            }
        }
    }
}

pub(in crate::model) fn model(predictor: Predictor, classes: Vec<Label>) -> Model {
    let columns = match &predictor {
        Predictor::Curves(curves) => curves.columns(),
        other => other.linear().unwrap().weights.len(),
    };
    let column = |j| ColumnSchema {
        name: format!("x{j}"),
        kind: ColumnKind::Number,
        known: false,
        date: None,
        knots: Vec::new(),
    };
    let schema = Schema {
        columns: (0..columns).map(column).collect(),
        groups: vec![],
        prices: [].into(),
        by_reads: false,
    };
    let scaler = Scaler::Each { offset: vec![1.0; columns], divisor: vec![2.0; columns] };
    let task = if classes.is_empty() { Task::Regression } else { Task::Classification };
    let deviation = if classes.is_empty() { 4.0 } else { 1.0 };
    Model {
        learner: "ridge".into(),
        params: serde_json::Map::new(),
        prepare: Prepare {
            schema,
            scaler,
            target: TargetScale { mean: 0.25, deviation },
            deviations: None,
        },
        target: "y".into(),
        task,
        classes,
        predictor,
        report: Report::full("ridge", Stop::ClosedForm, 10, columns),
    }
}

pub(in crate::model) fn table(columns: usize) -> Table {
    let names = (0..columns).map(|j| format!("x{j}")).collect();
    Table::from_matrix(rows(columns, 20, 0.4), names).unwrap()
}

#[test]
fn a_model_gives_intervals_in_the_targets_units_and_the_same_from_its_file() {
    let conditional = random(5, 2, 3, 9);
    let whole = model(Predictor::Conditional(conditional.clone()), vec![]);
    let text = whole.to_json().unwrap();
    assert!(text.contains("\"kind\": \"conditional\""), "{text}");
    let read = Model::read_json(&text).unwrap();
    assert_eq!(read, whole);
    let (intervals, prediction) =
        (read.intervals(&table(5), 0.8).unwrap(), read.predict(&table(5)).unwrap());
    let scaled = Matrix::F64(Array2::from_shape_fn((20, 5), |(i, j)| {
        (table(5).numbers().get(i, j) - 1.0) / 2.0
    }));
    let expected = on(&scaled, |examples| conditional.intervals(examples, 0.8).unwrap());
    for (i, (low, high)) in intervals.ends.iter().enumerate() {
        assert!(
            close(*low, 4.0 * expected[i].0 + 0.25, 1e-12)
                && close(*high, 4.0 * expected[i].1 + 0.25, 1e-12)
        );
        assert!(
            close(low + high, 2.0 * prediction.scores.values[i], 1e-12),
            "the middle is the prediction"
        );
    }
    assert_eq!(whole.truncated(2).unwrap().prepare.schema.width(), 2);
    let cut = whole.truncated(2).unwrap();
    assert_eq!(Model::read_json(&cut.to_json().unwrap()).unwrap(), cut);
    // A row without any of its columns is an empty row.
    assert_eq!(whole.raw_weights().unwrap().0.len(), 5);
    // One unit of the target is 4 raw ones, one of an attribute 2.
    let errors = conditional.standard_errors().unwrap();
    assert_eq!(
        whole.raw_standard_errors().unwrap(),
        errors.iter().map(|e| e * 4.0 / 2.0).collect::<Vec<_>>()
    );
    let without = Conditional { deviations: vec![], ..conditional };
    assert_eq!(model(Predictor::Conditional(without.clone()), vec![]).raw_standard_errors(), None);
    assert_eq!(model(Predictor::Linear(without.linear), vec![]).raw_standard_errors(), None);
}

#[test]
fn a_cell_beyond_the_bounds_counts_as_the_nearer_one() {
    let plain = random(4, 2, 3, 5);
    let bounds = vec![[-1.0, 0.5], [0.0, 0.0], [-0.1, 3.0], [-9.0, 9.0]];
    let bounded = Conditional { bounds: bounds.clone(), ..plain.clone() };
    bounded.validate(4).unwrap();
    let wild = rows(4, 40, 0.3);
    let tame = Matrix::F64(Array2::from_shape_fn((40, 4), |(i, j)| {
        wild.get(i, j).clamp(bounds[j][0], bounds[j][1])
    }));
    assert_eq!(
        on(&wild, |examples| bounded.scores(examples).unwrap()),
        on(&tame, |examples| plain.scores(examples).unwrap())
    );
    assert_eq!(
        on(&wild, |examples| bounded.intervals(examples, 0.9).unwrap()),
        on(&tame, |examples| plain.intervals(examples, 0.9).unwrap())
    );
    // Truncated models keep the bounds of the columns that stay.
    let mut cut = bounded.truncated(2, &Layout::singletons(4)).unwrap();
    let stays: Vec<bool> = cut.linear.weights.iter().map(|w| *w != 0.0).collect();
    cut.keep(&stays);
    let left = (0..4).filter(|&j| stays[j]).map(|j| bounds[j]);
    assert_eq!(cut.bounds, left.collect::<Vec<_>>());
}

#[test]
fn intervals_are_refused_where_there_are_none() {
    let conditional = random(3, 1, 0, 2);
    let refused = |model: &Model, level: f64| model.intervals(&table(3), level).unwrap_err();
    let numbers = model(Predictor::Conditional(conditional.clone()), vec![]);
    for level in [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(refused(&numbers, level).kind(), ErrorKind::OutOfRange { name: "level", .. }),
            "{level}"
        );
    }
    let linear = model(Predictor::Linear(conditional.linear.clone()), vec![]);
    assert!(matches!(refused(&linear, 0.9).kind(), ErrorKind::Request(_)));
    let linked =
        Conditional { link: Some(Link { curve: Curve::Logistic, centre: 0.25 }), ..conditional };
    on(&rows(3, 4, 0.1), |examples| {
        assert!(matches!(
            linked.intervals(examples, 0.9).unwrap_err().kind(),
            ErrorKind::Request(_)
        ));
    });
    let classes = ["a", "b"].map(|name| Label::Text(name.into())).to_vec();
    let two = model(Predictor::Conditional(linked), classes);
    assert!(matches!(refused(&two, 0.9).kind(), ErrorKind::Request(_)));
    assert_eq!(Model::read_json(&two.to_json().unwrap()).unwrap(), two);
    // The class is the sign of the linear predictor, in units of the target.
    let table =
        Table::from_matrix(rows(3, 20, 0.0), (0..3).map(|j| format!("x{j}")).collect()).unwrap();
    let scores = two.predict(&table).unwrap().scores;
    let (weights, intercept) = two.raw_weights().unwrap();
    for i in (0..20).filter(|i| *i != 1) {
        let sum: f64 =
            (0..3).map(|j| weights[j].1 * table.numbers().get(i, j)).sum::<f64>() + intercept;
        assert!(scores.values[i].abs() <= 1.0);
        assert_eq!(sum > 0.0, scores.class(i) == 1, "{sum} and {}", scores.values[i]);
    }
}

#[test]
fn damaged_files_are_refused_by_key() {
    type Change = fn(&mut Conditional);
    let changes: [(&str, Change); 22] = [
        ("linear.weights", |c| c.linear.weights.truncate(2)),
        ("linear.fill", |c| c.linear.fill[1] = f64::NAN),
        ("linear.intercept", |c| c.linear.intercept = f64::INFINITY),
        ("loadings", |c| c.loadings.truncate(3)),
        ("loadings", |c| c.loadings[0] = f64::NAN),
        ("loadings", |c| c.rank = usize::MAX),
        ("noise", |c| c.noise.push(1.0)),
        ("noise", |c| c.noise[0] = -1.0),
        ("noise", |c| c.noise[0] = 0.0),
        ("noise", |c| c.noise[0] = 1e-320),
        ("noise", |c| c.noise[0] = f64::INFINITY),
        ("bounds", |c| c.bounds = vec![[0.0, 1.0]; 3]),
        ("bounds", |c| c.bounds = vec![[1.0, 0.5]; 4]),
        ("bounds", |c| c.bounds = vec![[f64::NAN, 0.5]; 4]),
        ("bounds", |c| c.bounds = vec![[0.0, f64::INFINITY]; 4]),
        ("residual", |c| c.residual = -1e-9),
        ("residual", |c| c.residual = f64::NAN),
        ("residual", |c| c.residual = f64::INFINITY),
        ("deviations", |c| c.deviations.truncate(5)),
        ("deviations", |c| c.deviations[0] = f64::NEG_INFINITY),
        ("link.centre", |c| c.link = Some(Link { curve: Curve::Probit, centre: f64::NAN })),
        ("rank", |c| {
            c.rank = 5;
            c.loadings = vec![0.0; 20];
        }),
    ];
    for (key, change) in changes {
        let mut bad = random(4, 2, 3, 1);
        change(&mut bad);
        let error = bad.validate(4).unwrap_err();
        let expected = format!("predictor.{key}");
        assert!(
            matches!(error.kind(), ErrorKind::BadFile { key, .. } if *key == expected),
            "{expected}: {error}"
        );
    }
    let text = model(Predictor::Conditional(random(3, 1, 2, 1)), vec![]).to_json().unwrap();
    for (from, to) in
        [("\"rank\"", "\"ranks\""), ("\"link\": null", "\"link\": 3"), ("\"residual\"", "\"rest\"")]
    {
        assert!(Model::read_json(&text.replace(from, to)).is_err(), "{from}");
    }
    let huge = Matrix::F64(Array2::from_elem((1, 4), 1e308));
    let error = on(&huge, |examples| {
        Conditional {
            linear: Linear { weights: vec![9.0; 4], ..random(4, 2, 0, 1).linear },
            ..random(4, 2, 0, 1)
        }
        .scores(examples)
        .unwrap_err()
    });
    assert!(matches!(error.kind(), ErrorKind::Diverged { .. }));
}
