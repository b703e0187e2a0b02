//! Declares the flags of `compare`.

use super::{MissingArg, TableArgs, which};
use crate::parse::{share, whole};
use clap::Args;
use halfseen::registry;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen compare                                         the included digits
  halfseen compare --budget 56 --splits 10
  halfseen compare table.csv --target price                learners that suit the table
  halfseen compare table.csv --target price --budget 6     the same, where reads are limited
  halfseen compare table.csv --target price --budget 6 --learners ridge,aerr,aelr
  halfseen compare table.csv --target price --hide 0.1,0.3")]
pub(crate) struct CompareArgs {
    /// File (CSV or SVMlight, gzipped or not; Parquet if that is built in), - for stdin; default:
    /// the included digits
    pub(crate) data: Option<PathBuf>,
    /// Name of the target column
    #[arg(long, value_name = "COL")]
    pub(crate) target: Option<String>,
    #[arg(long, value_delimiter = ',', value_name = "A,B", help = compared())]
    pub(crate) learners: Option<Vec<String>>,
    /// Reads per example for budgeted learners; default: 4, or all attributes if there are fewer.
    /// On a table with missing cells fiml by default uses all observed cells; with a budget it
    /// chooses, and a read of a missing cell counts but returns nothing
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub(crate) budget: Option<u64>,
    /// Set a parameter of every compared learner that has it, and do not tune it; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Number of random splits into training and test rows
    #[arg(long, default_value_t = 5, allow_negative_numbers = true, value_parser = whole(1, 10_000))]
    pub(crate) splits: u64,
    /// Number of folds of the cross-validation that tunes each learner
    #[arg(long, default_value_t = 3, allow_negative_numbers = true, value_parser = whole(2, 1_000))]
    pub(crate) folds: u64,
    /// Share of the rows used for testing
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true, value_parser = share)]
    pub(crate) test_share: f64,
    /// Table of test rows; all rows of DATA then train, and splits differ only in their seeds
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test_share", "group"])]
    pub(crate) test: Option<PathBuf>,
    /// Column of groups: rows with equal values stay on the same side of every split
    #[arg(long, value_name = "COL")]
    pub(crate) group: Option<String>,
    /// Use nothing beyond the budget: no tuning, no measured means, scales or norms
    #[arg(long)]
    pub(crate) honest: bool,
    #[arg(long, value_enum, default_value_t = MissingArg::Mean, help = missing_in_compare())]
    pub(crate) missing: MissingArg,
    /// Compare again with these shares of the observed cells hidden completely at random, in
    /// training and test rows but never in --known columns: error against the share that is left
    #[arg(long, value_delimiter = ',', value_name = "SHARES", allow_negative_numbers = true, value_parser = share)]
    pub(crate) hide: Vec<f64>,
    /// Also test every learner after the deletion of N attributes of each row by an adversary who
    /// knows its weights; robust learners prepare for this threat, unless --set threat is given.
    /// Cells that are already missing count
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = crate::parse::budget)]
    pub(crate) threat: Option<f64>,
    /// With --threat, the attack: exact, greedy, greedy-value, greedy-weight, random, noise or
    /// noise-weight, explained by `evaluate --help` [default: exact]
    #[arg(long, value_name = "ATTACK", value_parser = crate::parse::named, requires = "threat")]
    pub(crate) attack: Option<halfseen::robust::Attack>,
    /// Folder for the curves and results.json
    #[arg(long, default_value = "halfseen-out", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Number of threads; default: the number of cores. Results do not depend on it
    #[arg(long, allow_negative_numbers = true, value_parser = whole(1, 1_024))]
    pub(crate) threads: Option<u64>,
    #[command(flatten)]
    pub(crate) table: TableArgs,
}

fn compared() -> String {
    format!(
        "Learners to compare. Default: those that can learn the target of {}; with missing or hidden cells or more than two classes, and \
         without a budget, of {}; with --threat, and without both, of {}",
        registry::compared(false, false, 2).join(","),
        registry::compared(true, false, 2).join(","),
        registry::compared(false, true, 2).join(",")
    )
}

fn missing_in_compare() -> String {
    format!(
        "Missing cells for learners that need every cell: mean, imputed by the column's training mean; observed, not imputed, and {} learn from \
         the observed cells. With both, learners of missing values ({}) get the table as it is. With mean, robust learners treat a missing cell as \
         deleted (0). For all learners: drop removes rows with missing cells, refuse is an error",
        which(|needs| needs.either && !needs.holes),
        which(|needs| needs.holes)
    )
}
