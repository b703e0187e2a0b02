//! Many queries open at once: steps shrink with the delay, so that no learner does worse than a constant.

mod common;

use common::{learner, singletons};
use halfseen::budget::{AskTell, Query};
use halfseen::model::Note;
use halfseen::prepare::Layout;
use halfseen::sampling::{Purpose, Stream};
use std::sync::Arc;

const STEPPERS: [&str; 10] =
    ["aer", "aerr", "aelr", "pnorm", "gaerr", "ddaerr", "ddaelr", "ddaerr-2p", "ddaelr-2p", "aesvr"];

fn row(seed: u64, i: usize) -> ([f64; 6], f64) {
    let mut stream = Stream::new(seed, Purpose::Data, i as u64);
    let x = [0; 6].map(|_| stream.normal());
    (x, (x[0] - 0.5 * x[1] + 0.3 * x[2] + 0.3 * stream.normal()) / 1.2)
}

/// R^2 on fresh rows after so many examples, asked for in batches of `open`.
fn r2(name: &str, settings: &[(&str, &str)], layout: &Arc<Layout>, open: usize, seed: u64) -> (f64, Box<dyn AskTell>) {
    let mut asked = learner(name, settings).start(layout).unwrap().unwrap();
    let mut i = 0;
    while i < 1000 {
        let batch: Vec<Query> = (i..(i + open).min(1000)).map(|_| asked.ask()).collect();
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
        let score: f64 = linear.intercept + x.iter().zip(&linear.weights).map(|(x, w)| x * w).sum::<f64>();
        error += (y - score).powi(2);
        square += y * y;
        sum += y;
    }
    (1.0 - error / (square - sum * sum / 1000.0), asked)
}

#[test]
fn late_answers_do_no_harm() {
    for by_reads in [false, true] {
        let layout = if by_reads { Arc::new(Layout::singletons(6).by_reads()) } else { singletons(6) };
        for horizon in ["auto", "1000"] {
            for name in STEPPERS {
                let mut line = format!("{by_reads} {horizon} {name}:");
                for open in [1, 10, 50, 200, 1000] {
                    let found: Vec<(f64, bool)> = (0..4)
                        .map(|seed| {
                            let text = seed.to_string();
                            let settings = [("budget", "3"), ("seed", &*text), ("horizon", horizon), ("phase1", "200")];
                            let (r2, asked) = r2(name, &settings, &layout, open, seed);
                            let notes = asked.report().notes;
                            (r2, notes.iter().any(|n| matches!(n, Note::NotShownBetter { .. })))
                        })
                        .collect();
                    let mean = found.iter().map(|(r, _)| r).sum::<f64>() / 4.0;
                    let least = found.iter().map(|(r, _)| *r).fold(f64::INFINITY, f64::min);
                    line += &format!(" {open}: {mean:.2} ({least:.2}, {} warn)", found.iter().filter(|f| f.1).count());
                }
                println!("{line}");
            }
        }
    }
}
