//! Holds the table whose rows play the subjects of a simulated study.

use crate::error::{Error, Result};
use crate::schema::{AttributeKind, StudySchema};
use halfseen::data::{Cell, Column, Place, Table};
use halfseen::error::short;
use halfseen::model::Model;
use halfseen::sampling::{Purpose, Stream, shuffle};

/// Fewest rows that are held out to test models.
const LEAST_TESTED: usize = 20;

/// A complete table: a row for each subject that a study might have.
#[derive(Debug, Clone)]
pub struct Pilot {
    table: Table,
    /// Columns of the attributes, in the order of the schema, and of the target.
    columns: Vec<Column>,
    target: Column,
}

/// Rows of a pilot: those that subjects are made of, and those that test models.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub(super) subjects: Vec<usize>,
    pub(super) tested: Vec<usize>,
}

impl Pilot {
    /// Takes a table that has each attribute of the schema, and the target, in every row. Columns
    /// that the schema does not have are left out.
    ///
    /// # Errors
    /// A column that is missing, an empty cell, a value that the schema does not take.
    pub fn new(table: Table, schema: &StudySchema) -> Result<Pilot> {
        let mut table = table;
        let all = || schema.attributes.iter().chain([&schema.target]);
        // Choices may be written as numbers.
        for attribute in all().filter(|a| matches!(a.kind, AttributeKind::Category(_))) {
            table = table.with_categories(&attribute.name)?;
        }
        let columns = schema
            .attributes
            .iter()
            .map(|a| table.column(&a.name).cloned())
            .collect::<halfseen::Result<Vec<Column>>>()?;
        let target = table.column(&schema.target.name)?.clone();
        let pilot = Pilot { table, columns, target };
        for row in 0..pilot.rows() {
            for (attribute, column) in all().zip(pilot.columns.iter().chain([&pilot.target])) {
                let Some(text) = pilot.text(row, column) else {
                    return Err(Error::setup(format!(
                        "row {} of the pilot has no '{}'; a simulation needs every cell, so remove the row or the attribute",
                        row + 1,
                        short(&attribute.name)
                    )));
                };
                attribute
                    .read(&text)
                    .map_err(|e| Error::setup(format!("row {} of the pilot: {e}", row + 1)))?;
            }
        }
        Ok(pilot)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }

    fn text(&self, row: usize, column: &Column) -> Option<String> {
        match self.table.cell(row, column) {
            Cell::Number(number) => Some(number.to_string()),
            Cell::Text(text) => Some(text.to_owned()),
            Cell::Missing => None,
        }
    }

    /// Returns what the subject of a row shows for an attribute, by its place in the schema, or for
    /// the target.
    pub(super) fn shows(&self, row: usize, place: Option<usize>) -> String {
        let column = place.map_or(&self.target, |at| &self.columns[at]);
        self.text(row, column).unwrap_or_default()
    }

    /// Returns the parts of one seed, the same for every learner and budget.
    ///
    /// # Errors
    /// If too few rows are held out.
    pub(super) fn parts(&self, test_share: f64, seed: u64) -> Result<Parts> {
        let mut order: Vec<usize> = (0..self.rows()).collect();
        shuffle(&mut Stream::new(seed, Purpose::Split, 0), &mut order);
        let tested = (self.rows() as f64 * test_share).round() as usize;
        if tested < LEAST_TESTED || self.rows() - tested < LEAST_TESTED {
            return Err(Error::setup(format!(
                "the pilot has {} rows, of which {tested} test the models; at least {LEAST_TESTED} must, and as many be subjects",
                self.rows()
            )));
        }
        let subjects = order.split_off(tested);
        Ok(Parts { subjects, tested: order })
    }

    /// Returns the error of a model on some rows: the squared error as a share of the target's
    /// variance there, or with classes the share of wrong ones.
    pub(super) fn error(&self, model: &Model, rows: &[usize]) -> Result<f64> {
        let prediction = model.predict(&self.table.select_rows(rows))?;
        let (scores, count) = (&prediction.scores, rows.len() as f64);
        if matches!(self.target.place, Place::Text(_)) {
            let is_wrong = |(at, row): (usize, &usize)| {
                let class = model.class(scores, at).map(ToString::to_string);
                class != self.text(*row, &self.target)
            };
            return Ok(rows.iter().enumerate().filter(|one| is_wrong(*one)).count() as f64 / count);
        }
        let truths: Vec<f64> = rows
            .iter()
            .map(|row| match self.table.cell(*row, &self.target) {
                Cell::Number(number) => number,
                _ => f64::NAN,
            })
            .collect();
        let mean = truths.iter().sum::<f64>() / count;
        let variance = truths.iter().map(|truth| (truth - mean).powi(2)).sum::<f64>();
        let errors =
            truths.iter().enumerate().map(|(at, truth)| (truth - scores.row(at)[0]).powi(2));
        Ok(errors.sum::<f64>() / variance)
    }
}
