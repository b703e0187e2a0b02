//! Reads all rows as numbers, and records which columns contain text.

use super::cell::{Cells, Value};
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
    only_numbers: bool,
    row: Row,
}

/// Row that is being read.
struct Row {
    /// Place of its first number.
    start: usize,
    line: u64,
    /// Its number, in a column before the first one.
    index: f64,
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
    let mut first = FirstPass {
        rows: 0,
        is_text: vec![false; width],
        is_odd: vec![true; width],
        skipped,
        numbers: Vec::new(),
        infinite: BTreeMap::new(),
        only_numbers: true,
        row: Row { start: 0, line: 0, index: f64::NAN },
    };
    let mut index_from = f64::NAN;
    while first.rows < limit && !records.is_over() {
        // The row is written in place; after the first text, one row is overwritten repeatedly.
        let start = if first.only_numbers { first.numbers.len() } else { 0 };
        let more = (start + width).saturating_sub(first.numbers.len());
        if let Err(kind) = meter.reserve(&mut first.numbers, more, first.rows) {
            return Err(records.fail(kind));
        }
        first.numbers.resize(start + width, f64::NAN);
        let mut index = [f64::NAN];
        let numbers = &mut first.numbers[start..];
        if first.only_numbers && records.numbers(&mut index[..skipped], numbers) {
            first.row.index = index[0];
        } else {
            numbers.fill(f64::NAN);
            let Some(record) = records.next()? else {
                first.numbers.truncate(start);
                break;
            };
            first.row = Row { start, line: record.line, index: f64::NAN };
            let fields = record.split(&mut first);
            if fields != width + skipped {
                let (row, line, expected) = (first.rows + 1, record.line, width + skipped);
                return Err(records.fail(ErrorKind::Ragged { row, line, expected, found: fields }));
            }
        }
        if skipped > 0 {
            let index = first.row.index;
            if first.rows == 0 && (index == 0.0 || index == 1.0) {
                index_from = index;
            }
            if index != index_from + first.rows as f64 {
                return Err(records.fail(ErrorKind::UnnamedColumn { column: 1 }));
            }
        }
        first.rows += 1;
    }
    if first.rows == 0 {
        return Err(records.fail(ErrorKind::NoRows { columns: width }));
    }
    if !first.only_numbers {
        meter.give_back((first.numbers.capacity() * size_of::<f64>()) as u64);
        first.numbers = Vec::new();
    }
    Ok(first)
}

impl<'a> Cells<'a> for FirstPass {
    #[inline]
    fn numbers(&mut self, column: usize) -> &mut [f64] {
        // A column before the first one wraps to a place beyond the last.
        let at = column.wrapping_sub(self.skipped).saturating_add(self.row.start);
        self.numbers.get_mut(at..).unwrap_or_default()
    }

    fn take(&mut self, column: usize, cell: &'a [u8], value: Value) {
        let at = column.wrapping_sub(self.skipped);
        match value {
            Value::Number(number) => match <Self as Cells<'a>>::numbers(self, column).first_mut() {
                Some(cell) => *cell = number,
                None if column == 0 => self.row.index = number,
                None => {}
            },
            Value::Missing => {}
            Value::Infinite => {
                let (row, line) = (self.rows + 1, self.row.line);
                let text = || String::from_utf8_lossy(cell).into_owned();
                self.infinite.entry(at).or_insert_with(|| Infinite { row, line, text: text() });
            }
            Value::Text => {
                if let (Some(is_text), Some(odd)) =
                    (self.is_text.get_mut(at), self.is_odd.get_mut(at))
                {
                    (*is_text, self.only_numbers) = (true, false);
                    *odd = *odd && is_odd(cell);
                }
            }
        }
    }
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
            Some((&column, Infinite { row, line, text })) => {
                let name = names.get(column).cloned().unwrap_or_default();
                Err(ErrorKind::not_finite(*row, *line, name, text))
            }
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
    let length = cells.len();
    Array2::from_shape_vec((rows, columns), cells).map_err(|_| {
        let (what, expected) = ("cells of the table".into(), rows * columns);
        halfseen::ErrorKind::WrongLength { what, expected, found: length }.into()
    })
}
