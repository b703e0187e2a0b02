//! Decides which text columns are attributes, and of which kind.
//!
//! A text column becomes one indicator per category. A record number or a name has a category for
//! nearly every row: thousands of indicators that fit the training rows and do not generalise. Such
//! columns are left out unless they are declared, and so are dates, which are hardly categories and
//! need not be numbers.
//!
//! **Rule.** A text column is an identifier if it has more than 20 categories, with fewer than 5
//! rows each on average. 300 clinics with tens of rows each are categories.

use crate::failure::usage_error;
use crate::format::thousands;
use crate::output::remark;
use crate::parse::KindArg;
use anyhow::{Context, Result};
use halfseen::data::{Cell, Column, Matrix, Place, Table, TextColumn, date_forms};
use halfseen::error::{list, short};
use std::collections::{BTreeMap, HashSet};

/// Number of categories that a column may always have, even with few rows.
const FEW: usize = 20;

/// Number of rows that each category of a column with more has on average.
const ROWS_EACH: usize = 5;

/// Table without the columns that are left out, and the forms of the dates among the others.
pub(crate) type Settled = (Table, BTreeMap<String, String>);

/// Leaves dates and identifiers out, or takes them as declared, with remarks; remarks also on
/// numbers that are read as text or count the rows. `except` are no attributes; `numbers` are the
/// rows' numbers in the file, from 0.
pub(crate) fn settle(
    mut table: Table,
    name: &str,
    except: &[&str],
    declared: &[(String, KindArg)],
    numbers: &[usize],
    quiet: bool,
) -> Result<Settled> {
    let mut dates = BTreeMap::new();
    for (column, kind) in declared {
        if except.contains(&column.as_str()) {
            return usage_error(format!(
                "--as: column '{}' is no attribute; name another",
                short(column)
            ));
        }
        match kind {
            KindArg::Category => table = table.with_categories(column).context("--as")?,
            KindArg::Number => check_number(&table, column, numbers)?,
            KindArg::Date => drop(dates.insert(column.clone(), date(&table, column, numbers)?)),
        }
    }
    let is_declared = |column: &Column| declared.iter().any(|(name, _)| *name == column.name);
    let attributes = || table.columns().iter().filter(|c| !except.contains(&c.name.as_str()));
    let (mut left_out, mut why) = (Vec::new(), Vec::new());
    for column in attributes().filter(|column| !is_declared(column)) {
        match unsuitable(&table, column, numbers)? {
            Some(reason) => {
                left_out.push(column.name.as_str());
                why.push(format!("column '{}' {reason}", short(&column.name)));
            }
            None if matches!(column.place, Place::Text(_)) => {
                if let Some((row, odd)) = odd_text(&table, column) {
                    remark(quiet, &format!("remark: {name}: {}", mixed(column, row, odd, numbers)));
                }
            }
            None if counts_rows(&table, column) => {
                let column = short(&column.name);
                remark(
                    quiet,
                    &format!(
                        "remark: {name}: column '{column}' counts the rows and is learned from; if it is a record number, use --ignore {column}"
                    ),
                );
            }
            None => {}
        }
    }
    if !left_out.is_empty() && attributes().count() == left_out.len() {
        return usage_error(format!("no attribute is left: {}", why.join("; ")));
    }
    why.iter().for_each(|why| remark(quiet, &format!("remark: {name}: {why}")));
    let left_out: Vec<String> = left_out.into_iter().map(str::to_owned).collect();
    let left_out: Vec<&str> = left_out.iter().map(String::as_str).collect();
    Ok((table.without_columns(&left_out), dates))
}

/// Returns why a column is left out, if it is: it holds dates, or identifiers.
fn unsuitable(table: &Table, column: &Column, numbers: &[usize]) -> Result<Option<String>> {
    let Place::Text(at) = column.place else { return Ok(None) };
    let codes = &table.text(at).codes;
    let levels = levels(table, at);
    let (distinct, name) = (levels.len(), short(&column.name).to_string());
    if !date_forms(levels.iter().copied()).is_empty() {
        return Ok(Some(format!(
            "is left out: it holds dates, {} of them; --as {name}=date learns from the days since 1970-01-01, --as {name}=category from each date",
            thousands(distinct as f64)
        )));
    }
    let cells = codes.iter().filter(|&&code| (code as usize) < table.text(at).levels.len()).count();
    if distinct <= FEW || cells >= ROWS_EACH * distinct {
        return Ok(None);
    }
    match odd_text(table, column) {
        Some((row, odd)) => usage_error(mixed(column, row, odd, numbers)),
        None => Ok(Some(format!(
            "is left out: its {} categories have fewer than {ROWS_EACH} rows each, as names and record numbers do; --as {name}=category learns from them all the same",
            thousands(distinct as f64)
        ))),
    }
}

/// Returns the distinct texts of a text column's rows.
fn levels(table: &Table, at: usize) -> Vec<&str> {
    let text = table.text(at);
    let mut used = vec![false; text.levels.len()];
    for &code in &text.codes {
        if let Some(used) = used.get_mut(code as usize) {
            *used = true;
        }
    }
    text.levels.iter().zip(used).filter(|(_, used)| *used).map(|(text, _)| text.as_str()).collect()
}

/// Refuses a column declared a number that holds text.
fn check_number(table: &Table, name: &str, numbers: &[usize]) -> Result<()> {
    let column = table.column(name).context("--as")?;
    let odd = texts(table, column).find(|(_, text)| text.parse::<f64>().is_err());
    match odd {
        None => Ok(()),
        Some((row, odd)) => usage_error(format!(
            "--as {0}=number: row {1} of column '{0}' holds '{2}'; correct it, or name it with --na if the value is missing",
            short(name),
            numbers[row] + 1,
            short(odd)
        )),
    }
}

/// Returns the form of the dates of a column that was declared one.
fn date(table: &Table, name: &str, numbers: &[usize]) -> Result<String> {
    let column = table.column(name).context("--as")?;
    let what = format!("--as {0}=date: column '{0}'", short(name));
    let Place::Text(at) = column.place else {
        return usage_error(format!("{what} holds numbers, which are learned from as they are"));
    };
    match date_forms(levels(table, at))[..] {
        [form] => Ok(form.to_owned()),
        [] => {
            // The first cell that fits no form of those before it.
            let mut before: Vec<&str> = Vec::new();
            let odd = texts(table, column).find(|(_, text)| {
                before.push(text);
                date_forms(before.iter().copied()).is_empty()
            });
            let (row, odd) = odd.unwrap_or_default();
            usage_error(format!(
                "{what} holds '{}' in row {}, which is no date in the form of those before; write dates as 2024-01-31",
                short(odd),
                numbers.get(row).map_or(0, |row| row + 1)
            ))
        }
        [first, second, ..] => usage_error(format!(
            "{what} can be read in more than one way ({first}, {second}); write dates as 2024-01-31"
        )),
    }
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
        "column '{}' is read as text because row {} holds '{}' among numbers; correct that cell, or empty it if the value is missing (--na {2} says so)",
        short(&column.name),
        numbers[row] + 1,
        short(odd)
    )
}

/// Returns the first text in a text column where nine of ten cells are numbers, of many values.
fn odd_text<'t>(table: &'t Table, column: &Column) -> Option<(usize, &'t str)> {
    let Place::Text(at) = column.place else { return None };
    let TextColumn { codes, levels } = table.text(at);
    let is_number: Vec<bool> = levels.iter().map(|text| text.parse::<f64>().is_ok()).collect();
    let (mut numeric, mut odd, mut first) = (0, 0, None);
    let mut values = HashSet::new();
    for (row, &code) in codes.iter().enumerate() {
        match is_number.get(code as usize) {
            Some(true) => {
                numeric += 1;
                values.insert(code);
            }
            Some(false) => {
                odd += 1;
                first = first.or(Some((row, levels[code as usize].as_str())));
            }
            None => {}
        }
    }
    first.filter(|_| numeric >= 9 * odd && values.len() > FEW / 2)
}

/// Returns the rows and texts of the non-missing cells of a text column.
fn texts<'t>(table: &'t Table, column: &'t Column) -> impl Iterator<Item = (usize, &'t str)> {
    let text = move |row| {
        if let Cell::Text(text) = table.cell(row, column) { Some((row, text)) } else { None }
    };
    (0..table.rows()).filter(|_| matches!(column.place, Place::Text(_))).filter_map(text)
}

/// Returns true if the numbers of a column are consecutive whole ones, each there once.
fn counts_rows(table: &Table, column: &Column) -> bool {
    let (Place::Number(at), Matrix::F64(numbers)) = (column.place, table.numbers()) else {
        return false;
    };
    let rows = table.rows();
    let cells = numbers.column(at);
    // Most columns are no such one by their first cells.
    let first: HashSet<u64> = cells.iter().take(FEW + 1).map(|v| v.to_bits()).collect();
    if first.len() <= FEW || cells.iter().any(|v| v.fract() != 0.0 || v.abs() > 1e15) {
        return false;
    }
    let least = cells.iter().copied().fold(f64::INFINITY, f64::min);
    let mut seen = vec![false; rows];
    cells.iter().all(|v| {
        let place = seen.get_mut((v - least) as usize);
        place.is_some_and(|seen| !std::mem::replace(seen, true))
    })
}

/// Lists the numbers of rows in the file, as in "row 2, row 7".
pub(crate) fn listed(rows: &[usize]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("row {}", row + 1)).collect();
    list(&rows).to_string()
}
