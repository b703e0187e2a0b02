//! Goes through rows a second time in the units of all rows, which the sums of the first pass gave:
//! to sum over features of them, or to learn from each in a stream.

use super::equivalent::equivalent;
use super::part::{check_names, with_target};
use super::refusal::{changed, needs_rows};
use super::sums::Sums;
use super::units::Units;
use super::{Plan, admit, further, in_part};
use crate::data::{Bounds, Cell, Examples, Table, Target, Task};
use crate::error::{ErrorKind, Result};
use crate::learner::{ByFeatures, FeatureRows, FitSize, Learner, Steps};
use crate::model::{Fit, Model, Report};
use crate::registry;
use halfseen_core::learner::size;
use halfseen_core::prepare::in_range;
use halfseen_solve::{Monitor, Silent};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows whose features are computed at a time.
const BLOCK: usize = 256;

/// Facts of all rows that a pass in their units needs.
pub(super) struct PassSetup {
    pub(super) units: Units,
    /// Declared bounds.
    pub(super) bounds: Option<Bounds>,
    /// Values that missing cells of each column get, in raw units.
    pub(super) filled: Option<Vec<f64>>,
}

/// Units of all rows, ready for rows.
struct Frame {
    units: Units,
    layout: Arc<crate::data::Layout>,
    bounds: Option<Bounds>,
    names: Vec<String>,
    /// Values that missing cells of each column get, in raw units.
    filled: Option<Vec<f64>>,
}

impl Frame {
    fn new(units: Units) -> Result<Frame> {
        let layout = Arc::new(units.prepare.schema.layout()?);
        let names = units.prepare.schema.encoded_names();
        Ok(Frame { units, layout, bounds: None, names, filled: None })
    }

    /// Hands out the rows of a table that have a target, in these units; returns the number of rows
    /// without one.
    fn each(
        &self,
        plan: &Plan,
        table: &Table,
        learn: impl FnOnce(&Examples<'_>) -> Result<()>,
    ) -> Result<u64> {
        let prepare = &self.units.prepare;
        let own = prepare.schema.columns.iter().map(|column| column.name.as_str());
        let names = table.columns().iter().map(|column| column.name.as_str());
        let is_kept = |name: &&str| !plan.ignore.iter().any(|own| own == name);
        check_names(own.chain([plan.target.as_str()]), names.filter(is_kept))?;
        let with = with_target(table, table.column(&plan.target)?);
        if with.is_empty() {
            return Ok(table.rows() as u64);
        }
        let with: Vec<usize> = with.into_iter().map(|row| row as usize).collect();
        let fewer = (with.len() < table.rows()).then(|| table.select_rows(&with));
        let table_of_rows = fewer.as_ref().unwrap_or(table);
        let target = self.target(table_of_rows, &plan.target)?;
        let other = prepare.apply(table_of_rows, Some(&target))?;
        let filled = self.filled.as_ref().map(|filled| other.matrix().filled(|j| filled[j]));
        let examples = other.examples(prepare, &self.layout);
        let declared = crate::data::Declared {
            bounds: self.bounds.as_ref(),
            names: &self.names,
            ..examples.declared
        };
        let matrix = filled.as_ref().unwrap_or(examples.matrix);
        learn(&Examples { matrix, declared, ..examples })?;
        Ok((table.rows() - with.len()) as u64)
    }

    /// Reads the target of rows that all have one.
    fn target(&self, table: &Table, name: &str) -> Result<Target> {
        let column = table.column(name)?;
        let cells = (0..table.rows()).map(|row| table.cell(row, column));
        let wrong = |problem: String| ErrorKind::WrongTarget { column: name.to_owned(), problem };
        if self.units.task == Task::Regression {
            let number = |(row, cell): (usize, Cell<'_>)| match cell {
                Cell::Number(number) => in_range(row, name, number).map(|()| number),
                _ => Err(wrong("it holds text, and had numbers in the units".to_owned()).into()),
            };
            let numbers: Result<Vec<f64>> = cells.enumerate().map(number).collect();
            return Ok(Target::Numbers(numbers?));
        }
        let classes = &self.units.classes;
        let codes: BTreeMap<String, u32> =
            (0..).zip(classes).map(|(code, label)| (label.to_string(), code)).collect();
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
        Ok(Target::Classes { classes: classes.clone(), codes: codes? })
    }

    /// Returns a fit in these units as a model.
    fn model(self, plan: &Plan, fit: Fit) -> Model {
        Model {
            learner: plan.learner.clone(),
            params: plan.params.clone(),
            prepare: self.units.prepare,
            target: plan.target.clone(),
            task: self.units.task,
            classes: self.units.classes,
            predictor: fit.predictor,
            report: fit.report,
        }
    }
}

/// Sums over features and outputs of the rows of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Featured {
    pub(super) without_target: u64,
    pub(super) sums: Sums,
    /// Sum over the rows that the learner asks for beside.
    size: f64,
    /// Number of observed cells, their price, and their largest number in a row.
    reads: u64,
    spent: f64,
    max_reads: u64,
}

impl Featured {
    /// Refuses contents of a file that contradict each other.
    pub(super) fn check(&self) -> std::result::Result<(), String> {
        if self.sums.has_holes() || !self.size.is_finite() || !self.spent.is_finite() {
            return Err("its features have missing values, or a sum is not finite".to_owned());
        }
        Ok(())
    }
}

/// A part over whose features sums are being made.
pub(super) struct Summing {
    frame: Frame,
    features: Box<dyn ByFeatures>,
    sums: Featured,
}

impl Summing {
    pub(super) fn new(learner: &dyn Learner, units: &Units) -> Result<Summing> {
        let frame = Frame::new(units.clone())?;
        let classes = frame.units.classes.len();
        let features = learner.by_features(&frame.layout, classes)?;
        let features = features.ok_or_else(|| needs_rows(learner, classes))?;
        let sums = Sums::new(features.width());
        let (without_target, size, reads, spent, max_reads) = (0, 0.0, 0, 0.0, 0);
        let sums = Featured { without_target, sums, size, reads, spent, max_reads };
        Ok(Summing { frame, features, sums })
    }

    /// Adds the rows of a table, beside `held` bytes.
    ///
    /// # Errors
    /// Other columns or classes than those of the units; as [`Learner::fit`]. The part is useless then.
    pub(super) fn add(&mut self, plan: &Plan, table: &Table, held: f64) -> Result<()> {
        let Summing { frame, features, sums: into } = self;
        admit(&plan.learner, features.width(), held)?;
        let add = |examples: &Examples<'_>| {
            for rows in examples.rows.chunks(BLOCK) {
                let FeatureRows { mut numbers, size, report } =
                    features.rows(&examples.with_rows(rows), &Silent)?;
                into.sums.add(&mut numbers);
                into.size += size;
                into.reads += report.reads;
                into.spent += report.spent;
                into.max_reads = into.max_reads.max(report.max_reads);
            }
            Ok(())
        };
        let without = frame.each(plan, table, add)?;
        self.sums.without_target += without;
        Ok(())
    }

    pub(super) fn end(self) -> Featured {
        self.sums
    }
}

/// Fits to the sums over features of all parts, added in the order of their names.
pub(super) fn finish<'p>(
    plan: &Plan,
    units: &Units,
    parts: impl Iterator<Item = (&'p str, &'p Featured)> + Clone,
    monitor: &dyn Monitor,
) -> Result<Model> {
    let (frame, learner) = (Frame::new(units.clone())?, plan.learner()?);
    let classes = frame.units.classes.len();
    registry::check_classes(&*learner, classes)?;
    let by = learner.by_features(&frame.layout, classes)?;
    let by = by.ok_or_else(|| needs_rows(&*learner, classes))?;
    let width = by.width();
    let held: f64 = parts.clone().map(|(_, of)| Sums::bytes(of.sums.width(), false)).sum();
    // Beside the parts their total, and of the equivalent rows, which are twice as many as columns,
    // their features.
    admit(learner.name(), width, held + 4.0 * Sums::bytes(width, false))?;
    let (mut all, mut size) = (Sums::new(width), 0.0);
    let (mut reads, mut spent, mut max_reads) = (0_u64, 0.0, 0);
    for (name, of) in parts {
        if of.sums.width() != width {
            let what = "features and outputs of a row".to_owned();
            let found = of.sums.width();
            let wrong = ErrorKind::WrongLength { what, expected: width, found };
            return Err(in_part(name, wrong.into()));
        }
        all.merge(&of.sums);
        size += of.size;
        reads = reads.saturating_add(of.reads);
        spent += of.spent;
        max_reads = max_reads.max(of.max_reads);
    }
    if all.rows() == 0 {
        return Err(ErrorKind::TooFewRows { what: "learning".into(), least: 1, rows: 0 }.into());
    }
    let count = all.rows() as f64;
    let mean: Vec<f64> = (0..width).map(|column| all.mean(column)).collect();
    let few = equivalent(count, &mean, all.products_about(&mean));
    let mut fit = by.fit((&few.rows, few.weight), size / count, monitor)?;
    let examples = all.rows();
    fit.report = Report { examples, reads, distinct: reads, spent, max_reads, ..fit.report };
    Ok(frame.model(plan, fit))
}

/// A learner that goes through all rows once, in their order, and keeps none: from
/// [`Partial::stream`](super::Partial::stream) to [`RowStream::finish`].
pub struct RowStream {
    plan: Plan,
    frame: Frame,
    steps: Box<dyn Steps>,
    /// Number of rows with a target so far, and in the sums.
    rows: [u64; 2],
    /// Number of rows of the tables so far.
    before: usize,
}

impl std::fmt::Debug for RowStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowStream").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl RowStream {
    /// Begins a stream of a number of rows.
    pub(super) fn new(plan: &Plan, prepared: PassSetup, rows: u64) -> Result<RowStream> {
        let PassSetup { units, bounds, filled } = prepared;
        let (learner, classes) = (plan.learner()?, units.classes.len());
        let frame = Frame { bounds, filled, ..Frame::new(units)? };
        let size = FitSize { classes, ..FitSize::of_layout(&frame.layout) };
        size::admit_need(&*learner, &size, learner.needed(&size))?;
        let steps = learner.steps(&frame.layout, rows)?;
        let steps = steps.ok_or_else(|| needs_rows(&*learner, classes))?;
        Ok(RowStream { plan: plan.clone(), frame, steps, rows: [0, rows], before: 0 })
    }

    /// Learns from each row of a table, with the columns of the sums, in any order. Rows without a
    /// target are left out.
    ///
    /// # Errors
    /// Other columns or classes than those of the sums; as [`Learner::fit`]. The stream is useless then.
    pub fn add(&mut self, table: &Table) -> Result<()> {
        let RowStream { plan, frame, steps, before, rows } = self;
        let learned = frame.each(plan, table, |examples| steps.learn(examples, &Silent));
        let without = learned.map_err(|error| further(&error, *before))?;
        *before += table.rows();
        rows[0] += table.rows() as u64 - without;
        Ok(())
    }

    /// Returns the model.
    ///
    /// # Errors
    /// [`ErrorKind::Table`] if there were more or fewer rows than in the sums; as
    /// [`Learner::fit`].
    pub fn finish(mut self, monitor: &dyn Monitor) -> Result<Model> {
        let [now, before] = self.rows;
        if now != before {
            return Err(changed(before, now));
        }
        let fit = self.steps.fit(monitor)?;
        Ok(self.frame.model(&self.plan, fit))
    }
}
