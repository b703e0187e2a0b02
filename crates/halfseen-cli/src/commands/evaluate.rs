//! Tests a saved model on a table with a target, as it is and under attack.

use crate::args::EvaluateArgs;
use crate::commands::attacks::Attacks;
use crate::commands::intervals::{Intervals, ReadyIntervals};
use crate::commands::predict::{clipped, read_model};
use crate::commands::truncate::Truncated;
use crate::parse::CostsArg;
use crate::tables::input::renumbered;
use crate::tables::labelled::{self, Labelled};
use crate::tables::stream::Read;
use crate::tables::threats::{priced, threats};
use crate::terminal::failure::usage_error;
use crate::terminal::output;
use anyhow::{Context, Result};
use halfseen::data::{Target, Task};
use halfseen::model::Model;
use halfseen::robust::Trial;
use halfseen::select::{ConstantTally, QuantileScore, QuantileTally, Score, Tally};
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn run(args: &EvaluateArgs) -> Result<ExitCode> {
    let model = clipped(read_model(&args.on.model)?, args.form.no_clip, args.on.quiet);
    let cut = args.truncate.as_ref().map(|counts| counts.cut(&model)).transpose();
    let cut = cut.with_context(|| format!("--truncate: {}", args.on.model.display()))?;
    check_attack(args, &model)?;
    args.out
        .as_deref()
        .map(|out| {
            let inputs = args.on.inputs().into_iter().chain(args.form.conformal.as_deref());
            output::check_writable("--out", out, &inputs.collect::<Vec<_>>())
        })
        .transpose()?;
    let intervals =
        Intervals::asked(args.form.interval, args.form.conformal.as_deref(), &args.on.model)
            .map(|asked| asked.of(&model, &args.on.read, args.on.quiet))
            .transpose()?;
    let target = args.on.target.as_deref().unwrap_or(&model.target);
    let mut test = Test {
        args,
        model: &model,
        intervals: intervals.map(|of| (of, Covered::default())),
        truncated: cut.map(Truncated::of),
        attacks: None,
        errors: Tally::default(),
        constant: ConstantTally::default(),
        quantile: model.report.quantile.map(|q| (QuantileTally::new(q), Vec::new())),
        rows: 0,
    };
    // Costs that are computed from the rows need all of them.
    let whole = args.on.costs == Some(CostsArg::Information);
    let read = labelled::read(&args.on, target, &model, whole, |read, rows| test.add(read, &rows))?;
    read.remark(&[Some(target)], args.on.quiet);
    test.print(&read.name)
}

/// Errors on the rows so far, as flags ask for them.
struct Test<'a> {
    args: &'a EvaluateArgs,
    model: &'a Model,
    intervals: Option<(ReadyIntervals<'a>, Covered)>,
    truncated: Option<Truncated>,
    attacks: Option<Attacks>,
    errors: Tally,
    constant: ConstantTally,
    /// If the model predicts a quantile, with all targets: the best constant is their quantile.
    quantile: Option<(QuantileTally, Vec<f64>)>,
    rows: usize,
}

impl Test<'_> {
    /// Tests some rows.
    fn add(&mut self, read: &mut Read, rows: &Labelled) -> Result<()> {
        let Labelled { table, numbers, target } = rows;
        let prediction = self.model.predict(table).map_err(|e| renumbered(e, numbers))?;
        read.add(prediction.applied);
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        self.errors.add(&prediction.scores, target, &rows);
        self.constant.add(target);
        if let (Some((tally, targets)), Target::Numbers(values)) = (&mut self.quantile, target) {
            tally.add(&prediction.scores, target);
            targets.extend(values);
        }
        if let Some((intervals, covered)) = &mut self.intervals {
            covered.add(&intervals.ends(self.model, table)?, target);
        }
        if let Some(truncated) = &mut self.truncated {
            truncated.add(table, target)?;
        }
        if is_attacked(self.args, self.model) {
            let trial = Trial::new(self.model, table, Some(target))?.after(self.rows as u64);
            if self.attacks.is_none() {
                let (on, quiet) = (&self.args.on, self.args.on.quiet);
                let priced = priced(on.costs.as_ref(), self.model, &trial, true, quiet)?;
                let threats = threats(self.args.threat.as_ref(), self.model, &priced, quiet)?;
                let (named, quantile) = (&self.args.attack, self.model.report.quantile);
                let of = |threats: Vec<_>| Attacks::of(&threats, named, quantile, self.args.seed);
                self.attacks = threats.map(of);
            }
            if let Some(attacks) = &mut self.attacks {
                attacks.add(&trial, target)?;
            }
        }
        self.rows += table.rows();
        Ok(())
    }

    /// Prints the errors, and draws them.
    fn print(self, name: &str) -> Result<ExitCode> {
        let Test { args, model, intervals, truncated, attacks, errors, constant, .. } = self;
        let errors = Errors {
            rows: self.rows,
            score: errors.score(),
            constant: constant.score(),
            quantile: self.quantile.and_then(|(tally, targets)| tally.score(&targets)),
            covered: intervals.as_ref().and_then(|(_, covered)| covered.shares()),
        };
        intervals.iter().for_each(|(of, _)| of.remark(model));
        if let (Some(truncated), Some(path)) = (&truncated, &args.out) {
            truncated.draw(name, &model.learner, path)?;
        }
        if let (Some(attacks), Some(path)) = (&attacks, &args.out) {
            attacks.draw(&format!("{name}, {}", model.learner), path)?;
        }
        if let Some(doubt) = attacks.as_ref().and_then(Attacks::doubt) {
            output::remark(args.on.quiet, &doubt);
        }
        let tables = Tables { truncated, attacks };
        match args.json {
            true => print_json(&errors, &tables),
            false => show(&errors, model.task, &tables),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Errors of the model as it is.
struct Errors {
    rows: usize,
    score: Score,
    /// Errors of the mean, or of the most frequent class.
    constant: Score,
    quantile: Option<QuantileScore>,
    /// Share of the rows in their intervals, and the mean width of these.
    covered: Option<(f64, f64)>,
}

/// Errors of truncated models, and under attack.
struct Tables {
    truncated: Option<Truncated>,
    attacks: Option<Attacks>,
}

fn print_json(
    Errors { rows, score, constant, quantile, covered }: &Errors,
    Tables { truncated, attacks }: &Tables,
) -> Result<()> {
    let attacked = attacks.as_ref().and_then(Attacks::first);
    let mut json = json!({
        "examples": rows, "mse": score.mse, "error": score.error, "balanced_error": score.balanced_error,
        "attacked_error": attacked.and_then(|score| score.error),
        "constant_mse": constant.mse, "constant_error": constant.error, "r2": explained(score, constant),
    });
    if let Some(quantile) = quantile {
        json["quantile"] = json!({
            "quantile": quantile.quantile, "loss": quantile.loss, "constant_loss": quantile.constant_loss, "below": quantile.below,
        });
    }
    if let Some((share, width)) = covered {
        json["covered"] = json!(share);
        json["mean_width"] = json!(width);
    }
    if let Some(truncated) = truncated {
        json["truncated"] = truncated.as_json();
    }
    if let Some(attacks) = attacks {
        json["attacked_mse"] = json!(attacked.and_then(|score| score.mse));
        json["attacks"] = attacks.as_json();
    }
    output::print(&format!("{}\n", serde_json::to_string_pretty(&json)?))
}

fn show(errors: &Errors, task: Task, Tables { truncated, attacks }: &Tables) -> Result<()> {
    let Errors { rows, score, constant, quantile, covered } = errors;
    let percent = |e: f64| format!("{:.2} %", 100.0 * e);
    let truncated = truncated.iter().map(Truncated::as_text);
    let tables = truncated.chain(attacks.iter().map(Attacks::as_text));
    let tables: String = tables.map(|table| format!("\n{table}")).collect();
    let squared = |mse: f64| format!("{mse:.6}");
    // The mean is no rival of a quantile.
    let numbers = task == Task::Regression && quantile.is_none();
    // Figures that do not apply to the model or its target are left out.
    let figures = vec![
        ("examples", Some(rows.to_string())),
        ("squared error", score.mse.filter(|_| quantile.is_none()).map(squared)),
        ("of the mean", constant.mse.filter(|_| numbers).map(squared)),
        ("error", score.error.map(percent)),
        ("of a constant", constant.error.map(percent)),
        ("balanced error", score.balanced_error.map(percent)),
        ("quantile loss", quantile.map(|q| squared(q.loss))),
        ("of a constant", quantile.map(|q| squared(q.constant_loss))),
        ("at or below it", quantile.map(|q| percent(q.below))),
        ("R2", explained(score, constant).filter(|_| numbers).map(|share| format!("{share:.4}"))),
        ("in intervals", covered.map(|(share, _)| percent(share))),
        ("mean width", covered.map(|(_, width)| format!("{width:.6}"))),
    ];
    let figures = output::labelled(15, figures);
    let words = quantile.map_or_else(|| score.in_words(constant), |q| q.in_words());
    let words = output::wrapped(&format!("\n{words}\n"), output::terminal_width());
    output::show(&format!("{figures}{words}{tables}"))
}

/// Returns the share of the variance of numbers that is explained, the coefficient of
/// determination.
fn explained(score: &Score, constant: &Score) -> Option<f64> {
    let (None, Some(mse), Some(variance)) = (score.error, score.mse, constant.mse) else {
        return None;
    };
    (variance > 0.0).then(|| 1.0 - mse / variance)
}

/// Numbers that are in their intervals, and the widths of these.
#[derive(Default)]
struct Covered {
    rows: usize,
    inside: usize,
    width: f64,
}

impl Covered {
    fn add(&mut self, ends: &[(f64, f64)], target: &Target) {
        let Target::Numbers(values) = target else { return };
        self.rows += values.len();
        for ((low, high), y) in ends.iter().zip(values) {
            self.inside += usize::from((low..=high).contains(&y));
            self.width += high - low;
        }
    }

    /// Returns the share inside, and the mean width; `None` for classes.
    fn shares(&self) -> Option<(f64, f64)> {
        let rows = self.rows as f64;
        (self.rows > 0).then(|| (self.inside as f64 / rows, self.width / rows))
    }
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

/// Returns true if flags ask for attacks, or the model prepares for a threat.
fn is_attacked(args: &EvaluateArgs, model: &Model) -> bool {
    let named = !args.attack.is_empty() || args.on.costs.is_some() || args.threat.is_some();
    named || (model.report.threat.is_some() && args.truncate.is_none())
}
