//! Collects rows whose columns are known to be numbers or text into tables.

use super::cell::{Cells, Value};
use super::inspect::Reading;
use super::numbers::{is_missing, number};
use super::optimistic::matrix;
use super::records::{Record, Records};
use super::text::TextBuilder;
use crate::error::{ErrorKind, Result};
use crate::meter::Meter;
use halfseen::data::{Column, Matrix, Place, Table};

/// Rows that will be a table.
pub(super) struct Rows {
    columns: Vec<Column>,
    slots: Vec<Slot>,
    /// Number of columns of the file before the first slot.
    skipped: usize,
    numbers: Vec<f64>,
    width: usize,
    texts: Vec<TextBuilder>,
    rows: usize,
    /// True if all columns of the file are plain numbers, and taken.
    only_numbers: bool,
    meter: Meter,
}

/// Destination of the cells of a column of the file.
#[derive(Clone, Copy)]
enum Slot {
    /// Nowhere.
    Out,
    /// A place in the row, from which on so many columns side by side are plain numbers.
    Number {
        at: usize,
        reading: Reading,
        plain: usize,
    },
    Text(usize),
}

/// Row that a record is read into.
struct Row<'r, 'a> {
    line: u64,
    slots: &'r [Slot],
    skipped: usize,
    numbers: &'r mut [f64],
    texts: &'r mut [TextBuilder],
    meter: &'r Meter,
    /// First cell that is not of its column's kind.
    odd: Option<(usize, &'a [u8], Value)>,
    problem: Option<ErrorKind>,
}

impl<'a> Cells<'a> for Row<'_, 'a> {
    #[inline]
    fn numbers(&mut self, column: usize) -> &mut [f64] {
        match self.slots.get(column.wrapping_sub(self.skipped)) {
            Some(&Slot::Number { at, plain, .. }) => &mut self.numbers[at..at + plain],
            _ => &mut [],
        }
    }

    fn take(&mut self, column: usize, cell: &'a [u8], value: Value) {
        let column = column.wrapping_sub(self.skipped);
        match self.slots.get(column) {
            Some(&Slot::Number { at, reading, .. }) if value != Value::Missing => {
                match parsed(cell, value, reading) {
                    Some(number) => self.numbers[at] = number,
                    None => self.odd = self.odd.or(Some((column, cell, value))),
                }
            }
            Some(&Slot::Text(at)) => {
                let (text, meter) = (&mut self.texts[at], self.meter);
                let pushed = match (value, std::str::from_utf8(cell)) {
                    (Value::Missing, _) => text.push_missing(meter),
                    (_, Ok(cell)) => text.push(cell, meter),
                    (_, Err(_)) => Err(ErrorKind::not_utf8(self.line)),
                };
                self.problem = self.problem.take().or(pushed.err());
            }
            Some(Slot::Number { .. } | Slot::Out) | None => {}
        }
    }
}

impl Rows {
    /// Collects the columns that have a reading; `skipped` columns come before the first.
    pub(super) fn new(
        names: &[String],
        readings: &[Option<Reading>],
        skipped: usize,
        meter: Meter,
    ) -> Rows {
        let (mut width, mut texts, mut columns) = (0, 0, Vec::new());
        let mut slots = Vec::with_capacity(names.len());
        for (name, reading) in names.iter().zip(readings) {
            let (slot, place) = match reading {
                None => {
                    slots.push(Slot::Out);
                    continue;
                }
                Some(Reading::Text) => {
                    texts += 1;
                    (Slot::Text(texts - 1), Place::Text(texts - 1))
                }
                Some(reading) => {
                    width += 1;
                    let (at, reading, plain) = (width - 1, *reading, 0);
                    (Slot::Number { at, reading, plain }, Place::Number(width - 1))
                }
            };
            slots.push(slot);
            columns.push(Column { name: name.clone(), place });
        }
        let mut side_by_side = 0;
        for slot in slots.iter_mut().rev() {
            side_by_side = match slot {
                Slot::Number { reading: Reading::Plain, plain, .. } => {
                    *plain = side_by_side + 1;
                    *plain
                }
                _ => 0,
            };
        }
        let (numbers, only_numbers) = (Vec::new(), side_by_side == slots.len());
        let texts = std::iter::repeat_with(TextBuilder::default).take(texts).collect();
        Rows { columns, slots, skipped, numbers, width, texts, rows: 0, only_numbers, meter }
    }

    /// Makes room for rows.
    pub(super) fn reserve(&mut self, rows: usize) -> Result<(), ErrorKind> {
        let more = rows.saturating_mul(self.width);
        self.meter.reserve(&mut self.numbers, more, rows)
    }

    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// Adds the next record, the row of this number in the file, from 1; returns false at the end.
    ///
    /// # Errors
    /// If it has more or fewer cells than the header, or a cell is not of its column's kind.
    pub(super) fn read(&mut self, row: usize, records: &mut Records<'_>) -> Result<bool> {
        if records.is_over() {
            return Ok(false);
        }
        let start = self.numbers.len();
        let room = self.meter.reserve(&mut self.numbers, self.width, row);
        room.map_err(|kind| records.fail(kind))?;
        self.numbers.resize(start + self.width, f64::NAN);
        let mut index = [f64::NAN];
        let numbers = &mut self.numbers[start..];
        if !self.only_numbers || !records.numbers(&mut index[..self.skipped], numbers) {
            numbers.fill(f64::NAN);
            let Some(record) = records.next()? else {
                self.numbers.truncate(start);
                return Ok(false);
            };
            let pushed = self.push(row, start, &record);
            pushed.map_err(|kind| records.fail(kind))?;
        }
        self.rows += 1;
        Ok(true)
    }

    /// Writes a record to the numbers from `start` on, and its texts.
    fn push(&mut self, row: usize, start: usize, record: &Record<'_>) -> Result<(), ErrorKind> {
        let line = record.line;
        let mut cells = Row {
            line,
            slots: &self.slots,
            skipped: self.skipped,
            numbers: &mut self.numbers[start..],
            texts: &mut self.texts,
            meter: &self.meter,
            odd: None,
            problem: None,
        };
        let fields = record.split(&mut cells);
        let Row { odd, problem, .. } = cells;
        let expected = self.slots.len() + self.skipped;
        if fields != expected {
            return Err(ErrorKind::Ragged { row, line, expected, found: fields });
        }
        if let Some((at, cell, value)) = odd {
            let name = |slot: usize| {
                let before = self.slots[..slot].iter().filter(|s| !matches!(s, Slot::Out)).count();
                self.columns[before].name.clone()
            };
            let (column, text) = (name(at), String::from_utf8_lossy(cell));
            return Err(match value {
                Value::Infinite => ErrorKind::not_finite(row, line, column, &text),
                _ => ErrorKind::not_number(row, line, column, &text),
            });
        }
        problem.map_or(Ok(()), Err)
    }

    /// Returns the rows collected so far, and begins a new table.
    pub(super) fn take(&mut self) -> halfseen::Result<Table> {
        let numbers = std::mem::take(&mut self.numbers);
        let texts = self.texts.iter_mut().map(std::mem::take).map(TextBuilder::finish).collect();
        let rows = std::mem::take(&mut self.rows);
        // What is handed out is not this reader's any more.
        self.meter = Meter::default();
        Table::new(Matrix::F64(matrix(rows, self.width, numbers)?), texts, self.columns.clone())
    }
}

/// Returns the number of a cell in a column of numbers, NaN if it is missing.
fn parsed(cell: &[u8], value: Value, reading: Reading) -> Option<f64> {
    match (value, reading) {
        (Value::Number(_) | Value::Text, Reading::By(decimal)) => {
            number(cell, decimal).or_else(|| is_missing(cell).then_some(f64::NAN))
        }
        (Value::Number(number), _) => Some(number),
        (Value::Text, _) => is_missing(cell).then_some(f64::NAN),
        (Value::Missing | Value::Infinite, _) => None,
    }
}
