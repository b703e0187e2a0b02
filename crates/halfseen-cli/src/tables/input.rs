//! Reads the data of a command: the table, its target, and the options of its preparation.

use crate::args::{MissingArg, TableArgs, TaskArg};
use crate::tables::drawn::{self, Taken};
use crate::tables::files::target_name;
use crate::tables::kept_rows::{keep_classes, with_targets};
use crate::tables::{declarations, text_columns};
use crate::terminal::failure::usage_error;
use crate::terminal::output;
use anyhow::{Context, Result};
use halfseen::data::{Cell, Column, Place, Table, Target, Task};
use halfseen::error::{list, short};
use halfseen::learner::Learner;
use halfseen::model::Outside;
use halfseen::prepare::{Missing, Options};
use halfseen::select::named;
use halfseen::{ErrorKind, registry};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A table and its target.
pub(crate) struct Input {
    /// Name of the data in results and messages.
    pub(crate) name: String,
    pub(crate) table: Table,
    pub(crate) target_name: String,
    pub(crate) target: Target,
    /// Number of each row in the file, from 0: some rows may have been left out.
    pub(crate) numbers: Vec<usize>,
    /// Number of rows left out because a cell was missing.
    pub(crate) dropped: usize,
    /// Columns of dates that are attributes, with the form of their dates.
    pub(crate) dates: BTreeMap<String, String>,
}

/// Reads the table and its target for a command that learns.
///
/// `group` is a column that is not an attribute.
pub(crate) fn read(
    path: Option<&Path>,
    target: Option<&str>,
    group: Option<&str>,
    missing: MissingArg,
    args: &TableArgs,
) -> Result<Input> {
    let Taken { name, table, numbers } = drawn::read(path, target, args)?;
    let target_name = target_name(&table, target, &name)?;
    let place = || name.clone();
    check_names(&table, &target_name, group, args).with_context(place)?;
    let not: Vec<&str> = [&*target_name]
        .into_iter()
        .chain(args.ignore.iter().map(String::as_str))
        .chain(group)
        .collect();
    let declared = declarations::read(args)?;
    declarations::check_names(&table, &not, args, &declared).with_context(place)?;
    table.refuse_infinite().with_context(place)?;
    let (table, numbers) =
        keep_classes(table, numbers, &target_name, &args.classes).with_context(place)?;
    text_columns::refuse_numbers_as_classes(&table, &target_name, &numbers).with_context(place)?;
    let (table, numbers) = with_targets(table, numbers, &target_name, &name, args.quiet)?;
    let target = Target::read(&table, &target_name, task(args.task)).with_context(place)?;
    let settled = text_columns::settle(table, &name, &not, &args.kinds, &numbers, args.quiet);
    let (table, dates) = settled.with_context(place)?;
    declarations::check_taken(&table, args, &declared).with_context(place)?;
    let name_of_input = name.clone();
    let mut input =
        Input { name: name_of_input, table, target_name, target, numbers, dropped: 0, dates };
    match missing {
        MissingArg::Mean | MissingArg::Observed => {}
        MissingArg::Drop => input
            .keep(&complete(&input.table, &args.ignore).with_context(place)?)
            .with_context(place)?,
        MissingArg::Refuse => {
            refuse_missing(&input.table, &args.ignore, &input.numbers).with_context(place)?
        }
    }
    Ok(input)
}

impl Input {
    /// Describes the values outside their declared bounds, with the first one.
    pub(crate) fn outside_bounds(&self, count: u64, first: &Option<Outside>) -> Option<String> {
        let first = first.as_ref()?;
        let row = self.numbers[first.row as usize - 1] + 1;
        Some(format!(
            "values read outside their declared bounds: {count} (first: row {row}, column '{}': {}, declared {} to {}). The theorems assume that all scaled values are within their bounds: the learner works, but the excess error is no longer guaranteed; widen the bounds, or correct the values",
            short(&first.column),
            first.value,
            first.low,
            first.high
        ))
    }

    /// Keeps these rows only.
    fn keep(&mut self, rows: &[usize]) -> Result<()> {
        self.dropped = self.table.rows() - rows.len();
        self.table = self.table.select_rows(rows);
        self.numbers = rows.iter().map(|&row| self.numbers[row]).collect();
        self.target = Target::read(&self.table, &self.target_name, Some(self.target.task()))?;
        Ok(())
    }
}

impl Input {
    /// Refuses a target that a learner cannot learn, before any work is done.
    pub(crate) fn check_classes(&self, learner: &dyn Learner) -> Result<()> {
        let classes = self.target.classes();
        let checked = registry::check_classes(learner, classes.len()).map_err(|error| {
            match named(error, &self.target_name).kind() {
                // A learner knows only the number of classes.
                ErrorKind::WrongTarget { column, problem } => {
                    let names: Vec<String> = classes.iter().map(ToString::to_string).collect();
                    let count = format!("{} classes", classes.len());
                    let problem =
                        problem.replacen(&count, &format!("{count} ({})", list(&names)), 1);
                    halfseen::Error::from(ErrorKind::WrongTarget {
                        column: column.clone(),
                        problem,
                    })
                }
                other => other.clone().into(),
            }
        });
        checked.with_context(|| self.name.clone())
    }
}

impl Input {
    /// Remarks on a target of few whole numbers, which is treated as numeric and may hold class
    /// codes.
    pub(crate) fn remark_on_codes(&self, args: &TableArgs) {
        let Target::Numbers(values) = &self.target else { return };
        let whole = values.iter().all(|v| v.fract() == 0.0);
        let distinct: BTreeSet<u64> =
            values.iter().take_while(|_| whole).map(|v| v.to_bits()).collect();
        let few = distinct.len() <= CODES && 5 * distinct.len() <= values.len();
        if args.task == TaskArg::Auto && whole && few {
            let text = format!(
                "remark: the target has {} distinct whole numbers and is treated as numeric; if they are class codes, use --task classification",
                distinct.len()
            );
            output::remark(args.quiet, &text);
        }
    }
}

/// Refuses names of absent columns, and the target as an attribute.
fn check_names(table: &Table, target: &str, group: Option<&str>, args: &TableArgs) -> Result<()> {
    table.column(target).context("--target")?;
    let flags = [("--ignore", &args.ignore[..]), ("--known", &args.known[..])];
    let named = flags
        .into_iter()
        .flat_map(|(flag, names)| names.iter().map(move |name| (flag, name.as_str())));
    for (flag, name) in named.chain(group.map(|name| ("--group", name))) {
        table.column(name).context(flag)?;
        if name == target {
            return usage_error(format!(
                "{flag}: column '{}' is the target; name another",
                short(name)
            ));
        }
    }
    if let Some(both) = args.known.iter().find(|name| args.ignore.contains(name)) {
        return usage_error(format!(
            "column '{}' is named by --known and by --ignore; choose one",
            short(both)
        ));
    }
    Ok(())
}

/// Maximum number of distinct whole numbers that may be class codes.
const CODES: usize = 20;

pub(crate) fn task(task: TaskArg) -> Option<Task> {
    match task {
        TaskArg::Auto => None,
        TaskArg::Regression => Some(Task::Regression),
        TaskArg::Classification => Some(Task::Classification),
    }
}

/// Returns the options of the preparation; `honest` leaves unread cells alone.
pub(crate) fn options(
    input: &Input,
    args: &TableArgs,
    missing: MissingArg,
    intercept: bool,
    honest: bool,
) -> Result<Options> {
    Ok(Options {
        scale: args.scale,
        basis: args.basis,
        intercept,
        except: args.ignore.clone(),
        known: args.known.clone(),
        missing: if missing == MissingArg::Mean { Missing::Mean } else { Missing::Keep },
        honest,
        dates: input.dates.clone(),
        ..declarations::read(args)?
    })
}

/// Restores a row's number in the file, if the library saw only some of the rows.
pub(crate) fn renumbered(error: halfseen::Error, numbers: &[usize]) -> halfseen::Error {
    let mut kind = error.kind().clone();
    if let ErrorKind::WrongCell { row, .. }
    | ErrorKind::MissingCell { row, .. }
    | ErrorKind::NotFinite { row, .. }
    | ErrorKind::TooLarge { row, .. } = &mut kind
    {
        *row = numbers.get(row.wrapping_sub(1)).map_or(*row, |number| number + 1);
    }
    kind.into()
}

/// Returns the first missing cell of a row, outside ignored columns.
fn missing_in<'t>(table: &'t Table, row: usize, ignore: &[String]) -> Option<&'t str> {
    let attributes = table.columns().iter().filter(|c| !ignore.contains(&c.name));
    attributes.into_iter().find(|c| table.cell(row, c) == Cell::Missing).map(|c| c.name.as_str())
}

/// Returns true if no stored cell is missing; most cells of sparse tables are not stored.
fn is_whole(table: &Table) -> bool {
    let whole = |column: &Column| match column.place {
        Place::Text(at) => {
            let text = table.text(at);
            text.codes.iter().all(|&code| (code as usize) < text.levels.len())
        }
        _ => true,
    };
    table.numbers().missing() == 0 && table.columns().iter().all(whole)
}

fn refuse_missing(table: &Table, ignore: &[String], numbers: &[usize]) -> Result<()> {
    if is_whole(table) {
        return Ok(());
    }
    let first = (0..table.rows())
        .find_map(|row| missing_in(table, row, ignore).map(|column| (row, column)));
    let Some((row, column)) = first else { return Ok(()) };
    let kind =
        halfseen::ErrorKind::MissingCell { row: numbers[row] + 1, column: column.to_owned() };
    Err(halfseen::Error::from(kind).into())
}

/// Returns the rows without a missing cell.
fn complete(table: &Table, ignore: &[String]) -> Result<Vec<usize>> {
    let whole = is_whole(table);
    let keep: Vec<usize> = (0..table.rows())
        .filter(|&row| whole || missing_in(table, row, ignore).is_none())
        .collect();
    if keep.is_empty() {
        return usage_error(
            "every row has a missing cell; fill them with --missing mean, or leave columns out with --ignore",
        );
    }
    Ok(keep)
}
