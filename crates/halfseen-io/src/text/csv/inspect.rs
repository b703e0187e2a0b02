//! Decides how columns are read that hold both numbers and what may stand for one.

use super::cell::Value;
use super::numbers::{Decimal, is_missing, number};
use super::optimistic::FirstPass;
use super::records::Records;
use crate::error::{ErrorKind, Result};
use crate::text::remark::Remark;
use halfseen::error::short;
use std::collections::BTreeMap;

/// Kind of a column, and how its numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Text,
    /// Numbers as in plain CSV, or by the declared sign.
    Plain,
    /// Numbers by this sign.
    By(Decimal),
}

/// Evidence about a column that may be numbers.
#[derive(Default)]
struct Evidence {
    numbers: usize,
    missing: BTreeMap<String, usize>,
    /// Cells that are no number by this sign.
    not_point: usize,
    not_comma: usize,
    /// First cell that is a number by both signs, and not the same one: row, line and text.
    either: Option<(usize, u64, String)>,
    /// First cell that is a number by one sign alone.
    example: Option<String>,
    /// First cell that is no number with a decimal point: row, line and text.
    stray: Option<(usize, u64, String)>,
}

impl Evidence {
    fn note(&mut self, row: usize, line: u64, cell: &[u8], plain: Option<f64>) {
        let text = || String::from_utf8_lossy(cell).into_owned();
        let (point, comma) =
            (plain.or_else(|| number(cell, Decimal::Point)), number(cell, Decimal::Comma));
        self.numbers += 1;
        self.not_point += usize::from(point.is_none());
        self.not_comma += usize::from(comma.is_none());
        if point.is_none() {
            self.stray.get_or_insert_with(|| (row, line, text()));
        }
        if point.is_none() != comma.is_none() {
            self.example.get_or_insert_with(text);
        } else if point != comma {
            self.either.get_or_insert_with(|| (row, line, text()));
        }
    }

    /// Returns true if all cells are numbers by this sign, and some by this sign alone.
    fn shows(&self, decimal: Decimal) -> bool {
        let (not_this, not_other) = match decimal {
            Decimal::Point => (self.not_point, self.not_comma),
            Decimal::Comma => (self.not_comma, self.not_point),
        };
        not_this == 0 && not_other > 0
    }
}

/// Reads the records of the first pass once more; returns the reading of each column. A column that
/// is not `needed` is text where its cells are written in two ways.
pub(super) fn read(
    records: &mut Records<'_>,
    names: &[String],
    first: &FirstPass,
    declared: Option<Decimal>,
    needed: impl Fn(usize) -> bool,
    remarks: &mut Vec<Remark>,
) -> Result<Vec<Reading>> {
    let mut columns: Vec<Option<Evidence>> = first
        .is_text
        .iter()
        .zip(&first.is_odd)
        .map(|(text, odd)| (!text || *odd).then(Evidence::default))
        .collect();
    for row in 1..=first.rows {
        let Some(record) = records.next()? else { break };
        let line = record.line;
        record.split(&mut |column: usize, cell: &[u8], value| {
            let at = column.wrapping_sub(first.skipped);
            let Some(Some(evidence)) = columns.get_mut(at) else { return };
            match value {
                Value::Missing | Value::Infinite => {}
                Value::Text if is_missing(cell) => {
                    *evidence
                        .missing
                        .entry(String::from_utf8_lossy(cell).into_owned())
                        .or_default() += 1;
                }
                Value::Number(number) => evidence.note(row, line, cell, Some(number)),
                Value::Text => evidence.note(row, line, cell, None),
            }
        });
    }
    let shown = |decimal| columns.iter().flatten().any(|column| column.shows(decimal));
    let file = match (shown(Decimal::Point), shown(Decimal::Comma)) {
        (true, false) => Some(Decimal::Point),
        (false, true) => Some(Decimal::Comma),
        _ => None,
    };
    let mut readings = Vec::with_capacity(names.len());
    for (at, column) in columns.iter().enumerate() {
        let reading = match column {
            Some(evidence) => decide(evidence, first.is_text[at], declared, file),
            None => Some(Reading::Text),
        };
        let reading = reading.or((!needed(at)).then_some(Reading::Text)).ok_or_else(|| {
            let (either, stray) =
                column.as_ref().map_or((None, None), |c| (c.either.clone(), c.stray.clone()));
            let name = names[at].clone();
            records.fail(match (stray, either) {
                (Some((row, line, text)), _) => ErrorKind::not_number(row, line, name, &text),
                (None, either) => {
                    let (row, line, text) = either.unwrap_or_default();
                    let problem = format!(
                        "'{}' may have a decimal comma or a comma between thousands; say which (in the program --decimal comma or --decimal point)",
                        short(&text)
                    );
                    ErrorKind::BadCell { row, line: Some(line), column: name, problem }
                }
            })
        });
        readings.push(reading?);
    }
    tell(names, columns, &readings, remarks);
    Ok(readings)
}

/// Returns the reading of a column; `None` if its cells are written in two ways, or it cannot be
/// known in which.
fn decide(
    evidence: &Evidence,
    is_text: bool,
    declared: Option<Decimal>,
    file: Option<Decimal>,
) -> Option<Reading> {
    let Evidence { numbers, not_point, not_comma, either, .. } = evidence;
    if let Some(decimal) = declared {
        let strays = match decimal {
            Decimal::Point => not_point,
            Decimal::Comma => not_comma,
        };
        let text = is_text && (*numbers == 0 || *strays > 0);
        return Some(if text { Reading::Text } else { Reading::Plain });
    }
    if !is_text {
        // In a file with decimal commas, 1.234 is a thousand and more.
        let thousands = either.is_some() && *not_comma == 0 && file == Some(Decimal::Comma);
        return Some(if thousands { Reading::By(Decimal::Comma) } else { Reading::Plain });
    }
    match (*not_point == 0, *not_comma == 0) {
        _ if *numbers == 0 => Some(Reading::Text),
        (false, false) => None,
        (true, false) => Some(Reading::By(Decimal::Point)),
        (false, true) => Some(Reading::By(Decimal::Comma)),
        (true, true) if either.is_none() => Some(Reading::Plain),
        (true, true) => file.map(Reading::By),
    }
}

/// Adds the remarks on the columns.
fn tell(
    names: &[String],
    columns: Vec<Option<Evidence>>,
    readings: &[Reading],
    remarks: &mut Vec<Remark>,
) {
    for decimal in [Decimal::Comma, Decimal::Point] {
        let odd = |evidence: &Evidence| {
            evidence.either.as_ref().map(|(.., text)| text.clone()).or(evidence.example.clone())
        };
        let of = columns.iter().zip(readings).enumerate();
        let examples: Vec<(usize, String)> = of
            .filter(|(_, (_, reading))| **reading == Reading::By(decimal))
            .filter_map(|(at, (column, _))| Some((at, column.as_ref().and_then(odd)?)))
            // Numbers with a decimal point and nothing else need no remark.
            .filter(|(_, example)| decimal == Decimal::Comma || example.contains(','))
            .collect();
        if let Some((_, example)) = examples.first() {
            let columns = examples.iter().map(|(at, _)| names[*at].clone()).collect();
            remarks.push(Remark::Numbers { decimal, columns, example: example.clone() });
        }
    }
    for ((name, column), reading) in names.iter().zip(columns).zip(readings) {
        let missing = column.map(|evidence| evidence.missing).unwrap_or_default();
        if *reading != Reading::Text && !missing.is_empty() {
            let spellings = missing.into_iter().collect();
            remarks.push(Remark::Missing { column: name.clone(), spellings });
        }
    }
}
