//! Measures the sizes of the data of d-table-1: rows, columns, classes, what is missing; beside
//! what is said of them elsewhere.
//!
//! Paper D gives the sizes in an appendix that is lost to us. The sizes beside ours are those that
//! the KEEL repository, from which the paper took its tables, is remembered to state for its
//! versions (rows, columns, classes, share of rows with a missing cell); they are not read from a
//! file. Nothing is learned. The protocols do not differ.
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- d-sizes --data DIR --movielens DIR

use super::d_sets::{SETS, Set};
use crate::arm::Arm;
use crate::holed::Size;
use crate::markdown::table;
use crate::run::Context;
use anyhow::Result;

/// Nothing learns here.
pub(super) fn arms() -> Vec<Arm> {
    Vec::new()
}

fn classes(classes: usize) -> String {
    if classes == 0 { "numbers".into() } else { classes.to_string() }
}

/// What was measured beside what is said.
fn row(set: &Set, size: Option<Size>) -> Vec<String> {
    let said = set.said.map_or("not known".to_owned(), |(rows, columns, kinds, missing)| {
        format!("{rows} x {columns}, {}, {missing} %", classes(kinds))
    });
    let Some(size) = size else {
        let why = if set.obtainable() { "skipped: no --movielens" } else { "not obtainable" };
        return [set.title, why, "", "", "", ""]
            .map(str::to_owned)
            .into_iter()
            .chain([said])
            .collect();
    };
    let Size { rows, columns, classes: kinds, rows_missing, cells_missing } = size;
    let numbers = [rows.to_string(), columns.to_string(), classes(kinds)];
    let shares = [rows_missing, cells_missing].map(|share| format!("{:.2} %", 100.0 * share));
    std::iter::once(set.title.to_owned()).chain(numbers).chain(shares).chain([said]).collect()
}

/// Writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let mut rows = Vec::new();
    for set in SETS {
        let problem = set.load(context)?;
        rows.push(row(set, problem.as_ref().map(Size::of)));
    }
    let head = [
        "",
        "rows",
        "columns",
        "classes",
        "rows with a missing cell",
        "missing cells",
        "said elsewhere",
    ];
    Ok(format!(
        "Measured in the files used here, the target not counted. \"Said elsewhere\": rows x columns, classes, share of rows with a \
         missing cell, as the KEEL versions are remembered, or as paper D's text has it; its own table of sizes is lost to us.\n\n{}",
        table(&head, rows)
    ))
}
