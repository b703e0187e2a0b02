//! Defines a learning task: a table, its target, and their preparation.

use crate::data::{Basis, Place, Table, Target, TextColumn};
use crate::error::{ErrorKind, Result};
use crate::learner::{FitSize, Learner};
use crate::prepare::{Options, Prepared};
use crate::registry;
use halfseen_core::data::KNOTS;

/// Table and target, with their preparation.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// Table.
    pub table: &'a Table,
    /// Name of the target column.
    pub target_name: &'a str,
    /// Target.
    pub target: &'a Target,
    /// Group of each row, if any; groups must not be split.
    pub groups: Option<&'a [u32]>,
    /// Preparation of the table.
    pub options: &'a Options,
    /// Test rows from another table; all rows of `table` then train. `None`: each split holds out
    /// some of the table's own rows.
    pub test: Option<Test<'a>>,
}

/// Rows for testing only.
#[derive(Debug, Clone, Copy)]
pub struct Test<'a> {
    /// Table, with columns matched by name.
    pub table: &'a Table,
    /// Target, with the classes of the training target.
    pub target: &'a Target,
}

impl Task<'_> {
    /// Returns the size of a fit to all rows, an upper bound on those to some.
    pub(super) fn size(&self) -> FitSize {
        let (table, rows) = (self.table, self.table.rows());
        let attribute = |name: &str| {
            name != self.target_name && !self.options.except.iter().any(|other| other == name)
        };
        let mut size = FitSize {
            rows,
            classes: self.target.classes().len(),
            stored: table.numbers().stored(&(0..rows as u32).collect::<Vec<u32>>()),
            held: table.numbers().bytes(),
            settings: 1,
            points: 1,
            ..FitSize::default()
        };
        for column in table.columns().iter().filter(|column| attribute(&column.name)) {
            size.panels += 1;
            let Place::Text(text) = column.place else {
                size.columns += 1;
                if self.options.basis == Basis::Hats {
                    size.columns += KNOTS - 2;
                    size.stored += (KNOTS - 2) * rows;
                    size.held += 8.0 * rows as f64;
                }
                continue;
            };
            let TextColumn { codes, levels } = table.text(text);
            let missing = codes.iter().filter(|&&code| code == TextColumn::MISSING).count();
            size.columns += levels.len();
            size.stored += rows - missing + missing.saturating_mul(levels.len());
            size.held += 4.0 * rows as f64;
        }
        size
    }

    /// Returns the classes, which a split keeps in proportion.
    pub(super) fn strata(&self) -> Option<&[u32]> {
        match self.target {
            Target::Classes { codes, .. } => Some(codes),
            Target::Numbers(_) => None,
        }
    }
}

/// Table as each learner needs it: with missing values, with sparse zeros, or with means for both.
#[derive(Debug)]
pub(super) struct Views<'a> {
    pub(super) prepared: Vec<Prepared<'a>>,
    /// Index into `prepared` for each learner.
    pub(super) of: Vec<usize>,
}

impl<'a> Views<'a> {
    /// Prepares the views that the learners need, fitted on these rows.
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

    /// Returns the view of the `learner`-th learner.
    pub(super) fn get(&self, learner: usize) -> &Prepared<'a> {
        &self.prepared[self.of[learner]]
    }
}

/// Adds the name of the target, which a learner does not know, to an error.
pub fn named(error: crate::Error, name: &str) -> crate::Error {
    match error.kind() {
        ErrorKind::WrongTarget { problem, .. } => {
            ErrorKind::WrongTarget { column: name.to_owned(), problem: problem.clone() }.into()
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Matrix;

    #[test]
    fn a_size_counts_the_functions_of_a_basis() {
        let cells = ndarray::Array2::from_shape_fn((40, 3), |(i, j)| (i * (j + 1)) as f64);
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let table = Table::from_matrix(Matrix::F64(cells), names).unwrap();
        let target = Target::Numbers(vec![1.0; 40]);
        let rows: Vec<u32> = (0..40).collect();
        for (basis, columns) in [(Basis::None, 3), (Basis::Hats, 15)] {
            let options = &Options { basis, ..Options::default() };
            let task = Task {
                table: &table,
                target_name: "y",
                target: &target,
                groups: None,
                options,
                test: None,
            };
            let prepared = Prepared::new(&table, ("y", &target), &rows, options).unwrap();
            let (size, fit) = (task.size(), FitSize::of(&prepared.examples()));
            assert_eq!((size.columns, fit.columns, fit.panels), (columns, columns, 3));
            assert!(size.stored >= fit.stored && size.held >= 8.0 * 40.0 * 3.0);
        }
    }
}
