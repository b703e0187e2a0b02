//! Runs the cells of an experiment, several at a time, except those whose results are stored.

use crate::arm::Arm;
use crate::problem::Sources;
use crate::protocol::Protocol;
use crate::results::{Cell, Ledger, Results, Row};
use anyhow::{Context as _, Result, bail};
use rayon::prelude::*;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What an experiment works with.
pub(crate) struct Context<'a> {
    pub(crate) name: &'static str,
    pub(crate) protocol: Protocol,
    pub(crate) sources: &'a Sources,
    /// Where results go.
    pub(crate) out: PathBuf,
    /// Whether finished cells are told on stderr.
    pub(crate) told: bool,
    /// Whether a result that is not stored is an error, instead of being computed.
    pub(crate) stored: bool,
}

/// One cell: an arm on one split of a problem.
pub(crate) struct Job<'a> {
    /// Names everything that decides the results, except the split.
    pub(crate) key: String,
    pub(crate) problem: &'a str,
    pub(crate) arm: &'a Arm,
    pub(crate) split: usize,
    /// Computes the results.
    pub(crate) measure: Box<dyn Fn() -> Result<Vec<Measured>> + Sync + 'a>,
}

/// What was measured at one point of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    pub(crate) examples: u64,
    /// Reads, with multiplicity.
    pub(crate) reads: u64,
    /// Mean squared error; NaN where there is none.
    pub(crate) squared: f64,
    /// Share of test rows told wrongly.
    pub(crate) wrong: Option<f64>,
    /// What was chosen.
    pub(crate) setting: String,
}

/// The results of an experiment while it runs.
pub(crate) struct Run<'a> {
    context: &'a Context<'a>,
    ledger: Ledger,
    /// Every cell asked for, in the order of the file.
    cells: Vec<Cell>,
}

impl Context<'_> {
    /// A file of this experiment and protocol in the folder of results.
    pub(crate) fn file(&self, suffix: &str) -> String {
        format!("{}.{}{suffix}", self.name, self.protocol.name())
    }

    /// Opens the stored results of this experiment; `part` names those of several files apart.
    pub(crate) fn open(&self, part: &str) -> Result<Run<'_>> {
        let ledger = Ledger::open(&self.out.join(self.file(&format!("{part}.csv"))))?;
        Ok(Run { context: self, ledger, cells: Vec::new() })
    }

    /// Says a line on stderr, unless nothing is to be said.
    pub(crate) fn tell(&self, line: &str) {
        if self.told {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}

impl Run<'_> {
    /// Computes those cells of a batch that are not stored; each is stored when it is done. The
    /// batch is one of so many.
    pub(crate) fn compute(
        &mut self,
        jobs: Vec<Job<'_>>,
        (batch, batches): (usize, usize),
    ) -> Result<()> {
        self.cells.extend(jobs.iter().map(Job::cell));
        let open: Vec<Job<'_>> =
            jobs.into_iter().filter(|job| !self.ledger.has(&job.cell())).collect();
        let Context { name, stored, .. } = self.context;
        if let Some(job) = open.first().filter(|_| *stored) {
            bail!("{name}: {} results are not stored, the first is {}", open.len(), job.place());
        }
        let done = AtomicUsize::new(0);
        open.par_iter().try_for_each(|job| {
            let began = Instant::now();
            let measured = (job.measure)().with_context(|| job.place())?;
            let outcome = measured.last().map_or_else(String::new, Measured::outcome);
            self.ledger.append(&job.rows(measured))?;
            let (done, seconds) =
                (done.fetch_add(1, Ordering::Relaxed) + 1, began.elapsed().as_secs_f64());
            let (place, batch, jobs) = (job.place(), batch + 1, open.len());
            self.context.tell(&format!(
                "{name} {batch}/{batches}, {done}/{jobs}: {place}: {outcome}, {seconds:.1} s"
            ));
            Ok(())
        })
    }

    /// The results of all cells, compressed on disk.
    pub(crate) fn finish(self) -> Result<Results> {
        self.ledger.finish(&self.cells)
    }
}

impl Job<'_> {
    fn cell(&self) -> Cell {
        (self.key.clone(), self.split)
    }

    fn place(&self) -> String {
        format!("{}, arm {}, split {}", self.problem, self.arm.id, self.split)
    }

    fn rows(&self, measured: Vec<Measured>) -> Vec<Row> {
        let points = measured.len();
        let row = |(point, measured): (usize, Measured)| Row {
            key: self.key.clone(),
            problem: self.problem.to_owned(),
            arm: self.arm.id.clone(),
            split: self.split,
            point,
            points,
            examples: measured.examples,
            reads: measured.reads,
            squared: measured.squared,
            wrong: measured.wrong,
            setting: measured.setting,
        };
        measured.into_iter().enumerate().map(row).collect()
    }
}

impl Measured {
    /// In a few words, for who waits.
    fn outcome(&self) -> String {
        let squared = format!("squared error {:.4}", self.squared);
        let wrong = self.wrong.map(|wrong| format!("class error {wrong:.4}"));
        let known = Some(squared).filter(|_| !self.squared.is_nan()).into_iter().chain(wrong);
        format!("{} ({})", known.collect::<Vec<String>>().join(", "), self.setting)
    }
}
