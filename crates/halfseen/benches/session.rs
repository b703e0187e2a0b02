//! Times a session: asking and telling whole and in parts, rows that show much, many open queries.
//!
//!     cargo bench -p halfseen --bench session
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::budget::Query;
use halfseen::data::Label;
use halfseen::learner::with;
use halfseen::registry::find;
use halfseen::sampling::{Purpose, Stream};
use halfseen::session::{Answer, Session, Start};
use std::hint::black_box;
use std::time::Instant;

/// Repetitions; the median and the least are printed.
const REPEATS: usize = 9;

fn started(name: &str, settings: &[(&'static str, &str)], attributes: usize) -> Session {
    let settings = settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let learner = with(find(name).unwrap(), &settings).unwrap();
    Start::new(&*learner, (0..attributes).map(|j| format!("attribute {j}"))).begin().unwrap()
}

/// Prints the median and the least microseconds of one of `count` calls of what `start` makes.
fn time<S>(what: &str, count: usize, mut start: impl FnMut() -> S, mut call: impl FnMut(&mut S)) {
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let mut state = start();
            let began = Instant::now();
            (0..count).for_each(|_| call(&mut state));
            began.elapsed().as_nanos() as f64 / 1e3 / count as f64
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    println!("{what:>64} {:>10.2} ({:.2})", times[REPEATS / 2], times[0]);
}

fn value(query: &Query, at: usize) -> Answer {
    Answer::Value(Stream::new(1, Purpose::Data, query.number + at as u64).unit() - 0.5)
}

fn named(session: &Session, query: &Query) -> Vec<(String, Answer)> {
    let names = session.attributes_of(query).unwrap().enumerate();
    names.map(|(at, name)| (name.to_owned(), value(query, at))).collect()
}

fn borrowed(answers: &[(String, Answer)]) -> Vec<(&str, Answer)> {
    answers.iter().map(|(name, answer)| (name.as_str(), answer.clone())).collect()
}

fn main() {
    println!("us per query, median (least) of {REPEATS}; one thread");
    for d in [100, 10_000] {
        for (name, settings) in
            [("aerr", &[("budget", "4")][..]), ("fiml", &[("budget", "4"), ("design", "uniform")])]
        {
            let start = || started(name, settings, d);
            time(&format!("{name}, 4 of {d}, told whole"), 2_000, start, |session| {
                let query = session.ask().unwrap();
                let count = session.attributes_of(&query).unwrap().count();
                let answers: Vec<Answer> = (0..count).map(|at| value(&query, at)).collect();
                session.tell(&query, &answers, &Label::Number(1.0)).unwrap();
            });
            time(&format!("{name}, 4 of {d}, one by one"), 2_000, start, |session| {
                let query = session.ask().unwrap();
                session.tell_part(&query, &[], Some(&Label::Number(1.0))).unwrap();
                for (name, answer) in named(session, &query) {
                    session.tell_part(&query, &[(&name, answer)], None).unwrap();
                }
            });
        }
    }
    let all: Vec<u32> = (0..784).collect();
    for (name, settings) in [
        ("aerr", [("passive", "all")]),
        ("aelr", [("passive", "one")]),
        ("fiml", [("passive", "all")]),
    ] {
        time(
            &format!("{name}, rows that show 784 attributes, told whole"),
            200,
            || started(name, &settings, 784),
            |session| {
                let query = session.ask_observed(&all).unwrap();
                let answers = named(session, &query);
                let target = Label::Number(1.0);
                session.tell_part(&query, &borrowed(&answers), Some(&target)).unwrap();
            },
        );
    }
    time(
        "fiml, rows that show 784 attributes, one by one",
        3,
        || started("fiml", &[("passive", "all")], 784),
        |session| {
            let query = session.ask_observed(&all).unwrap();
            session.tell_part(&query, &[], Some(&Label::Number(1.0))).unwrap();
            for (name, answer) in named(session, &query) {
                session.tell_part(&query, &[(&name, answer)], None).unwrap();
            }
        },
    );
    for open in [10, 10_000] {
        let start = || {
            let mut session = started("aerr", &[("budget", "4")], 100);
            session.set_total_cost(Some(1e9)).unwrap();
            (0..open).for_each(|_| drop(session.ask().unwrap()));
            (session, 0)
        };
        time(
            &format!("ask, and forget the oldest of {open} open"),
            2_000,
            start,
            |(session, old)| {
                session.ask().unwrap();
                session.forget(*old).unwrap();
                *old += 1;
            },
        );
    }
    let session = started("fiml", &[], 100);
    time(
        "whether answers may take long",
        2_000,
        || (),
        |()| {
            black_box(session.fits_to_answers());
        },
    );
    time(
        "the learner's name",
        2_000,
        || (),
        |()| {
            black_box(session.learner());
        },
    );
}
