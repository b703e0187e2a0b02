//! Gives the rows of a file with their targets to a command, batch by batch.

use crate::args::TrialArgs;
use crate::tables::kept_rows::{OfClasses, WithTarget};
use crate::tables::stream::{self, Read, Rows, Take};
use crate::tables::test_table::target_of;
use crate::terminal::failure::usage_error;
use anyhow::Result;
use halfseen::data::{Label, Table, Target, Task};
use halfseen::model::Model;
use halfseen_io::Wanted;

/// Some rows of a file with their targets.
pub(crate) struct Labelled {
    pub(crate) table: Table,
    /// Numbers of the rows in the file, from 0.
    pub(crate) numbers: Vec<usize>,
    pub(crate) target: Target,
}

/// Reads the rows that have a target, of the classes that are asked for, and calls `each` with every
/// batch of them; with all at once if they are wanted whole.
///
/// # Errors
/// Files without such rows; those of `each`.
pub(crate) fn read(
    on: &TrialArgs,
    target: &str,
    model: &Model,
    whole: bool,
    mut each: impl FnMut(&mut Read, Labelled) -> Result<()>,
) -> Result<Read> {
    let (mut classes, mut with) = (OfClasses::new(&on.classes), WithTarget::default());
    let mut rows = 0;
    let wanted = wanted(model, target);
    let read =
        stream::read(&on.data, &on.read, &wanted, on.quiet, Take::whole(whole), |read, batch| {
            let Rows { table, numbers } = batch;
            read.column(&table, target)?;
            let (table, numbers) = classes.keep(table, numbers, target)?;
            let (table, numbers) = with.keep(table, numbers, target)?;
            if table.rows() == 0 {
                return Ok(());
            }
            rows += table.rows();
            let target = target_of(model.task, &model.classes, &table, target, &numbers)?;
            each(read, Labelled { table, numbers, target })
        })?;
    classes.check(target)?;
    with.check(target, &read.name, on.quiet)?;
    if rows == 0 {
        return usage_error(format!("{}: there are no rows", read.name));
    }
    Ok(read)
}

/// Returns the columns that a model needs, and its target. Labels that are numbers are read as
/// numbers: they may be written otherwise.
pub(crate) fn wanted(model: &Model, target: &str) -> Wanted {
    let mut wanted = stream::wanted(model);
    let number = |label: &Label| matches!(label, Label::Number(_));
    let numbers = model.task == Task::Regression || model.classes.iter().all(number);
    let names = if numbers { &mut wanted.numbers } else { &mut wanted.texts };
    names.insert(target.to_owned());
    wanted
}
