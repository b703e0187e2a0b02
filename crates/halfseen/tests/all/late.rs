//! Many queries open at once: steps shrink with the delay, so that no learner does worse than a
//! constant.

use crate::common::{STEPPERS, learner, singletons};
use halfseen::budget::{AskTell, Query};
use halfseen::data::Layout;
use halfseen::model::Note;
use halfseen::sampling::{Purpose, Stream};
use std::sync::Arc;

fn row(seed: u64, i: usize) -> ([f64; 6], f64) {
    let mut stream = Stream::new(seed, Purpose::Data, i as u64);
    let x = [0; 6].map(|_| stream.normal());
    (x, (x[0] - 0.5 * x[1] + 0.3 * x[2] + 0.3 * stream.normal()) / 1.2)
}

/// R^2 on fresh rows after so many examples, asked for in batches of `open`.
fn r2(
    name: &str,
    settings: &[(&str, &str)],
    layout: &Arc<Layout>,
    open: usize,
    seed: u64,
) -> (f64, Box<dyn AskTell>) {
    let mut asked = learner(name, settings).start(layout).unwrap().unwrap();
    let mut i = 0;
    while i < 1000 {
        let batch: Vec<Query> = (i..(i + open).min(1000)).map(|_| asked.ask().unwrap()).collect();
        for query in batch {
            let (x, y) = row(seed, i);
            let values: Vec<f64> = query.reads.iter().map(|r| x[r.panel as usize]).collect();
            asked.tell(&query, &values, y).unwrap();
            i += 1;
        }
    }
    let linear = asked.predictor();
    let (mut error, mut square, mut sum) = (0.0, 0.0, 0.0);
    for i in 0..1000 {
        let (x, y) = row(seed + 1000, i);
        let score: f64 =
            linear.intercept + x.iter().zip(&linear.weights).map(|(x, w)| x * w).sum::<f64>();
        error += (y - score).powi(2);
        square += y * y;
        sum += y;
    }
    (1.0 - error / (square - sum * sum / 1000.0), asked)
}

/// In batches of 10 to 1,000, with and without a horizon, declared or not: none is worse than a
/// constant beyond chance, and what is learned from late answers is less than from answers in time,
/// not more noise.
#[test]
fn late_answers_do_no_harm() {
    for layout in [Layout::singletons(6), Layout::singletons(6).by_reads()] {
        let layout = Arc::new(layout);
        for horizon in ["auto", "1000"] {
            for name in STEPPERS {
                for open in [10, 50, 200, 1000] {
                    let runs = [0, 1, 2, 3].map(|seed: u64| {
                        let seed_text = seed.to_string();
                        let settings = [
                            ("budget", "3"),
                            ("seed", &*seed_text),
                            ("horizon", horizon),
                            ("phase1", "200"),
                        ];
                        r2(name, &settings, &layout, open, seed)
                    });
                    let mean = runs.iter().map(|(r2, _)| r2).sum::<f64>() / 4.0;
                    let what = format!(
                        "{name}, horizon {horizon}, scaled by reads {}, {open} open",
                        layout.scaled_by_reads()
                    );
                    assert!(mean > 0.0, "{what}: R^2 {mean}");
                    for (r2, asked) in &runs {
                        let report = asked.report();
                        assert_eq!(report.largest_delay, open as u64 - 1);
                        assert!(
                            report.notes.iter().any(|n| n.is_about("late-answers")) == (open > 10)
                        );
                        // Its own test cannot know that it is better: then it says so.
                        let warned =
                            report.notes.iter().any(|n| matches!(n, Note::NotShownBetter { .. }));
                        assert!(*r2 > 0.0 || warned, "{what}: R^2 {r2}, {:?}", report.notes);
                        assert!(open < 1000 || warned, "{what}: tested at w = 0 only");
                    }
                }
            }
        }
    }
}

/// A refused or forgotten query delays no other.
#[test]
fn delay_is_what_is_open() {
    for name in STEPPERS {
        let settings = [("budget", "3"), ("phase1", "200"), ("horizon", "auto")];
        let mut asked = learner(name, &settings).start(&singletons(6)).unwrap().unwrap();
        for i in 0..30 {
            let query = asked.ask().unwrap();
            assert_eq!(query.delay(), 0, "{name}");
            let values = vec![if i % 3 == 0 { f64::NAN } else { 0.5 }; query.parts.len()];
            if i % 5 == 0 {
                asked.forget(query.number).unwrap();
            } else {
                asked.tell(&query, &values, 1.0).unwrap();
            }
        }
        let open: Vec<Query> = (0..8).map(|_| asked.ask().unwrap()).collect();
        let delays: Vec<u64> = open.iter().map(Query::delay).collect();
        assert_eq!(delays, [0, 1, 2, 3, 4, 5, 6, 7], "{name}");
    }
}
