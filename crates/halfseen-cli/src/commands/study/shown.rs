//! Writes the state of a study for people.

use crate::commands::predict::quoted;
use crate::terminal::format::{grouped, number, rounded};
use anyhow::Result;
use halfseen::error::list;
use halfseen::model::{Model, Note};
use halfseen_study::{Pending, Spending, Status};

/// Returns the status as JSON, with what the fit says of itself. Errors are in the target's units
/// squared.
pub(super) fn json(status: &Status, fitted: Option<&Model>) -> Result<serde_json::Value> {
    let mut json = serde_json::to_value(status)?;
    if let (Some(model), Some(object)) = (fitted, json.as_object_mut()) {
        let unit = unit(model);
        let report = &model.report;
        object.insert("risk".into(), serde_json::to_value(report.risk.map(|r| r * unit))?);
        let error = report.risk_error.map(|error| error * unit);
        object.insert("risk_error".into(), serde_json::to_value(error)?);
        let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
        object.insert("notes".into(), serde_json::to_value(notes)?);
    }
    Ok(json)
}

/// Returns the target's units squared in which the learner reports errors.
fn unit(model: &Model) -> f64 {
    model.prepare.target.deviation.powi(2)
}

/// Returns the status as text of at most 80 columns, as far as names allow.
pub(super) fn text(status: &Status, fitted: Option<&Model>) -> String {
    let count = |n: u64| grouped(n);
    let mut rows = vec![
        vec!["subjects".to_owned(), count(status.subjects), withdrawn(status)],
        vec!["complete".to_owned(), count(status.complete), String::new()],
        vec!["open".to_owned(), count(status.open), ages(status)],
        vec!["given up".to_owned(), count(status.released), String::new()],
        vec!["values missing".to_owned(), count(status.missing), String::new()],
        vec!["values out of range".to_owned(), count(status.outside), String::new()],
        vec!["values not asked for".to_owned(), count(status.unasked), String::new()],
        vec!["values amended".to_owned(), count(status.amended), String::new()],
        vec!["reads made".to_owned(), rounded(status.reads.made), left(&status.reads)],
        vec!["money spent".to_owned(), rounded(status.cost.made), left(&status.cost)],
    ];
    if let Some(model) = fitted
        && let Some(risk) = model.report.risk
    {
        let unit = unit(model);
        let error = model.report.risk_error.map(|error| format!("+- {}", number(error * unit)));
        let constant =
            model.report.constant_risk.map(|of| format!("the mean's: {}", number(of * unit)));
        let error = error.into_iter().chain(constant).collect::<Vec<_>>().join("; ");
        rows.push(vec!["error (own test)".to_owned(), number(risk * unit), error]);
    }
    let mut text = format!("{} learns {}\n", status.learner, status.target);
    for row in &rows {
        let remark = row[2].trim_end();
        let line = format!("  {:<21} {:>10}  {remark}", row[0], row[1]);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if !status.never_read.is_empty() {
        text.push_str(&format!("never read: {}\n", list(&status.never_read)));
    }
    match status.pairs_apart {
        Some(0) | None => {}
        Some(pairs) => {
            let names: Vec<String> =
                status.apart.iter().take(5).map(|(a, b)| format!("{a} with {b}")).collect();
            text.push_str(&format!(
                "never read of one subject: {} pairs, such as {}\n",
                grouped(pairs),
                list(&names)
            ));
        }
    }
    if let Some(model) = fitted {
        for note in Note::told(&model.report.notes) {
            text.push_str(&format!("note: {note}\n"));
        }
    }
    text
}

fn withdrawn(status: &Status) -> String {
    if status.withdrawn == 0 {
        String::new()
    } else {
        format!("of which {} withdrawn", grouped(status.withdrawn))
    }
}

fn ages(status: &Status) -> String {
    match (status.oldest_days, status.median_days) {
        (Some(oldest), Some(median)) => format!(
            "{} in part; {median:.0} days old (median), at most {oldest:.0}",
            status.partial
        ),
        _ => String::new(),
    }
}

fn left(spending: &Spending) -> String {
    let asked = if spending.promised > 0.0 {
        format!("{} more asked for", rounded(spending.promised))
    } else {
        String::new()
    };
    match (spending.left, spending.limit) {
        (Some(left), Some(limit)) => {
            let comma = if asked.is_empty() { "" } else { ", " };
            format!("{asked}{comma}{} of {} left", rounded(left), rounded(limit))
        }
        _ => asked,
    }
}

/// Returns the open asks as CSV.
pub(super) fn pending(pending: &[Pending]) -> String {
    let mut text = "subject,ask,days,wave,missing,target\n".to_owned();
    for open in pending {
        let wave = open.wave.as_deref().unwrap_or_default();
        text.push_str(&format!(
            "{},{},{:.1},{},{},{}\n",
            quoted(&open.ask.subject),
            open.ask.number,
            open.days,
            quoted(wave),
            quoted(&open.ask.attributes.join(" ")),
            if open.wants_target { "missing" } else { "" }
        ));
    }
    text
}
