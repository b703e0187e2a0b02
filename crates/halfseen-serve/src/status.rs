//! The page that says how the study stands.

use super::app::{Route, Shared, call_slow};
use super::failure::Failure;
use super::pages::page;
use super::viewer::Viewer;
use axum::Extension;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use halfseen::Silent;
use halfseen_study::{By, Right, Spending, Status, StudyCurve, StudyCurvePoint};
use maud::{Markup, html};
use serde::Deserialize;

pub(super) fn routes() -> Vec<Route> {
    vec![("/status", Right::Look, get(status))]
}

/// Choice of what to show.
#[derive(Debug, Deserialize)]
struct Which {
    #[serde(default)]
    error: Option<String>,
}

async fn status(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Query(which): Query<Which>,
) -> Result<Response, Failure> {
    let status = call_slow(&app, |study| study.status(&By::now(""))).await?;
    let curve = match which.error {
        Some(_) => Some(call_slow(&app, |study| study.curve(&Silent)).await?),
        None => None,
    };
    let content = html! {
        p { (status.learner) " learns " strong { (status.target) } "." }
        (subjects(&status))
        (reads(&status))
        (unseen(&status))
        @match &curve {
            Some(curve) => (error(curve, &status.target)),
            None => p { a href="/status?error=1" { "Show the learner's own error" } ", for which models are fitted; that may take a while." },
        }
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
                (row("values that are not available", &status.missing.to_string(), ""))
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

/// Writes an error with four digits.
fn digits(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 => format!("{value:.0}"),
        0.0 => "0".to_owned(),
        other => {
            let before = other.log10().floor() as i32 + 1;
            format!("{value:.*}", (4 - before).max(0) as usize)
        }
    }
}

fn error(curve: &StudyCurve, target: &str) -> Markup {
    let with_interval = |point: &StudyCurvePoint| match (point.error, point.low.zip(point.high)) {
        (Some(error), Some((low, high))) => {
            format!("{} ({} to {})", digits(error), digits(low), digits(high))
        }
        (Some(error), None) => digits(error),
        (None, _) => "none yet".to_owned(),
    };
    html! {
        h2 { "Error of the learner, by its own test" }
        @if curve.points.iter().all(|point| point.error.is_none()) {
            p { "There are too few complete subjects for it." }
        } @else {
            p { "Mean squared error in units of " (target) " squared. Predicting the mean has " (digits(curve.variance)) ", the dashed line; bars are 90 % intervals." }
            (picture(curve))
            table {
                caption { "Error over the examples" }
                thead { tr { th scope="col" { "Examples" } th scope="col" { "Money" } th scope="col" { "Error (90 % interval)" } } }
                tbody {
                    @for point in &curve.points {
                        tr {
                            th scope="row" { (point.examples) }
                            td { (shown(point.cost)) }
                            td { (with_interval(point)) }
                        }
                    }
                }
            }
        }
    }
}

/// Draws the points with their intervals; the table says the same in numbers.
fn picture(curve: &StudyCurve) -> Markup {
    let known = |point: &&StudyCurvePoint| point.error.is_some() && point.high.is_some();
    let points: Vec<&StudyCurvePoint> = curve.points.iter().filter(known).collect();
    let most = points.iter().filter_map(|point| point.high).fold(curve.variance, f64::max);
    let examples = points.last().map_or(1.0, |point| point.examples as f64);
    let (x, y) = (
        |point: &StudyCurvePoint| 20.0 + 560.0 * point.examples as f64 / examples,
        |value: Option<f64>| 190.0 - 180.0 * value.unwrap_or(0.0) / most,
    );
    let line: Vec<String> =
        points.iter().map(|point| format!("{:.1},{:.1}", x(point), y(point.error))).collect();
    html! {
        svg.curve viewBox="0 0 600 200" role="img" aria-label="Curve of the error; the table below has its numbers" {
            line.axis x1="20" x2="590" y1="190" y2="190" {}
            line.mean x1="20" x2="590" y1=(format!("{:.1}", y(Some(curve.variance)))) y2=(format!("{:.1}", y(Some(curve.variance)))) {}
            polyline points=(line.join(" ")) {}
            @for point in &points {
                line x1=(format!("{:.1}", x(point))) x2=(format!("{:.1}", x(point))) y1=(format!("{:.1}", y(point.low))) y2=(format!("{:.1}", y(point.high))) {}
                circle cx=(format!("{:.1}", x(point))) cy=(format!("{:.1}", y(point.error))) r="4" {}
            }
        }
    }
}
