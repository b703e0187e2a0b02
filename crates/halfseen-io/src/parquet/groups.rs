//! Reads the wanted columns of one row group after the other, some rows at a time.

use super::builder::Builder;
use super::footer;
use super::kinds::{self, Column};
use super::values::{Chunk, failed};
use crate::error::ErrorKind;
use crate::meter::Meter;
use crate::source::Raw;
use bytes::Bytes;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, Length, SerializedFileReader};
use std::io::Cursor;

pub(super) struct Groups {
    reader: Box<dyn FileReader>,
    /// Size of the file.
    pub(super) bytes: u64,
    /// Wanted columns, with their place in the file.
    columns: Vec<(usize, Column)>,
    /// Names of the other columns.
    pub(super) left_out: Vec<String>,
    /// Next row group.
    next: usize,
    /// Columns of the current row group, and its rows that are not read yet.
    chunks: Vec<Chunk>,
    left: usize,
    /// Number of rows read so far.
    pub(super) read: usize,
    /// Number of rows of all groups, and of the largest, as the footer claims.
    pub(super) total: usize,
    pub(super) largest: usize,
}

impl Groups {
    /// Opens a file and checks what its footer says; only wanted columns must be of a known type.
    pub(super) fn open(file: Raw, wanted: &dyn Fn(&str) -> bool) -> Result<Groups, ErrorKind> {
        let (reader, bytes): (Box<dyn FileReader>, u64) = match file {
            Raw::File(file) => {
                footer::check(&file)?;
                let bytes = file.len();
                (Box::new(SerializedFileReader::new(file).map_err(failed)?), bytes)
            }
            Raw::Bytes(bytes) => {
                footer::check(Cursor::new(&bytes))?;
                let length = bytes.len() as u64;
                (Box::new(SerializedFileReader::new(Bytes::from(bytes)).map_err(failed)?), length)
            }
        };
        let metadata = reader.metadata();
        let (columns, left_out) = kinds::columns(metadata, wanted)?;
        if columns.is_empty() && left_out.is_empty() {
            return Err(ErrorKind::Empty);
        }
        let (mut total, mut largest) = (0_usize, 0);
        for group in metadata.row_groups() {
            let rows = rows_of(group)?;
            (total, largest) = (total.saturating_add(rows), largest.max(rows));
        }
        let (next, chunks, left, read) = (0, Vec::new(), 0, 0);
        Ok(Groups { reader, bytes, columns, left_out, next, chunks, left, read, total, largest })
    }

    /// Returns the number of columns of the file.
    pub(super) fn width(&self) -> usize {
        self.columns.len() + self.left_out.len()
    }

    pub(super) fn builder(&self, meter: Meter) -> Result<Builder, ErrorKind> {
        Builder::new(self.columns.iter().map(|(_, column)| column), meter)
    }

    /// Appends the next rows, at most so many.
    pub(super) fn read(&mut self, builder: &mut Builder, rows: usize) -> Result<(), ErrorKind> {
        let mut wanted = rows;
        while wanted > 0 && (self.left > 0 || self.open_next()?) {
            let some = wanted.min(self.left);
            for ((at, (_, column)), chunk) in self.columns.iter().enumerate().zip(&mut self.chunks)
            {
                builder.add(at, |out, meter| chunk.read(column, some, out, meter))?;
            }
            builder.count(some);
            (wanted, self.left, self.read) = (wanted - some, self.left - some, self.read + some);
        }
        Ok(())
    }

    /// Opens the columns of the next row group; returns false at the end.
    fn open_next(&mut self) -> Result<bool, ErrorKind> {
        if self.next == self.reader.num_row_groups() {
            return Ok(false);
        }
        let group = self.reader.get_row_group(self.next).map_err(failed)?;
        let file = self.reader.metadata().file_metadata();
        if group.metadata().num_columns() != file.schema_descr().num_columns() {
            return Err(ErrorKind::damaged_parquet("a row group lacks columns"));
        }
        self.chunks.clear();
        for (at, column) in &self.columns {
            kinds::check_compression(&column.name, group.metadata().column(*at).compression())?;
            let descriptor = file.schema_descr().column(*at);
            let pages = group.get_column_page_reader(*at).map_err(failed)?;
            self.chunks.push(Chunk::new(descriptor, pages, self.read));
        }
        (self.left, self.next) = (rows_of(group.metadata())?, self.next + 1);
        Ok(true)
    }
}

fn rows_of(group: &RowGroupMetaData) -> Result<usize, ErrorKind> {
    let negative = |_| ErrorKind::damaged_parquet("a row group has a negative number of rows");
    usize::try_from(group.num_rows()).map_err(negative)
}
