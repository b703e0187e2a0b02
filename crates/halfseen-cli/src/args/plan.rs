//! Declares the flags of `plan`.

use super::CostLimits;
use crate::parse::{positive, share, whole};
use clap::Args;
use halfseen::plan::{MOST_EXAMPLES, Setting};
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(before_help = "Examples:
  halfseen plan --dims 100 --budget 4 --radius 1 --examples 10000
  halfseen plan --dims 100 --budget 4 --radius 1 --error 0.1
  halfseen plan --dims 100 --total-budget 50000 --radius 1
  halfseen plan --schema attributes.csv --target outcome --budget 2 --radius 1 --error 0.1
  halfseen plan --karma --dims 20 --kappa 0.5 --error 0.2       for data with missing values")]
pub(crate) struct PlanArgs {
    /// Number of attributes that can be read
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = whole(1, 1_000_000_000_000))]
    #[arg(required_unless_present = "schema")]
    pub(crate) dims: Option<u64>,
    /// CSV file of a study's attributes, as `halfseen study new` takes it: it says how many columns
    /// can be read, their panels and their prices. A category is a column for each choice, all read
    /// together; what is known of every subject is not counted
    #[arg(long, value_name = "FILE", requires = "target", conflicts_with_all = ["dims", "prices", "panel", "karma"])]
    pub(crate) schema: Option<PathBuf>,
    /// For --schema: name of the target
    #[arg(long, value_name = "NAME", requires = "schema", conflicts_with_all = ["dims", "karma"])]
    pub(crate) target: Option<String>,
    /// Reads per example, all counted
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = whole(1, u64::MAX))]
    #[arg(required_unless_present_any = ["total_budget", "max_cost", "total_cost", "karma"], conflicts_with = "total_budget")]
    pub(crate) budget: Option<u64>,
    /// Reads in total; each learner gets the best number of reads per example. With --examples, at
    /// most that number of examples exists; with --error, the plan with the fewest reads is shown,
    /// beside this budget
    #[arg(long, value_name = "READS", allow_negative_numbers = true, value_parser = whole(1, PLANNED))]
    pub(crate) total_budget: Option<u64>,
    /// Largest norm of the linear model: |w|_1 <= B (aer, aelr, ddaelr) or |w|_2 <= B (aerr,
    /// ddaerr), for attributes in units in which |x_i| <= 1, and |x|_2 <= --norm
    #[arg(long, value_name = "B", allow_negative_numbers = true, value_parser = positive)]
    #[arg(required_unless_present = "karma")]
    pub(crate) radius: Option<f64>,
    /// For aer: |w|_2 <= B2 holds too; B / sqrt(D) if all weights are equally large
    #[arg(long, value_name = "B2", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) radius2: Option<f64>,
    /// Bound on |x|_2 for aerr and ddaerr
    #[arg(long, value_name = "R", default_value_t = 1.0, allow_negative_numbers = true, value_parser = positive)]
    pub(crate) norm: f64,
    /// CSV with the columns attribute,moment: mean of each attribute's square, in the same units.
    /// Default: the worst case. A learner is left out if they contradict |x_i| <= 1 or --norm
    #[arg(long, value_name = "FILE")]
    pub(crate) moments: Option<PathBuf>,
    /// Excess error to reach: mean squared error above that of the best linear model of this norm
    /// (with --karma: mean hinge loss)
    #[arg(long, value_name = "EPS", allow_negative_numbers = true, value_parser = positive)]
    #[arg(required_unless_present_any = ["examples", "total_budget", "total_cost"])]
    pub(crate) error: Option<f64>,
    /// Number of examples that will be available
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = whole(1, PLANNED))]
    pub(crate) examples: Option<u64>,
    /// Share of the examples in the first phase of a two-phase learner
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    #[arg(default_value_t = Setting::default().phase1)]
    pub(crate) phase1: f64,
    /// Probability with which the first phase may mislead
    #[arg(long, value_name = "DELTA", allow_negative_numbers = true, value_parser = share)]
    #[arg(default_value_t = Setting::default().confidence)]
    pub(crate) confidence: f64,
    /// Plan for data with missing values, by the theorems of Hazan, Livni and Mansour 2015: D
    /// counts columns, including the constant
    #[arg(long, conflicts_with_all = ["budget", "total_budget", "radius", "radius2", "norm", "moments", "phase1", "prices", "panel", "max_cost", "total_cost"])]
    pub(crate) karma: bool,
    /// For --karma: the smallest non-zero eigenvalue of the projection onto the rows' subspace,
    /// restricted to a row's observed attributes, over all rows. Default: a table over its values
    #[arg(long, value_name = "KAPPA", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) kappa: Option<f64>,
    /// For --karma: length of the kernel's sequences. Default: the best
    #[arg(long, value_name = "G", allow_negative_numbers = true, value_parser = whole(1, 1_000_000))]
    pub(crate) gamma: Option<u64>,
    /// CSV with the columns attribute,price: price of one read (for a panel, by its name); 1 for
    /// each of the D that is not listed
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Columns, of the D, that are measured together by one read; may be repeated
    #[arg(long, value_name = "NAME=COLS", conflicts_with = "moments")]
    pub(crate) panel: Vec<String>,
    #[command(flatten)]
    pub(crate) cost: CostLimits,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl PlanArgs {
    /// Returns the number of attributes that can be read, which is there without a schema.
    pub(crate) fn dims(&self) -> u64 {
        self.dims.unwrap_or_default()
    }
}

/// Largest number of examples or reads of a plan.
const PLANNED: u64 = MOST_EXAMPLES;
