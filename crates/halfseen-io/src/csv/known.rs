//! Reads all rows once the numeric and the text columns are known.

use super::cell::Value;
use super::optimistic::{FirstPass, matrix};
use super::records::Records;
use super::text::TextBuilder;
use crate::error::{ErrorKind, Result};
use halfseen::data::{Column, Matrix, Place, Table};

/// Reads the records below the header into a table with text columns.
pub(super) fn read(
    records: &mut Records<'_>,
    names: Vec<String>,
    first: &FirstPass,
) -> Result<Table> {
    let places = places(&first.is_text);
    let texts = first.is_text.iter().filter(|&&t| t).count();
    let width = places.len() - texts;
    let mut texts: Vec<TextBuilder> =
        std::iter::repeat_with(TextBuilder::default).take(texts).collect();
    let mut numbers = Vec::with_capacity(first.rows.saturating_mul(width));
    let mut rows = 0;
    while let Some(record) = records.next()? {
        rows += 1;
        let (row, line) = (rows, record.line);
        let start = numbers.len();
        numbers.resize(start + width, f64::NAN);
        let cells = &mut numbers[start..];
        let mut problem = None;
        let found = record.split(|column, cell, value| match (places.get(column), value) {
            (Some(&Place::Number(at)), Value::Number(number)) => cells[at] = number,
            (Some(&Place::Number(_)), Value::Missing) => {}
            (Some(&Place::Text(at)), Value::Missing) => texts[at].push_missing(),
            (Some(&Place::Text(at)), _) => match std::str::from_utf8(cell) {
                Ok(text) => texts[at].push(text),
                Err(_) => problem = Some(ErrorKind::NotUtf8 { line }),
            },
            // The first pass saw a finite number or a missing value here.
            (Some(&Place::Number(_)), Value::Infinite | Value::Text) => {
                problem = Some(ErrorKind::Changed { row, column: names[column].clone() });
            }
            (Some(&Place::Apart(_)) | None, _) => {}
        });
        if found != places.len() {
            problem = Some(ErrorKind::Ragged { row, line, expected: places.len(), found });
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

/// Numbers numeric and text columns separately, each in the order of the file.
fn places(is_text: &[bool]) -> Vec<Place> {
    let (mut numbers, mut texts) = (0..is_text.len(), 0..is_text.len());
    let place = |&text: &bool| {
        if text { texts.next().map(Place::Text) } else { numbers.next().map(Place::Number) }
    };
    is_text.iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::super::optimistic;
    use super::*;
    use crate::Source;

    #[test]
    fn a_file_that_changes_between_the_passes_is_refused() {
        let names = ["a", "b"].map(String::from);
        let (before, after) =
            (Source::bytes("t.csv", b"a,b\n1,x\n"), Source::bytes("t.csv", b"a,b\n1,x\ny,x\n"));
        let mut records = Records::new(before.open().unwrap(), 99).unwrap();
        records.next().unwrap();
        let first = optimistic::read(&mut records, &names).unwrap();
        let mut records = Records::new(after.open().unwrap(), 99).unwrap();
        records.next().unwrap();
        let error = read(&mut records, names.to_vec(), &first).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Changed { row: 2, column } if column == "a"),
            "{error}"
        );
    }
}
