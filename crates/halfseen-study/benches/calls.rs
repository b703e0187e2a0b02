//! Times single durable calls of a study beside empty transactions on the same disk.
//!
//!     cargo bench -p halfseen-study --bench calls
//!     cargo bench -p halfseen-study --bench calls -- 1000000          with 10^6 subjects before
//!     cargo bench -p halfseen-study --bench calls -- design=uniform   with a parameter of fiml
//!
//! An empty transaction is one of SQLite with WAL and full synchronisation that writes one row; all
//! kinds of calls alternate in blocks, so that they meet the same disk. `next` is for one new
//! subject of a study of 20 attributes, 4 reads each; `tell` stores one answer of five values.
//! Where HALFSEEN_OPTUNA names a Python that has Optuna, its `ask` and `tell` on SQLite are timed
//! too. Files go to the folder that TMPDIR names.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::Silent;
use halfseen_study::{Answers, Ask, Attribute, By, Setup, Study, StudySchema, Subjects, Telling};
use std::path::Path;
use std::time::Instant;

/// Calls of each kind in a block, and the number of blocks.
const BLOCK: usize = 100;
const BLOCKS: usize = 20;
/// Subjects of one transaction where many are made.
const WAVE: u64 = 10_000;

/// Calls Optuna on the study file of its first argument, as often as its second says.
const OPTUNA: &str = "
import sys, time, optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
study = optuna.create_study(storage='sqlite:///' + sys.argv[1], sampler=optuna.samplers.RandomSampler(seed=1))
space = {f'a{i}': optuna.distributions.FloatDistribution(0, 1) for i in range(4)}
for _ in range(int(sys.argv[2])):
    began = time.perf_counter()
    study.tell(study.ask(space), 1.0)
    print(time.perf_counter() - began)
";

fn main() {
    let subjects = std::env::args().skip(1).find_map(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let folder = tempfile::tempdir().unwrap();
    let (path, by) = (folder.path().join("trial.hs"), By::now("bench"));
    let mut study = Study::create(&path, &setup(), &by).unwrap();
    if subjects > 0 {
        fill(&mut study, subjects, &by);
        drop(study);
        study = opened(&path, &by);
    }
    let empty = rusqlite::Connection::open(folder.path().join("empty.db")).unwrap();
    let begin = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (x);";
    empty.execute_batch(begin).unwrap();
    let (mut empties, mut nexts, mut tells) = (Vec::new(), Vec::new(), Vec::new());
    for block in 0..BLOCKS {
        for _ in 0..BLOCK {
            empties.push(seconds(|| {
                empty.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES (1); COMMIT").unwrap();
            }));
        }
        let mut asks = Vec::new();
        for call in 0..BLOCK {
            let name = [format!("p{block}-{call}")];
            nexts.push(seconds(|| {
                asks.extend(study.next(Subjects::Named(&name), None, &by, &Silent).unwrap());
            }));
        }
        for ask in &asks {
            let row = [answers(ask)];
            tells.push(seconds(|| drop(study.tell(&row, &Telling::default(), &by).unwrap())));
        }
    }
    println!("{:<34}{:>10}{:>12}{:>10}", "", "a second", "median ms", "p99 ms");
    let (empty, next, tell) =
        (rate("empty transaction", empties), rate("next", nexts), rate("tell", tells));
    let pair = 1.0 / (1.0 / next + 1.0 / tell);
    let share = pair / (empty / 2.0);
    println!("{:<34}{pair:>10.0}", "next and tell");
    println!("{:<34}{share:>10.2}", "of half the empty rate");
    if let Some(python) = std::env::var_os("HALFSEEN_OPTUNA") {
        let file = folder.path().join("optuna.db");
        let run =
            std::process::Command::new(python).args(["-c", OPTUNA]).arg(file).arg("300").output();
        let text = String::from_utf8(run.unwrap().stdout).unwrap();
        rate("Optuna, ask and tell", text.lines().map(|line| line.parse().unwrap()).collect());
    }
}

fn setup() -> Setup {
    let attributes = (0..20).map(|at| Attribute::number(&format!("a{at}"))).collect();
    let schema = StudySchema { attributes, target: Attribute::number("y") };
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let given: Vec<String> = std::env::args().collect();
    let settings = given.iter().filter_map(|text| text.split_once('=')).chain([("budget", "4")]);
    Setup::new(schema, "fiml", &settings.map(own).collect::<Vec<_>>()).unwrap()
}

/// Asks for this many subjects in waves, and tells all answers.
fn fill(study: &mut Study, subjects: u64, by: &By) {
    let began = Instant::now();
    let mut left = subjects;
    while left > 0 {
        let count = left.min(WAVE);
        let asks = study.next(Subjects::Count(count), None, by, &Silent).unwrap();
        let rows: Vec<Answers> = asks.iter().map(answers).collect();
        study.tell(&rows, &Telling::default(), by).unwrap();
        left -= count;
    }
    let seconds = began.elapsed().as_secs_f64();
    let rate = (subjects * 5) as f64 / seconds;
    println!("{subjects} subjects in waves of {WAVE}: {seconds:.0} s, {rate:.0} answers a second");
}

/// Opens the study, with the times of this, of its first ask and of its model.
fn opened(path: &Path, by: &By) -> Study {
    let began = Instant::now();
    let mut study = Study::open(path).unwrap();
    println!("opening: {:.4} s", began.elapsed().as_secs_f64());
    let name = ["first".to_owned()];
    let first = seconds(|| drop(study.next(Subjects::Named(&name), None, by, &Silent).unwrap()));
    println!("first ask: {first:.4} s");
    println!("status: {:.2} s", seconds(|| drop(study.status(by).unwrap())));
    println!("model: {:.2} s", seconds(|| drop(study.model(&Silent).unwrap())));
    println!("the same model again: {:.2} s", seconds(|| drop(study.model(&Silent).unwrap())));
    study
}

fn answers(ask: &Ask) -> Answers {
    let target = "y".to_owned();
    let cells = ask.attributes.iter().chain([&target]).map(|name| {
        // Any numbers that are not all the same.
        let value = (ask.number * 7 + name.len() as u64 * 13) % 17;
        (name.clone(), format!("{value}.5"))
    });
    Answers { line: 1, subject: ask.subject.clone(), ask: None, cells: cells.collect() }
}

fn seconds(call: impl FnOnce()) -> f64 {
    let began = Instant::now();
    call();
    began.elapsed().as_secs_f64()
}

/// Prints calls a second, the median and the 99th percentile; returns the first.
fn rate(name: &str, mut seconds: Vec<f64>) -> f64 {
    let rate = seconds.len() as f64 / seconds.iter().sum::<f64>();
    seconds.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| 1e3 * seconds[(share * (seconds.len() - 1) as f64) as usize];
    println!("{name:<34}{rate:>10.0}{:>12.3}{:>10.3}", at(0.5), at(0.99));
    rate
}
