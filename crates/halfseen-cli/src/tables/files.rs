//! Reads the whole tables of files, and finds the column that is the target.

use crate::args::ReadArgs;
use crate::tables::digits;
use crate::terminal::failure::usage_error;
use crate::terminal::output;
use anyhow::Result;
use halfseen::data::{Matrix, Table};
use halfseen::error::list;
use halfseen_io::{Source, read_data_with};
use std::path::Path;

/// Reads a file, standard input (`-`), or without a path the included digits; remarks on how a file
/// was read.
pub(crate) fn read_table(
    path: Option<&Path>,
    args: &ReadArgs,
    quiet: bool,
) -> Result<(String, Table)> {
    let Some(path) = path else {
        return Ok(("digits 3 and 5 of MNIST".into(), digits::read()?));
    };
    let (source, name) = if output::is_standard(path) {
        (Source::stdin(), "standard input".to_owned())
    } else {
        (Source::path(path), path.display().to_string())
    };
    let (table, remarks) = read_data_with(source, &args.options())?;
    remarks.iter().for_each(|said| output::remark(quiet, &format!("remark: {name}: {said}")));
    Ok((name, table))
}

/// Returns the name of the target's column: the label of the digits and of SVMlight rows unless
/// another is named.
pub(crate) fn target_name(table: &Table, target: Option<&str>, name: &str) -> Result<String> {
    let is_labelled = matches!(table.numbers(), Matrix::U8(_) | Matrix::Csr(_));
    match target {
        Some(name) => Ok(name.to_owned()),
        None if is_labelled && table.column("label").is_ok() => Ok("label".to_owned()),
        None => {
            let names: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
            usage_error(format!(
                "{name}: which column is the target? Name it with --target; the columns are: {}",
                list(&names)
            ))
        }
    }
}
