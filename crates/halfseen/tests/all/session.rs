//! Checks what a session promises: parts, reasons, bounds, batches, exports, classes.

use crate::common::collecting::{NAMES, answers, cell, configured, each, outcome, started, tell};
use crate::common::{budgeted, keeps_reads, kind};
use halfseen::Silent;
use halfseen::budget::{Query, TellOutcome};
use halfseen::data::{Label, Matrix, Target, TargetScale};
use halfseen::prepare::{ColumnKind, Options};
use halfseen::session::{Answer, Session, Start};
use ndarray::Array2;
use std::collections::BTreeMap;

#[test]
fn answers_come_in_parts_and_are_told_when_they_are_whole() {
    each(|name, learner, passive| {
        let (mut whole, mut parts) = (started(&*learner), started(&*learner));
        let all: Vec<u32> = (0..whole.panels().sampled_panels() as u32).collect();
        for person in 0..40 {
            let ask = |s: &mut Session| if passive { s.ask_observed(&all) } else { s.ask() };
            let query = ask(&mut whole).unwrap();
            assert_eq!(query, ask(&mut parts).unwrap(), "{name}");
            tell(&mut whole, &query, person);
            let asked: Vec<String> =
                parts.attributes_of(&query).unwrap().map(str::to_owned).collect();
            let values = answers(&parts, &query, person);
            let target = Label::Number(outcome(person));
            // The target first, then attribute by attribute, the last one missing at first.
            let first = (person % 2 == 0).then_some(&target);
            assert_eq!(parts.tell_part(&query, &[], first).unwrap(), None, "{name}");
            for (name, value) in asked.iter().zip(&values).skip(1) {
                let told = parts.tell_part(&query, &[(name, value.clone())], None).unwrap();
                assert_eq!(told, None, "{name}: not whole yet");
            }
            let open: Vec<_> = parts.open().collect();
            assert_eq!(open.len(), 1);
            assert_eq!(open[0].missing, [asked[0].as_str()]);
            assert_eq!(open[0].has_target, first.is_some());
            drop(open);
            // Saved and loaded with its parts.
            let mut loaded = Session::from_json(&parts.to_json().unwrap()).unwrap();
            let last = [(asked[0].as_str(), values[0].clone())];
            let told = loaded.tell_part(&query, &last, Some(&target)).unwrap();
            assert_eq!(told, Some(TellOutcome::Learned), "{name}");
            parts.tell_part(&query, &last, Some(&target)).unwrap();
            assert_eq!(loaded.to_json().unwrap(), parts.to_json().unwrap(), "{name}");
        }
        assert_eq!(parts.to_json().unwrap(), whole.to_json().unwrap(), "{name}");
    });
}

#[test]
fn missing_values_are_counted_by_reason() {
    for name in budgeted() {
        let mut session = started(&*configured(&name, &[]));
        for person in 0..30 {
            let query = session.ask().unwrap();
            let mut values = answers(&session, &query, person);
            let holes = person % 3 == 0 && !values.is_empty();
            if holes {
                let reason = if person % 2 == 0 { "refused" } else { "sample lost" };
                values[0] = Answer::Missing(reason.into());
            }
            let told = session.tell(&query, &values, &Label::Number(outcome(person))).unwrap();
            let expected = if holes && !keeps_reads(&name) {
                TellOutcome::Skipped
            } else {
                TellOutcome::Learned
            };
            assert_eq!(told, expected, "{name}");
        }
        let report = session.report();
        let reasons = [("refused".to_owned(), 5), ("sample lost".to_owned(), 5)];
        assert_eq!(report.missing_reasons, BTreeMap::from(reasons), "{name}");
        assert_eq!(report.skipped, if keeps_reads(&name) { 0 } else { 10 }, "{name}");
        let model = session.model(&Silent).unwrap();
        assert_eq!(model.report.missing_reasons, report.missing_reasons);
        let again = halfseen::model::Model::from_json(&model.to_json().unwrap()).unwrap();
        assert_eq!(again, model);
    }
}

#[test]
fn contradictions_and_values_that_are_none_are_refused_by_name() {
    let mut session = started(&*configured("fiml", &[]));
    let query = session.ask().unwrap();
    let asked: Vec<String> = session.attributes_of(&query).unwrap().map(str::to_owned).collect();
    let name = asked[1].as_str();
    let part = |value: Answer| [(name, value)];
    session.tell_part(&query, &part(Answer::Missing("not today".into())), None).unwrap();
    session.tell_part(&query, &part(Answer::Value(9.0)), Some(&Label::Number(3.0))).unwrap();
    session.tell_part(&query, &part(Answer::Value(9.0)), Some(&Label::Number(3.0))).unwrap();
    let before = session.to_json().unwrap();
    type Part<'a> = &'a [(&'a str, Answer)];
    let refused: [(Part<'_>, Option<Label>, &str); 9] = [
        (&part(Answer::Value(8.0)), None, "ToldOtherwise"),
        (&part(Answer::Missing("after all".into())), None, "ToldOtherwise"),
        (&[], Some(Label::Number(4.0)), "ToldOtherwise"),
        (&part(Answer::Value(f64::NAN)), None, "AnswerNotFinite"),
        (&part(Answer::Value(f64::INFINITY)), None, "AnswerNotFinite"),
        (&part(Answer::Category("high".into())), None, "WrongAnswer"),
        (&[("colour", Answer::Value(1.0))], None, "NotAsked"),
        (&[], Some(Label::Number(f64::NAN)), "WrongAnswer"),
        (&[], Some(Label::Text("ill".into())), "WrongAnswer"),
    ];
    for (values, target, expected) in refused {
        let error = session.tell_part(&query, values, target.as_ref()).unwrap_err();
        assert_eq!(kind(&error), expected, "{error}");
        if expected == "AnswerNotFinite" {
            assert!(error.to_string().contains(name), "{error}");
        }
    }
    // Too large for the learner: the last part is refused, and the query stays open.
    let mut rest: Vec<(&str, Answer)> = Vec::new();
    for other in asked.iter().filter(|other| *other != name) {
        rest.push((other, Answer::Value(1e200)));
    }
    assert_eq!(kind(&session.tell_part(&query, &rest, None).unwrap_err()), "WrongAnswer");
    assert_eq!(session.to_json().unwrap(), before);
    rest.iter_mut().for_each(|(_, value)| *value = Answer::Value(1.0));
    assert_eq!(session.tell_part(&query, &rest, None).unwrap(), Some(TellOutcome::Learned));
    assert_eq!(kind(&session.tell_part(&query, &rest, None).unwrap_err()), "NotOpen");
    let query = session.ask().unwrap();
    let error = session.tell(&query, &[], &Label::Number(1.0)).unwrap_err();
    assert_eq!(kind(&error), "WrongLength");
}

#[test]
fn open_queries_are_listed_oldest_first_with_their_age() {
    let mut session = started(&*configured("fiml", &[]));
    let queries: Vec<Query> = (0..5).map(|_| session.ask().unwrap()).collect();
    tell(&mut session, &queries[1], 1);
    session.forget(queries[3].number).unwrap();
    let listed = |session: &Session| {
        session.open().map(|o| (o.query.number, o.asked_since, o.closed_since)).collect::<Vec<_>>()
    };
    assert_eq!(listed(&session), [(0, 4, 2), (2, 2, 2), (4, 0, 2)]);
    let loaded = Session::from_json(&session.to_json().unwrap()).unwrap();
    assert_eq!(listed(&loaded), listed(&session));
    tell(&mut session, &queries[0], 0);
    session.ask().unwrap();
    assert_eq!(listed(&session), [(2, 3, 3), (4, 1, 3), (5, 0, 0)]);
}

#[test]
fn telling_rows_and_teaching_them_is_the_same() {
    let rows = Array2::from_shape_fn((40, 6), |(i, j)| cell(i as u64, j));
    let target = Target::Numbers((0..40).map(outcome).collect());
    for name in budgeted() {
        let learner = configured(&name, &[]);
        let (mut told, mut taught) = (started(&*learner), started(&*learner));
        told.set_keep_reads(true);
        taught.set_keep_reads(true);
        for person in 0..40 {
            let query = told.ask().unwrap();
            tell(&mut told, &query, person);
        }
        taught.teach(&Matrix::F64(rows.clone()), &target, &Silent).unwrap();
        let bits = |s: &Session| s.model(&Silent).unwrap().predictor;
        assert_eq!(bits(&told), bits(&taught), "{name}");
        let kept = |s: &Session| format!("{:?}", s.export().unwrap().collect::<Vec<_>>());
        assert_eq!(kept(&told), kept(&taught), "{name}");
    }
    let mut session = started(&*configured("aerr", &[]));
    let narrow = Matrix::F64(Array2::zeros((40, 5)));
    let error = session.teach(&narrow, &target, &Silent).unwrap_err();
    assert_eq!(kind(&error), "WrongLength");
    let error = session.teach(&Matrix::F64(Array2::zeros((3, 6))), &target, &Silent).unwrap_err();
    assert_eq!(kind(&error), "WrongLength");
    let classes = vec![Label::Number(0.0), Label::Number(1.0)];
    let classes = Target::Classes { classes, codes: vec![0; 40] };
    let error = session.teach(&Matrix::F64(rows), &classes, &Silent).unwrap_err();
    assert_eq!(kind(&error), "WrongTarget");
}

#[test]
fn values_outside_their_bounds_are_taken_and_flagged_or_refused() {
    let bounds = NAMES.iter().map(|name| ((*name).to_owned(), (0.0, 20.0))).collect();
    let options = Options { bounds, ..Options::default() };
    let learner = configured("fiml", &[("budget", "6")]);
    let mut session = Start::new(&*learner, NAMES).declared(options).begin().unwrap();
    let values = |age: f64| {
        let mut values = vec![Answer::Value(1.0); 6];
        values[0] = Answer::Value(age);
        values
    };
    for (at, age) in [5.0, -1.0, 20.0, 20.5].into_iter().enumerate() {
        let query = session.ask().unwrap();
        assert_eq!(query.number, at as u64);
        session.tell(&query, &values(age), &Label::Number(1.0)).unwrap();
    }
    let report = session.report();
    assert_eq!(report.outside_bounds, 2);
    let first = report.first_outside.unwrap();
    assert_eq!((first.row, first.column.as_str(), first.value), (2, "age", -1.0));
    assert_eq!((first.low, first.high), (0.0, 20.0));
    session.set_strict(true);
    let query = session.ask().unwrap();
    let before = session.to_json().unwrap();
    let error = session.tell(&query, &values(21.0), &Label::Number(1.0)).unwrap_err();
    assert_eq!(kind(&error), "OutOfBounds");
    assert!(error.to_string().contains("'age': 21 lies outside its bounds, 0 to 20"), "{error}");
    assert_eq!(session.to_json().unwrap(), before);
    let mut loaded = Session::from_json(&before).unwrap();
    assert_eq!(
        kind(&loaded.tell(&query, &values(21.0), &Label::Number(1.0)).unwrap_err()),
        "OutOfBounds"
    );
    session.tell(&query, &values(20.0), &Label::Number(1.0)).unwrap();
    assert_eq!(session.report().outside_bounds, 2);
}

#[test]
fn what_was_read_is_exported_where_it_was_to_be_kept() {
    let mut session = started(&*configured("aerr", &[("budget", "3")]));
    assert_eq!(kind(&session.export().err().unwrap()), "KeepsNoReads");
    session.set_keep_reads(true);
    let mut expected = Vec::new();
    for person in 0..6 {
        let query = session.ask().unwrap();
        let names: Vec<String> =
            session.attributes_of(&query).unwrap().map(str::to_owned).collect();
        let mut values = answers(&session, &query, person);
        values[0] = Answer::Missing("refused".into());
        let target = (person != 4).then(|| Label::Number(outcome(person)));
        let part: Vec<(&str, Answer)> =
            names.iter().map(String::as_str).zip(values.iter().cloned()).collect();
        session.tell_part(&query, &part, target.as_ref()).unwrap();
        if person == 5 {
            session.ask().unwrap();
        }
        let mut reads: Vec<_> = names
            .into_iter()
            .zip(values)
            .map(|(name, value)| (person, name, value, target.clone()))
            .collect();
        reads.sort_by_key(|(_, name, ..)| NAMES.iter().position(|n| n == name));
        expected.extend(reads);
    }
    // Those of the open query come last.
    expected.sort_by_key(|(person, ..)| *person == 4);
    let exported = |session: &Session| -> Vec<(u64, String, Answer, Option<Label>)> {
        let read = session.export().unwrap();
        read.map(|r| (r.number, r.attribute.to_owned(), r.answer.clone(), r.target)).collect()
    };
    assert_eq!(exported(&session), expected);
    let loaded = Session::from_json(&session.to_json().unwrap()).unwrap();
    assert_eq!(exported(&loaded), expected);
    // What was read of a query that is given up was read all the same.
    session.forget(4).unwrap();
    assert_eq!(exported(&session).len(), expected.len());
    session.set_keep_reads(false);
    assert_eq!(kind(&session.export().err().unwrap()), "KeepsNoReads");
}

#[test]
fn classes_are_told_by_their_labels() {
    let learner = configured("aerr", &[]);
    let classes = vec![Label::Text("ill".into()), Label::Text("well".into())];
    let start = || Start::new(&*learner, NAMES).classes(classes.clone()).target("state");
    let mut session = start().begin().unwrap();
    for person in 0..60 {
        let query = session.ask().unwrap();
        let values = answers(&session, &query, person);
        let wrong = session.tell(&query, &values, &Label::Text("dead".into())).unwrap_err();
        assert!(wrong.to_string().contains("not one of the classes, ill, well"), "{wrong}");
        let label = &classes[usize::from(cell(person, 1) > 10.0)];
        session.tell(&query, &values, label).unwrap();
    }
    let model = session.model(&Silent).unwrap();
    assert_eq!((model.classes.as_slice(), model.target.as_str()), (&classes[..], "state"));
    assert!(model.predictor.linear().unwrap().weights[1] > 0.0);
    let loaded = Session::from_json(&session.to_json().unwrap()).unwrap();
    assert_eq!(loaded.classes(), classes);
    let three = [&classes[..], &[Label::Text("z".into())]].concat();
    assert_eq!(kind(&start().classes(three).begin().unwrap_err()), "WrongTarget");
    let error = Start::new(&*configured("ridge", &[]), NAMES).begin().unwrap_err();
    assert_eq!(kind(&error), "Request");
}

/// Attributes with categories come with a preparation.
#[test]
fn attributes_of_a_preparation_keep_their_categories() {
    let learner = configured("fiml", &[]);
    let mut prepare = started(&*learner).prepare().clone();
    let categories = ["a", "b", "c"].map(str::to_owned).to_vec();
    prepare.schema.columns[5].kind = ColumnKind::Text { categories };
    let mut session = Start::prepared(&*learner, prepare).begin().unwrap();
    session.set_keep_reads(true);
    let mut seen = 0;
    for person in 0..60 {
        let query = session.ask().unwrap();
        let names: Vec<String> =
            session.attributes_of(&query).unwrap().map(str::to_owned).collect();
        let values: Vec<Answer> = names
            .iter()
            .map(|name| match NAMES.iter().position(|n| n == name).unwrap() {
                5 => Answer::Category(["a", "b", "c"][person as usize % 3].into()),
                at => Answer::Value(cell(person, at)),
            })
            .collect();
        let target = Label::Number(outcome(person) + (person % 3) as f64);
        if let Some(at) = names.iter().position(|name| name == "sodium") {
            seen += 1;
            let refused = |value: Answer| {
                let mut values = values.clone();
                values[at] = value;
                values
            };
            for wrong in [Answer::Category("z".into()), Answer::Value(1.0)] {
                let error = session.tell(&query, &refused(wrong), &target).unwrap_err();
                assert!(error.to_string().contains("sodium"), "{error}");
            }
        }
        session.tell(&query, &values, &target).unwrap();
    }
    assert!(seen > 5);
    let model = session.model(&Silent).unwrap();
    assert_eq!(model.raw_weights().unwrap().0.len(), 8);
    let kept = session.export().unwrap().filter(|r| r.attribute == "sodium");
    assert!(kept.into_iter().all(|r| matches!(r.answer, Answer::Category(_))));
}

#[test]
fn a_first_batch_of_targets_gives_classes_or_scale() {
    let learner = configured("aerr", &[]);
    let begun = |first: Target| Start::new(&*learner, NAMES).first_targets(first).begin().unwrap();
    let numbers = begun(Target::Numbers(vec![1.0, 3.0, 5.0, 7.0]));
    let given =
        Start::new(&*learner, NAMES).scale(TargetScale { mean: 4.0, deviation: 5_f64.sqrt() });
    assert!(numbers.classes().is_empty());
    let [a, b] = [&numbers, &given.begin().unwrap()].map(|s| {
        serde_json::from_str::<serde_json::Value>(&s.to_json().unwrap()).unwrap()["prepare"].clone()
    });
    assert_eq!(a["target"], b["target"]);
    let classes = vec![Label::Text("no".into()), Label::Text("yes".into())];
    let two = begun(Target::Classes { classes: classes.clone(), codes: vec![0, 1, 1] });
    assert_eq!(two.classes(), classes);
    // Two classes are numbers too, and have a scale in files.
    let loaded = Session::from_json(&two.to_json().unwrap()).unwrap();
    assert_eq!(loaded.to_json().unwrap(), two.to_json().unwrap());
}
