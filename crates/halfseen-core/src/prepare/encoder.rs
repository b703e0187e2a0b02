//! Encodes a table into a matrix: columns matched by name, categories as coded indicators.

use super::schema::{LARGEST, category, wrong_kind};
use super::{ColumnKind, ColumnSchema, Schema};
use crate::data::{Attribute, Cell, Coded, Column, Matrix, Place, Table, days_since_1970};
use crate::error::{ErrorKind, Result, short};
use ndarray::Array2;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// An encoded table with its report.
#[derive(Debug, Clone)]
pub struct Encoded<'a> {
    /// (n_rows, n_columns) in raw units; missing cells are NaN. Borrowed if the table's own matrix
    /// has exactly the schema's columns.
    pub matrix: Cow<'a, Matrix>,
    /// Differences between the table and the schema.
    pub applied: Applied,
}

/// Differences between a table's columns and a schema.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Columns of the table that are not in the schema.
    pub ignored: Vec<String>,
    /// Attributes of the schema that the table lacks: missing in every row.
    pub absent: Vec<String>,
    /// Number of cells with a category that training did not have: missing.
    pub new_categories: usize,
    /// Number of missing cells, those of absent columns included.
    pub missing: usize,
}

impl Schema {
    /// Encodes a table. Columns are matched by name, in any order; others are ignored and reported;
    /// absent ones are missing in every row.
    ///
    /// # Errors
    /// Cells that are infinite or beyond 1e100, text where numbers or dates were fitted, or more than
    /// half of the columns absent.
    pub fn encode<'a>(&self, table: &'a Table) -> Result<Encoded<'a>> {
        let places: HashMap<&str, &Column> =
            table.columns().iter().map(|c| (c.name.as_str(), c)).collect();
        let matched: Vec<Option<&Column>> =
            self.columns.iter().map(|c| places.get(c.name.as_str()).copied()).collect();
        let absent: Vec<String> = self
            .columns
            .iter()
            .zip(&matched)
            .filter(|(_, column)| column.is_none())
            .map(|(c, _)| c.name.clone())
            .collect();
        if 2 * absent.len() > self.columns.len() {
            let problem = format!(
                "{} of the model's {} columns are absent from this table (first: '{}'); is it the right file?",
                absent.len(),
                self.columns.len(),
                short(&absent[0])
            );
            return Err(ErrorKind::Table(problem).into());
        }
        self.check_kinds(&matched)?;
        let known: HashSet<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
        let ignored = table
            .columns()
            .iter()
            .map(|c| &c.name)
            .filter(|n| !known.contains(n.as_str()))
            .cloned()
            .collect();
        let mut applied = Applied { ignored, absent, ..Applied::default() };
        let expanded = self.columns.iter().any(|c| !c.knots.is_empty());
        // A text column with only numbers, or no cells, in this table still has its indicators.
        let identity = !expanded
            && self.columns.iter().all(|c| c.kind == ColumnKind::Number)
            && table.numbers().columns() == self.columns.len()
            && matched
                .iter()
                .enumerate()
                .all(|(i, c)| c.is_some_and(|c| c.place == Place::Number(i)));
        if identity {
            // One pass over the cells is enough if all are in range.
            let numbers = table.numbers();
            if let Some((row, at)) = numbers.first(|v| v.is_nan() || v.abs() > LARGEST) {
                let (row, at) = numbers.first(|v| v.abs() > LARGEST).unwrap_or((row, at));
                let name = matched[at].map_or("", |c| c.name.as_str());
                in_range(row, name, numbers.get(row, at))?;
                applied.missing = numbers.missing();
            }
            return Ok(Encoded { matrix: Cow::Borrowed(table.numbers()), applied });
        }
        let texts = self.columns.iter().filter(|c| c.kind != ColumnKind::Number).count();
        let mut numbers = Vec::with_capacity(table.rows() * (self.columns.len() - texts));
        let mut codes = vec![Vec::new(); texts];
        codes.iter_mut().for_each(|codes| codes.reserve_exact(table.rows()));
        let dates: Vec<Vec<f64>> = self
            .columns
            .iter()
            .zip(&matched)
            .map(|(column, place)| days(table, column, *place))
            .collect();
        for row in 0..table.rows() {
            let mut codes = codes.iter_mut();
            for ((column, place), dates) in self.columns.iter().zip(&matched).zip(&dates) {
                let cell = place.map_or(Cell::Missing, |p| table.cell(row, p));
                let number = match (cell, place) {
                    (Cell::Number(number), _) => number,
                    (Cell::Text(text), Some(Column { place: Place::Text(at), .. }))
                        if column.date.is_some() =>
                    {
                        let code = table.text(*at).codes[row] as usize;
                        let (row, column) = (row + 1, &column.name);
                        dates.get(code).copied().filter(|days| !days.is_nan()).ok_or_else(|| {
                            let problem = format!(
                                "'{}' is not a date in the form of the rows that were learned from; correct it, or leave the cell empty if the value is missing",
                                short(text)
                            );
                            ErrorKind::WrongCell { row, column: column.clone(), problem }
                        })?
                    }
                    _ => f64::NAN,
                };
                // A number among texts is a category.
                if column.kind == ColumnKind::Number {
                    in_range(row, &column.name, number)?;
                }
                applied.missing += usize::from(cell == Cell::Missing);
                let ColumnKind::Text { categories } = &column.kind else {
                    numbers.push(number);
                    continue;
                };
                let code = category(categories, cell);
                applied.new_categories += usize::from(code.is_none() && cell != Cell::Missing);
                let code = code.map_or(Coded::MISSING, |code| code as u32);
                codes.next().into_iter().for_each(|codes| codes.push(code));
            }
        }
        let matrix = if texts == 0 && !expanded {
            Array2::from_shape_vec((table.rows(), self.columns.len()), numbers)
                .map(Matrix::F64)
                .map_err(|e| ErrorKind::Numerical { what: "encoding", problem: e.to_string() })?
        } else {
            let mut codes = codes.into_iter();
            let attributes = self.columns.iter().map(|column| match &column.kind {
                ColumnKind::Number if column.knots.is_empty() => Attribute::Number,
                ColumnKind::Number => Attribute::Hats(column.knots.clone()),
                ColumnKind::Text { categories } => {
                    Attribute::Text(codes.next().unwrap_or_default(), categories.len())
                }
            });
            Matrix::Coded(Coded::new(table.rows(), numbers, attributes.collect()))
        };
        Ok(Encoded { matrix: Cow::Owned(matrix), applied })
    }

    /// Refuses text where numbers were fitted. The reverse is allowed: codes that are all numbers
    /// in this table are read as text again.
    fn check_kinds(&self, matched: &[Option<&Column>]) -> Result<()> {
        for (column, place) in self.columns.iter().zip(matched) {
            if let (ColumnKind::Number, Some(Column { place: Place::Text(_), .. }), None) =
                (&column.kind, place, &column.date)
            {
                return Err(wrong_kind(&column.name, "numbers", "text"));
            }
        }
        Ok(())
    }
}

/// Returns the days of each level of a column of dates, NaN for other texts; none for other columns.
fn days(table: &Table, column: &ColumnSchema, place: Option<&Column>) -> Vec<f64> {
    match (&column.date, place) {
        (Some(form), Some(Column { place: Place::Text(at), .. })) => {
            let levels = table.text(*at).levels.iter();
            levels.map(|text| days_since_1970(text, form).unwrap_or(f64::NAN)).collect()
        }
        _ => Vec::new(),
    }
}

/// Refuses cells that are infinite or too large for every learner.
pub fn in_range(row: usize, column: &str, value: f64) -> Result<()> {
    if value.is_nan() || value.abs() <= LARGEST {
        return Ok(());
    }
    let (row, column) = (row + 1, column.to_owned());
    Err(match value.is_infinite() {
        true => ErrorKind::NotFinite { row, column, value },
        false => ErrorKind::TooLarge { row, column, value },
    }
    .into())
}
