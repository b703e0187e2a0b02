//! Checks `fiml` with more than two classes: one model each, from the same reads.

use crate::common::{Data, key, kind, learner, singletons};
use halfseen::Silent;
use halfseen::budget::{AskTell, Query, next_batch};
use halfseen::data::{Examples, Labels};
use halfseen::model::{Fit, Predictor};
use halfseen::registry::{load, start};

const ROWS: usize = 900;
const COLUMNS: usize = 7;

/// The class is which of three attributes is largest, in units of its own.
fn data() -> Data {
    let mut data = Data::random(ROWS, &singletons(COLUMNS), 4);
    let unit = |j: usize| 0.2 + 0.6 * (j as f64 / 6.0);
    let largest = |i: usize| {
        let of = |class: usize| data.x[[i, 2 * class + 1]] / unit(2 * class + 1);
        (0..3).max_by(|a, b| of(*a).total_cmp(&of(*b))).unwrap() as u32
    };
    data.codes = Some((0..ROWS).map(largest).collect());
    data.y.fill(f64::NAN);
    data
}

fn codes(data: &Data) -> &[u32] {
    data.codes.as_ref().unwrap()
}

fn fitted(settings: &[(&str, &str)], examples: &Examples<'_>) -> Fit {
    let settings = [&[("budget", "3"), ("seed", "5")], settings].concat();
    learner("fiml", &settings).fit(examples, &Silent).unwrap()
}

fn each(fit: &Fit) -> &[Predictor] {
    let Predictor::Classes(each) = &fit.predictor else { panic!("{:?}", fit.predictor) };
    &each.classes
}

/// Share of the rows whose class is predicted.
fn right(fit: &Fit, data: &Data) -> f64 {
    let scores = fit.predictor.scores(&data.examples()).unwrap();
    assert_eq!((scores.outputs, scores.len()), (3, ROWS));
    let hits = codes(data).iter().enumerate().filter(|(row, c)| scores.class(*row) == **c as usize);
    hits.count() as f64 / ROWS as f64
}

fn signs_of(class: u32, data: &Data) -> (Vec<f64>, Vec<u32>) {
    let member: Vec<u32> = codes(data).iter().map(|&code| u32::from(code == class)).collect();
    (member.iter().map(|&m| 2.0 * f64::from(m) - 1.0).collect(), member)
}

/// Uniform reads do not depend on targets, so that a fit to the signs of one class reads the same.
#[test]
fn the_model_of_a_class_is_the_fit_to_its_signs_from_the_same_reads() {
    let data = data();
    for settings in [
        &[("design", "uniform")][..],
        &[("design", "uniform"), ("link", "probit"), ("deviations", "3")],
        &[("passive", "all"), ("budget", "auto"), ("shape", "additive")],
    ] {
        let all = fitted(settings, &data.examples());
        let mut risk = 0.0;
        for (class, predictor) in (0..).zip(each(&all)) {
            let (signs, codes) = signs_of(class, &data);
            let labels = Some(Labels { codes: &codes, classes: 2 });
            let one = fitted(settings, &Examples { targets: &signs, labels, ..data.examples() });
            let alone = one.predictor.clone().without_clip();
            assert_eq!(predictor, &alone, "class {class} with {settings:?}");
            assert_eq!(all.report.reads, one.report.reads);
            risk += one.report.risk.unwrap() / 3.0;
        }
        assert!((all.report.risk.unwrap() - risk).abs() < 1e-12);
    }
}

#[test]
fn no_read_is_made_for_one_class_alone() {
    let data = data();
    let most = (0..3).map(|c| codes(&data).iter().filter(|&&code| code == c).count()).max();
    for design in ["uniform", "adaptive"] {
        let fit = fitted(&[("design", design)], &data.examples());
        assert_eq!((fit.report.reads, fit.report.examples), (3 * ROWS as u64, ROWS as u64));
        let (right, guess) = (right(&fit, &data), most.unwrap() as f64 / ROWS as f64);
        assert!(right > guess + 0.3, "{design}: {right}, and {guess} by the most frequent class");
    }
}

#[test]
fn a_class_of_few_rows_and_noise_are_no_error() {
    let mut data = data();
    let rare = data.codes.as_mut().unwrap();
    rare.iter_mut().enumerate().for_each(|(i, code)| {
        *code = if i == 17 { 2 } else { (i % 2) as u32 };
    });
    let fit = fitted(&[], &data.examples());
    let linear = |one: &Predictor| one.linear().unwrap().clone();
    // One row says nothing of the attributes, but of how rare its class is.
    let last = linear(&each(&fit)[2]);
    assert!(last.weights.iter().all(|w| *w == 0.0));
    assert!((last.intercept - (2.0 / ROWS as f64 - 1.0)).abs() < 1e-9, "{}", last.intercept);
}

fn asker(settings: &[(&str, &str)]) -> Box<dyn AskTell> {
    let settings = [&[("budget", "3"), ("seed", "5")], settings].concat();
    start(&*learner("fiml", &settings), &singletons(COLUMNS), 3).unwrap()
}

fn tell(asker: &mut dyn AskTell, data: &Data, row: usize) -> Query {
    let query = asker.ask().unwrap();
    asker.tell(&query, &data.answer(&query, row), f64::from(codes(data)[row])).unwrap();
    query
}

#[test]
fn learners_that_ask_are_told_any_of_the_classes_and_resume() {
    let data = data();
    let (mut told, mut seen) = (asker(&[]), asker(&[]));
    for row in 0..300 {
        let query = told.ask().unwrap();
        let answer = data.answer(&query, row);
        let error = told.tell(&query, &answer, 3.0).unwrap_err().to_string();
        assert!(error.contains("an integer from 0 to 2"), "{error}");
        told.tell(&query, &answer, f64::from(codes(&data)[row])).unwrap();
        let mut cells: Vec<(u32, f64)> = query.reads.iter().map(|r| r.panel).zip(answer).collect();
        cells.sort_unstable_by_key(|(slot, _)| *slot);
        seen.observe(query.number, &cells, Some(f64::from(codes(&data)[row]))).unwrap();
        if row == 130 {
            told = load(&told.save().unwrap()).unwrap();
        }
    }
    assert_eq!(told.fitted(&Silent).unwrap().predictor, seen.fitted(&Silent).unwrap().predictor);
    let mut taught = asker(&[]);
    next_batch(&mut *taught, &data.examples(), &Silent).unwrap();
    assert_eq!(taught.report().examples, ROWS as u64);
    assert!(right(&taught.fitted(&Silent).unwrap(), &data) > 0.6);
}

#[test]
fn states_that_contradict_their_classes_are_refused() {
    let data = data();
    let mut told = asker(&[]);
    (0..20).for_each(|row| drop(tell(&mut *told, &data, row)));
    let state = told.save().unwrap();
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut broken = state.clone();
        change(&mut broken);
        let error = load(&broken).map(drop).unwrap_err();
        assert_eq!((kind(&error).as_str(), key(&error)), ("BadFile", "state"));
    };
    for classes in [2_u64, 1 << 40] {
        refused(&|json| json["state"]["classes"] = classes.into());
    }
    refused(&|json| json["state"]["reads"]["targets"][3] = 7.0.into());
    assert!(load(&state).is_ok());
}

/// Learners that take steps on one score stay with two classes.
#[test]
fn other_learners_that_ask_name_those_that_can() {
    let refused = start(&*learner("aerr", &[]), &singletons(2), 3);
    let error = refused.map(drop).unwrap_err().to_string();
    assert!(error.contains("3 classes") && error.contains("fiml"), "{error}");
    let error = start(&*learner("ridge", &[]), &singletons(2), 0).map(drop).unwrap_err();
    assert_eq!(kind(&error), "Request");
    let mut asker = learner("aerr", &[]).start(&singletons(2)).unwrap().unwrap();
    assert_eq!(kind(&asker.classify(3).unwrap_err()), "WrongTarget");
    assert!(asker.classify(2).is_ok());
}
