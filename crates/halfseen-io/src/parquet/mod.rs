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

mod builder;
mod footer;
mod groups;
mod kinds;
mod pages;
mod values;

use crate::error::{ErrorKind, Result};
use crate::meter::Meter;
use crate::source::Source;
use builder::Builder;
use groups::Groups;
use halfseen::data::Table;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

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
    let file = source.raw()?;
    caught(&source, || {
        let mut groups = Groups::open(file, &|_| true)?;
        let mut builder = groups.builder(source.meter().clone())?;
        builder.check_room(groups.total, groups.largest, options.limit(groups.bytes))?;
        groups.read(&mut builder, usize::MAX)?;
        if builder.rows() == 0 {
            return Err(ErrorKind::NoRows { columns: groups.width() });
        }
        builder.take().map_err(ErrorKind::Library)
    })
}

/// Rows of a Parquet file in batches; only the wanted columns are decoded.
pub(crate) struct Batches<'s> {
    source: &'s Source<'s>,
    groups: Groups,
    builder: Builder,
}

impl<'s> Batches<'s> {
    pub(crate) fn open(source: &'s Source<'s>, wanted: &dyn Fn(&str) -> bool) -> Result<Self> {
        let file = source.raw()?;
        caught(source, || {
            let groups = Groups::open(file, wanted)?;
            if groups.total == 0 {
                return Err(ErrorKind::NoRows { columns: groups.width() });
            }
            let builder = groups.builder(Meter::default())?;
            Ok(Batches { source, groups, builder })
        })
    }

    /// Returns a table of at most so many of the next rows; `None` at the end.
    pub(crate) fn next(&mut self, rows: usize) -> Result<Option<Table>> {
        let (groups, builder) = (&mut self.groups, &mut self.builder);
        caught(self.source, || {
            groups.read(builder, rows)?;
            let taken = (builder.rows() > 0).then(|| builder.take().map_err(ErrorKind::Library));
            taken.transpose()
        })
    }

    /// Returns the names of the columns that are not wanted.
    pub(crate) fn left_out(&self) -> &[String] {
        &self.groups.left_out
    }

    /// Returns the number of columns of a batch.
    pub(crate) fn columns(&self) -> usize {
        self.groups.width() - self.groups.left_out.len()
    }

    /// Returns the number of rows read, and of all.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.groups.read as u64, self.groups.total as u64)
    }
}

/// Runs work of the decoder, whose panics become errors. Nothing that the work touches may be used
/// after an error.
fn caught<T>(source: &Source<'_>, work: impl FnOnce() -> Result<T, ErrorKind>) -> Result<T> {
    let failed = || Err(ErrorKind::damaged_parquet("the decoder failed"));
    quietly(work).unwrap_or_else(failed).map_err(|kind| source.fail(kind))
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
