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

/// Formats a cell; a missing one is empty.
pub(crate) fn text(cell: Cell<'_>) -> String {
    match cell {
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => text.to_owned(),
        Cell::Missing => String::new(),
    }
}
