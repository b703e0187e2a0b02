//! Reads a second table of test rows.

use crate::args::{CompareArgs, MissingArg};
use crate::tables::files::read_table;
use crate::tables::input::Input;
use crate::tables::kept_rows::with_targets;
use crate::terminal::failure::usage_error;
use crate::terminal::format::text;
use crate::terminal::output;
use anyhow::{Context, Result};
use halfseen::data::{Cell, Column, Label, Table, Target, Task, missing_target};
use halfseen::error::{list, short};
use halfseen::prepare::Schema;
use halfseen::select::Test;
use std::path::Path;

pub(crate) struct TestTable {
    pub(crate) name: String,
    table: Table,
    target: Target,
}

impl TestTable {
    /// Reads a file for a comparison on `input`, whose rows were fitted by `schema`.
    pub(crate) fn read(
        path: &Path,
        args: &CompareArgs,
        input: &Input,
        schema: &Schema,
    ) -> Result<TestTable> {
        let (name, table) = read_table(Some(path), &args.table.read, args.table.quiet)?;
        let rows = (0..table.rows()).collect();
        let (table, rows) = with_targets(table, rows, &input.target_name, &name, args.table.quiet)?;
        let test =
            Self::of(table, name.clone(), &rows, args, input, schema).with_context(|| name)?;
        let applied = schema.encode(&test.table).with_context(|| test.name.clone())?.applied;
        let ignored: Vec<Option<&str>> =
            args.table.ignore.iter().map(|n| Some(n.as_str())).collect();
        let expected = [vec![Some(input.target_name.as_str())], ignored].concat();
        output::remark_on(&applied, &expected, args.table.quiet);
        Ok(test)
    }

    fn of(
        table: Table,
        name: String,
        of_file: &[usize],
        args: &CompareArgs,
        input: &Input,
        schema: &Schema,
    ) -> Result<TestTable> {
        let column = table.column(&input.target_name)?.clone();
        table.refuse_infinite()?;
        let classes = &args.table.classes;
        let is = |row: usize| match table.cell(row, &column) {
            Cell::Number(number) => classes.iter().any(|class| class.trim().parse() == Ok(number)),
            Cell::Text(text) => classes.iter().any(|class| class == text),
            Cell::Missing => false,
        };
        let mut numbers: Vec<usize> =
            (0..table.rows()).filter(|&row| classes.is_empty() || is(row)).collect();
        if matches!(args.missing, MissingArg::Drop | MissingArg::Refuse) {
            let named =
                schema.columns.iter().map(|c| (c.name.as_str(), table.column(&c.name).ok()));
            let columns: Vec<(&str, Option<&Column>)> = named.collect();
            // The first missing attribute of a row; an absent column is missing in every row.
            let holes = |row: usize| {
                let missing = |column: &Option<&Column>| {
                    column.is_none_or(|c| table.cell(row, c) == Cell::Missing)
                };
                columns.iter().find(|(_, column)| missing(column)).map(|(name, _)| *name)
            };
            if args.missing == MissingArg::Drop {
                numbers.retain(|&row| holes(row).is_none());
            } else if let Some((row, column)) =
                numbers.iter().find_map(|&row| holes(row).map(|c| (row, c)))
            {
                let kind = halfseen::ErrorKind::MissingCell {
                    row: of_file[row] + 1,
                    column: column.to_owned(),
                };
                return Err(halfseen::Error::from(kind).into());
            }
        }
        if numbers.is_empty() {
            return usage_error(
                "no row is left to test on; test rows must be of the chosen classes and without missing cells",
            );
        }
        let table = if numbers.len() < table.rows() { table.select_rows(&numbers) } else { table };
        let target = target_of(
            input.target.task(),
            input.target.classes(),
            &table,
            &input.target_name,
            &numbers.iter().map(|&row| of_file[row]).collect::<Vec<_>>(),
        )?;
        Ok(TestTable { name, table, target })
    }

    pub(crate) fn rows(&self) -> usize {
        self.table.rows()
    }

    pub(crate) fn as_test(&self) -> Test<'_> {
        Test { table: &self.table, target: &self.target }
    }
}

/// Returns a target in given classes; unlike training data, test rows may all be of one class.
/// `numbers` are the rows' numbers in the file, from 0.
pub(crate) fn target_of(
    task: Task,
    classes: &[Label],
    table: &Table,
    name: &str,
    numbers: &[usize],
) -> Result<Target> {
    let column = table.column(name)?;
    let mut values = Vec::new();
    let mut codes = Vec::new();
    for (row, number) in numbers.iter().enumerate() {
        let label = match table.cell(row, column) {
            Cell::Missing => {
                let count =
                    (row..table.rows()).filter(|&r| table.cell(r, column) == Cell::Missing).count();
                return Err(missing_target(name, number + 1, count).into());
            }
            Cell::Number(number) => Label::Number(number),
            Cell::Text(text) => Label::Text(text.to_owned()),
        };
        match (task, label) {
            (Task::Regression, Label::Number(number)) => values.push(number),
            (Task::Regression, Label::Text(_)) => {
                return usage_error(format!(
                    "column '{}' holds text, but the model estimates a number",
                    short(name)
                ));
            }
            (Task::Classification, label) => match classes.iter().position(|c| same(c, &label)) {
                Some(code) => codes.push(code as u32),
                None => {
                    let classes: Vec<String> = classes.iter().map(ToString::to_string).collect();
                    return usage_error(format!(
                        "row {}: target '{}' is not one of the model's classes ({}); --classes keeps the rows of some classes only",
                        number + 1,
                        short(&text(table.cell(row, column))),
                        list(&classes)
                    ));
                }
            },
        }
    }
    Ok(match task {
        Task::Regression => Target::Numbers(values),
        Task::Classification => Target::Classes { classes: classes.to_vec(), codes },
    })
}

/// Compares labels as text: a text column in training may hold only numbers here.
fn same(a: &Label, b: &Label) -> bool {
    a == b || a.to_string() == b.to_string()
}
