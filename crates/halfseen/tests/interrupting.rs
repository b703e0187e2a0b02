//! Measures how long each learner works between two looks at its monitor, and how soon it returns
//! after it was asked to stop.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod common;

use common::{Data, all, singletons};
use halfseen::learner::{Family, Learner};
use halfseen::registry::label;
use halfseen::select::tested;
use halfseen::{ErrorKind, Monitor};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Longest processor time between two looks, in seconds.
const LONGEST: f64 = 0.2;

/// Returns the processor time of this thread in seconds; wall time where the system does not tell.
fn processor_time(began: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| began.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

/// Monitor of work on a single thread that keeps the longest time between two looks.
struct Gaps {
    began: Instant,
    /// Time after which it asks the work to stop.
    patience: Duration,
    state: Mutex<State>,
}

#[derive(Clone)]
struct State {
    wall: Instant,
    time: f64,
    looks: u64,
    /// Longest time between two looks, and what looked after it.
    longest: (f64, String),
    /// When it first asked to stop.
    asked: Option<f64>,
}

impl Gaps {
    fn new(patience: Duration) -> Gaps {
        let began = Instant::now();
        let state = State {
            wall: began,
            time: processor_time(began),
            looks: 0,
            longest: (0.0, String::new()),
            asked: None,
        };
        Gaps { began, patience, state: Mutex::new(state) }
    }

    /// Reads the clocks at most every millisecond of wall time.
    fn look(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap();
        state.looks += 1;
        if state.wall.elapsed() > Duration::from_millis(1) {
            let time = processor_time(self.began);
            let gap = time - state.time;
            if gap > state.longest.0 {
                let place = if gap > 0.5 * LONGEST { caller() } else { String::new() };
                state.longest = (gap, place);
            }
            (state.wall, state.time) = (Instant::now(), time);
        }
        state
    }
}

/// Returns the functions of this project that are being called, the innermost first.
fn caller() -> String {
    let trace = std::backtrace::Backtrace::force_capture().to_string();
    let ours = trace.lines().filter(|line| line.contains("halfseen") && !line.contains("Gaps"));
    ours.map(str::trim).take(8).collect::<Vec<_>>().join("\n    ")
}

impl Monitor for Gaps {
    fn progress(&self, _: u64, _: u64) {}

    fn should_stop(&self) -> bool {
        let mut state = self.look();
        let stop = self.began.elapsed() > self.patience;
        if stop && state.asked.is_none() {
            state.asked = Some(state.time);
        }
        stop
    }
}

/// Fits on one thread; returns the longest time between two looks, and from the request to stop to
/// the return.
fn watched(learner: &dyn Learner, data: &Data, patience: Duration) -> (State, f64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let monitor = Gaps::new(patience);
        let found = tested(learner, &data.examples(), &monitor);
        if let Err(error) = &found {
            let interrupted = matches!(error.kind(), ErrorKind::Interrupted { .. });
            assert!(interrupted, "{}: {error}", learner.name());
        }
        let state = monitor.look().clone();
        let late = state.asked.map_or(0.0, |asked| state.time - asked);
        (state, late)
    })
}

#[test]
fn every_learner_looks_at_its_monitor_and_returns_soon_after_it_was_asked_to_stop() {
    let scale: f64 = std::env::var("SCALE").ok().map_or(1.0, |s| s.parse().unwrap());
    let only = std::env::var("ONLY").unwrap_or_default();
    let patience = std::env::var("PATIENCE").ok().map_or(10.0, |s| s.parse().unwrap());
    let mut late = Vec::new();
    for learner in all() {
        if !label(&*learner).contains(&only) {
            continue;
        }
        let (rows, columns) = match (learner.family(), learner.name()) {
            (Family::Budget, "fiml") => (4_000, 30),
            (Family::Budget | Family::Full, _) => (20_000, 60),
            _ => (1_500, 60),
        };
        let rows = (scale * rows as f64) as usize;
        let data = Data::random(rows, &singletons(columns), 5).for_learner(&*learner);
        let began = Instant::now();
        let (state, after) = watched(&*learner, &data, Duration::from_secs_f64(patience));
        println!(
            "{:20} {:.2} s, {} looks, longest {:.3}, to return {:.3}\n    {}",
            label(&*learner),
            began.elapsed().as_secs_f64(),
            state.looks,
            state.longest.0,
            after,
            state.longest.1
        );
        if state.longest.0.max(after) > LONGEST {
            late.push(label(&*learner).to_owned());
        }
    }
    assert!(late.is_empty(), "{late:?}");
}

#[test]
fn tmp_times_of_decompositions() {
    use faer::{Mat, Par};
    let sizes = std::env::var("SIZES").unwrap_or_default();
    for n in sizes.split(',').filter_map(|s| s.parse::<usize>().ok()) {
        let mut stream = halfseen::sampling::Stream::new(1, halfseen::sampling::Purpose::Data, 0);
        let x = Mat::from_fn(n, n, |_, _| stream.normal());
        let began = Instant::now();
        let now = || processor_time(began);
        let t = now();
        let mut gram = Mat::zeros(n, n);
        faer::linalg::matmul::matmul(
            gram.as_mut(),
            faer::Accum::Replace,
            x.as_ref(),
            x.transpose(),
            1.0,
            Par::Seq,
        );
        println!("{n}: product {:.2}", now() - t);
        (0..n).for_each(|i| gram[(i, i)] += 1.0);
        let t = now();
        halfseen_solve::cholesky::Factor::new(gram.clone(), Par::Seq).unwrap();
        println!("{n}: cholesky {:.2}", now() - t);
        let t = now();
        halfseen_solve::eigen(gram.as_ref()).unwrap();
        println!("{n}: eigen {:.2}", now() - t);
    }
}
