//! Writes numbers and cells for people.

use halfseen::data::Cell;

/// Three digits after the point for ordinary numbers, an exponent for very large and very small
/// ones.
pub(crate) fn number(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e6).contains(&value.abs()) {
        format!("{value:.2e}")
    } else {
        format!("{value:.3}")
    }
}

/// A count with a gap before every three digits.
pub(crate) fn thousands(value: f64) -> String {
    in_groups(&format!("{value:.0}"), " ")
}

/// A count, or that it is larger than any.
pub(crate) fn count(count: Option<u64>) -> String {
    count.map_or("more than 10^18".into(), grouped)
}

/// 12,345: where columns are told apart by blanks.
pub(crate) fn grouped(number: u64) -> String {
    in_groups(&number.to_string(), ",")
}

/// Digits in threes.
fn in_groups(digits: &str, between: &str) -> String {
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<&str> = groups.filter_map(|g| std::str::from_utf8(g).ok()).collect();
    groups.join(between)
}

/// Four significant digits.
pub(crate) fn significant(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if (1e-3..1e6).contains(&size) => {
            let places = (3.0 - size.log10().floor()).clamp(0.0, 9.0) as usize;
            let text = format!("{value:.places$}");
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
        _ => format!("{value:.3e}"),
    }
}

/// A sum without the digits that adding has blurred.
pub(crate) fn rounded(spent: f64) -> String {
    let rounded = (spent * 1e6).round() / 1e6;
    if rounded.is_finite() { rounded.to_string() } else { spent.to_string() }
}

/// A parameter as --set takes it.
pub(crate) fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A cell as a person writes it; nothing if it is missing.
pub(crate) fn text(cell: Cell<'_>) -> String {
    match cell {
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => text.to_owned(),
        Cell::Missing => String::new(),
    }
}
