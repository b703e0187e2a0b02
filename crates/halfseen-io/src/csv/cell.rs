//! Splits a record into cells and tells numbers, texts and missing values apart.

use memchr::memchr;

/// What a cell holds, whatever its column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// A finite number.
    Number(f64),
    /// Empty, `NA`, `?`, or `NaN` in any case.
    Missing,
    /// A number that no finite double can hold, such as `inf` or `1e999`.
    Infinite,
    /// Anything else.
    Text,
}

/// Reads one cell whose surrounding blanks are gone.
pub(super) fn value(cell: &[u8]) -> Value {
    match cell.first() {
        None => return Value::Missing,
        // the only characters that a number, `inf` or `nan` can start with, and the marker `?`
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

/// Calls `each(column, cell, value)` for every cell of a record without quotes; returns their number.
#[inline]
pub(super) fn split<'a>(record: &'a [u8], mut each: impl FnMut(usize, &'a [u8], Value)) -> usize {
    let (mut column, mut at) = (0, 0);
    loop {
        let end = match short_integer(record, at) {
            Some((number, end)) => {
                each(column, &record[at..end], Value::Number(number));
                end
            }
            None => {
                let end = memchr(b',', &record[at..]).map_or(record.len(), |length| at + length);
                let cell = trim(&record[at..end]);
                each(column, cell, value(cell));
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

/// Reads a cell of 1 to 15 digits, which every double holds exactly; `None` for all other cells.
///
/// Most cells of most tables are short integers, and this is several times faster than `str::parse`.
#[inline]
fn short_integer(record: &[u8], start: usize) -> Option<(f64, usize)> {
    let mut number = 0_u64;
    let mut at = start;
    while let Some(&byte) = record.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            if byte != b',' {
                return None;
            }
            break;
        }
        // at most 15 digits count: a longer number wraps here and is refused below
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (1..=15).contains(&(at - start)).then_some((number as f64, at))
}

/// Removes blanks and tabs at both ends.
pub(super) fn trim(mut cell: &[u8]) -> &[u8] {
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
        for (text, number) in [("1", 1.0), ("-2.5e3", -2500.0), ("+.5", 0.5), ("5.", 5.0), ("007", 7.0)] {
            assert_eq!(value(text.as_bytes()), Value::Number(number), "{text}");
        }
    }

    #[test]
    fn short_integers_equal_the_general_parser() {
        for text in ["0", "7", "255", "999999999999999", "1000000000000000", "18446744073709551617", "00012"] {
            let mut found = Vec::new();
            split(text.as_bytes(), |_, _, v| found.push(v));
            assert_eq!(found, [Value::Number(text.parse().unwrap())]);
        }
    }

    #[test]
    fn a_record_splits_at_every_comma() {
        let mut cells = Vec::new();
        let count = split(b" a ,1,,\t2 x,", |c, cell, v| cells.push((c, cell.to_vec(), v)));
        assert_eq!(count, 5);
        let (text, missing) = (Value::Text, Value::Missing);
        let expected: [(usize, &[u8], Value); 5] =
            [(0, b"a", text), (1, b"1", Value::Number(1.0)), (2, b"", missing), (3, b"2 x", text), (4, b"", missing)];
        assert_eq!(cells, expected.map(|(c, cell, v)| (c, cell.to_vec(), v)));
    }
}
