//! Splits a record into cells, and classifies them as numbers, texts or missing values.

use super::short::{self, POWERS};
use memchr::memchr;

/// Content of a cell, independent of its column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    /// A finite number.
    Number(f64),
    /// Empty, `NA`, `?`, or `NaN` in any case.
    Missing,
    /// A number beyond the range of finite doubles, such as `inf` or `1e999`.
    Infinite,
    /// Anything else.
    Text,
}

/// Parses one cell without surrounding blanks.
pub(crate) fn value(cell: &[u8]) -> Value {
    if let Some((number, end)) = short_number(cell, 0, b',')
        && end == cell.len()
    {
        return Value::Number(number);
    }
    match cell.first() {
        None => return Value::Missing,
        // the only characters that start a number, `inf` or `nan`, and the marker `?`
        Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'i' | b'I' | b'n' | b'N' | b'?') => {}
        Some(_) => return Value::Text,
    }
    if cell == b"NA" || cell == b"?" {
        return Value::Missing;
    }
    match std::str::from_utf8(cell).map(str::parse::<f64>) {
        Ok(Ok(number)) if number.is_finite() => Value::Number(number),
        Ok(Ok(number)) if number.is_nan() => Value::Missing,
        Ok(Ok(_)) => Value::Infinite,
        _ => Value::Text,
    }
}

/// Takes the cells of a record.
pub(super) trait Cells<'a> {
    /// Returns where plain numbers from this column on belong, as far as they lie side by side.
    #[inline]
    fn numbers(&mut self, _column: usize) -> &mut [f64] {
        &mut []
    }

    /// Takes a cell that was not written there.
    fn take(&mut self, column: usize, cell: &'a [u8], value: Value);
}

impl<'a, F: FnMut(usize, &'a [u8], Value)> Cells<'a> for F {
    fn take(&mut self, column: usize, cell: &'a [u8], value: Value) {
        self(column, cell, value);
    }
}

/// Gives away every cell of an unquoted record; returns their number.
#[inline]
pub(super) fn split<'a>(record: &'a [u8], by: u8, cells: &mut impl Cells<'a>) -> usize {
    let (mut column, mut at) = (0, 0);
    loop {
        let (filled, next, ended) = short::fill(record, at, by, cells.numbers(column));
        (column, at) = (column + filled, next);
        if ended {
            return column;
        }
        let end = match short_number(record, at, by) {
            Some((number, end)) => {
                cells.take(column, &record[at..end], Value::Number(number));
                end
            }
            None => {
                let end = memchr(by, &record[at..]).map_or(record.len(), |length| at + length);
                let cell = trim(&record[at..end]);
                cells.take(column, cell, value(cell));
                end
            }
        };
        column += 1;
        if end == record.len() {
            return column;
        }
        at = end + 1;
    }
}

/// Parses a cell of at most 15 digits with optional sign and point; `None` for other cells.
///
/// Digits and power of ten are exact doubles, so their quotient is rounded once. It equals the
/// result of `str::parse`, several times faster (Clinger, "How to read floating point numbers
/// accurately", 1990).
#[inline]
fn short_number(record: &[u8], start: usize, by: u8) -> Option<(f64, usize)> {
    let first = start + usize::from(record.get(start) == Some(&b'-'));
    let (mut number, mut at) = digits(record, first, 0);
    let (mut count, mut decimals) = (at - first, 0);
    if record.get(at) == Some(&b'.') {
        let point = at;
        (number, at) = digits(record, point + 1, number);
        decimals = at - point - 1;
        count += decimals;
    }
    if record.get(at).is_some_and(|&end| end != by) || !(1..=15).contains(&count) {
        return None;
    }
    let mut number = number as f64;
    if decimals > 0 {
        number /= POWERS[decimals];
    }
    Some((if first > start { -number } else { number }, at))
}

/// Appends consecutive digits to a number; wraps, because the caller refuses long numbers.
#[inline]
fn digits(record: &[u8], mut at: usize, mut number: u64) -> (u64, usize) {
    while let Some(digit) = record.get(at).map(|b| b.wrapping_sub(b'0')).filter(|&d| d <= 9) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (number, at)
}

/// Removes blanks and tabs at both ends.
pub(crate) fn trim(mut cell: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = cell {
        cell = rest;
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_the_documentation_says() {
        for missing in ["", "NA", "?", "NaN", "nan", "NAN", "-nan"] {
            assert_eq!(value(missing.as_bytes()), Value::Missing, "{missing}");
        }
        for infinite in ["inf", "-Infinity", "1e999", "+INF"] {
            assert_eq!(value(infinite.as_bytes()), Value::Infinite, "{infinite}");
        }
        for text in ["na", "N/A", "1 2", "0x10", "1_000", "e5", "-", ".", "\u{661}", "1;2"] {
            assert_eq!(value(text.as_bytes()), Value::Text, "{text}");
        }
        for (text, number) in
            [("1", 1.0), ("-2.5e3", -2500.0), ("+.5", 0.5), ("5.", 5.0), ("007", 7.0)]
        {
            assert_eq!(value(text.as_bytes()), Value::Number(number), "{text}");
        }
    }

    #[test]
    fn short_numbers_equal_the_general_parser() {
        let integers = [
            "0",
            "-0",
            "7",
            "255",
            "999999999999999",
            "1000000000000000",
            "18446744073709551617",
            "00012",
        ];
        let decimals = [
            "0.1",
            "-12.345678",
            ".5",
            "5.",
            "0.000000000000001",
            "99999.9999999999",
            "123456789012345.6",
        ];
        for text in integers.into_iter().chain(decimals) {
            let mut values = Vec::new();
            split(text.as_bytes(), b',', &mut |_, _, v| values.push(v));
            let [Value::Number(number)] = values[..] else { panic!("{text}: {values:?}") };
            assert_eq!(number.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
    }

    #[test]
    fn runs_of_zeros_are_counted_like_other_cells() {
        for record in ["0,0,0,0,", "0,0,0,0,0", "0,0,0,0", "1,0,0,0,0,0,0,0,0,00,x", "0,0,0,0,,"] {
            let mut cells = Vec::new();
            let count = split(record.as_bytes(), b',', &mut |c, cell, _| {
                assert_eq!(c, cells.len());
                cells.push(std::str::from_utf8(cell).unwrap());
            });
            assert_eq!(cells, record.split(',').collect::<Vec<_>>());
            assert_eq!(count, cells.len());
        }
    }

    #[test]
    fn a_record_splits_at_every_comma() {
        let mut cells = Vec::new();
        let mut each = |c, cell: &[u8], v| cells.push((c, cell.to_vec(), v));
        let count = split(b" a ,1,,\t2 x,", b',', &mut each);
        assert_eq!(count, 5);
        let (text, missing) = (Value::Text, Value::Missing);
        let expected: [(usize, &[u8], Value); 5] = [
            (0, b"a", text),
            (1, b"1", Value::Number(1.0)),
            (2, b"", missing),
            (3, b"2 x", text),
            (4, b"", missing),
        ];
        assert_eq!(cells, expected.map(|(c, cell, v)| (c, cell.to_vec(), v)));
    }
}
