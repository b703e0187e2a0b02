//! Declares the flags of a table to learn from.

use super::ReadArgs;
use crate::parse::{one_of, positive, whole};
use clap::{Args, ValueEnum};
use halfseen::data::{Basis, DeclaredKind, Scale};
use std::path::PathBuf;

/// Options for reading a table; shared by commands that learn.
#[derive(Debug, Clone, Args)]
pub(crate) struct TableArgs {
    /// Keep only the rows whose target is one of these, as in --classes 3,5
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) classes: Vec<String>,
    /// Type of the target; auto: classification for text or exactly two distinct values
    #[arg(long, value_enum, default_value_t = TaskArg::Auto)]
    pub(crate) task: TaskArg,
    /// Scaling of attributes: none; common, all divided by one number; each, centred and divided by
    /// its own; max, each divided by its largest absolute value, so that zero stays zero. Default:
    /// common for the digits, each for tables (max for robust learners, for which zero is a deleted value;
    /// none for budgeted learners in fit, which do not touch unread cells)
    #[arg(long, value_parser = one_of::<Scale>(Scale::ALL.map(Scale::name)))]
    pub(crate) scale: Option<Scale>,
    /// Functions of each numeric attribute that learners of linear models get besides its value, so
    /// that predictions bend. hats: up to four piecewise linear ones on six of its values in the
    /// training rows; beyond its least and largest value they continue as a line. One read, one
    /// missing cell or one deletion is of all of them. Fits that may not look at the cells first
    /// (fit of budgeted learners, --honest) divide the attribute's --bounds equally by the six
    /// values. With --scale none or common they may be small beside the values. fiml learns curves
    /// of its own with --set shape=additive, which is better for it
    #[arg(long, default_value = Basis::None.name(), value_parser = one_of::<Basis>(Basis::ALL.map(Basis::name)))]
    pub(crate) basis: Basis,
    /// Columns whose values are known for every example without a read
    #[arg(long, value_delimiter = ',', value_name = "COLS")]
    pub(crate) known: Vec<String>,
    /// CSV with the columns attribute,low,high: declared ranges, used for scaling instead of the
    /// data
    #[arg(long, value_name = "FILE")]
    pub(crate) bounds: Option<PathBuf>,
    /// CSV with the columns attribute,moment and optionally mean: declared means of x^2 (and of x),
    /// which learners may use, also with --honest
    #[arg(long, value_name = "FILE")]
    pub(crate) moments: Option<PathBuf>,
    /// CSV with the columns attribute,price: price of one read (for a panel, by its name), by
    /// default 1
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) cost: CostLimits,
    /// Columns that are measured together by one read; may be repeated
    #[arg(long, value_name = "NAME=COLS")]
    pub(crate) panel: Vec<String>,
    /// Total number of reads of a budgeted learner; it stops before the first example that would
    /// exceed it
    #[arg(long, value_name = "B", allow_negative_numbers = true, value_parser = whole(1, u64::MAX))]
    pub(crate) total_budget: Option<u64>,
    /// Learn from N rows, drawn at random by --seed; first:N takes the first N rows and stops
    /// there (of CSV up to 10,000 rows show how it is written). The file is read once, in batches, and the other rows take no memory
    #[arg(long, value_name = "N|first:N", value_parser = rows)]
    pub(crate) rows: Option<RowsArg>,
    /// Columns that are not attributes, such as a record number; may be repeated
    #[arg(long, value_delimiter = ',', value_name = "COLS")]
    pub(crate) ignore: Vec<String>,
    /// Kind of a column: category, number, or date, the days since 1970-01-01 (with their
    /// fraction); may be repeated. Default: by its cells; dates, and texts that hardly repeat, are
    /// left out. A model keeps the kinds
    #[arg(long = "as", value_name = "COL=KIND", value_parser = crate::parse::kind)]
    pub(crate) kinds: Vec<(String, DeclaredKind)>,
    /// Seed of all random choices
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = whole(0, i64::MAX as u64))]
    pub(crate) seed: u64,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar, no remarks on stderr, and with fit no report on stdout (unless --json)
    #[arg(long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Limits on the cost of reads, in units of --prices.
#[derive(Debug, Clone, Args)]
pub(crate) struct CostLimits {
    /// Largest cost of the reads of one example, at the prices of --prices (1 without)
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) max_cost: Option<f64>,
    /// Largest cost of all reads of a budgeted learner, at the prices of --prices (1 without); it
    /// stops before the first example that would exceed it
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) total_cost: Option<f64>,
}

impl TableArgs {
    /// Returns the parameters of budgeted learners that flags set, each with its flag's name and
    /// its value.
    pub(crate) fn limits(&self) -> Vec<(&'static str, &'static str, String)> {
        let CostLimits { max_cost, total_cost } = self.cost;
        let limits = [
            ("--total-budget", "total_budget", self.total_budget.map(|total| total.to_string())),
            ("--max-cost", "max_cost", max_cost.map(|cost| cost.to_string())),
            ("--total-cost", "total_cost", total_cost.map(|cost| cost.to_string())),
        ];
        limits.into_iter().filter_map(|(flag, name, value)| Some((flag, name, value?))).collect()
    }
}

/// Rows of a file that are learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowsArg {
    /// A number of rows, drawn at random.
    Drawn(usize),
    /// The first ones.
    First(usize),
}

fn rows(text: &str) -> Result<RowsArg, String> {
    let (number, is_first) = match text.trim().strip_prefix("first:") {
        Some(number) => (number, true),
        None => (text.trim(), false),
    };
    let number = number.parse().ok().filter(|number| *number >= 2);
    let number = number.ok_or_else(|| {
        "it must be a whole number of at least 2, as in 10000 or first:10000".to_owned()
    })?;
    Ok(if is_first { RowsArg::First(number) } else { RowsArg::Drawn(number) })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskArg {
    Auto,
    Regression,
    Classification,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingArg {
    Mean,
    Drop,
    Refuse,
    Observed,
}
