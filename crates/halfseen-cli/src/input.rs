//! Reads the data of a command: the table, its target, and how it is to be prepared.

use crate::args::{MissingArg, ScaleArg, TableArgs, TaskArg};
use crate::digits;
use crate::failure::usage_error;
use anyhow::{Context, Result};
use halfseen::data::{Cell, Matrix, Table, Target, Task};
use halfseen::prepare::{Missing, Options, Scale};
use halfseen_io::{CsvOptions, Data, IdxData, read_csv, read_data};
use std::collections::BTreeMap;
use std::path::Path;

/// A table and its target.
pub(crate) struct Input {
    /// What to call the data in results and messages.
    pub(crate) name: String,
    pub(crate) table: Table,
    pub(crate) target_name: String,
    pub(crate) target: Target,
    /// Rows left out because a cell was missing.
    pub(crate) dropped: usize,
}

/// Reads a file, a folder of IDX files, or without a path the digits that ship.
pub(crate) fn read_table(path: Option<&Path>) -> Result<(String, Table)> {
    let Some(path) = path else {
        return Ok(("digits 3 and 5 of MNIST".into(), images(digits::read()?)?));
    };
    let table = match read_data(path)? {
        Data::Table(table) => table,
        Data::Images(data) => images(data)?,
    };
    Ok((path.display().to_string(), table))
}

fn images(data: IdxData) -> Result<Table> {
    let names = data.attribute_names();
    let labels = data.labels.iter().map(|&l| f64::from(l)).collect();
    Ok(Table::from_matrix(Matrix::U8(data.images), names)?.with_column("label", labels)?)
}

/// Reads the table and its target for a command that learns.
pub(crate) fn read(path: Option<&Path>, target: Option<&str>, missing: MissingArg, args: &TableArgs) -> Result<Input> {
    let (name, table) = read_table(path)?;
    let target_name = match target {
        Some(name) => name.to_owned(),
        None if table.column("label").is_ok() && matches!(table.numbers(), Matrix::U8(_)) => "label".into(),
        None => {
            let names: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
            return usage_error(format!(
                "{name}: which column is the target? Name it with --target; the columns are: {}",
                halfseen::error::list(&names)
            ));
        }
    };
    let place = || name.clone();
    table.refuse_infinite().with_context(place)?;
    let table = keep_classes(table, &target_name, &args.classes).with_context(place)?;
    let target = Target::read(&table, &target_name, task(args.task)).with_context(place)?;
    let (table, target, dropped) = match missing {
        MissingArg::Mean => (table, target, 0),
        MissingArg::Drop => drop_incomplete(table, target, &target_name, &args.ignore)?,
        MissingArg::Refuse => {
            refuse_missing(&table, &args.ignore).with_context(place)?;
            (table, target, 0)
        }
    };
    Ok(Input { name, table, target_name, target, dropped })
}

fn task(task: TaskArg) -> Option<Task> {
    match task {
        TaskArg::Auto => None,
        TaskArg::Regression => Some(Task::Regression),
        TaskArg::Classification => Some(Task::Classification),
    }
}

/// How the table is prepared; `honest` leaves unread cells alone.
pub(crate) fn options(args: &TableArgs, missing: MissingArg, intercept: bool, honest: bool) -> Result<Options> {
    let scale = args.scale.map(|scale| match scale {
        ScaleArg::None => Scale::None,
        ScaleArg::Common => Scale::Common,
        ScaleArg::Each => Scale::Each,
    });
    if honest && args.bounds.is_none() && matches!(scale, Some(Scale::Each)) {
        return usage_error(
            "--scale each needs the attributes' ranges, and an honest fit does not look at unread cells; declare them with --bounds FILE",
        );
    }
    Ok(Options {
        scale,
        intercept,
        except: args.ignore.clone(),
        known: args.known.clone(),
        groups: Vec::new(),
        bounds: args.bounds.as_deref().map_or(Ok(BTreeMap::new()), read_bounds)?,
        missing: if missing == MissingArg::Mean { Missing::Mean } else { Missing::Keep },
        honest,
    })
}

/// Reads declared ranges: a CSV with the columns attribute, low, high.
fn read_bounds(path: &Path) -> Result<BTreeMap<String, (f64, f64)>> {
    let table = read_csv(path, &CsvOptions::default())?;
    let place = || path.display().to_string();
    let columns = ["attribute", "low", "high"].map(|name| table.column(name).cloned());
    let [attribute, low, high] = columns;
    let (attribute, low, high) = (attribute.with_context(place)?, low.with_context(place)?, high.with_context(place)?);
    let mut bounds = BTreeMap::new();
    for row in 0..table.rows() {
        let name = match table.cell(row, &attribute) {
            Cell::Text(text) => text.to_owned(),
            Cell::Number(number) => number.to_string(),
            Cell::Missing => return usage_error(format!("{}: row {}: the attribute is missing", place(), row + 1)),
        };
        let (Cell::Number(low), Cell::Number(high)) = (table.cell(row, &low), table.cell(row, &high)) else {
            return usage_error(format!("{}: row {}: low and high must be numbers", place(), row + 1));
        };
        bounds.insert(name, (low, high));
    }
    Ok(bounds)
}

/// Keeps the rows whose target is one of the named classes.
fn keep_classes(table: Table, target: &str, classes: &[String]) -> Result<Table> {
    if classes.is_empty() {
        return Ok(table);
    }
    let column = table.column(target)?;
    let text = |row| match table.cell(row, column) {
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => text.to_owned(),
        Cell::Missing => String::new(),
    };
    let rows: Vec<String> = (0..table.rows()).map(text).collect();
    if let Some(absent) = classes.iter().find(|c| !rows.contains(c)) {
        let mut seen: Vec<&String> = rows.iter().filter(|r| !r.is_empty()).collect();
        seen.sort_unstable();
        seen.dedup();
        return usage_error(format!(
            "--classes: no row has target '{}'; column '{}' holds: {}",
            halfseen::error::short(absent),
            halfseen::error::short(target),
            halfseen::error::list(&seen)
        ));
    }
    let keep: Vec<usize> = (0..rows.len()).filter(|&r| classes.contains(&rows[r])).collect();
    Ok(table.select_rows(&keep))
}

/// The first missing cell of a row, outside ignored columns.
fn missing_in<'t>(table: &'t Table, row: usize, ignore: &[String]) -> Option<&'t str> {
    let attributes = table.columns().iter().filter(|c| !ignore.contains(&c.name));
    attributes.into_iter().find(|c| table.cell(row, c) == Cell::Missing).map(|c| c.name.as_str())
}

fn refuse_missing(table: &Table, ignore: &[String]) -> Result<()> {
    if matches!(table.numbers(), Matrix::U8(_)) {
        return Ok(());
    }
    let first = (0..table.rows()).find_map(|row| missing_in(table, row, ignore).map(|column| (row, column)));
    let Some((row, column)) = first else { return Ok(()) };
    let kind = halfseen::ErrorKind::MissingCell { row: row + 1, column: column.to_owned() };
    Err(halfseen::Error::from(kind).into())
}

fn drop_incomplete(table: Table, target: Target, name: &str, ignore: &[String]) -> Result<(Table, Target, usize)> {
    let keep: Vec<usize> = (0..table.rows()).filter(|&row| missing_in(&table, row, ignore).is_none()).collect();
    let dropped = table.rows() - keep.len();
    if dropped == 0 {
        return Ok((table, target, 0));
    }
    let table = table.select_rows(&keep);
    let target = Target::read(&table, name, Some(target.task()))?;
    Ok((table, target, dropped))
}
