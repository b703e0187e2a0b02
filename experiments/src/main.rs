//! Runs the experiments of the papers again, by name: figures, tables, and pages that compare.
#![forbid(unsafe_code)]

mod args;
mod arm;
mod beyond;
mod by_name;
mod digits;
mod edges;
mod figure;
mod figures;
mod fits;
mod hash;
mod holdout;
mod holed;
mod markdown;
mod pages;
mod paired;
mod papers;
mod problem;
mod protocol;
mod rates;
mod results;
mod run;
mod synthetic;
mod thinned;
mod transduced;
mod tuned;
mod vanishing;

use anyhow::{Context as _, Result, bail};
use args::Arguments;
use by_name::ByName;
use clap::Parser;
use edges::edges;
use figures::{EXPERIMENTS, Experiment, Way};
use problem::Sources;
use protocol::Protocol;
use results::Results;
use run::Context;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let is_by_name =
        std::env::args().nth(1).is_some_and(|name| by_name::COMMANDS.contains(&&*name));
    let done = match is_by_name {
        true => by_name::run(&ByName::parse()),
        false => run(&Arguments::parse()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            let _ = writeln!(std::io::stderr(), "error: {}", causes.join(": "));
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    if arguments.name == "list" {
        let names = EXPERIMENTS.iter().map(|e| format!("{:14} {}\n", e.name, e.title));
        return Ok(std::io::stdout().write_all(names.collect::<String>().as_bytes())?);
    }
    if arguments.name == "pages" {
        return pages::write_all(&arguments.out, EXPERIMENTS);
    }
    let chosen: Vec<&Experiment> = EXPERIMENTS
        .iter()
        .filter(|e| arguments.name == "all" || e.name == arguments.name)
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
        bail!(
            "there is no experiment '{}'; the names are: list, pages, all, {}",
            arguments.name,
            names.join(", ")
        );
    }
    std::fs::create_dir_all(&arguments.out).with_context(|| arguments.out.display().to_string())?;
    let sources = Sources::new(arguments.mnist.clone(), arguments.data.clone(), !arguments.quiet)
        .with_movielens(arguments.movielens.clone())
        .with_tables(arguments.tables.clone());
    let named = Protocol::named(arguments.quick, arguments.seed);
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.unwrap_or(0)).build()?;
    for experiment in chosen {
        let began = Instant::now();
        let named = match experiment.way {
            Way::Paired => named.paired(),
            Way::Unclipped => named.unclipped(),
            _ => named,
        };
        let protocol = Protocol {
            splits: arguments.splits.map_or(named.splits, usize::from),
            folds: arguments.folds.map_or(named.folds, usize::from),
            every: if arguments.every_pair { 1 } else { named.every },
            ..named
        };
        let context = Context {
            name: experiment.name,
            protocol,
            sources: &sources,
            out: arguments.out.clone(),
            told: !arguments.quiet,
            stored: arguments.stored,
        };
        let mut body = pool.install(|| (experiment.make)(&context))?;
        let results = Results::read(&arguments.out.join(context.file(".csv")))?;
        body += &edges(&results, &(experiment.arms)(), protocol.quick);
        pages::publish(&arguments.out, EXPERIMENTS, experiment, &protocol, &body)?;
        if context.told {
            let seconds = began.elapsed().as_secs_f64();
            let _ = writeln!(std::io::stderr(), "{} finished in {seconds:.0} s", experiment.name);
        }
    }
    Ok(())
}
