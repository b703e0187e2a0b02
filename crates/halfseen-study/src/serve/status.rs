//! The page that says how the study stands.

use super::app::{Route, Shared, call_slow};
use super::failure::Failure;
use super::pages::page;
use super::viewer::Viewer;
use crate::people::Right;
use crate::status::{Spending, Status};
use crate::study::By;
use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};

pub(super) fn routes() -> Vec<Route> {
    vec![("/status", Right::Look, get(status))]
}

async fn status(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
) -> Result<Response, Failure> {
    let status = call_slow(&app, |study| study.status(&By::now(""))).await?;
    let content = html! {
        p { (status.learner) " learns " strong { (status.target) } "." }
        (subjects(&status))
        (reads(&status))
        (unseen(&status))
    };
    Ok(page(&viewer, "Status", &content).into_response())
}

/// Writes a number for people.
fn shown(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    rounded.to_string()
}

fn row(name: &str, value: &str, remark: &str) -> Markup {
    html! { tr { th scope="row" { (name) } td.number { (value) } td { (remark) } } }
}

fn subjects(status: &Status) -> Markup {
    let age = status
        .oldest_days
        .zip(status.median_days)
        .map(|(oldest, median)| format!("oldest {} days, median {}", shown(oldest), shown(median)));
    html! {
        table {
            caption { "Subjects and values" }
            tbody {
                (row("subjects", &status.subjects.to_string(), &if status.withdrawn > 0 { format!("{} withdrawn", status.withdrawn) } else { String::new() }))
                (row("complete", &status.complete.to_string(), ""))
                (row("open", &status.open.to_string(), &age.unwrap_or_default()))
                (row("given up", &status.released.to_string(), ""))
                (row("values that could not be had", &status.missing.to_string(), ""))
                (row("values out of range", &status.outside.to_string(), ""))
                (row("values not asked for", &status.unasked.to_string(), ""))
                (row("values amended", &status.amended.to_string(), ""))
            }
        }
    }
}

fn reads(status: &Status) -> Markup {
    let left = |of: &Spending| match of.left {
        Some(left) => format!("{} promised, {} left", shown(of.promised), shown(left)),
        None => format!("{} promised", shown(of.promised)),
    };
    html! {
        table {
            caption { "Reads and money" }
            tbody {
                (row("reads made", &shown(status.reads.made), &left(&status.reads)))
                (row("money spent", &shown(status.cost.made), &left(&status.cost)))
            }
        }
    }
}

fn unseen(status: &Status) -> Markup {
    html! {
        @if !status.never_read.is_empty() {
            p { "Never read: " (status.never_read.join(", ")) "." }
        }
        @if let Some(pairs) = status.pairs_apart.filter(|pairs| *pairs > 0) {
            p {
                (pairs) " pairs of attributes were never read of one subject, such as "
                @for (at, (one, other)) in status.apart.iter().take(5).enumerate() {
                    @if at > 0 { ", " }
                    (one) " with " (other)
                }
                "."
            }
        }
    }
}
