//! Runs the program `halfseen`: learn from data you only half see.

mod allocator;
mod args;
mod attacks;
mod certify;
mod colour;
mod compare;
mod compared;
mod curves;
mod declarations;
mod digits;
mod drawn;
mod evaluate;
mod failure;
mod files;
mod fit;
mod fitted;
mod format;
mod hiding;
mod in_parts;
mod input;
mod interrupt;
mod intervals;
mod kept_rows;
mod labelled;
mod learners;
mod manual;
mod measure;
mod observed;
mod output;
mod parse;
mod parts;
mod pilot;
mod plan;
mod predict;
mod progress;
mod report;
mod report_page;
mod show;
mod stream;
mod study;
mod suggested;
mod test_table;
mod text_columns;
mod threats;
mod truncate;
mod weights;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::return_large_blocks();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::usage(&error),
    };
    halfseen::memory::set_limit(arguments.memory.unwrap_or(0));
    let started = halfseen::memory::start_threads().map_err(anyhow::Error::from);
    if let Err(error) = started.and_then(|()| interrupt::install()) {
        return failure::report(&error);
    }
    let result = match &arguments.command {
        Command::Compare(args) => compare::run(args),
        Command::Fit(args) => fit::run(args),
        Command::Merge(args) => in_parts::merge(args),
        Command::Predict(args) => predict::run(args),
        Command::Evaluate(args) => evaluate::run(args),
        Command::Certify(args) => certify::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Study(args) => study::run(args),
        Command::Show(args) => show::run(args),
        Command::Report(args) => report::run(args),
        Command::Learners(args) => learners::run(args),
        Command::Completions(args) => manual::completions(args),
        Command::Man(_) => manual::man(),
    };
    match result {
        Ok(code) => code,
        Err(error) => failure::report(&error),
    }
}
