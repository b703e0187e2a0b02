//! Learns from the rows of a part in the units of all rows: those of a preparation that was fitted to
//! sums over them.

use super::held::{Featured, Held, Losses, OfPart, Reads};
use super::refusal::needs_rows;
use super::reports::together;
use super::sums::Sums;
use super::units::{Summed, Units};
use super::{Plan, admit, admit_bytes};
use crate::budget::{digest, next_batch_with};
use crate::data::{Bounds, Cell, Column, Examples, Label, Moments, Table, Target, Task};
use crate::error::{ErrorKind, Result};
use crate::learner::{
    AskTell, ByFeatures, ByLosses, FeatureRows, FitSize, InParts, Learner, PartFacts, Query, Steps,
    SumOfLosses,
};
use crate::model::{Fit, Report, Stop};
use crate::params::SEED;
use crate::prepare::{Prepare, declared_bounds, in_range};
use halfseen_solve::Silent;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Units of all rows, and what is known of them.
pub(super) struct Frame {
    pub(super) prepare: Prepare,
    pub(super) layout: Arc<crate::data::Layout>,
    pub(super) task: Task,
    pub(super) labels: Vec<Label>,
    /// `None` where the learner may not know them.
    moments: Option<Moments>,
    target_square: f64,
    longest_square: f64,
    bounds: Option<Bounds>,
    names: Vec<String>,
    /// Values that missing cells of each column get, in raw units.
    filled: Option<Vec<f64>>,
}

impl Frame {
    /// Returns the units of a plan's learner.
    ///
    /// # Errors
    /// As [`Summed::new`].
    pub(super) fn new(plan: &Plan, learner: &dyn Learner, units: &Units) -> Result<Frame> {
        let needs = learner.needs();
        let table = Summed::new(plan, &units.all, &needs)?;
        let layout = Arc::new(table.prepare.schema.layout()?);
        Ok(Frame {
            moments: (!needs.chooses()).then(|| table.moments()),
            target_square: table.target_square(),
            longest_square: table.longest_square(&layout),
            layout,
            bounds: declared_bounds(&plan.bounds, &table.prepare.schema)?,
            names: table.prepare.schema.encoded_names(),
            filled: plan.imputed.then(|| table.filled(needs.uncentred)),
            task: table.outputs.task,
            labels: table.outputs.labels,
            prepare: table.prepare,
        })
    }

    /// Returns what is known before the first row of a part of so many.
    pub(super) fn facts(&self, rows: u64) -> PartFacts<'_> {
        PartFacts {
            layout: &self.layout,
            rows: rows.max(1),
            moments: self.moments.as_ref(),
            target_square: self.target_square,
            longest_square: self.longest_square,
            classes: self.labels.len(),
        }
    }

    /// Hands out the rows of a table that have a target, in these units.
    fn each(
        &self,
        plan: &Plan,
        table: &Table,
        mut learn: impl FnMut(&Examples<'_>) -> Result<()>,
    ) -> Result<Counted> {
        self.check_columns(plan, table)?;
        let target = table.column(&plan.target)?;
        let has_target = |row: &usize| table.cell(*row, target) != Cell::Missing;
        let with: Vec<usize> = (0..table.rows()).filter(has_target).collect();
        let counted =
            Counted { rows: with.len() as u64, without_target: (table.rows() - with.len()) as u64 };
        if with.is_empty() {
            return Ok(counted);
        }
        let fewer = (with.len() < table.rows()).then(|| table.select_rows(&with));
        let table = fewer.as_ref().unwrap_or(table);
        let target = self.target(table, &plan.target)?;
        let other = self.prepare.apply(table, Some(&target))?;
        let filled = self.filled.as_ref().map(|filled| other.matrix().filled(|j| filled[j]));
        let examples = other.examples(&self.prepare, &self.layout);
        let declared = crate::data::Declared {
            bounds: self.bounds.as_ref(),
            names: &self.names,
            ..examples.declared
        };
        let matrix = filled.as_ref().unwrap_or(examples.matrix);
        learn(&Examples { matrix, declared, moments: self.moments.as_ref(), ..examples })?;
        Ok(counted)
    }

    /// Refuses another set of columns than that of the units.
    fn check_columns(&self, plan: &Plan, table: &Table) -> Result<()> {
        let columns = &self.prepare.schema.columns;
        let known: HashSet<&str> = columns
            .iter()
            .map(|column| column.name.as_str())
            .chain(plan.ignore.iter().map(String::as_str))
            .chain([plan.target.as_str()])
            .collect();
        let found: HashSet<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
        let of = |name: &str, is_more| ErrorKind::OtherColumns { name: name.to_owned(), is_more };
        if let Some(column) = table.columns().iter().find(|c| !known.contains(c.name.as_str())) {
            return Err(of(&column.name, true).into());
        }
        match columns.iter().find(|column| !found.contains(column.name.as_str())) {
            Some(column) => Err(of(&column.name, false).into()),
            None => Ok(()),
        }
    }

    /// Reads the target of rows that all have one.
    fn target(&self, table: &Table, name: &str) -> Result<Target> {
        let column: &Column = table.column(name)?;
        let cells = (0..table.rows()).map(|row| table.cell(row, column));
        let wrong = |problem: String| ErrorKind::WrongTarget { column: name.to_owned(), problem };
        if self.task == Task::Regression {
            let number = |(row, cell): (usize, Cell<'_>)| match cell {
                Cell::Number(number) => in_range(row, name, number).map(|()| number),
                _ => Err(wrong("it holds text, and had numbers in the units".to_owned()).into()),
            };
            let numbers: Result<Vec<f64>> = cells.enumerate().map(number).collect();
            return Ok(Target::Numbers(numbers?));
        }
        let codes: BTreeMap<String, u32> =
            (0..).zip(&self.labels).map(|(code, label)| (label.to_string(), code)).collect();
        let code = |cell: Cell<'_>| {
            let text = match cell {
                Cell::Number(number) => (number + 0.0).to_string(),
                Cell::Text(text) => text.to_owned(),
                Cell::Missing => String::new(),
            };
            let missing =
                || wrong(format!("'{}' is not a class of the units", crate::error::short(&text)));
            codes.get(&text).copied().ok_or_else(missing)
        };
        let codes: std::result::Result<Vec<u32>, ErrorKind> = cells.map(code).collect();
        Ok(Target::Classes { classes: self.labels.clone(), codes: codes? })
    }
}

/// Numbers of rows.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    rows: u64,
    without_target: u64,
}

/// A part whose rows are being learned from.
pub(super) struct Learning {
    frame: Frame,
    way: Way,
    counted: Counted,
}

enum Way {
    Steps(Box<dyn Steps>),
    Reads(Box<dyn AskTell>, Reads),
    Features(Box<dyn ByFeatures>, Box<Featured>),
    Losses(Box<dyn ByLosses>, Losses),
}

impl Learning {
    /// Starts a part of this name.
    ///
    /// # Errors
    /// As [`Learner::fit`] before the first row.
    pub(super) fn new(plan: &Plan, units: &Units, part: &str) -> Result<Learning> {
        let learner = plan.learner()?;
        let frame = Frame::new(plan, &*learner, units)?;
        let size = FitSize { classes: frame.labels.len(), ..FitSize::of_layout(&frame.layout) };
        crate::learner::size::admit_need(&*learner, &size, learner.needed(&size))?;
        let all = units.all.sums.rows();
        let facts = frame.facts(units.rows.get(part).copied().unwrap_or(all));
        let refusal = || needs_rows(&*learner, frame.labels.len());
        if let Some(of) = &units.model {
            let by = learner.by_losses(&facts, &of.predictor)?.ok_or_else(refusal)?;
            let sums = vec![SumOfLosses::default(); by.models().len()];
            let way = Way::Losses(by, Losses { sums, ..Losses::default() });
            return Ok(Learning { frame, way, counted: Counted::default() });
        }
        let way = match learner.in_parts(frame.labels.len()) {
            Some(InParts::Steps) => Way::Steps(learner.steps(&facts)?.ok_or_else(refusal)?),
            Some(InParts::Reads) => {
                let own = drawing(&*learner, part)?;
                Way::Reads(own.start(&frame.layout)?.ok_or_else(refusal)?, Reads::default())
            }
            Some(InParts::Features) => {
                let of =
                    learner.by_features(&frame.layout, frame.labels.len())?.ok_or_else(refusal)?;
                let (sums, report) =
                    (Sums::default(), Report::full(learner.name(), Stop::ClosedForm, 0, 0));
                let none = Featured { without_target: 0, sums, size: 0.0, report };
                Way::Features(of, Box::new(none))
            }
            Some(InParts::Moments(_)) | None => return Err(refusal()),
        };
        Ok(Learning { frame, way, counted: Counted::default() })
    }

    /// Learns from the rows of a table, beside `held` bytes.
    ///
    /// # Errors
    /// Other columns or classes than those of the units; as [`Learner::fit`]. The part is useless then.
    pub(super) fn add(&mut self, plan: &Plan, table: &Table, held: f64) -> Result<()> {
        let Learning { frame, way, counted } = self;
        let found = match way {
            Way::Steps(steps) => {
                frame.each(plan, table, |examples| steps.learn(examples, &Silent))?
            }
            Way::Reads(asker, reads) => {
                let columns = frame.layout.slots();
                let read = Held::Reads(std::mem::take(reads));
                admit_bytes(&plan.learner, columns, held + 2.0 * read.bytes(columns))?;
                if let Held::Reads(before) = read {
                    *reads = before;
                }
                frame.each(plan, table, |examples| keep(&mut **asker, reads, examples))?
            }
            Way::Features(of, sums) => {
                admit(&plan.learner, of.width(), held)?;
                frame.each(plan, table, |examples| sum(&**of, sums, examples))?
            }
            Way::Losses(by, of) => frame.each(plan, table, |examples| {
                for (sum, more) in of.sums.iter_mut().zip(by.losses(examples)?) {
                    sum.sum += more.sum;
                    sum.unproven += more.unproven;
                }
                Ok(())
            })?,
        };
        counted.rows += found.rows;
        counted.without_target += found.without_target;
        Ok(())
    }

    /// Number of rows with a target so far.
    pub(super) fn rows(&self) -> u64 {
        self.counted.rows
    }

    /// Returns what is kept of the part.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    pub(super) fn end(self) -> Result<Held> {
        let Counted { rows, without_target } = self.counted;
        match self.way {
            Way::Steps(mut steps) => {
                let Fit { predictor, report } = steps.fit(&Silent)?;
                let of = OfPart { rows, without_target, predictor, report, bound: steps.bound() };
                Ok(Held::Model(Box::new(of)))
            }
            Way::Losses(_, of) => Ok(Held::Losses(Losses { rows, without_target, ..of })),
            Way::Reads(_, reads) => Ok(Held::Reads(Reads { without_target, ..reads })),
            Way::Features(_, sums) => {
                Ok(Held::Features(Box::new(Featured { without_target, ..*sums })))
            }
        }
    }
}

/// Returns a learner that draws its reads of this part by a stream of random numbers of their own.
fn drawing(learner: &dyn Learner, part: &str) -> Result<Box<dyn Learner>> {
    let mut own = learner.clone_box();
    let seed = own.get(SEED.name).unwrap_or_default();
    let drawn = digest(&(seed, part)).unwrap_or_default();
    own.set(SEED.name, &(drawn >> 12).to_string())?;
    Ok(own)
}

/// Asks about each row, and keeps what was read.
fn keep(asker: &mut dyn AskTell, reads: &mut Reads, examples: &Examples<'_>) -> Result<()> {
    let (mut example, mut cells) = (0, Vec::new());
    let mut told = |query: &Query| {
        cells.clear();
        let row = examples.row(example);
        cells.extend(query.slots(examples.layout).map(|(_, slot)| {
            let value = row.scaled(examples.layout.column(slot));
            (slot as u32, (!value.is_nan()).then_some(value))
        }));
        cells.sort_by_key(|(slot, _)| *slot);
        cells.dedup_by_key(|(slot, _)| *slot);
        reads.counts.push(cells.len() as u32);
        reads.slots.extend(cells.iter().map(|(slot, _)| *slot));
        reads.values.extend(cells.iter().map(|(_, value)| *value));
        reads.targets.push(examples.told(example));
        example += 1;
    };
    next_batch_with(asker, examples, &Silent, Some(&mut told))?;
    Ok(())
}

/// Rows whose features are computed at a time.
const BLOCK: usize = 256;

/// Adds the features of each row to sums.
fn sum(of: &dyn ByFeatures, into: &mut Featured, examples: &Examples<'_>) -> Result<()> {
    while into.sums.width() < of.width() {
        into.sums.grow(None);
    }
    for rows in examples.rows.chunks(BLOCK) {
        let FeatureRows { mut numbers, size, report } =
            of.rows(&examples.with_rows(rows), &Silent)?;
        into.sums.add(&mut numbers);
        into.size += size;
        into.report = together(&[&into.report, &report]);
    }
    Ok(())
}
