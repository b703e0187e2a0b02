//! Writes a draft of a schema from a table such as the study will have.

use crate::args::study::NewArgs;
use crate::terminal::failure::usage_error;
use crate::terminal::output::{check_writable, remark, write_file};
use anyhow::{Context, Result};
use halfseen_io::{CsvOptions, read_csv};
use halfseen_study::StudySchema;
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
    let read = read_csv(table, &CsvOptions::default())?;
    let (schema, left_out) = StudySchema::draft(&read, &args.target).with_context(name)?;
    for (column, categories) in left_out {
        remark(
            args.on.quiet,
            &format!(
                "'{column}' is left out: a text of {categories} categories is a name or a record number, not an attribute"
            ),
        );
    }
    let text = schema.to_csv()?;
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
