//! Describes how a CSV file was read, where that is not obvious.

use crate::text::csv::Decimal;
use halfseen::error::{list, short};
use std::fmt;

/// Remark on how a CSV file was read; [`fmt::Display`] makes a sentence of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// Columns are not separated by commas.
    Separated {
        /// The separator that was found.
        by: u8,
    },
    /// Columns of numbers with a decimal comma, or with thousands in groups.
    Numbers {
        /// The decimal sign.
        decimal: Decimal,
        /// Names of the columns.
        columns: Vec<String>,
        /// The first such cell.
        example: String,
    },
    /// Cells of a column of numbers that count as missing because of their spelling.
    Missing {
        /// Name of the column.
        column: String,
        /// Spellings, and the number of cells of each.
        spellings: Vec<(String, usize)>,
    },
    /// The first column has no name and counts the rows; it was left out.
    Index,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::Separated { by } => {
                write!(f, "the columns are separated by {} (--delimiter)", separator(*by))
            }
            Remark::Numbers { decimal, columns, example } => {
                let (sign, other) = match decimal {
                    Decimal::Comma => ("decimal comma", "point"),
                    Decimal::Point => ("decimal point, commas between thousands", "comma"),
                };
                let word = if columns.len() == 1 { "column" } else { "columns" };
                write!(
                    f,
                    "{word} {}: numbers with {sign}, as in '{}'; --decimal {other} reads them otherwise",
                    list(columns),
                    short(example)
                )
            }
            Remark::Missing { column, spellings } => {
                let each: Vec<String> = spellings
                    .iter()
                    .map(|(text, cells)| format!("'{}' in {cells}", short(text)))
                    .collect();
                let cells: usize = spellings.iter().map(|(_, cells)| cells).sum();
                let word = if cells == 1 { "cell" } else { "cells" };
                write!(
                    f,
                    "column '{}': {cells} {word} among numbers count as missing: {}",
                    short(column),
                    list(&each)
                )
            }
            Remark::Index => {
                f.write_str("the first column has no name and counts the rows; it is left out")
            }
        }
    }
}

/// Returns the name of a separator.
fn separator(by: u8) -> String {
    match by {
        b',' => "commas".into(),
        b';' => "semicolons".into(),
        b'\t' => "tabs".into(),
        b'|' => "vertical bars".into(),
        other => format!("'{}'", char::from(other)),
    }
}
