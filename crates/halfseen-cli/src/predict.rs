//! Predicts every row of a table with a saved model.

use crate::args::PredictArgs;
use crate::failure::usage_error;
use crate::format::text;
use crate::input::{read_table, renumbered};
use crate::intervals::Intervals;
use crate::output;
use anyhow::{Context, Result};
use halfseen::data::{Table, Task};
use halfseen::model::{Model, Prediction};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(args: &PredictArgs) -> Result<ExitCode> {
    let model = clipped(read_model(&args.model)?, args.no_clip, args.quiet);
    if let Some(out) = &args.out {
        let read = [&args.model, &args.data].into_iter().chain(&args.conformal);
        let read: Vec<&Path> = read.map(PathBuf::as_path).collect();
        output::check_writable("--out", out, &read)?;
    }
    let (name, table) = read_table(Some(&args.data), &args.read, args.quiet)?;
    // Checked before the work, and before any remark about the table.
    args.id.as_deref().map(|id| table.column(id)).transpose().with_context(|| name.clone())?;
    let prediction =
        predict(&model, &table, &[], &[args.id.as_deref(), Some(&model.target)], args.quiet)
            .context(name.clone())?;
    let intervals = Intervals::asked(args.interval, args.conformal.as_deref(), &args.model)
        .map(|asked| asked.of(&model, &table, &args.read, args.quiet))
        .transpose()?;
    let csv = as_csv(&model, &table, &prediction, intervals.as_deref(), args.id.as_deref())
        .context(name)?;
    match &args.out {
        Some(path) => output::write_file(path, &csv)?,
        None => output::print(&csv)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the model, without clipping of its predictions if that is asked for.
pub(crate) fn clipped(model: Model, no_clip: bool, quiet: bool) -> Model {
    if no_clip && model.clip().is_none() {
        output::remark(
            quiet,
            "remark: --no-clip changes nothing: this model does not clip its predictions",
        );
    }
    if no_clip { model.without_clip().without_bounds() } else { model }
}

/// Reads a model file; errors name it.
pub(crate) fn read_model(path: &Path) -> Result<Model> {
    let bytes = std::fs::read(path).or_else(|e| {
        let why = output::plain_reason(&e);
        usage_error(format!("cannot read the model {} ({why}); check the path", path.display()))
    })?;
    // Unlike other files, a model file starts as a JSON object.
    let json = |text: &str| text.trim_start().starts_with('{');
    let Some(text) = String::from_utf8(bytes).ok().filter(|text| json(text)) else {
        return usage_error(format!(
            "{} is not a model; give first a file saved by `halfseen fit`, then the data",
            path.display()
        ));
    };
    Model::from_json(&text).with_context(|| path.display().to_string())
}

/// Predicts, and remarks on unused and absent columns except `expected` ones. `numbers` are the
/// rows' numbers in the file, from 0, if the table has not all of its rows.
pub(crate) fn predict(
    model: &Model,
    table: &Table,
    numbers: &[usize],
    expected: &[Option<&str>],
    quiet: bool,
) -> Result<Prediction> {
    let prediction = model.predict(table).map_err(|e| renumbered(e, numbers))?;
    output::remark_on(&prediction.applied, expected, quiet);
    Ok(prediction)
}

fn as_csv(
    model: &Model,
    table: &Table,
    prediction: &Prediction,
    intervals: Option<&[(f64, f64)]>,
    id: Option<&str>,
) -> Result<String> {
    let id = id.map(|name| table.column(name)).transpose()?;
    let classes = model.task == Task::Classification;
    let mut csv = String::new();
    if let Some(column) = id {
        csv.push_str(&format!("{},", quoted(&column.name)));
    }
    csv.push_str(match (classes, intervals) {
        (true, _) => "prediction,score\n",
        (false, Some(_)) => "prediction,low,high\n",
        (false, None) => "prediction\n",
    });
    let scores = &prediction.scores;
    for row in 0..scores.len() {
        if let Some(column) = id {
            csv.push_str(&format!("{},", quoted(&text(table.cell(row, column)))));
        }
        // The predicted class has the largest score.
        let score = scores.row(row).iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match model.class(scores, row) {
            Some(label) => csv.push_str(&format!("{},{score}\n", quoted(&label.to_string()))),
            None => {
                let ends = intervals
                    .map_or(String::new(), |ends| format!(",{},{}", ends[row].0, ends[row].1));
                csv.push_str(&format!("{score}{ends}\n"));
            }
        }
    }
    Ok(csv)
}

/// Formats a CSV field, with quotes if it needs them.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}
