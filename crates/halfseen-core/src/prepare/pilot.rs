//! Encodes the rows of a pilot, an earlier table whose targets may be missing.

use super::encoder::in_range;
use super::{Encoded, Other, Prepared};
use crate::data::{Cell, Label, Table, Target};
use crate::error::{ErrorKind, Result, list, short};

impl Prepared<'_> {
    /// Encodes the rows of a pilot like [`Prepared::apply`]. Cells of its target, the column `name`,
    /// may be missing; `target` is the one that this was fitted to. Its examples are
    /// [`Examples::pilot`](crate::data::Examples::pilot).
    ///
    /// # Errors
    /// See [`Schema::encode`](crate::prepare::Schema::encode); no such column; a target that is infinite or beyond 1e100, text where
    /// it was a number, or none of its classes.
    pub fn pilot<'t>(&self, table: &'t Table, name: &str, target: &Target) -> Result<Other<'t>> {
        let (column, classes) = (table.column(name)?, target.classes());
        let wrong = |row: usize, what: &str, problem: String| {
            let problem =
                format!("row {} of the pilot holds '{}', {problem}", row + 1, short(what));
            crate::Error::from(ErrorKind::WrongTarget { column: name.to_owned(), problem })
        };
        let class = |row: usize, label: Label| {
            let names = || classes.iter().map(Label::to_string).collect::<Vec<_>>();
            let code = classes.iter().position(|class| *class == label).map(|code| code as f64);
            code.ok_or_else(|| {
                let remedy = "leave the row out, or its target empty";
                let problem = format!("none of its classes ({}); {remedy}", list(&names()));
                wrong(row, &label.to_string(), problem)
            })
        };
        let told = |row: usize| match table.cell(row, column) {
            Cell::Missing => Ok(f64::NAN),
            Cell::Number(number) if classes.is_empty() => {
                in_range(row, name, number).map(|()| number)
            }
            Cell::Text(text) if classes.is_empty() => Err(wrong(row, text, "no number".into())),
            Cell::Number(number) => class(row, Label::Number(number)),
            Cell::Text(text) => class(row, Label::Text(text.to_owned())),
        };
        let told = (0..table.rows()).map(told).collect::<Result<Vec<f64>>>()?;
        self.pilot_of(table, &told, classes.len())
    }

    /// Does the same with the target of each row given: a number, or the index of its class of this
    /// number of classes (0: none); NaN where it is unknown.
    ///
    /// # Errors
    /// See [`Schema::encode`](crate::prepare::Schema::encode); [`ErrorKind::WrongLength`]; [`ErrorKind::TooFewRows`] without an observed
    /// attribute.
    pub fn pilot_of<'t>(
        &self,
        table: &'t Table,
        told: &[f64],
        classes: usize,
    ) -> Result<Other<'t>> {
        let Encoded { matrix, applied } = self.prepare.encode(table)?;
        if told.len() != table.rows() {
            let what = "targets of the pilot, one for each row".to_owned();
            let (expected, found) = (table.rows(), told.len());
            return Err(ErrorKind::WrongLength { what, expected, found }.into());
        }
        let unseen = |row| (0..matrix.columns()).all(|column| matrix.get(row, column).is_nan());
        if (0..matrix.rows()).all(unseen) {
            let what = "a pilot, in rows with an observed attribute".to_owned();
            return Err(ErrorKind::TooFewRows { what, least: 1, rows: 0 }.into());
        }
        let score = |told: &f64| match classes {
            0 => *told,
            2 => 2.0 * told - 1.0,
            _ => f64::NAN,
        };
        let targets = told.iter().map(|told| self.prepare.target.apply(score(told))).collect();
        let code = |told: &f64| if told.is_nan() { u32::MAX } else { *told as u32 };
        let codes = (classes > 0).then(|| (told.iter().map(code).collect(), classes));
        Ok(Other { applied, matrix, targets, codes, rows: (0..table.rows() as u32).collect() })
    }
}
