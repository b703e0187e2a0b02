//! Reads the cells of one column of one row group, in batches.

use super::kinds::{Column, Kind};
use super::pages::Checked;
use crate::csv::text::TextBuilder;
use crate::error::ErrorKind;
use crate::meter::Meter;
use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReaderImpl, get_column_reader, get_typed_column_reader};
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::schema::types::ColumnDescPtr;

/// Number of cells decoded at a time; they fit into the second-level cache.
const BATCH: usize = 4096;

/// Largest integer up to which all integers are exact doubles.
const EXACT: u64 = 1 << 53;

/// One column of one row group.
pub(super) struct Chunk<'a> {
    pub column: &'a Column,
    pub descriptor: ColumnDescPtr,
    pub pages: Box<dyn PageReader>,
    /// Number of rows of the group.
    pub rows: usize,
    /// Number of rows of previous groups, for places in errors.
    pub before: usize,
}

pub(super) enum Out<'a> {
    Numbers(&'a mut Vec<f64>),
    Text(&'a mut TextBuilder),
}

impl Chunk<'_> {
    /// Appends exactly the rows of the group to `out`; missing numbers are NaN.
    pub(super) fn read(self, out: Out<'_>, meter: &Meter) -> Result<(), ErrorKind> {
        let (column, before) = (self.column, self.before);
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
        match (column.kind, out) {
            (Kind::Int32, Out::Numbers(out)) => {
                self.cells::<Int32Type>(|_, v| push(out, v.map(|&v| Ok(v.into()))))
            }
            (Kind::UInt32, Out::Numbers(out)) => {
                self.cells::<Int32Type>(|_, v| push(out, v.map(|&v| Ok((v as u32).into()))))
            }
            (Kind::Int64, Out::Numbers(out)) => {
                self.cells::<Int64Type>(|at, v| push(out, v.map(|&v| signed(at, v))))
            }
            (Kind::UInt64, Out::Numbers(out)) => self.cells::<Int64Type>(|at, v| {
                let exact = |&v: &i64| match v as u64 {
                    v @ 0..=EXACT => Ok(v as f64),
                    v => Err(inexact(at, v.to_string())),
                };
                push(out, v.map(exact))
            }),
            (Kind::Decimal32(places), Out::Numbers(out)) => self
                .cells::<Int32Type>(|at, v| push(out, v.map(|&v| decimal(at, v.into(), places)))),
            (Kind::Decimal64(places), Out::Numbers(out)) => {
                self.cells::<Int64Type>(|at, v| push(out, v.map(|&v| decimal(at, v, places))))
            }
            (Kind::Float, Out::Numbers(out)) => {
                let name = &column.name;
                self.cells::<FloatType>(|at, v| {
                    push(out, v.map(|&v| finite(before + at, name, v.into())))
                })
            }
            (Kind::Double, Out::Numbers(out)) => {
                let name = &column.name;
                self.cells::<DoubleType>(|at, v| {
                    push(out, v.map(|&v| finite(before + at, name, v)))
                })
            }
            (Kind::Bool, Out::Text(out)) => self.cells::<BoolType>(|_, v| match v {
                Some(true) => out.push("true", meter),
                Some(false) => out.push("false", meter),
                None => out.push_missing(meter),
            }),
            (Kind::Text, Out::Text(out)) => {
                let name = &column.name;
                self.cells::<ByteArrayType>(|at, v| {
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

    /// Calls `each` for every row, with its number in the group (from 1) and its cell.
    fn cells<T: DataType>(
        self,
        mut each: impl FnMut(usize, Option<&T::T>) -> Result<(), ErrorKind>,
    ) -> Result<(), ErrorKind> {
        let reader = get_column_reader(self.descriptor, Box::new(Checked(self.pages)));
        let mut reader: ColumnReaderImpl<T> = get_typed_column_reader(reader);
        let (mut levels, mut values) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
        let mut row = 0;
        while row < self.rows {
            levels.clear();
            values.clear();
            let wanted = BATCH.min(self.rows - row);
            let levels_out = self.column.nulls.then_some(&mut levels);
            let (found, ..) =
                reader.read_records(wanted, levels_out, None, &mut values).map_err(failed)?;
            if found == 0 || found > wanted {
                break;
            }
            let mut values = values.iter();
            for at in 0..found {
                let there = !self.column.nulls || levels.get(at) == Some(&1);
                let value = if there { values.next() } else { None };
                if there && value.is_none() {
                    return Err(self.column.short_of(row + at));
                }
                each(row + at + 1, value)?;
            }
            row += found;
        }
        if row == self.rows { Ok(()) } else { Err(self.column.short_of(row)) }
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
