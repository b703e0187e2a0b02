//! Collects rows whose columns are known to be numbers or text into tables.

use super::cell::Value;
use super::inspect::Reading;
use super::numbers::{is_missing, number};
use super::optimistic::matrix;
use super::records::Record;
use super::text::TextBuilder;
use crate::error::ErrorKind;
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
    meter: Meter,
}

/// Destination of the cells of a column of the file.
#[derive(Clone, Copy)]
enum Slot {
    /// Nowhere.
    Out,
    Number(usize, Reading),
    Text(usize),
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
                    (Slot::Number(width - 1, *reading), Place::Number(width - 1))
                }
            };
            slots.push(slot);
            columns.push(Column { name: name.clone(), place });
        }
        let texts = std::iter::repeat_with(TextBuilder::default).take(texts).collect();
        Rows { columns, slots, skipped, numbers: Vec::new(), width, texts, rows: 0, meter }
    }

    /// Makes room for rows.
    pub(super) fn reserve(&mut self, rows: usize) -> Result<(), ErrorKind> {
        let more = rows.saturating_mul(self.width);
        self.meter.reserve(&mut self.numbers, more, rows)
    }

    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// Adds a record, the row of this number in the file, from 1.
    ///
    /// # Errors
    /// If it has more or fewer cells than the header, or a cell is not of its column's kind.
    pub(super) fn push(&mut self, row: usize, record: &Record<'_>) -> Result<(), ErrorKind> {
        let line = record.line;
        let start = self.numbers.len();
        self.meter.reserve(&mut self.numbers, self.width, row)?;
        self.numbers.resize(start + self.width, f64::NAN);
        let cells = &mut self.numbers[start..];
        let (texts, meter, slots, skipped) =
            (&mut self.texts, &self.meter, &self.slots, self.skipped);
        let mut problem = None;
        let mut odd = None;
        let found = record.split(|column, cell, value| {
            let column = column.wrapping_sub(skipped);
            match slots.get(column) {
                Some(&Slot::Number(at, Reading::Plain)) if matches!(value, Value::Number(_)) => {
                    if let Value::Number(number) = value {
                        cells[at] = number;
                    }
                }
                Some(&Slot::Number(at, reading)) if value != Value::Missing => {
                    match parsed(cell, value, reading) {
                        Some(number) => cells[at] = number,
                        None => odd = odd.or(Some((column, cell, value))),
                    }
                }
                Some(&Slot::Text(at)) => {
                    let pushed = match (value, std::str::from_utf8(cell)) {
                        (Value::Missing, _) => texts[at].push_missing(meter),
                        (_, Ok(text)) => texts[at].push(text, meter),
                        (_, Err(_)) => Err(ErrorKind::NotUtf8 { line }),
                    };
                    problem = problem.take().or(pushed.err());
                }
                Some(Slot::Number(..) | Slot::Out) | None => {}
            }
        });
        self.rows += 1;
        let expected = self.slots.len() + skipped;
        if found != expected {
            return Err(ErrorKind::Ragged { row, line, expected, found });
        }
        if let Some((at, cell, value)) = odd {
            let name = |slot: usize| {
                let before = self.slots[..slot].iter().filter(|s| !matches!(s, Slot::Out)).count();
                self.columns[before].name.clone()
            };
            let (column, text) = (name(at), String::from_utf8_lossy(cell).into_owned());
            return Err(match value {
                Value::Infinite => ErrorKind::NotFinite { row, line, column, text },
                _ => ErrorKind::NotNumber { row, line, column, text },
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
