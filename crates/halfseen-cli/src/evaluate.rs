//! Tests a saved model on a table that has the target.

use crate::args::EvaluateArgs;
use crate::failure::usage_error;
use crate::input::read_table;
use crate::output;
use crate::predict::{predict, read_model};
use crate::truncate::Truncated;
use anyhow::{Context, Result};
use halfseen::data::{Label, Table, Target, Task};
use halfseen::model::Model;
use halfseen::select::Score;
use serde_json::json;
use std::process::ExitCode;

/// Runs the command.
pub(crate) fn run(args: &EvaluateArgs) -> Result<ExitCode> {
    let model = read_model(&args.model)?;
    let cut = args.truncate.as_ref().map(|counts| counts.cut(&model)).transpose()?;
    args.out.as_deref().map(output::check_writable).transpose()?;
    let (name, table) = read_table(Some(&args.data))?;
    let target_name = args.target.as_deref().unwrap_or(&model.target);
    let target = target_of(&model, &table, target_name).context(name.clone())?;
    let prediction = predict(&model, &table, &[Some(target_name)], args.quiet).with_context(|| name.clone())?;
    let rows: Vec<u32> = (0..table.rows() as u32).collect();
    let score = Score::of(&prediction.scores, &target, &rows);
    let truncated = cut.map(|models| Truncated::test(&models, &table, &target)).transpose()?;
    if let (Some(truncated), Some(path)) = (&truncated, &args.out) {
        truncated.draw(&name, &model.learner, path)?;
    }
    if args.json {
        let mut json = json!({
            "examples": rows.len(), "mse": score.mse, "error": score.error,
            "balanced_error": score.balanced_error, "attacked_error": null,
        });
        if let Some(truncated) = &truncated {
            json["truncated"] = truncated.as_json();
        }
        output::print(&format!("{}\n", serde_json::to_string_pretty(&json)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    let percent = |e: Option<f64>| e.map_or("-".into(), |e| format!("{:.2} %", 100.0 * e));
    let table = truncated.map_or(String::new(), |t| format!("\n{}", t.as_text()));
    output::print(&format!(
        "examples        {}\nsquared error   {:.6}\nerror           {}\nbalanced error  {}\n{table}",
        rows.len(),
        score.mse,
        percent(score.error),
        percent(score.balanced_error)
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// The target in the model's classes; unlike training data, test rows may all be of one class.
fn target_of(model: &Model, table: &Table, name: &str) -> Result<Target> {
    let column = table.column(name)?;
    let cells = (0..table.rows()).map(|row| table.cell(row, column));
    let mut numbers = Vec::new();
    let mut codes = Vec::new();
    for (row, cell) in cells.enumerate() {
        use halfseen::data::Cell;
        let label = match cell {
            Cell::Missing => {
                let count = (row..table.rows()).filter(|&r| table.cell(r, column) == Cell::Missing).count();
                let kind = halfseen::ErrorKind::MissingTarget { column: name.to_owned(), first: row + 1, count };
                return Err(halfseen::Error::from(kind).into());
            }
            Cell::Number(number) => Label::Number(number),
            Cell::Text(text) => Label::Text(text.to_owned()),
        };
        match (model.task, label) {
            (Task::Regression, Label::Number(number)) => numbers.push(number),
            (Task::Regression, Label::Text(_)) => {
                return usage_error(format!("column '{name}' holds text, and the model estimates a number"));
            }
            (Task::Classification, label) => match model.classes.iter().position(|c| same(c, &label)) {
                Some(code) => codes.push(code as u32),
                None => {
                    let classes: Vec<String> = model.classes.iter().map(ToString::to_string).collect();
                    return usage_error(format!(
                        "row {}: target '{}' is none of the model's classes ({})",
                        row + 1,
                        halfseen::error::short(&label.to_string()),
                        halfseen::error::list(&classes)
                    ));
                }
            },
        }
    }
    Ok(match model.task {
        Task::Regression => Target::Numbers(numbers),
        Task::Classification => Target::Classes { classes: model.classes.clone(), codes },
    })
}

/// Labels are the same if they read the same: a text column of training may hold only numbers here.
fn same(a: &Label, b: &Label) -> bool {
    a == b || a.to_string() == b.to_string()
}
