//! Reads the cells of one column of one row group, in batches.

use super::kinds::{Column, Kind};
use super::pages::Checked;
use crate::error::ErrorKind;
use crate::meter::Meter;
use crate::text::csv::text::TextBuilder;
use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::schema::types::ColumnDescPtr;

/// Number of cells decoded at a time; they fit into the second-level cache.
const BATCH: usize = 4096;

/// Largest integer up to which all integers are exact doubles.
const EXACT: u64 = 1 << 53;

/// One column of one row group, read from its start.
pub(super) struct Chunk {
    reader: ColumnReader,
    /// Number of rows read so far.
    at: usize,
    /// Number of rows of previous groups, for places in errors.
    before: usize,
}

pub(super) enum Out<'a> {
    Numbers(&'a mut Vec<f64>),
    Text(&'a mut TextBuilder),
}

impl Chunk {
    pub(super) fn new(
        descriptor: ColumnDescPtr,
        pages: Box<dyn PageReader>,
        before: usize,
    ) -> Self {
        Chunk { reader: get_column_reader(descriptor, Box::new(Checked(pages))), at: 0, before }
    }

    /// Appends exactly the next `rows` rows to `out`; missing numbers are NaN.
    pub(super) fn read(
        &mut self,
        column: &Column,
        rows: usize,
        out: Out<'_>,
        meter: &Meter,
    ) -> Result<(), ErrorKind> {
        let (before, name) = (self.before, &column.name);
        let inexact = |row: usize, value: String| {
            let remedy = "where doubles cannot represent all integers; write an identifier as text, any other number as a double";
            let problem = format!("{value} is beyond 2^53, {remedy}");
            ErrorKind::BadCell { row, line: None, column: name.clone(), problem }
        };
        let signed = |row, v: &i64| inexact(row, v.to_string());
        let unsigned = |row, v: &i64| inexact(row, (*v as u64).to_string());
        let never = |row, v: &i32| inexact(row, v.to_string());
        let infinite = |row, value: f64| {
            let kind = halfseen::ErrorKind::NotFinite { row, column: name.clone(), value };
            ErrorKind::Library(kind.into())
        };
        let mut cells = Cells { at: &mut self.at, before, column, rows, meter };
        use ColumnReader as From;
        match (&mut self.reader, column.kind, out) {
            (From::Int32ColumnReader(reader), Kind::Int32, Out::Numbers(out)) => {
                cells.numbers(reader, out, |&v| v.into(), never)
            }
            (From::Int32ColumnReader(reader), Kind::UInt32, Out::Numbers(out)) => {
                cells.numbers(reader, out, |&v| (v as u32).into(), never)
            }
            (From::Int64ColumnReader(reader), Kind::Int64, Out::Numbers(out)) => {
                cells.numbers(reader, out, |&v| exact(v.unsigned_abs(), v as f64), signed)
            }
            (From::Int64ColumnReader(reader), Kind::UInt64, Out::Numbers(out)) => {
                cells.numbers(reader, out, |&v| exact(v as u64, v as f64), unsigned)
            }
            (From::Int32ColumnReader(reader), Kind::Decimal32(places), Out::Numbers(out)) => {
                let unit = 10_f64.powi(places.into());
                cells.numbers(reader, out, |&v| f64::from(v) / unit, never)
            }
            (From::Int64ColumnReader(reader), Kind::Decimal64(places), Out::Numbers(out)) => {
                let unit = 10_f64.powi(places.into());
                cells.numbers(reader, out, |&v| exact(v.unsigned_abs(), v as f64) / unit, signed)
            }
            (From::FloatColumnReader(reader), Kind::Float, Out::Numbers(out)) => {
                cells.numbers(reader, out, |&v| v.into(), |row, &v| infinite(row, v.into()))
            }
            (From::DoubleColumnReader(reader), Kind::Double, Out::Numbers(out)) => {
                cells.numbers(reader, out, |&v| v, |row, &v| infinite(row, v))
            }
            (From::BoolColumnReader(reader), Kind::Bool, Out::Text(out)) => {
                cells.each(reader, |_, v| match v {
                    Some(true) => out.push("true", meter),
                    Some(false) => out.push("false", meter),
                    None => out.push_missing(meter),
                })
            }
            (From::ByteArrayColumnReader(reader), Kind::Text, Out::Text(out)) => {
                cells.each(reader, |row, v| {
                    let Some(text) = v else {
                        return out.push_missing(meter);
                    };
                    match std::str::from_utf8(text.data()) {
                        Ok(text) => out.push(text, meter),
                        Err(_) => {
                            let problem = format!("row {row}, column '{name}' is not UTF-8");
                            Err(ErrorKind::damaged_parquet(problem))
                        }
                    }
                })
            }
            _ => Err(ErrorKind::damaged_parquet(format!("column '{}' has changed", column.name))),
        }
    }
}

/// Rows to read of a column.
struct Cells<'a> {
    /// Number of rows of the group that were read before.
    at: &'a mut usize,
    /// Number of rows of previous groups.
    before: usize,
    column: &'a Column,
    rows: usize,
    meter: &'a Meter,
}

/// Some decoded cells of a column.
struct Decoded<'a, T> {
    /// Number of rows of the group before them.
    at: usize,
    /// Number of the cells.
    count: usize,
    /// Levels of the cells, 1 where they have a value; empty if all have one.
    levels: &'a [i16],
    values: &'a [T],
}

impl<T> Decoded<'_, T> {
    fn is_there(&self, cell: usize) -> bool {
        self.levels.is_empty() || self.levels.get(cell) == Some(&1)
    }
}

impl Cells<'_> {
    /// Appends the numbers of the rows. Those that `number` makes infinite are refused.
    fn numbers<T: DataType>(
        &mut self,
        reader: &mut ColumnReaderImpl<T>,
        out: &mut Vec<f64>,
        number: impl Fn(&T::T) -> f64,
        refused: impl Fn(usize, &T::T) -> ErrorKind,
    ) -> Result<(), ErrorKind> {
        let (meter, before, column) = (self.meter, self.before, self.column);
        self.read(reader, |cells| {
            meter.reserve(out, cells.count, before)?;
            let start = out.len();
            let mut numbers = cells.values.iter().map(&number);
            if cells.values.len() == cells.count {
                out.extend(numbers);
            } else {
                for cell in 0..cells.count {
                    out.push(match cells.is_there(cell) {
                        true => numbers.next().ok_or_else(|| column.short_of(cells.at + cell))?,
                        false => f64::NAN,
                    });
                }
            }
            let Some(cell) = out[start..].iter().position(|number| number.is_infinite()) else {
                return Ok(());
            };
            let value = (0..cell).filter(|&cell| cells.is_there(cell)).count();
            Err(refused(before + cells.at + cell + 1, &cells.values[value]))
        })
    }

    /// Calls `each` for the rows, with their number (from 1) and their cell.
    fn each<T: DataType>(
        &mut self,
        reader: &mut ColumnReaderImpl<T>,
        mut each: impl FnMut(usize, Option<&T::T>) -> Result<(), ErrorKind>,
    ) -> Result<(), ErrorKind> {
        let (before, column) = (self.before, self.column);
        self.read(reader, |cells| {
            let mut values = cells.values.iter();
            for cell in 0..cells.count {
                let there = cells.is_there(cell);
                let value = if there { values.next() } else { None };
                if there && value.is_none() {
                    return Err(column.short_of(cells.at + cell));
                }
                each(before + cells.at + cell + 1, value)?;
            }
            Ok(())
        })
    }

    /// Decodes the rows some at a time.
    fn read<T: DataType>(
        &mut self,
        reader: &mut ColumnReaderImpl<T>,
        mut take: impl FnMut(Decoded<'_, T::T>) -> Result<(), ErrorKind>,
    ) -> Result<(), ErrorKind> {
        let most = BATCH.min(self.rows);
        let nulls = self.column.nulls;
        let mut levels = Vec::with_capacity(if nulls { most } else { 0 });
        let mut values = Vec::with_capacity(most);
        let (start, mut done) = (*self.at, 0);
        while done < self.rows {
            levels.clear();
            values.clear();
            let wanted = BATCH.min(self.rows - done);
            let levels_out = nulls.then_some(&mut levels);
            let (count, ..) =
                reader.read_records(wanted, levels_out, None, &mut values).map_err(failed)?;
            if count == 0 || count > wanted {
                break;
            }
            take(Decoded { at: start + done, count, levels: &levels, values: &values })?;
            done += count;
        }
        *self.at += done;
        if done == self.rows { Ok(()) } else { Err(self.column.short_of(*self.at)) }
    }
}

impl Column {
    fn short_of(&self, rows: usize) -> ErrorKind {
        ErrorKind::damaged_parquet(format!(
            "a row group ends after {rows} rows in column '{}'",
            self.name
        ))
    }
}

/// Returns an integer as a double, infinite if its magnitude is beyond those that are all exact.
fn exact(magnitude: u64, number: f64) -> f64 {
    if magnitude <= EXACT { number } else { f64::INFINITY }
}

pub(super) fn failed(error: parquet::errors::ParquetError) -> ErrorKind {
    ErrorKind::damaged_parquet(error.to_string())
}
