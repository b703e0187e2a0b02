//! Reads some rows of a file, drawn at random or the first ones, without keeping the others in memory.

use crate::args::{RowsArg, TableArgs};
use crate::tables::files::{read_table, target_name};
use crate::tables::kept_rows::{OfClasses, WithTarget};
use crate::tables::stream::{self, Rows, Take};
use crate::terminal::failure::usage_error;
use crate::terminal::format::{counted, grouped};
use crate::terminal::output;
use anyhow::{Context, Result};
use halfseen::ErrorKind;
use halfseen::data::{DeclaredKind, Drawn, Table};
use halfseen_io::Wanted;
use std::path::Path;

/// Rows of a file that are learned from.
pub(crate) struct Taken {
    /// Name of the data in results and messages.
    pub(crate) name: String,
    pub(crate) table: Table,
    /// Number of each row in the file, from 0.
    pub(crate) numbers: Vec<usize>,
}

/// Reads the rows that `--rows` asks for, all without it: of the classes of `--classes`, and with a
/// target.
pub(crate) fn read(path: Option<&Path>, target: Option<&str>, args: &TableArgs) -> Result<Taken> {
    if path.is_none() && args.rows.is_some() {
        return usage_error("--rows: the included digits are few; leave it out, or name a file");
    }
    let (Some(path), Some(wanted)) = (path, args.rows) else {
        let (name, table) = read_table(path, &args.read, args.quiet)?;
        let numbers = (0..table.rows()).collect();
        return Ok(Taken { name, table, numbers });
    };
    let (rows, take) = match wanted {
        RowsArg::Drawn(rows) => (rows, Take::Batches),
        RowsArg::First(rows) => (rows, Take::First(rows)),
    };
    let mut drawn = Drawn::new(rows, args.seed);
    let (mut of_classes, mut with_target) = (OfClasses::new(&args.classes), WithTarget::default());
    let mut name_of_target = None;
    let read = stream::read(path, &args.read, &columns(args), args.quiet, take, |read, rows| {
        let Rows { table, numbers } = rows;
        let target = match &name_of_target {
            Some(name) => name,
            None => name_of_target.insert(target_name(&table, target, &read.name)?),
        };
        table.column(target).context("--target")?;
        let (table, numbers) = of_classes.keep(table, numbers, target)?;
        let (table, numbers) = with_target.keep(table, numbers, target)?;
        Ok(drawn.add(&table, &numbers)?)
    })?;
    let target = name_of_target.unwrap_or_default();
    of_classes.check(&target)?;
    with_target.check(&target, &read.name, args.quiet)?;
    let seen = drawn.seen();
    let Some((table, numbers)) = drawn.finish()? else {
        let kind = ErrorKind::TooFewRows { what: "learning".into(), least: 2, rows: 0 };
        return Err(halfseen::Error::from(kind)).context(read.name);
    };
    let all = counted(seen as u64, "row", "rows");
    let text = match take {
        Take::First(_) => format!("{all} of the first {} are used", grouped(rows as u64)),
        _ if seen <= rows => format!("there are only {all}, and all are used"),
        _ => format!("{} drawn at random from {all}", counted(rows as u64, "row", "rows")),
    };
    output::remark(args.quiet, &format!("remark: {}: {text}", read.name));
    Ok(Taken { name: read.name, table, numbers })
}

/// Returns the columns of the file as they are wanted: all, in the kinds that --as declares.
fn columns(args: &TableArgs) -> Wanted {
    let mut wanted = Wanted { others: true, ..Wanted::default() };
    for (column, kind) in &args.kinds {
        let names = match kind {
            DeclaredKind::Number => &mut wanted.numbers,
            // Dates are read as they are written.
            DeclaredKind::Category | DeclaredKind::Date => &mut wanted.texts,
        };
        names.insert(column.clone());
    }
    wanted
}
