//! Prints a model's weights in the attributes' own units: the intercept, the range of clipped
//! predictions if any, then per attribute one weight (with its standard error if known), or one for
//! each of more than two classes.

use crate::args::ShowArgs;
use crate::output;
use crate::predict::{quoted, read_model};
use anyhow::{Context, Result};
use halfseen::data::Task;
use halfseen::model::{Model, Predictor};
use std::process::ExitCode;

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
    let errors = standard_errors(&model);
    let line = |name: &str, weights: Vec<f64>, error: Option<f64>| {
        let weights: String = weights.iter().map(|weight| format!(",{weight}")).collect();
        // The intercept has none: the refits' weights are kept, not their means.
        let error = error.map_or(String::new(), |error| error.to_string());
        let error = if errors.is_some() { format!(",{error}") } else { String::new() };
        format!("{}{weights}{error}\n", quoted(name))
    };
    let title = if errors.is_some() { ",standard_error" } else { "" };
    let mut csv = format!("attribute,{}{title}\n", titles.join(","));
    csv.push_str(&line(
        "(intercept)",
        sums.iter().map(|(_, intercept)| *intercept).collect(),
        None,
    ));
    if let Some([least, largest]) = model.clip().filter(|_| model.task == Task::Regression) {
        csv.push_str(&line("(least)", vec![least], None));
        csv.push_str(&line("(largest)", vec![largest], None));
    }
    let names = sums.first().map_or(&[][..], |(weights, _)| weights).iter().map(|(name, _)| name);
    for (at, name) in names.enumerate() {
        let error = errors.as_ref().map(|errors| errors[at]);
        csv.push_str(&line(name, sums.iter().map(|(weights, _)| weights[at].1).collect(), error));
    }
    output::print(&csv)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the standard error of each weight, in the attributes' own units; `None` if the model was
/// fitted without.
fn standard_errors(model: &Model) -> Option<Vec<f64>> {
    let Predictor::Conditional(conditional) = &model.predictor else { return None };
    let (columns, deviations) = (conditional.linear.weights.len(), &conditional.deviations);
    if deviations.is_empty() {
        return None;
    }
    let error = |column: usize| {
        let variance: f64 = deviations.iter().skip(column).step_by(columns).map(|v| v * v).sum();
        let (_, divisor) = model.prepare.scaler.affine(column);
        variance.sqrt() * model.prepare.target.deviation / divisor
    };
    Some((0..columns).map(error).collect())
}
