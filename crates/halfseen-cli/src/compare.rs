//! Compares learners: a table, two learning curves, results.json.

use crate::args::{CompareArgs, MissingArg};
use crate::failure::usage_error;
use crate::fit::outside_bounds;
use crate::input::{self, Input};
use crate::observed;
use crate::output::{self, Folder, align};
use crate::progress::Progress;
use crate::test_table::TestTable;
use anyhow::{Context, Result};
use halfseen::ErrorKind;
use halfseen::data::Target;
use halfseen::learner::{self, Family, Learner};
use halfseen::prepare::{Options, Schema};
use halfseen::select::{Comparison, CurvePoint, Plan, Statistics, Summary, Task, compare};
use halfseen_io::draw::{Figure, Point, Series, learning_curve};
use serde_json::json;
use std::process::ExitCode;

/// Points of each learning curve.
const CURVE_POINTS: usize = 10;

/// Runs the command.
pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode> {
    let learners = learners(args)?;
    let input =
        input::read(args.data.as_deref(), args.target.as_deref(), args.group.as_deref(), args.missing, &args.table)?;
    let intercept = !assignments(args)?.contains(&("intercept", "false"));
    let mut options = input::options(&args.table, args.missing, intercept, args.honest)?;
    options.except.extend(args.group.clone());
    let schema = check_budget(args, &input, &options).with_context(|| input.name.clone())?;
    let test = args.test.as_deref().map(|path| TestTable::read(path, args, &input, &schema)).transpose()?;
    let groups = args.group.as_deref().map(|name| group_codes(&input, name)).transpose()?;
    let mut folder = Folder::open(&args.out)?;
    let task = Task {
        table: &input.table,
        target_name: &input.target_name,
        target: &input.target,
        groups: groups.as_deref(),
        options: &options,
        test: test.as_ref().map(TestTable::as_test),
    };
    let plan = Plan {
        splits: args.splits as usize,
        folds: (!args.honest).then_some(args.folds as usize),
        fixed: assignments(args)?.into_iter().map(|(name, _)| name.to_owned()).collect(),
        test_share: args.test_share,
        seed: args.table.seed,
        curve_points: CURVE_POINTS,
        threads: args.threads.map(|t| t as usize),
    };
    let comparison = {
        let progress = Progress::new("comparing", args.table.quiet);
        compare(&learners, &task, &plan, &progress)
            .map_err(|e| anyhow::Error::from(input::renumbered(e, &input)).context(input.name.clone()))?
    };
    remark_notes(&comparison, args.table.quiet);
    let data = describe(&input, &plan, &options, test.as_ref())?;
    let results = json!({
        "data": data, "rows": comparison.rows, "summary": comparison.summary, "curve": comparison.curve,
    });
    let results = format!("{}\n", serde_json::to_string_pretty(&results)?);
    let tested: Axis<Option<f64>> = ("test squared error", |p| p.test_mse);
    let own: Axis<Option<f64>> = ("own squared error", |p| p.risk);
    let examples: Axis<u64> = ("training examples", |p| p.examples);
    let attributes: Axis<u64> = ("attribute values read", |p| p.distinct);
    let draw = |x: Axis<u64>, y: Axis<Option<f64>>| learning_curve(&figure(&comparison, &input, x, y));
    let mut written = vec![
        folder.write("curve-examples.svg", &draw(examples, tested)?)?,
        folder.write("curve-attributes.svg", &draw(attributes, tested)?)?,
    ];
    // Learners that see everything do not test themselves.
    if comparison.curve.iter().any(|point| point.risk.is_some()) {
        written.push(folder.write("curve-own-test.svg", &draw(examples, own)?)?);
    }
    written.push(folder.write("results.json", &results)?);
    if args.table.json {
        output::print(&results)?;
        return Ok(ExitCode::SUCCESS);
    }
    let files = written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let text = format!(
        "{}\n{}{}\nwritten: {files}\n",
        table(&comparison),
        footnotes(args, &input, test.as_ref(), &comparison),
        parameters(&comparison)
    );
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Says what readers of the results must know: of each learner the note of its first split that has one.
fn remark_notes(comparison: &Comparison, quiet: bool) {
    for summary in &comparison.summary {
        let rows = comparison.rows.iter().filter(|r| r.learner == summary.learner && !r.notes.is_empty());
        if let Some(row) = rows.clone().next() {
            for note in &row.notes {
                output::remark(
                    quiet,
                    &format!("note: {}, {} of its splits: {note}", summary.learner, rows.clone().count()),
                );
            }
        }
    }
}

/// The learners that were named, with the budget where they have one.
fn learners(args: &CompareArgs) -> Result<Vec<Box<dyn Learner>>> {
    let mut learners = Vec::new();
    for (i, name) in args.learners.iter().enumerate() {
        if args.learners[..i].contains(name) {
            return usage_error(format!("--learners names {name} twice"));
        }
        let mut learner = learner::find(name)?;
        if let (Some(budget), Family::Budget) = (args.budget, learner.family()) {
            learner.set("budget", &budget.to_string())?;
        }
        if let (Some(total), Family::Budget) = (args.table.total_budget, learner.family()) {
            learner.set("total_budget", &total.to_string())?;
        }
        observed::arrange(&mut *learner, args.missing)?;
        for (name, value) in assignments(args)? {
            if learner.get(name).is_some() {
                learner.set(name, value)?;
            }
        }
        learners.push(learner);
    }
    for (name, _) in assignments(args)? {
        if !learners.iter().any(|l| l.get(name).is_some()) {
            return usage_error(format!(
                "--set {name}: none of the compared learners has this parameter; see `halfseen learners NAME`"
            ));
        }
    }
    Ok(learners)
}

/// The names and values of --set.
fn assignments(args: &CompareArgs) -> Result<Vec<(&str, &str)>> {
    let mut assignments = Vec::new();
    for set in &args.set {
        let Some((name, value)) = set.split_once('=') else {
            return usage_error(format!("--set {set}: write it as NAME=VALUE"));
        };
        assignments.push((name.trim(), value));
    }
    Ok(assignments)
}

/// Refuses an impossible budget, price or panel before any work is done.
fn check_budget(args: &CompareArgs, input: &Input, options: &Options) -> Result<Schema> {
    let rows: Vec<u32> = (0..input.table.rows() as u32).collect();
    let mut except: Vec<&str> = vec![&input.target_name];
    except.extend(options.except.iter().map(String::as_str));
    let mut schema = Schema::fit(&input.table, &rows, &except, &options.known, options.groups.clone())?;
    schema.prices = options.prices.clone();
    let layout = std::sync::Arc::new(schema.layout()?);
    for learner in learners(args)? {
        match learner.start(&layout) {
            // Moments and the number of examples come with the data.
            Err(error) if matches!(error.kind(), ErrorKind::Needs { .. }) => {}
            started => drop(started?),
        }
    }
    Ok(schema)
}

/// For each row a number that is equal for equal values of a column.
fn group_codes(input: &Input, name: &str) -> Result<Vec<u32>> {
    let column = input.table.column(name)?;
    let mut known = std::collections::HashMap::new();
    let mut codes = Vec::with_capacity(input.table.rows());
    for row in 0..input.table.rows() {
        let text = input::text(input.table.cell(row, column));
        if text.is_empty() {
            let row = input.numbers[row] + 1;
            return usage_error(format!(
                "{}: --group: column '{name}' is missing in row {row}; fill or remove that row",
                input.name
            ));
        }
        let next = known.len() as u32;
        codes.push(*known.entry(text).or_insert(next));
    }
    Ok(codes)
}

fn describe(input: &Input, plan: &Plan, options: &Options, test: Option<&TestTable>) -> Result<serde_json::Value> {
    let classes: Vec<String> = input.target.classes().iter().map(ToString::to_string).collect();
    let attribute = |name: &String| *name != input.target_name && !options.except.contains(name);
    let attributes = input.table.columns().iter().filter(|c| attribute(&c.name));
    Ok(json!({
        "name": input.name, "rows": input.table.rows(), "dropped": input.dropped,
        "attributes": attributes.count(),
        "target": input.target_name, "task": input.target.task(), "classes": classes,
        "splits": plan.splits, "folds": plan.folds, "seed": plan.seed,
        "test_share": if test.is_some() { None } else { Some(plan.test_share) },
        "test": test.map(|t| &t.name), "test_rows": test.map(TestTable::rows),
        "honest": options.honest,
    }))
}

/// The printed table: one line per learner, mean and deviation over the splits.
fn table(comparison: &Comparison) -> String {
    let classes = comparison.summary.iter().any(|s| s.test_error.is_some());
    let mut head = vec!["learner", "read per example", "read in all", "test squared error", "median"];
    if classes {
        head.push("test error");
    }
    let priced = comparison.summary.iter().any(|s| s.spent.is_some());
    if priced {
        head.push("spent");
    }
    head.push("seconds");
    let mut rows = vec![head.into_iter().map(str::to_owned).collect()];
    rows.extend(comparison.summary.iter().map(|s| line(s, classes)));
    align(&rows)
}

fn line(s: &Summary, classes: bool) -> Vec<String> {
    let show = |f: Option<Statistics>| f.map_or("-".into(), |f| format!("{} ± {}", number(f.mean), number(f.sd)));
    let percent =
        |f: Option<Statistics>| f.map_or("-".into(), |f| format!("{:.1} ± {:.1} %", 100.0 * f.mean, 100.0 * f.sd));
    let mut cells = vec![
        s.learner.to_owned(),
        s.budget.to_string(),
        thousands(s.distinct.map_or(0.0, |f| f.mean)),
        show(s.test_mse),
        s.test_mse.map_or("-".into(), |f| number(f.median)),
    ];
    if classes {
        cells.push(percent(s.test_error));
    }
    cells.extend(s.spent.map(|f| number(f.mean)));
    cells.push(s.seconds.map_or("-".into(), |f| format!("{:.3} ± {:.3}", f.mean, f.sd)));
    cells
}

/// Three digits after the point for ordinary numbers, an exponent for very large and very small ones.
fn number(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e6).contains(&value.abs()) { format!("{value:.2e}") } else { format!("{value:.3}") }
}

fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|g| std::str::from_utf8(g).ok()).collect();
    groups.join(" ")
}

/// What a reader of the table must know.
fn footnotes(args: &CompareArgs, input: &Input, test: Option<&TestTable>, comparison: &Comparison) -> String {
    let mut notes = String::new();
    let unit = match input.target {
        Target::Numbers(_) => "in the target's units",
        Target::Classes { .. } => "of the score against -1 and +1",
    };
    let splits = match test {
        Some(test) => {
            format!("{} seeds, tested on the {} rows of {}", args.splits, thousands(test.rows() as f64), test.name)
        }
        None => format!("{} splits, {:.0} % of the rows test", args.splits, 100.0 * args.test_share),
    };
    notes.push_str(&format!("{}: mean ± deviation over {splits}; squared error {unit}.\n", input.name));
    let read = comparison.rows.iter().filter(|r| r.tuning_reads > 0).map(|r| (r.learner, r.tuning_reads));
    if let Some((learner, reads)) = read.max_by_key(|&(_, reads)| reads) {
        notes.push_str(&format!(
            "Each learner was tuned by cross-validation inside the training part. That reads more than a budget\n\
             allows, as in the papers (here up to {} reads per split, by {learner}); --honest compares without it.\n",
            thousands(reads as f64)
        ));
    }
    if let Some(row) = comparison.rows.iter().filter(|r| r.outside_bounds > Some(0)).max_by_key(|r| r.outside_bounds) {
        let count = row.outside_bounds.unwrap_or(0);
        if let Some(text) = outside_bounds(count, &row.first_outside, input) {
            notes.push_str(&format!("In one run, by {}: {text}.\n", row.learner));
        }
    }
    if let Some(unused) = comparison.rows.iter().filter_map(|r| r.unused).max() {
        notes.push_str(&format!(
            "Budgeted learners had {} reads in all; at most {} were left.\n",
            thousands(args.table.total_budget.unwrap_or(0) as f64),
            thousands(unused as f64)
        ));
    }
    if let Some(imputed) = comparison.rows.iter().map(|r| r.imputed).max().filter(|&count| count > 0) {
        notes.push_str(&format!(
            "{} missing cells were filled with the training mean of their column.\n",
            thousands(imputed as f64)
        ));
    }
    if args.missing == MissingArg::Observed {
        notes.push_str("Nothing was filled in: what is observed in each row was learned from, and cost nothing.\n");
    }
    if input.dropped > 0 && args.missing == MissingArg::Drop {
        notes.push_str(&format!("{} rows with missing cells were dropped.\n", input.dropped));
    }
    notes
}

/// The winning parameters: those that tuning chose among, split by split.
fn parameters(comparison: &Comparison) -> String {
    let mut text = String::from("\nparameters (one per split):\n");
    for summary in &comparison.summary {
        let Ok(learner) = learner::find(summary.learner) else { continue };
        let rows = || comparison.rows.iter().filter(|r| r.learner == summary.learner);
        let axes = learner.grid().0;
        let shown = axes.iter().map(|(name, _)| {
            let values = rows().map(|r| r.params.get(*name).map_or("-".into(), plain));
            format!("{name} {}", values.collect::<Vec<_>>().join(" "))
        });
        text.push_str(&format!("  {}: {}\n", summary.learner, shown.collect::<Vec<_>>().join("; ")));
    }
    text
}

fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What an axis is called, and what it shows of a point.
type Axis<T> = (&'static str, fn(&CurvePoint) -> T);

/// An error against what was spent, mean and deviation over the splits.
fn figure(
    comparison: &Comparison,
    input: &Input,
    (x_label, spent): Axis<u64>,
    (y_label, error): Axis<Option<f64>>,
) -> Figure {
    let series = comparison.summary.iter().map(|summary| {
        let mut points: Vec<&CurvePoint> = comparison.curve.iter().filter(|p| p.learner == summary.learner).collect();
        points.sort_by_key(|p| p.examples);
        // Splits of one size share their counts of examples; the last may differ by rounding.
        let points = points.chunk_by(|a, b| a.examples == b.examples).filter_map(|same| {
            let error = Statistics::of(same.iter().filter_map(|p| error(p)).collect())?;
            let x = Statistics::of(same.iter().map(|p| spent(p) as f64).collect())?.mean;
            Some(Point { x, y: error.mean, low: (error.mean - error.sd).max(0.0), high: error.mean + error.sd })
        });
        Series { name: summary.learner.to_owned(), points: points.collect() }
    });
    let mut series: Vec<Series> = series.filter(|s| !s.points.is_empty()).collect();
    // Early in its run a learner may be far worse than saying the mean; how far is not worth the room, nor is the
    // deviation there.
    let limit = 1.5 * variance(input);
    let outside = series.iter_mut().flat_map(|s| &mut s.points).filter(|p| p.y > limit);
    outside.for_each(|p| (p.low, p.high) = (p.y, p.y));
    let cut = series.iter().flat_map(|s| &s.points).any(|p| p.high > limit);
    Figure {
        title: input.name.clone(),
        x_label: x_label.to_owned(),
        y_label: if cut { format!("{y_label} (cut at {})", number(limit)) } else { y_label.to_owned() },
        log_x: true,
        y_limit: cut.then_some(limit),
        series,
    }
}

/// The squared error of saying the mean.
fn variance(input: &Input) -> f64 {
    let Ok(scores) = input.target.scores() else { return f64::INFINITY };
    let n = scores.len().max(1) as f64;
    let mean = scores.iter().sum::<f64>() / n;
    scores.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n
}
