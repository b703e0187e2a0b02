//! Learns KARMA from tables that come in parts, and keeps the rows with a non-zero derivative.

use super::Karma;
use super::online::{KernelIterate, OnlineKarma};
use super::training_objective::TrainingObjective;
use halfseen_core::data::{Examples, Label, Table, Target, Task};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::kernel::gram::cross;
use halfseen_core::kernel::{Kernel, Masked};
use halfseen_core::learner::missingness::MissingnessSummary;
use halfseen_core::learner::size::admit_need;
use halfseen_core::learner::{FitSize, Learner, Needed};
use halfseen_core::model::{KernelExpansion, Model, Note, Predictor, Report, Stop};
use halfseen_core::params::{Features, KernelLoss, Parameters};
use halfseen_core::prepare::{Options, Prepare, Prepared};
use halfseen_solve::Monitor;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// Rows compared at once with the rows kept.
const BLOCK: usize = 128;

/// KARMA's algorithm 1 over tables of rows with missing values, in the order in which they come.
/// Several tables equal one of all their rows up to rounding: products of blocks of other sizes
/// round in another way.
///
/// The first table fixes the constants of the fit: rho = 1 / (C m) for its m rows, and the scales
/// of kernel and target. Values are taken as they are, or scaled by declared bounds. The state is
/// saved and loaded by serde, and continues with the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct IncrementalKarma {
    params: serde_json::Map<String, serde_json::Value>,
    loss: KernelLoss,
    constant: bool,
    prepare: Prepare,
    target: String,
    classes: Vec<Label>,
    kernel: Kernel,
    rows: Masked,
    learner: OnlineKarma,
    /// True if a score estimates the target.
    estimates: bool,
    report: Report,
}

impl IncrementalKarma {
    /// Starts with a first table, and learns from it.
    ///
    /// # Errors
    /// Parameters out of range; `features` other than exact; a scale that must be computed from all
    /// rows; see also [`IncrementalKarma::teach`].
    pub fn start(
        karma: &Karma,
        table: &Table,
        (name, target): (&str, &Target),
        options: &Options,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        karma.check()?;
        if karma.features != Features::Exact {
            let what = "features = exact, because the online algorithm stores rows";
            return Err(ErrorKind::Needs { name: "solver", value: "online", what }.into());
        }
        let bounded = if options.bounds.is_empty() { "none" } else { "each" };
        let scale = options.scale.map_or_else(|| bounded.parse(), Ok)?;
        let options = options.clone().for_fit(&karma.needs());
        let options = Options { scale: Some(scale), honest: true, ..options };
        let all: Vec<u32> = (0..table.rows() as u32).collect();
        let prepared = Prepared::new(table, (name, target), &all, &options)?;
        let examples = prepared.examples();
        let goal = TrainingObjective::new(Karma::NAME, karma.loss, &examples)?;
        let rows = Masked::new(&examples, karma.intercept)?;
        let mut kernel = karma.kernel()?;
        kernel.fit(&rows)?;
        let (learner, _) = goal.online_start(1.0 / (karma.c * all.len() as f64))?;
        let mut report = Report::full(Karma::NAME, Stop::Open, 0, 0);
        report.passes = Some(1);
        let mut started = IncrementalKarma {
            params: karma.to_json(),
            loss: karma.loss,
            constant: karma.intercept,
            prepare: prepared.prepare.clone(),
            target: name.to_owned(),
            classes: target.classes().to_vec(),
            kernel,
            rows: rows.select(&[]),
            learner,
            estimates: goal.estimates(),
            report,
        };
        started.teach(table, target, monitor)?;
        Ok(started)
    }

    /// Learns from the rows of another table, in their order. Columns are matched by name.
    ///
    /// # Errors
    /// Classes other than those of the first table; a value or a target that is not finite;
    /// [`ErrorKind::TooMuchMemory`] for the rows kept; [`ErrorKind::Interrupted`]. The state keeps the rows learned before the error.
    pub fn teach(&mut self, table: &Table, target: &Target, monitor: &dyn Monitor) -> Result<()> {
        let began = Instant::now();
        if target.classes() != self.classes {
            let (column, problem) = (
                self.target.clone(),
                "its classes differ from those of the first table".to_owned(),
            );
            return Err(ErrorKind::WrongTarget { column, problem }.into());
        }
        if target.len() != table.rows() {
            let what = "targets, one for each row".to_owned();
            let (expected, found) = (table.rows(), target.len());
            return Err(ErrorKind::WrongLength { what, expected, found }.into());
        }
        let prepare = self.prepare.clone();
        let (layout, other) =
            (Arc::new(prepare.schema.layout()?), prepare.apply(table, Some(target))?);
        let all = other.examples(&prepare, &layout);
        for rows in all.rows.chunks(BLOCK) {
            monitor.progress(u64::from(rows[0]), all.len() as u64);
            if monitor.should_stop() {
                return Err(ErrorKind::Interrupted { during: "learning" }.into());
            }
            let block = all.with_rows(rows);
            let goal = TrainingObjective::new(Karma::NAME, self.loss, &block)?;
            let new = self.rows.another(&block, self.constant)?;
            let (_, targets) = goal.online_start(1.0)?;
            let before = self.rows.len();
            self.admit_block(&block)?;
            let together = self.rows.joined(&new)?;
            let kernel = std::slice::from_ref(&self.kernel);
            let kernels = cross(kernel, &together, &new, monitor)?.remove(0);
            let mut kept: Vec<usize> = (0..before).collect();
            let places = (0..new.len()).map(|i| (i, before + i));
            let done = self.learner.pass(kernels.as_ref(), places, &targets, &mut kept, monitor);
            self.rows = together.select(&kept);
            done?;
            self.count(&MissingnessSummary::of(&block).report(Karma::NAME, Stop::Open, &block));
        }
        self.report.seconds += began.elapsed().as_secs_f64();
        Ok(())
    }

    /// Refuses a block that does not fit into memory with the rows kept: they are joined, compared
    /// with the block, and selected again.
    fn admit_block(&self, block: &Examples<'_>) -> Result<()> {
        let new = FitSize::of(block);
        let (rows, kept) = (self.rows.len() + block.len(), self.rows.stored());
        let size = FitSize { rows, stored: kept.unwrap_or(0) + new.stored, ..new };
        let compared = 4.0 * (rows * block.len()) as f64;
        let numbers = 2.0 * size.masked(kept.is_some()) + compared;
        let remedy =
            "features=sketch:2048 and all rows at once, whose memory is linear in the rows";
        admit_need(&Karma::default(), &size, Needed::of(&size, numbers).with(remedy))
    }

    fn count(&mut self, block: &Report) {
        let report = &mut self.report;
        report.examples += block.examples;
        report.reads += block.reads;
        report.distinct += block.distinct;
        report.spent += block.spent;
        report.max_reads = report.max_reads.max(block.max_reads);
        let empty = |notes: &[Note]| {
            let rows =
                notes.iter().map(|n| if let Note::EmptyRows { rows } = n { *rows } else { 0 });
            rows.sum::<u64>()
        };
        let rows = empty(&report.notes) + empty(&block.notes);
        report.notes = if rows > 0 { vec![Note::EmptyRows { rows }] } else { Vec::new() };
    }

    /// Returns the model so far: the average over the steps.
    ///
    /// # Errors
    /// [`ErrorKind::TooFewRows`] before the first row.
    pub fn model(&self) -> Result<Model> {
        if self.rows.is_empty() {
            let what = "a model of the online pass".to_owned();
            return Err(ErrorKind::TooFewRows { what, least: 1, rows: 0 }.into());
        }
        let coefficients = self.learner.coefficients(KernelIterate::Averaged);
        let report = Report { support: Some(self.rows.len() as u64), ..self.report.clone() };
        let classes = self.classes.clone();
        Ok(Model {
            learner: Karma::NAME.to_owned(),
            params: self.params.clone(),
            prepare: self.prepare.clone(),
            target: self.target.clone(),
            task: if classes.is_empty() { Task::Regression } else { Task::Classification },
            classes,
            predictor: Predictor::Kernel(KernelExpansion {
                kernel: self.kernel.clone(),
                constant: self.constant,
                support: Arc::new(self.rows.clone()),
                coefficients,
                estimates: self.estimates,
            }),
            report,
        })
    }

    /// Returns the classes of the target, sorted; empty for a numeric target.
    pub fn classes(&self) -> &[Label] {
        &self.classes
    }

    /// Returns the state of the online algorithm, with its steps and losses.
    pub fn learner(&self) -> &OnlineKarma {
        &self.learner
    }

    /// Rejects an inconsistent state.
    fn check(&self) -> Result<()> {
        self.prepare.validate()?;
        let bad = |key: &str, problem: &str| {
            let (what, key) = ("state of online karma", key.to_owned());
            Err(ErrorKind::BadFile { what, key, problem: problem.to_owned() }.into())
        };
        let width = self.prepare.schema.width() + usize::from(self.constant);
        if self.rows.len() != self.learner.kept() {
            return bad("rows", "their number differs from that of the rows learned");
        }
        if !self.rows.is_empty() && self.rows.columns() != width {
            return bad("rows", "their columns are not those of the schema");
        }
        let outputs = if self.classes.len() > 2 { self.classes.len() } else { 1 };
        if self.learner.coefficients(KernelIterate::Last).ncols() != outputs {
            return bad("learner", "its number of outputs does not match the classes");
        }
        Ok(())
    }
}

impl Serialize for IncrementalKarma {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        IncrementalKarma::serialize(self, to)
    }
}

impl<'de> Deserialize<'de> for IncrementalKarma {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let state = IncrementalKarma::deserialize(from)?;
        state.check().map_err(serde::de::Error::custom)?;
        Ok(state)
    }
}
