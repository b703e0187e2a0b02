//! Writes the page of a report: one HTML file that needs no other.

use crate::commands::weights::{Row, Weights};
use crate::terminal::format;
use halfseen::data::Label;
use halfseen::error::list;
use halfseen::model::{BudgetKind, Model};
use halfseen::select::{QuantileScore, Score};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Content of the page.
pub(crate) struct Page<'a> {
    pub(crate) model: &'a Model,
    /// Title of the learner.
    pub(crate) title: &'static str,
    pub(crate) data: &'a str,
    pub(crate) rows: usize,
    pub(crate) score: Score,
    /// Errors of the mean, or of the most frequent class, of these rows.
    pub(crate) constant: Score,
    /// Errors of a model that predicts a quantile.
    pub(crate) quantile: Option<QuantileScore>,
    /// True if every row has the same prediction.
    pub(crate) same: bool,
    /// Number of rows of each class (first) with each prediction (second).
    pub(crate) confusion: Option<Vec<Vec<usize>>>,
    /// Observed against predicted numbers, as SVG.
    pub(crate) calibration: Option<String>,
    /// Attribute, reads and price of each.
    pub(crate) reads: Vec<(String, u64, f64)>,
    /// True if prices were declared.
    pub(crate) priced: bool,
    pub(crate) weights: Option<Weights>,
    /// Parts of the prediction by attribute, as SVG.
    pub(crate) shapes: Option<String>,
    /// Share of rows that are wrong or can be changed, by number of deletions.
    pub(crate) certified: Option<Certified>,
    /// Notes of the fit: text, and true for a promise.
    pub(crate) notes: Vec<(String, bool)>,
}

/// Certified error, and its curve as SVG.
pub(crate) struct Certified {
    pub(crate) errors: Vec<(f64, f64)>,
    /// `None` if there are too few points for a curve.
    pub(crate) svg: Option<String>,
    /// True if every attribute costs 1, so that costs are counts.
    pub(crate) counted: bool,
    /// For numbers: the distance that counts as a change.
    pub(crate) within: Option<f64>,
}

/// Number of attributes that a table lists.
const LISTED: usize = 40;

/// Number of deletions that a table lists.
const DELETIONS: usize = 12;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1c1c1c; --soft: #5a5a5a; --line: #d8d8d8; --bar: #0072b2; --paper: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --soft: #b0b0b0; --line: #3c3c3c; --bar: #6c8cff; --paper: #161616 } }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); overflow-wrap: anywhere }
h1 { font-size: 1.6rem; line-height: 1.25 } h2 { font-size: 1.2rem; margin-top: 2.2rem }
p.lead { font-size: 1.15rem } .soft { color: var(--soft) }
table { border-collapse: separate; border-spacing: 0; width: 100% }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } td.n { white-space: nowrap }
th, td.word { overflow-wrap: normal } th.n { vertical-align: bottom }
div.scroll { overflow-x: auto; margin-bottom: 1.4rem }
table.short { width: auto; min-width: 50% }
table.wide tr > :first-child { position: sticky; left: 0; z-index: 1; background: var(--paper); min-width: 8rem;
  overflow-wrap: anywhere }
td.bar { width: 35%; min-width: 6rem; padding-right: 0 }
.track { position: relative; height: 1.1em; border-left: 1px solid var(--line) }
.track i { position: absolute; top: 15%; bottom: 15%; background: var(--bar) }
.signed { border-left: 0 } .signed::before { content: ''; position: absolute; left: 50%; top: 0; bottom: 0;
  border-left: 1px solid var(--line) }
.minus { opacity: .55 }
figure { margin: 1rem 0; overflow-x: auto } figure svg { max-width: 100%; min-width: 34rem; height: auto }
@media (max-width: 40rem) { td.bar, th.bar { display: none } table.wide tr > :first-child { max-width: 8rem } }
";

/// Returns the page.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let target = &page.model.target;
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Report on " (target) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "How well is " (target) " predicted?" }
                (in_words(page))
                (errors(page))
                (reads(page))
                @if let Some(weights) = &page.weights { (weight_table(weights, &page.model.target, &page.model.classes)) }
                @if let Some(svg) = &page.shapes {
                    h2 { "Shapes" }
                    p { "The curves show the part of the " @if page.model.classes.len() > 2 { "score of a class" } @else { "prediction" } " that each attribute adds." }
                    figure { (PreEscaped(svg)) }
                }
                @if let Some(certified) = &page.certified { (certificates(certified)) }
                (notes(page))
                (made(page))
            }
        }
    }
}

/// Says in a sentence or two what the model comes to.
fn in_words(page: &Page<'_>) -> Markup {
    let rows = format::thousands(page.rows as f64);
    let never = never_predicted(page);
    html! {
        p.lead {
            @if let Some(quantile) = &page.quantile { (quantile.in_words()) }
            @else { (page.score.in_words(&page.constant)) }
            @if page.same && page.rows > 1 {
                " It predicts the same for every row, so it has learned nothing that tells rows apart."
            } @else if !never.is_empty() {
                " It never predicts " (list(&never)) ", though there are such rows."
            }
        }
        p.soft { "Measured on " (rows) " rows of " (page.data) ". If the model has learned from these rows, it looks better here than it is: use rows that it has not seen." }
    }
}

/// Returns the classes that rows have and no prediction is.
fn never_predicted(page: &Page<'_>) -> Vec<String> {
    let Some(counts) = &page.confusion else { return Vec::new() };
    let never = |class: &usize| {
        counts[*class].iter().any(|rows| *rows > 0) && counts.iter().all(|row| row[*class] == 0)
    };
    let name = |class: usize| page.model.classes[class].to_string();
    (0..counts.len()).filter(never).map(name).collect()
}

/// Shows the errors, with the rows of each class or the observed against the predicted numbers.
fn errors(page: &Page<'_>) -> Markup {
    let quantile = page.quantile.as_ref();
    let numbers = page.score.mse.filter(|_| page.score.error.is_none() && quantile.is_none());
    let variance = page.constant.mse.filter(|_| numbers.is_some());
    let root = |error: Option<f64>| error.map(|error| format::amount(error.sqrt()));
    let figures = [
        ("rows", Some(format::thousands(page.rows as f64))),
        ("wrong", page.score.error.map(percent)),
        ("wrong, by the most frequent class", page.constant.error.map(percent)),
        ("wrong, every class counting alike", page.score.balanced_error.map(percent)),
        ("typical error (root of the mean squared error)", root(numbers)),
        ("typical error of predicting the mean", root(variance)),
        ("mean squared error", numbers.map(format::amount)),
        ("mean quantile loss", quantile.map(|page| format::amount(page.loss))),
        (
            "mean quantile loss of a constant",
            quantile.map(|page| format::amount(page.constant_loss)),
        ),
        ("targets that are at most the prediction", quantile.map(|page| percent(page.below))),
    ];
    html! {
        h2 { "Errors" }
        (scrolling(html! { table.short {
            @for (name, value) in figures.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                tr { th { (name) } td.n { (value) } }
            }
        } }))
        @if let Some(counts) = &page.confusion {
            p.soft { "Rows by their class (down) and their prediction (across)" }
            (scrolling(html! { table.short.wide {
                tr { th {} @for class in &page.model.classes { th.n { (breakable(&class.to_string())) } } }
                @for (class, row) in page.model.classes.iter().zip(counts) {
                    tr { th { (breakable(&class.to_string())) } @for count in row { td.n { (format::thousands(*count as f64)) } } }
                }
            } }))
        }
        @if let Some(svg) = &page.calibration { figure { (PreEscaped(svg)) } }
    }
}

/// Shows what was read to learn the model.
fn reads(page: &Page<'_>) -> Markup {
    let report = &page.model.report;
    let each = match report.budget_kind {
        BudgetKind::Each => format!("at most {}", report.max_reads),
        BudgetKind::Expected => format!("{:.2} on average", report.mean_reads()),
    };
    let most = page.reads.iter().map(|(_, reads, _)| *reads).max().unwrap_or(0).max(1);
    let all = page.reads.iter().all(|(_, reads, _)| *reads == report.examples);
    let chosen = !report.panel_reads.is_empty() && !all;
    // Share of the cells without a value; a table of text has more cells than attributes.
    let cells = report.examples as f64 * page.reads.len() as f64;
    let empty = (1.0 - report.distinct as f64 / cells.max(1.0)).max(0.0);
    let mut rows: Vec<_> = page.reads.iter().collect();
    rows.sort_by_key(|(_, reads, _)| std::cmp::Reverse(*reads));
    html! {
        h2 { "What was read" }
        p {
            "The model learned from " (format::thousands(report.examples as f64)) " rows with "
            (format::thousands(report.distinct as f64)) " cells: "
            @if all && empty > 0.0 {
                "all that there were of every row; " (percent(empty)) " were empty."
            } @else if all { "every attribute of every row." }
            @else { (each) " of " (page.reads.len()) " attributes of each row." }
            @if page.priced { " They cost " (format::amount(report.spent)) "." }
        }
        @if chosen {
            (scrolling(html! { table.wide {
                tr { th { "attribute" } th.n { "rows read" } @if page.priced { th.n { "price" } } th.bar {} }
                @for (name, reads, price) in rows.iter().take(LISTED) {
                    tr {
                        td { (name) }
                        td.n { (format::thousands(*reads as f64)) }
                        @if page.priced { td.n { (format::amount(*price)) } }
                        td.bar { div.track { i style=(format!("left:0;width:{:.1}%", 100.0 * *reads as f64 / most as f64)) {} } }
                    }
                }
            } }))
            (more(rows.len()))
        }
    }
}

/// Shows the weights, the most important first.
fn weight_table(weights: &Weights, target: &str, classes: &[Label]) -> Markup {
    let several = weights.classes.len() > 1;
    let size = |row: &Row| row.standardised.unwrap_or(0.0);
    let most = weights.rows.iter().map(|row| size(row).abs()).fold(f64::MIN_POSITIVE, f64::max);
    let bar = |value: f64| {
        let width = 50.0 * value.abs() / most;
        let left = if value < 0.0 { 50.0 - width } else { 50.0 };
        format!("left:{left:.1}%;width:{width:.1}%")
    };
    html! {
        h2 { "Weights" }
        p {
            "The table shows the change of " @if several { "the score of each class" } @else { "the prediction of " (target) } " if an attribute is larger by one of its own units"
            @if weights.standardised && several { ", and (bars) by one standard deviation: the largest change of the score of any class, and of which class it is" }
            @else if weights.standardised { ", and (bars) by one standard deviation" }
            ". A weight shows a correlation, not a cause."
             @if let [least, most] = classes { " Above 0 it speaks for " (most) ", below 0 for " (least) "." }
             @if weights.curved { " The curve of an attribute adds to its straight weight; the shapes below show both together." }
        }
        (scrolling(html! { table.wide {
            tr {
                th { "attribute" }
                @if several { @for class in &weights.classes { th.n { (breakable(class)) } } } @else { th.n { "weight" } }
                @if weights.standardised { th.n { "per deviation" } @if several { th { "of class" } } th.bar {} }
            }
            @for row in weights.rows.iter().take(LISTED) {
                tr {
                    td { (row.name) }
                    @for weight in &row.weights { td.n { (format::amount(*weight)) } }
                    @if weights.standardised {
                        td.n { (format::amount(size(row))) }
                        @if several { td.word { (breakable(&weights.classes[row.largest])) } }
                        td.bar { div class="track signed" { i .minus[size(row) < 0.0] style=(bar(size(row))) {} } }
                    }
                }
            }
        } }))
        (more(weights.rows.len()))
    }
}

/// Shows how many deletions the predictions bear.
fn certificates(certified: &Certified) -> Markup {
    let what = match certified.within {
        Some(within) => {
            format!("move by more than {}, its typical error", format::amount(within))
        }
        None => "be wrong".to_owned(),
    };
    let shown: Vec<_> = certified.errors.iter().take(DELETIONS).collect();
    html! {
        h2 { "If attributes are missing later" }
        p {
            "At most this share of the rows can " (what) " when an adversary who knows the model deletes the worst "
            "attributes of each row. This is proved for these rows, for any choice of attributes of that cost."
        }
        @if let Some(svg) = &certified.svg { figure { (PreEscaped(svg)) } }
        (scrolling(html! { table.short {
            tr { th.n { @if certified.counted { "attributes deleted" } @else { "cost of the deleted attributes" } } th.n { "share of the rows" } }
            @for (cost, share) in shown { tr { td.n { (format::amount(*cost)) } td.n { (percent(*share)) } } }
        } }))
    }
}

/// Shows the notes of the fit.
fn notes(page: &Page<'_>) -> Markup {
    html! {
        @if !page.notes.is_empty() {
            h2 { "Notes" }
            ul { @for (text, promise) in &page.notes { li { @if *promise { b { "On new rows: " } } (text) } } }
        }
    }
}

/// Says how the model was made.
fn made(page: &Page<'_>) -> Markup {
    let model = page.model;
    html! {
        h2 { "How it was made" }
        p { "Learner " code { (model.learner) } ": " (page.title) ". The fit ended: " (model.report.stop) "." }
        details {
            summary { "Parameters" }
            (scrolling(html! { table {
                @for (name, value) in &model.params { tr { th { (name) } td.n { (format::plain(value)) } } }
            } }))
        }
    }
}

/// Puts a table into a box that scrolls by itself, so that the page is never wider than the window.
fn scrolling(table: Markup) -> Markup {
    html! { div.scroll tabindex="0" { (table) } }
}

/// Writes a name whose lines may end after its signs.
fn breakable(name: &str) -> Markup {
    html! { @for part in name.split_inclusive(['_', '-', '.', '/']) { (part) wbr; } }
}

/// Says how many rows a table leaves out.
fn more(rows: usize) -> Markup {
    html! { @if rows > LISTED { p.soft { "and " (rows - LISTED) " more" } } }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
