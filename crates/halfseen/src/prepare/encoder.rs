//! Encodes a table into a matrix: columns matched by name, categories as coded indicators.

use super::schema::category;
use super::{ColumnKind, Schema};
use crate::data::{Cell, Coded, Column, Matrix, Place, Table};
use crate::error::{ErrorKind, Result};
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
    /// Infinite cells, text where numbers were fitted, or more than half of the columns absent.
    pub fn encode<'a>(&self, table: &'a Table) -> Result<Encoded<'a>> {
        let places: HashMap<&str, &Column> =
            table.columns().iter().map(|c| (c.name.as_str(), c)).collect();
        let found: Vec<Option<&Column>> =
            self.columns.iter().map(|c| places.get(c.name.as_str()).copied()).collect();
        let absent: Vec<String> = self
            .columns
            .iter()
            .zip(&found)
            .filter(|(_, f)| f.is_none())
            .map(|(c, _)| c.name.clone())
            .collect();
        if 2 * absent.len() > self.columns.len() {
            let (total, first) = (self.columns.len(), absent[0].clone());
            return Err(ErrorKind::TooManyAbsent { absent: absent.len(), total, first }.into());
        }
        self.check_kinds(&found)?;
        let known: HashSet<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
        let ignored = table
            .columns()
            .iter()
            .map(|c| &c.name)
            .filter(|n| !known.contains(n.as_str()))
            .cloned()
            .collect();
        let mut applied = Applied { ignored, absent, ..Applied::default() };
        // A text column with only numbers, or no cells, in this table still has its indicators.
        let identity = self.columns.iter().all(|c| c.kind == ColumnKind::Number)
            && table.numbers().columns() == self.columns.len()
            && found
                .iter()
                .enumerate()
                .all(|(i, f)| f.is_some_and(|f| f.place == Place::Number(i)));
        if identity {
            // One pass over the cells is enough if all are finite.
            if !table.numbers().is_finite() {
                refuse_infinite(table, &found)?;
                applied.missing = table.numbers().missing();
            }
            return Ok(Encoded { matrix: Cow::Borrowed(table.numbers()), applied });
        }
        let texts = self.columns.iter().filter(|c| c.kind != ColumnKind::Number).count();
        let mut numbers = Vec::with_capacity(table.rows() * (self.columns.len() - texts));
        let mut codes = vec![Vec::new(); texts];
        codes.iter_mut().for_each(|codes| codes.reserve_exact(table.rows()));
        for row in 0..table.rows() {
            let mut codes = codes.iter_mut();
            for (column, place) in self.columns.iter().zip(&found) {
                let cell = place.map_or(Cell::Missing, |p| table.cell(row, p));
                let number = if let Cell::Number(v) = cell { v } else { f64::NAN };
                if number.is_infinite() {
                    return Err(not_finite(row, &column.name, number));
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
        let matrix = if texts == 0 {
            Array2::from_shape_vec((table.rows(), self.columns.len()), numbers)
                .map(Matrix::F64)
                .map_err(|e| ErrorKind::Numerical { what: "encoding", problem: e.to_string() })?
        } else {
            let mut codes = codes.into_iter();
            let attributes = self.columns.iter().map(|column| match &column.kind {
                ColumnKind::Number => None,
                ColumnKind::Text { categories } => codes.next().zip(Some(categories.len())),
            });
            Matrix::Coded(Coded::new(table.rows(), numbers, attributes.collect()))
        };
        Ok(Encoded { matrix: Cow::Owned(matrix), applied })
    }

    /// Refuses text where numbers were fitted. The reverse is allowed: codes that are all numbers
    /// in this table are read as text again.
    fn check_kinds(&self, found: &[Option<&Column>]) -> Result<()> {
        for (column, place) in self.columns.iter().zip(found) {
            if let (ColumnKind::Number, Some(Column { place: Place::Text(_), .. })) =
                (&column.kind, place)
            {
                let (expected, found) = ("numbers", "text");
                return Err(
                    ErrorKind::WrongKind { column: column.name.clone(), expected, found }.into()
                );
            }
        }
        Ok(())
    }
}

fn refuse_infinite(table: &Table, found: &[Option<&Column>]) -> Result<()> {
    match table.numbers().first_infinite() {
        None => Ok(()),
        Some((row, at)) => {
            let name = found[at].map_or("", |c| c.name.as_str());
            Err(not_finite(row, name, table.numbers().get(row, at)))
        }
    }
}

fn not_finite(row: usize, column: &str, value: f64) -> crate::Error {
    ErrorKind::NotFinite { row: row + 1, column: column.to_owned(), value }.into()
}
