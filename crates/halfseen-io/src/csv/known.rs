//! Reads all rows once the numeric and the text columns are known.

use super::cell::Value;
use super::inspect::Reading;
use super::numbers::{is_missing, number};
use super::optimistic::{FirstPass, matrix};
use super::records::Records;
use super::text::TextBuilder;
use crate::error::{ErrorKind, Result};
use crate::meter::Meter;
use halfseen::data::{Column, Matrix, Place, Table};

/// Reads the records below the header into a table with text columns.
pub(super) fn read(
    records: &mut Records<'_>,
    names: Vec<String>,
    first: &FirstPass,
    readings: &[Reading],
    meter: &Meter,
) -> Result<Table> {
    let places = places(readings);
    let texts = readings.iter().filter(|&&reading| reading == Reading::Text).count();
    let width = places.len() - texts;
    let mut texts: Vec<TextBuilder> =
        std::iter::repeat_with(TextBuilder::default).take(texts).collect();
    let mut numbers = Vec::new();
    let reserved = meter.reserve(&mut numbers, first.rows.saturating_mul(width), first.rows);
    reserved.map_err(|kind| records.fail(kind))?;
    let mut rows = 0;
    while let Some(record) = records.next()? {
        rows += 1;
        let (row, line) = (rows, record.line);
        let start = numbers.len();
        // Beyond the reserved room only if the file has changed, which is refused below.
        numbers.resize(start + width, f64::NAN);
        let cells = &mut numbers[start..];
        let mut problem = if rows > first.rows {
            Some(ErrorKind::Changed { row, column: names[0].clone() })
        } else {
            None
        };
        let found = record.split(|column, cell, value| {
            let column = column.wrapping_sub(first.skipped);
            match (places.get(column), value) {
                (Some(&Place::Text(at)), value) => {
                    let pushed = match (value, std::str::from_utf8(cell)) {
                        (Value::Missing, _) => texts[at].push_missing(meter),
                        (_, Ok(text)) => texts[at].push(text, meter),
                        (_, Err(_)) => Err(ErrorKind::NotUtf8 { line }),
                    };
                    problem = problem.take().or(pushed.err());
                }
                (Some(&Place::Number(_)), Value::Missing) => {}
                (Some(&Place::Number(at)), value) => match parsed(cell, value, readings[column]) {
                    Some(number) => cells[at] = number,
                    // The first pass saw a finite number or a missing value here.
                    None => {
                        problem = Some(ErrorKind::Changed { row, column: names[column].clone() });
                    }
                },
                (Some(&Place::Apart(_)) | None, _) => {}
            }
        });
        if found != places.len() + first.skipped {
            let expected = places.len() + first.skipped;
            problem = Some(ErrorKind::Ragged { row, line, expected, found });
        }
        if let Some(kind) = problem {
            return Err(records.fail(kind));
        }
    }
    let columns =
        names.into_iter().zip(places).map(|(name, place)| Column { name, place }).collect();
    let texts = texts.into_iter().map(TextBuilder::finish).collect();
    matrix(rows, width, numbers)
        .and_then(|numbers| Table::new(Matrix::F64(numbers), texts, columns))
        .map_err(|e| records.fail(ErrorKind::Library(e)))
}

/// Returns the number of a cell in a column of numbers, NaN if it is missing.
fn parsed(cell: &[u8], value: Value, reading: Reading) -> Option<f64> {
    match (value, reading) {
        (Value::Number(_) | Value::Text, Reading::By(decimal)) => {
            number(cell, decimal).or_else(|| is_missing(cell).then_some(f64::NAN))
        }
        (Value::Number(number), _) => Some(number),
        (Value::Text, _) => is_missing(cell).then_some(f64::NAN),
        (Value::Missing | Value::Infinite, _) => None,
    }
}

/// Numbers numeric and text columns separately, each in the order of the file.
fn places(readings: &[Reading]) -> Vec<Place> {
    let (mut numbers, mut texts) = (0..readings.len(), 0..readings.len());
    let place = |reading: &Reading| match reading {
        Reading::Text => texts.next().map(Place::Text),
        Reading::Plain | Reading::By(_) => numbers.next().map(Place::Number),
    };
    readings.iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::super::dialect::Dialect;
    use super::super::header::Header;
    use super::super::optimistic;
    use super::*;
    use crate::Source;

    #[test]
    fn a_file_that_changes_between_the_passes_is_refused() {
        let header = Header { names: ["a", "b"].map(String::from).to_vec(), skipped: 0 };
        let meter = Meter::default();
        let before = Source::bytes("t.csv", b"a,b\n1,x\n");
        fn open<'a>(source: &'a Source<'a>) -> Records<'a> {
            let plain = Dialect::separated(b',');
            let mut records = Records::new(source.open().unwrap(), 99, plain).unwrap();
            records.next().unwrap();
            records
        }
        let first = optimistic::read(&mut open(&before), &header, &meter).unwrap();
        for after in ["a,b\n1,x\ny,x\n", "a,b\ny,x\n"] {
            let after = Source::bytes("t.csv", after.as_bytes());
            let readings = [Reading::Plain, Reading::Text];
            let error = read(&mut open(&after), header.names.clone(), &first, &readings, &meter)
                .unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Changed { column, .. } if column == "a"),
                "{error}"
            );
        }
    }
}
