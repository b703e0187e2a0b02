//! Writes a draft of a schema from a table such as the study will have.

use crate::args::study::NewArgs;
use crate::failure::usage_error;
use crate::output::{check_writable, remark, write_file};
use anyhow::{Context, Result};
use halfseen::data::{Cell, Column, Finding, Place, Table};
use halfseen_io::{CsvOptions, read_csv};
use halfseen_study::{Attribute, Kind, Schema};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn write(table: &Path, args: &NewArgs) -> Result<ExitCode> {
    if args.schema.exists() {
        return usage_error(format!(
            "--schema {}: the file exists; a draft needs a new name",
            args.schema.display()
        ));
    }
    check_writable("--schema", &args.schema, &[table])?;
    let name = || table.display().to_string();
    let read = read_csv(table, &CsvOptions::default()).with_context(name)?;
    read.column(&args.target).with_context(name)?;
    let mut attributes = Vec::new();
    for column in read.columns() {
        match Finding::of(&read, column) {
            Some(Finding::Identifiers { categories }) if column.name != args.target => {
                remark(
                    args.on.quiet,
                    &format!(
                        "'{}' is left out: a text of {categories} categories is a name or a record number, not an attribute",
                        column.name
                    ),
                );
            }
            found => attributes.push(described(
                &read,
                column,
                matches!(found, Some(Finding::Dates { .. })),
            )),
        }
    }
    let place = attributes.iter().position(|attribute| attribute.name == args.target);
    let target = place.map_or_else(|| Attribute::number(&args.target), |at| attributes.remove(at));
    let text = Schema { attributes, target }.to_csv()?;
    write_file(&args.schema, &text)?;
    remark(
        args.on.quiet,
        &format!(
            "{}: a draft of the schema; correct kinds, ranges, panels and prices, and make the study without --from",
            args.schema.display()
        ),
    );
    Ok(ExitCode::SUCCESS)
}

fn described(table: &Table, column: &Column, is_date: bool) -> Attribute {
    let mut attribute = Attribute::number(&column.name);
    match column.place {
        Place::Text(_) if is_date => attribute.kind = Kind::Date,
        Place::Text(at) => {
            let mut levels = table.text(at).levels.clone();
            levels.sort();
            attribute.kind = Kind::Category(levels);
        }
        _ => {
            let cells = (0..table.rows()).filter_map(|row| match table.cell(row, column) {
                Cell::Number(value) => Some(value),
                _ => None,
            });
            let (low, high) = cells.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            });
            if low < high {
                (attribute.low, attribute.high) = (Some(low), Some(high));
            }
        }
    }
    attribute
}
