//! Reads all rows as numbers, and records which columns contain text.

use super::cell::Value;
use super::records::Records;
use crate::error::{ErrorKind, Result};
use halfseen::data::{Matrix, Table};
use ndarray::Array2;
use std::collections::BTreeMap;

/// Result of the first pass; `numbers` is complete if no column is text.
pub(super) struct FirstPass {
    pub rows: usize,
    pub is_text: Vec<bool>,
    numbers: Vec<f64>,
}

/// First infinite cell of a column: its place and its text.
struct Infinite {
    row: usize,
    line: u64,
    text: String,
}

/// Reads the records below the header.
pub(super) fn read(records: &mut Records<'_>, names: &[String]) -> Result<FirstPass> {
    let width = names.len();
    let mut pass = FirstPass { rows: 0, is_text: vec![false; width], numbers: Vec::new() };
    let mut infinite: BTreeMap<usize, Infinite> = BTreeMap::new();
    let mut only_numbers = true;
    while let Some(record) = records.next()? {
        let (row, line) = (pass.rows + 1, record.line);
        // The row is written in place; after the first text, one row is overwritten repeatedly.
        let start = if only_numbers { pass.numbers.len() } else { 0 };
        pass.numbers.resize(start + width, f64::NAN);
        let cells = &mut pass.numbers[start..];
        let found = record.split(|column, cell, value| match value {
            Value::Number(number) => {
                if let Some(cell) = cells.get_mut(column) {
                    *cell = number;
                }
            }
            Value::Missing => {}
            Value::Infinite => {
                let text = || String::from_utf8_lossy(cell).into_owned();
                infinite.entry(column).or_insert_with(|| Infinite { row, line, text: text() });
            }
            Value::Text => {
                if let Some(is_text) = pass.is_text.get_mut(column) {
                    *is_text = true;
                    only_numbers = false;
                }
            }
        });
        if found != width {
            return Err(records.fail(ErrorKind::Ragged { row, line, expected: width, found }));
        }
        pass.rows = row;
    }
    if pass.rows == 0 {
        return Err(records.fail(ErrorKind::NoRows { columns: width }));
    }
    // In a text column `inf` is ordinary text.
    infinite.retain(|&column, _| !pass.is_text[column]);
    if let Some((&column, first)) = infinite.iter().min_by_key(|(_, i)| i.row) {
        let (column, text) = (names[column].clone(), first.text.clone());
        return Err(records.fail(ErrorKind::NotFinite {
            row: first.row,
            line: first.line,
            column,
            text,
        }));
    }
    if !only_numbers {
        pass.numbers = Vec::new();
    }
    Ok(pass)
}

impl FirstPass {
    /// Returns the table of a file without text.
    pub(super) fn into_table(mut self, names: Vec<String>) -> halfseen::Result<Table> {
        self.numbers.shrink_to_fit();
        Table::from_matrix(Matrix::F64(matrix(self.rows, names.len(), self.numbers)?), names)
    }
}

/// Returns row-major cells as an array of shape (rows, columns).
pub(crate) fn matrix(
    rows: usize,
    columns: usize,
    cells: Vec<f64>,
) -> halfseen::Result<Array2<f64>> {
    let (expected, found) = (rows * columns, cells.len());
    Array2::from_shape_vec((rows, columns), cells).map_err(|_| {
        halfseen::ErrorKind::WrongLength { what: "cells of the table".into(), expected, found }
            .into()
    })
}
