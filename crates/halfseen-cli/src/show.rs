//! Prints a model's weights in the attributes' own units: one per attribute, or one for each of more than two classes.

use crate::args::ShowArgs;
use crate::output;
use crate::predict::{quoted, read_model};
use anyhow::{Context, Result};
use halfseen::model::{Model, Predictor};
use std::process::ExitCode;

/// Runs the command.
pub(crate) fn run(args: &ShowArgs) -> Result<ExitCode> {
    let model = read_model(&args.model)?;
    let (titles, sums) = match &model.predictor {
        Predictor::Linears(linears) => {
            let titles = model.classes.iter().map(|class| quoted(&class.to_string())).collect();
            (titles, linears.classes.iter().map(|sum| Predictor::Linear(sum.clone())).collect())
        }
        other => (vec!["weight".to_owned()], vec![other.clone()]),
    };
    let raw = |predictor: Predictor| Model { predictor, ..model.clone() }.raw_weights();
    let sums = sums.into_iter().map(raw).collect::<Result<Vec<_>, _>>();
    let sums = sums.with_context(|| args.model.display().to_string())?;
    let line = |name: &str, weights: Vec<f64>| {
        let weights: String = weights.iter().map(|weight| format!(",{weight}")).collect();
        format!("{}{weights}\n", quoted(name))
    };
    let mut csv = format!("attribute,{}\n", titles.join(","));
    csv.push_str(&line("(intercept)", sums.iter().map(|(_, intercept)| *intercept).collect()));
    let names = sums.first().map_or(&[][..], |(weights, _)| weights).iter().map(|(name, _)| name);
    for (at, name) in names.enumerate() {
        csv.push_str(&line(name, sums.iter().map(|(weights, _)| weights[at].1).collect()));
    }
    output::print(&csv)?;
    Ok(ExitCode::SUCCESS)
}
