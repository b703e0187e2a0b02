//! States what is to be learned: a table, its target, and how learners get both.

use crate::data::{Table, Target};
use crate::error::{ErrorKind, Result};
use crate::learner::Learner;
use crate::prepare::{Options, Prepared};
use crate::registry;

/// A table, its target, and how both are prepared.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The table.
    pub table: &'a Table,
    /// The name of the target column.
    pub target_name: &'a str,
    /// The target.
    pub target: &'a Target,
    /// For each row the group that must not be split, where there are groups.
    pub groups: Option<&'a [u32]>,
    /// How the table is prepared.
    pub options: &'a Options,
    /// Rows of another table to test on; every row of `table` then trains. `None`: each split keeps
    /// some of the table's own rows for the test.
    pub test: Option<Test<'a>>,
}

/// Rows that test and never train.
#[derive(Debug, Clone, Copy)]
pub struct Test<'a> {
    /// The table; its columns are matched by name.
    pub table: &'a Table,
    /// Its target, with the classes of the training table's.
    pub target: &'a Target,
}

impl Task<'_> {
    /// What a split keeps in proportion: the classes.
    pub(super) fn strata(&self) -> Option<&[u32]> {
        match self.target {
            Target::Classes { codes, .. } => Some(codes),
            Target::Numbers(_) => None,
        }
    }
}

/// One table as each learner gets it: with its holes, with its zeros where they are, or with means
/// for both.
#[derive(Debug)]
pub(super) struct Views<'a> {
    pub(super) prepared: Vec<Prepared<'a>>,
    /// For each learner an index into `prepared`.
    pub(super) of: Vec<usize>,
}

impl<'a> Views<'a> {
    /// Prepares what the learners need, fitted on these rows.
    pub(super) fn new<'l>(
        learners: impl Iterator<Item = &'l dyn Learner>,
        task: &Task<'a>,
        rows: &[u32],
    ) -> Result<Views<'a>> {
        let (mut views, mut kinds) = (Views { prepared: Vec::new(), of: Vec::new() }, Vec::new());
        for learner in learners {
            registry::check_classes(learner, task.target.classes().len())
                .map_err(|error| named(error, task.target_name))?;
            let options = task.options.suited(&learner.needs());
            let kind = (options.missing, options.uncentred, options.plain_classes, options.honest);
            let known = kinds.iter().position(|other| *other == kind);
            if known.is_none() {
                views.prepared.push(Prepared::new(
                    task.table,
                    (task.target_name, task.target),
                    rows,
                    &options,
                )?);
                kinds.push(kind);
            }
            views.of.push(known.unwrap_or(kinds.len() - 1));
        }
        Ok(views)
    }

    /// The table as the `learner`-th of them gets it.
    pub(super) fn get(&self, learner: usize) -> &Prepared<'a> {
        &self.prepared[self.of[learner]]
    }
}

/// The error with the target's name, which a learner does not know.
pub fn named(error: crate::Error, name: &str) -> crate::Error {
    match error.kind() {
        ErrorKind::WrongTarget { problem, .. } => {
            ErrorKind::WrongTarget { column: name.to_owned(), problem: problem.clone() }.into()
        }
        _ => error,
    }
}
