//! Compares curves with a conditional model of rows that are expanded by hand.

use super::*;
use crate::data::{Layout, Matrix};
use crate::error::ErrorKind;
use crate::model::conditional::tests::{close, covariance, model, on, random, rows};
use crate::model::{Model, Predictor};
use ndarray::Array2;

/// Returns a model of four columns with curves of the first and the third.
pub(in crate::model) fn bent(deviations: usize) -> Curves {
    let curve = |column, knots: &[f64], heights: &[f64]| AttributeCurve {
        column,
        knots: knots.to_vec(),
        heights: heights.to_vec(),
    };
    let curves = vec![
        curve(0, &[-1.0, 0.0, 2.0], &[1.0, -1.0, 0.5]),
        curve(2, &[-0.5, -0.25, 0.0, 1.5], &[0.0, 2.0, -1.0, -1.5]),
    ];
    Curves { curves, conditional: random(6, 2, deviations, 4) }
}

/// Returns rows with the heights of the curves behind their cells.
fn expanded(curves: &Curves, rows: &Matrix) -> Matrix {
    let columns = curves.columns();
    Matrix::F64(Array2::from_shape_fn((rows.rows(), columns + 2), |(i, j)| {
        match j.checked_sub(columns) {
            None => rows.get(i, j),
            Some(at) => {
                let column = curves.curves[at].column;
                curves.curves[at].at(curves.conditional.bounded(column, rows.get(i, column)))
            }
        }
    }))
}

#[test]
fn a_curve_is_linear_between_knots_and_constant_beyond() {
    let curve = &bent(0).curves[0];
    for (x, height) in [
        (f64::NEG_INFINITY, 1.0),
        (-3.0, 1.0),
        (-1.0, 1.0),
        (-0.75, 0.5),
        (0.0, -1.0),
        (1.0, -0.25),
        (2.0, 0.5),
        (1e300, 0.5),
    ] {
        assert_eq!(curve.at(x), height, "{x}");
    }
    assert!(curve.at(f64::NAN).is_nan());
    let single = AttributeCurve { column: 0, knots: vec![1.0], heights: vec![7.0] };
    assert_eq!([0.0, 1.0, 2.0].map(|x| single.at(x)), [7.0; 3]);
}

#[test]
fn predictions_are_those_of_rows_expanded_by_hand() {
    for share in [0.0, 0.4] {
        let mut curves = bent(3);
        let rows = rows(4, 50, share);
        for bounds in [vec![], vec![[-0.8, 1.2]; 6]] {
            curves.conditional.bounds = bounds;
            curves.validate(4).unwrap();
            let (conditional, by_hand) = (&curves.conditional, expanded(&curves, &rows));
            assert_eq!(
                on(&rows, |examples| curves.scores(examples).unwrap()),
                on(&by_hand, |examples| conditional.scores(examples).unwrap())
            );
            assert_eq!(
                on(&rows, |examples| curves.intervals(examples, 0.8).unwrap()),
                on(&by_hand, |examples| conditional.intervals(examples, 0.8).unwrap())
            );
        }
    }
}

#[test]
fn parts_add_up_to_the_prediction() {
    let curves = bent(3);
    let Conditional { linear, deviations, .. } = &curves.conditional;
    let matrix = Matrix::F64(Array2::from_shape_fn((30, 4), |(i, j)| {
        ((i * 7 + j * 5) % 11) as f64 / 3.0 - 1.5
    }));
    let scores = on(&matrix, |examples| curves.scores(examples).unwrap());
    let parts = |i: usize| [0, 1, 2, 3].map(|j| (j, matrix.get(i, j)));
    for i in 0..30 {
        let sum: f64 = parts(i).map(|(j, x)| curves.part(j, &[x])[0]).iter().sum();
        assert!(close(scores.values[i], linear.score(&linear.fill) + sum, 1e-12));
        for (j, x) in parts(i) {
            let height = |at: usize| curves.curves[at].at(x) - linear.fill[4 + at];
            let one = |v: &[f64]| {
                let line = v[j] * (x - linear.fill[j]);
                line + [Some(0), None, Some(1), None][j].map_or(0.0, |at| v[4 + at] * height(at))
            };
            let square: f64 = deviations.chunks(6).map(|v| one(v).powi(2)).sum();
            assert!(close(curves.part_errors(j, &[x]).unwrap()[0], square.sqrt(), 1e-12));
        }
    }
    assert_eq!(bent(0).part_errors(0, &[1.0]), None);
    let (s, w) = (covariance(&curves.conditional), &linear.weights);
    let variance =
        w[2] * w[2] * s[(2, 2)] + w[5] * w[5] * s[(5, 5)] + 2.0 * w[2] * w[5] * s[(2, 5)];
    assert!(close(curves.part_deviation(2), variance.sqrt(), 1e-12));
    assert!(close(curves.part_deviation(1), w[1].abs() * s[(1, 1)].sqrt(), 1e-12));
    // Cells count as the nearer bound.
    let mut bounded = curves.clone();
    bounded.conditional.bounds = vec![[-0.5, 0.75]; 6];
    bounded.conditional.bounds[4] = [-9.0, 9.0];
    assert_eq!(bounded.part(0, &[-4.0, 4.0]), curves.part(0, &[-0.5, 0.75]));
}

#[test]
fn the_line_counts_curves_as_their_means() {
    let curves = bent(0);
    let (line, linear) = (curves.line(), &curves.conditional.linear);
    let row = [0.3, -1.0, 2.0, 0.1];
    let all = [row.to_vec(), linear.fill[4..].to_vec()].concat();
    assert!(close(line.score(&row), linear.score(&all), 1e-12));
    assert_eq!((line.weights.len(), line.fill.len()), (4, 4));
}

#[test]
fn a_model_with_curves_is_no_linear_one() {
    let predictor = Predictor::Curves(bent(0));
    assert!(predictor.linear().unwrap_err().to_string().contains("has curves"));
    assert!(predictor.additive().unwrap_err().to_string().contains("additive model"));
    let layout = Layout::singletons(4);
    assert!(predictor.truncated(2, &layout).unwrap_err().to_string().contains("has curves"));
    let refused = model(predictor, vec![]).truncated(2).unwrap_err();
    assert!(refused.to_string().contains("has curves"));
    assert!(refused.to_string().contains("shape=linear"));
}

#[test]
fn files_hold_curves_and_damaged_ones_are_refused_by_key() {
    let whole = model(Predictor::Curves(bent(2)), vec![]);
    let text = whole.to_json().unwrap();
    assert!(text.contains("\"kind\": \"curves\""), "{text}");
    assert_eq!(Model::read_json(&text).unwrap(), whole);
    assert!(Model::read_json(&text.replace("\"knots\"", "\"nots\"")).is_err());
    type Change = fn(&mut Curves);
    let changes: [(&str, Change); 13] = [
        ("curves[1].column", |c| c.curves[1].column = 4),
        ("curves[1].column", |c| c.curves[1].column = 0),
        ("curves[0].column", |c| c.curves[0].column = usize::MAX),
        ("curves[0].heights", |c| c.curves[0].heights.truncate(2)),
        ("curves[0].heights", |c| (c.curves[0].knots, c.curves[0].heights) = (vec![], vec![])),
        ("curves[1]", |c| c.curves[1].heights[0] = f64::NAN),
        ("curves[1]", |c| c.curves[1].knots[3] = f64::INFINITY),
        ("curves[0].knots", |c| c.curves[0].knots[1] = -1.0),
        ("conditional.linear.weights", |c| c.conditional.linear.weights.truncate(4)),
        ("conditional.linear.weights", |c| c.curves.truncate(1)),
        ("conditional.bounds", |c| c.conditional.bounds = vec![[0.0, 1.0]; 4]),
        ("conditional.noise", |c| c.conditional.noise[5] = 0.0),
        ("conditional.deviations", |c| c.conditional.deviations.truncate(8)),
    ];
    for (key, change) in changes {
        let mut bad = bent(2);
        change(&mut bad);
        let error = bad.validate(4).unwrap_err();
        let expected = format!("predictor.{key}");
        assert!(
            matches!(error.kind(), ErrorKind::BadFile { key, .. } if *key == expected),
            "{expected}: {error}"
        );
    }
}
