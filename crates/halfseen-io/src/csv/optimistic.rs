//! Reads all rows as numbers, and records which columns contain text.

use super::cell::Value;
use super::header::Header;
use super::numbers::is_odd;
use super::records::Records;
use crate::error::{ErrorKind, Result};
use crate::meter::Meter;
use halfseen::data::{Matrix, Table};
use ndarray::Array2;
use std::collections::BTreeMap;

/// Result of the first pass; `numbers` is complete if no column is text.
pub(super) struct FirstPass {
    pub rows: usize,
    /// Columns with a cell that is no plain number.
    pub is_text: Vec<bool>,
    /// Columns all of whose texts may stand for a number.
    pub is_odd: Vec<bool>,
    /// Number of columns before the first one, which counts the rows.
    pub skipped: usize,
    numbers: Vec<f64>,
    infinite: BTreeMap<usize, Infinite>,
}

/// First infinite cell of a column: its place and its text.
struct Infinite {
    row: usize,
    line: u64,
    text: String,
}

/// Reads the records below the header, at most `limit`.
pub(super) fn read(
    records: &mut Records<'_>,
    header: &Header,
    limit: usize,
    meter: &Meter,
) -> Result<FirstPass> {
    let (width, skipped) = (header.names.len(), header.skipped);
    let (mut is_text, mut is_odd_text) = (vec![false; width], vec![true; width]);
    let (mut numbers, mut infinite) = (Vec::new(), BTreeMap::new());
    let (mut rows, mut only_numbers, mut index_from) = (0, true, f64::NAN);
    while rows < limit {
        let Some(record) = records.next()? else { break };
        let (row, line) = (rows + 1, record.line);
        // The row is written in place; after the first text, one row is overwritten repeatedly.
        let start = if only_numbers { numbers.len() } else { 0 };
        let more = (start + width).saturating_sub(numbers.len());
        if let Err(kind) = meter.reserve(&mut numbers, more, rows) {
            return Err(records.fail(kind));
        }
        numbers.resize(start + width, f64::NAN);
        let cells = &mut numbers[start..];
        let mut index = f64::NAN;
        // A column before the first one wraps to an index beyond the last.
        let found = record.split(|column, cell, value| match value {
            Value::Number(number) => match cells.get_mut(column.wrapping_sub(skipped)) {
                Some(cell) => *cell = number,
                None if column == 0 => index = number,
                None => {}
            },
            Value::Missing => {}
            Value::Infinite => {
                let text = || String::from_utf8_lossy(cell).into_owned();
                infinite.entry(column.wrapping_sub(skipped)).or_insert_with(|| Infinite {
                    row,
                    line,
                    text: text(),
                });
            }
            Value::Text => {
                let at = column.wrapping_sub(skipped);
                if let (Some(is_text), Some(odd)) = (is_text.get_mut(at), is_odd_text.get_mut(at)) {
                    (*is_text, only_numbers) = (true, false);
                    *odd = *odd && is_odd(cell);
                }
            }
        });
        if found != width + skipped {
            let expected = width + skipped;
            return Err(records.fail(ErrorKind::Ragged { row, line, expected, found }));
        }
        if skipped > 0 {
            if rows == 0 && (index == 0.0 || index == 1.0) {
                index_from = index;
            }
            if index != index_from + rows as f64 {
                return Err(records.fail(ErrorKind::UnnamedColumn { column: 1 }));
            }
        }
        rows = row;
    }
    if rows == 0 {
        return Err(records.fail(ErrorKind::NoRows { columns: width }));
    }
    if !only_numbers {
        meter.give_back((numbers.capacity() * size_of::<f64>()) as u64);
        numbers = Vec::new();
    }
    Ok(FirstPass { rows, is_text, is_odd: is_odd_text, skipped, numbers, infinite })
}

impl FirstPass {
    /// Refuses infinite cells outside these text columns, where `inf` is ordinary text.
    pub(super) fn refuse_infinite(
        &self,
        names: &[String],
        is_text: impl Fn(usize) -> bool,
    ) -> Result<(), ErrorKind> {
        let first = self.infinite.iter().filter(|(column, _)| !is_text(**column));
        match first.min_by_key(|(_, first)| first.row) {
            None => Ok(()),
            Some((&column, Infinite { row, line, text })) => Err(ErrorKind::NotFinite {
                row: *row,
                line: *line,
                column: names.get(column).cloned().unwrap_or_default(),
                text: text.clone(),
            }),
        }
    }

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
