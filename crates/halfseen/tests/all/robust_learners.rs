//! Holds the Perceptron and the robust linear program to what they promise of whole fits.

use crate::common::{After, Data, kind, learner, singletons};
use halfseen::model::{Fit, Note, Stop};
use halfseen::{Learner, Silent};
use ndarray::Array2;

fn told(rows: usize, columns: usize, seed: u64) -> Data {
    Data::random(rows, &singletons(columns), seed).told()
}

fn fit(learner: &dyn Learner, data: &Data) -> Fit {
    learner.fit(&data.examples(), &Silent).unwrap()
}

#[test]
fn interrupted_fits_return_what_they_have() {
    let data = told(2_000, 10, 3);
    for looks in [0, 1, 4] {
        let part =
            learner("robust-perceptron", &[]).fit(&data.examples(), &After::looks(looks)).unwrap();
        assert_eq!((part.report.stop, part.report.converged), (Stop::Interrupted, false));
        let nothing = part.linear().unwrap().weights.iter().all(|w| *w == 0.0);
        assert_eq!(nothing, looks == 0, "after {looks} looks");
    }
}

#[test]
fn a_grid_gives_what_separate_fits_give() {
    let data = told(150, 9, 4);
    let learner = learner("robust-perceptron", &[("threat", "2")]);
    let settings = ["1", "0.01", "5"].map(|size| vec![("box_radius", size.to_owned())]);
    let together = learner.fit_grid(&settings, &data.examples(), &Silent).unwrap();
    for (joint, setting) in together.iter().zip(&settings) {
        let alone = fit(&*halfseen::learner::with(learner.clone_box(), setting).unwrap(), &data);
        assert_eq!(joint.predictor, alone.predictor);
        let (joint, alone) = (joint.report.objective.unwrap(), alone.report.objective.unwrap());
        assert!((joint - alone).abs() <= 2e-8 * alone, "{joint} and {alone}");
    }
    assert!(learner.fit_grid(&[], &data.examples(), &Silent).unwrap().is_empty());
}

#[test]
fn further_passes_lower_the_loss_and_the_best_one_is_kept() {
    let data = told(1_000, 10, 5);
    let at = |passes: &str| {
        fit(&*learner("robust-perceptron", &[("passes", passes), ("threat", "1")]), &data).report
    };
    let (one, ten) = (at("1"), at("20"));
    assert!(
        ten.objective.unwrap() < one.objective.unwrap(),
        "{:?} and {:?}",
        ten.objective,
        one.objective
    );
    assert_eq!((one.passes, ten.passes), (Some(1), Some(20)));
    let few = learner("robust-perceptron", &[("passes", "2")])
        .fit(&told(1, 4, 5).examples(), &Silent)
        .unwrap_err();
    assert_eq!(kind(&few), "TooFewRows");
}

#[test]
fn another_seed_visits_rows_in_another_order() {
    let data = told(300, 6, 6);
    let at = |seed: &str| fit(&*learner("robust-perceptron", &[("seed", seed)]), &data).predictor;
    assert_ne!(at("0"), at("1"));
    assert_eq!(at("1"), at("1"));
}

#[test]
fn whole_deletions_need_values_that_allow_them() {
    let data = told(100, 4, 7);
    let with = |values: &str| {
        learner("robust-perceptron", &[("costs", values), ("deletions", "whole"), ("threat", "2")])
    };
    assert_eq!(kind(&with("1,2.5,1,1").fit(&data.examples(), &Silent).unwrap_err()), "Needs");
    for values in ["1,2,3,1", "2,2,2,2", "uniform"] {
        fit(&*with(values), &data);
    }
}

#[test]
fn the_margin_that_noise_needs_is_taken_or_said() {
    let data = told(100, 20, 8);
    let noisy = [("damage", "noise"), ("threat", "5")];
    let on_margin = |settings: &[(&str, &str)]| {
        let notes = fit(&*learner("robust-perceptron", settings), &data).report.notes;
        notes.into_iter().filter(|note| note.is_about("margin-too-small")).collect::<Vec<Note>>()
    };
    assert!(on_margin(&noisy).is_empty());
    let small = [&noisy[..], &[("margin", "0.1")]].concat();
    let notes = on_margin(&small);
    let needed = format!(
        "a margin of 0.1 is too small for the bound on noise, which needs {:.4}:",
        (2.0 * 5.0 * 20.0_f64.ln()).sqrt()
    );
    assert!(matches!(&notes[..], [note] if note.to_string().starts_with(&needed)), "{notes:?}");
}

/// Deletions that gain just what they cost, all of even value under an odd threat: no subset
/// exhausts the threat, nor is proven to be the worst before the search ends, and a table of sums
/// would be too large. An attribute of value 1, which is always 0, keeps the values from being
/// halved.
#[test]
fn deletions_that_were_not_proven_the_worst_are_said() {
    let columns = 400;
    let values: Vec<f64> =
        (0..columns).map(|j| if j == 0 { 1.0 } else { (2_000 + j * 74 % 3_000) as f64 }).collect();
    // Targets out of reach of the weights: every weight is at the side of its box.
    let y: Vec<f64> = vec![1e9, -1e9, 1e9, -1e9];
    let x = Array2::from_shape_fn((y.len(), columns), |(i, j)| {
        if j == 0 { 0.0 } else { y[i].signum() * values[j] }
    });
    let data = Data::new(x, y, &singletons(columns));
    let list = values.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    let of = |deletions| {
        let settings = [
            ("costs", &*list),
            ("threat", "999999"),
            ("box_radius", "1000"),
            ("intercept", "false"),
            ("deletions", deletions),
        ];
        fit(&*learner("robust-lp", &settings), &data).report
    };
    let whole = of("whole");
    assert!(whole.notes.contains(&Note::UnprovenDeletions { rows: 4 }), "{:?}", whole.notes);
    assert_eq!(whole.gap, None);
    let fractional = of("fractional");
    assert!(fractional.gap.is_some());
    assert!(!fractional.notes.iter().any(|n| matches!(n, Note::UnprovenDeletions { .. })));
}
