//! Formats numbers and cells for people.

use halfseen::data::Cell;
pub(crate) use halfseen::error::{grouped, significant};

/// Formats a number with three decimals, or with an exponent if it is very large or very small.
pub(crate) fn number(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e6).contains(&value.abs()) {
        format!("{value:.2e}")
    } else {
        format!("{value:.3}")
    }
}

/// Formats the mean of counts as a whole number: 12,345.
pub(crate) fn thousands(value: f64) -> String {
    grouped(value.round_ties_even() as u64)
}

/// Formats a count, or says that it is larger than any.
pub(crate) fn count(count: Option<u64>) -> String {
    count.map_or("more than 10^18".into(), grouped)
}

/// Formats a count with what is counted: 1 read, 2,000 reads.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// Formats a number with four significant digits, or a large one as a whole number: 47,947.
pub(crate) fn amount(value: f64) -> String {
    match value.abs() {
        size if (1e4..1e12).contains(&size) => {
            format!("{}{}", if value < 0.0 { "-" } else { "" }, thousands(size))
        }
        _ => significant(value),
    }
}

/// Formats a sum without digits lost to rounding.
pub(crate) fn rounded(spent: f64) -> String {
    let rounded = (spent * 1e6).round() / 1e6;
    if rounded.is_finite() { rounded.to_string() } else { spent.to_string() }
}

/// Formats a parameter as --set takes it.
pub(crate) fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Appends a number as `{}` writes it, faster. Of two shortest texts equally near to a number, as
/// there may be from 10^14 on, it is the one with an even last digit.
pub(crate) fn push_shortest(out: &mut String, number: f64) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format(number);
    // The same shortest digits; a long number is written there with an exponent.
    match text.contains('e') {
        true => out.push_str(&number.to_string()),
        false => out.push_str(text.strip_suffix(".0").unwrap_or(text)),
    }
}

/// Formats a cell; a missing one is empty.
pub(crate) fn text(cell: Cell<'_>) -> String {
    match cell {
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => text.to_owned(),
        Cell::Missing => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_standard_library_does_but_for_ties() {
        let mut bits = 1_u64;
        let mut any = std::iter::repeat_with(|| {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            bits
        });
        let special = [0.0, -0.0, 1.0, -12.0, 1e15, 1e16, 1e17, 1e-5, 1e-7, 5e-324, f64::MAX];
        let special = special.into_iter().chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
        let bits = any.by_ref().take(20_000).map(f64::from_bits).collect::<Vec<_>>();
        let decimals = any.take(20_000).map(|v| (v >> 40) as f64 / 1000.0 - 4000.0);
        for number in special.chain(bits).chain(decimals) {
            let mut text = String::from("x");
            push_shortest(&mut text, number);
            let (ours, theirs) = (&text[1..], number.to_string());
            assert_eq!(ours.len(), theirs.len(), "{ours} {theirs}");
            let back: f64 = ours.parse().unwrap();
            assert!(back.to_bits() == number.to_bits() || number.is_nan(), "{ours} {theirs}");
            assert!(ours == theirs || number.abs() > 1e14, "{ours} {theirs}");
        }
    }
}
