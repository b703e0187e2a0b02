//! Refuses examples without rows, and bad cells or targets.

use super::Examples;
use crate::error::{Error, ErrorKind, Result};

/// Refuses examples without rows or columns, and targets that are not finite.
pub fn check_shape(examples: &Examples<'_>, learner: &str) -> Result<()> {
    if examples.is_empty() {
        return Err(ErrorKind::TooFewRows { what: learner.to_owned(), least: 1, rows: 0 }.into());
    }
    if examples.columns() == 0 {
        return Err(ErrorKind::NoAttributes.into());
    }
    match (0..examples.len()).find(|&i| !examples.target(i).is_finite()) {
        Some(i) => {
            let row = examples.rows[i] as usize + 1;
            Err(ErrorKind::NotFinite { row, column: "target".into(), value: examples.target(i) }
                .into())
        }
        None => Ok(()),
    }
}

/// Refuses a row with a missing or infinite cell.
pub fn check_row(examples: &Examples<'_>, example: usize, row: &[f64]) -> Result<()> {
    match row.iter().position(|v| !v.is_finite()) {
        Some(column) => Err(bad_cell(examples, example, column, row[column])),
        None => Ok(()),
    }
}

/// Returns the error for a scaled cell that is not finite.
pub fn bad_cell(examples: &Examples<'_>, example: usize, at: usize, value: f64) -> Error {
    let layout = examples.layout;
    let slot = layout.slot(at);
    let panel = (0..layout.panels()).find(|&p| layout.slots_of(p).contains(&slot));
    let row = examples.rows[example] as usize + 1;
    let column = panel.map_or_else(|| format!("column {}", at + 1), |p| layout.name(p).to_owned());
    let raw = examples.matrix.get(row - 1, at);
    if raw.is_finite() {
        // Scaling overflowed.
        ErrorKind::TooLarge { row, column, value: raw }.into()
    } else if value.is_nan() {
        ErrorKind::MissingCell { row, column }.into()
    } else {
        ErrorKind::NotFinite { row, column, value }.into()
    }
}
