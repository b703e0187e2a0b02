//! Makes one pass over examples, reading only the cells that the learner asks for.

use super::admission::LARGEST_STEP;
use super::observed::panels_of;
use crate::data::Examples;
use crate::error::{Error, ErrorKind, Result};
use crate::learner::{AskTell, Query, ReadRows, SAMPLES, refuse_weights};
use crate::model::{Fit, Outside, Report, Stop};
use halfseen_solve::Monitor;
use halfseen_solve::sampling::{Purpose, Stream, shuffle};
use std::hint::black_box;
use std::time::Instant;

/// Number of examples between two checks of the monitor.
const BETWEEN_LOOKS: usize = 256;

/// Teaches a learner every example once, in an order drawn from `seed`. Returns the fits after each
/// of the given numbers of examples (increasing); the last number ends the pass. The pass also ends
/// before the first example whose query exceeds the learner's total budget or a total cost.
///
/// # Errors
/// A missing or infinite cell among those read, with its position; a nonzero value whose second
/// moment was declared as 0; more classes than the learner can learn; numerical failure.
pub fn one_pass<L: AskTell>(
    learner: &mut L,
    seed: u64,
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    one_pass_with(learner, seed, counts, examples, monitor, |pass, stop| {
        let predictor = pass.learner().model();
        Ok(Fit { predictor, report: pass.noted(pass.learner().report(), stop) })
    })
}

/// Runs the pass of [`one_pass`] and returns other results than fits: `look` is called after each
/// of the numbers of examples and at an early end, with the reason for stopping.
pub fn one_pass_with<L: AskTell, T>(
    learner: &mut L,
    seed: u64,
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
    look: impl FnMut(&Pass<'_, '_, L>, Stop) -> Result<T>,
) -> Result<Vec<T>> {
    if examples.weights.is_some() {
        refuse_weights(&learner.report().learner, examples, SAMPLES)?;
    }
    let mut order: Vec<u32> = (0..examples.len() as u32).collect();
    shuffle(&mut Stream::new(seed, Purpose::Order, 0), &mut order);
    in_this_order(learner, &order, counts, examples, monitor, look)
}

/// Teaches a learner every example once, in the given order, as one batch of a stream. Several
/// calls with some rows each equal one call with all of them. Returns the report on all answers so
/// far.
///
/// # Errors
/// As [`one_pass`].
pub fn next_batch(
    learner: &mut dyn AskTell,
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Report> {
    let order: Vec<u32> = (0..examples.len() as u32).collect();
    let look =
        |pass: &Pass<'_, '_, dyn AskTell + '_>, stop| Ok(pass.noted(pass.learner().report(), stop));
    let reports = in_this_order(learner, &order, &[examples.len()], examples, monitor, look)?;
    Ok(reports.into_iter().next_back().unwrap_or_else(|| learner.report()))
}

fn in_this_order<L: AskTell + ?Sized, T>(
    learner: &mut L,
    order: &[u32],
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
    mut look: impl FnMut(&Pass<'_, '_, L>, Stop) -> Result<T>,
) -> Result<Vec<T>> {
    if examples.labels.is_some() {
        learner.classify(examples.classes())?;
    }
    let mut pass = Pass::new(learner, examples, order);
    let mut seen: Vec<(u64, T)> = Vec::new();
    let mut look = |pass: &Pass<'_, '_, L>, stop| {
        let learned = pass.learner.report().examples;
        // The budget may run out exactly at a point of the curve.
        seen.pop_if(|(last, _)| stop == Stop::BudgetSpent && *last == learned);
        seen.push((learned, look(pass, stop)?));
        Ok::<(), Error>(())
    };
    let last = counts.last().map_or(0, |&c| c.min(examples.len()));
    let mut counts = counts.iter().map(|&c| c.min(examples.len())).peekable();
    let mut done = 0;
    loop {
        let stop = done % BETWEEN_LOOKS == 0 && done < last && {
            monitor.progress(done as u64, last as u64);
            monitor.should_stop()
        };
        while counts.next_if_eq(&done).is_some() {
            look(&pass, Stop::OnePass)?;
        }
        if stop {
            look(&pass, Stop::Interrupted)?;
            break;
        }
        if done == last {
            break;
        }
        if !pass.teach(done)? {
            look(&pass, Stop::BudgetSpent)?;
            break;
        }
        done += 1;
    }
    monitor.progress(last as u64, last as u64);
    Ok(seen.into_iter().map(|(_, result)| result).collect())
}

/// Running pass: the learner, and the reader of its cells.
pub struct Pass<'a, 'b, L: ?Sized> {
    learner: &'a mut L,
    reader: Reader<'a, 'b>,
    order: &'a [u32],
    query: Query,
    values: Vec<f64>,
    /// True unless a row may be learned without writing its query.
    queries: bool,
    /// True for learners that take the panels observed in a row, which are these.
    passive: bool,
    observed: Vec<u32>,
    began: Instant,
}

impl<'a, 'b, L: AskTell + ?Sized> Pass<'a, 'b, L> {
    fn new(learner: &'a mut L, examples: &'a Examples<'b>, order: &'a [u32]) -> Self {
        let (passive, holes) = (learner.is_passive(), learner.takes_holes());
        let reader = Reader::new(examples, holes);
        Pass {
            learner,
            queries: reader.checked || holes || !examples.layout.is_plain(),
            reader,
            order,
            query: Query::default(),
            values: Vec::new(),
            passive,
            observed: Vec::new(),
            began: Instant::now(),
        }
    }

    /// Teaches the example at a place of the order, reading only the cells that the query names.
    /// Returns false, without a read, if the learner's total budget is exhausted.
    #[inline]
    fn teach(&mut self, place: usize) -> Result<bool> {
        let Pass { learner, reader, order, query, values, .. } = self;
        let example = order[place] as usize;
        let told = if self.passive {
            panels_of(reader.examples, example, &mut self.observed);
            learner.ask_observed_into(&self.observed, query).and_then(|()| {
                values.clear();
                let target = reader.answer(example, query, values)?;
                learner.tell(query, values, target)
            })
        } else {
            let mut rows = InOrder { reader, order: &order[place..] };
            let direct = if self.queries { None } else { learner.learn_directly(&mut rows) };
            direct.unwrap_or_else(|| {
                let mut answer =
                    |query: &Query, values: &mut Vec<f64>| reader.answer(example, query, values);
                learner.learn_from(query, values, &mut answer)
            })
        };
        let spent = |kind: &ErrorKind| {
            matches!(kind, ErrorKind::BudgetSpent { .. } | ErrorKind::CostSpent { .. })
        };
        match told {
            Err(error) if spent(error.kind()) => Ok(false),
            told => told.map(|_| true),
        }
    }

    /// Returns the learner that is taught.
    pub fn learner(&self) -> &L {
        self.learner
    }

    /// Completes a report with the facts of the pass.
    pub fn noted(&self, mut report: Report, stop: Stop) -> Report {
        report.stop = stop;
        report.converged = stop.converged();
        report.outside_bounds = self.reader.outside;
        report.first_outside = self.reader.first_outside.clone();
        report.seconds = self.began.elapsed().as_secs_f64();
        report
    }
}

/// The rows to come, the present one first.
struct InOrder<'r, 'a, 'b> {
    reader: &'r Reader<'a, 'b>,
    order: &'r [u32],
}

impl ReadRows for InOrder<'_, '_, '_> {
    #[inline]
    fn read(&mut self, panels: &[u32], values: &mut Vec<f64>) -> Result<f64> {
        self.reader.read_plain(self.order[0] as usize, panels, values)
    }

    fn are_many(&self) -> bool {
        let examples = self.reader.examples;
        examples.matrix.rows().saturating_mul(examples.columns()) > MANY_CELLS
    }

    fn touch(&self, later: usize, panels: &[u32]) {
        let Some(&example) = self.order.get(later) else { return };
        let examples = self.reader.examples;
        let row = examples.row(example as usize);
        for &panel in panels {
            black_box(row.raw(panel as usize));
        }
        black_box(examples.told(example as usize));
    }
}

/// Number of cells beyond which they are not expected in the processor's caches.
const MANY_CELLS: usize = 1 << 19;

/// Reads the cells that queries name, and checks them.
struct Reader<'a, 'b> {
    examples: &'a Examples<'b>,
    /// True if the learner takes missing cells.
    holes: bool,
    /// True if reads are checked against declared bounds or moments.
    checked: bool,
    outside: u64,
    first_outside: Option<Outside>,
}

impl<'a, 'b> Reader<'a, 'b> {
    fn new(examples: &'a Examples<'b>, holes: bool) -> Self {
        let checked = examples.declared.bounds.is_some() || examples.declared.moments;
        Reader { examples, holes, checked, outside: 0, first_outside: None }
    }

    /// Writes the values of a query about an example, and returns its target.
    #[inline]
    fn answer(&mut self, example: usize, query: &Query, values: &mut Vec<f64>) -> Result<f64> {
        let examples = self.examples;
        let row = examples.row(example);
        for (read, slot) in query.slots(examples.layout) {
            let column = examples.layout.column(slot);
            let value = row.scaled(column);
            if !(fits(value) || self.holes && row.raw(column).is_nan()) {
                return Err(odd_cell(examples, example, read.panel as usize, column));
            }
            values.push(value);
        }
        if self.checked {
            self.check(example, query, values)?;
        }
        self.target(example)
    }

    /// Writes the values of panels that are columns too, and returns the target.
    #[inline]
    fn read_plain(&self, example: usize, panels: &[u32], values: &mut Vec<f64>) -> Result<f64> {
        self.examples.row(example).scaled_into(panels, values);
        // All of them at once, in vector registers.
        if !values.iter().fold(true, |all, value| all & fits(*value)) {
            let odd = panels.iter().zip(&*values).find(|(_, value)| !fits(**value));
            let panel = odd.map_or(0, |(&panel, _)| panel as usize);
            return Err(odd_cell(self.examples, example, panel, panel));
        }
        self.target(example)
    }

    #[inline]
    fn target(&self, example: usize) -> Result<f64> {
        let examples = self.examples;
        let target = examples.told(example);
        if !target.is_finite() {
            let (row, column) = (examples.rows[example] as usize + 1, "target".to_owned());
            return Err(ErrorKind::NotFinite { row, column, value: target }.into());
        }
        Ok(target)
    }

    /// Checks the values read against declared bounds and moments.
    fn check(&mut self, example: usize, query: &Query, values: &[f64]) -> Result<()> {
        let examples = self.examples;
        let row = examples.rows[example] as usize;
        let moments = examples.moments.filter(|_| examples.declared.moments);
        for (read, slot, _, value) in query.cells(examples.layout, values) {
            if value.is_nan() {
                continue;
            }
            let column = examples.layout.column(slot);
            let panel = || examples.layout.name(read.panel as usize).to_owned();
            let name = || examples.declared.names.get(column).cloned().unwrap_or_else(panel);
            if value != 0.0 && moments.is_some_and(|m| m.square[column] == 0.0) {
                let (row, column) = (row + 1, name());
                let problem = format!(
                    "the value is {value} in scaled units, but its second moment was declared to be 0; such an attribute is never drawn, so estimates would be biased: correct the moment"
                );
                return Err(ErrorKind::WrongCell { row, column, problem }.into());
            }
            if let Some(bounds) = examples.declared.bounds {
                let (low, high, value) =
                    (bounds.low[column], bounds.high[column], examples.matrix.get(row, column));
                if !(low..=high).contains(&value) {
                    self.outside += 1;
                    let outside =
                        || Outside { row: row as u64 + 1, column: name(), value, low, high };
                    self.first_outside.get_or_insert_with(outside);
                }
            }
        }
        Ok(())
    }
}

/// Returns true if a value can be learned from; false for NaN.
#[inline]
fn fits(value: f64) -> bool {
    value.abs() <= LARGEST_STEP
}

fn odd_cell(examples: &Examples<'_>, example: usize, panel: usize, at: usize) -> Error {
    let row = examples.rows[example] as usize;
    let (value, raw) = (examples.value(example, at), examples.matrix.get(row, at));
    let (row, column) = (row + 1, examples.layout.name(panel).to_owned());
    if raw.is_nan() {
        ErrorKind::MissingCell { row, column }.into()
    } else if raw.is_finite() {
        // Too large after scaling, or infinite by it.
        ErrorKind::TooLarge { row, column, value: if value.is_finite() { value } else { raw } }
            .into()
    } else {
        ErrorKind::NotFinite { row, column, value: raw }.into()
    }
}

/// Returns the error for a table without rows.
pub fn no_examples(learner: &str) -> Error {
    ErrorKind::TooFewRows { what: format!("learner {learner}"), least: 1, rows: 0 }.into()
}
