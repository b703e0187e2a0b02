//! Declares the program's commands and flags.

use crate::parse::{CostsArg, positive, share, whole};
use clap::{Args, Parser, Subcommand, ValueEnum};
use halfseen::params::Needs;
use halfseen::plan::{MOST_EXAMPLES, Setting};
use halfseen::registry;
use std::path::{Path, PathBuf};

/// Learn from data you only half see.
#[derive(Debug, Parser)]
#[command(name = "halfseen", version, before_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  halfseen compare                                          3 against 5, from 4 pixels of each image
  halfseen compare table.csv --target price --budget 6      on your own table
  halfseen fit table.csv --target price --learner aerr --budget 6 --out price.json
  halfseen predict price.json new.csv --id record > prices.csv
  halfseen certify price.json new.csv --within 2            deletions that move it by 2 at most
  halfseen fit table.csv --target price --learner fiml --out kept.json      cells may be missing
  halfseen learners fiml                                    one learner and its parameters";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare learners on random splits of a table, each tuned on the training part
    Compare(CompareArgs),
    /// Fit one learner and save the model
    Fit(FitArgs),
    /// Predict every row of a table
    Predict(PredictArgs),
    /// Test a model on a table with a target, as it is and after attributes are deleted
    Evaluate(EvaluateArgs),
    /// Certify each prediction of a linear model: the largest threat that cannot change it
    Certify(CertifyArgs),
    /// Compute before any data are collected the guaranteed error, or the reads that guarantee one
    Plan(PlanArgs),
    /// Print a model's weights in the attributes' own units as CSV, with standard errors if it has
    /// them
    Show(ShowArgs),
    /// List the learners, or describe one
    Learners(LearnersArgs),
}

/// Options for reading a table; shared by commands that learn.
#[derive(Debug, Args)]
pub(crate) struct TableArgs {
    /// Keep only the rows whose target is one of these, as in --classes 3,5
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) classes: Vec<String>,
    /// Type of the target; auto: classification for text or exactly two distinct values
    #[arg(long, value_enum, default_value_t = TaskArg::Auto)]
    pub(crate) task: TaskArg,
    /// Scaling of attributes: none; common, all divided by one number; each, centred and divided by
    /// its own; max, each divided by its largest absolute value, so that zero stays zero. Default:
    /// common for IDX, each for tables (max for robust learners, for which zero is a deleted value;
    /// none for budgeted learners in fit, which do not touch unread cells)
    #[arg(long, value_enum)]
    pub(crate) scale: Option<ScaleArg>,
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
    /// default 1. --set max_cost=AMOUNT limits the cost of the reads of one example
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Columns that are measured together by one read; may be repeated
    #[arg(long, value_name = "NAME=COLS")]
    pub(crate) panel: Vec<String>,
    /// Total number of reads of a budgeted learner; it stops before the first example that would
    /// exceed it
    #[arg(long, value_name = "B", allow_negative_numbers = true, value_parser = whole(1, u64::MAX))]
    pub(crate) total_budget: Option<u64>,
    /// Columns that are no attributes, such as a record number; may be repeated
    #[arg(long, value_delimiter = ',', value_name = "COLS")]
    pub(crate) ignore: Vec<String>,
    /// Seed of all random choices
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = whole(0, i64::MAX as u64))]
    pub(crate) seed: u64,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar and no remarks on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen compare
  halfseen compare --budget 56 --splits 10
  halfseen compare table.csv --target price --budget 6 --learners ridge,aerr,aelr
  halfseen compare table.csv --target price --hide 0.1,0.3")]
pub(crate) struct CompareArgs {
    /// File (CSV, SVMlight or ARFF, gzipped or not; Parquet) or folder of IDX files; default: the
    /// included digits
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

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen fit table.csv --target price --learner ridge --out price.json
  halfseen fit table.csv --target price --learner aerr --budget 6 --set radius=2 --out price.json
  halfseen fit table.csv --target price --learner fiml --budget 4 --out kept.json
  halfseen fit table.csv --target price --learner fiml --set deviations=50 --out sure.json
  halfseen fit table.csv --target price --learner karma --tune 3 --out price.json
  halfseen fit table.csv --target price --learner lasso --tune 5 --out price.json")]
pub(crate) struct FitArgs {
    /// File (CSV, SVMlight or ARFF, gzipped or not; Parquet) or folder of IDX files
    pub(crate) data: PathBuf,
    /// Name of the target column
    #[arg(long, value_name = "COL")]
    pub(crate) target: Option<String>,
    /// Name of the learner; see `halfseen learners`
    #[arg(long, value_name = "L")]
    pub(crate) learner: String,
    /// Reads per example. Without it, fiml learns from all observed cells of each row; with it,
    /// fiml chooses its reads, and a read of a missing cell returns nothing
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub(crate) budget: Option<u64>,
    /// Set a parameter of the learner; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// For robust learners, the adversary's cost of deleting each attribute: uniform, 1 each; mi,
    /// its mutual information with the target; or a CSV with the columns attribute,cost (panels by
    /// name; 1 if not listed)
    #[arg(long, alias = "values", value_name = "COSTS", value_parser = crate::parse::costs)]
    pub(crate) costs: Option<CostsArg>,
    /// Choose the parameters by cross-validation with this number of folds (reads more than the
    /// budget). Learners that prepare for a threat are compared by their errors under it
    #[arg(long, value_name = "FOLDS", allow_negative_numbers = true, value_parser = whole(2, 1_000))]
    pub(crate) tune: Option<u64>,
    /// With --tune: validate on the first fold only, one FOLDS-th of the rows; FOLDS times faster
    #[arg(long, requires = "tune")]
    pub(crate) holdout: bool,
    #[arg(long, value_enum, help = missing_in_fit())]
    pub(crate) missing: Option<MissingArg>,
    /// Save a model that predicts from this number of attributes only, those of largest weight
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub(crate) truncate: Option<u64>,
    /// File for the model
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: PathBuf,
    /// Exit with code 3 if the fit stopped early
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) table: TableArgs,
}

impl FitArgs {
    /// Returns the paths of the files that are read.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        let TableArgs { bounds, moments, prices, .. } = &self.table;
        let declared = [bounds, moments, prices].into_iter().flatten().map(PathBuf::as_path);
        let costs = self.costs.as_ref().and_then(CostsArg::file);
        [&*self.data].into_iter().chain(declared).chain(costs).collect()
    }
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen predict price.json new.csv --id record --out prices.csv
  halfseen predict sure.json new.csv --interval 0.9      with an interval for each row (fiml)")]
pub(crate) struct PredictArgs {
    /// Model file
    pub(crate) model: PathBuf,
    /// File (CSV, SVMlight or ARFF, gzipped or not; Parquet) or folder of IDX files
    pub(crate) data: PathBuf,
    /// Column to copy into the output
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Add the columns low and high: an interval that contains the target for this share of such
    /// rows, if the model is right. For regression models of fiml
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    pub(crate) interval: Option<f64>,
    /// Do not clip numbers to the range of the training targets, as learners of the families budget
    /// and full do by default
    #[arg(long)]
    pub(crate) no_clip: bool,
    /// File for the predictions; default: stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// No remarks on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// A saved model and the table to test it on; shared by evaluate and certify.
#[derive(Debug, Args)]
pub(crate) struct TrialArgs {
    /// Model file
    pub(crate) model: PathBuf,
    /// File (CSV, SVMlight or ARFF, gzipped or not; Parquet) or folder of IDX files
    pub(crate) data: PathBuf,
    /// Keep only the rows whose target is one of these, as in --classes 3,5
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) classes: Vec<String>,
    /// The adversary's cost of deleting each attribute: uniform, 1 each; mi, its mutual information
    /// with the target; or a CSV with the columns attribute,cost (panels by name; 1 if not listed).
    /// Default: the model's own costs, or uniform
    #[arg(long, alias = "values", value_name = "COSTS", value_parser = crate::parse::costs)]
    pub(crate) costs: Option<CostsArg>,
    /// No remarks on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
}

impl TrialArgs {
    /// Returns the paths of the files that are read.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        let costs = self.costs.as_ref().and_then(CostsArg::file);
        [&*self.model, &*self.data].into_iter().chain(costs).collect()
    }
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen evaluate price.json new.csv --target price --json
  halfseen evaluate price.json new.csv --threat 2
  halfseen evaluate price.json new.csv --threat 0,1,2 --attack greedy --out attacked.svg
  halfseen evaluate price.json new.csv --truncate auto --out price.svg")]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) on: TrialArgs,
    /// Name of the target column; default: the model's
    #[arg(long, value_name = "COL")]
    pub(crate) target: Option<String>,
    /// Also test under several attacks that delete attributes of this total cost from each row: 10,
    /// or 5,10,20, or auto (up to twice the model's own threat if it has one, else 0,1,2,5,10,...
    /// attributes). Cells that are already missing count. Default: the model's own threat, if any
    #[arg(long, value_name = "N,N", allow_negative_numbers = true, value_parser = crate::parse::budgets)]
    #[arg(conflicts_with = "truncate")]
    pub(crate) threat: Option<crate::parse::Budgets>,
    /// The attack: exact, the deletions that do most damage; greedy, by damage per cost
    /// (greedy-value: the most expensive first; greedy-weight: the largest weights first); random;
    /// noise, attributes become noise on [-1, 1] in scaled units (noise-weight: those of largest
    /// weight). Default: exact, greedy, random and noise
    #[arg(long, value_name = "ATTACK", value_parser = crate::parse::named)]
    pub(crate) attack: Option<halfseen::robust::Attack>,
    /// Test numbers that are not clipped to the range of the training targets, as learners of the
    /// families budget and full clip them by default
    #[arg(long)]
    pub(crate) no_clip: bool,
    /// Seed of random attacks
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = whole(0, i64::MAX as u64))]
    pub(crate) seed: u64,
    /// Also test the model reduced to this number of attributes, those of largest weight: 1,2,5 or
    /// auto
    #[arg(long, value_name = "S,S", allow_negative_numbers = true, value_parser = crate::parse::counts)]
    pub(crate) truncate: Option<crate::parse::Counts>,
    /// Plot the errors of --threat or --truncate into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen certify price.json new.csv --within 2
  halfseen certify price.json new.csv --within 2 --json --out certificates.json")]
pub(crate) struct CertifyArgs {
    #[command(flatten)]
    pub(crate) on: TrialArgs,
    /// Name of the target column, for the certified error: the share of rows that are misclassified
    /// or can be changed. Default: the model's, if the table has it
    #[arg(long, value_name = "COL")]
    pub(crate) target: Option<String>,
    /// For regression models: certify that an estimate moves by at most T, in the target's units
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) within: Option<f64>,
    /// File for the certificates; default: stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON: for each row also the deletions that change it and their threat, and the
    /// certified error at each threat
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen plan --dims 100 --budget 4 --radius 1 --examples 10000
  halfseen plan --dims 100 --budget 4 --radius 1 --error 0.1
  halfseen plan --dims 100 --total-budget 50000 --radius 1
  halfseen plan --karma --dims 20 --kappa 0.5 --error 0.2       for data with missing values")]
pub(crate) struct PlanArgs {
    /// Number of attributes that can be read
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = whole(1, 1_000_000_000_000))]
    pub(crate) dims: u64,
    /// Reads per example, all counted
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = whole(1, u64::MAX))]
    #[arg(required_unless_present_any = ["total_budget", "karma"], conflicts_with = "total_budget")]
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
    #[arg(required_unless_present_any = ["examples", "total_budget"])]
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
    #[arg(long, conflicts_with_all = ["budget", "total_budget", "radius", "radius2", "norm", "moments", "phase1"])]
    pub(crate) karma: bool,
    /// For --karma: the smallest non-zero eigenvalue of the projection onto the rows' subspace,
    /// restricted to a row's observed attributes, over all rows. Default: a table over its values
    #[arg(long, value_name = "KAPPA", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) kappa: Option<f64>,
    /// For --karma: length of the kernel's sequences. Default: the best
    #[arg(long, value_name = "G", allow_negative_numbers = true, value_parser = whole(1, 1_000_000))]
    pub(crate) gamma: Option<u64>,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Largest number of examples or reads of a plan.
const PLANNED: u64 = MOST_EXAMPLES;

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen show price.json")]
pub(crate) struct ShowArgs {
    /// Model file
    pub(crate) model: PathBuf,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen learners
  halfseen learners aerr
  halfseen learners --json")]
pub(crate) struct LearnersArgs {
    /// Describe this learner
    pub(crate) name: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskArg {
    Auto,
    Regression,
    Classification,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleArg {
    None,
    Common,
    Each,
    Max,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingArg {
    Mean,
    Drop,
    Refuse,
    Observed,
}

/// Returns the names of the learners whose needs fulfil a condition.
fn which(holds: impl Fn(&Needs) -> bool) -> String {
    let all = registry::all();
    let names = all.iter().filter(|learner| holds(&learner.needs())).map(|learner| learner.name());
    names.collect::<Vec<_>>().join(", ")
}

fn compared() -> String {
    format!(
        "Learners to compare. Default: {}. With missing or hidden cells or more than two classes, and without a budget: those of {} that can learn \
         the target",
        registry::compared(false, 2).join(","),
        registry::compared(true, 2).join(",")
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

fn missing_in_fit() -> String {
    format!(
        "Missing cells: mean, imputed by their column's mean; drop, their rows are removed; refuse, an error; observed, not imputed: the learner \
         learns from the observed cells, missing at random ({}). Default: observed for learners of missing values ({}), refuse for others",
        which(|needs| needs.either && !needs.holes),
        which(|needs| needs.holes)
    )
}
