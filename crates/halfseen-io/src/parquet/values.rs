//! Reads the cells of one column of one row group, in batches.

use super::kinds::{Column, Kind};
use super::pages::Checked;
use crate::csv::text::TextBuilder;
use crate::error::ErrorKind;
use crate::meter::Meter;
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
        let before = self.before;
        let inexact = |at: usize, value: String| ErrorKind::Inexact {
            row: before + at,
            column: column.name.clone(),
            value,
        };
        // at: the row within the group, from 1
        let signed = |at, v: i64| {
            if v.unsigned_abs() <= EXACT { Ok(v as f64) } else { Err(inexact(at, v.to_string())) }
        };
        let decimal = |at, v: i64, places: u8| {
            signed(at, v).map(|units| units / 10_f64.powi(i32::from(places)))
        };
        let push = |out: &mut Vec<f64>, value: Option<Result<f64, ErrorKind>>| {
            meter.push(out, value.unwrap_or(Ok(f64::NAN))?, before)
        };
        let mut cells = Cells { at: &mut self.at, column, rows };
        use ColumnReader as From;
        match (&mut self.reader, column.kind, out) {
            (From::Int32ColumnReader(reader), Kind::Int32, Out::Numbers(out)) => {
                cells.read(reader, |_, v| push(out, v.map(|&v| Ok(v.into()))))
            }
            (From::Int32ColumnReader(reader), Kind::UInt32, Out::Numbers(out)) => {
                cells.read(reader, |_, v| push(out, v.map(|&v| Ok((v as u32).into()))))
            }
            (From::Int64ColumnReader(reader), Kind::Int64, Out::Numbers(out)) => {
                cells.read(reader, |at, v| push(out, v.map(|&v| signed(at, v))))
            }
            (From::Int64ColumnReader(reader), Kind::UInt64, Out::Numbers(out)) => {
                cells.read(reader, |at, v| {
                    let exact = |&v: &i64| match v as u64 {
                        v @ 0..=EXACT => Ok(v as f64),
                        v => Err(inexact(at, v.to_string())),
                    };
                    push(out, v.map(exact))
                })
            }
            (From::Int32ColumnReader(reader), Kind::Decimal32(places), Out::Numbers(out)) => {
                cells.read(reader, |at, v| push(out, v.map(|&v| decimal(at, v.into(), places))))
            }
            (From::Int64ColumnReader(reader), Kind::Decimal64(places), Out::Numbers(out)) => {
                cells.read(reader, |at, v| push(out, v.map(|&v| decimal(at, v, places))))
            }
            (From::FloatColumnReader(reader), Kind::Float, Out::Numbers(out)) => {
                let name = &column.name;
                cells.read(reader, |at, v| {
                    push(out, v.map(|&v| finite(before + at, name, v.into())))
                })
            }
            (From::DoubleColumnReader(reader), Kind::Double, Out::Numbers(out)) => {
                let name = &column.name;
                cells.read(reader, |at, v| push(out, v.map(|&v| finite(before + at, name, v))))
            }
            (From::BoolColumnReader(reader), Kind::Bool, Out::Text(out)) => {
                cells.read(reader, |_, v| match v {
                    Some(true) => out.push("true", meter),
                    Some(false) => out.push("false", meter),
                    None => out.push_missing(meter),
                })
            }
            (From::ByteArrayColumnReader(reader), Kind::Text, Out::Text(out)) => {
                let name = &column.name;
                cells.read(reader, |at, v| {
                    let Some(text) = v else {
                        return out.push_missing(meter);
                    };
                    match std::str::from_utf8(text.data()) {
                        Ok(text) => out.push(text, meter),
                        Err(_) => {
                            let problem =
                                format!("row {}, column '{name}' is not UTF-8", before + at);
                            Err(ErrorKind::BadParquet { problem })
                        }
                    }
                })
            }
            _ => Err(ErrorKind::BadParquet {
                problem: format!("column '{}' has changed", column.name),
            }),
        }
    }
}

/// Rows to read of a column.
struct Cells<'a> {
    /// Number of rows of the group that were read before.
    at: &'a mut usize,
    column: &'a Column,
    rows: usize,
}

impl Cells<'_> {
    /// Calls `each` for the rows, with their number in the group (from 1) and their cell.
    fn read<T: DataType>(
        &mut self,
        reader: &mut ColumnReaderImpl<T>,
        mut each: impl FnMut(usize, Option<&T::T>) -> Result<(), ErrorKind>,
    ) -> Result<(), ErrorKind> {
        let (column, start) = (self.column, *self.at);
        let (mut levels, mut values) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
        let mut row = 0;
        while row < self.rows {
            levels.clear();
            values.clear();
            let wanted = BATCH.min(self.rows - row);
            let levels_out = column.nulls.then_some(&mut levels);
            let (found, ..) =
                reader.read_records(wanted, levels_out, None, &mut values).map_err(failed)?;
            if found == 0 || found > wanted {
                break;
            }
            let mut values = values.iter();
            for at in start + row..start + row + found {
                let there = !column.nulls || levels.get(at - start - row) == Some(&1);
                let value = if there { values.next() } else { None };
                if there && value.is_none() {
                    return Err(column.short_of(at));
                }
                each(at + 1, value)?;
            }
            row += found;
        }
        *self.at += row;
        if row == self.rows { Ok(()) } else { Err(column.short_of(*self.at)) }
    }
}

impl Column {
    fn short_of(&self, rows: usize) -> ErrorKind {
        ErrorKind::BadParquet {
            problem: format!("a row group ends after {rows} rows in column '{}'", self.name),
        }
    }
}

/// Refuses infinity, as every reader does; NaN is a missing cell.
fn finite(row: usize, column: &str, value: f64) -> Result<f64, ErrorKind> {
    if value.is_infinite() {
        let kind = halfseen::ErrorKind::NotFinite { row, column: column.to_owned(), value };
        return Err(ErrorKind::Library(kind.into()));
    }
    Ok(value)
}

pub(super) fn failed(error: parquet::errors::ParquetError) -> ErrorKind {
    ErrorKind::BadParquet { problem: error.to_string() }
}
