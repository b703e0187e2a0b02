//! Describes a fit to the person who asked for it.

use crate::commands::suggested::Reasoned;
use crate::terminal::{format, output};
use anyhow::Result;
use halfseen::data::{Costs, Threat};
use halfseen::learner::Family;
use halfseen::model::{BudgetKind, Model, Note, Report, Stop};
use halfseen::params::Looks;
use halfseen::registry;
use serde_json::json;
use std::path::Path;

/// Describes the reads of one example.
fn per_example(report: &Report) -> String {
    match report.budget_kind {
        BudgetKind::Each => format!("at most {}", report.max_reads),
        BudgetKind::Expected => {
            format!(
                "{:.2} on average, at most {} (random, to estimate the slope)",
                report.mean_reads(),
                report.max_reads
            )
        }
    }
}

/// Returns the summary of a fit: lines, or JSON with `--json`.
pub(crate) fn summary(
    model: &Model,
    json: bool,
    tuned: bool,
    suggestion: Option<&Reasoned>,
    out: &Path,
) -> Result<String> {
    let report = &model.report;
    if json {
        let mut json = serde_json::to_value(report)?;
        json["params"] = json!(model.params);
        // Its length is the number of panels, and the model file has it.
        json.as_object_mut().map(|report| report.remove("panel_reads"));
        json["model"] = json!(out.display().to_string());
        if let Some((suggestion, _)) = suggestion {
            json["suggestion"] = json!(suggestion);
        }
        return Ok(format!("{}\n", serde_json::to_string_pretty(&json)?));
    }
    let learner = registry::with_params(&model.learner, &model.params)?;
    let mut rows = vec![("learner", report.learner.clone())];
    if let Some((of, reason)) = suggestion {
        rows[0].1 = format!("{}, chosen: {reason}", of.called());
        rows.push(("why", of.why.to_owned()));
        rows.push(("instead", format!("{}, if {}", of.instead, of.instead_if)));
    }
    if tuned {
        let chosen = learner.grid().0.into_iter().filter_map(|(name, _)| {
            model.params.get(name).map(|value| format!("{name} = {}", format::plain(value)))
        });
        rows.push(("tuned", chosen.collect::<Vec<_>>().join(", ")));
    }
    rows.push(("examples", report.examples.to_string()));
    let needs = learner.needs();
    let observes = needs.holes && needs.looks == Looks::Observed;
    if needs.holes && needs.either {
        let how = if observes { TAKES_ALL } else { CHOOSES };
        rows.push(("reading", how.to_owned()));
    }
    let at = rows.len();
    if observes {
        rows.extend(observed_lines(model)?);
    } else {
        rows.push(("read in all", format!("{} ({} distinct)", report.reads, report.distinct)));
        rows.push(("per example", per_example(report)));
        let refused = report.notes.iter().find_map(|note| match note {
            Note::RefusedReads { reads } => {
                Some(("refused reads", format!("{reads} (the cell is missing; counted as read)")))
            }
            _ => None,
        });
        rows.extend(refused);
    }
    let cut = report.notes.iter().any(|note| matches!(note, Note::Truncated { .. }));
    rows.extend(report.threat.as_ref().map(|threat| {
        let what = prepared_for(model, threat);
        ("prepares for", if cut { format!("{what}, but not since it was truncated") } else { what })
    }));
    rows.extend(report.objective.map(|objective| ("objective", format!("{objective:.6}"))));
    let relative = |gap: f64| {
        report
            .objective
            .filter(|o| *o > 0.0)
            .map(|o| format!(" ({:.1e} of the objective)", gap / o))
    };
    let gap = |gap: f64| format!("{gap:.2e}{}", relative(gap).unwrap_or_default());
    rows.extend(report.gap.map(|value| ("certified gap", gap(value))));
    // One pass over the examples, and then iterations over what was read.
    let passes = if report.stop == Stop::OnePass { "iterations" } else { "passes" };
    rows.extend(report.passes.map(|count| (passes, count.to_string())));
    let promise = Note::told(&report.notes).find(|note| is_promise(note));
    rows.extend(promise.map(|promise| ("on new rows", promise.to_string())));
    let scale = model.prepare.target.deviation.powi(2);
    rows.extend(report.leave_one_out.map(|error| {
        (
            "leave-one-out",
            format!("{:.6} (squared error of each row, predicted from all others)", error * scale),
        )
    }));
    rows.extend([
        ("stopped", report.stop.to_string()),
        (
            "seconds",
            format!("{:.3}{}", report.seconds, if tuned { ", without the tuning" } else { "" }),
        ),
        ("model", out.display().to_string()),
    ]);
    let priced = model.prepare.schema.layout()?.is_priced();
    let spent = priced.then(|| ("spent", format::rounded(report.spent)));
    let left = learner.get("total_cost").and_then(|total| total.parse::<f64>().ok());
    let left = left.map(|total| ("cost left", format::rounded((total - report.spent).max(0.0))));
    let unused = report.unused.map(|reads| ("reads left", reads.to_string()));
    let deviation = model.prepare.target.deviation;
    let in_units = |error: f64| report.number_loss().in_units(error, deviation);
    let estimated = report.risk.map(|risk| {
        let error =
            report.risk_error.map_or(String::new(), |error| format!(" ± {:.3}", in_units(error)));
        let what = match (needs.family, learner.grid().0.is_empty()) {
            (Family::Budget, true) => {
                "squared error with all attributes observed, from reads that were held out"
                    .to_owned()
            }
            (Family::Budget, false) => {
                "progressive-validation estimate of the squared error, from its own reads"
                    .to_owned()
            }
            _ => {
                let threat = report.threat.as_ref().is_some_and(|threat| threat.effective() > 0.0);
                let loss = match report.quantile {
                    Some(quantile) => format!("loss of the quantile {quantile}"),
                    None => "squared error".to_owned(),
                };
                let without = if threat { " without the threat," } else { "" };
                format!("{loss}{without} of rows that were held out, from fits to the others")
            }
        };
        ("its own test", format!("{:.3}{error} ({what})", in_units(risk)))
    });
    let tested = report.risk.or(report.leave_one_out);
    let numbers = tested.zip(report.constant_risk).filter(|_| model.classes.is_empty());
    let explained = numbers.filter(|(_, constant)| *constant > 0.0).map(|(risk, constant)| {
        let share = 100.0 * (1.0 - risk / constant).max(0.0);
        let constant = in_units(constant);
        let text = match report.quantile {
            Some(_) => {
                format!("{share:.0} % of the loss of the best constant, which is {constant:.3}")
            }
            None => format!(
                "{share:.0} % of the variance of the target; the error of its mean is {constant:.3}"
            ),
        };
        ("explains", text)
    });
    let at = if observes { at } else { at + 1 };
    let estimated = estimated.into_iter().chain(explained);
    rows.splice(at..at, spent.into_iter().chain(left).chain(unused).chain(estimated));
    Ok(output::labelled(14, rows.into_iter().map(|(name, value)| (name, Some(value))).collect()))
}

/// Shows a summary: on stderr if the model is on stdout.
pub(crate) fn tell(summary: &str, out: &Path, json: bool, quiet: bool) -> Result<()> {
    if output::is_standard(out) {
        output::remark(quiet, &anstream::adapter::strip_str(summary.trim_end()).to_string());
        return Ok(());
    }
    match (json, quiet) {
        (true, _) => output::print(summary),
        (false, false) => output::show(summary),
        (false, true) => Ok(()),
    }
}

/// Remarks on the notes of a report, without the bounds of the summary.
pub(crate) fn remark_on(model: &Model, quiet: bool) {
    let notes = &model.report.notes;
    // The note that is told in its place says why.
    let warned = notes.iter().any(|note| matches!(note, Note::NotShownBetter { .. }));
    for note in Note::told(notes).filter(|note| !is_promise(note)) {
        let word = if warned && note.is_of_constant() { "warning" } else { "note" };
        output::remark(quiet, &format!("{word}: {note}"));
    }
}

/// Returns true if a note is a bound on new rows, which the summary shows.
pub(crate) fn is_promise(note: &Note) -> bool {
    matches!(note, Note::RiskBound { .. } | Note::NoiseBound { .. })
}

/// Modes of reading of a learner that has both.
const CHOOSES: &str = "chose its reads in each row; without --budget it uses all observed cells";
const TAKES_ALL: &str = "used all observed cells; with --budget it chooses its reads in each row";

/// Describes the threat that the model prepares for.
pub(crate) fn prepared_for(model: &Model, threat: &Threat) -> String {
    let what = if model.prepares_for_noise() { "noise in" } else { "the deletion of" };
    if threat.effective() == 0.0 {
        return "nothing: the threat is 0".to_owned();
    }
    let plain = |value: f64| ((value * 1e4).round() / 1e4).to_string();
    let (budget, total) = (plain(threat.effective()), plain(threat.total()));
    match threat.costs() {
        Costs::Equal { count, .. } if threat.values().iter().all(|v| *v > 0.0) => {
            format!("{what} any {count} of {} attributes of a row", threat.values().len())
        }
        _ => format!("{what} attributes of a row at a cost of {budget}, of {total} in all"),
    }
}

/// Counts the observed cells, and the rows that the predictor keeps.
fn observed_lines(model: &Model) -> Result<Vec<(&'static str, String)>> {
    let report = &model.report;
    let cells = report.examples * model.prepare.schema.layout()?.panels() as u64;
    let share = 100.0 * report.reads as f64 / cells.max(1) as f64;
    let empty = report
        .notes
        .iter()
        .find_map(|note| if let Note::EmptyRows { rows } = note { Some(*rows) } else { None });
    let mut lines = vec![
        ("observed cells", format!("{} of {cells} ({share:.1} %)", report.reads)),
        ("empty rows", format!("{} (no attribute observed)", empty.unwrap_or(0))),
    ];
    lines.extend(
        report.support.map(|rows| ("rows kept", format!("{rows} (predictions compare with them)"))),
    );
    Ok(lines)
}
