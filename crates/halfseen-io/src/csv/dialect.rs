//! Chooses the separator of a file by its first records, and knows how its cells are written.

use super::CsvOptions;
use super::cell::Value;
use super::numbers::{Decimal, number};
use super::records::Records;
use crate::error::Result;
use crate::source::Source;

/// Separators that are recognised, the preferred ones first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Number of bytes and of records that are inspected.
const HEAD: u64 = 256 << 10;
const RECORDS: usize = 64;

/// Spelling of a file's cells.
#[derive(Debug, Clone)]
pub(super) struct Dialect {
    /// Separator of the columns.
    pub by: u8,
    /// Declared decimal sign.
    pub decimal: Option<Decimal>,
    /// Further spellings of missing cells, in every column.
    pub missing: Vec<String>,
}

impl Dialect {
    /// Returns the declared dialect, with the separator that the first records show unless it was
    /// declared.
    pub(super) fn of(source: &Source<'_>, options: &CsvOptions) -> Result<Dialect> {
        let CsvOptions { record_limit, missing, delimiter, decimal } = options;
        let by = match delimiter {
            Some(by) => *by,
            None => {
                let mut head = Vec::new();
                source.open()?.append(HEAD, &mut head)?;
                separator(&head, *record_limit)
            }
        };
        Ok(Dialect { by, decimal: *decimal, missing: missing.clone() })
    }

    /// Returns the dialect of plain CSV with another separator.
    pub(super) fn separated(by: u8) -> Dialect {
        Dialect { by, decimal: None, missing: Vec::new() }
    }

    /// Returns true if cells need no second look.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.decimal.is_none() && self.missing.is_empty()
    }

    /// Returns the value of a cell that is `value` in plain CSV.
    pub(super) fn value(&self, cell: &[u8], value: Value) -> Value {
        if self.missing.iter().any(|spelling| spelling.as_bytes() == cell) {
            return Value::Missing;
        }
        match (self.decimal, value) {
            (Some(decimal), Value::Number(_) | Value::Text) => {
                number(cell, decimal).map_or(Value::Text, Value::Number)
            }
            _ => value,
        }
    }
}

/// Returns the separator by which all first records have as many fields, two or more, as the
/// header: the one with most fields, the comma before others. Without such a one it is the separator
/// with most fields in the header, so that errors are about the table that was meant.
fn separator(head: &[u8], record_limit: usize) -> u8 {
    let widths = SEPARATORS.map(|by| (by, widths(head, record_limit, by)));
    let even = |widths: &[usize]| {
        widths.first().is_some_and(|&first| first >= 2 && widths.iter().all(|&w| w == first))
    };
    let most = |usable: &dyn Fn(&[usize]) -> bool| {
        let usable = widths.iter().filter(|(_, widths)| usable(widths));
        // The last of equals is the first of the list.
        usable.rev().max_by_key(|(_, widths)| widths.first().copied()).map(|(by, _)| *by)
    };
    let one_by_comma = widths[0].1.first() == Some(&1);
    most(&even)
        .or_else(|| if one_by_comma { most(&|widths| !widths.is_empty()) } else { None })
        .unwrap_or(b',')
}

/// Returns the number of fields of each of the first complete records.
fn widths(head: &[u8], record_limit: usize, by: u8) -> Vec<usize> {
    let source = Source::bytes("", head);
    let mut widths = Vec::new();
    let read = |widths: &mut Vec<usize>| -> Result<bool> {
        let mut records = Records::new(source.open()?, record_limit, Dialect::separated(by))?;
        while widths.len() < RECORDS {
            let Some(record) = records.next()? else { return Ok(true) };
            widths.push(record.split(|_, _, _| ()));
        }
        Ok(false)
    };
    // What cannot be read is refused where the table is.
    let ended = read(&mut widths).unwrap_or(false);
    if ended && head.len() as u64 == HEAD {
        widths.pop();
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_those_of_even_records() {
        for (text, by) in [
            ("", b','),
            ("a\n1\n", b','),
            ("a\n1;2\n", b','),
            ("a,b\n1,2;3\n", b','),
            ("a,b\n1,2,3\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a;b,c;d\n1,5;2;3\n", b';'),
            ("a\tb\n1\t\n", b'\t'),
            ("a|b|c\n1|2|x;y\n", b'|'),
            ("\"a,b\";c\n\"1;1\";2\n", b';'),
            ("a;b\n1;2\n3\n", b';'),
            ("a;b", b';'),
        ] {
            assert_eq!(char::from(separator(text.as_bytes(), 1000)), char::from(by), "{text:?}");
        }
    }
}
