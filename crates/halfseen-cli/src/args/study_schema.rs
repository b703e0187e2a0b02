//! Declares the flags of `halfseen study schema`.

use super::on_study::OnStudy;
use super::shared::Why;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  halfseen study export trial.hs --schema --out attributes.csv     the schema as it is
  halfseen study schema add trial.hs attributes.csv --reason 'a new assay'
  halfseen study schema retire trial.hs --attribute crp --reason 'the machine is broken'

For learners that keep their reads, such as fiml. Attributes that are there do not change.",
    arg_required_else_help = true,
    subcommand_required = true
)]
pub(crate) struct SchemaArgs {
    #[command(subcommand)]
    pub(crate) change: Change,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Change {
    /// Add attributes, which later asks may name, or ask retired ones again
    Add(AddArgs),
    /// Ask an attribute no more; its values stay, and the learner keeps learning from them
    Retire(RetireArgs),
}

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen study schema add trial.hs attributes.csv --reason 'a new assay'

The file is a schema as for `study new`: of the new attributes alone, or the whole one with rows
added. Rows as the study has them change nothing.")]
pub(crate) struct AddArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// CSV file of attributes; - is stdin
    #[arg(value_name = "FILE")]
    pub(crate) schema: PathBuf,
    #[command(flatten)]
    pub(crate) why: Why,
}

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen study schema retire trial.hs --attribute crp --reason 'the machine is broken'

Open asks want it no more, and its price in them is paid back. A value that comes later counts as
one that nobody asked for. `schema add` with its row asks for it again.")]
pub(crate) struct RetireArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// Attribute
    #[arg(long, value_name = "NAME")]
    pub(crate) attribute: String,
    #[command(flatten)]
    pub(crate) why: Why,
}
