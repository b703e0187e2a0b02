//! Tests fitted probabilities against the classes of data of known truth.

use super::*;
use crate::estimate::{Estimate, Remarks};
use crate::small_cholesky::dot;
use halfseen_core::data::{Examples, Layout, Matrix, Scaler};
use halfseen_core::model::Linear;
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::sync::Arc;

const COLUMNS: usize = 20;

/// Draws a factor model and a linear predictor of mean 0 and standard deviation 1.
fn truth(columns: usize, rank: usize, seed: u64) -> Estimate {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let mut numbers = |count: usize| -> Vec<f64> { (0..count).map(|_| stream.normal()).collect() };
    let loadings: Vec<f64> = numbers(columns * rank).into_iter().map(|v| 0.5 * v).collect();
    let mut weights = numbers(columns);
    let noise: Vec<f64> = numbers(columns).into_iter().map(|v| 0.2 + v.abs()).collect();
    let along = |p: usize| (0..columns).map(|j| weights[j] * loadings[j * rank + p]).sum::<f64>();
    let square = (0..rank).map(|p| along(p).powi(2)).sum::<f64>()
        + (0..columns).map(|j| weights[j].powi(2) * noise[j]).sum::<f64>();
    weights.iter_mut().for_each(|w| *w /= square.sqrt());
    Estimate {
        bounds: Vec::new(),
        curves: Vec::new(),
        weights,
        means: numbers(columns),
        centre: 0.0,
        rank,
        loadings,
        noise,
        residual: 0.1,
        degrees: f64::INFINITY,
        risk: None,
        deviations: Vec::new(),
        held_out: Vec::new(),
        passes: 0,
        pilot: 0.0,
        remarks: Remarks::default(),
    }
}

fn conditional(estimate: &Estimate) -> Conditional {
    let shift: f64 = dot(&estimate.weights, &estimate.means);
    let (weights, fill) = (estimate.weights.clone(), estimate.means.clone());
    let linear = Linear { weights, intercept: estimate.centre - shift, fill, clip: None };
    Conditional {
        bounds: Vec::new(),
        linear,
        rank: estimate.rank,
        loadings: estimate.loadings.clone(),
        noise: estimate.noise.clone(),
        residual: estimate.residual,
        degrees: None,
        deviations: Vec::new(),
        link: None,
    }
}

/// Draws whole rows of the truth, and classes by the curve of a + b s.
fn draw(
    truth: &Estimate,
    count: usize,
    (curve, a, b): (Curve, f64, f64),
    seed: u64,
) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, 1);
    let (d, r) = (truth.weights.len(), truth.rank);
    let mut cells = Array2::zeros((count, d));
    let mut signs = Vec::new();
    for i in 0..count {
        let z: Vec<f64> = (0..r).map(|_| stream.normal()).collect();
        let mut s = truth.centre;
        for j in 0..d {
            let centred = dot(&truth.loadings[j * r..(j + 1) * r], &z)
                + truth.noise[j].sqrt() * stream.normal();
            cells[(i, j)] = truth.means[j] + centred;
            s += truth.weights[j] * centred;
        }
        signs.push(if stream.unit() < curve.probability(a + b * s) { 1.0 } else { -1.0 });
    }
    (cells, signs)
}

/// Hides all but about k cells of each row.
fn hide(cells: &mut Array2<f64>, k: f64, seed: u64) {
    let mut stream = Stream::new(seed, Purpose::Hide, 0);
    let share = k / cells.ncols() as f64;
    cells.iter_mut().filter(|_| stream.unit() >= share).for_each(|v| *v = f64::NAN);
}

/// Returns the true linear predictor of each row given about k of its cells.
fn pairs(cells: &mut Array2<f64>, signs: &[f64], k: f64, truth: &Estimate) -> Vec<Pair> {
    hide(cells, k, 2);
    let (matrix, layout) =
        (Matrix::F64(cells.clone()), Arc::new(Layout::singletons(cells.ncols())));
    let sums =
        conditional(truth).sums(&Examples::new(&matrix, &Scaler::None {}, &layout, &[])).unwrap();
    sums.into_iter()
        .zip(signs)
        .map(|((mean, variance), &sign)| Pair { mean, variance, sign })
        .collect()
}

fn scores(predictor: &Conditional, cells: &Array2<f64>) -> Vec<f64> {
    let (matrix, layout) =
        (Matrix::F64(cells.clone()), Arc::new(Layout::singletons(cells.ncols())));
    predictor.scores(&Examples::new(&matrix, &Scaler::None {}, &layout, &[])).unwrap().values
}

fn mean_square(found: &[f64], wanted: &[f64]) -> f64 {
    found.iter().zip(wanted).map(|(f, y)| (f - y).powi(2)).sum::<f64>() / found.len() as f64
}

#[test]
fn what_is_fitted_has_gradient_zero() {
    let truth = truth(COLUMNS, 2, 3);
    for curve in [Curve::Probit, Curve::Logistic] {
        let (mut cells, signs) = draw(&truth, 500, (curve, 0.4, 3.0), 1);
        let pairs = pairs(&mut cells, &signs, 8.0, &truth);
        let found = Calibration::fit(curve, &pairs);
        let (a, b) = (found.constant, found.slope);
        let (gradient, _) = slopes(curve, a, b, &pairs);
        for (at, (da, db)) in [(1e-5, 0.0), (0.0, 1e-5)].into_iter().enumerate() {
            let difference =
                (sum(curve, a + da, b + db, &pairs) - sum(curve, a - da, b - db, &pairs)) / 2e-5;
            assert!(
                (gradient[at] - difference).abs() < 1e-4,
                "{curve:?}: {} and {difference}",
                gradient[at]
            );
        }
        // The rest is the slope of the prior, 0.005 (a at the mean)^2 + 0.005 (b times the standard
        // deviation)^2.
        let count = pairs.len() as f64;
        let centre = pairs.iter().map(|p| p.mean).sum::<f64>() / count;
        let square =
            pairs.iter().map(|p| (p.mean - centre).powi(2) + p.variance).sum::<f64>() / count;
        let at_mean = a + b * centre;
        let prior = [PRIOR * at_mean, PRIOR * (at_mean * centre + b * square)];
        for (slope, prior) in gradient.into_iter().zip(prior) {
            // The ascent ends where a step gains 1e-13 of some 300.
            assert!((slope - prior).abs() < 1e-3, "{curve:?}: {slope} and {prior}");
        }
        // A curvature of tens to hundreds outweighs the prior's slope at once.
        for (da, db) in [(0.1, 0.0), (-0.1, 0.0), (0.0, 0.3), (0.0, -0.3)] {
            assert!(
                sum(curve, a + da, b + db, &pairs) < sum(curve, a, b, &pairs),
                "{curve:?}: {da}, {db}"
            );
        }
    }
}

#[test]
fn the_truth_comes_back_and_probabilities_are_frequencies() {
    let truth = truth(COLUMNS, 2, 5);
    for (curve, b, within) in [(Curve::Probit, 3.0, 0.0), (Curve::Logistic, 4.0, 0.01)] {
        let (mut cells, signs) = draw(&truth, 20_000, (curve, 0.4, b), 1);
        let found = Calibration::fit(curve, &pairs(&mut cells, &signs, 8.0, &truth));
        assert!(
            (found.constant - 0.4).abs() < 0.1 && (found.slope / b - 1.0).abs() < 0.1,
            "{found:?}"
        );
        let predictor = found.link(conditional(&truth), 0.1);
        let (mut cells, signs) = draw(&truth, 40_000, (curve, 0.4, b), 7);
        for k in [COLUMNS as f64, 8.0, 2.0] {
            hide(&mut cells, k, 3);
            let probabilities: Vec<f64> =
                scores(&predictor, &cells).iter().map(|score| 0.5 * (score + 0.1 + 1.0)).collect();
            for bin in 0..10 {
                let low = f64::from(bin) / 10.0;
                let inside = |p: f64| (low..low + 0.1).contains(&p);
                let of: Vec<usize> =
                    (0..signs.len()).filter(|&i| inside(probabilities[i])).collect();
                if of.len() < 100 {
                    continue;
                }
                let n = of.len() as f64;
                let expected = of.iter().map(|&i| probabilities[i]).sum::<f64>() / n;
                let share = of.iter().filter(|&&i| signs[i] > 0.0).count() as f64 / n;
                let error = (expected * (1.0 - expected) / n).sqrt();
                // The error of the fit and of the logistic scaling, besides the binomial one.
                let allowed = 3.5 * error + 0.01 + within;
                assert!(
                    (share - expected).abs() < allowed,
                    "{curve:?} k {k}: {expected} and {share} of {n}"
                );
            }
        }
    }
}

#[test]
fn where_classes_are_nearly_separable_probabilities_beat_the_plain_sum() {
    let truth = truth(COLUMNS, 2, 5);
    for (b, k, gain) in [
        (30.0, 20.0, 0.5),
        (30.0, 14.0, 0.95),
        (3.0, 20.0, 0.85),
        (0.3, 20.0, 1.01),
        (30.0, 2.0, 1.01),
    ] {
        let (mut cells, signs) = draw(&truth, 20_000, (Curve::Probit, 0.0, b), 1);
        // The best linear predictor: cov(s, y) = E y s, as s has variance 1.
        let slope = {
            let plain = conditional(&truth);
            scores(&plain, &cells).iter().zip(&signs).map(|(s, y)| s * y).sum::<f64>() / 2e4
        };
        let mut best = truth.clone();
        best.weights.iter_mut().for_each(|w| *w *= slope);
        let pairs = pairs(&mut cells, &signs, 8.0, &best);
        let linked = Calibration::fit(Curve::Probit, &pairs).link(conditional(&best), 0.0);
        let (mut cells, signs) = draw(&truth, 20_000, (Curve::Probit, 0.0, b), 7);
        hide(&mut cells, k, 3);
        let plain = mean_square(&scores(&conditional(&best), &cells), &signs);
        let found = mean_square(&scores(&linked, &cells), &signs);
        assert!(found < gain * plain, "b {b}, k {k}: {found} and {plain}");
    }
}

#[test]
fn separable_empty_and_constant_pairs_give_finite_curves() {
    let separable: Vec<Pair> = (0..40)
        .map(|i| Pair {
            mean: f64::from(i) - 19.5,
            variance: 0.0,
            sign: if i < 20 { -1.0 } else { 1.0 },
        })
        .collect();
    let one_class: Vec<Pair> = separable.iter().map(|p| Pair { sign: 1.0, ..*p }).collect();
    let constant: Vec<Pair> = separable.iter().map(|p| Pair { mean: 3.0, ..*p }).collect();
    let unseen: Vec<Pair> = constant.iter().map(|p| Pair { variance: 4.0, ..*p }).collect();
    for curve in [Curve::Probit, Curve::Logistic] {
        let found = Calibration::fit(curve, &separable);
        assert!(
            found.slope > 0.5 && found.slope.is_finite() && found.constant.abs() < 0.1,
            "{found:?}"
        );
        let same = Calibration::fit(curve, &one_class);
        assert!(
            curve.probability(same.constant).is_finite() && curve.probability(same.constant) > 0.9,
            "{same:?}"
        );
        for pairs in [&constant, &unseen, &Vec::new()] {
            let flat = Calibration::fit(curve, pairs);
            assert!(
                (curve.probability(flat.constant + 3.0 * flat.slope) - 0.5).abs() < 1e-6,
                "{flat:?}"
            );
        }
        assert_eq!(Calibration::fit(curve, &constant).slope, 0.0);
        // Units do not matter.
        let scaled: Vec<Pair> =
            separable.iter().map(|p| Pair { mean: 1e-6 * p.mean, ..*p }).collect();
        assert!((Calibration::fit(curve, &scaled).slope * 1e-6 / found.slope - 1.0).abs() < 1e-6);
    }
}
