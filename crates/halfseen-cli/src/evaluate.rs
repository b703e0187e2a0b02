//! Tests a saved model on a table with a target, as it is and under attack.

use crate::args::{EvaluateArgs, TrialArgs};
use crate::attacks::Attacks;
use crate::failure::usage_error;
use crate::input::{keep_classes, read_table, with_targets};
use crate::intervals::Intervals;
use crate::output;
use crate::predict::{clipped, predict, read_model};
use crate::test_table::target_of;
use crate::threats::{priced, threats};
use crate::truncate::Truncated;
use anyhow::{Context, Result};
use halfseen::data::{Table, Target};
use halfseen::model::Model;
use halfseen::robust::Trial;
use halfseen::select::Score;
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn run(args: &EvaluateArgs) -> Result<ExitCode> {
    let model = clipped(read_model(&args.on.model)?, args.no_clip, args.on.quiet);
    let cut = args.truncate.as_ref().map(|counts| counts.cut(&model)).transpose();
    let cut = cut.with_context(|| format!("--truncate: {}", args.on.model.display()))?;
    check_attack(args, &model)?;
    args.out
        .as_deref()
        .map(|out| {
            let inputs = args.on.inputs().into_iter().chain(args.conformal.as_deref());
            output::check_writable("--out", out, &inputs.collect::<Vec<_>>())
        })
        .transpose()?;
    let Rows { name, table, numbers, target } =
        Rows::read(&args.on, args.target.as_deref(), &model)?;
    let target_name = args.target.as_deref().unwrap_or(&model.target);
    let prediction = predict(&model, &table, &numbers, &[Some(target_name)], args.on.quiet)
        .with_context(|| name.clone())?;
    let rows: Vec<u32> = (0..table.rows() as u32).collect();
    let score = Score::of(&prediction.scores, &target, &rows);
    let constant = Score::of_constant(&target);
    let mut intervals = Intervals::asked(args.interval, args.conformal.as_deref(), &args.on.model)
        .map(|asked| asked.of(&model, &args.on.read, args.on.quiet))
        .transpose()?;
    let ends = intervals.as_mut().map(|of| of.ends(&model, &table)).transpose()?;
    intervals.iter().for_each(|of| of.remark(&model));
    let covered = ends.as_deref().and_then(|ends| covered(ends, &target));
    let truncated = cut.map(|models| Truncated::test(&models, &table, &target)).transpose()?;
    if let (Some(truncated), Some(path)) = (&truncated, &args.out) {
        truncated.draw(&name, &model.learner, path)?;
    }
    let attacks = attacks(args, &model, &table, &target).with_context(|| name.clone())?;
    if let (Some(attacks), Some(path)) = (&attacks, &args.out) {
        attacks.draw(&format!("{name}, {}", model.learner), path)?;
    }
    if let Some(doubt) = attacks.as_ref().and_then(Attacks::doubt) {
        output::remark(args.on.quiet, &doubt);
    }
    if args.json {
        let attacked = attacks.as_ref().and_then(Attacks::first);
        let mut json = json!({
            "examples": rows.len(), "mse": score.mse, "error": score.error, "balanced_error": score.balanced_error,
            "attacked_error": attacked.and_then(|score| score.error),
            "constant_mse": constant.mse, "constant_error": constant.error, "r2": explained(&score, &constant),
        });
        if let Some((share, width)) = covered {
            json["covered"] = json!(share);
            json["mean_width"] = json!(width);
        }
        if let Some(truncated) = &truncated {
            json["truncated"] = truncated.as_json();
        }
        if let Some(attacks) = &attacks {
            json["attacked_mse"] = json!(attacked.and_then(|score| score.mse));
            json["attacks"] = attacks.as_json();
        }
        output::print(&format!("{}\n", serde_json::to_string_pretty(&json)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    let percent = |e: f64| format!("{:.2} %", 100.0 * e);
    let tables = truncated.map(|t| t.as_text()).into_iter().chain(attacks.map(|a| a.as_text()));
    let tables: String = tables.map(|table| format!("\n{table}")).collect();
    let squared = |mse: f64| format!("{mse:.6}");
    let numbers = matches!(target, Target::Numbers(_));
    // Figures that do not apply to the model or its target are left out.
    let figures = vec![
        ("examples", Some(rows.len().to_string())),
        ("squared error", score.mse.map(squared)),
        ("of the mean", constant.mse.filter(|_| numbers).map(squared)),
        ("error", score.error.map(percent)),
        ("of a constant", constant.error.map(percent)),
        ("balanced error", score.balanced_error.map(percent)),
        ("R2", explained(&score, &constant).map(|share| format!("{share:.4}"))),
        ("in intervals", covered.map(|(share, _)| percent(share))),
        ("mean width", covered.map(|(_, width)| format!("{width:.6}"))),
    ];
    let figures = output::labelled(15, figures);
    let words =
        output::wrapped(&format!("\n{}\n", score.in_words(&constant)), output::terminal_width());
    output::show(&format!("{figures}{words}{tables}"))?;
    Ok(ExitCode::SUCCESS)
}

/// Rows of a table with their targets.
pub(crate) struct Rows {
    pub(crate) name: String,
    pub(crate) table: Table,
    /// Numbers of the rows in the file, from 0.
    pub(crate) numbers: Vec<usize>,
    pub(crate) target: Target,
}

impl Rows {
    /// Reads the rows that have a target, by default the model's.
    pub(crate) fn read(on: &TrialArgs, target: Option<&str>, model: &Model) -> Result<Rows> {
        let (name, table) = read_table(Some(&on.data), &on.read, on.quiet)?;
        let target_name = target.unwrap_or(&model.target);
        let (table, numbers) =
            keep_classes(table, target_name, &on.classes).with_context(|| name.clone())?;
        let (table, numbers) = with_targets(table, numbers, target_name, &name, on.quiet)?;
        let target = target_of(model.task, &model.classes, &table, target_name, &numbers)
            .context(name.clone())?;
        Ok(Rows { name, table, numbers, target })
    }
}

/// Returns the share of the variance of numbers that is explained, the coefficient of
/// determination.
fn explained(score: &Score, constant: &Score) -> Option<f64> {
    let (None, Some(mse), Some(variance)) = (score.error, score.mse, constant.mse) else {
        return None;
    };
    (variance > 0.0).then(|| 1.0 - mse / variance)
}

/// Returns the share of numbers that are in their intervals, and the mean width of these.
fn covered(ends: &[(f64, f64)], target: &Target) -> Option<(f64, f64)> {
    let Target::Numbers(values) = target else { return None };
    let inside = ends.iter().zip(values).filter(|((low, high), y)| (low..=high).contains(y));
    let width: f64 = ends.iter().map(|(low, high)| high - low).sum();
    Some((inside.count() as f64 / values.len() as f64, width / values.len() as f64))
}

/// Refuses conflicting flags before any work.
fn check_attack(args: &EvaluateArgs, model: &Model) -> Result<()> {
    let asked = !args.attack.is_empty() || args.on.costs.is_some();
    if asked && args.threat.is_none() && model.report.threat.is_none() {
        return usage_error(format!(
            "--threat: {} prepares for no threat of its own; name one, as in --threat 10 or --threat auto",
            model.learner
        ));
    }
    if asked || args.threat.is_some() {
        model
            .predictor
            .additive()
            .with_context(|| format!("--threat: {}", args.on.model.display()))?;
    }
    if args.out.as_deref().is_some_and(output::is_standard) {
        return usage_error("--out -: the picture needs a file of its own; name one");
    }
    if args.out.is_some() && args.truncate.is_none() && args.threat.is_none() {
        return usage_error(
            "--out draws the errors of --truncate or of --threat; add one, as in --threat auto",
        );
    }
    Ok(())
}

/// Returns the errors under attack if flags ask for them or the model prepares for a threat.
fn attacks(
    args: &EvaluateArgs,
    model: &Model,
    table: &Table,
    target: &Target,
) -> Result<Option<Attacks>> {
    let named = !args.attack.is_empty() || args.on.costs.is_some() || args.threat.is_some();
    if !named && (model.report.threat.is_none() || args.truncate.is_some()) {
        return Ok(None);
    }
    let trial = Trial::new(model, table, Some(target))?;
    let priced = priced(args.on.costs.as_ref(), model, &trial, true, args.on.quiet)?;
    let threats = threats(args.threat.as_ref(), model, &priced, args.on.quiet)?;
    threats
        .map(|threats| Attacks::test(&trial, target, &threats, &args.attack, args.seed))
        .transpose()
}
