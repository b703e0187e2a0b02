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
  halfseen certify price.json new.csv --within 2            how much may vanish before it moves by 2
  halfseen fit table.csv --target price --learner fiml --out kept.json      cells may be missing
  halfseen learners fiml                                    what a learner does, and its parameters";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare learners on random splits of a table, each tuned inside the training part
    Compare(CompareArgs),
    /// Fit one learner and save the model
    Fit(FitArgs),
    /// Predict every row of a table
    Predict(PredictArgs),
    /// Test a model on a table that has the target, as it is and where attributes vanish
    Evaluate(EvaluateArgs),
    /// Say for every prediction of a weighted sum how much may vanish before it changes
    Certify(CertifyArgs),
    /// Say before any data are collected how much a learner is sure to need, or to reach
    Plan(PlanArgs),
    /// Print a model's weights in the attributes' own units, as CSV; with standard errors where the
    /// model has them
    Show(ShowArgs),
    /// List the learners, or describe one
    Learners(LearnersArgs),
}

/// How a table is read; shared by commands that learn.
#[derive(Debug, Args)]
pub(crate) struct TableArgs {
    /// Keep only the rows whose target is one of these, as in --classes 3,5
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) classes: Vec<String>,
    /// What the target is; auto: classes for text or exactly two distinct values
    #[arg(long, value_enum, default_value_t = TaskArg::Auto)]
    pub(crate) task: TaskArg,
    /// How attributes are scaled: none; common, all divided by one number; each, centred and
    /// divided by its own; max, each divided by its largest absolute value, so that zero stays
    /// zero. Default: common for IDX, each for tables (max for robust learners, to whom zero is a
    /// value that vanished; none for budgeted learners in fit, whose unread cells are not touched)
    #[arg(long, value_enum)]
    pub(crate) scale: Option<ScaleArg>,
    /// Columns whose values are known for every example without a read
    #[arg(long, value_delimiter = ',', value_name = "COLS")]
    pub(crate) known: Vec<String>,
    /// CSV with the columns attribute,low,high: declared ranges, used to scale instead of the data
    #[arg(long, value_name = "FILE")]
    pub(crate) bounds: Option<PathBuf>,
    /// CSV with the columns attribute,moment and perhaps mean: declared means of x^2 (and of x),
    /// which learners may then use, with --honest too
    #[arg(long, value_name = "FILE")]
    pub(crate) moments: Option<PathBuf>,
    /// CSV with the columns attribute,price: what one read costs, of a panel by its name; 1 where
    /// nothing is said. --set max_cost=AMOUNT limits what the reads of one example cost
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Columns that are measured together, by one read; may be repeated
    #[arg(long, value_name = "NAME=COLS")]
    pub(crate) panel: Vec<String>,
    /// Reads in all that a budgeted learner may make; it stops before the first example that would
    /// need more
    #[arg(long, value_name = "B", allow_negative_numbers = true, value_parser = whole(1, u64::MAX))]
    pub(crate) total_budget: Option<u64>,
    /// Column that is no attribute, such as a record number; may be repeated
    #[arg(long, value_delimiter = ',', value_name = "COLS")]
    pub(crate) ignore: Vec<String>,
    /// Seed of every random choice
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = whole(0, i64::MAX as u64))]
    pub(crate) seed: u64,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress and no remarks on stderr
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
    /// File (CSV, SVMlight or ARFF, gzipped or not; Parquet) or folder of IDX files; without it,
    /// the digits that ship
    pub(crate) data: Option<PathBuf>,
    /// Name of the target column
    #[arg(long, value_name = "COL")]
    pub(crate) target: Option<String>,
    #[arg(long, value_delimiter = ',', value_name = "A,B", help = compared())]
    pub(crate) learners: Option<Vec<String>>,
    /// Reads per example of the budgeted learners; default: 4, or all attributes where there are
    /// fewer. Where cells are missing, fiml then takes all that each row shows; with a budget a
    /// missing cell is a read that gives nothing
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub(crate) budget: Option<u64>,
    /// Sets a parameter of every compared learner that has it, and takes it out of tuning; may be
    /// repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Random splits into training and test rows
    #[arg(long, default_value_t = 5, allow_negative_numbers = true, value_parser = whole(1, 10_000))]
    pub(crate) splits: u64,
    /// Folds of the cross-validation that tunes each learner
    #[arg(long, default_value_t = 3, allow_negative_numbers = true, value_parser = whole(2, 1_000))]
    pub(crate) folds: u64,
    /// Share of the rows that test
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true, value_parser = share)]
    pub(crate) test_share: f64,
    /// Table whose rows test; all rows of DATA then train, and the splits differ in their seeds
    /// only
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test_share", "group"])]
    pub(crate) test: Option<PathBuf>,
    /// Column whose equal values must stay on one side of every split
    #[arg(long, value_name = "COL")]
    pub(crate) group: Option<String>,
    /// Touch nothing that the budget does not cover: no tuning, no measured means, scales or norms
    #[arg(long)]
    pub(crate) honest: bool,
    #[arg(long, value_enum, default_value_t = MissingArg::Mean, help = missing_in_compare())]
    pub(crate) missing: MissingArg,
    /// Compare again with these shares of the observed cells hidden completely at random, in
    /// training and test rows alike, but never of --known columns: the error against what is left
    #[arg(long, value_delimiter = ',', value_name = "SHARES", allow_negative_numbers = true, value_parser = share)]
    pub(crate) hide: Vec<f64>,
    /// Also test every learner on rows from which so many attributes vanish, each attacked by an
    /// adversary who knows its weights; learners that prepare for a threat prepare for this one,
    /// unless --set threat says otherwise. Cells that are missing already count
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = crate::parse::budget)]
    pub(crate) threat: Option<f64>,
    /// With --threat, who attacks: exact, greedy, greedy-value, greedy-weight, random, noise or
    /// noise-weight, as `evaluate` has them [default: exact]
    #[arg(long, value_name = "ATTACK", value_parser = crate::parse::named, requires = "threat")]
    pub(crate) attack: Option<halfseen::robust::Attack>,
    /// Folder for the curves and results.json
    #[arg(long, default_value = "halfseen-out", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Threads; default: as many as there are cores. Results do not depend on it
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
    /// The learner; see `halfseen learners`
    #[arg(long, value_name = "L")]
    pub(crate) learner: String,
    /// Reads per example. fiml does without: it then learns from whatever each row shows; with a
    /// budget it chooses, and a missing cell is a read that gives nothing
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub(crate) budget: Option<u64>,
    /// Sets a parameter of the learner; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// For learners that prepare for a threat: what it costs the adversary to take each attribute.
    /// uniform, 1 each; mi, its mutual information with the target; or a CSV with the columns
    /// attribute,cost, a panel by its name, 1 where nothing is said
    #[arg(long, alias = "values", value_name = "COSTS", value_parser = crate::parse::costs)]
    pub(crate) costs: Option<CostsArg>,
    /// Choose the parameters by cross-validation with so many folds (reads more than the budget).
    /// Learners that prepare for a threat are compared by their errors under it
    #[arg(long, value_name = "FOLDS", allow_negative_numbers = true, value_parser = whole(2, 1_000))]
    pub(crate) tune: Option<u64>,
    /// With --tune: only the first fold validates, a holdout of one FOLDS-th of the rows; so many
    /// times quicker
    #[arg(long, requires = "tune")]
    pub(crate) holdout: bool,
    #[arg(long, value_enum, help = missing_in_fit())]
    pub(crate) missing: Option<MissingArg>,
    /// Save a model that needs only so many attributes to predict: those of largest weight
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub(crate) truncate: Option<u64>,
    /// Where the model is saved
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: PathBuf,
    /// Exit with code 3 if the fit stopped early
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) table: TableArgs,
}

impl FitArgs {
    /// The files that are read.
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
  halfseen predict sure.json new.csv --interval 0.9      with a range for each number (fiml)")]
pub(crate) struct PredictArgs {
    /// Model file
    pub(crate) model: PathBuf,
    /// File (CSV, SVMlight or ARFF, gzipped or not; Parquet) or folder of IDX files
    pub(crate) data: PathBuf,
    /// Column to copy beside the predictions
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Add the columns low and high: a range that holds the target of this share of such rows, if
    /// the model is right. For models of numbers by fiml
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    pub(crate) interval: Option<f64>,
    /// Predict whatever the weighted sum is, not only numbers within the range of the targets
    /// learned from, as learners of the families budget and full do
    #[arg(long)]
    pub(crate) no_clip: bool,
    /// Where the predictions go; default: stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// No remarks on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// A saved model and the table that it is tried on; shared by commands that judge it.
#[derive(Debug, Args)]
pub(crate) struct TrialArgs {
    /// Model file
    pub(crate) model: PathBuf,
    /// File (CSV, SVMlight or ARFF, gzipped or not; Parquet) or folder of IDX files
    pub(crate) data: PathBuf,
    /// Keep only the rows whose target is one of these, as in --classes 3,5
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) classes: Vec<String>,
    /// What it costs the adversary to take each attribute: uniform, 1 each; mi, its mutual
    /// information with the target; or a CSV with the columns attribute,cost, a panel by its name,
    /// 1 where nothing is said. Default: the model's own costs, or uniform
    #[arg(long, alias = "values", value_name = "COSTS", value_parser = crate::parse::costs)]
    pub(crate) costs: Option<CostsArg>,
    /// No remarks on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
}

impl TrialArgs {
    /// The files that are read.
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
    /// Also test on rows from which attributes of this total cost vanish, by several attacks: 10,
    /// or 5,10,20, or auto (of a model that prepares for a threat up to twice its own, else
    /// 0,1,2,5,10,... attributes). Cells that are missing already count. Default: the model's own
    /// threat, where it has one
    #[arg(long, value_name = "N,N", allow_negative_numbers = true, value_parser = crate::parse::budgets)]
    #[arg(conflicts_with = "truncate")]
    pub(crate) threat: Option<crate::parse::Budgets>,
    /// Who attacks: exact, the deletions that do most damage; greedy, by damage per cost
    /// (greedy-value: the dearest first; greedy-weight: the largest weights first); random;
    /// noise, attributes turn into noise on [-1, 1] in scaled units (noise-weight: those of the
    /// largest weights). Default: exact, greedy, random and noise
    #[arg(long, value_name = "ATTACK", value_parser = crate::parse::named)]
    pub(crate) attack: Option<halfseen::robust::Attack>,
    /// Test whatever the weighted sum is, not only numbers within the range of the targets learned
    /// from, as learners of the families budget and full do
    #[arg(long)]
    pub(crate) no_clip: bool,
    /// Seed of random attacks
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = whole(0, i64::MAX as u64))]
    pub(crate) seed: u64,
    /// Also test the model cut down to so many attributes, those of largest weight: 1,2,5 or auto
    #[arg(long, value_name = "S,S", allow_negative_numbers = true, value_parser = crate::parse::counts)]
    pub(crate) truncate: Option<crate::parse::Counts>,
    /// Draw the errors of --threat or --truncate, as SVG
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
    /// Name of the target column, for the certified error: the share of rows that are wrong or may
    /// turn. Default: the model's, if it is there
    #[arg(long, value_name = "COL")]
    pub(crate) target: Option<String>,
    /// For models of numbers: certify that an estimate moves by no more than T, in the target's
    /// units
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) within: Option<f64>,
    /// Where the certificates go; default: stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print as JSON: for each row also what changes it and at which threat, and the certified
    /// error at each
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen plan --dims 100 --budget 4 --radius 1 --examples 10000
  halfseen plan --dims 100 --budget 4 --radius 1 --error 0.1
  halfseen plan --dims 100 --total-budget 50000 --radius 1
  halfseen plan --karma --dims 20 --kappa 0.5 --error 0.2       for data with holes")]
pub(crate) struct PlanArgs {
    /// Attributes that can be read
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = whole(1, 1_000_000_000_000))]
    pub(crate) dims: u64,
    /// Reads per example, all of them counted
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = whole(1, u64::MAX))]
    #[arg(required_unless_present_any = ["total_budget", "karma"], conflicts_with = "total_budget")]
    pub(crate) budget: Option<u64>,
    /// All reads of all examples; each learner gets the best number of reads per example.
    /// With --examples, no more than these are there; with --error, the plan of the fewest reads is
    /// shown, beside this budget
    #[arg(long, value_name = "READS", allow_negative_numbers = true, value_parser = whole(1, PLANNED))]
    pub(crate) total_budget: Option<u64>,
    /// Size of the rule to be found: |w|_1 <= B (aer, aelr, ddaelr) or |w|_2 <= B (aerr, ddaerr),
    /// for attributes in units in which |x_i| <= 1, and |x|_2 <= --norm
    #[arg(long, value_name = "B", allow_negative_numbers = true, value_parser = positive)]
    #[arg(required_unless_present = "karma")]
    pub(crate) radius: Option<f64>,
    /// For aer: the rule to be found has |w|_2 <= B2 too, as small as B / sqrt(D) if it weighs all
    /// attributes alike
    #[arg(long, value_name = "B2", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) radius2: Option<f64>,
    /// Bound on |x|_2 for aerr and ddaerr
    #[arg(long, value_name = "R", default_value_t = 1.0, allow_negative_numbers = true, value_parser = positive)]
    pub(crate) norm: f64,
    /// CSV with the columns attribute,moment: the mean of each attribute's square, in the same
    /// units. Without it they are taken to be as bad as can be. A learner is left out where they
    /// contradict |x_i| <= 1 or --norm
    #[arg(long, value_name = "FILE")]
    pub(crate) moments: Option<PathBuf>,
    /// Excess error to reach: mean squared error above that of the best rule of this size
    /// (with --karma: mean hinge loss)
    #[arg(long, value_name = "EPS", allow_negative_numbers = true, value_parser = positive)]
    #[arg(required_unless_present_any = ["examples", "total_budget"])]
    pub(crate) error: Option<f64>,
    /// Examples that will be there
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = whole(1, PLANNED))]
    pub(crate) examples: Option<u64>,
    /// Share of the examples that the first phase of a two-phase learner takes
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    #[arg(default_value_t = Setting::default().phase1)]
    pub(crate) phase1: f64,
    /// Probability with which the first phase may mislead
    #[arg(long, value_name = "DELTA", allow_negative_numbers = true, value_parser = share)]
    #[arg(default_value_t = Setting::default().confidence)]
    pub(crate) confidence: f64,
    /// Plan for data that come with holes, by the theorems of paper D: D counts columns, the
    /// constant among them
    #[arg(long, conflicts_with_all = ["budget", "total_budget", "radius", "radius2", "norm", "moments", "phase1"])]
    pub(crate) karma: bool,
    /// For --karma: the smallest non-zero eigenvalue of the projection onto the rows' subspace,
    /// restricted to what a row shows, over all rows. Without it, a table over its values
    #[arg(long, value_name = "KAPPA", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) kappa: Option<f64>,
    /// For --karma: length of the kernel's sequences. Without it, the best
    #[arg(long, value_name = "G", allow_negative_numbers = true, value_parser = whole(1, 1_000_000))]
    pub(crate) gamma: Option<u64>,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The most examples or reads of a plan.
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

/// The names of the learners of which this holds.
fn which(holds: impl Fn(&Needs) -> bool) -> String {
    let all = registry::all();
    let names = all.iter().filter(|learner| holds(&learner.needs())).map(|learner| learner.name());
    names.collect::<Vec<_>>().join(", ")
}

fn compared() -> String {
    format!(
        "Learners to compare. Default: {}; where cells are missing or hidden, or classes are more than two, and no budget is named, those of \
         {} that can learn the target",
        registry::compared(false, 2).join(","),
        registry::compared(true, 2).join(",")
    )
}

fn missing_in_compare() -> String {
    format!(
        "What becomes of missing cells for learners that need every cell: mean, their column's training mean; observed, nothing is filled in, \
         and {} learn from what each row shows. Learners of missing values ({}) get the table as it is with both; for learners of the robust family a \
         missing cell was deleted, and is 0, with mean. For all learners: drop leaves out the rows with missing cells, refuse stops at one",
        which(|needs| needs.either && !needs.holes),
        which(|needs| needs.holes)
    )
}

fn missing_in_fit() -> String {
    format!(
        "What becomes of missing cells: mean, their column's mean; drop, their rows are left out; refuse; or observed, nothing is filled in, and \
         the learner learns from what each row shows, missing at random ({}). Default: observed for learners of missing values ({}), refuse for others",
        which(|needs| needs.either && !needs.holes),
        which(|needs| needs.holes)
    )
}
