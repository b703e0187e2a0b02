//! Reads SVMlight (LIBSVM) rows into a sparse table with a column `label`.
//!
//! **Format.** One row per line, `label [qid:query] index:value index:value ... # comment`,
//! separated by blanks or tabs; indices increase. Blank lines and comment lines are skipped. Gzip
//! is recognised by content.
//!
//! **Absent is zero, not missing.** A cell that a row omits is 0: this is the convention of the
//! format, and makes the table sparse. A missing cell must be written as `nan`, `NA` or `?`.
//!
//! **Columns.** The attribute of index i is called `f`i; columns run from `f1` to the largest index
//! of the file. Indices count from 1, but an index 0 in the file adds `f0`, so names do not depend
//! on other rows. The columns `label` and, if any row has one, `qid` follow; `qid` is missing where
//! a row has none. A test file may end at a smaller index than its training file;
//! [`SvmlightOptions::columns`] makes them equal.

mod row;

pub(crate) use row::resembles;

use crate::error::{ErrorKind, Result};
use crate::meter::Meter;
use crate::source::Source;
use crate::text::csv::cell::Value;
use crate::text::lines::Lines;
use halfseen::data::{Csr, Matrix, Table};

/// Options for reading SVMlight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SvmlightOptions {
    /// Largest number of bytes of a line. Default: 16 MiB.
    pub line_limit: usize,
    /// Largest index. Every column up to the largest index present needs a name of about 100 bytes.
    /// Default: 4 194 304.
    pub column_limit: usize,
    /// Index up to which columns exist at least, whatever the file holds. Default: 0.
    pub columns: usize,
}

impl Default for SvmlightOptions {
    fn default() -> Self {
        Self { line_limit: 16 << 20, column_limit: 1 << 22, columns: 0 }
    }
}

/// Reads SVMlight rows, gzipped or not, into a sparse table of shape (n_examples, n_attributes)
/// with the additional columns `label` and, if present, `qid`.
///
/// # Errors
/// If the file cannot be read or decompressed, is empty, a line is too long or malformed, the
/// indices of a row do not increase, an index is beyond the limit, or a number is infinite.
pub fn read_svmlight<'a>(
    source: impl Into<Source<'a>>,
    options: &SvmlightOptions,
) -> Result<Table> {
    let source = source.into();
    let mut batches = Batches::open(&source, options.clone(), source.meter().clone(), false)?;
    batches.next(usize::MAX)?.ok_or_else(|| source.fail(ErrorKind::Empty))
}

/// Rows of an SVMlight file in batches, each of the columns up to the largest index so far.
pub(crate) struct Batches<'s> {
    lines: Lines<'s>,
    options: SvmlightOptions,
    rows: Rows,
}

impl<'s> Batches<'s> {
    /// Opens a file, for the last time if `last` is true.
    pub(crate) fn open(
        source: &'s Source<'_>,
        options: SvmlightOptions,
        meter: Meter,
        last: bool,
    ) -> Result<Self> {
        let content = if last { source.open_last()? } else { source.open()? };
        let lines = Lines::new(content, options.line_limit)?;
        let rows = Rows::new(&options, meter);
        Ok(Batches { lines, options, rows })
    }

    /// Returns a table of at most so many of the next rows; `None` at the end.
    pub(crate) fn next(&mut self, rows: usize) -> Result<Option<Table>> {
        while self.rows.labels.len() < rows {
            let Some((number, line)) = self.lines.next()? else { break };
            if let Err(kind) = self.rows.push(number, line) {
                return Err(self.lines.fail(kind));
            }
        }
        if self.rows.labels.is_empty() {
            return Ok(None);
        }
        // Later batches keep the columns of the earlier ones.
        self.options.columns = self.rows.largest as usize;
        let before = self.rows.before + self.rows.labels.len();
        let next = Rows { before, ..Rows::new(&self.options, Meter::default()) };
        let taken = std::mem::replace(&mut self.rows, next);
        taken.into_table().map(Some).map_err(|e| self.lines.fail(ErrorKind::Library(e)))
    }
}

struct Rows {
    /// Number of rows of earlier batches.
    before: usize,
    starts: Vec<usize>,
    /// Indices as written: only the end of the file shows whether index 0 occurs.
    indices: Vec<u32>,
    values: Vec<f64>,
    labels: Vec<f64>,
    queries: Vec<f64>,
    largest: u32,
    limit: u32,
    from_zero: bool,
    has_queries: bool,
    meter: Meter,
}

impl Rows {
    fn new(options: &SvmlightOptions, meter: Meter) -> Self {
        let limit = u32::try_from(options.column_limit).unwrap_or(u32::MAX - 1).min(u32::MAX - 1);
        Rows {
            before: 0,
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            labels: Vec::new(),
            queries: Vec::new(),
            largest: u32::try_from(options.columns).unwrap_or(u32::MAX).min(limit),
            limit,
            from_zero: false,
            has_queries: false,
            meter,
        }
    }

    fn push(&mut self, number: u64, line: &[u8]) -> Result<(), ErrorKind> {
        let Some(mut row) = row::parse(number, line)? else { return Ok(()) };
        let rows = self.labels.len();
        self.meter.push(&mut self.labels, row.label, rows)?;
        self.meter.push(&mut self.queries, row.query.unwrap_or(f64::NAN), rows)?;
        self.has_queries |= row.query.is_some();
        let (first, mut next) = (self.indices.len(), 0);
        loop {
            while let Some((index, value)) = row.pairs.plain(next..=self.limit) {
                self.meter.push(&mut self.indices, index, rows)?;
                self.meter.push(&mut self.values, value, rows)?;
                next = index + 1;
            }
            let Some(pair) = row.pairs.next(number)? else { break };
            let index = self.index(number, pair.index)?;
            if index < next {
                let problem =
                    "is not larger than the previous index; sort the row, and give each index once";
                return Err(row::malformed(number, pair.index, problem));
            }
            next = index + 1;
            self.meter.push(&mut self.indices, index, rows)?;
            let value = match pair.value {
                Value::Number(value) => value,
                Value::Missing | Value::Text => f64::NAN, // pairs hold no text
                Value::Infinite => {
                    let (row, column) = (self.before + self.labels.len(), format!("f{index}"));
                    let text = String::from_utf8_lossy(pair.text);
                    return Err(ErrorKind::not_finite(row, number, column, &text));
                }
            };
            self.meter.push(&mut self.values, value, rows)?;
        }
        self.from_zero |= self.indices.get(first) == Some(&0);
        self.largest = self.largest.max(next.saturating_sub(1));
        self.meter.push(&mut self.starts, self.indices.len(), rows)
    }

    fn index(&self, line: u64, digits: &[u8]) -> Result<u32, ErrorKind> {
        let index = digits.iter().try_fold(0_u32, |index, digit| {
            index
                .checked_mul(10)
                .and_then(|i| i.checked_add(u32::from(digit - b'0')))
                .filter(|&i| i <= self.limit)
        });
        index.ok_or_else(|| {
            let (index, limit) = (&digits[..digits.len().min(20)], self.limit);
            row::malformed(
                line,
                index,
                &format!("is beyond the limit of {limit} columns; number the attributes from 1 on"),
            )
        })
    }

    fn into_table(mut self) -> halfseen::Result<Table> {
        let first = u32::from(!self.from_zero);
        self.indices.iter_mut().for_each(|index| *index -= first);
        let names: Vec<String> = (first..=self.largest).map(|index| format!("f{index}")).collect();
        let sparse = Csr::new(self.starts, self.indices, self.values, names.len())?;
        let table =
            Table::from_matrix(Matrix::Csr(sparse), names)?.with_column("label", self.labels)?;
        if self.has_queries { table.with_column("qid", self.queries) } else { Ok(table) }
    }
}
