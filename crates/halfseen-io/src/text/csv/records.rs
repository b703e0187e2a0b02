//! Splits a CSV file into records, holding one chunk or the longest record at a time.

use super::cell::{self, Cells};
use super::dialect::Dialect;
use super::quoted::{Parsed, Quoted};
use super::short;
use crate::error::{ErrorKind, Result};
use crate::source::Content;
use crate::text::sniff::refuse_foreign;
use memchr::{memchr2_iter, memchr3};

/// Fits into the second-level cache, and makes the cost of system calls negligible.
const CHUNK: usize = 256 << 10;

pub(super) struct Records<'a> {
    content: Content<'a>,
    limit: usize,
    dialect: Dialect,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    quoted: Quoted,
    line: u64,
    after_cr: bool,
}

/// One non-blank record.
pub(super) struct Record<'a> {
    /// Line at which the record starts.
    pub line: u64,
    dialect: &'a Dialect,
    fields: Fields<'a>,
}

enum Fields<'a> {
    Plain(&'a [u8]),
    Quoted(&'a Quoted),
}

impl<'a> Record<'a> {
    /// Gives away every cell; returns the number of cells.
    #[inline]
    pub(super) fn split(&self, cells: &mut impl Cells<'a>) -> usize {
        let dialect = self.dialect;
        match self.fields {
            Fields::Plain(bytes) if dialect.is_plain() => cell::split(bytes, dialect.by, cells),
            Fields::Plain(bytes) => {
                let mut each =
                    |column, cell, value| cells.take(column, cell, dialect.value(cell, value));
                cell::split(bytes, dialect.by, &mut each)
            }
            Fields::Quoted(quoted) => quoted
                .split(|column, cell, value| cells.take(column, cell, dialect.value(cell, value))),
        }
    }
}

impl<'a> Records<'a> {
    /// Starts after a byte order mark; no record may have more than `limit` bytes.
    pub(super) fn new(content: Content<'a>, limit: usize, dialect: Dialect) -> Result<Self> {
        let (buffer, quoted) = (vec![0; CHUNK], Quoted::default());
        let mut records = Self {
            content,
            limit,
            dialect,
            buffer,
            start: 0,
            end: 0,
            at_end: false,
            quoted,
            line: 1,
            after_cr: false,
        };
        records.fill()?;
        let head = &records.buffer[..records.end];
        refuse_foreign(head).map_err(|kind| records.content.fail(kind))?;
        if head.starts_with(b"\xef\xbb\xbf") {
            records.start = 3;
        }
        Ok(records)
    }

    /// Reads the next record if it is plain numbers, an index before them if that is asked for, and is
    /// in the buffer as a whole. Otherwise returns false: the record is still the next one, and the
    /// numbers are anything.
    #[inline]
    pub(super) fn numbers(&mut self, index: &mut [f64], numbers: &mut [f64]) -> bool {
        if !self.dialect.is_plain() {
            return false;
        }
        if self.after_cr && self.buffer[self.start..self.end].first() == Some(&b'\n') {
            (self.start, self.after_cr) = (self.start + 1, false);
        }
        let (pending, by) = (&self.buffer[self.start..self.end], self.dialect.by);
        let (before, at, ended) = short::fill(pending, 0, by, index);
        if before < index.len() || ended {
            return false;
        }
        let (filled, at, ended) = short::fill(pending, at, by, numbers);
        // A number at the end of the buffer may go on.
        if filled < numbers.len() || !ended || at > pending.len().min(self.limit) {
            return false;
        }
        self.after_cr = pending[at - 1] == b'\r';
        (self.line, self.start) = (self.line + 1, self.start + at);
        true
    }

    /// Returns true if all is read.
    pub(super) fn is_over(&self) -> bool {
        self.at_end && self.start == self.end
    }

    /// Returns the next non-blank record.
    pub(super) fn next(&mut self) -> Result<Option<Record<'_>>> {
        loop {
            let pending = &self.buffer[self.start..self.end];
            let (length, taken, quoted) = match memchr3(b'\n', b'\r', b'"', pending) {
                Some(i) if pending[i] == b'"' => {
                    match self.quoted.parse(pending, self.dialect.by, self.at_end) {
                        Parsed::Record(taken) => (taken - 1, taken, true),
                        Parsed::Unclosed => {
                            let problem = "opens a quote that the file never closes; close it, or double it if it is part of the text";
                            return Err(self.bad_record(problem.into()));
                        }
                        Parsed::More => {
                            self.fill()?;
                            continue;
                        }
                    }
                }
                Some(i) => (i, i + 1, false),
                None if !self.at_end => {
                    self.fill()?;
                    continue;
                }
                None if pending.is_empty() => return Ok(None),
                None => (pending.len(), pending.len(), false),
            };
            let line = self.line;
            if length > self.limit {
                return Err(self.too_long());
            }
            let start = self.start;
            self.start += taken;
            self.count_lines(start, quoted);
            if quoted {
                let (dialect, fields) = (&self.dialect, Fields::Quoted(&self.quoted));
                return Ok(Some(Record { line, dialect, fields }));
            }
            if !is_blank(&self.buffer[start..start + length], self.dialect.by) {
                let fields = Fields::Plain(&self.buffer[start..start + length]);
                return Ok(Some(Record { line, dialect: &self.dialect, fields }));
            }
        }
    }

    /// Counts the line ends from `from` to the start of the next record; CR LF counts once.
    fn count_lines(&mut self, from: usize, quoted: bool) {
        let taken = &self.buffer[from..self.start];
        self.line += if quoted {
            // a CR before LF is counted at the LF
            let ends =
                memchr2_iter(b'\n', b'\r', taken).filter(|&i| taken[i..].get(..2) != Some(b"\r\n"));
            ends.count() as u64
        } else {
            u64::from(!(self.after_cr && taken == b"\n"))
        };
        self.after_cr = taken.last() == Some(&b'\r');
    }

    /// Reads more of the record that starts in the buffer.
    fn fill(&mut self) -> Result<()> {
        let pending = self.end - self.start;
        if pending > self.limit {
            return Err(self.too_long());
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, pending);
        if pending == self.buffer.len() {
            // Doubles, because a record is searched again from its start; two bytes beyond the
            // limit suffice to detect a longer record.
            let longer = pending.saturating_mul(2).min(self.limit.saturating_add(2));
            self.buffer.resize(longer, 0);
        }
        let read = self.content.fill(&mut self.buffer[pending..])?;
        self.end += read;
        self.at_end = self.end < self.buffer.len();
        Ok(())
    }

    fn too_long(&self) -> crate::Error {
        let remedy = "close its quotes, or shorten its cells";
        self.bad_record(format!("starts a record longer than {} bytes; {remedy}", self.limit))
    }

    fn bad_record(&self, problem: String) -> crate::Error {
        self.fail(ErrorKind::BadLine { line: self.line, problem })
    }

    pub(super) fn fail(&self, kind: ErrorKind) -> crate::Error {
        self.content.fail(kind)
    }
}

/// Returns true for a line of blanks; tabs that separate columns are none.
fn is_blank(record: &[u8], by: u8) -> bool {
    matches!(record.first(), None | Some(b' ' | b'\t'))
        && cell::trim(record).is_empty()
        && !record.contains(&by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use proptest::prelude::*;

    fn ours(text: &str) -> Result<Vec<Vec<String>>> {
        let source = Source::bytes("t.csv", text.as_bytes());
        let mut records = Records::new(source.open()?, 1000, Dialect::separated(b','))?;
        let mut rows = Vec::new();
        while let Some(record) = records.next()? {
            let mut row = Vec::new();
            record.split(&mut |_, cell: &[u8], _| {
                row.push(String::from_utf8_lossy(cell).into_owned());
            });
            rows.push(row);
        }
        Ok(rows)
    }

    fn of_the_csv_crate(text: &str) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .has_headers(false)
            .from_reader(text.as_bytes());
        reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Without blanks, which only our reader trims, all records are equal.
        #[test]
        fn records_are_those_of_the_csv_crate(text in "[0a,,\"\"\"\n\r]{0,24}") {
            match ours(&text) {
                Ok(rows) => prop_assert_eq!(rows, of_the_csv_crate(&text)),
                // the csv crate accepts an unclosed quote
                Err(error) => prop_assert!(error.to_string().contains("opens a quote"), "{}", error),
            }
        }
    }
}
