//! Fits one learner and saves the model.

use crate::args::FitArgs;
use crate::failure::{INTERRUPTED, NUMERICAL, usage_error};
use crate::input;
use crate::output;
use crate::progress::Progress;
use anyhow::{Context, Result};
use halfseen::learner::{self, Family, Learner, with};
use halfseen::model::{BudgetKind, Model, Report, Stop};
use halfseen::prepare::Prepared;
use halfseen::select::{Task, tune};
use serde_json::json;
use std::process::ExitCode;

/// Runs the command.
pub(crate) fn run(args: &FitArgs) -> Result<ExitCode> {
    let mut learner = configured(args)?;
    output::check_writable(&args.out)?;
    let input = input::read(Some(&args.data), args.target.as_deref(), None, args.missing, &args.table)?;
    let place = || input.name.clone();
    let intercept = learner.get("intercept").is_none_or(|v| v == "true");
    let honest = learner.family() == Family::Budget && args.tune.is_none();
    let options = input::options(&args.table, args.missing, intercept, honest)?;
    let progress = Progress::new("fitting", args.table.quiet);
    let rows: Vec<u32> = (0..input.table.rows() as u32).collect();
    if let Some(folds) = args.tune {
        let task = Task {
            table: &input.table,
            target_name: &input.target_name,
            target: &input.target,
            groups: None,
            options: &options,
        };
        let seed = args.table.seed;
        let tuned = tune(std::slice::from_ref(&learner), &task, &rows, folds as usize, seed, &progress, &|_| ());
        let tuned = tuned.with_context(place)?;
        learner = with(learner, &tuned[0].setting)?;
    }
    let prepared =
        Prepared::new(&input.table, (&input.target_name, &input.target), &rows, &options).with_context(place)?;
    let fit = learner.fit(&prepared.examples(), &progress).with_context(place)?;
    drop(progress);
    let model = Model {
        learner: learner.name().to_owned(),
        params: learner.to_json(),
        prepare: prepared.prepare.clone(),
        target: input.target_name.clone(),
        task: input.target.task(),
        classes: input.target.classes().to_vec(),
        predictor: fit.predictor,
        report: fit.report,
    };
    output::write_file(&args.out, &format!("{}\n", model.to_json()?))?;
    output::print(&summary(&model, args)?)?;
    for note in &model.report.notes {
        output::remark(args.table.quiet, &format!("note: {note}"));
    }
    let early = !model.report.converged;
    if early {
        output::remark(args.table.quiet, &format!("warning: {}", model.report.stop));
    }
    Ok(match model.report.stop {
        Stop::Interrupted => ExitCode::from(INTERRUPTED),
        _ if early && args.strict => ExitCode::from(NUMERICAL),
        _ => ExitCode::SUCCESS,
    })
}

/// The learner with --budget, --set and --seed.
fn configured(args: &FitArgs) -> Result<Box<dyn Learner>> {
    let mut learner = learner::find(&args.learner)?;
    if learner.get("seed").is_some() {
        learner.set("seed", &args.table.seed.to_string())?;
    }
    if let Some(budget) = args.budget {
        if learner.family() != Family::Budget {
            return usage_error(format!(
                "--budget: {} reads every attribute of each example; leave --budget out, or choose a learner that reads a few (halfseen learners)",
                learner.name()
            ));
        }
        learner.set("budget", &budget.to_string())?;
    }
    for assignment in &args.set {
        let Some((name, value)) = assignment.split_once('=') else {
            return usage_error(format!("--set {assignment}: write it as NAME=VALUE"));
        };
        learner.set(name.trim(), value)?;
    }
    if learner.family() == Family::Budget && learner.get("budget").as_deref() == Some("auto") {
        return usage_error(format!(
            "{} reads only some attributes of each example; say how many with --budget, as in --budget 4",
            learner.name()
        ));
    }
    Ok(learner)
}

/// What was read of one example.
fn per_example(report: &Report) -> String {
    match report.budget_kind {
        BudgetKind::Each => format!("at most {}", report.max_reads),
        BudgetKind::Expected => {
            format!(
                "{:.2} on average, at most {} (random, for the slope's estimate)",
                report.mean_reads(),
                report.max_reads
            )
        }
    }
}

fn summary(model: &Model, args: &FitArgs) -> Result<String> {
    let report = &model.report;
    if args.table.json {
        let mut json = serde_json::to_value(report)?;
        json["params"] = json!(model.params);
        json["model"] = json!(args.out.display().to_string());
        return Ok(format!("{}\n", serde_json::to_string_pretty(&json)?));
    }
    let number = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.6}"));
    let rows = [
        ("learner", report.learner.clone()),
        ("examples", report.examples.to_string()),
        ("read in all", format!("{} ({} distinct)", report.reads, report.distinct)),
        ("per example", per_example(report)),
        ("objective", number(report.objective)),
        ("certified gap", report.gap.map_or("-".into(), |g| format!("{g:.2e}"))),
        ("stopped", report.stop.to_string()),
        ("seconds", format!("{:.3}", report.seconds)),
        ("model", args.out.display().to_string()),
    ];
    let lines: Vec<String> = rows.into_iter().map(|(name, value)| format!("{name:<14} {value}\n")).collect();
    Ok(lines.concat())
}
