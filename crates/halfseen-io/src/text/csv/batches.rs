//! Reads a CSV file in batches of rows, whose columns are numbers or text as a caller wants them.
//!
//! The first [`HEAD`] rows show how numbers are written, and the kinds of columns whose kind is not
//! wanted. They are read twice; the rest is read once.

use super::dialect::Dialect;
use super::inspect::{self, Reading};
use super::records::Records;
use super::rows::Rows;
use super::{CsvOptions, header, optimistic, separator};
use crate::error::{ErrorKind, Result};
use crate::meter::Meter;
use crate::source::Source;
use crate::text::remark::Remark;
use crate::wanted::{Kind, Wanted};
use halfseen::data::Table;

/// Number of rows that show how a file is written; fewer of wide files.
const HEAD: usize = 10_000;

/// Largest number of cells of the head.
const HEAD_CELLS: usize = 1 << 21;

pub(crate) struct Batches<'s> {
    records: Records<'s>,
    rows: Rows,
    /// Number of rows read so far.
    read: usize,
    columns: usize,
    left_out: Vec<String>,
}

impl<'s> Batches<'s> {
    pub(crate) fn open(
        source: &'s Source<'_>,
        options: &CsvOptions,
        wanted: &Wanted,
        remarks: &mut Vec<Remark>,
    ) -> Result<Self> {
        let CsvOptions { record_limit, missing, delimiter, decimal } = options;
        let by = delimiter.map_or_else(|| separator::find(source, *record_limit), Ok)?;
        let dialect = Dialect { by, decimal: *decimal, missing: missing.clone() };
        if delimiter.is_none() && by != b',' {
            remarks.push(Remark::Separated { by });
        }
        let mut head = Records::new(source.open()?, *record_limit, dialect.clone())?;
        let header = header::read(&mut head)?;
        let limit = (HEAD_CELLS / header.names.len()).clamp(1, HEAD);
        let first = optimistic::read(&mut head, &header, limit, source.meter())?;
        drop(head);
        if header.skipped > 0 {
            remarks.push(Remark::Index);
        }
        let names = header.names;
        let kind = |at: usize| wanted.kind(&names[at]);
        let is_open = |at: usize| matches!(kind(at), Kind::Number | Kind::Shown);
        let odd = |at: usize| first.is_text[at] && first.is_odd[at] && is_open(at);
        let readings = if (0..names.len()).any(odd) {
            let mut again = Records::new(source.open()?, *record_limit, dialect.clone())?;
            again.next()?; // the header
            let needed = |at| kind(at) == Kind::Number;
            inspect::read(&mut again, &names, &first, *decimal, needed, remarks)?
        } else {
            let shown = |is_text: &bool| if *is_text { Reading::Text } else { Reading::Plain };
            first.is_text.iter().map(shown).collect()
        };
        let reading = |at: usize| match (kind(at), readings[at]) {
            (Kind::Out, _) => None,
            (Kind::Text, _) => Some(Reading::Text),
            // A text is refused where it stands.
            (Kind::Number, Reading::Text) => Some(Reading::Plain),
            (Kind::Number | Kind::Shown, reading) => Some(reading),
        };
        let columns: Vec<Option<Reading>> = (0..names.len()).map(reading).collect();
        let taken = columns.iter().flatten().count();
        let left_out = (0..names.len()).filter(|at| columns[*at].is_none());
        let left_out = left_out.map(|at| names[at].clone()).collect();
        let rows = Rows::new(&names, &columns, first.skipped, Meter::default());
        let mut records = Records::new(source.open_last()?, *record_limit, dialect)?;
        records.next()?; // the header
        Ok(Batches { records, rows, read: 0, columns: taken, left_out })
    }

    /// Returns a table of at most so many of the next rows; `None` at the end.
    pub(crate) fn next(&mut self, rows: usize) -> Result<Option<Table>> {
        while self.rows.len() < rows {
            if !self.rows.read(self.read + 1, &mut self.records)? {
                break;
            }
            self.read += 1;
        }
        let taken = (self.rows.len() > 0).then(|| self.rows.take());
        taken.transpose().map_err(|e| self.records.fail(ErrorKind::Library(e)))
    }

    /// Returns the number of columns of a batch.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the names of the columns that are not wanted.
    pub(crate) fn left_out(&self) -> &[String] {
        &self.left_out
    }
}
