//! Checks sessions that learn from whatever was read, and copies of sessions that draw.

use crate::common::collecting::{
    NAMES, answers, cell, configured, declared, each, outcome, started, tell,
};
use crate::common::kind;
use halfseen::Silent;
use halfseen::budget::Query;
use halfseen::data::{Label, TargetScale};
use halfseen::prepare::Options;
use halfseen::session::{Answer, Session, Start};

fn model(session: &Session) -> String {
    session.model(&Silent).unwrap().to_json().unwrap()
}

/// Names and answers of a query about a person; one in eleven is lost.
fn named(session: &Session, query: &Query) -> Vec<(String, Answer)> {
    let person = query.number;
    let names: Vec<String> = session.attributes_of(query).unwrap().map(str::to_owned).collect();
    let mut given: Vec<(String, Answer)> =
        names.into_iter().zip(answers(session, query, person)).collect();
    if person % 11 == 3 {
        given[1].1 = Answer::Missing("lost".into());
    }
    given
}

fn borrowed(given: &[(String, Answer)]) -> Vec<(&str, Answer)> {
    given.iter().map(|(name, answer)| (name.as_str(), answer.clone())).collect()
}

#[test]
fn answers_that_are_observed_give_the_model_of_answers_that_are_told() {
    for design in ["uniform", "adaptive"] {
        let learner = configured("fiml", &[("design", design)]);
        let (mut told, mut seen) = (started(&*learner), started(&*learner));
        told.set_keep_reads(true);
        seen.set_keep_reads(true);
        assert!(seen.takes_observed());
        for person in 0..260 {
            let query = told.ask().unwrap();
            let mut given = named(&told, &query);
            let target = Label::Number(outcome(person));
            told.tell_part(&query, &borrowed(&given), Some(&target)).unwrap().unwrap();
            // In any order, and twice.
            given.reverse();
            given.push(given[0].clone());
            seen.observe(person, &borrowed(&given), Some(&target)).unwrap();
            if person == 150 {
                seen = Session::from_json(&seen.to_json().unwrap()).unwrap();
            }
        }
        assert_eq!(model(&seen), model(&told));
        assert_eq!(seen.report(), told.report());
        assert!(seen.report().missing_reasons["lost"] > 20);
        let reads = |session: &Session| -> Vec<String> {
            let mut reads: Vec<String> =
                session.export().unwrap().map(|read| format!("{read:?}")).collect();
            reads.sort_unstable();
            reads
        };
        assert_eq!(reads(&seen), reads(&told));
        let (a, b) = (seen.ask().unwrap(), told.ask().unwrap());
        assert_eq!(Query { asker: 0, ..a }, Query { asker: 0, ..b });
    }
}

#[test]
fn parts_of_panels_known_attributes_and_examples_without_a_target_count() {
    let mut session = started(&*configured("fiml", &[]));
    session.set_keep_reads(true);
    let value = |name: &str, person: u64| {
        Answer::Value(cell(person, NAMES.iter().position(|n| *n == name).unwrap()))
    };
    // Half of a cuff is a read of it that gave no value for the other half.
    session.observe(3, &[("pulse", value("pulse", 3))], None).unwrap();
    session.observe(4, &[("age", value("age", 4))], None).unwrap();
    session.observe(5, &[], Some(&Label::Number(2.0))).unwrap();
    session.observe(6, &[], None).unwrap();
    let lost = Answer::Missing("lost".into());
    session.observe(9, &[("sugar", lost.clone()), ("weight", value("weight", 9))], None).unwrap();
    let report = session.report();
    assert_eq!((report.reads, report.distinct, report.examples), (3, 3, 1));
    assert_eq!((report.spent, report.missing_reasons["lost"]), (3.0 + 0.5 + 1.0, 1));
    assert_eq!(session.export().unwrap().count(), 4);
    assert!(session.export().unwrap().all(|read| read.target.is_none()));
    let json: serde_json::Value = serde_json::from_str(&session.to_json().unwrap()).unwrap();
    let reads = &json["learner"]["state"]["reads"];
    assert_eq!(reads["numbers"], serde_json::json!([3, 4, 5, 9]));
    assert_eq!(reads["starts"], serde_json::json!([0, 1, 2, 2, 3]));
    let again = Session::from_json(&json.to_string()).unwrap();
    assert_eq!(again.report(), session.report());
    assert_eq!(session.ask().unwrap().number, 10);
    assert_eq!(session.remaining().promised_reads, 2);
    assert_eq!(model(&session), model(&again));
}

#[test]
fn impossible_examples_are_refused_and_change_nothing() {
    let ends = |name: &str| if name == "sugar" { (0.0, 1.0) } else { (-1e100, 1e100) };
    let bounds = NAMES.iter().map(|name| ((*name).to_owned(), ends(name))).collect();
    let declared = Options { bounds, ..declared() };
    let learner = configured("fiml", &[]);
    let mut session = Start::new(&*learner, NAMES).declared(declared).begin().unwrap();
    session.observe(0, &[("sugar", Answer::Value(7.0))], Some(&Label::Number(1.0))).unwrap();
    assert_eq!(session.report().outside_bounds, 1);
    assert_eq!(session.report().first_outside.unwrap().row, 1);
    let huge = [("weight", Answer::Value(1e120))];
    let mut unscaled = Start::new(&*learner, NAMES).begin().unwrap();
    let error = unscaled.observe(0, &huge, None).unwrap_err();
    assert_eq!(kind(&error), "WrongAnswer", "{error}");
    session.set_strict(true);
    let before = session.to_json().unwrap();
    let number = |value: f64| Answer::Value(value);
    let lost = Answer::Missing("lost".into());
    type Case<'a> = (u64, &'a [(&'a str, Answer)], Option<Label>, &'a str);
    let cases: [Case<'_>; 9] = [
        (0, &[("weight", number(1.0))], None, "NumberUsed"),
        (1, &[("suger", lost.clone())], None, "UnknownColumn"),
        (1, &[("sugar", number(2.0))], None, "OutOfBounds"),
        (1, &[("weight", number(f64::NAN))], None, "AnswerNotFinite"),
        (1, &[("weight", Answer::Category("a".into()))], None, "WrongAnswer"),
        (1, &[("weight", number(1.0)), ("weight", number(2.0))], None, "ToldOtherwise"),
        (1, &[("weight", number(1e120))], None, "OutOfBounds"),
        (1, &[], Some(Label::Number(f64::NAN)), "WrongAnswer"),
        (1, &[], Some(Label::Text("a".into())), "WrongAnswer"),
    ];
    for (at, answers, target, expected) in cases {
        let error = session.observe(at, answers, target.as_ref()).unwrap_err();
        assert_eq!(kind(&error), expected, "{error}");
    }
    assert_eq!(session.to_json().unwrap(), before);
    // A reason may be followed by a value.
    session.observe(1, &[("sugar", lost), ("sugar", number(0.5))], None).unwrap();
    assert_eq!(session.report().missing_reasons.len(), 0);
    let mut stepping = started(&*configured("aerr", &[]));
    assert!(!stepping.takes_observed());
    let error = stepping.observe(0, &[("sugar", number(1.0))], None).unwrap_err();
    assert_eq!(kind(&error), "Request");
    assert_eq!(stepping.report().reads, 0);
}

#[test]
fn classes_and_categories_are_observed() {
    let learner = configured("fiml", &[("link", "auto")]);
    let labels = ["no", "yes"].map(|text| Label::Text(text.into()));
    let mut session =
        Start::new(&*learner, NAMES).classes(labels.to_vec()).declared(declared()).begin().unwrap();
    for person in 0..90 {
        let class = &labels[usize::from(outcome(person) > 7.5)];
        let target = (person % 3 > 0).then_some(class);
        let given =
            [("weight", 1), ("pulse", 3)].map(|(name, j)| (name, Answer::Value(cell(person, j))));
        session.observe(person, &given, target).unwrap();
    }
    let found = session.model(&Silent).unwrap();
    assert_eq!((found.report.examples, found.report.reads), (60, 180));
    let odd = Label::Text("perhaps".into());
    assert_eq!(kind(&session.observe(90, &[], Some(&odd)).unwrap_err()), "WrongAnswer");
}

#[test]
fn a_drawing_copy_draws_what_the_session_draws() {
    each(|name, learner, passive| {
        if passive {
            return;
        }
        let mut session = started(&*learner);
        session.set_keep_reads(true);
        let mut open = Vec::new();
        for person in 0..240 {
            let query = session.ask().unwrap();
            if person % 40 == 7 {
                open.push(query);
            } else {
                tell(&mut session, &query, person);
            }
        }
        session.set_total_cost(Some(1e4)).unwrap();
        let mut copy = session.drawing().unwrap();
        let text = copy.to_json().unwrap();
        let mut again = Session::from_json(&text).unwrap();
        assert_eq!(again.to_json().unwrap(), text, "{name}");
        assert_eq!((copy.open().count(), copy.keeps_reads()), (0, false), "{name}");
        assert_ne!(copy.instance(), session.instance());
        for number in [0, 0, 250, 400, 0, 1_000_000] {
            if number > 0 {
                session.skip_to(number).unwrap();
                copy.skip_to(number).unwrap();
                again.skip_to(number).unwrap();
            }
            let drawn = session.ask().unwrap();
            for copy in [&mut copy, &mut again] {
                let query = copy.ask().unwrap();
                assert_ne!(query.asker, drawn.asker, "{name}");
                assert_eq!(
                    Query { asker: 0, ..query },
                    Query { asker: 0, ..drawn.clone() },
                    "{name}"
                );
            }
        }
        assert_eq!(kind(&copy.skip_to(400).unwrap_err()), "NumberUsed", "{name}");
        // The copies know what open queries cost, and take no answers to them.
        for copy in [&mut copy, &mut again] {
            let given = answers(&session, &open[0], 7);
            let target = Label::Number(outcome(7));
            assert!(copy.tell(&open[0], &given, &target).is_err(), "{name}");
            let least = session.report().spent + 0.5;
            copy.set_total_cost(Some(least)).unwrap();
            session.set_total_cost(Some(least)).unwrap();
            let (error, expected) = (copy.ask().unwrap_err(), session.ask().unwrap_err());
            assert_eq!((kind(&error).as_str(), error.kind()), ("CostSpent", expected.kind()));
        }
        if name == "fiml" {
            assert_eq!(kind(&copy.model(&Silent).unwrap_err()), "Request");
            assert!(text.len() < 4_000 && session.to_json().unwrap().len() > 10 * text.len());
        } else {
            // Learners with steps have what a model is made of.
            let predictor = |session: &Session| session.model(&Silent).unwrap().predictor;
            assert_eq!(predictor(&copy), predictor(&session), "{name}");
        }
    });
}

/// A study's wave: a session made of observations draws, through its copy, what an adopting session
/// would have drawn.
#[test]
fn a_wave_is_drawn_from_observations() {
    for (design, phase) in [("uniform", 0), ("adaptive", 1)] {
        let scale = TargetScale { mean: 7.0, deviation: 2.0 };
        let learner = configured("fiml", &[("design", design)]);
        let start = || Start::new(&*learner, NAMES).scale(scale).instance(4).begin().unwrap();
        let (mut asking, mut seen) = (start(), start());
        for person in 0..150 {
            let query = asking.ask().unwrap();
            let given = named(&asking, &query);
            let target = Label::Number(outcome(person));
            asking.tell_part(&query, &borrowed(&given), Some(&target)).unwrap();
            seen.observe(person, &borrowed(&given), Some(&target)).unwrap();
        }
        let mut copy = seen.drawing().unwrap();
        for number in 200..260 {
            copy.skip_to(number).unwrap();
            asking.skip_to(number).unwrap();
            let (drawn, expected) = (copy.ask().unwrap(), asking.ask().unwrap());
            assert_eq!(drawn.phase, phase);
            assert_eq!(Query { asker: 0, ..drawn }, Query { asker: 0, ..expected });
        }
    }
}
