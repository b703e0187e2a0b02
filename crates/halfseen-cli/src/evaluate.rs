//! Tests a saved model on a table that has the target.

use crate::args::EvaluateArgs;
use crate::input::read_table;
use crate::output;
use crate::predict::{predict, read_model};
use crate::test_table::target_of;
use crate::truncate::Truncated;
use anyhow::{Context, Result};
use halfseen::select::Score;
use serde_json::json;
use std::process::ExitCode;

/// Runs the command.
pub(crate) fn run(args: &EvaluateArgs) -> Result<ExitCode> {
    let model = read_model(&args.model)?;
    let cut = args.truncate.as_ref().map(|counts| counts.cut(&model)).transpose();
    let cut = cut.with_context(|| format!("--truncate: {}", args.model.display()))?;
    args.out.as_deref().map(output::check_writable).transpose()?;
    let (name, table) = read_table(Some(&args.data))?;
    let target_name = args.target.as_deref().unwrap_or(&model.target);
    let numbers: Vec<usize> = (0..table.rows()).collect();
    let target = target_of(model.task, &model.classes, &table, target_name, &numbers).context(name.clone())?;
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
        "examples        {}\nsquared error   {}\nerror           {}\nbalanced error  {}\n{table}",
        rows.len(),
        score.mse.map_or("-".to_owned(), |mse| format!("{mse:.6}")),
        percent(score.error),
        percent(score.balanced_error)
    ))?;
    Ok(ExitCode::SUCCESS)
}
