//! Checks what a session promises: parts, reasons, replay, budgets, copies, files.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod common;

use common::{budgeted, keeps_reads, key, kind, learner};
use halfseen::budget::{Query, Role, TellOutcome};
use halfseen::data::{Label, Matrix, Target, TargetScale};
use halfseen::prepare::{ColumnKind, Group, Options};
use halfseen::sampling::{Purpose, Stream};
use halfseen::session::{Answer, Session, Start};
use halfseen::{Learner, Silent};
use ndarray::Array2;
use serde_json::Value;
use std::collections::BTreeMap;

const NAMES: [&str; 6] = ["age", "weight", "pressure", "pulse", "sugar", "sodium"];

/// Value of an attribute of a person, with a mean and a scale of its own.
fn cell(person: u64, attribute: usize) -> f64 {
    let mut stream = Stream::new(5, Purpose::Data, person);
    let draws: Vec<f64> = (0..NAMES.len()).map(|_| stream.normal()).collect();
    10.0 + 2.0 * draws[attribute]
}

fn outcome(person: u64) -> f64 {
    5.0 + 0.5 * cell(person, 1) - 0.25 * cell(person, 3)
}

/// Known age, a group, prices.
fn declared() -> Options {
    let group = Group { name: "cuff".into(), columns: vec!["pressure".into(), "pulse".into()] };
    let prices = [("cuff".to_owned(), 3.0), ("sugar".to_owned(), 0.5)].into();
    Options { known: vec!["age".into()], groups: vec![group], prices, ..Options::default() }
}

fn configured(name: &str, settings: &[(&str, &str)]) -> Box<dyn Learner> {
    learner(name, &[&[("average", "all"), ("budget", "2"), ("seed", "3")], settings].concat())
}

fn started(learner: &dyn Learner) -> Session {
    let scale = TargetScale { mean: 7.0, deviation: 2.0 };
    Start::new(learner, NAMES).declared(declared()).scale(scale).instance(9).begin().unwrap()
}

fn answers(session: &Session, query: &Query, person: u64) -> Vec<Answer> {
    let value =
        |name: &str| Answer::Value(cell(person, NAMES.iter().position(|n| *n == name).unwrap()));
    session.attributes_of(query).unwrap().map(value).collect()
}

fn tell(session: &mut Session, query: &Query, person: u64) -> TellOutcome {
    let answers = answers(session, query, person);
    session.tell(query, &answers, &Label::Number(outcome(person))).unwrap()
}

fn paid(query: &Query) -> u64 {
    query.reads.iter().filter(|read| read.role != Role::Known).count() as u64
}

/// What happened to queries, in order.
#[derive(Debug)]
enum Event {
    Asked(Query),
    TellOutcome(Query, Vec<Answer>, f64),
    Forgotten(u64),
}

/// Collects with up to eight queries open, answered out of order, some with holes, some never.
fn collected(session: &mut Session, passive: bool) -> Vec<Event> {
    let mut stream = Stream::new(8, Purpose::Data, 0);
    let (mut log, mut open) = (Vec::new(), Vec::<Query>::new());
    let panels = session.panels().sampled_panels();
    for _ in 0..120 {
        while open.len() < 8 {
            let query = if passive {
                let shown: Vec<u32> = (0..panels as u32).filter(|_| stream.unit() < 0.7).collect();
                session.ask_observed(&shown).unwrap()
            } else {
                session.ask().unwrap()
            };
            log.push(Event::Asked(query.clone()));
            open.push(query);
        }
        let query = open.remove(stream.below(open.len()));
        if stream.unit() < 0.1 {
            session.forget(query.number).unwrap();
            log.push(Event::Forgotten(query.number));
            continue;
        }
        let mut values = answers(session, &query, query.number);
        if let Some(last) = values.last_mut().filter(|_| stream.unit() < 0.1) {
            *last = Answer::Missing("lost".into());
        }
        let target = outcome(query.number);
        session.tell(&query, &values, &Label::Number(target)).unwrap();
        log.push(Event::TellOutcome(query, values, target));
    }
    for query in open {
        session.forget(query.number).unwrap();
        log.push(Event::Forgotten(query.number));
    }
    log
}

fn each(check: impl Fn(&str, Box<dyn Learner>, bool)) {
    for name in budgeted() {
        let own = configured(&name, &[]);
        check(&name, own, false);
        if configured(&name, &[]).get("passive").is_some() {
            check(&name, configured(&name, &[("passive", "all")]), true);
        }
    }
}

#[test]
fn a_log_that_is_adopted_and_told_gives_the_same_bits() {
    each(|name, learner, passive| {
        let mut session = started(&*learner);
        let log = collected(&mut session, passive);
        let mut again = started(&*learner);
        for event in &log {
            match event {
                Event::Asked(query) => again.adopt(query).unwrap(),
                Event::TellOutcome(query, values, target) => {
                    again.tell(query, values, &Label::Number(*target)).map(drop).unwrap();
                }
                Event::Forgotten(number) => again.forget(*number).unwrap(),
            }
        }
        assert_eq!(again.to_json().unwrap(), session.to_json().unwrap(), "{name}");
        let bits = |session: &Session| session.model(&Silent).unwrap().to_json().unwrap();
        assert_eq!(bits(&again), bits(&session), "{name}");
        // Both ask the same from here on.
        if !passive {
            assert_eq!(again.ask().unwrap(), session.ask().unwrap(), "{name}");
        }
    });
}

/// The study's clean run: queries and answers in the order of their numbers, not of arrival, though
/// draws changed in between; those without an answer are left out.
#[test]
fn a_log_can_be_told_in_the_order_of_its_numbers() {
    each(|name, learner, passive| {
        let mut session = started(&*learner);
        let log = collected(&mut session, passive);
        let mut told: Vec<_> = log
            .iter()
            .filter_map(|event| match event {
                Event::TellOutcome(query, values, target) => Some((query, values, *target)),
                _ => None,
            })
            .collect();
        told.sort_by_key(|(query, ..)| query.number);
        let clean = |half: bool| {
            let mut again = started(&*learner);
            for (at, (query, values, target)) in told.iter().enumerate() {
                if half && at == told.len() / 2 {
                    // Saved with an adopted query open.
                    again.adopt(query).unwrap();
                    again = Session::from_json(&again.to_json().unwrap()).unwrap();
                } else {
                    again.adopt(query).unwrap();
                }
                again.tell(query, values, &Label::Number(*target)).unwrap();
            }
            again
        };
        let once = clean(false);
        assert_eq!(once.to_json().unwrap(), clean(true).to_json().unwrap(), "{name}");
        let report = once.report();
        assert_eq!(report.examples + report.skipped, told.len() as u64, "{name}");
        assert_eq!(report.distinct, session.report().distinct, "{name}");
    });
}

#[test]
fn what_cannot_be_adopted_is_refused_and_changes_nothing() {
    each(|name, learner, passive| {
        let mut source = started(&*learner);
        let all: Vec<u32> = (0..source.panels().sampled_panels() as u32).collect();
        let mut ask = || if passive { source.ask_observed(&all) } else { source.ask() }.unwrap();
        let queries = [ask(), ask(), ask()];
        let mut session = started(&*learner);
        session.adopt(&queries[1]).unwrap();
        let before = session.to_json().unwrap();
        let edited = Query { exact: 0.5, ..queries[2].clone() };
        let mut misshapen = queries[2].clone();
        misshapen.reads.pop();
        misshapen.checksum = misshapen.digest();
        let late = Query { asked_at: 7, ..queries[2].clone() };
        let late = Query { checksum: late.digest(), ..late };
        let foreign = Query { learner: 1, ..queries[2].clone() };
        for (query, expected) in [
            (&queries[1], "NumberUsed"),
            (&queries[0], "NumberUsed"),
            (&edited, "WrongQuery"),
            (&misshapen, "WrongQuery"),
            (&late, "WrongQuery"),
            (&foreign, "WrongLearner"),
        ] {
            let error = session.adopt(query).unwrap_err();
            assert_eq!(kind(&error), expected, "{name}: {error}");
        }
        assert_eq!(session.to_json().unwrap(), before, "{name}");
        session.adopt(&queries[2]).unwrap();
        tell(&mut session, &queries[2], 2);
        let error = session.adopt(&queries[2]).unwrap_err();
        assert_eq!(kind(&error), "NumberUsed", "{name}");
        let mut poor = configured(name, &[("total_budget", "50")]);
        if passive {
            poor.set("passive", "all").unwrap();
        }
        let mut poor = started(&*poor);
        let error = poor.adopt(&queries[1]).err();
        assert_eq!(error.map(|e| kind(&e)).as_deref(), Some("WrongLearner"), "{name}");
    });
}

#[test]
fn adopted_queries_count_against_the_total_budget() {
    for name in budgeted() {
        let learner = configured(&name, &[("total_budget", "20")]);
        let mut source = started(&*learner);
        let mut queries = Vec::new();
        while let Ok(query) = source.ask() {
            queries.push(query);
        }
        let mut session = started(&*learner);
        queries.iter().for_each(|query| session.adopt(query).unwrap());
        assert_eq!(session.remaining(), source.remaining(), "{name}");
        let (a, b) = (session.ask().unwrap_err(), source.ask().unwrap_err());
        assert_eq!((kind(&a), a.to_string()), ("BudgetSpent".to_owned(), b.to_string()), "{name}");
    }
}

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
    type ColumnTerm<'a> = &'a [(&'a str, Answer)];
    let refused: [(ColumnTerm<'_>, Option<Label>, &str); 9] = [
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

/// Python review S2-4: two collectors load one file, ask the same, and answer for one another.
#[test]
fn an_answer_to_a_query_of_another_copy_is_refused() {
    let mut session = started(&*configured("aerr", &[]));
    let early = session.ask().unwrap();
    let text = session.to_json().unwrap();
    let [mut a, mut b] = [0, 1].map(|_| Session::from_json(&text).unwrap());
    let (of_a, of_b) = (a.ask().unwrap(), b.ask().unwrap());
    assert_eq!((of_a.number, &of_a.reads), (of_b.number, &of_b.reads), "the same draw");
    let values = answers(&b, &of_a, 3);
    let error = b.tell(&of_a, &values, &Label::Number(1.0)).unwrap_err();
    assert_eq!(kind(&error), "ForeignQuery", "{error}");
    // Its own it takes, and those that were open when the file was written.
    tell(&mut b, &of_b, 3);
    tell(&mut b, &early, 4);
    // So does a copy that lost its query in a crash and adopts it from a log.
    let mut after = Session::from_json(&text).unwrap();
    after.adopt(&of_a).unwrap();
    tell(&mut after, &of_a, 3);
    // A bare learner's query has no tag.
    let learner = configured("aerr", &[]);
    let mut bare = learner.start(&std::sync::Arc::new(session.panels().clone())).unwrap().unwrap();
    let untagged = bare.ask().unwrap();
    let written = serde_json::to_string(&untagged).unwrap();
    assert!(!written.contains("asker"), "{written}");
    let error = a.tell(&untagged, &[], &Label::Number(1.0)).unwrap_err();
    assert_eq!(kind(&error), "WrongLength");
    let values = answers(&a, &untagged, 3);
    let error = a.tell(&untagged, &values, &Label::Number(1.0)).unwrap_err();
    assert_eq!(kind(&error), "ForeignQuery");
}

#[test]
fn a_file_of_another_session_or_a_newer_generation_is_not_overwritten() {
    let folder = std::env::temp_dir().join(format!("halfseen-session-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (path, other) = (folder.join("trial.json"), folder.join("elsewhere.json"));
    let learner = configured("aerr", &[]);
    let mut session = started(&*learner);
    for generation in 1..4 {
        session.save_to(&path).unwrap();
        assert_eq!(session.generation(), generation);
    }
    let [mut a, mut b] = [0, 1].map(|_| Session::load_from(&path).unwrap());
    assert_eq!((a.generation(), a.instance()), (3, 9));
    for copy in [&mut a, &mut b] {
        let query = copy.ask().unwrap();
        tell(copy, &query, 0);
    }
    a.save_to(&path).unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    let error = b.save_to(&path).unwrap_err();
    assert_eq!(kind(&error), "OlderGeneration");
    assert!(error.to_string().contains("generation 4"), "{error}");
    // Nor after it was saved elsewhere as often.
    b.save_to(&other).unwrap();
    b.save_to(&other).unwrap();
    assert_eq!(kind(&b.save_to(&path).unwrap_err()), "OlderGeneration");
    // The one that was there first is older now.
    assert_eq!(kind(&session.save_to(&path).unwrap_err()), "OlderGeneration");
    let mut stranger = Start::new(&*learner, NAMES).declared(declared()).begin().unwrap();
    let error = stranger.save_to(&path).unwrap_err();
    assert_eq!(kind(&error), "OtherInstance");
    assert!(error.to_string().contains("0000000000000009"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "it is as it was");
    // A backup that was put back is older, and no session is nobody's.
    std::fs::write(&path, std::fs::read_to_string(&other).unwrap()).unwrap();
    std::fs::write(&other, "a,b\n1,2\n").unwrap();
    stranger.save_to(&other).unwrap();
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing half written stays");
    let error = Session::load_from(folder.join("nowhere.json")).unwrap_err();
    assert_eq!(kind(&error), "FileAccess");
    assert_eq!(kind(&a.save_to(folder.join("no/folder.json")).unwrap_err()), "FileAccess");
    std::fs::remove_dir_all(&folder).unwrap();
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
fn reads_and_money_are_left_when_open_queries_are_paid_for() {
    for name in budgeted() {
        let learner = configured(&name, &[("total_budget", "60")]);
        let mut session = started(&*learner);
        session.set_total_cost(Some(40.0)).unwrap();
        let price = |query: &Query| {
            let paid = query.reads.iter().filter(|r| r.role != Role::Known).map(|r| r.panel);
            let panels: std::collections::BTreeSet<u32> = paid.collect();
            panels.iter().map(|&p| session_price(p)).sum::<f64>()
        };
        let (mut reads, mut cost, mut promised, mut n) = (0, 0.0, (0, 0.0), 0);
        let mut open = Vec::new();
        let error = loop {
            match session.ask() {
                Ok(query) => {
                    promised = (promised.0 + paid(&query), promised.1 + price(&query));
                    open.push(query);
                }
                Err(error) => break error,
            }
            n += 1;
            if n % 2 == 0 {
                let query = open.remove(0);
                promised = (promised.0 - paid(&query), promised.1 - price(&query));
                (reads, cost) = (reads + paid(&query), cost + price(&query));
                tell(&mut session, &query, n);
            }
            let left = session.remaining();
            assert_eq!((left.promised_reads, left.promised_cost), promised, "{name}");
            assert_eq!(left.reads, Some(60 - reads - promised.0), "{name}");
            assert_eq!(left.cost, Some(40.0 - cost - promised.1), "{name}");
        };
        assert!(["BudgetSpent", "CostSpent"].contains(&kind(&error).as_str()), "{name}: {error}");
        // A refused ask changes nothing, and is refused again after loading.
        let text = session.to_json().unwrap();
        let again = session.ask().unwrap_err().to_string();
        assert_eq!(again, error.to_string(), "{name}");
        assert_eq!(session.to_json().unwrap(), text, "{name}");
        let mut loaded = Session::from_json(&text).unwrap();
        assert_eq!(loaded.ask().unwrap_err().to_string(), again, "{name}");
        assert_eq!(loaded.remaining(), session.remaining());
        // What nobody will answer is free again, and asked as it would have been.
        open.iter().for_each(|query| session.forget(query.number).unwrap());
        session.ask().unwrap();
        assert!(session.report().spent <= 40.0);
        session.set_total_cost(None).unwrap();
        assert_eq!(session.remaining().cost, None);
    }
    let mut session = started(&*configured("fiml", &[]));
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(kind(&session.set_total_cost(Some(wrong)).unwrap_err()), "OutOfRange");
    }
}

/// The prices of [`declared`], by panel: the group comes first or last, as the layout has it.
fn session_price(panel: u32) -> f64 {
    let session = started(&*configured("fiml", &[]));
    session.panels().price(panel as usize)
}

#[test]
fn a_total_cost_ends_batches_too_and_asks_what_it_would_have() {
    let rows = Array2::from_shape_fn((50, 6), |(i, j)| cell(i as u64, j));
    let target = Target::Numbers((0..50).map(outcome).collect());
    for name in budgeted() {
        let learner = configured(&name, &[]);
        let mut session = started(&*learner);
        session.set_total_cost(Some(25.0)).unwrap();
        session.teach(&Matrix::F64(rows.clone()), &target, &Silent).unwrap();
        let report = session.report();
        assert_eq!(report.stop, halfseen::model::Stop::BudgetSpent, "{name}");
        assert!(report.spent <= 25.0 && report.spent > 15.0, "{name}: {}", report.spent);
        // The queries are those that there are without a limit.
        let mut free = started(&*learner);
        for person in 0..report.examples {
            let query = free.ask().unwrap();
            tell(&mut free, &query, person);
        }
        let bits = |s: &Session| s.model(&Silent).unwrap().predictor;
        assert_eq!(bits(&free), bits(&session), "{name}");
    }
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
fn the_reads_of_a_query_that_is_given_up_are_paid_for() {
    for name in budgeted() {
        let mut session = started(&*configured(&name, &[("total_budget", "40")]));
        session.set_total_cost(Some(100.0)).unwrap();
        let query = session.ask().unwrap();
        let before = session.report();
        let asked: Vec<String> =
            session.attributes_of(&query).unwrap().map(str::to_owned).collect();
        let known = usize::from(asked[0] == "age");
        session.tell_part(&query, &[(&asked[known], Answer::Value(1.0))], None).unwrap();
        session.forget(query.number).unwrap();
        let report = session.report();
        assert_eq!(report.examples, 0, "{name}");
        assert_eq!((report.skipped, report.distinct), (1, 1), "{name}");
        assert!(report.reads >= 1 && report.spent > before.spent, "{name}");
        let left = session.remaining();
        assert_eq!(left.reads, Some(40 - report.reads), "{name}");
        assert_eq!(left.cost, Some(100.0 - report.spent), "{name}");
        // Of one that nobody told anything of nothing was read.
        let query = session.ask().unwrap();
        session.forget(query.number).unwrap();
        assert_eq!(session.report(), report, "{name}");
        assert_eq!(kind(&session.forget(query.number).unwrap_err()), "NotOpen");
    }
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
        assert!(wrong.to_string().contains("none of the classes, ill, well"), "{wrong}");
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
    assert_eq!(kind(&error), "SeesWhole");
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

/// A learner that Python saved before there were sessions.
fn older(session: &Session) -> String {
    let mut file: Value = serde_json::from_str(&session.to_json().unwrap()).unwrap();
    let keys = ["learner", "prepare", "target", "classes", "bounds", "passed"];
    file.as_object_mut().unwrap().retain(|key, _| keys.contains(&key.as_str()));
    file.to_string()
}

#[test]
fn a_file_older_than_sessions_goes_on_with_its_open_queries() {
    for name in budgeted() {
        let learner = configured(&name, &[]);
        let mut session = started(&*learner);
        for person in 0..20 {
            let query = session.ask().unwrap();
            tell(&mut session, &query, person);
        }
        let mut queries = [session.ask().unwrap(), session.ask().unwrap(), session.ask().unwrap()];
        let mut old = Session::from_json(&older(&session)).unwrap();
        assert_ne!(old.instance(), 0);
        assert_eq!((old.generation(), old.open().count()), (0, 0));
        // Those queries had no tags.
        queries.iter_mut().for_each(|query| query.asker = 0);
        let values = answers(&old, &queries[0], 50);
        let edited = Query { exact: 9.0, ..queries[0].clone() };
        let error = old.tell(&edited, &values, &Label::Number(1.0)).unwrap_err();
        assert_eq!(kind(&error), "WrongAnswer", "{name}");
        tell(&mut old, &queries[0], 50);
        let asked: Vec<String> =
            old.attributes_of(&queries[1]).unwrap().map(str::to_owned).collect();
        old.tell_part(&queries[1], &[(&asked[0], Answer::Value(1.0))], None).unwrap();
        assert_eq!(old.open().count(), 1, "{name}");
        let mut old = Session::from_json(&old.to_json().unwrap()).unwrap();
        old.forget(queries[2].number).unwrap();
        old.forget(queries[1].number).unwrap();
        let error = old.tell(&queries[0], &values, &Label::Number(1.0)).unwrap_err();
        assert_eq!(kind(&error), "NotOpen", "{name}");
        let query = old.ask().unwrap();
        tell(&mut old, &query, 51);
    }
}

/// Written by the Python package before there were sessions, with one of two queries open answered
/// afterwards.
#[test]
fn files_that_python_wrote_before_are_loaded() {
    for text in [include_str!("saved/older_aerr.json"), include_str!("saved/older_fiml.json")] {
        let saved: Value = serde_json::from_str(text).unwrap();
        let mut session = Session::from_json(&saved["session"].to_string()).unwrap();
        let query: Query = serde_json::from_value(saved["query"].clone()).unwrap();
        assert_eq!(query.asker, 0);
        let numbers =
            |key: &str| -> Vec<f64> { serde_json::from_value(saved[key].clone()).unwrap() };
        let values: Vec<Answer> = numbers("values").into_iter().map(Answer::Value).collect();
        session.tell(&query, &values, &Label::Number(saved["target"].as_f64().unwrap())).unwrap();
        let weights = session.model(&Silent).unwrap().raw_weights().unwrap().0;
        assert_eq!(weights.len(), 4);
        for ((name, weight), expected) in weights.iter().zip(numbers("weights")) {
            assert!((weight - expected).abs() <= 1e-12 * expected.abs(), "{name}: {weight}");
        }
        // The other of the two, and then a session like any other.
        session.forget(query.number - 1).unwrap();
        let again = Session::from_json(&session.to_json().unwrap()).unwrap();
        assert_eq!(again.to_json().unwrap(), session.to_json().unwrap());
    }
}

#[test]
fn a_damaged_file_is_refused_with_its_key() {
    let mut session = started(&*configured("aerr", &[]));
    session.set_keep_reads(true);
    session.set_total_cost(Some(50.0)).unwrap();
    for person in 0..4 {
        let query = session.ask().unwrap();
        tell(&mut session, &query, person);
    }
    let query = session.ask().unwrap();
    let name = session.attributes_of(&query).unwrap().next().unwrap().to_owned();
    session.tell_part(&query, &[(&name, Answer::Value(1.0))], None).unwrap();
    let whole: Value = serde_json::from_str(&session.to_json().unwrap()).unwrap();
    Session::from_json(&whole.to_string()).unwrap();
    let refused = |change: &dyn Fn(&mut Value), expected: &str| {
        let mut damaged = whole.clone();
        change(&mut damaged);
        assert_ne!(damaged, whole);
        let error = Session::from_json(&damaged.to_string()).unwrap_err();
        assert_eq!((kind(&error).as_str(), key(&error)), ("BadFile", expected), "{error}");
    };
    refused(&|f| f["version"] = 2.into(), "version");
    refused(&|f| f["format"] = "halfseen-model".into(), "version");
    refused(&|f| f["colour"] = 2.into(), "");
    refused(&|f| f["classes"] = serde_json::json!(["a", "b", "c"]), "classes");
    refused(&|f| f["bounds"] = serde_json::json!({"low": [0.0], "high": [1.0]}), "bounds");
    refused(&|f| f["open"][0]["query"]["exact"] = 3.5.into(), "open");
    refused(&|f| f["open"][0]["query"]["reads"][0]["panel"] = 77.into(), "open");
    refused(&|f| f["open"][0]["query"]["learner"] = "00".into(), "open");
    refused(&|f| f["open"][0]["answers"] = serde_json::json!({"77": {"value": 1.0}}), "open");
    refused(&|f| f["open"] = serde_json::json!([]), "open");
    refused(&|f| f["unknown"] = serde_json::json!([4]), "open");
    refused(&|f| f["kept"][0]["answers"][0][0] = 77.into(), "kept");
    refused(&|f| f["kept"][0]["answers"][0][1] = serde_json::json!({"category": "a"}), "kept");
    refused(&|f| drop(f["prepare"]["schema"]["columns"].as_array_mut().unwrap().pop()), "prepare");
    refused(&|f| f["learner"]["state"]["ledger"]["open"] = serde_json::json!([]), "state");
}
