//! Runs `halfseen study schema`: changes of the schema of a study that runs.

use super::{by, done, read_text};
use crate::args::study_schema::{AddArgs, Change, RetireArgs, SchemaArgs};
use anyhow::{Context, Result};
use halfseen_study::Study;
use std::process::ExitCode;

pub(super) fn run(args: &SchemaArgs) -> Result<ExitCode> {
    match &args.change {
        Change::Add(args) => add(args),
        Change::Retire(args) => retire(args),
    }
}

fn add(args: &AddArgs) -> Result<ExitCode> {
    let csv = read_text(&args.schema)?;
    let mut study = Study::open(&args.on.study)?;
    let added = study
        .add(&csv, &args.why.reason, &by(&args.on))
        .with_context(|| args.schema.display().to_string())?;
    let sentence = format!("later asks may name {}", added.join(", "));
    done(&args.on, &serde_json::json!({ "added": added }), &sentence)
}

fn retire(args: &RetireArgs) -> Result<ExitCode> {
    let mut study = Study::open(&args.on.study)?;
    study.retire(&args.attribute, &args.why.reason, &by(&args.on))?;
    let sentence = format!("{} is asked no more; its values stay", args.attribute);
    done(&args.on, &serde_json::json!({ "retired": args.attribute }), &sentence)
}
