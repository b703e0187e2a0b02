//! Runs halfseen on damaged files, models, sums of parts, states of learners and command lines, and reports what breaks.
//!
//! A case is made from a seed and a number, so that each can be repeated alone. Cases run in
//! processes of their own: one that crashes, hangs or takes too much memory ends its process and is
//! reported, and a new process goes on behind it.

mod mutate;
mod pool;
mod subjects;
mod worker;

use anyhow::{Result, bail};
use clap::Parser;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Run halfseen on damaged input: bit flips, cuts, splices, and edits of cells and JSON values.
///
/// A finding is a panic, a crash, a hang, an error that is not one line, output left over after a
/// failure, or a result that is not finite. Exits with 1 if there is one.
#[derive(Debug, Parser)]
#[command(before_help = "Examples:
  halfseen-fuzz --runs 20000                          some minutes
  halfseen-fuzz --runs 1000000 --seed 7               hours
  halfseen-fuzz --subjects models,states
  halfseen-fuzz --replay files:7:123 --save odd.csv   one case again, and its input")]
struct Arguments {
    /// Number of cases of each subject; the program itself, which takes a process for each, gets a
    /// twentieth
    #[arg(long, default_value_t = 10_000)]
    runs: u64,
    /// Seed of all cases
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Subjects to run: files (readers), models, partials (sums of parts), states (learners that ask), program
    #[arg(long, value_delimiter = ',', default_values = subjects::NAMES)]
    subjects: Vec<String>,
    /// Number of processes at once; default: the number of cores
    #[arg(long)]
    workers: Option<usize>,
    /// Longest time of a case in seconds; a longer one is a hang
    #[arg(long, default_value_t = 20.0)]
    limit: f64,
    /// Run one case again, as a finding names it, in this process
    #[arg(long, value_name = "SUBJECT:SEED:NUMBER")]
    replay: Option<String>,
    /// With --replay: write the damaged input to this file, and do not run it
    #[arg(long, value_name = "FILE", requires = "replay")]
    save: Option<PathBuf>,
    /// Run as a worker, from a first case to before a last one
    #[arg(long, hide = true, num_args = 2)]
    worker: Option<Vec<u64>>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if let Some(unknown) =
        arguments.subjects.iter().find(|name| !subjects::NAMES.contains(&name.as_str()))
    {
        bail!("there is no subject {unknown}: choose from {}", subjects::NAMES.join(", "));
    }
    if let Some(case) = &arguments.replay {
        return worker::replay(case, arguments.save.as_deref());
    }
    if let Some([from, to]) = arguments.worker.as_deref() {
        return worker::run(&arguments.subjects[0], arguments.seed, *from..*to);
    }
    let mut findings = 0;
    for name in &arguments.subjects {
        let runs = if name == "program" { arguments.runs / 20 } else { arguments.runs };
        let began = Instant::now();
        let tally = pool::run(name, runs, &arguments)?;
        let seconds = began.elapsed().as_secs_f64();
        let mut out = std::io::stdout();
        writeln!(
            out,
            "{name}: {runs} cases in {seconds:.0} s, {} taken, {} refused, {} findings",
            tally.taken,
            tally.refused,
            tally.findings.len()
        )?;
        for finding in &tally.findings {
            writeln!(out, "  {finding}")?;
        }
        findings += tally.findings.len();
    }
    Ok(if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
