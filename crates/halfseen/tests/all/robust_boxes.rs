//! Holds the robust linear program to what it says of several boxes that are fitted together: where an
//! optimum lies inside a box, it is that of all wider ones.

use crate::common::{Data, layout, learner};
use halfseen::data::Threat;
use halfseen::learner::with;
use halfseen::model::{Fit, Note};
use halfseen::robust::{Attack, attack};
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Learner, Silent};
use ndarray::Array2;

const BOXES: [&str; 5] = ["30", "0.002", "0.3", "3", "0.1"];

/// Rows of eight attributes that tell a number with noise, as the number or as this many classes of it.
fn data(seed: u64, classes: u32) -> Data {
    let layout = layout(&[1; 8], &[]);
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let mut x = Array2::zeros((160, 8));
    let mut y = Vec::new();
    for mut row in x.rows_mut() {
        let common = stream.normal();
        row.iter_mut().for_each(|x| *x = 0.7 * common + 0.7 * stream.normal());
        y.push(common + 0.3 * stream.normal());
    }
    let mut data = Data::new(x, y, &layout);
    if classes > 0 {
        let code = |y: &f64| ((y + 1.0).max(0.0) as u32).min(classes - 1);
        let codes: Vec<u32> = data.y.iter().map(code).collect();
        data.y = codes.iter().map(|code| 2.0 * f64::from(*code) - 1.0).collect();
        data.codes = Some(codes);
    }
    data
}

/// Fits of the boxes together and alone, from the narrowest to the widest.
fn fits(learner: &dyn Learner, data: &Data) -> Vec<(f64, Fit, Fit)> {
    let settings = BOXES.map(|radius| vec![("box_radius", radius.to_owned())]);
    let together = learner.fit_grid(&settings, &data.examples(), &Silent).unwrap();
    let alone = settings.iter().map(|setting| {
        with(learner.clone_box(), setting).unwrap().fit(&data.examples(), &Silent).unwrap()
    });
    let radius = |text: &&str| text.parse().unwrap();
    let mut fits: Vec<(f64, Fit, Fit)> = BOXES
        .iter()
        .map(radius)
        .zip(together)
        .zip(alone)
        .map(|((radius, together), alone)| (radius, together, alone))
        .collect();
    fits.sort_by(|a, b| a.0.total_cmp(&b.0));
    fits
}

#[test]
fn a_certificate_of_a_wider_box_holds_and_what_it_says_of_new_rows_is_of_this_box() {
    let cases: [(u32, &[(&str, &str)]); 7] = [
        (0, &[]),
        (0, &[("quantile", "0.9")]),
        (2, &[]),
        (2, &[("threat", "0")]),
        (2, &[("deletions", "whole"), ("costs", "[1,2,1,3,1,1,2,1]")]),
        (2, &[("damage", "noise")]),
        (3, &[]),
    ];
    for (classes, own) in cases {
        let base = [("threat", "2")];
        let set: Vec<_> =
            base.iter().filter(|s| own.iter().all(|o| o.0 != s.0)).chain(own).copied().collect();
        let learner = learner("robust-lp", &set);
        let mut objectives = Vec::new();
        for (radius, together, alone) in fits(&*learner, &data(1, classes)) {
            let shown = format!("{set:?}, {classes} classes, box {radius}");
            let (report, best) = (&together.report, &alone.report);
            let (objective, gap) = (report.objective.unwrap(), report.gap.unwrap());
            let optimum = best.objective.unwrap();
            assert!(gap <= 1.001e-3 * objective, "{shown}: gap {gap} of {objective}");
            assert!(objective - gap <= optimum * (1.0 + 1e-12), "{shown}: {objective}, {optimum}");
            assert!(
                (objective - optimum).abs() <= 2e-6 * optimum,
                "{shown}: {objective}, {optimum}"
            );
            let promise = |fit: &Fit| {
                fit.report.notes.iter().find_map(|note| match note {
                    Note::RiskBound { risk, .. } | Note::NoiseBound { risk, .. } => Some(*risk),
                    _ => None,
                })
            };
            // Several weights may have the least loss, and margins of their own.
            match (promise(&together), promise(&alone)) {
                (Some(one), Some(two)) => {
                    assert!((one - two).abs() < 0.05, "{shown}: {one}, {two}")
                }
                (one, two) => assert_eq!(one, two, "{shown}"),
            }
            objectives.push(objective);
        }
        // The margin that noise needs grows with the box, so that no box binds more than another.
        let binds = own != [("damage", "noise")];
        assert_eq!(objectives[0] > 1.05 * objectives[4], binds, "{set:?}: {objectives:?}");
    }
}

#[test]
fn a_wide_box_that_nothing_touches_is_not_solved_again() {
    for classes in [0, 2] {
        let learner = learner("robust-lp", &[("threat", "2")]);
        let fits = fits(&*learner, &data(2, classes));
        let weights = |k: usize| &fits[k].1.linear().unwrap().weights;
        assert_ne!(weights(0), weights(1));
        // Solved alone, they differ in their last bits.
        assert_eq!(weights(3), weights(4), "{classes} classes");
        assert_eq!(fits[3].1.report.passes, fits[4].1.report.passes);
        assert_ne!(fits[3].2.linear().unwrap().weights, fits[4].2.linear().unwrap().weights);
    }
}

#[test]
fn a_threat_that_beats_the_signal_is_told_alike_in_all_boxes() {
    let mut data = data(3, 0);
    let mut stream = Stream::new(3, Purpose::Data, 1);
    data.y.iter_mut().for_each(|y| *y = 0.1 * *y + stream.normal());
    for (radius, together, alone) in fits(&*learner("robust-lp", &[("threat", "4")]), &data) {
        assert_eq!(together.report.notes, alone.report.notes, "box {radius}");
        let told = |note: &Note| matches!(note, Note::ThreatBeatsSignal { from: Some(_), .. });
        assert!(together.report.notes.iter().any(told), "{:?}", together.report.notes);
    }
}

#[test]
fn where_rows_are_few_the_grid_has_a_box_that_is_no_worse_than_a_constant_under_the_threat() {
    let layout = layout(&[1; 60], &[]);
    let draw = |rows: usize, seed: u64| {
        let mut stream = Stream::new(seed, Purpose::Data, 0);
        let mut x = Array2::zeros((rows, 60));
        let mut y = Vec::new();
        for mut row in x.rows_mut() {
            row.iter_mut().for_each(|x| *x = stream.normal());
            let told: f64 = row.iter().take(30).sum();
            y.push(if 0.3 * told + stream.normal() > 0.8 { 1.0 } else { -1.0 });
        }
        let mut data = Data::new(x, y, &layout);
        data.codes = Some(data.y.iter().map(|y| u32::from(*y > 0.0)).collect());
        data
    };
    let (rows, new) = (draw(100, 4), draw(2_000, 5));
    let constant = new.y.iter().filter(|y| **y > 0.0).count() as f64 / 2_000.0;
    let learner = learner("robust-lp", &[("threat", "1")]);
    let settings = learner.grid().settings();
    let fits = learner.fit_grid(&settings, &rows.examples(), &Silent).unwrap();
    let threat = Threat::uniform(60, 1.0).unwrap();
    let error = |fit: &Fit| {
        let attacked = attack(&fit.predictor, &new.examples(), &threat, Attack::Exact, 0).unwrap();
        let missed = |row: &usize| attacked.scores.class(*row) != usize::from(new.y[*row] > 0.0);
        (0..2_000).filter(missed).count() as f64 / 2_000.0
    };
    let of = |setting: &Vec<(&str, String)>| setting[0].1.parse::<f64>().unwrap();
    let errors: Vec<(f64, f64)> = settings.iter().map(of).zip(fits.iter().map(error)).collect();
    let wide = errors.iter().filter(|(radius, _)| *radius >= 0.3);
    assert!(wide.clone().all(|(_, error)| *error > 1.05 * constant), "{constant}, {errors:?}");
    assert!(errors.iter().any(|(_, error)| *error <= constant), "{constant}, {errors:?}");
}
