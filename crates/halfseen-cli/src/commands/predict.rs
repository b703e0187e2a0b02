//! Predicts every row of a table with a saved model.

use crate::args::PredictArgs;
use crate::commands::intervals::Intervals;
use crate::tables::input::renumbered;
use crate::tables::stream::{self, Rows, Take};
use crate::terminal::failure::usage_error;
use crate::terminal::format::{push_shortest, text};
use crate::terminal::output::{self, Growing};
use anyhow::{Context, Result};
use halfseen::data::{Column, Table, Task};
use halfseen::model::{Model, Scores};
use halfseen::registry;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(args: &PredictArgs) -> Result<ExitCode> {
    let model = clipped(read_model(&args.model)?, args.form.no_clip, args.quiet);
    if let Some(out) = &args.to.out {
        let read = [&args.model, &args.data].into_iter().chain(&args.form.conformal);
        let read: Vec<&Path> = read.map(PathBuf::as_path).collect();
        output::check_writable("--out", out, &read)?;
    }
    let mut intervals =
        Intervals::asked(args.form.interval, args.form.conformal.as_deref(), &args.model)
            .map(|asked| asked.of(&model, &args.read, args.quiet))
            .transpose()?;
    let mut wanted = stream::wanted(&model);
    wanted.texts.extend(args.id.clone());
    let (mut out, mut csv) = (None, String::new());
    let read =
        stream::read(&args.data, &args.read, &wanted, args.quiet, Take::Batches, |read, rows| {
            let Rows { table, numbers } = rows;
            let id = args.id.as_deref().map(|id| read.column(&table, id)).transpose()?;
            let prediction = model.predict(&table).map_err(|e| renumbered(e, &numbers))?;
            let ends = intervals.as_mut().map(|of| of.ends(&model, &table)).transpose()?;
            read.add(prediction.applied);
            let first = out.is_none();
            as_csv(&mut csv, &model, &table, &prediction.scores, ends.as_deref(), id, first);
            // Opened after the first batch: what cannot be used leaves nothing behind.
            let out = match &mut out {
                Some(out) => out,
                none => none.insert(Growing::begin(args.to.out.as_deref())?),
            };
            out.add(&csv)
        })?;
    out.map(Growing::finish).transpose()?;
    read.remark(&[args.id.as_deref(), Some(&model.target)], args.quiet);
    intervals.iter().for_each(|of| of.remark(&model));
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
    registry::read_model(&text).with_context(|| path.display().to_string())
}

/// Formats predictions into a buffer, below a header if they are the first.
fn as_csv(
    csv: &mut String,
    model: &Model,
    table: &Table,
    scores: &Scores,
    intervals: Option<&[(f64, f64)]>,
    id: Option<&Column>,
    first: bool,
) {
    let classes = model.task == Task::Classification;
    csv.clear();
    if first {
        csv.extend(id.map(|column| format!("{},", quoted(&column.name))));
        csv.push_str(match (classes, intervals) {
            (true, _) => "prediction,score\n",
            (false, Some(_)) => "prediction,low,high\n",
            (false, None) => "prediction\n",
        });
    }
    for row in 0..scores.len() {
        if let Some(column) = id {
            csv.push_str(&quoted(&text(table.cell(row, column))));
            csv.push(',');
        }
        // The predicted class has the largest score.
        let score = scores.row(row).iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if let Some(label) = model.class(scores, row) {
            csv.push_str(&quoted(&label.to_string()));
            csv.push(',');
        }
        push_shortest(csv, score);
        for end in intervals.map(|ends| ends[row]).into_iter().flat_map(<[f64; 2]>::from) {
            csv.push(',');
            push_shortest(csv, end);
        }
        csv.push('\n');
    }
}

/// Formats a CSV field, with quotes if it needs them.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}
