//! Prints a model's weights in the attributes' own units as CSV, the most important ones first.
//!
//! Rows: the intercept; the range of clipped predictions if any; the attributes, by the absolute
//! weight of a change of one standard deviation. Columns: attribute; weight, or one for each of
//! more than two classes; `standardised`, the weight times the attribute's standard deviation (of
//! several classes the largest in size, with `of_class`, the class that it is of), if the model
//! knows the deviations; `standard_error`, if the fit estimated it. A text of two categories is one row, the difference between them. A curve
//! of an attribute is a row of its own, of several classes those of all, and so is each of its hat
//! functions.

use crate::args::ShowArgs;
use crate::commands::parts;
use crate::commands::predict::{quoted, read_model};
use crate::commands::weights::{Row, Weights};
use crate::terminal::output;
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
    let weights = Weights::of(model, &args.model)?;
    let errors = weights.rows.first().is_some_and(|row| row.error.is_some());
    let several = weights.standardised && weights.classes.len() > 1;
    let line = |name: &str, values: &[f64], row: Option<&Row>| {
        let mut cells = vec![quoted(name)];
        cells.extend(values.iter().map(f64::to_string));
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let class = |row: &Row| quoted(&weights.classes[row.largest]);
        cells.extend(weights.standardised.then(|| number(row.and_then(|row| row.standardised))));
        cells.extend(several.then(|| row.map(class).unwrap_or_default()));
        cells.extend(errors.then(|| number(row.and_then(|row| row.error))));
        format!("{}\n", cells.join(","))
    };
    let mut titles = vec!["attribute".to_owned()];
    match &weights.classes[..] {
        [_] => titles.push("weight".to_owned()),
        classes => titles.extend(classes.iter().map(|class| quoted(class))),
    }
    titles.extend(weights.standardised.then(|| "standardised".to_owned()));
    titles.extend(several.then(|| "of_class".to_owned()));
    titles.extend(errors.then(|| "standard_error".to_owned()));
    let mut csv = format!("{}\n", titles.join(","));
    // The intercept has no error: the refits' weights are kept, not their means.
    csv.push_str(&line(&weights.intercept, &weights.intercepts, None));
    if let Some([least, largest]) = weights.clip {
        csv.push_str(&line("(least)", &[least], None));
        csv.push_str(&line("(largest)", &[largest], None));
    }
    for row in &weights.rows {
        csv.push_str(&line(&row.name, &row.weights, Some(row)));
    }
    output::print(&csv)?;
    if !weights.standardised {
        output::remark(
            args.quiet,
            "remark: no column standardised, and the attributes in the order of the table: the model does not know their standard deviations; its fit chose its reads and did not look at the table; declare mean and moment of each attribute with fit --moments",
        );
    }
    // Whose sums, and of which rows.
    let to = match weights.classes.len() {
        1 => "the prediction",
        _ => "the score of each class",
    };
    let adds = |what: &str, rows: &str| {
        let text = format!(
            "remark: an attribute with {what} adds the sum of its {rows} to {to}; --curves prints these sums, --picture FILE draws them"
        );
        output::remark(args.quiet, &text);
    };
    if parts::has_hats(model) {
        adds("hat functions ('near' a value)", "rows");
    }
    if weights.curved {
        adds("a curve", "two rows");
    }
    Ok(())
}
