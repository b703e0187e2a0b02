//! Checks robust learners and `svm` with more than two classes: one model each, against the rest.

use crate::common::{Data, assert_near, kind, learner, singletons, subjects_of};
use halfseen::Silent;
use halfseen::data::{Examples, Labels, TargetScale, Threat};
use halfseen::learner::with;
use halfseen::model::{Fit, Linear, Note, Predictor};
use halfseen::robust::{Attack, CertifiedClaim, CertifiedErrors, attack, certify};

const ALL: [&str; 4] = ["svm", "fdrop", "robust-lp", "robust-perceptron"];

/// The class is which of three attributes is largest; each has a second attribute that says the
/// same.
fn data(seed: u64, rows: usize) -> Data {
    let mut data = Data::random(rows, &singletons(7), seed);
    for i in 0..rows {
        for class in 0..3 {
            data.x[[i, 2 * class + 1]] = 0.8 * data.x[[i, 2 * class]] + 0.2 * data.x[[i, 6]];
        }
    }
    let unit = |j: usize| 0.2 + 0.6 * ((j % 7) as f64 / 6.0);
    let centre = |j: usize| 0.3 * ((j % 5) as f64 / 4.0 - 0.5);
    let largest = |i: usize| {
        let of = |class: usize| (data.x[[i, 2 * class]] - centre(2 * class)) / unit(2 * class);
        (0..3).max_by(|a, b| of(*a).total_cmp(&of(*b))).unwrap() as u32
    };
    let codes = (0..rows).map(largest).collect();
    Data { codes: Some(codes), ..Data::new(data.x, vec![f64::NAN; rows], &singletons(7)) }
}

fn codes(data: &Data) -> &[u32] {
    data.codes.as_ref().unwrap()
}

fn each(fit: &Fit) -> &[Linear] {
    let Predictor::Linears(linears) = &fit.predictor else { panic!("{:?}", fit.predictor) };
    &linears.classes
}

/// Share of the rows whose class is not predicted.
fn wrong(fit: &Fit, data: &Data) -> f64 {
    let scores = fit.predictor.scores(&data.examples()).unwrap();
    let missed = |(row, code): &(usize, &u32)| scores.class(*row) != **code as usize;
    codes(data).iter().enumerate().filter(missed).count() as f64 / data.x.nrows() as f64
}

#[test]
fn the_model_of_a_class_is_the_fit_to_its_signs() {
    let data = data(1, 240);
    for name in subjects_of(ALL) {
        let settings = [("threat", "1")];
        let learner = learner(name, if name == "svm" { &[] } else { &settings });
        let all = learner.fit(&data.examples(), &Silent).unwrap();
        assert_eq!(each(&all).len(), 3);
        let mut objectives = 0.0;
        for (class, linear) in (0..).zip(each(&all)) {
            let members: Vec<u32> = codes(&data).iter().map(|c| u32::from(*c == class)).collect();
            let signs: Vec<f64> = members.iter().map(|&m| 2.0 * f64::from(m) - 1.0).collect();
            let labels = Some(Labels { codes: &members, classes: 2 });
            let one = Examples { targets: &signs, labels, ..data.examples() };
            let one = learner.fit(&one, &Silent).unwrap();
            assert_near(&linear.weights, &one.linear().unwrap().weights, 0.0, name);
            objectives += one.report.objective.unwrap() / 3.0;
        }
        let objective = all.report.objective.unwrap();
        assert!((objective - objectives).abs() < 1e-12, "{name}: {objective} and {objectives}");
        // The most frequent class would misclassify about two thirds.
        let share = wrong(&all, &data);
        assert!(share < 0.5, "{name} misclassifies {share}");
    }
}

#[test]
fn a_grid_of_several_classes_gives_what_separate_fits_give() {
    let data = data(2, 120);
    for name in subjects_of(ALL) {
        let learner = learner(name, &[]);
        let parameter = if matches!(name, "svm" | "fdrop") { "c" } else { "box_radius" };
        let settings = ["0.3", "1"].map(|value| vec![(parameter, value.to_owned())]);
        let together = learner.fit_grid(&settings, &data.examples(), &Silent).unwrap();
        for (joint, setting) in together.iter().zip(&settings) {
            let alone = with(learner.clone_box(), setting).unwrap();
            let alone = alone.fit(&data.examples(), &Silent).unwrap();
            let (joint, alone) = (joint.report.objective.unwrap(), alone.report.objective.unwrap());
            assert!((joint - alone).abs() <= 1e-3 * alone, "{name}: {joint} and {alone}");
        }
    }
}

/// With equal costs both are exact: a row is misclassified under the worst deletions of N
/// attributes, or its certificate reaches N.
#[test]
fn the_worst_attack_and_the_certificates_agree() {
    let data = data(3, 300);
    for name in subjects_of(ALL) {
        let learner = learner(name, if name == "svm" { &[] } else { &[("threat", "2")] });
        let fit = learner.fit(&data.examples(), &Silent).unwrap();
        let examples = data.examples();
        let free = Threat::new(vec![1.0; 7], 0.0).unwrap();
        let (scale, claim) = (TargetScale::IDENTITY, CertifiedClaim::Class);
        let linears = fit.predictor.additive().unwrap();
        let certificates = certify(linears, scale, &examples, &free, claim).unwrap();
        let plain = fit.predictor.scores(&examples).unwrap();
        let mut last = 0.0;
        for budget in [0.0, 1.0, 2.0, 3.0, 6.0] {
            let threat = Threat::new(vec![1.0; 7], budget).unwrap();
            let attacked = attack(&fit.predictor, &examples, &threat, Attack::Exact, 0).unwrap();
            assert_eq!(attacked.unproven, 0);
            let missed = |row: &usize| attacked.scores.class(*row) != codes(&data)[*row] as usize;
            let error = (0..300).filter(missed).count() as f64 / 300.0;
            let right = (0..300).map(|row| plain.class(row) == codes(&data)[row] as usize);
            let mut certified = CertifiedErrors::default();
            certified.add(&certificates, right);
            let certified = certified.at(budget);
            assert!((error - certified).abs() < 1e-12, "{name}, {budget}: {error}, {certified}");
            assert!(error >= last, "{name}: a larger threat is no weaker");
            last = error;
        }
        assert!(last > 0.5, "{name}: without attributes most rows are misclassified");
    }
}

#[test]
fn classes_that_cannot_be_told_apart_give_the_most_frequent_one() {
    let mut data = data(4, 200);
    // Nothing about the class is in the attributes, and six of ten rows are of the second.
    data.codes = Some((0..200).map(|i| if i % 10 < 6 { 1 } else { 2 * (i % 2) }).collect());
    for name in subjects_of(["fdrop", "robust-lp", "robust-perceptron"]) {
        let fit = learner(name, &[("threat", "5")]).fit(&data.examples(), &Silent).unwrap();
        let scores = fit.predictor.scores(&data.examples()).unwrap();
        let share = wrong(&fit, &data);
        assert!(share <= 0.4 + 1e-12, "{name} misclassifies {share}: no more than one class does");
        let noted =
            fit.report.notes.iter().any(|note| matches!(note, Note::MostFrequentClass { .. }));
        let constant = (0..200).all(|row| scores.class(row) == 1);
        assert!(noted || share < 0.4, "{name}: {:?}", fit.report.notes);
        assert_eq!(noted, constant, "{name}");
    }
}

#[test]
fn rows_of_weight_two_are_rows_twice_with_several_classes() {
    let data = data(5, 90);
    let times: Vec<usize> = (0..90).map(|row| 1 + row % 2).collect();
    let mut weighted = Data::new(data.x.clone(), data.y.clone(), &data.layout);
    weighted.codes.clone_from(&data.codes);
    weighted.weights = Some(times.iter().map(|&times| times as f64).collect());
    let repeated = data.repeated(&times);
    for name in subjects_of(["svm", "fdrop", "robust-lp"]) {
        let learner = learner(name, &[("tol", "1e-8")]);
        let one = learner.fit(&weighted.examples(), &Silent).unwrap().report.objective.unwrap();
        let other = learner.fit(&repeated.examples(), &Silent).unwrap().report.objective.unwrap();
        assert!((one - other).abs() < 1e-6 * one, "{name}: {one} and {other}");
    }
}

#[test]
fn what_has_no_classes_is_refused() {
    let numbers = Data::random(40, &singletons(4), 6);
    for name in subjects_of(["svm", "fdrop", "robust-perceptron"]) {
        let learner = learner(name, &[]);
        assert!([2, 3, 9].iter().all(|&classes| learner.needs().targets.allow(classes)), "{name}");
        assert!(!learner.needs().targets.allow(0), "{name}");
        let error = learner.fit(&numbers.examples(), &Silent).err().unwrap();
        assert_eq!(kind(&error), "WrongTarget", "{name}: {error}");
    }
}
