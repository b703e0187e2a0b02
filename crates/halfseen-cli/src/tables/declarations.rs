//! Reads the declared ranges, moments, prices and panels of attributes.

use crate::args::TableArgs;
use crate::terminal::failure::usage_error;
use crate::terminal::format::text;
use anyhow::{Context, Result};
use halfseen::data::{Cell, Column, Table};
use halfseen::error::short;
use halfseen::prepare::{Group, Moment, Options};
use halfseen_io::{CsvOptions, read_csv};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns everything declared as options; the others keep their defaults.
pub(crate) fn read(args: &TableArgs) -> Result<Options> {
    let mut options = Options {
        groups: args.panel.iter().map(|p| panel(p)).collect::<Result<_>>()?,
        ..Options::default()
    };
    if let Some(path) = &args.bounds {
        let range = |cells: &[Option<f64>]| match cells {
            [Some(low), Some(high)] => Ok((*low, *high)),
            _ => Err("low and high must be numbers".to_owned()),
        };
        options.bounds = declared(path, &["low", "high"], None, range)?;
    }
    if let Some(path) = &args.moments {
        options.moments = moments(path)?;
    }
    if let Some(path) = &args.prices {
        options.prices = prices(path)?;
    }
    Ok(options)
}

/// Reads prices by attribute or panel.
fn prices(path: &Path) -> Result<BTreeMap<String, f64>> {
    let price = |cells: &[Option<f64>]| cells[0].ok_or_else(|| "price must be a number".to_owned());
    declared(path, &["price"], None, price)
}

/// Reads second moments by attribute.
pub(crate) fn moments(path: &Path) -> Result<BTreeMap<String, Moment>> {
    let moment = |cells: &[Option<f64>]| match (cells[0], cells[1]) {
        (Some(square), mean) if square >= 0.0 => Ok(Moment { square, mean }),
        (square, _) => {
            let square = square.map_or("missing".to_owned(), |v| v.to_string());
            Err(format!(
                "moment must be a number of at least 0 (the mean of squares), and is {square}"
            ))
        }
    };
    declared(path, &["moment"], Some("mean"), moment)
}

/// Reads the adversary's costs of deletion by attribute.
pub(crate) fn costs(path: &Path) -> Result<BTreeMap<String, f64>> {
    let cost = |cells: &[Option<f64>]| match cells[0] {
        Some(cost) if (0.0..=1e100).contains(&cost) => Ok(cost),
        Some(cost) => Err(format!("cost is {cost}, and must be a number from 0 to 1e100")),
        None => Err("cost must be a number from 0 to 1e100".to_owned()),
    };
    declared(path, &["cost"], None, cost)
}

/// Returns the attributes that flags and files name, each with the flag or file.
fn named<'a>(args: &'a TableArgs, declared: &'a Options) -> Vec<(String, &'a str)> {
    let shown = |path: &Option<std::path::PathBuf>| {
        path.as_ref().map_or(String::new(), |p| p.display().to_string())
    };
    let panels: Vec<&str> = declared.groups.iter().map(|g| g.name.as_str()).collect();
    let mut named = Vec::new();
    let mut add = |place: String, names: Vec<&'a str>| {
        named.extend(names.into_iter().map(|name| (place.clone(), name)));
    };
    add("--known".to_owned(), args.known.iter().map(String::as_str).collect());
    let columns = declared.groups.iter().flat_map(|group| &group.columns);
    add("--panel".to_owned(), columns.map(String::as_str).collect());
    add(shown(&args.bounds), declared.bounds.keys().map(String::as_str).collect());
    add(shown(&args.moments), declared.moments.keys().map(String::as_str).collect());
    let prices = declared.prices.keys().map(String::as_str).filter(|name| !panels.contains(name));
    add(shown(&args.prices), prices.collect());
    named
}

/// Refuses names that are not columns of the table, or columns that are not attributes.
pub(crate) fn check_names(
    table: &Table,
    not: &[&str],
    args: &TableArgs,
    declared: &Options,
) -> Result<()> {
    for (place, name) in named(args, declared) {
        table.column(name).context(place.clone())?;
        if not.contains(&name) {
            return usage_error(format!(
                "{place}: column '{}' is not an attribute; leave it out",
                short(name)
            ));
        }
    }
    Ok(())
}

/// Refuses names of columns that were left out of the table because nobody said how to take them.
pub(crate) fn check_taken(table: &Table, args: &TableArgs, declared: &Options) -> Result<()> {
    match named(args, declared).into_iter().find(|(_, name)| table.column(name).is_err()) {
        None => Ok(()),
        Some((place, name)) => usage_error(format!(
            "{place}: column '{0}' holds dates or identifiers, which are left out; take it with --as {0}=category or --as {0}=date, or do not name it there",
            short(name)
        )),
    }
}

/// Parses one panel: NAME=COL1,COL2.
fn panel(text: &str) -> Result<Group> {
    let parts = text
        .split_once('=')
        .map(|(name, columns)| (name.trim(), columns.split(',').map(str::trim)));
    match parts {
        Some((name, mut columns)) if !name.is_empty() && columns.clone().all(|c| !c.is_empty()) => {
            Ok(Group {
                name: name.to_owned(),
                columns: columns.by_ref().map(str::to_owned).collect(),
            })
        }
        _ => usage_error(format!("--panel {}: write it as NAME=COLUMN,COLUMN", short(text))),
    }
}

/// Reads the rows of a CSV with the column `attribute`, these numeric columns, and possibly an
/// optional one.
fn declared<T>(
    path: &Path,
    needed: &[&str],
    optional: Option<&str>,
    value: impl Fn(&[Option<f64>]) -> Result<T, String>,
) -> Result<BTreeMap<String, T>> {
    let table = read_csv(path, &CsvOptions::default())?;
    let place = || path.display().to_string();
    let attribute = table.column("attribute").with_context(place)?;
    let mut columns: Vec<(&str, Option<&Column>)> = Vec::new();
    for name in needed {
        columns.push((name, Some(table.column(name).with_context(place)?)));
    }
    columns.extend(optional.map(|name| (name, table.column(name).ok())));
    let mut declared = BTreeMap::new();
    for row in 0..table.rows() {
        let refused =
            |problem: &str| usage_error(format!("{}: row {}: {problem}", place(), row + 1));
        let name = text(table.cell(row, attribute));
        if name.is_empty() {
            return refused("the attribute is missing; fill or remove that row");
        }
        let mut cells = Vec::with_capacity(columns.len());
        for (title, column) in &columns {
            cells.push(match column.map_or(Cell::Missing, |c| table.cell(row, c)) {
                Cell::Number(number) => Some(number),
                Cell::Missing => None,
                // One text cell makes its whole column text.
                Cell::Text(text) => match text.trim().parse::<f64>().ok().filter(|v| v.is_finite())
                {
                    Some(number) => Some(number),
                    None => {
                        return refused(&format!(
                            "{title} '{}' is not a number; correct that row",
                            short(text)
                        ));
                    }
                },
            });
        }
        let value = match value(&cells) {
            Ok(value) => value,
            Err(problem) => {
                return refused(&format!("'{}': {problem}; correct that row", short(&name)));
            }
        };
        if declared.insert(name.clone(), value).is_some() {
            return refused(&format!(
                "'{}' is declared a second time; remove one of its rows",
                short(&name)
            ));
        }
    }
    Ok(declared)
}
