//! Passes once over examples: asks, reads what was asked for and nothing else, tells.

use super::observed::panels_of;
use super::query::{AskTell, Query};
use crate::data::Examples;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Fit, Stop};
use crate::monitor::Monitor;
use crate::sampling::{Purpose, Stream, shuffle};
use std::time::Instant;

/// Examples between two looks at the monitor.
const BETWEEN_LOOKS: usize = 256;

/// Teaches a learner every example once, in an order drawn from `seed`, and returns what it had
/// learned after each of the given numbers of examples (increasing), the last of which ends the pass.
///
/// # Errors
/// A missing or infinite cell among those read, with its place; numerical failure.
pub fn one_pass<L: AskTell>(
    learner: &mut L,
    seed: u64,
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    let began = Instant::now();
    let mut order: Vec<u32> = (0..examples.len() as u32).collect();
    shuffle(&mut Stream::new(seed, Purpose::Order, 0), &mut order);
    let last = counts.last().map_or(0, |&c| c.min(examples.len()));
    let (mut query, mut buffers, mut fits) = (Query::default(), Buffers::default(), Vec::new());
    let mut counts = counts.iter().map(|&c| c.min(examples.len())).peekable();
    let mut taught = order.iter().take(last);
    let mut done = 0;
    loop {
        let stop = done % BETWEEN_LOOKS == 0 && done < last && {
            monitor.progress(done as u64, last as u64);
            monitor.should_stop()
        };
        while counts.next_if_eq(&done).is_some() {
            fits.push(snapshot(learner, Stop::OnePass, began));
        }
        if stop {
            fits.push(snapshot(learner, Stop::Interrupted, began));
            break;
        }
        let Some(&example) = taught.next() else { break };
        teach(learner, examples, example as usize, &mut query, &mut buffers)?;
        done += 1;
    }
    monitor.progress(last as u64, last as u64);
    Ok(fits)
}

/// Room for the values of a query, and for the panels that a row shows.
#[derive(Default)]
struct Buffers {
    values: Vec<f64>,
    observed: Vec<u32>,
}

/// Teaches one example: reads the cells that the query names, and no others.
#[inline]
fn teach<L: AskTell>(
    learner: &mut L,
    examples: &Examples<'_>,
    example: usize,
    query: &mut Query,
    buffers: &mut Buffers,
) -> Result<()> {
    let Buffers { values, observed } = buffers;
    if learner.is_passive() {
        panels_of(examples, example, observed);
        learner.ask_observed_into(observed, query)?;
    } else {
        learner.ask_into(query);
    }
    values.clear();
    for read in &query.reads {
        for slot in examples.layout.slots_of(read.panel as usize) {
            let column = examples.layout.column(slot);
            let value = examples.value(example, column);
            if !value.is_finite() {
                return Err(odd_cell(examples, example, read.panel as usize, value));
            }
            values.push(value);
        }
    }
    let target = examples.target(example);
    if !target.is_finite() {
        let (row, column) = (examples.rows[example] as usize + 1, "target".to_owned());
        return Err(ErrorKind::NotFinite { row, column, value: target }.into());
    }
    learner.tell(query, values, target)?;
    Ok(())
}

fn snapshot<L: AskTell>(learner: &L, stop: Stop, began: Instant) -> Fit {
    let mut report = learner.report();
    report.stop = stop;
    report.converged = stop.converged();
    report.seconds = began.elapsed().as_secs_f64();
    Fit { predictor: learner.predictor(), report }
}

fn odd_cell(examples: &Examples<'_>, example: usize, panel: usize, value: f64) -> Error {
    let row = examples.rows[example] as usize + 1;
    let column = examples.layout.name(panel).to_owned();
    if value.is_nan() {
        return ErrorKind::MissingCell { row, column }.into();
    }
    ErrorKind::NotFinite { row, column, value }.into()
}

pub(super) fn no_examples(learner: &str) -> Error {
    ErrorKind::TooFewRows { what: format!("learner {learner}"), least: 1, rows: 0 }.into()
}
