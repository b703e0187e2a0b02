//! Declares the flags of `halfseen study simulate`.

use crate::parse::{chance, positive, share, whole};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen study simulate attributes.csv --target y --pilot full.csv --subjects 400 --budgets 2,4
  halfseen study simulate attributes.csv --target y --pilot full.csv --subjects 2000 \\
      --total-cost 9000 --learners fiml,aerr --dropout .1 --refusal .05 --delay .2 --amended .1 \\
      --seeds 10 --out results.csv --plot error-against-money.svg

Each row of the pilot, which needs every cell, plays a subject of a study that is kept in a file and
opened anew for each wave. Rows that take no part test the models: the error that money buys.")]
pub(crate) struct SimulateArgs {
    /// CSV file of the attributes, as for `halfseen study new`
    pub(crate) schema: PathBuf,
    /// Name of the target
    #[arg(long, value_name = "NAME")]
    pub(crate) target: String,
    /// The two classes of the target, as in --classes ill,well; default: those of the schema, or a
    /// number
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) classes: Vec<String>,
    /// CSV file with a complete row for each of many subjects
    #[arg(long, value_name = "FILE")]
    pub(crate) pilot: PathBuf,
    /// Number of subjects of a study; more than the pilot has are rows for the second time
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1, 10_000_000))]
    pub(crate) subjects: u64,
    /// Reads per subject, each a study of its own
    #[arg(long, value_name = "K,...", value_delimiter = ',', default_value = "4", allow_negative_numbers = true, value_parser = whole(1, u64::from(u32::MAX)))]
    pub(crate) budgets: Vec<u64>,
    /// Learners that ask, each with each budget
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_value = "fiml")]
    pub(crate) learners: Vec<String>,
    /// Money of a study; asks stop when it is spent
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) total_cost: Option<f64>,
    /// Subjects asked at a time
    #[arg(long, value_name = "N", default_value_t = 200, allow_negative_numbers = true, value_parser = whole(1, 10_000_000))]
    pub(crate) wave: u64,
    /// Probability that a subject is lost after the ask
    #[arg(long, value_name = "P", default_value_t = 0.0, allow_negative_numbers = true, value_parser = chance)]
    pub(crate) dropout: f64,
    /// Probability that an attribute is refused, independent of its value; it is paid for
    #[arg(long, value_name = "P", default_value_t = 0.0, allow_negative_numbers = true, value_parser = chance)]
    pub(crate) refusal: f64,
    /// Probability that a subject's answers come a wave late
    #[arg(long, value_name = "P", default_value_t = 0.0, allow_negative_numbers = true, value_parser = chance)]
    pub(crate) delay: f64,
    /// Probability that one answer of a subject is another's, and is corrected a wave later
    #[arg(long, value_name = "P", default_value_t = 0.0, allow_negative_numbers = true, value_parser = chance)]
    pub(crate) amended: f64,
    /// Share of the pilot's rows that test the models
    #[arg(long, value_name = "SHARE", default_value_t = 0.3, allow_negative_numbers = true, value_parser = share)]
    pub(crate) test_share: f64,
    /// Number of studies of each learner and budget
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true, value_parser = whole(1, 10_000))]
    pub(crate) seeds: u64,
    /// First seed
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    /// CSV file for the figures of each study
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// SVG file for a picture of the error against the money
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// No remarks on stderr, but that rows were repeated
    #[arg(long)]
    pub(crate) quiet: bool,
}
