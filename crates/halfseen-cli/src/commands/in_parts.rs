//! Runs `fit --partial`, `fit --units` and `merge`: sums over parts of the rows, and the model of all.

use crate::args::{FitArgs, MergeArgs, MissingArg, TableArgs};
use crate::commands::fitted;
use crate::tables::declarations;
use crate::tables::input::task;
use crate::tables::kept_rows::{OfClasses, WithTarget};
use crate::tables::stream::{self, Take};
use crate::terminal::failure::usage_error;
use crate::terminal::format::{counted, grouped};
use crate::terminal::output;
use crate::terminal::progress::Progress;
use anyhow::{Context, Result};
use halfseen::data::{DeclaredKind, Finding, Table};
use halfseen::error::short;
use halfseen::learner::Learner;
use halfseen::model::Model;
use halfseen::partial::{NextPass, Partial};
use halfseen::prepare::{Missing, Options};
use halfseen_io::Wanted;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Sums the rows of each file, a part each.
pub(crate) fn fit(args: &FitArgs, learner: &dyn Learner) -> Result<ExitCode> {
    let Some(out) = &args.partial else {
        return usage_error("--out or --partial is needed");
    };
    output::check_writable("--partial", out, &args.inputs())?;
    let (table, target) = (&args.table, target(args)?);
    let mut partial = empty(args, target, learner)?;
    if let Some(units) = &args.units {
        let place = || format!("--units {}", units.display());
        let sums = sums_in(units).with_context(place)?;
        partial = partial.in_units(&sums).with_context(place)?;
    }
    if args.resume && output::is_standard(out) {
        return usage_error(
            "--resume: stdout holds no sums to go on with; name a file by --partial",
        );
    }
    if args.resume && out.exists() {
        let place = || format!("--resume {}", out.display());
        partial.merge(sums_in(out).with_context(place)?).with_context(place)?;
    }
    let (mut of_classes, mut read) = (OfClasses::new(&table.classes), 0);
    let mut due = Instant::now();
    for file in args.files() {
        let name = args.part.clone().unwrap_or_else(|| file.display().to_string());
        if args.resume && partial.parts().any(|part| part == name) {
            let text = format!("remark: {name}: not read again; its sums are in {}", out.display());
            output::remark(table.quiet, &text);
            continue;
        }
        let mut absorbing = partial.begin(&name)?;
        let absorbed = each_table(file, target, &mut of_classes, table, |rows| absorbing.add(rows))
            .and_then(|()| Ok(partial.end(absorbing)?));
        read += u32::from(absorbed.is_ok());
        // Writing, which takes longer with each part, takes a tenth of the time at most.
        if args.resume && read > 0 && (absorbed.is_err() || Instant::now() >= due) {
            let began = Instant::now();
            write(&partial, out)?;
            due = Instant::now() + 10 * began.elapsed();
        }
        absorbed?;
    }
    // Rows that were read before may have the classes.
    if partial.parts().count() == read as usize {
        of_classes.check(target)?;
    }
    write(&partial, out)?;
    tell(&partial, out, (table.json, table.quiet))?;
    Ok(ExitCode::SUCCESS)
}

/// Learns from each row of a file once, in the units of sums over its rows.
pub(crate) fn stream(
    args: &FitArgs,
    learner: &dyn Learner,
    (units, out): (&Path, &Path),
) -> Result<ExitCode> {
    output::check_writable("--out", out, &args.inputs())?;
    let (table, target) = (&args.table, target(args)?);
    let place = || format!("--units {}", units.display());
    let sums = sums_in(units).with_context(place)?;
    let mut stream = empty(args, target, learner)?.stream(&sums).with_context(place)?;
    let mut of_classes = OfClasses::new(&table.classes);
    each_table(&args.data, target, &mut of_classes, table, |rows| stream.add(rows))?;
    let progress = Progress::new("fitting", table.quiet);
    let model = stream.finish(&progress)?;
    drop(progress);
    save(&model, out, (table.json, table.quiet))
}

fn target(args: &FitArgs) -> Result<&str> {
    match &args.target {
        Some(target) => Ok(target),
        None => usage_error("which column is the target? Name it with --target"),
    }
}

/// Returns a partial without a part.
fn empty(args: &FitArgs, target: &str, learner: &dyn Learner) -> Result<Partial> {
    let table = &args.table;
    let unable = [
        ("--known", !table.known.is_empty()),
        ("--panel", !table.panel.is_empty()),
        ("--prices", table.prices.is_some()),
        ("--rows", table.rows.is_some()),
        ("--missing drop", args.missing == Some(MissingArg::Drop)),
    ];
    if let Some((flag, _)) = unable.iter().find(|(_, given)| *given) {
        return usage_error(format!(
            "{flag} needs the whole table: leave it out, or fit without --partial and --units"
        ));
    }
    let is_imputed = args.missing == Some(MissingArg::Mean);
    let missing = if is_imputed { Missing::Mean } else { Missing::Keep };
    let declared = declarations::read(table)?;
    let options = Options { scale: table.scale, basis: table.basis, missing, ..declared };
    let options = options.for_fit(&learner.needs());
    Ok(Partial::new(learner, target, task(table.task), &options)?)
}

/// Reads a file batch by batch, and hands out the rows with a target.
fn each_table(
    file: &Path,
    target: &str,
    of_classes: &mut OfClasses<'_>,
    args: &TableArgs,
    mut add: impl FnMut(&Table) -> halfseen::Result<()>,
) -> Result<()> {
    let except = args.ignore.iter().cloned().collect();
    let mut wanted = Wanted { others: true, except, ..Wanted::default() };
    for (column, kind) in &args.kinds {
        match kind {
            DeclaredKind::Category => wanted.texts.insert(column.clone()),
            DeclaredKind::Number => wanted.numbers.insert(column.clone()),
            DeclaredKind::Date => {
                return usage_error(format!(
                    "--as {}=date needs the whole table: leave the column out by --ignore, or fit without --partial",
                    short(column)
                ));
            }
        };
    }
    let mut with_target = WithTarget::default();
    let read = stream::read(file, &args.read, &wanted, args.quiet, Take::Batches, |read, rows| {
        args.ignore.iter().try_for_each(|name| read.left_out(&rows.table, name))?;
        read.column(&rows.table, target)?;
        refuse_dates(&rows.table, target, args)?;
        let (table, numbers) = of_classes.keep(rows.table, rows.numbers, target)?;
        let (table, _) = with_target.keep(table, numbers, target)?;
        Ok(add(&table)?)
    })?;
    with_target.check(target, &read.name, args.quiet)
}

/// Refuses columns of dates, which are attributes only if they are declared.
fn refuse_dates(table: &Table, target: &str, args: &TableArgs) -> Result<()> {
    let is_open = |name: &str| {
        name != target
            && !args.ignore.iter().any(|own| own == name)
            && !args.kinds.iter().any(|(own, _)| own == name)
    };
    for column in table.columns().iter().filter(|column| is_open(&column.name)) {
        if let Some(Finding::Dates { .. }) = Finding::of(table, column) {
            let name = short(&column.name);
            return usage_error(format!(
                "column '{name}' holds dates; leave it out by --ignore {name}, or learn from each date by --as {name}=category"
            ));
        }
    }
    Ok(())
}

/// Merges sums, and fits.
pub(crate) fn merge(args: &MergeArgs) -> Result<ExitCode> {
    let inputs: Vec<&Path> = args.parts.iter().map(std::path::PathBuf::as_path).collect();
    for (flag, path) in [("--out", &args.out), ("--partial", &args.partial)] {
        path.as_deref().map_or(Ok(()), |path| output::check_writable(flag, path, &inputs))?;
    }
    let mut all: Option<Partial> = None;
    for path in inputs {
        let place = || path.display().to_string();
        let sums = sums_in(path).with_context(place)?;
        match &mut all {
            None => all = Some(sums),
            Some(all) => all.merge(sums).with_context(place)?,
        }
    }
    let Some(all) = all else { return usage_error("there is nothing to merge") };
    if let Some(out) = &args.partial {
        write(&all, out)?;
        tell(&all, out, (args.json, args.quiet))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(out) = &args.out else { return usage_error("--out or --partial is needed") };
    let progress = Progress::new("fitting", args.quiet);
    let model = all.finish(&progress)?;
    drop(progress);
    save(&model, out, (args.json, args.quiet))
}

/// Writes a model, and says what was fitted.
fn save(model: &Model, out: &Path, (json, quiet): (bool, bool)) -> Result<ExitCode> {
    output::write_file(out, &format!("{}\n", model.to_json()?))?;
    let summary = fitted::summary(model, json, false, None, out)?;
    fitted::tell(&summary, out, json, quiet)?;
    fitted::remark_on(model, quiet);
    Ok(ExitCode::SUCCESS)
}

fn write(partial: &Partial, out: &Path) -> Result<()> {
    output::write_file(out, &format!("{}\n", partial.to_json()?))
}

fn sums_in(path: &Path) -> Result<Partial> {
    let text = std::fs::read_to_string(path)?;
    Ok(Partial::from_json(&text)?)
}

/// Says what sums hold.
fn tell(partial: &Partial, out: &Path, (json, quiet): (bool, bool)) -> Result<()> {
    let parts: Vec<&str> = partial.parts().collect();
    if json {
        let said =
            json!({"parts": parts, "rows": partial.rows(), "partial": out.display().to_string()});
        return output::print(&format!("{said:#}\n"));
    }
    if quiet {
        return Ok(());
    }
    let learner = partial.learner()?;
    let file = out.display();
    let again = |out| format!("the same once more, with --units {file} and {out}");
    let next = match partial.next_pass() {
        NextPass::Features => again("another --partial"),
        NextPass::Stream => again("--out model.json instead of --partial"),
        NextPass::None => format!("halfseen merge {file} --out model.json"),
    };
    let rows = vec![
        ("learner", Some(learner.name().to_owned())),
        ("parts", Some(counted(parts.len() as u64, "part", "parts"))),
        ("rows", Some(grouped(partial.rows()))),
        ("sums", Some(file.to_string())),
        ("next", Some(next)),
    ];
    output::show(&output::labelled(14, rows))
}
