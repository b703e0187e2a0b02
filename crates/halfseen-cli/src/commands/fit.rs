//! Fits one learner and saves the model.

use crate::args::{AUTO, FitArgs, MissingArg};
use crate::commands::{fitted, in_parts, suggested};
use crate::parse::CostsArg;
use crate::tables::input::{self, Input};
use crate::tables::{observed, pilot, threats};
use crate::terminal::failure::{INTERRUPTED, NUMERICAL, usage_error};
use crate::terminal::progress::Progress;
use crate::terminal::{format, interrupt, output};
use anyhow::{Context, Result};
use halfseen::data::{Examples, Matrix};
use halfseen::learner::{self, Family, Learner};
use halfseen::model::{Model, Stop, check_truncation};
use halfseen::params::{BUDGET, COSTS, THREAT};
use halfseen::prepare::{Options, Prepared};
use halfseen::select::{Task, Tuning, tested, tune};
use halfseen::{ErrorClass, Monitor, registry};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Number of columns from which on a fit to sparse rows that keeps no zeros remarks on it.
const WIDE: usize = 10_000;

/// Number of rows above which a fit that used few of them remarks on it.
const MANY_ROWS: u64 = 100_000;

/// Time that a fit may take to return its best point.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) fn run(given: &FitArgs) -> Result<ExitCode> {
    let is_no_file =
        |name: &&str| given.files().any(|file| file == Path::new(name) && !file.exists());
    if let Some(name) = registry::names().find(is_no_file) {
        return usage_error(format!(
            "{name} is not a file; to choose the learner, give --learner {name}"
        ));
    }
    let Some(out) = &given.out else {
        if given.learner == AUTO {
            return usage_error(
                "--partial: name the learner, as in --learner ridge (or lasso; with --set loss=squared zero or mean; in two passes aerr, or karma with --set features=sketch:2048); the choice needs the whole table",
            );
        }
        return in_parts::fit(given, &*configured(given)?);
    };
    if !given.more.is_empty() {
        return usage_error(
            "more than one file makes parts: give --partial instead of --out, and then `halfseen merge`",
        );
    }
    if let Some(units) = &given.units {
        if given.learner == AUTO {
            return usage_error("--units: name the learner of these sums by --learner");
        }
        return in_parts::stream(given, &*configured(given)?, (units, out));
    }
    if given.learner != AUTO {
        // Before anything is read or written.
        configured(given)?;
    }
    output::check_writable("--out", out, &given.inputs())?;
    check_partial(given, out)?;
    let (args, input, suggestion) = if given.learner == AUTO {
        suggested::settle(given)?
    } else {
        let missing = missing(given, &*configured(given)?)?;
        let target = given.target.as_deref();
        let input = input::read(Some(&given.data), target, None, missing, &given.table)?;
        (given.clone(), input, None)
    };
    let args = &args;
    let mut learner = configured(args)?;
    let missing = missing(args, &*learner)?;
    input.check_classes(&*learner)?;
    let pilot = args.pilot.as_deref().map(|path| pilot::read(path, args)).transpose()?;
    let place = || input.name.clone();
    if input.dropped > 0 {
        output::remark(
            args.table.quiet,
            &format!("remark: rows with missing cells that were dropped: {}", input.dropped),
        );
    }
    let mut options =
        input::options(&input, &args.table, missing, false, false)?.for_fit(&learner.needs());
    // Tuning reads everything.
    options.honest &= args.tune.is_none();
    let rows: Vec<u32> = (0..input.table.rows() as u32).collect();
    if let Some(CostsArg::File(path)) = &args.costs {
        let names = attributes(&input, &rows, &options).with_context(place)?;
        let costs: Vec<String> =
            threats::from_file(path, &names)?.iter().map(f64::to_string).collect();
        learner.set(COSTS.name, &costs.join(","))?;
    }
    let progress = Progress::new("fitting", args.table.quiet);
    let mut edges = Vec::new();
    if let Some(folds) = args.tune {
        let task = Task {
            table: &input.table,
            target_name: &input.target_name,
            target: &input.target,
            groups: None,
            options: &options,
            test: None,
        };
        let seed = args.table.seed;
        // Values given by --set are not tuned.
        let fixed: Vec<String> = args
            .set
            .iter()
            .filter_map(|set| set.split('=').next())
            .map(|n| n.trim().into())
            .collect();
        let learners = std::slice::from_ref(&learner);
        let tuning = Tuning { holdout: args.holdout, ..Tuning::new(folds as usize, seed) };
        let settings = learner.grid().without(&fixed).settings().len() as u64;
        let (done, total) = (AtomicU64::new(0), settings * if args.holdout { 1 } else { folds });
        let settled = |units: u64| {
            progress.progress(done.fetch_add(units, Ordering::Relaxed) + units, total);
        };
        let tuned = interruptible(args, || {
            tune(learners, &fixed, &task, &rows, &tuning, &progress, &settled)
        });
        let tuned = tuned.map_err(|e| explained(e, args)).with_context(place)?;
        edges = tuned[0].edges(&*learner);
        learner = tuned[0].apply(learner)?;
    }
    let prepared =
        Prepared::new(&input.table, (&input.target_name, &input.target), &rows, &options)
            .map_err(|e| input::renumbered(e, &input.numbers))
            .with_context(place)?;
    // A flag for every learner, or a parameter of those that have it.
    let set = learner.get("truncate").and_then(|count| count.parse().ok());
    let truncate = args.truncate.or(set).map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    // Checked before the work.
    if let Some(count) = truncate {
        check_truncation(count, &prepared.layout).with_context(place)?;
        check_weights(&*learner, input.target.classes().len())?;
    }
    if prepared.vanished > 0 {
        output::remark(
            args.table.quiet,
            &format!(
                "remark: missing cells that count as deleted: {}; {} replaces them by 0, not by the column's mean, in training as in prediction",
                prepared.vanished,
                learner.name()
            ),
        );
    }
    let is_wide =
        matches!(input.table.numbers(), Matrix::Csr(_)) && prepared.layout.slots() >= WIDE;
    if is_wide && !prepared.prepare.scaler.keeps_zeros() {
        output::remark(
            args.table.quiet,
            "remark: the rows are sparse, but attributes are centred, so that few cells stay 0; --scale max keeps zeros, which is faster with many columns",
        );
    }
    let pilot = pilot.as_ref().map(|pilot| pilot.prepared(&prepared, &input, args)).transpose()?;
    let of_pilot = pilot.as_ref().map(|pilot| prepared.examples_in(pilot));
    let examples = Examples { pilot: of_pilot.as_ref(), ..prepared.examples() };
    let fit = interruptible(args, || tested(&*learner, &examples, &progress));
    let mut fit = fit
        .map_err(|e| explained(input::renumbered(e, &input.numbers), args))
        .with_context(place)?;
    fit.report.notes.extend(edges);
    drop(progress);
    let partial = args.keep_partial.as_ref().filter(|_| interrupt::asked());
    let written = partial.unwrap_or(out);
    let whole = Model::of(&*learner, &prepared, (&input.target_name, &input.target), fit);
    let model = truncate.map_or(Ok(whole.clone()), |count| whole.truncated(count))?;
    output::write_file(written, &format!("{}\n", model.to_json()?))?;
    let summary = fitted::summary(
        &model,
        args.table.json,
        args.tune.is_some(),
        suggestion.as_ref(),
        written,
    )?;
    fitted::tell(&summary, written, args.table.json, args.table.quiet)?;
    input.remark_on_codes(&args.table);
    fitted::remark_on(&model, args.table.quiet);
    let (read, used) = (input.table.rows() as u64, model.report.examples);
    if model.report.stop == Stop::BudgetSpent && read >= MANY_ROWS && read > 10 * used {
        let text = format!(
            "remark: the total budget paid for {} of {} rows that were read; --rows {used} draws as many and keeps the others out of memory",
            format::grouped(used),
            format::grouped(read)
        );
        output::remark(args.table.quiet, &text);
    }
    if let Some(text) =
        input.outside_bounds(model.report.outside_bounds, &model.report.first_outside)
    {
        output::remark(args.table.quiet, &format!("remark: {text}"));
    }
    let early = !model.report.converged;
    if early {
        output::remark(args.table.quiet, &format!("warning: {}", model.report.stop));
    }
    if let Some(partial) = partial {
        output::remark(
            args.table.quiet,
            &format!(
                "interrupted: the best point so far is in {}, and {} was not written",
                partial.display(),
                out.display()
            ),
        );
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(if early && args.strict { ExitCode::from(NUMERICAL) } else { ExitCode::SUCCESS })
}

/// Checks the place of an interrupted fit, and says what a signal leaves behind.
fn check_partial(args: &FitArgs, out: &Path) -> Result<()> {
    let Some(partial) = &args.keep_partial else {
        interrupt::says(
            "interrupted; nothing was written; --keep-partial FILE saves the best point",
        );
        return Ok(());
    };
    interrupt::says("interrupted before the fit could return a point; nothing was written");
    output::check_writable("--keep-partial", partial, &args.inputs())?;
    if output::same_place(partial, out) {
        return usage_error(format!(
            "--keep-partial {}: this is the file of --out, whose model would be replaced; name another",
            partial.display()
        ));
    }
    Ok(())
}

/// Runs work that a signal stops first if its best point is to be kept.
fn interruptible<T>(args: &FitArgs, work: impl FnOnce() -> T) -> T {
    if args.keep_partial.is_some() { interrupt::stopping(PATIENCE, work) } else { work() }
}

/// Returns an error that says what an interruption left behind.
fn explained(error: halfseen::Error, args: &FitArgs) -> anyhow::Error {
    let interrupted = error.class() == ErrorClass::Interrupted && args.keep_partial.is_some();
    let error = anyhow::Error::from(error);
    if interrupted {
        error.context("there is no point to keep yet, and nothing was written")
    } else {
        error
    }
}

/// Returns the learner with --budget, --set and --seed.
fn configured(args: &FitArgs) -> Result<Box<dyn Learner>> {
    let mut learner = registry::find(&args.learner)?;
    let needs = learner.needs();
    if needs.seeded {
        learner.set("seed", &args.table.seed.to_string())?;
    }
    if let Some(budget) = args.budget {
        if needs.family != Family::Budget {
            return usage_error(format!(
                "--budget: {} {}; leave --budget out, or choose a budgeted learner (halfseen learners)",
                learner.name(),
                reads(&*learner)
            ));
        }
        learner.set("budget", &budget.to_string())?;
    }
    for (flag, name, value) in args.table.limits() {
        if needs.family != Family::Budget {
            return usage_error(format!(
                "{flag}: {} {}; leave {flag} out, or choose a budgeted learner (halfseen learners)",
                learner.name(),
                reads(&*learner)
            ));
        }
        learner.set(name, &value).context(flag)?;
    }
    let preparing = [("--threat", args.threat.is_some()), ("--costs", args.costs.is_some())];
    if let Some((flag, _)) = preparing.iter().find(|(_, given)| *given && !needs.threat) {
        return usage_error(format!(
            "{flag}: {} prepares for no threat; leave {flag} out, or choose a learner of the robust family (halfseen learners)",
            learner.name()
        ));
    }
    if let Some(threat) = args.threat {
        learner.set(THREAT.name, &threat.to_string()).context("--threat")?;
    }
    for assignment in &args.set {
        let Some((name, value)) = assignment.split_once('=') else {
            return usage_error(format!("--set {assignment}: write it as NAME=VALUE"));
        };
        learner.set(name.trim(), value)?;
    }
    if let Some(costs) = &args.costs {
        match costs {
            CostsArg::Uniform => learner.set(COSTS.name, "uniform")?,
            CostsArg::Information => learner.set(COSTS.name, "mi")?,
            // Its names are checked against the table's later.
            CostsArg::File(_) => {}
        }
    }
    if args.pilot.is_some() && !needs.pilot {
        return usage_error(format!(
            "--pilot: {} cannot learn from a pilot; leave --pilot out, or choose --learner fiml",
            registry::label(&*learner)
        ));
    }
    if args.tune.is_some() && learner.grid().0.is_empty() {
        return usage_error(format!(
            "--tune: {} has nothing to tune by cross-validation: it tunes itself on its own reads; leave --tune out",
            learner.name()
        ));
    }
    let missing = missing(args, &*learner)?;
    if needs.holes && needs.either {
        choose_or_take(&mut *learner, args)?;
    } else {
        observed::arrange(&mut *learner, missing)?;
    }
    // A total budget alone does not limit the reads of one example.
    if learner.needs().chooses() && learner.get(BUDGET.name).as_deref() == Some("auto") {
        return usage_error(format!(
            "{} reads only some attributes of each example; give their number with --budget, as in --budget 4",
            learner.name()
        ));
    }
    Ok(learner)
}

/// Configures a learner that can do both: with a budget it chooses its reads, and a read of a
/// missing cell returns nothing; without one it uses all observed cells.
fn choose_or_take(learner: &mut dyn Learner, args: &FitArgs) -> Result<()> {
    if learner.needs().budgeted && args.missing == Some(MissingArg::Observed) {
        return usage_error(format!(
            "--missing observed: with a budget {} chooses its reads, without one it uses all observed cells; leave one of the two out",
            learner.name()
        ));
    }
    let said = args
        .set
        .iter()
        .any(|set| set.split('=').next().is_some_and(|name| name.trim() == "passive"));
    if !said {
        learner::take_all_without_a_budget(learner)?;
    }
    Ok(())
}

/// Returns the names of the attributes that can be deleted, in their order.
fn attributes(input: &Input, rows: &[u32], options: &Options) -> Result<Vec<String>> {
    let prepared = Prepared::new(&input.table, (&input.target_name, &input.target), rows, options)?;
    let layout = &prepared.layout;
    Ok((0..layout.sampled_panels()).map(|panel| layout.name(panel).to_owned()).collect())
}

/// Describes the reads of a learner without a budget.
fn reads(learner: &dyn Learner) -> &'static str {
    if learner.needs().holes {
        "uses all observed cells of each example, and chooses none"
    } else {
        "reads every attribute of each example"
    }
}

/// Returns the treatment of missing cells: by default an error, except for learners of missing
/// values.
fn missing(args: &FitArgs, learner: &dyn Learner) -> Result<MissingArg> {
    match (args.missing, learner.needs().holes) {
        (None, true) => Ok(MissingArg::Observed),
        (None, false) => Ok(MissingArg::Refuse),
        (Some(MissingArg::Mean), true) => usage_error(format!(
            "--missing mean: {} learns from tables with missing values as they are; leave --missing out, or choose --learner mean, which imputes means, or a learner that needs every cell",
            registry::label(learner)
        )),
        (Some(missing), _) => Ok(missing),
    }
}

/// Refuses to truncate a predictor that is not a single linear model, before it is fitted.
fn check_weights(learner: &dyn Learner, classes: usize) -> Result<()> {
    let why = match (learner.needs().weighs, classes > 2) {
        (true, false) => return Ok(()),
        (true, true) => "of more than two classes has one weight per attribute and class",
        (false, _) => "has no weight, or not only one, per attribute",
    };
    usage_error(format!(
        "--truncate keeps the attributes of largest weight, but a model by {} {why}; leave --truncate out, or choose a learner of one linear model, such as zero, or fiml with shape=linear, for two classes or a number",
        registry::label(learner)
    ))
}
