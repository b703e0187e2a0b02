//! Keeps the rows that a command can use: those of some classes, and those with a target.

use crate::tables::text_columns;
use crate::terminal::failure::usage_error;
use crate::terminal::format::text;
use crate::terminal::output;
use anyhow::{Context, Result};
use halfseen::data::{Cell, Table};
use halfseen::error::{list, short};
use std::collections::BTreeSet;

/// Largest number of values of a target that an error lists, and of rows that a remark does.
const LISTED: usize = 100;

/// Rows whose target is one of the named classes, in parts of a table.
pub(crate) struct OfClasses<'a> {
    classes: &'a [String],
    seen: Vec<bool>,
    known: BTreeSet<String>,
}

impl<'a> OfClasses<'a> {
    /// Keeps rows of these classes, all if there are none.
    pub(crate) fn new(classes: &'a [String]) -> OfClasses<'a> {
        OfClasses { classes, seen: vec![false; classes.len()], known: BTreeSet::new() }
    }

    /// Returns the rows of a part that are kept, and their numbers, given those of all.
    pub(crate) fn keep(
        &mut self,
        table: Table,
        numbers: Vec<usize>,
        target: &str,
    ) -> Result<(Table, Vec<usize>)> {
        if self.classes.is_empty() {
            return Ok((table, numbers));
        }
        let column = table.column(target)?;
        let mut keep = Vec::new();
        for row in 0..table.rows() {
            let cell = table.cell(row, column);
            let is = |class: &String| match cell {
                Cell::Number(number) => class.trim().parse() == Ok(number),
                Cell::Text(text) => class == text,
                Cell::Missing => false,
            };
            let mut kept = false;
            for (class, seen) in self.classes.iter().zip(&mut self.seen) {
                let is = is(class);
                *seen |= is;
                kept |= is;
            }
            if kept {
                keep.push(row);
            }
            if cell != Cell::Missing && self.known.len() < LISTED {
                self.known.insert(text(cell));
            }
        }
        let numbers = keep.iter().map(|&row| numbers[row]).collect();
        Ok((table.select_rows(&keep), numbers))
    }

    /// Refuses a class that no row has.
    pub(crate) fn check(self, target: &str) -> Result<()> {
        let Some(at) = self.seen.iter().position(|seen| !seen) else { return Ok(()) };
        let known: Vec<String> = self.known.into_iter().collect();
        usage_error(format!(
            "--classes: no row has target '{}'; column '{}' holds: {}",
            short(&self.classes[at]),
            short(target),
            list(&known)
        ))
    }
}

/// Keeps the rows whose target is one of the named classes, and returns their numbers, given those
/// of all.
pub(crate) fn keep_classes(
    table: Table,
    numbers: Vec<usize>,
    target: &str,
    classes: &[String],
) -> Result<(Table, Vec<usize>)> {
    let mut kept = OfClasses::new(classes);
    let rows = kept.keep(table, numbers, target)?;
    kept.check(target)?;
    Ok(rows)
}

/// Rows with a target, in parts of a table.
#[derive(Default)]
pub(crate) struct WithTarget {
    rows: usize,
    without: usize,
    /// The first of those without.
    first: Vec<usize>,
}

impl WithTarget {
    /// Returns the rows of a part that have a target, and their numbers, given those of all.
    pub(crate) fn keep(
        &mut self,
        table: Table,
        numbers: Vec<usize>,
        target: &str,
    ) -> Result<(Table, Vec<usize>)> {
        let column = table.column(target)?;
        let (without, with): (Vec<usize>, Vec<usize>) =
            (0..table.rows()).partition(|&row| table.cell(row, column) == Cell::Missing);
        self.rows += table.rows();
        if without.is_empty() {
            return Ok((table, numbers));
        }
        self.without += without.len();
        let more = LISTED.saturating_sub(self.first.len());
        self.first.extend(without.iter().take(more).map(|&row| numbers[row]));
        let numbers = with.iter().map(|&row| numbers[row]).collect();
        Ok((table.select_rows(&with), numbers))
    }

    /// Remarks on the rows that were left out, and refuses a column that is missing in all.
    pub(crate) fn check(self, target: &str, name: &str, quiet: bool) -> Result<()> {
        if self.without == 0 {
            return Ok(());
        }
        if self.without == self.rows {
            return usage_error(format!(
                "{name}: target column '{}' is missing in all {} rows; is it the right column?",
                short(target),
                self.rows
            ));
        }
        output::remark(
            quiet,
            &format!(
                "remark: {name}: rows without a target ('{}') that are left out: {} ({})",
                short(target),
                self.without,
                text_columns::listed(&self.first)
            ),
        );
        Ok(())
    }
}

/// Leaves out the rows without a target, and remarks on them. `numbers` are those of the rows in the
/// file, from 0.
pub(crate) fn with_targets(
    table: Table,
    numbers: Vec<usize>,
    target: &str,
    name: &str,
    quiet: bool,
) -> Result<(Table, Vec<usize>)> {
    let mut kept = WithTarget::default();
    let rows = kept.keep(table, numbers, target).with_context(|| name.to_owned())?;
    kept.check(target, name, quiet)?;
    Ok(rows)
}
