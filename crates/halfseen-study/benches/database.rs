//! Times single durable calls of 32 clients of a study in PostgreSQL beside empty transactions.
//!
//!     scripts/with-postgres.sh cargo bench -p halfseen-study --features postgres --bench database
//!
//! An empty transaction writes one row. First one client makes calls, then 32 at once; each is asked
//! for new subjects (20 attributes, 4 reads each) and tells all answers to an ask in one call.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::Silent;
use halfseen_study::{Answers, Ask, Attribute, By, Setup, Study, StudySchema, Subjects, Telling};
use std::time::Instant;

/// Calls of each kind, of all clients together.
const CALLS: usize = 3_200;

fn main() {
    let Ok(url) = std::env::var("HALFSEEN_POSTGRES") else {
        println!("HALFSEEN_POSTGRES names no database; scripts/with-postgres.sh starts one");
        return;
    };
    println!("{:<34}{:>10}{:>12}{:>10}", "", "a second", "median ms", "p99 ms");
    for clients in [1, 32] {
        let (path, by) = (format!("postgres:bench{clients}"), By::now("bench"));
        let attributes = (0..20).map(|at| Attribute::number(&format!("a{at}"))).collect();
        let schema = StudySchema { attributes, target: Attribute::number("y") };
        let setup = Setup::new(schema, "fiml", &[("budget".to_owned(), "4".to_owned())]).unwrap();
        Study::create(&path, &setup, &by).unwrap();
        let connect = || ::postgres::Client::connect(&url, ::postgres::NoTls).unwrap();
        connect()
            .batch_execute("DROP TABLE IF EXISTS empty; CREATE TABLE empty (x BIGINT)")
            .unwrap();
        let each = CALLS / clients;
        let empty = all(clients, |_| {
            let mut client = connect();
            let mut call =
                || client.batch_execute("BEGIN; INSERT INTO empty VALUES (1); COMMIT").unwrap();
            (0..each).map(|_| seconds(&mut call)).collect()
        });
        let empty = rate(&format!("empty transaction, {clients} clients"), empty);
        let next = all(clients, |client| {
            let mut study = Study::open(&path).unwrap();
            let call = |at: usize| {
                let name = [format!("p{client}-{at}")];
                seconds(&mut || {
                    drop(study.next(Subjects::Named(&name), None, &by, &Silent).unwrap())
                })
            };
            (0..each).map(call).collect()
        });
        let next = rate(&format!("next, {clients} clients"), next);
        let tell = all(clients, |client| {
            let mut study = Study::open(&path).unwrap();
            let names: Vec<String> = (0..each).map(|at| format!("p{client}-{at}")).collect();
            let asks = study.next(Subjects::Named(&names), None, &by, &Silent).unwrap();
            let mut call = |ask: &Ask| {
                let row = [answers(ask)];
                seconds(&mut || drop(study.tell(&row, &Telling::default(), &by).unwrap()))
            };
            asks.iter().map(&mut call).collect()
        });
        let tell = rate(&format!("tell, {clients} clients"), tell);
        let pair = 1.0 / (1.0 / next + 1.0 / tell);
        println!("{:<34}{pair:>10.0}", "next and tell");
        println!("{:<34}{:>10.2}", "of half the empty rate", pair / (empty / 2.0));
    }
}

fn answers(ask: &Ask) -> Answers {
    let target = "y".to_owned();
    let cells = ask.attributes.iter().chain([&target]).map(|name| (name.clone(), "1.5".to_owned()));
    Answers { line: 1, subject: ask.subject.clone(), ask: None, cells: cells.collect() }
}

/// Runs clients at once; returns the seconds of their calls, and of all together.
fn all(clients: usize, run: impl Fn(usize) -> Vec<f64> + Sync) -> (Vec<f64>, f64) {
    let began = Instant::now();
    let run = &run;
    let calls = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|client| scope.spawn(move || run(client))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    (calls, began.elapsed().as_secs_f64())
}

fn seconds(call: &mut impl FnMut()) -> f64 {
    let began = Instant::now();
    call();
    began.elapsed().as_secs_f64()
}

/// Prints calls a second of all clients together, the median and the 99th percentile.
fn rate(name: &str, (mut calls, whole): (Vec<f64>, f64)) -> f64 {
    let rate = calls.len() as f64 / whole;
    calls.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| 1e3 * calls[(share * (calls.len() - 1) as f64) as usize];
    println!("{name:<34}{rate:>10.0}{:>12.3}{:>10.3}", at(0.5), at(0.99));
    rate
}
