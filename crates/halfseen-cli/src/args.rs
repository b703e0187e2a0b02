//! Declares the program's commands and flags; in args/ the flags of each command.

mod compare;
mod fit;
pub(crate) mod on_study;
mod plan;
mod read;
mod saved;
pub(crate) mod serving;
mod shared;
pub(crate) mod study;
pub(crate) mod study_schema;
pub(crate) mod study_simulate;
mod table;

pub(crate) use compare::CompareArgs;
pub(crate) use fit::{AUTO, FitArgs};
pub(crate) use plan::PlanArgs;
pub(crate) use read::ReadArgs;
pub(crate) use saved::{CertifyArgs, EvaluateArgs, PredictArgs, ReportArgs, ShowArgs, TrialArgs};
pub(crate) use study::StudyArgs;
pub(crate) use table::{MissingArg, RowsArg, TableArgs, TaskArg};

use crate::parse;
use crate::terminal::colour;
use clap::{Args, Parser, Subcommand};
use halfseen::params::Needs;
use halfseen::registry;
use std::path::PathBuf;

/// Learn from data you only half see.
#[derive(Debug, Parser)]
#[command(name = "halfseen", version, before_help = EXAMPLES, after_help = EXIT_CODES, arg_required_else_help = true, styles = colour::HELP)]
pub(crate) struct Arguments {
    /// Take at most this much memory, such as 4GB, 500MB or 2GiB; a command that needs more is
    /// refused before it begins [default: three quarters of the memory of the system or of `ulimit
    /// -v`]
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse::size)]
    pub(crate) memory: Option<u64>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  halfseen fit table.csv --target price --out price.json       chooses a learner, and says why
  halfseen fit table.csv --target price --budget 6 --out price.json    reads 6 attributes of a row
  halfseen predict price.json new.csv --id record > prices.csv
  halfseen evaluate price.json held-out.csv                    the error on rows it has not seen
  halfseen report price.json held-out.csv --out report.html    the same, as a page with pictures
  halfseen fit table.csv --target price --threat 3 --out sure.json    for 3 deletions in each row
  halfseen certify sure.json new.csv --within 2                what deletions cannot move by over 2
  halfseen compare table.csv --target price                    several learners, side by side
  halfseen compare                       without a table: 3 against 5, 4 pixels of each image";

const EXIT_CODES: &str = "Exit codes:
  0    success, also if the reader of stdout closes it
  2    wrong flags or parameters, or data or files that cannot be used
  3    numerical failure; with --strict also a fit that stopped early
  130  interrupted (Ctrl-C, SIGTERM)";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Fit a learner to a table and save the model; without --learner, one that suits the table
    Fit(FitArgs),
    /// Put sums together that `fit --partial` made of parts of the rows, and save the model
    Merge(MergeArgs),
    /// Predict every row of a table
    Predict(PredictArgs),
    /// Test a model on a table with a target, also after attributes are deleted
    Evaluate(EvaluateArgs),
    /// Write one page (HTML) about a model: its reads, its weights, and its errors on a table
    Report(ReportArgs),
    /// Compare learners on random splits of a table, each tuned on the training part
    Compare(CompareArgs),
    /// Certify each prediction of a linear model: the largest threat that cannot change it
    Certify(CertifyArgs),
    /// Print a model's weights as CSV, the most important attributes first. Columns: the weight in
    /// the attribute's own unit, for a change of one standard deviation (standardised; of more than
    /// two classes the largest, and of_class names its class), and the standard error if the model
    /// has it
    Show(ShowArgs),
    /// Compute the guaranteed error, or the reads that guarantee one, before any data are collected
    Plan(PlanArgs),
    /// Collect data over weeks: asks, answers and the model, in one file
    Study(StudyArgs),
    /// List the learners, or describe one
    Learners(LearnersArgs),
    /// Print the completions of commands and flags for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen fit january.csv --target price --learner ridge --partial january.hsp
  halfseen fit february.csv --target price --learner ridge --partial february.hsp
  halfseen merge january.hsp february.hsp --out price.json

The model is that of a fit to all rows at once, up to rounding. It has the same bits in any order
in which the parts were read and are named.")]
pub(crate) struct MergeArgs {
    /// Files of `fit --partial`
    #[arg(required = true)]
    pub(crate) parts: Vec<PathBuf>,
    /// File for the model; -: stdout, and the report goes to stderr
    #[arg(long, value_name = "MODEL", required_unless_present = "partial")]
    pub(crate) out: Option<PathBuf>,
    /// File for the sums of all, to be merged with others, instead of a model
    #[arg(long, value_name = "SUMS", conflicts_with = "out")]
    pub(crate) partial: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// No remarks on stderr, and no report
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen completions bash > halfseen.bash")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen man > halfseen.1")]
pub(crate) struct ManArgs {}

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

/// Returns the names of the learners whose needs fulfil a condition.
fn which(holds: impl Fn(&Needs) -> bool) -> String {
    let all = registry::all();
    let names = all.iter().filter(|learner| holds(&learner.needs())).map(|learner| learner.name());
    names.collect::<Vec<_>>().join(", ")
}
