//! Runs the program `halfseen`: learn from data you only half see.

mod allocator;
mod args;
mod commands;
mod parse;
mod tables;
mod terminal;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::return_large_blocks();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return terminal::failure::usage(&error),
    };
    halfseen::memory::set_limit(arguments.memory.unwrap_or(0));
    let started = halfseen::memory::start_threads().map_err(anyhow::Error::from);
    if let Err(error) = started.and_then(|()| terminal::interrupt::install()) {
        return terminal::failure::report(&error);
    }
    let result = match &arguments.command {
        Command::Compare(args) => commands::compare::run(args),
        Command::Fit(args) => commands::fit::run(args),
        Command::Merge(args) => commands::in_parts::merge(args),
        Command::Predict(args) => commands::predict::run(args),
        Command::Evaluate(args) => commands::evaluate::run(args),
        Command::Certify(args) => commands::certify::run(args),
        Command::Plan(args) => commands::plan::run(args),
        Command::Study(args) => commands::study::run(args),
        Command::Show(args) => commands::show::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Learners(args) => commands::learners::run(args),
        Command::Completions(args) => commands::manual::completions(args),
        Command::Man(_) => commands::manual::man(),
    };
    match result {
        Ok(code) => code,
        Err(error) => terminal::failure::report(&error),
    }
}
