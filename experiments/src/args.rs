//! Declares the flags of the program.

use clap::Parser;
use std::path::PathBuf;

/// Run an experiment of the papers again.
#[derive(Debug, Parser)]
#[command(
    name = "halfseen-papers",
    arg_required_else_help = true,
    before_help = "Examples:
  halfseen-papers a-figure-2 --quick
  halfseen-papers a-pairs --mnist mnist
  halfseen-papers d-table-1 --data tables --movielens ml-100k
  halfseen-papers all --quick --mnist mnist --data tables

On a table of yours, with the papers' comparators (each with its own --help):
  halfseen-papers compare t.csv --target y --learners geom,svm,fdrop,robust-lp --threat 3
  halfseen-papers fit t.csv --target y --learner geom --tune 5 --out model.json
  halfseen-papers predict model.json new.csv"
)]
pub(crate) struct Arguments {
    /// The experiment's name; `list` shows them, `all` runs all of them one after the other, `pages`
    /// writes all pages from what is stored, and needs no data
    pub(crate) name: String,
    /// Folder of MNIST as IDX files (scripts/get-mnist.sh gets it); default: the digits 3 and 5
    /// that ship
    #[arg(long, value_name = "DIR")]
    pub(crate) mnist: Option<PathBuf>,
    /// Folder of the tables as CSV files: spambase, communities, boston, and those of d-table-1
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Folder of MovieLens 100k (scripts/get-movielens.sh gets it); without it its rows of a table
    /// are skipped
    #[arg(long, value_name = "DIR")]
    pub(crate) movielens: Option<PathBuf>,
    /// Folder of tables for fiml-report, as files *.csv or *.csv.gz with a column `target`
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Option<PathBuf>,
    /// 3 splits, 3 folds, coarse grids: minutes instead of hours
    #[arg(long)]
    pub(crate) quick: bool,
    /// All 45 pairs of digits, with --quick too, which takes every fifth
    #[arg(long)]
    pub(crate) every_pair: bool,
    /// Random splits instead of the protocol's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) splits: Option<u16>,
    /// Folds of the cross-validation instead of the protocol's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=1000))]
    pub(crate) folds: Option<u16>,
    /// Folder for results and pages; what is finished there is not computed again. The index is
    /// written beside it
    #[arg(long, default_value = "docs/papers", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Write the pages from stored results: what is not stored is an error, and nothing is computed
    #[arg(long)]
    pub(crate) stored: bool,
    /// Seed of every random choice
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Threads; default: as many as there are cores. Results do not depend on it
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Say nothing of finished parts
    #[arg(long)]
    pub(crate) quiet: bool,
}
