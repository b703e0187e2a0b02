//! Prints a model's weights in the attributes' own units as CSV, the most important ones first.
//!
//! Rows: the intercept; the range of clipped predictions if any; the attributes, by the absolute
//! weight of a change of one standard deviation. Columns: attribute; weight, or one for each of
//! more than two classes; `standardised`, the weight times the attribute's standard deviation (of
//! several classes the largest in size), if the model knows the deviations; `standard_error`, if
//! the fit estimated it. A text of two categories is one row, the difference between them. A curve
//! of an attribute is a row of its own, of several classes those of all, and so is each of its hat
//! functions.

use crate::args::ShowArgs;
use crate::output;
use crate::parts;
use crate::predict::{quoted, read_model};
use crate::weights::Weights;
use anyhow::Result;
use halfseen::model::Model;
use std::process::ExitCode;

pub(crate) fn run(args: &ShowArgs) -> Result<ExitCode> {
    let model = read_model(&args.model)?;
    parts::check(&model, args)?;
    if let Some(path) = &args.picture {
        parts::draw(&model, path)?;
    }
    match args.curves {
        true => output::print(&parts::csv(&model))?,
        false => weights(&model, args)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the weights.
fn weights(model: &Model, args: &ShowArgs) -> Result<()> {
    let found = Weights::of(model, &args.model)?;
    let errors = found.rows.first().is_some_and(|row| row.error.is_some());
    let line = |name: &str, weights: &[f64], standardised: Option<f64>, error: Option<f64>| {
        let mut cells = vec![quoted(name)];
        cells.extend(weights.iter().map(f64::to_string));
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        cells.extend(found.standardised.then(|| number(standardised)));
        cells.extend(errors.then(|| number(error)));
        format!("{}\n", cells.join(","))
    };
    let mut titles = vec!["attribute".to_owned()];
    match &found.classes[..] {
        [_] => titles.push("weight".to_owned()),
        classes => titles.extend(classes.iter().map(|class| quoted(class))),
    }
    titles.extend(found.standardised.then(|| "standardised".to_owned()));
    titles.extend(errors.then(|| "standard_error".to_owned()));
    let mut csv = format!("{}\n", titles.join(","));
    // The intercept has no error: the refits' weights are kept, not their means.
    csv.push_str(&line(&found.intercept, &found.intercepts, None, None));
    if let Some([least, largest]) = found.clip {
        csv.push_str(&line("(least)", &[least], None, None));
        csv.push_str(&line("(largest)", &[largest], None, None));
    }
    for row in &found.rows {
        csv.push_str(&line(&row.name, &row.weights, row.standardised, row.error));
    }
    output::print(&csv)?;
    if !found.standardised {
        output::remark(
            args.quiet,
            "remark: no column standardised, and the attributes in the order of the table: the model does not know their standard deviations; its fit chose its reads and did not look at the table; declare mean and moment of each attribute with fit --moments",
        );
    }
    if !model.raw_hats().is_empty() {
        output::remark(
            args.quiet,
            "remark: an attribute with hat functions ('near' a value) adds the sum of its rows to the prediction; --curves prints these sums, --picture FILE draws them",
        );
    }
    if found.curved {
        let remark = match found.classes.len() {
            1 => {
                "remark: an attribute with a curve adds the sum of its two rows to the prediction; --curves prints these sums, --picture FILE draws them"
            }
            _ => {
                "remark: an attribute with a curve adds the sum of its two rows to the score of a class; each class has curves of its own, which are not printed: fit two classes with --classes A,B to see them"
            }
        };
        output::remark(args.quiet, remark);
    }
    Ok(())
}
