//! Reads a table in batches of rows, so that memory does not grow with the file.

use crate::error::Result;
use crate::meter::Meter;
#[cfg(feature = "parquet")]
use crate::parquet;
use crate::source::Source;
use crate::text::csv::{self, CsvOptions};
use crate::text::remark::Remark;
use crate::text::sniff::{Format, recognise};
use crate::text::svmlight::{self, SvmlightOptions};
use crate::wanted::Wanted;
use halfseen::data::Table;

/// Number of cells of a batch: 8 MB of numbers.
const CELLS: usize = 1 << 20;

/// Rows of a file in batches, in their order: tables of the wanted columns.
pub struct Batches<'s> {
    source: &'s Source<'s>,
    format: Batched<'s>,
    left_out: Vec<String>,
    /// Number of rows of a batch.
    size: usize,
    /// Number of rows of all batches so far.
    read: usize,
}

enum Batched<'s> {
    Csv(csv::Batches<'s>),
    Svmlight(svmlight::Batches<'s>),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::Batches<'s>>),
}

/// Some consecutive rows of a file.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The rows.
    pub rows: Table,
    /// Number of rows of the file before them.
    pub before: usize,
}

impl<'s> Batches<'s> {
    /// Opens a file, whose format is recognised by content. Returns also remarks on how the file is
    /// read.
    ///
    /// A column of a CSV file that is wanted as numbers is read by how the first rows, up to
    /// 10,000, write numbers. From a pipe only these are kept in memory.
    ///
    /// # Errors
    /// As for [`read_data`](crate::read_data), as far as the first rows show them.
    pub fn open(
        source: &'s Source<'s>,
        options: &CsvOptions,
        wanted: &Wanted,
    ) -> Result<(Self, Vec<Remark>)> {
        let mut remarks = Vec::new();
        let mut left_out = Vec::new();
        let format = match options.delimiter {
            Some(_) => Format::Csv,
            None => recognise(source)?,
        };
        let format = match format {
            Format::Csv => {
                let batches = csv::Batches::open(source, options, wanted, &mut remarks)?;
                left_out = batches.left_out().to_vec();
                Batched::Csv(batches)
            }
            Format::Svmlight => {
                // A batch has the columns that are wanted, whatever its largest index.
                let index = |name: &String| name.strip_prefix('f')?.parse().ok();
                let columns = wanted.numbers.iter().filter_map(index).max().unwrap_or(0);
                let options = SvmlightOptions { columns, ..SvmlightOptions::default() };
                Batched::Svmlight(svmlight::Batches::open(source, options, Meter::default(), true)?)
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let named = |name: &str| wanted.kind(name) != crate::wanted::Kind::Out;
                let batches = parquet::Batches::open(source, &named)?;
                left_out = batches.left_out().to_vec();
                Batched::Parquet(Box::new(batches))
            }
        };
        let columns = match &format {
            Batched::Csv(batches) => batches.columns(),
            #[cfg(feature = "parquet")]
            Batched::Parquet(batches) => batches.columns(),
            // Rows of SVMlight are sparse.
            Batched::Svmlight(_) => wanted.numbers.len() + wanted.texts.len(),
        };
        let size = (CELLS / columns.max(1)).clamp(1, CELLS / 16);
        Ok((Batches { source, format, left_out, size, read: 0 }, remarks))
    }

    /// Sets the largest number of rows of a batch, at least 1. Default: as many as take 8 MB.
    #[must_use]
    pub fn of_rows(self, rows: usize) -> Self {
        Batches { size: rows.max(1), ..self }
    }

    /// Lowers the largest number of rows of a batch to this number, at least 1.
    #[must_use]
    pub fn up_to_rows(self, rows: usize) -> Self {
        Batches { size: self.size.min(rows.max(1)), ..self }
    }

    /// Returns the next rows; `None` at the end.
    ///
    /// # Errors
    /// As for [`read_data`](crate::read_data); a cell that is no number in a column that is wanted as
    /// numbers, with its place.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        let (size, before) = (self.size, self.read);
        let table = match &mut self.format {
            Batched::Csv(batches) => batches.next(size)?,
            Batched::Svmlight(batches) => batches.next(size)?,
            #[cfg(feature = "parquet")]
            Batched::Parquet(batches) => batches.next(size)?,
        };
        self.read += table.as_ref().map_or(0, Table::rows);
        Ok(table.map(|rows| Batch { rows, before }))
    }

    /// Returns the names of the columns that are not wanted and were not read.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Returns how much is read and how much there is, in bytes or rows; `None` if that is unknown.
    pub fn progress(&self) -> Option<(u64, u64)> {
        match &self.format {
            #[cfg(feature = "parquet")]
            Batched::Parquet(batches) => Some(batches.progress()),
            _ => self.source.progress(),
        }
    }
}
