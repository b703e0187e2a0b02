//! Prints a model's weights in the attributes' own units.

use crate::args::ShowArgs;
use crate::output;
use crate::predict::{quoted, read_model};
use anyhow::{Context, Result};
use std::process::ExitCode;

/// Runs the command.
pub(crate) fn run(args: &ShowArgs) -> Result<ExitCode> {
    let model = read_model(&args.model)?;
    let (weights, intercept) = model.raw_weights().with_context(|| args.model.display().to_string())?;
    let mut csv = format!("attribute,weight\n(intercept),{intercept}\n");
    for (name, weight) in weights {
        csv.push_str(&format!("{},{weight}\n", quoted(&name)));
    }
    output::print(&csv)?;
    Ok(ExitCode::SUCCESS)
}
