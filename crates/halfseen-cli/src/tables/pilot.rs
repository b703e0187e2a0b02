//! Reads the pilot of a fit: rows of an earlier table whose reads cost nothing.

use crate::args::FitArgs;
use crate::tables::files::read_table;
use crate::tables::input::Input;
use crate::terminal::output;
use anyhow::{Context, Result};
use halfseen::data::Table;
use halfseen::prepare::{Other, Prepared};
use std::path::Path;

/// The table of a pilot.
pub(crate) struct Pilot {
    /// Name of the file in messages.
    name: String,
    table: Table,
}

/// Reads a file.
pub(crate) fn read(path: &Path, args: &FitArgs) -> Result<Pilot> {
    let (name, table) =
        read_table(Some(path), &args.table.read, args.table.quiet).context("--pilot")?;
    table.refuse_infinite().with_context(|| format!("--pilot {name}"))?;
    Ok(Pilot { name, table })
}

impl Pilot {
    /// Encodes the rows like those of the table; remarks on columns that differ.
    pub(crate) fn prepared(
        &self,
        prepared: &Prepared<'_>,
        input: &Input,
        args: &FitArgs,
    ) -> Result<Other<'_>> {
        let target = &input.target_name;
        let rows = prepared.pilot(&self.table, target, &input.target);
        let rows = rows.with_context(|| format!("--pilot {}", self.name))?;
        let ignored = args.table.ignore.iter().map(|name| Some(name.as_str()));
        let expected: Vec<Option<&str>> =
            [Some(target.as_str())].into_iter().chain(ignored).collect();
        output::remark_on(&rows.applied, &expected, args.table.quiet);
        Ok(rows)
    }
}
