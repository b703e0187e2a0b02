//! Compares learners: a table, learning curves, results.json.

use crate::args::{CompareArgs, MissingArg};
use crate::commands::compared::{self, footnotes, parameters, remark_notes};
use crate::commands::curves::{Shown, Spent, figure};
use crate::commands::hiding::{self, Hidden};
use crate::commands::suggested::suggested;
use crate::tables::input::{self, Input};
use crate::tables::observed;
use crate::tables::test_table::TestTable;
use crate::terminal::failure::{INTERRUPTED, usage_error};
use crate::terminal::measure::Measure;
use crate::terminal::output::{self, Folder};
use crate::terminal::progress::Progress;
use crate::terminal::{format, interrupt};
use anyhow::{Context, Result};
use halfseen::data::{Basis, Threat};
use halfseen::learner::{Family, Learner};
use halfseen::prepare::{Options, Schema};
use halfseen::robust::Attack;
use halfseen::select::{
    AttackPlan, ComparisonPlan, LineUp, Seen, Suggestion, Task, assign, compare,
};
use halfseen::{ErrorKind, registry};
use halfseen_io::draw::learning_curve;
use serde_json::json;
use std::process::ExitCode;
use std::time::Duration;

/// Number of points of each learning curve.
const CURVE_POINTS: usize = 10;

/// Time that the running fits may take to stop, so that the complete splits are kept.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode> {
    let shares = hiding::shares(args)?;
    // Invalid names and parameters are refused before anything is read.
    if let Some(names) = &args.learners {
        learners(args, names, false)?;
    }
    let input = input::read(
        args.data.as_deref(),
        args.target.as_deref(),
        args.group.as_deref(),
        args.missing,
        &args.table,
    )?;
    let ignored = args.table.ignore.iter().map(String::as_str);
    let no_attributes: Vec<&str> =
        [&*input.target_name].into_iter().chain(args.group.as_deref()).chain(ignored).collect();
    let seen = Seen::of(&input.table, &no_attributes);
    let suggestion =
        suggested(&input, &no_attributes[1..], (budgeted(args), args.threat.is_some()));
    let names = chosen(args, &input, &seen);
    let names = limited(args, names)?;
    let learners = learners(args, &names, holes(args, &seen))?;
    learners.iter().try_for_each(|learner| input.check_classes(&**learner))?;
    remark_on_size(args, &input, &learners);
    let intercept = !assignments(args)?.contains(&("intercept", "false"));
    let mut options = input::options(&input, &args.table, args.missing, intercept, args.honest)?;
    options.except.extend(args.group.clone());
    let schema = check_budget(&learners, &input, &options, args.threat)
        .with_context(|| input.name.clone())?;
    let test = args
        .test
        .as_deref()
        .map(|path| TestTable::read(path, args, &input, &schema))
        .transpose()?;
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
    let plan = ComparisonPlan {
        names: names.iter().filter_map(|name| registry::names().find(|own| own == name)).collect(),
        splits: args.splits as usize,
        folds: (!args.honest).then_some(args.folds as usize),
        fixed: assignments(args)?.into_iter().map(|(name, _)| name.to_owned()).collect(),
        test_share: args.test_share,
        seed: args.table.seed,
        curve_points: CURVE_POINTS,
        threads: args.threads.map(|t| t as usize),
        siege: args
            .threat
            .map(|threat| AttackPlan { threat, attack: args.attack.unwrap_or(Attack::Exact) }),
    };
    let (comparison, hidden) = {
        let progress = Progress::new("comparing", args.table.quiet);
        let place = |e| {
            anyhow::Error::from(input::renumbered(e, &input.numbers)).context(input.name.clone())
        };
        let first = hiding::Part { whole: &progress, number: 0, of: 1 + shares.len() as u64 };
        let known: Vec<&str> = args.table.known.iter().map(String::as_str).collect();
        let kept = (&no_attributes[..], &known[..]);
        let work = || {
            let comparison = compare(&learners, &task, &plan, &first)?;
            let hidden = match shares[..] {
                [] => None,
                _ => Some(Hidden::run(
                    &shares,
                    kept,
                    &learners,
                    &task,
                    &plan,
                    &comparison,
                    &progress,
                )?),
            };
            Ok((comparison, hidden))
        };
        interrupt::says("interrupted before the comparison could stop; nothing was written");
        interrupt::stopping(PATIENCE, work).map_err(place)?
    };
    let complete = comparison.splits();
    input.remark_on_codes(&args.table);
    remark_on_test(args, &input);
    remark_notes(&comparison, args.table.quiet);
    let data = describe(&input, &plan, complete, &options, &seen, test.as_ref())?;
    let mut results = json!({
        "data": data, "rows": comparison.rows, "summary": comparison.summary, "curve": comparison.curve,
    });
    if let Some(hidden) = &hidden {
        results["hidden"] = hidden.as_json();
    }
    let results = format!("{}\n", serde_json::to_string_pretty(&results)?);
    let tested = Shown::Tested(Measure::of(&comparison));
    let examples: Spent = ("training examples", |p| p.examples);
    let attributes: Spent = ("attribute values read", |p| p.distinct);
    let draw = |x, y| learning_curve(&figure(&comparison, (&input.name, &input.target), x, y));
    let mut files = vec![("curve-examples.svg", draw(examples, tested)?)];
    // If all attributes are always known, nothing is read.
    if comparison.curve.iter().any(|point| point.distinct > 0) {
        files.push(("curve-attributes.svg", draw(attributes, tested)?));
    }
    // Learners that read everything do not estimate their own error.
    if comparison.curve.iter().any(|point| point.risk.is_some()) {
        files.push(("curve-own-test.svg", draw(examples, Shown::Own)?));
    }
    if let Some(hidden) = &hidden {
        files.push(("curve-hidden.svg", learning_curve(&hidden.figure(&input.name))?));
    }
    files.push(("results.json", results.clone()));
    let written = folder.write(&files)?;
    let code = match interrupt::asked() {
        true => {
            let done = match shares[..] {
                [] => "",
                _ => ", and the shares of --hide that were complete",
            };
            let text = format!(
                "interrupted: these are the results of {complete} of {} splits{done}",
                args.splits
            );
            output::remark(args.table.quiet, &text);
            ExitCode::from(INTERRUPTED)
        }
        false => ExitCode::SUCCESS,
    };
    if args.table.json {
        output::print(&results)?;
        return Ok(code);
    }
    let files =
        written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let width = output::terminal_width();
    let text = format!(
        "{}\n{}\n{}{}{}{}\n{}",
        compared::table(&comparison, width),
        output::wrapped(&format!("{}\n", comparison.in_words()), width),
        output::wrapped(&footnotes(args, &input, &seen, test.as_ref(), &comparison), width),
        hidden.map_or(String::new(), |hidden| format!("\n{}", hidden.as_text())),
        output::wrapped(&parameters(&comparison), width),
        output::wrapped(&taken_by_fit(args, &suggestion), width),
        output::wrapped(&format!("written: {files}\n"), width),
    );
    output::show(&text)?;
    Ok(code)
}

/// Says which learner `fit` takes for a table of the user's if none is named.
fn taken_by_fit(args: &CompareArgs, suggestion: &Suggestion) -> String {
    if args.learners.is_some() || args.data.is_none() {
        return String::new();
    }
    format!(
        "\nWithout --learner, halfseen fit takes {} here: {}.\n",
        suggestion.called(),
        suggestion.when
    )
}

/// Returns the named learners, or those that suit the table.
fn chosen(args: &CompareArgs, input: &Input, seen: &Seen) -> Vec<String> {
    if let Some(names) = &args.learners {
        return names.clone();
    }
    let names = line_up(args, holes(args, seen)).names(input.target.classes().len());
    names.into_iter().map(str::to_owned).collect()
}

/// Returns the limits under which learners are compared.
fn line_up(args: &CompareArgs, holes: bool) -> LineUp {
    LineUp { budget: args.budget, limited: budgeted(args), threat: args.threat, holes }
}

/// Returns true if a learner will meet missing cells, or is asked to learn from observed ones.
fn holes(args: &CompareArgs, seen: &Seen) -> bool {
    seen.observed < seen.cells || !args.hide.is_empty() || args.missing == MissingArg::Observed
}

/// Returns true if a flag limits the reads.
fn budgeted(args: &CompareArgs) -> bool {
    args.budget.is_some() || !args.table.limits().is_empty()
}

/// Number of rows beyond which comparing all pairs takes minutes.
const MANY: usize = 5_000;

/// Remarks on what will take long, and on a faster alternative.
fn remark_on_size(args: &CompareArgs, input: &Input, learners: &[Box<dyn Learner>]) {
    let exact = learners.iter().find(|l| l.needs().pairs);
    if let Some(learner) = exact.filter(|_| input.table.rows() > MANY) {
        let text = format!(
            "remark: {} compares all pairs of {} rows, which is slow; --set features=sketch:2048 takes time linear in the rows",
            learner.name(),
            format::thousands(input.table.rows() as f64)
        );
        output::remark(args.table.quiet, &text);
    }
}

/// Number of test rows below which an error means nearly nothing.
const FEW: usize = 5;

/// Remarks on splits with too few test rows for meaningful errors.
fn remark_on_test(args: &CompareArgs, input: &Input) {
    let rows = (args.test_share * input.table.rows() as f64).round() as usize;
    if args.test.is_none() && rows < FEW {
        let text = format!(
            "remark: only {} of {} rows test in each split, too few for reliable errors; raise --test-share (say 0.5) and --splits",
            rows.max(1),
            input.table.rows()
        );
        output::remark(args.table.quiet, &text);
    }
}

/// Leaves out learners that have no such limit on their costs, unless they were named.
fn limited(args: &CompareArgs, mut names: Vec<String>) -> Result<Vec<String>> {
    if args.learners.is_some() {
        return Ok(names);
    }
    for (flag, limit, _) in args.table.limits() {
        let (mut left, mut out) = (Vec::new(), Vec::new());
        for name in names {
            let learner = registry::find(&name)?;
            let has = learner.needs().family != Family::Budget || learner.get(limit).is_some();
            if has { left.push(name) } else { out.push(name) }
        }
        names = left;
        if !out.is_empty() {
            let text =
                format!("remark: {flag} leaves out {}, which cannot keep it", out.join(", "));
            output::remark(args.table.quiet, &text);
        }
    }
    Ok(names)
}

/// Returns learners by name, set up alike.
fn learners(args: &CompareArgs, names: &[String], holes: bool) -> Result<Vec<Box<dyn Learner>>> {
    let mut learners = Vec::new();
    for (i, name) in names.iter().enumerate() {
        if names[..i].contains(name) {
            return usage_error(format!("--learners names {name} twice"));
        }
        let mut learner = registry::find(name)?;
        line_up(args, holes).arrange(&mut *learner)?;
        for (flag, name, value) in args.table.limits() {
            if learner.needs().family == Family::Budget {
                learner.set(name, &value).context(flag)?;
            }
        }
        observed::arrange(&mut *learner, args.missing)?;
        assign(&mut *learner, name, &assignments(args)?)?;
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

/// Refuses an invalid budget, threat, price or panel before any work is done.
fn check_budget(
    learners: &[Box<dyn Learner>],
    input: &Input,
    options: &Options,
    threat: Option<f64>,
) -> Result<Schema> {
    let rows: Vec<u32> = (0..input.table.rows() as u32).collect();
    let mut except: Vec<&str> = vec![&input.target_name];
    except.extend(options.except.iter().map(String::as_str));
    let schema = Schema::fit(&input.table, &rows, &except, &options.known, options.groups.clone())?;
    let mut schema = schema.with_dates(&options.dates)?;
    schema.prices = options.prices.clone();
    let layout = std::sync::Arc::new(schema.layout()?);
    if let Some(threat) = threat {
        Threat::uniform(layout.sampled_panels(), threat)?;
    }
    for learner in learners {
        match learner.start(&layout) {
            // Moments and the number of examples are known only with the data.
            Err(error) if matches!(error.kind(), ErrorKind::Needs { .. }) => {}
            started => drop(started?),
        }
    }
    Ok(schema)
}

/// Returns a number per row that is equal for equal values of a column.
fn group_codes(input: &Input, name: &str) -> Result<Vec<u32>> {
    let column = input.table.column(name)?;
    let mut known = std::collections::HashMap::new();
    let mut codes = Vec::with_capacity(input.table.rows());
    for row in 0..input.table.rows() {
        let text = crate::terminal::format::text(input.table.cell(row, column));
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

fn describe(
    input: &Input,
    plan: &ComparisonPlan,
    splits: usize,
    options: &Options,
    seen: &Seen,
    test: Option<&TestTable>,
) -> Result<serde_json::Value> {
    let classes: Vec<String> = input.target.classes().iter().map(ToString::to_string).collect();
    let attribute = |name: &String| *name != input.target_name && !options.except.contains(name);
    let attributes = input.table.columns().iter().filter(|c| attribute(&c.name));
    let mut data = json!({
        "name": input.name, "rows": input.table.rows(), "dropped": input.dropped,
        "attributes": attributes.count(),
        "missing_cells": seen.cells - seen.observed, "missing_share": 1.0 - seen.share(),
        "rows_with_holes": seen.rows_with_holes, "empty_rows": seen.empty_rows,
        "target": input.target_name, "task": input.target.task(), "classes": classes,
        "splits": splits, "folds": plan.folds, "seed": plan.seed,
        "test_share": if test.is_some() { None } else { Some(plan.test_share) },
        "test": test.map(|t| &t.name), "test_rows": test.map(TestTable::rows),
        "honest": options.honest,
        "threat": plan.siege.map(|siege| siege.threat),
        "attack": plan.siege.map(|siege| siege.attack.name()),
    });
    if options.basis == Basis::Hats {
        data["basis"] = "hats".into();
    }
    Ok(data)
}
