//! Checks that logs are replayed, and that reads and money are counted, open queries included.

use crate::common::collecting::{
    NAMES, answers, cell, configured, each, outcome, paid, started, tell,
};
use crate::common::{budgeted, kind};
use halfseen::Silent;
use halfseen::budget::{Query, Role};
use halfseen::data::{Label, Matrix, Target};
use halfseen::prepare::Options;
use halfseen::sampling::{Purpose, Stream};
use halfseen::session::{Answer, Session, Start};
use ndarray::Array2;

/// What happened to queries, in order.
#[derive(Debug)]
enum Event {
    Asked(Query),
    Told(Query, Vec<Answer>, f64),
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
        log.push(Event::Told(query, values, target));
    }
    for query in open {
        session.forget(query.number).unwrap();
        log.push(Event::Forgotten(query.number));
    }
    log
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
                Event::Told(query, values, target) => {
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
                Event::Told(query, values, target) => Some((query, values, *target)),
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

#[test]
fn queries_that_came_and_went_leave_nothing_behind() {
    let prices = [0.1, 0.7, 1e-9, 123.456, 0.3, 1e5 + 0.1];
    let prices = NAMES.iter().map(|name| (*name).to_owned()).zip(prices).collect();
    let options = Options { prices, ..Options::default() };
    let learner = configured("aerr", &[]);
    let mut session = Start::new(&*learner, NAMES).declared(options).begin().unwrap();
    session.set_total_cost(Some(1e7)).unwrap();
    let (mut stream, mut open) = (Stream::new(4, Purpose::Data, 0), Vec::new());
    for _ in 0..3000 {
        open.push(session.ask().unwrap().number);
        if open.len() > 40 {
            session.forget(open.swap_remove(stream.below(open.len()))).unwrap();
        }
    }
    // One that was loaded has added up nothing but what is open.
    let mut loaded = Session::from_json(&session.to_json().unwrap()).unwrap();
    let spent = |session: &mut Session| {
        let error = std::iter::repeat_with(|| session.ask()).find_map(Result::err).unwrap();
        (kind(&error), error.to_string(), session.remaining())
    };
    let found = spent(&mut session);
    assert_eq!(found.0, "CostSpent");
    assert_eq!(found, spent(&mut loaded));
    let open: Vec<u64> = session.open().map(|open| open.query.number).collect();
    open.into_iter().for_each(|number| session.forget(number).unwrap());
    session.ask().unwrap();
    assert!(session.remaining().promised_cost > 0.0);
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
