//! Holds fits to their own tests: what is no better than a constant says so, and nothing else does.

use crate::common::{Data, all, learner, singletons};
use halfseen::data::Examples;
use halfseen::learner::Family;
use halfseen::model::{Fit, Note, Stop};
use halfseen::sampling::{Purpose, Split, Stream, folds};
use halfseen::select::tested;
use halfseen::{Learner, Monitor, Silent};
use std::sync::atomic::{AtomicU64, Ordering};

/// The learners that have no test of their own.
fn untested() -> impl Iterator<Item = Box<dyn Learner>> {
    all().into_iter().filter(|learner| learner.family() != Family::Budget)
}

/// Targets that have nothing to do with the attributes.
fn noise(rows: usize, columns: usize, seed: u64) -> Data {
    let mut stream = Stream::new(seed, Purpose::Data, 1);
    let x = Data::random(rows, &singletons(columns), seed).x;
    Data::new(x, (0..rows).map(|_| stream.normal()).collect(), &singletons(columns))
}

fn fit(learner: &dyn Learner, data: &Data) -> Fit {
    tested(learner, &data.examples(), &Silent).unwrap_or_else(|e| panic!("{}: {e}", learner.name()))
}

/// Its error beside the constant's, and the standard error of that.
fn ratio(fit: &Fit) -> Option<(f64, f64)> {
    fit.report.notes.iter().find_map(|note| match note {
        Note::NotShownBetter { ratio, standard_error, .. } => Some((*ratio, *standard_error)),
        _ => None,
    })
}

#[test]
fn what_learns_from_noise_says_that_it_is_not_shown_better() {
    for learner in untested() {
        for (rows, columns) in [(30, 8), (700, 4)] {
            let fitted = fit(&*learner, &noise(rows, columns, 5).for_learner(&*learner));
            let (ratio, error) =
                ratio(&fitted).unwrap_or_else(|| panic!("{} on {rows} rows", learner.name()));
            assert!(
                ratio + 2.0 * error >= 1.0 && ratio < 5.0,
                "{}: {ratio} +- {error}",
                learner.name()
            );
            assert!(fitted.report.converged && fitted.report.examples == rows as u64);
        }
    }
}

#[test]
fn what_learns_from_a_signal_says_nothing() {
    for learner in untested() {
        let fitted = fit(&*learner, &Data::random(400, &singletons(8), 6).for_learner(&*learner));
        assert_eq!(ratio(&fitted), None, "{}", learner.name());
    }
}

/// A weak signal: 500 rows leave doubt, and 5,000 do not.
#[test]
fn doubt_of_few_rows_is_settled_by_more() {
    let mut data = Data::random(5_000, &singletons(3), 7);
    let mut stream = Stream::new(7, Purpose::Data, 2);
    data.y.iter_mut().for_each(|y| *y += stream.normal());
    let few = Data {
        rows: (0..500).collect(),
        ..Data::new(data.x.clone(), data.y.clone(), &data.layout)
    };
    assert!(ratio(&fit(&*learner("ridge", &[]), &few)).is_some());
    assert_eq!(ratio(&fit(&*learner("ridge", &[]), &data)), None);
}

/// The five folds of the test.
fn splits(data: &Data) -> Vec<Split> {
    let mut order = data.rows.clone();
    halfseen::sampling::shuffle(&mut Stream::new(0, Purpose::Fold, u64::MAX), &mut order);
    folds(&order, data.codes.as_deref(), None, 5, 0).unwrap()
}

/// Against a loop over the folds, with weights too.
#[test]
fn the_risk_is_that_of_rows_that_were_held_out() {
    let ridge = learner("ridge", &[]);
    for weights in [None, Some((0..40).map(|i| [1.0, 3.0, 0.5][i % 3]).collect::<Vec<f64>>())] {
        let data = Data { weights, ..noise(40, 3, 8) };
        let (mut loss, mut constant, mut all) = (0.0, 0.0, 0.0);
        let examples = data.examples();
        // Which rows make a fold does not matter to what is summed, only that no row is in its own
        // fit.
        let report = fit(&*ridge, &data).report;
        for fold in splits(&data) {
            let others: f64 = fold.train.iter().map(|&row| examples.weight(row as usize)).sum();
            let mean = fold
                .train
                .iter()
                .map(|&r| examples.weight(r as usize) * data.y[r as usize])
                .sum::<f64>()
                / others;
            let predictor =
                ridge.fit(&examples.with_rows(fold.train.clone()), &Silent).unwrap().predictor;
            let scores = predictor.scores(&examples.with_rows(fold.test.clone())).unwrap().values;
            for (score, &row) in scores.iter().zip(&fold.test) {
                let (weight, y) = (examples.weight(row as usize), data.y[row as usize]);
                loss += weight * (score - y).powi(2);
                constant += weight * (mean - y).powi(2);
                all += weight;
            }
        }
        assert!(
            (report.risk.unwrap() - loss / all).abs() < 1e-12,
            "{:?} instead of {}",
            report.risk,
            loss / all
        );
        assert!(report.risk_error.unwrap() > 0.0);
        let note = report.notes.iter().find_map(|n| {
            if let Note::NotShownBetter { ratio, .. } = n { Some(*ratio) } else { None }
        });
        assert!((note.unwrap() - loss / constant).abs() < 1e-12);
    }
}

/// No training row shows it. Against each deletion in turn, on rows that were held out.
#[test]
fn what_the_worst_deletions_make_no_better_than_a_constant_says_so() {
    for (name, rows, columns) in
        [("robust-lp", 60, 12), ("robust-lp", 200, 40), ("robust-perceptron", 60, 12)]
    {
        let learner = learner(name, &[("threat", "1")]);
        let data = Data::random(rows, &singletons(columns), 11).for_learner(&*learner);
        let numbers = data.codes.is_none();
        let deleted = |j: Option<usize>| {
            let mut x = data.x.clone();
            j.into_iter().for_each(|j| x.column_mut(j).fill(f64::NAN));
            Data::new(x, data.y.clone(), &data.layout).matrix
        };
        let all: Vec<_> = (0..columns).map(Some).chain([None]).map(deleted).collect();
        let examples = data.examples();
        let (mut loss, mut constant) = (0.0, 0.0);
        for fold in splits(&data) {
            let y = |row: &u32| data.y[*row as usize];
            let mean = fold.train.iter().map(y).sum::<f64>() / fold.train.len() as f64;
            let says = if numbers { mean } else { mean.signum() };
            let wrong = |score: f64, row: &u32| {
                if numbers { (score - y(row)).powi(2) } else { f64::from(score * y(row) <= 0.0) }
            };
            let fit = learner.fit(&examples.with_rows(fold.train.clone()), &Silent).unwrap();
            let mut worst = vec![0.0_f64; fold.test.len()];
            for matrix in &all {
                let part = Examples { matrix, ..examples.with_rows(fold.test.clone()) };
                let scores = fit.predictor.scores(&part).unwrap().values;
                for ((worst, score), row) in worst.iter_mut().zip(scores).zip(&fold.test) {
                    *worst = worst.max(wrong(score, row));
                }
            }
            loss += worst.iter().sum::<f64>();
            constant += fold.test.iter().map(|row| wrong(says, row)).sum::<f64>();
        }
        let notes = fit(&*learner, &data).report.notes;
        let said: Vec<&Note> = notes.iter().filter(|note| note.is_of_constant()).collect();
        let [Note::NotShownBetter { ratio, standard_error, threat: Some(threat) }] = said[..]
        else {
            panic!("{name}: {notes:?}");
        };
        assert!((ratio - loss / constant).abs() < 1e-9, "{name}: {ratio}, {}", loss / constant);
        assert!(*threat == 1.0 && ratio + 2.0 * standard_error >= 1.0);
    }
}

/// Of rows with the median x and a spread of 3 x the quantile .9 is far from the mean: by squared errors it
/// would be worse than that.
#[test]
fn a_quantile_is_tuned_and_tested_by_its_own_loss() {
    let mut stream = Stream::new(5, Purpose::Data, 2);
    let x = ndarray::Array2::from_shape_fn((500, 2), |_| stream.unit());
    let y = x.rows().into_iter().map(|row| row[0] * (1.0 + 3.0 * stream.normal())).collect();
    let data = Data::new(x, y, &singletons(2));
    let of = |quantile| {
        let box_radius = ("box_radius", "10");
        let learner = learner("robust-lp", &[("threat", "0"), ("quantile", quantile), box_radius]);
        fit(&*learner, &data).report
    };
    let report = of("0.9");
    assert_eq!((report.quantile, report.notes), (Some(0.9), vec![]));
    let (risk, constant) = (report.risk.unwrap(), report.constant_risk.unwrap());
    let quantile = |q: f64, values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[(q * sorted.len() as f64).ceil() as usize - 1]
    };
    let loss = |r: f64| if r > 0.0 { 0.9 * r } else { -0.1 * r };
    let best = quantile(0.9, &data.y);
    let by_hand = data.y.iter().map(|y| loss(y - best)).sum::<f64>() / data.y.len() as f64;
    assert!((constant - by_hand).abs() < 0.02 * by_hand, "{constant}, {by_hand}");
    assert!(risk < 0.8 * constant, "{risk}, {constant}");
    // The median is a prediction of the number, by squared errors as the mean is.
    assert_eq!(of("0.5").quantile, None);
}

/// Noise in the attribute of largest weight leaves more than its worst deletion.
#[test]
fn what_prepares_for_noise_is_tested_by_noise() {
    let data = Data::random(60, &singletons(12), 11).told();
    let of = |damage| {
        let learner = learner("robust-perceptron", &[("threat", "1"), ("damage", damage)]);
        ratio(&fit(&*learner, &data))
    };
    assert!(of("deletion").is_some());
    assert_eq!(of("noise"), None);
}

#[test]
fn margins_are_held_against_the_commonest_class() {
    // Nine of ten rows are of one class: a tenth goes wrong where that one is always told.
    let mut data = noise(200, 4, 9);
    data.y.iter_mut().enumerate().for_each(|(i, y)| *y = if i % 10 == 0 { 1.0 } else { -1.0 });
    data.codes = Some(data.y.iter().map(|y| u32::from(*y > 0.0)).collect());
    for learner in untested() {
        let fitted = fit(&*learner, &data);
        let (ratio, _) = ratio(&fitted).unwrap_or_else(|| panic!("{} is silent", learner.name()));
        assert!(ratio > 0.9 && ratio < 9.0, "{}: {ratio}", learner.name());
        let estimates = fitted.predictor.scores(&data.examples()).unwrap().estimates;
        assert_eq!(fitted.report.risk.is_some(), estimates, "{}", learner.name());
    }
}

#[test]
fn rows_too_few_to_hold_any_out_are_told_of() {
    for learner in untested() {
        for (rows, columns) in [(1, 1), (1, 8), (2, 1), (2, 8), (3, 30), (5, 2)] {
            let fitted = fit(
                &*learner,
                &Data::random(rows, &singletons(columns), 64).for_learner(&*learner),
            );
            let few = Note::FewExamples { examples: rows as u64 };
            assert!(
                rows > 2 || fitted.report.notes.contains(&few),
                "{} on {rows} rows",
                learner.name()
            );
        }
        if learner.needs().targets.allow(3) {
            fit(&*learner, &Data::random(7, &singletons(3), 65).thirds());
        }
    }
}

/// Says stop once something was learned.
struct Later(AtomicU64, u64);

impl Monitor for Later {
    fn should_stop(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= self.1
    }
}

#[test]
fn a_test_that_is_stopped_keeps_what_was_learned() {
    for learner in untested() {
        let data = Data::random(60, &singletons(4), 66).for_learner(&*learner);
        let looks = Later(AtomicU64::new(0), u64::MAX);
        let whole = learner.fit(&data.examples(), &looks).unwrap();
        let stopped =
            tested(&*learner, &data.examples(), &Later(AtomicU64::new(0), looks.0.into_inner()))
                .unwrap();
        assert_eq!(stopped.predictor, whole.predictor, "{}", learner.name());
        assert_eq!(
            (stopped.report.stop, stopped.report.converged),
            (Stop::Interrupted, false),
            "{}",
            learner.name()
        );
    }
}

#[test]
fn weights_of_one_are_tested_as_none() {
    for learner in untested().filter(|learner| learner.needs().weights) {
        let data = noise(40, 4, 10).for_learner(&*learner);
        let plain = fit(&*learner, &data).report;
        let ones = fit(&*learner, &Data { weights: Some(vec![1.0; 40]), ..data }).report;
        assert_eq!((ones.notes, ones.risk), (plain.notes, plain.risk), "{}", learner.name());
    }
}
