//! Refuses text columns that carry no information, and points out numbers that are read as text.
//!
//! A text column becomes one indicator per category. A record number or a date as text has one
//! category per row: thousands of indicators that fit the training rows and do not generalise. A
//! single `N/A` among a thousand ages turns the ages into categories.

use crate::failure::usage_error;
use crate::output::remark;
use anyhow::Result;
use halfseen::data::{Cell, Column, Place, Table};
use halfseen::error::{list, short};
use std::collections::HashSet;

/// Number of categories that a column may always have, even with few rows.
const FEW: usize = 20;

/// Refuses columns with a category for most rows, and remarks on numbers that are read as text.
/// `numbers` are the rows' numbers in the file, from 0.
pub(crate) fn check(table: &Table, except: &[&str], numbers: &[usize], quiet: bool) -> Result<()> {
    let attributes = table.columns().iter().filter(|c| !except.contains(&c.name.as_str()));
    let mut labels = Vec::new();
    for column in attributes.filter(|c| matches!(c.place, Place::Text(_))) {
        let cells: Vec<&str> = texts(table, column).map(|(_, text)| text).collect();
        let distinct = cells.iter().collect::<HashSet<_>>().len();
        let many = distinct > FEW && 2 * distinct > cells.len();
        match (many, odd_text(table, column)) {
            (true, Some((row, odd))) => return usage_error(mixed(column, row, odd, numbers)),
            (true, None) => labels.push(column.name.as_str()),
            (false, Some((row, odd))) => {
                remark(quiet, &format!("remark: {}", mixed(column, row, odd, numbers)))
            }
            (false, None) => {}
        }
    }
    if labels.is_empty() {
        return Ok(());
    }
    let (holds, them) = if labels.len() == 1 { ("column", "it") } else { ("columns", "them") };
    usage_error(format!(
        "{holds} {}: text that differs in most rows, as names, record numbers and dates do, cannot be learned from; leave {them} out with --ignore {}",
        list(&labels),
        labels.iter().take(10).map(|name| short(name)).collect::<Vec<_>>().join(",")
    ))
}

/// Refuses a numeric target that one text cell would turn into classes.
pub(crate) fn refuse_numbers_as_classes(
    table: &Table,
    target: &str,
    numbers: &[usize],
) -> Result<()> {
    let column = table.column(target)?;
    match odd_text(table, column) {
        Some((row, odd)) => usage_error(format!("target {}", mixed(column, row, odd, numbers))),
        None => Ok(()),
    }
}

fn mixed(column: &Column, row: usize, odd: &str, numbers: &[usize]) -> String {
    format!(
        "column '{}' is read as text because row {} holds '{}' among numbers; correct that cell, or empty it if the value is missing",
        short(&column.name),
        numbers[row] + 1,
        short(odd)
    )
}

/// Returns the first text in a text column where nine of ten cells are numbers, of many values.
fn odd_text<'t>(table: &'t Table, column: &'t Column) -> Option<(usize, &'t str)> {
    let number = |text: &str| text.parse::<f64>().is_ok();
    let (numeric, odd): (Vec<_>, Vec<_>) = texts(table, column).partition(|(_, text)| number(text));
    let values = numeric.iter().map(|(_, text)| text).collect::<HashSet<_>>().len();
    let mostly = numeric.len() >= 9 * odd.len() && values > FEW / 2;
    if mostly { odd.first().copied() } else { None }
}

/// Returns the rows and texts of the non-missing cells of a text column.
fn texts<'t>(table: &'t Table, column: &'t Column) -> impl Iterator<Item = (usize, &'t str)> {
    let text = move |row| {
        if let Cell::Text(text) = table.cell(row, column) { Some((row, text)) } else { None }
    };
    (0..table.rows()).filter(|_| matches!(column.place, Place::Text(_))).filter_map(text)
}
