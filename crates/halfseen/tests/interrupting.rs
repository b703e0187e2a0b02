//! Measures how long each learner works between two looks at its monitor, and how soon it returns
//! after it was asked to stop.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod common;

use common::{Data, all, singletons};
use halfseen::learner::{Family, Learner};
use halfseen::model::{Predictor, Stop};
use halfseen::registry::label;
use halfseen::select::tested;
use halfseen::{ErrorKind, Monitor, Silent};
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
        let outcome = tested(learner, &data.examples(), &monitor);
        if let Err(error) = &outcome {
            let interrupted = matches!(error.kind(), ErrorKind::Interrupted { .. });
            assert!(interrupted, "{}: {error}", learner.name());
        }
        let state = monitor.look().clone();
        let late = state.asked.map_or(0.0, |asked| state.time - asked);
        (state, late)
    })
}

/// Returns the tables that a learner is watched on: rows and columns that take it up to some seconds,
/// or so many rows that a pass without a look would show.
fn tables(learner: &dyn Learner) -> Vec<Data> {
    let (rows, columns) = match (learner.family(), learner.name()) {
        (Family::Budget, "fiml") => (3_000, 30),
        (Family::Budget | Family::Full, _) => (20_000, 60),
        _ => (1_500, 60),
    };
    let data = |rows, columns| Data::random(rows, &singletons(columns), 5);
    let suited = |data: Data| {
        let data = data.for_learner(learner);
        if learner.needs().holes { data.holed() } else { data }
    };
    match (learner.family(), learner.name()) {
        // Long rows: one example alone takes long.
        (_, "fiml") => vec![suited(data(rows, columns)), suited(data(60, 1_000))],
        // Numbers take an eigendecomposition, which cannot look at a monitor: few rows.
        (Family::Missing, _) => {
            vec![suited(data(rows, columns).told()), suited(data(300, columns))]
        }
        _ => vec![suited(data(rows, columns))],
    }
}

#[test]
fn every_learner_looks_often_at_its_monitor_and_returns_soon_after_it_was_asked_to_stop() {
    for learner in all() {
        for data in tables(&*learner) {
            let (state, late) = watched(&*learner, &data, Duration::from_secs_f64(1.5));
            let (longest, place) = &state.longest;
            assert!(
                longest.max(late) < LONGEST,
                "{}: {longest:.3} s between two looks, {late:.3} s to return\n    {place}",
                label(&*learner)
            );
        }
    }
}

#[test]
fn a_fit_that_is_stopped_during_its_refits_returns_what_was_tested() {
    let mut learner = halfseen::registry::find("fiml").unwrap();
    learner.set("deviations", "1000").unwrap();
    let data = Data::random(1_000, &singletons(5), 5);
    let monitor = Gaps::new(Duration::from_secs(4));
    let fit = learner.fit(&data.examples(), &monitor).unwrap();
    assert_eq!((fit.report.stop, fit.report.converged), (Stop::Interrupted, false));
    assert!(fit.report.risk.is_some());
    let model = match fit.predictor {
        Predictor::Conditional(model) => model,
        Predictor::Curves(curves) => curves.conditional,
        other => panic!("{other:?}"),
    };
    assert!(model.deviations.is_empty() && model.linear.weights.iter().any(|w| *w != 0.0));
}

#[test]
fn predictions_look_at_their_monitor() {
    let learner = halfseen::registry::find("karma").unwrap();
    let data = Data::random(3_000, &singletons(20), 5).told();
    let fit = learner.fit(&data.examples().prefix(500), &Silent).unwrap();
    let whole = fit.predictor.scores(&data.examples()).unwrap();
    assert_eq!(fit.predictor.scores_while(&data.examples(), &Silent).unwrap(), whole);
    assert_eq!(whole.len(), 3_000);
    let error =
        fit.predictor.scores_while(&data.examples(), &Gaps::new(Duration::ZERO)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Interrupted { .. }), "{error}");
}
