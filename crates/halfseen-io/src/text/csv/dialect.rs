//! Describes how the cells of a file are written.

use super::cell::Value;
use super::numbers::{Decimal, number};

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
    /// Returns the dialect of plain CSV with another separator.
    pub(super) fn separated(by: u8) -> Dialect {
        Dialect { by, decimal: None, missing: Vec::new() }
    }

    /// Returns true if cells need no second look, and numbers hold no separator.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        let in_numbers = !self.by.is_ascii_punctuation() || matches!(self.by, b'-' | b'.' | b'"');
        self.decimal.is_none() && self.missing.is_empty() && (self.by == b'\t' || !in_numbers)
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
