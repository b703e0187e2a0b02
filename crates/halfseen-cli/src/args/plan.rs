//! Declares the flags of `plan`.

use crate::parse::{positive, whole};
use clap::Args;
use halfseen::plan::MOST_EXAMPLES;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen plan --dims 100 --budget 4 --radius 1 --examples 10000
  halfseen plan --dims 100 --budget 4 --radius 1 --error 0.1")]
pub(crate) struct PlanArgs {
    /// Number of attributes that can be read
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = whole(1, 1_000_000_000_000))]
    pub(crate) dims: u64,
    /// Reads per example, all counted
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = whole(1, u64::MAX))]
    pub(crate) budget: u64,
    /// Largest norm of the linear model: |w|_1 <= B (aer, aelr, ddaelr) or |w|_2 <= B (aerr,
    /// ddaerr), for attributes in units in which |x_i| <= 1, and |x|_2 <= --norm
    #[arg(long, value_name = "B", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) radius: f64,
    /// Bound on |x|_2 for aerr and ddaerr
    #[arg(long, value_name = "R", default_value_t = 1.0, allow_negative_numbers = true, value_parser = positive)]
    pub(crate) norm: f64,
    /// CSV with the columns attribute,moment: mean of each attribute's square, in the same units.
    /// Default: the worst case. A learner is left out if they contradict |x_i| <= 1 or --norm
    #[arg(long, value_name = "FILE")]
    pub(crate) moments: Option<PathBuf>,
    /// Excess error to reach: mean squared error above that of the best linear model of this norm
    #[arg(long, value_name = "EPS", allow_negative_numbers = true, value_parser = positive)]
    #[arg(required_unless_present = "examples", conflicts_with = "examples")]
    pub(crate) error: Option<f64>,
    /// Number of examples that will be available
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = whole(1, MOST_EXAMPLES))]
    pub(crate) examples: Option<u64>,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
