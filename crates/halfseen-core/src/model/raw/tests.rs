//! Compares weights, curves and parts in raw units with predictions.

use crate::model::conditional::tests::{close, model, table};
use crate::model::curves::tests::bent;
use crate::model::{Model, Predictor, interpolate};

/// Returns a model whose attributes are 1 + 2 x, and whose target is 0.25 + 4 y.
fn whole(deviations: usize) -> Model {
    model(Predictor::Curves(bent(deviations)), vec![])
}

#[test]
fn weights_and_curves_give_predictions_in_raw_units() {
    let (model, table) = (whole(0), table(4));
    let (weights, intercept) = model.raw_weights().unwrap();
    let names: Vec<&str> = weights.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["x0", "x1", "x2", "x3", "curve of x0", "curve of x2"]);
    let curves = model.raw_curves();
    assert_eq!(curves[0].knots, [-1.0, 1.0, 5.0]);
    assert_eq!((curves[1].column, curves[1].name.as_str()), (2, "x2"));
    let predicted = model.predict(&table).unwrap().scores.values;
    let mut complete = 0;
    for (i, predicted) in predicted.iter().enumerate() {
        let row: Vec<f64> = (0..4).map(|j| table.numbers().get(i, j)).collect();
        if row.iter().any(|x| x.is_nan()) {
            continue;
        }
        let line: f64 = row.iter().zip(&weights).map(|(x, (_, w))| w * x).sum();
        let bent = curves.iter().zip(&weights[4..]);
        let bent = bent.map(|(c, (_, v))| v * interpolate(&c.knots, &c.heights, row[c.column]));
        assert!(close(*predicted, intercept + line + bent.sum::<f64>(), 1e-12));
        complete += 1;
    }
    assert!(complete > 0);
}

#[test]
fn errors_and_deviations_are_in_the_units_of_weights() {
    let (model, curves) = (whole(3), bent(3));
    // One unit of the target is 4 raw ones, one of an attribute 2; curves have none.
    let errors = curves.conditional.standard_errors().unwrap();
    let expected = |at: usize| errors[at] * if at < 4 { 4.0 / 2.0 } else { 4.0 };
    let in_units = model.raw_standard_errors().unwrap();
    assert!(in_units.len() == 6 && (0..6).all(|at| close(in_units[at], expected(at), 1e-14)));
    assert_eq!(whole(0).raw_standard_errors(), None);
    let deviations = model.raw_deviations().unwrap();
    let of = |at: usize| {
        let shared: f64 = curves.conditional.loadings[2 * at..][..2].iter().map(|w| w * w).sum();
        (shared + curves.conditional.noise[at]).sqrt() * if at < 4 { 2.0 } else { 1.0 }
    };
    assert!(deviations.len() == 6 && (0..6).all(|at| close(deviations[at], of(at), 1e-14)));
    // Those of the table are of its columns alone.
    let mut known = model.clone();
    known.prepare.deviations = Some(vec![1.0, 2.0, 3.0, 4.0]);
    let both = known.raw_deviations().unwrap();
    assert_eq!(both[..4], [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(both[4..], deviations[4..]);
}

#[test]
fn parts_and_bounds_are_in_raw_units() {
    let (mut model, mut curves) = (whole(3), bent(3));
    assert_eq!(model.raw_bounds(), None);
    curves.conditional.bounds = vec![[-0.5, 0.75]; 6];
    model.predictor = Predictor::Curves(curves.clone());
    assert_eq!(model.raw_bounds().unwrap(), [[0.0, 2.5]; 4]);
    let (parts, scaled) = (model.raw_part(2, &[0.0, 1.5, 9.0]).unwrap(), [-0.5, 0.25, 4.0]);
    let (expected, errors) = (curves.part(2, &scaled), curves.part_errors(2, &scaled).unwrap());
    for (at, (part, error)) in parts.iter().enumerate() {
        assert!(close(*part, 4.0 * expected[at], 1e-12));
        assert!(close(error.unwrap(), 4.0 * errors[at], 1e-12));
    }
    assert_eq!(whole(0).raw_part(0, &[1.0]).unwrap()[0].1, None);
    let plain = Predictor::Conditional(curves.conditional);
    assert_eq!(self::model(plain, vec![]).raw_part(0, &[1.0]), None);
}
