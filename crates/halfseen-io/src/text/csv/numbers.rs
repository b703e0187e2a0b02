//! Parses numbers with decimal comma or grouped thousands, and knows the spellings of missing cells.

/// Sign between the whole part of a number and its decimals; the other one groups thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decimal {
    /// `1234.5` or `1,234.5`.
    Point,
    /// `1234,5` or `1.234,5`.
    Comma,
}

/// Spellings of a missing cell in a column that is otherwise numbers, beside those that hold in
/// every column: what `pandas.read_csv` takes, and usual marks.
const SPELLINGS: [&str; 17] = [
    "N/A", "n/a", "na", "NULL", "null", "None", "none", ".", "-", "#N/A", "#N/A N/A", "#NA",
    "<NA>", "-1.#IND", "1.#IND", "-1.#QNAN", "1.#QNAN",
];

/// Returns true if a cell among numbers is a spelling of a missing one.
pub(super) fn is_missing(cell: &[u8]) -> bool {
    SPELLINGS.iter().any(|spelling| spelling.as_bytes() == cell)
}

/// Returns true if a text may stand in a column of numbers: it is missing, or a number by one of
/// the signs.
pub(super) fn is_odd(cell: &[u8]) -> bool {
    is_missing(cell)
        || number(cell, Decimal::Comma).is_some()
        || number(cell, Decimal::Point).is_some()
}

/// Parses a finite number. Thousands may be grouped by the other sign: one to three digits that do
/// not start with 0, then groups of three.
pub(super) fn number(cell: &[u8], decimal: Decimal) -> Option<f64> {
    let (sign, group) = match decimal {
        Decimal::Point => (b'.', b','),
        Decimal::Comma => (b',', b'.'),
    };
    let unsigned = cell.strip_prefix(b"-").or(cell.strip_prefix(b"+")).unwrap_or(cell);
    let whole = unsigned.iter().take_while(|b| b.is_ascii_digit() || **b == group).count();
    let (whole, rest) = unsigned.split_at(whole);
    let decimals = rest.strip_prefix(&[sign]);
    // What follows is read by the general parser, which knows exponents but also `inf` and `nan`.
    let plain = |b: &u8| b.is_ascii_digit() || matches!(b, b'e' | b'E' | b'+' | b'-');
    let grouped = whole.contains(&group);
    if grouped && !is_grouped(whole, group) || !decimals.unwrap_or(rest).iter().all(plain) {
        return None;
    }
    let mut text = String::with_capacity(cell.len());
    text.extend(cell.first().filter(|b| **b == b'-').map(|_| '-'));
    text.extend(whole.iter().filter(|b| **b != group).map(|b| char::from(*b)));
    text.extend(decimals.map(|_| '.'));
    text.extend(decimals.unwrap_or(rest).iter().map(|b| char::from(*b)));
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn is_grouped(whole: &[u8], group: u8) -> bool {
    let mut groups = whole.split(|b| *b == group);
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && first[0] != b'0' && groups.all(|digits| digits.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_their_sign() {
        let cases = [
            ("1,234,567", Some(1_234_567.0), None),
            ("1.234.567", None, Some(1_234_567.0)),
            ("1,234", Some(1_234.0), Some(1.234)),
            ("1.234", Some(1.234), Some(1_234.0)),
            ("1.234,5", None, Some(1_234.5)),
            ("-1,234.5e-1", Some(-123.45), None),
            ("0,346", None, Some(0.346)),
            ("+,5", None, Some(0.5)),
            ("-12", Some(-12.0), Some(-12.0)),
            ("1,23,456", None, None),
            ("1,2,3", None, None),
            ("12:30", None, None),
            ("inf", None, None),
            ("nan", None, None),
            ("", None, None),
            ("-", None, None),
            (",", None, None),
            ("1,", None, Some(1.0)),
            ("1e999", None, None),
            ("1 234", None, None),
        ];
        for (text, point, comma) in cases {
            let actual = [Decimal::Point, Decimal::Comma].map(|d| number(text.as_bytes(), d));
            assert_eq!(actual, [point, comma], "{text}");
        }
    }
}
