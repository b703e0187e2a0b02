//! Reads Parquet into a table.
//!
//! **Columns.** Integers, floats and decimals of at most 64 bits are numbers; strings and booleans
//! (`true`, `false`) are text, as in CSV. Null is missing, and so is a numeric NaN; strings are
//! kept unchanged, even if empty or `NA`. Integers beyond 2^53 are refused, because doubles cannot
//! represent all of them; a decimal becomes the nearest double. Infinity is refused. Nested
//! columns, dates, times, raw bytes and half precision are refused by name.
//!
//! **Storage.** Pages may be plain or compressed by snappy, gzip, zstd or LZ4; encryption, brotli
//! and the delta encodings of strings are not supported.
//!
//! **Hostile files.** The `parquet` crate decodes the file and asserts what a damaged file may
//! violate. Panics inside it are caught and become errors; causes of an abort (recursion,
//! reservation of claimed sizes) are checked before, in `footer.rs` and `pages.rs`. Storage grows
//! with the decoded rows, not with the claimed number; a claim of more than
//! [`halfseen::memory::limit`] is refused at once. A few bytes can describe millions of equal cells,
//! so [`ParquetOptions::cell_limit`] limits tables. A page may decompress to 2 GiB, the
//! largest size that its header can state.

mod footer;
mod kinds;
mod pages;
mod values;

use crate::csv::text::TextBuilder;
use crate::error::{ErrorKind, Result};
use crate::meter::Meter;
use crate::source::{Raw, Source};
use bytes::Bytes;
use halfseen::data::{Column, Matrix, Place, Table};
use kinds::Kind;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use std::cell::Cell;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use values::{Chunk, Out, failed};

/// Options for reading Parquet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParquetOptions {
    /// Largest number of cells (rows times columns, 8 bytes each). Default: 64 per byte of the
    /// file, at least 67 108 864.
    pub cell_limit: Option<usize>,
}

impl ParquetOptions {
    fn limit(&self, bytes: u64) -> usize {
        let default = usize::try_from(bytes).unwrap_or(usize::MAX).saturating_mul(64).max(1 << 26);
        self.cell_limit.unwrap_or(default)
    }
}

/// Reads a Parquet file into a table of shape (n_examples, n_columns).
///
/// All numeric columns are in one matrix of f64, in the order of the file; missing cells are NaN.
///
/// # Errors
/// If the file cannot be read, is damaged or truncated, has no row or more cells than the limit; if
/// a column is nested or of an unsupported type (see the module), two columns share a name, an
/// integer is beyond 2^53 or a number is infinite.
pub fn read_parquet<'a>(source: impl Into<Source<'a>>, options: &ParquetOptions) -> Result<Table> {
    let source = source.into().rewindable()?;
    let meter = source.meter().clone();
    // Nothing that the closure touches is used after a panic.
    let read = quietly(|| match source.raw()? {
        Raw::File(file) => {
            footer::check(&file).map_err(|kind| source.fail(kind))?;
            read(file, options, meter).map_err(|kind| source.fail(kind))
        }
        Raw::Bytes(bytes) => {
            footer::check(Cursor::new(&bytes)).map_err(|kind| source.fail(kind))?;
            read(Bytes::from(bytes), options, meter).map_err(|kind| source.fail(kind))
        }
    });
    read.unwrap_or_else(|| {
        Err(source.fail(ErrorKind::BadParquet { problem: "the decoder failed".into() }))
    })
}

thread_local! {
    /// True while a panic of this thread is caught and becomes an error.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Returns the result of `work`, `None` if it panics, without the report of the panic on stderr.
/// Panics of other threads are reported as before.
fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                report(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(false);
    result.ok()
}

fn read(
    file: impl ChunkReader + 'static,
    options: &ParquetOptions,
    meter: Meter,
) -> Result<Table, ErrorKind> {
    let limit = options.limit(file.len());
    let reader = SerializedFileReader::new(file).map_err(failed)?;
    let metadata = reader.metadata();
    let columns = kinds::columns(metadata)?;
    if columns.is_empty() {
        return Err(ErrorKind::Empty);
    }
    let mut builder = Builder::new(&columns, meter)?;
    builder.make_room(metadata.row_groups(), limit)?;
    for at in 0..reader.num_row_groups() {
        let group = reader.get_row_group(at).map_err(failed)?;
        let rows = rows_of(group.metadata())?;
        if group.metadata().num_columns() != columns.len() {
            return Err(damaged("a row group lacks columns"));
        }
        for (i, column) in columns.iter().enumerate() {
            let chunk = group.metadata().column(i);
            kinds::check_compression(&column.name, chunk.compression())?;
            let descriptor = metadata.file_metadata().schema_descr().column(i);
            let pages = group.get_column_page_reader(i).map_err(failed)?;
            builder.add(i, Chunk { column, descriptor, pages, rows, before: builder.rows })?;
        }
        builder.rows += rows;
    }
    if builder.rows == 0 {
        return Err(ErrorKind::NoRows { columns: columns.len() });
    }
    builder.into_table().map_err(ErrorKind::Library)
}

fn rows_of(group: &RowGroupMetaData) -> Result<usize, ErrorKind> {
    usize::try_from(group.num_rows())
        .map_err(|_| damaged("a row group has a negative number of rows"))
}

fn damaged(problem: &str) -> ErrorKind {
    ErrorKind::BadParquet { problem: problem.to_owned() }
}

struct Builder {
    columns: Vec<Column>,
    /// Row-major cells of complete row groups.
    numbers: Vec<f64>,
    width: usize,
    texts: Vec<TextBuilder>,
    rows: usize,
    /// One column of the current row group.
    column: Vec<f64>,
    meter: Meter,
}

impl Builder {
    fn new(kinds: &[kinds::Column], meter: Meter) -> Result<Self, ErrorKind> {
        let (mut numbers, mut texts) = (0.., 0..);
        let mut place = |kind| match kind {
            Kind::Bool | Kind::Text => texts.next().map(Place::Text),
            _ => numbers.next().map(Place::Number),
        };
        let places =
            kinds.iter().filter_map(|column| Some((column.name.clone(), place(column.kind)?)));
        let columns: Vec<Column> = places.map(|(name, place)| Column { name, place }).collect();
        if let Some(unnamed) = columns.iter().position(|column| column.name.is_empty()) {
            return Err(ErrorKind::UnnamedColumn { column: unnamed + 1 });
        }
        let width = columns.iter().filter(|c| matches!(c.place, Place::Number(_))).count();
        let texts =
            std::iter::repeat_with(TextBuilder::default).take(columns.len() - width).collect();
        // the library's own check of the names, before rows are read
        let names = columns.iter().map(|c| c.name.clone()).collect();
        let none = Matrix::F64(ndarray::Array2::zeros((0, columns.len())));
        Table::from_matrix(none, names).map_err(ErrorKind::Library)?;
        let (numbers, column) = (Vec::new(), Vec::new());
        Ok(Builder { columns, numbers, width, texts, rows: 0, column, meter })
    }

    /// Refuses the claimed rows if they are more cells than `limit`, or take more memory than is
    /// allowed. Claims may be false: room is made as rows are decoded.
    fn make_room(&self, groups: &[RowGroupMetaData], limit: usize) -> Result<(), ErrorKind> {
        let (mut rows, mut largest) = (0_usize, 0);
        for group in groups {
            let more = rows_of(group)?;
            (rows, largest) = (rows.saturating_add(more), largest.max(more));
        }
        if rows.checked_mul(self.columns.len()).is_none_or(|cells| cells > limit) {
            return Err(ErrorKind::TooManyCells { limit });
        }
        let numbers = rows.saturating_mul(self.width).saturating_add(largest);
        let codes = rows.saturating_mul(self.texts.len());
        let bytes = (numbers as u64).saturating_mul(8).saturating_add(4 * codes as u64);
        self.meter.take(bytes, rows)?;
        self.meter.give_back(bytes);
        Ok(())
    }

    /// Appends the cells of one column of the current row group.
    fn add(&mut self, at: usize, chunk: Chunk<'_>) -> Result<(), ErrorKind> {
        match self.columns[at].place {
            Place::Text(at) => chunk.read(Out::Text(&mut self.texts[at]), &self.meter),
            Place::Number(at) => {
                self.column.clear();
                chunk.read(Out::Numbers(&mut self.column), &self.meter)?;
                // reading the first column has shown that the rows exist
                let cells = (self.rows + self.column.len()) * self.width;
                let more = cells - self.numbers.len();
                self.meter.reserve(&mut self.numbers, more, self.rows)?;
                self.numbers.resize(cells, f64::NAN);
                let cells =
                    self.numbers[self.rows * self.width + at..].iter_mut().step_by(self.width);
                cells.zip(&self.column).for_each(|(cell, value)| *cell = *value);
                Ok(())
            }
            Place::Apart(_) => Ok(()),
        }
    }

    fn into_table(self) -> halfseen::Result<Table> {
        let numbers = crate::csv::matrix(self.rows, self.width, self.numbers)?;
        let texts = self.texts.into_iter().map(TextBuilder::finish).collect();
        Table::new(Matrix::F64(numbers), texts, self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_panic_that_becomes_an_error_is_not_reported_and_others_are() {
        let reported = Arc::new(AtomicUsize::new(0));
        let counter = reported.clone();
        let test = std::thread::current().id();
        set_hook(Box::new(move |_| {
            if std::thread::current().id() == test {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        }));
        let fail = || -> usize { panic!("as a decoder does") };
        assert_eq!((quietly(fail), quietly(|| 7)), (None, Some(7)));
        assert_eq!(reported.load(Ordering::Relaxed), 0);
        assert!(catch_unwind(fail).is_err());
        assert_eq!(reported.load(Ordering::Relaxed), 1);
    }
}
