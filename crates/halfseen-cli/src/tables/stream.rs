//! Gives the rows of a file to a saved model, or to sums, batch by batch, so that memory does not grow
//! with it.

use crate::args::ReadArgs;
use crate::terminal::output;
use crate::terminal::progress::Progress;
use anyhow::{Context, Result};
use halfseen::data::{Column, Table};
use halfseen::error::nearest;
use halfseen::model::Model;
use halfseen::prepare::{Applied, ColumnKind};
use halfseen::{ErrorKind, Monitor};
use halfseen_io::{Batches, Source, Wanted};
use std::path::Path;

/// Some rows of a file.
pub(crate) struct Rows {
    pub(crate) table: Table,
    /// Numbers of the rows in the file, from 0.
    pub(crate) numbers: Vec<usize>,
}

/// Differences between the batches of a file and the model.
pub(crate) struct Read {
    /// Name of the file in messages.
    pub(crate) name: String,
    applied: Applied,
}

impl Read {
    /// Adds the differences of a batch.
    pub(crate) fn add(&mut self, batch: Applied) {
        let Applied { ignored, absent, new_categories, missing } = &mut self.applied;
        for name in batch.ignored {
            if !ignored.contains(&name) {
                ignored.push(name);
            }
        }
        *absent = batch.absent;
        *new_categories += batch.new_categories;
        *missing += batch.missing;
    }

    /// Returns a column of a batch; the error names all columns of the file.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownColumn`].
    pub(crate) fn column<'t>(&self, table: &'t Table, name: &str) -> Result<&'t Column> {
        if let Some(column) = table.columns().iter().find(|column| column.name == name) {
            return Ok(column);
        }
        let mut known: Vec<String> = table.columns().iter().map(|c| c.name.clone()).collect();
        known.extend(self.applied.ignored.iter().cloned());
        let nearest = nearest(name, &known);
        let kind = ErrorKind::UnknownColumn { name: name.to_owned(), nearest, known };
        Err(halfseen::Error::from(kind).into())
    }

    /// Refuses the name of a column that was to be left out and is not there.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownColumn`].
    pub(crate) fn left_out(&self, table: &Table, name: &str) -> Result<()> {
        if self.applied.ignored.iter().any(|own| own == name) {
            return Ok(());
        }
        self.column(table, name).map(drop).context("--ignore")
    }

    /// Remarks on unused and absent columns except `expected` ones, and on new categories.
    pub(crate) fn remark(&self, expected: &[Option<&str>], quiet: bool) {
        output::remark_on(&self.applied, expected, quiet);
    }
}

/// Returns the columns that a model needs.
pub(crate) fn wanted(model: &Model) -> Wanted {
    let mut wanted = Wanted::default();
    for column in &model.prepare.schema.columns {
        // Dates are read as they are written.
        let number = column.kind == ColumnKind::Number && column.date.is_none();
        let names = if number { &mut wanted.numbers } else { &mut wanted.texts };
        names.insert(column.name.clone());
    }
    wanted
}

/// Rows of a file that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Take {
    /// All, in batches.
    Batches,
    /// All, at once.
    Whole,
    /// Only so many of the first ones, in batches.
    First(usize),
}

impl Take {
    /// Takes all at once, or in batches.
    pub(crate) fn whole(whole: bool) -> Take {
        if whole { Take::Whole } else { Take::Batches }
    }
}

/// Reads the wanted columns of a file, or of standard input (`-`), and calls `each` with every
/// batch of rows. Remarks on how the file was read.
pub(crate) fn read(
    path: &Path,
    args: &ReadArgs,
    wanted: &Wanted,
    quiet: bool,
    take: Take,
    mut each: impl FnMut(&mut Read, Rows) -> Result<()>,
) -> Result<Read> {
    let (source, name) = match output::is_standard(path) {
        true => (Source::stdin(), "standard input".to_owned()),
        false => (Source::path(path), path.display().to_string()),
    };
    let source = source.rewindable()?;
    let (batches, remarks) = Batches::open(&source, &args.options(), wanted)?;
    let (mut batches, most) = match take {
        Take::Batches => (batches, usize::MAX),
        Take::Whole => (batches.of_rows(usize::MAX), usize::MAX),
        Take::First(rows) => (batches.up_to_rows(rows), rows),
    };
    remarks.iter().for_each(|said| output::remark(quiet, &format!("remark: {name}: {said}")));
    let applied = Applied { ignored: batches.left_out().to_vec(), ..Applied::default() };
    let mut read = Read { name, applied };
    let progress = Progress::new("reading", quiet);
    while let Some(batch) = batches.next_batch()? {
        let mut table = batch.rows;
        if table.rows() > most - batch.before {
            table = table.select_rows(&(0..most - batch.before).collect::<Vec<_>>());
        }
        let end = batch.before + table.rows();
        let numbers = (batch.before..end).collect();
        each(&mut read, Rows { table, numbers }).with_context(|| read.name.clone())?;
        if let Some((done, total)) = batches.progress() {
            progress.progress(done.min(total), total);
        }
        if end >= most {
            break;
        }
    }
    Ok(read)
}
