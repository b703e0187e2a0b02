//! Reads SVMlight (LIBSVM) rows into a sparse table with the column `label`.
//!
//! **The format.** One row per line, `label [qid:query] index:value index:value ... # comment`,
//! parts separated by blanks or tabs; indices increase. Blank lines and lines of comments are
//! skipped. Gzip is recognised by content.
//!
//! **Absent is zero, not missing.** A cell that a row does not name is 0: that is the format's
//! convention, and what makes the table sparse. A missing cell has to be written, as `nan` (or `NA`
//! or `?`).
//!
//! **Columns.** The attribute of index i is called `f`i; there are `f1` to the largest index of the
//! file. Indices count from 1, unless the file names an index 0: then there is `f0` too. So a name
//! never depends on what other rows hold. Behind them stand `label`, and `qid` (missing where a row
//! has none) if any row has one. A test file may end at a smaller index than the file it belongs
//! to; [`SvmlightOptions::columns`] makes them equal.

mod row;

pub(crate) use row::resembles;

use crate::csv::cell::Value;
use crate::error::{ErrorKind, Result};
use crate::lines::Lines;
use crate::source::Source;
use halfseen::data::{Csr, Matrix, Table};

/// How to read SVMlight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SvmlightOptions {
    /// The most bytes that one line may have. Default: 16 MiB.
    pub line_limit: usize,
    /// The largest index. Entries are cheap, but every column up to the largest index needs a name:
    /// about 100 bytes each. Default: 4 194 304.
    pub column_limit: usize,
    /// The table has at least the columns up to this index, whatever the file holds. Default: 0.
    pub columns: usize,
}

impl Default for SvmlightOptions {
    fn default() -> Self {
        Self { line_limit: 16 << 20, column_limit: 1 << 22, columns: 0 }
    }
}

/// Reads SVMlight rows, gzipped or not, into a sparse table of shape (n_examples, n_attributes)
/// with the columns `label` and perhaps `qid` beside it.
///
/// # Errors
/// If the file cannot be read or unpacked, is empty, a line is too long or not as the format has
/// it, a row's indices do not increase, an index is beyond the limit, or a number is infinite.
pub fn read_svmlight<'a>(
    source: impl Into<Source<'a>>,
    options: &SvmlightOptions,
) -> Result<Table> {
    let source = source.into();
    let mut lines = Lines::new(source.open()?, options.line_limit)?;
    let mut rows = Rows::new(options);
    while let Some((number, line)) = lines.next()? {
        if let Err(kind) = rows.push(number, line) {
            return Err(lines.fail(kind));
        }
    }
    if rows.labels.is_empty() {
        return Err(lines.fail(ErrorKind::Empty));
    }
    rows.into_table().map_err(|e| source.fail(ErrorKind::Library(e)))
}

/// The rows read so far.
struct Rows {
    starts: Vec<usize>,
    /// As written: whether index 0 occurs is known at the end only.
    indices: Vec<u32>,
    values: Vec<f64>,
    labels: Vec<f64>,
    queries: Vec<f64>,
    largest: u32,
    limit: u32,
    from_zero: bool,
    has_queries: bool,
}

impl Rows {
    fn new(options: &SvmlightOptions) -> Self {
        let limit = u32::try_from(options.column_limit).unwrap_or(u32::MAX - 1).min(u32::MAX - 1);
        Rows {
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            labels: Vec::new(),
            queries: Vec::new(),
            largest: u32::try_from(options.columns).unwrap_or(u32::MAX).min(limit),
            limit,
            from_zero: false,
            has_queries: false,
        }
    }

    fn push(&mut self, number: u64, line: &[u8]) -> Result<(), ErrorKind> {
        let Some(row) = row::parse(number, line)? else { return Ok(()) };
        self.labels.push(row.label);
        self.queries.push(row.query.unwrap_or(f64::NAN));
        self.has_queries |= row.query.is_some();
        let mut next = 0;
        for pair in row.pairs(number) {
            let pair = pair?;
            let index = self.index(number, pair.index)?;
            if index < next {
                let text = String::from_utf8_lossy(pair.index).into_owned();
                let problem =
                    "is no larger index than the one before it; sort the row, name each index once";
                return Err(ErrorKind::Malformed { line: number, text, problem });
            }
            next = index + 1;
            self.indices.push(index);
            self.values.push(match pair.value {
                Value::Number(value) => value,
                Value::Missing | Value::Text => f64::NAN, // pairs hold no text
                Value::Infinite => {
                    let (row, column) = (self.labels.len(), format!("f{index}"));
                    let text = String::from_utf8_lossy(pair.text).into_owned();
                    return Err(ErrorKind::NotFinite { row, line: number, column, text });
                }
            });
            self.from_zero |= index == 0;
            self.largest = self.largest.max(index);
        }
        self.starts.push(self.indices.len());
        Ok(())
    }

    fn index(&self, line: u64, digits: &[u8]) -> Result<u32, ErrorKind> {
        let index = digits.iter().try_fold(0_u32, |index, digit| {
            index
                .checked_mul(10)
                .and_then(|i| i.checked_add(u32::from(digit - b'0')))
                .filter(|&i| i <= self.limit)
        });
        index.ok_or_else(|| {
            let index = String::from_utf8_lossy(&digits[..digits.len().min(20)]).into_owned();
            ErrorKind::TooManyColumns { line, index, limit: self.limit as usize }
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
