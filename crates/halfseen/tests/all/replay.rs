//! Checks that logs of queries and answers are replayed, that reads and money are counted with
//! open queries included, and that copies draw what the learner draws.

use crate::common::{Data, budgeted, kind, layout, learner, started};
use halfseen::budget::{AskTell, Query, ReadRole};
use halfseen::data::Layout;
use halfseen::registry::load;
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Learner, Silent};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A known panel, one of two columns, prices.
fn priced() -> Arc<Layout> {
    let layout = layout(&[1, 2, 1, 1], &[1]);
    Arc::new(Layout::clone(&layout).with_prices(vec![1.0, 3.0, 0.5, 1.0]).unwrap())
}

fn data() -> Data {
    Data::random(400, &priced(), 8)
}

const SETTINGS: [(&str, &str); 3] = [("average", "all"), ("budget", "2"), ("seed", "3")];

fn with(name: &str, settings: &[(&str, &str)]) -> Box<dyn Learner> {
    learner(name, &[&SETTINGS[..], settings].concat())
}

fn begun(learner: &dyn Learner) -> Box<dyn AskTell> {
    learner.start(&priced()).unwrap().unwrap()
}

/// Each learner that asks, and as a passive one if it can be that.
fn each(check: impl Fn(&str, &dyn Learner, bool)) {
    for name in budgeted() {
        check(&name, &*with(&name, &[]), false);
        if with(&name, &[]).get("passive").is_some() {
            check(&name, &*with(&name, &[("passive", "all")]), true);
        }
    }
}

fn asked(learner: &mut dyn AskTell, observed: Option<&[u32]>) -> Query {
    let mut query = Query::default();
    match observed {
        Some(observed) => learner.ask_observed_into(observed, &mut query).unwrap(),
        None => learner.ask_into(&mut query).unwrap(),
    }
    query
}

fn paid(query: &Query) -> u64 {
    query.reads.iter().filter(|read| read.role != ReadRole::Known).count() as u64
}

fn cost(query: &Query) -> f64 {
    let paid = query.reads.iter().filter(|read| read.role != ReadRole::Known);
    let panels: BTreeSet<u32> = paid.map(|read| read.panel).collect();
    panels.into_iter().map(|panel| priced().price(panel as usize)).sum()
}

/// What happened to queries, in order.
#[derive(Debug)]
enum Event {
    Asked(Query),
    Told(Query, Vec<f64>, f64),
    Forgotten(u64),
}

/// Collects with up to eight queries open, answered out of order, some with holes, some never.
fn collected(learner: &mut dyn AskTell, passive: bool) -> Vec<Event> {
    let (data, mut stream) = (data(), Stream::new(8, Purpose::Data, 0));
    let (mut log, mut open) = (Vec::new(), Vec::<Query>::new());
    for _ in 0..120 {
        while open.len() < 8 {
            let shown: Vec<u32> = (0..4).filter(|_| passive && stream.unit() < 0.7).collect();
            let query = asked(learner, passive.then_some(&shown));
            log.push(Event::Asked(query.clone()));
            open.push(query);
        }
        let query = open.remove(stream.below(open.len()));
        if stream.unit() < 0.1 {
            learner.forget(query.number).unwrap();
            log.push(Event::Forgotten(query.number));
            continue;
        }
        let row = query.number as usize;
        let mut values = data.answer(&query, row);
        if let Some(last) = values.last_mut().filter(|_| stream.unit() < 0.1) {
            *last = f64::NAN;
        }
        learner.tell(&query, &values, data.y[row]).unwrap();
        log.push(Event::Told(query, values, data.y[row]));
    }
    for query in open {
        learner.forget(query.number).unwrap();
        log.push(Event::Forgotten(query.number));
    }
    log
}

#[test]
fn a_log_that_is_adopted_and_told_gives_the_same_bits() {
    each(|name, learner, passive| {
        let (mut first, mut again) = (begun(learner), begun(learner));
        for event in &collected(&mut *first, passive) {
            match event {
                Event::Asked(query) => again.adopt(query).unwrap(),
                Event::Told(query, values, target) => {
                    again.tell(query, values, *target).map(drop).unwrap();
                }
                Event::Forgotten(number) => again.forget(*number).unwrap(),
            }
        }
        assert_eq!(again.save().unwrap(), first.save().unwrap(), "{name}");
        let bits = |one: &dyn AskTell| one.fitted(&Silent).unwrap().predictor;
        assert_eq!(bits(&*again), bits(&*first), "{name}");
        // Both ask the same from here on.
        let all = passive.then_some(&[0, 1, 2, 3][..]);
        assert_eq!(asked(&mut *again, all), asked(&mut *first, all), "{name}");
    });
}

/// A study's replay: queries and answers in the order of their numbers, not of arrival, though
/// draws changed in between; those without an answer are left out.
#[test]
fn a_log_can_be_told_in_the_order_of_its_numbers() {
    each(|name, learner, passive| {
        let mut first = begun(learner);
        let log = collected(&mut *first, passive);
        let mut told: Vec<_> = log
            .iter()
            .filter_map(|event| match event {
                Event::Told(query, values, target) => Some((query, values, *target)),
                _ => None,
            })
            .collect();
        told.sort_by_key(|(query, ..)| query.number);
        let clean = |half: bool| {
            let mut again = begun(learner);
            for (at, (query, values, target)) in told.iter().enumerate() {
                again.adopt(query).unwrap();
                if half && at == told.len() / 2 {
                    // Saved with an adopted query open.
                    again = load(&again.save().unwrap()).unwrap();
                }
                again.tell(query, values, *target).unwrap();
            }
            again
        };
        let once = clean(false);
        assert_eq!(once.save().unwrap(), clean(true).save().unwrap(), "{name}");
        let report = once.report();
        assert_eq!(report.examples + report.skipped, told.len() as u64, "{name}");
        assert_eq!(report.distinct, first.report().distinct, "{name}");
    });
}

#[test]
fn what_cannot_be_adopted_is_refused_and_changes_nothing() {
    each(|name, learner, passive| {
        let mut source = begun(learner);
        let all = passive.then_some(&[0, 1, 2, 3][..]);
        let queries = [0; 3].map(|_| asked(&mut *source, all));
        let mut one = begun(learner);
        one.adopt(&queries[1]).unwrap();
        let before = one.save().unwrap();
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
            let error = one.adopt(query).unwrap_err();
            assert_eq!(kind(&error), expected, "{name}: {error}");
        }
        assert_eq!(one.save().unwrap(), before, "{name}");
        one.adopt(&queries[2]).unwrap();
        let data = data();
        one.tell(&queries[2], &data.answer(&queries[2], 2), data.y[2]).unwrap();
        let error = one.adopt(&queries[2]).unwrap_err();
        assert_eq!(kind(&error), "NumberUsed", "{name}");
        let passive = if passive { "all" } else { "no" };
        let poor = with(name, &[("total_budget", "50"), ("passive", passive)]);
        let error = begun(&*poor).adopt(&queries[1]).err();
        assert_eq!(error.map(|e| kind(&e)).as_deref(), Some("WrongLearner"), "{name}");
    });
}

#[test]
fn adopted_queries_count_against_the_total_budget() {
    for name in budgeted() {
        let learner = with(&name, &[("total_budget", "20")]);
        let (mut source, mut one) = (begun(&*learner), begun(&*learner));
        while let Ok(query) = source.ask() {
            one.adopt(&query).unwrap();
        }
        assert_eq!(one.report().unused, source.report().unused, "{name}");
        let (a, b) = (one.ask().unwrap_err(), source.ask().unwrap_err());
        assert_eq!((kind(&a), a.to_string()), ("BudgetSpent".to_owned(), b.to_string()), "{name}");
    }
}

#[test]
fn reads_and_money_are_spent_when_open_queries_are_paid_for() {
    let data = data();
    for name in budgeted() {
        let learner = with(&name, &[("total_budget", "60"), ("total_cost", "40")]);
        let mut one = begun(&*learner);
        let (mut promised, mut money, mut n) = (0, 0.0, 0);
        let mut open: Vec<Query> = Vec::new();
        let error = loop {
            match one.ask() {
                Ok(query) => {
                    (promised, money) = (promised + paid(&query), money + cost(&query));
                    open.push(query);
                }
                Err(error) => break error,
            }
            n += 1;
            if n % 2 == 0 {
                let query = open.remove(0);
                one.tell(&query, &data.answer(&query, n), data.y[n]).unwrap();
            }
            assert_eq!(one.report().unused, Some(60 - promised), "{name}");
            assert!(money <= 40.0, "{name}: {money}");
        };
        assert!(["BudgetSpent", "CostSpent"].contains(&kind(&error).as_str()), "{name}: {error}");
        // A refused ask changes nothing, and is refused again after loading.
        let state = one.save().unwrap();
        let again = one.ask().unwrap_err().to_string();
        assert_eq!(again, error.to_string(), "{name}");
        assert_eq!(one.save().unwrap(), state, "{name}");
        assert_eq!(load(&state).unwrap().ask().unwrap_err().to_string(), again, "{name}");
        // What nobody will answer is free again, and asked as it would have been.
        open.iter().for_each(|query| one.forget(query.number).unwrap());
        one.ask().unwrap();
        assert!(one.report().spent <= 40.0);
    }
}

#[test]
fn queries_that_came_and_went_leave_nothing_behind() {
    let prices = vec![0.1, 0.7, 1e-9, 123.456, 0.3, 1e5 + 0.1];
    let priced = Arc::new(Layout::singletons(6).with_prices(prices).unwrap());
    let mut one = started("aerr", &[&SETTINGS[..], &[("total_cost", "1e7")]].concat(), &priced);
    let (mut stream, mut open) = (Stream::new(4, Purpose::Data, 0), Vec::new());
    for _ in 0..3000 {
        open.push(one.ask().unwrap().number);
        if open.len() > 40 {
            one.forget(open.swap_remove(stream.below(open.len()))).unwrap();
        }
    }
    // One that was loaded has added up nothing but what is open.
    let mut loaded = load(&one.save().unwrap()).unwrap();
    let mut spent = |one: &mut dyn AskTell| loop {
        match one.ask() {
            Ok(query) => open.push(query.number),
            Err(error) => break (kind(&error), error.to_string()),
        }
    };
    let refusal = spent(&mut *one);
    assert_eq!(refusal.0, "CostSpent");
    assert_eq!(refusal, spent(&mut *loaded));
    open.sort_unstable();
    open.dedup();
    open.into_iter().for_each(|number| one.forget(number).unwrap());
    one.ask().unwrap();
}

#[test]
fn a_copy_that_draws_draws_what_the_learner_draws() {
    let data = data();
    for name in budgeted() {
        let mut one = begun(&*with(&name, &[]));
        let mut open = Vec::new();
        for row in 0..240 {
            let query = one.ask().unwrap();
            if row % 40 == 7 {
                open.push(query);
            } else {
                one.tell(&query, &data.answer(&query, row), data.y[row]).unwrap();
            }
        }
        let state = one.save_to_draw().unwrap();
        let mut copy = load(&state).unwrap();
        assert_eq!(copy.save().unwrap(), state, "{name}");
        for number in [0, 0, 250, 400, 0, 1_000_000] {
            if number > 0 {
                one.skip_to(number).unwrap();
                copy.skip_to(number).unwrap();
            }
            assert_eq!(copy.ask().unwrap(), one.ask().unwrap(), "{name}");
        }
        assert_eq!(kind(&copy.skip_to(400).unwrap_err()), "NumberUsed", "{name}");
        if name == "fiml" {
            assert_eq!(kind(&copy.fitted(&Silent).map(drop).unwrap_err()), "Request");
        } else {
            // Learners with steps have what a model is made of.
            assert_eq!(copy.predictor(), one.predictor(), "{name}");
        }
    }
}

/// A study's wave: a learner made of observations draws, through its copy, what one that asked would
/// have drawn.
#[test]
fn a_wave_is_drawn_from_observations() {
    let data = data();
    for (design, phase) in [("uniform", 0), ("adaptive", 1)] {
        let learner = with("fiml", &[("design", design)]);
        let (mut asking, mut seen) = (begun(&*learner), begun(&*learner));
        for row in 0..150 {
            let query = asking.ask().unwrap();
            let values = data.answer(&query, row);
            let slots = query.reads.iter().flat_map(|r| data.layout.slots_of(r.panel as usize));
            let mut cells: Vec<(u32, f64)> =
                slots.map(|slot| slot as u32).zip(values.iter().copied()).collect();
            cells.sort_unstable_by_key(|(slot, _)| *slot);
            asking.tell(&query, &values, data.y[row]).unwrap();
            seen.observe(row as u64, &cells, Some(data.y[row])).unwrap();
        }
        let mut copy = load(&seen.save_to_draw().unwrap()).unwrap();
        for number in 200..260 {
            copy.skip_to(number).unwrap();
            asking.skip_to(number).unwrap();
            let (drawn, expected) = (copy.ask().unwrap(), asking.ask().unwrap());
            assert_eq!((drawn.phase, drawn == expected), (phase, true));
        }
    }
    let stepping = begun(&*with("aerr", &[])).observe(0, &[(0, 1.0)], None).unwrap_err();
    assert_eq!(kind(&stepping), "Request");
}
