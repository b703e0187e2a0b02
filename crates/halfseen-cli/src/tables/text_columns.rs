//! Decides which columns of a file are attributes, by the library's findings, and remarks on them.

use crate::terminal::failure::usage_error;
use crate::terminal::format::thousands;
use crate::terminal::output::remark;
use anyhow::{Context, Result};
use halfseen::data::{
    Column, DeclaredKind, Finding, ROWS_EACH, Table, date_form, first_text, odd_cell,
};
use halfseen::error::{list, short};
use std::collections::BTreeMap;

/// Table without the columns that are left out, and the forms of the dates among the others.
pub(crate) type Settled = (Table, BTreeMap<String, String>);

/// Leaves dates and identifiers out, or takes them as declared, with remarks; remarks also on
/// numbers that are read as text or count the rows. `except` are no attributes; `numbers` are the
/// rows' numbers in the file, from 0.
pub(crate) fn settle(
    mut table: Table,
    name: &str,
    except: &[&str],
    declared: &[(String, DeclaredKind)],
    numbers: &[usize],
    quiet: bool,
) -> Result<Settled> {
    let mut dates = BTreeMap::new();
    for (column, kind) in declared {
        if except.contains(&column.as_str()) {
            return usage_error(format!(
                "--as: column '{}' is not an attribute; name another",
                short(column)
            ));
        }
        match kind {
            DeclaredKind::Category => table = table.with_categories(column).context("--as")?,
            DeclaredKind::Number => check_number(&table, column, numbers)?,
            DeclaredKind::Date => {
                drop(dates.insert(column.clone(), date(&table, column, numbers)?));
            }
        }
    }
    let is_declared = |column: &Column| declared.iter().any(|(name, _)| *name == column.name);
    let attributes = || table.columns().iter().filter(|c| !except.contains(&c.name.as_str()));
    let (mut left_out, mut why) = (Vec::new(), Vec::new());
    for column in attributes().filter(|column| !is_declared(column)) {
        let Some(finding) = Finding::of(&table, column) else { continue };
        let said = described(column, finding, numbers);
        match finding {
            Finding::OddCell { many: true, .. } => return usage_error(said),
            _ if finding.is_left_out() => {
                left_out.push(column.name.as_str());
                why.push(said);
            }
            _ => remark(quiet, &format!("remark: {name}: {said}")),
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

/// Describes what was found of a column, with the flag that decides otherwise.
fn described(column: &Column, finding: Finding<'_>, numbers: &[usize]) -> String {
    let name = short(&column.name);
    match finding {
        Finding::Dates { distinct } => format!(
            "column '{name}' is left out: it holds dates, {} of them; --as {name}=date learns from the days since 1970-01-01, --as {name}=category from each date",
            thousands(distinct as f64)
        ),
        Finding::Identifiers { categories } => format!(
            "column '{name}' is left out: its {} categories have fewer than {ROWS_EACH} rows each, as names and record numbers do; --as {name}=category learns from them all the same",
            thousands(categories as f64)
        ),
        Finding::OddCell { row, text, .. } => mixed(column, row, text, numbers),
        Finding::CountsRows => format!(
            "column '{name}' counts the rows and is learned from; if it is a record number, use --ignore {name}"
        ),
    }
}

/// Refuses a column declared a number that holds text.
fn check_number(table: &Table, name: &str, numbers: &[usize]) -> Result<()> {
    let column = table.column(name).context("--as")?;
    match first_text(table, column) {
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
    match date_form(table, column) {
        Ok(form) => Ok(form.to_owned()),
        Err(no) => {
            let problem = no.problem(|row| numbers[row] + 1);
            usage_error(format!("--as {0}=date: column '{0}' {problem}", short(name)))
        }
    }
}

/// Refuses a numeric target that one text cell would turn into classes.
pub(crate) fn refuse_numbers_as_classes(
    table: &Table,
    target: &str,
    numbers: &[usize],
) -> Result<()> {
    let column = table.column(target)?;
    match odd_cell(table, column) {
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

/// Lists the numbers of rows in the file, as in "row 2, row 7".
pub(crate) fn listed(rows: &[usize]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("row {}", row + 1)).collect();
    list(&rows).to_string()
}
