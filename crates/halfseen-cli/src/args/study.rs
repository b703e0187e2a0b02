//! Declares the flags of `halfseen study`, a subcommand for each verb.

use super::on_study::OnStudy;
use super::shared::{Output, Whom};
use super::study_schema::SchemaArgs;
use super::study_simulate::SimulateArgs;
use crate::parse::{days, positive, whole};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Collect data with a learner over weeks: it says what to read of each subject, and learns from
/// the answers, also if they are late, in part or corrected. The study is one file
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  halfseen study new trial.hs --schema attributes.csv --target outcome --budget 4
  halfseen study next trial.hs --subjects ids.csv --out asks.csv     what to read of each
  halfseen study tell trial.hs answers.csv --source lab              any part, in any order
  halfseen study status trial.hs
  halfseen study model trial.hs --out model.json",
    arg_required_else_help = true,
    subcommand_required = true
)]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Make a new study, or a draft of its schema
    New(NewArgs),
    /// Say what to read of each subject, as CSV; a subject with an open ask keeps it
    Next(NextArgs),
    /// Store answers of a CSV file: any part, any order, the same file twice
    Tell(TellArgs),
    /// Correct a value that is stored, with a reason
    Amend(AmendArgs),
    /// Give up the open ask of a subject, which may then be asked anew
    Release(ReleaseArgs),
    /// Take a subject out of the model, and with --erase its values out of the file
    Withdraw(WithdrawArgs),
    /// Print subjects, asks, reads and money, what was never read, and the learner's own error
    Status(StatusArgs),
    /// List the open asks, oldest first
    Pending(PendingArgs),
    /// Save the model of all answers so far
    Model(ModelArgs),
    /// Write the values, a table, or the audit as CSV
    Export(ExportArgs),
    /// Add attributes, or ask some no more
    Schema(SchemaArgs),
    /// Test that the file is sound
    Check(CheckArgs),
    /// Copy the study to a new file, while others may write
    Backup(BackupArgs),
    /// Serve forms for collectors and JSON for programs
    Serve(super::serving::ServeArgs),
    /// List, admit and dismiss the people who may use the server
    People(super::serving::PeopleArgs),
    /// Play studies on a table that has every cell: the error that money and reads would buy
    Simulate(SimulateArgs),
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen study new trial.hs --from table.csv --schema attributes.csv --target outcome
                                          a draft of the schema, from a table such as you expect
  halfseen study new trial.hs --schema attributes.csv --target outcome --budget 4
  halfseen study new trial.hs --schema attributes.csv --target outcome --budget 4 --total-cost 9000

The schema is a CSV with a row for each attribute, and the columns
  attribute,kind,unit,low,high,panel,price,known,choices
of which only the first is needed. Kinds are number, date and category (choices as a|b|c).")]
pub(crate) struct NewArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// CSV file of the attributes
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: PathBuf,
    /// Write a draft of the schema, from the columns of this table, and make no study
    #[arg(long, value_name = "TABLE")]
    pub(crate) from: Option<PathBuf>,
    /// Name of the target
    #[arg(long, value_name = "NAME")]
    pub(crate) target: String,
    /// The two classes of the target, as in --classes ill,well; default: those of the schema, or a
    /// number
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) classes: Vec<String>,
    /// Learner that asks
    #[arg(long, default_value = "fiml", value_name = "NAME")]
    pub(crate) learner: String,
    /// Reads per subject
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = whole(1, u64::from(u32::MAX)))]
    pub(crate) budget: Option<u64>,
    /// Reads in all
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1, i64::MAX as u64))]
    pub(crate) total_budget: Option<u64>,
    /// Money per subject
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) max_cost: Option<f64>,
    /// Money in all
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) total_cost: Option<f64>,
    /// Set a parameter of the learner, as name=value
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Treatment of values that nobody asked for: accept, kept and flagged; refuse; learn, also
    /// learned from (by fiml), which is right only if the reason why they were measured is among
    /// what is told
    #[arg(long, value_enum, default_value = "accept")]
    pub(crate) unasked: UnaskedArg,
    /// Refuse values outside of their range; else they are taken and flagged
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum UnaskedArg {
    Accept,
    Refuse,
    Learn,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen study next trial.hs --subjects ids.csv --out asks.csv
  halfseen study next trial.hs --subjects ids.csv --wave w2 --out asks.csv    drawn from all answers
  halfseen study next trial.hs --count 200 --out asks.csv                    new subjects s1, s2, ...

The output has a row for each subject that still has something to read. Its columns are subject, ask,
0 or 1 for each attribute (ask_...), and the names of those to read in one column (ask_list).")]
#[command(group = clap::ArgGroup::new("whom").required(true))]
pub(crate) struct NextArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// CSV file with the column subject. Columns of attributes that are known of every subject
    /// (known in the schema) are stored, as by `tell`; columns that are not attributes are left out
    #[arg(long, value_name = "FILE", group = "whom")]
    pub(crate) subjects: Option<PathBuf>,
    /// Number of new subjects
    #[arg(long, value_name = "N", group = "whom", allow_negative_numbers = true, value_parser = whole(1, 10_000_000))]
    pub(crate) count: Option<u64>,
    /// Name of a wave; the first ask of a new one is drawn from all answers so far
    #[arg(long, value_name = "NAME")]
    pub(crate) wave: Option<String>,
    #[command(flatten)]
    pub(crate) to: Output,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen study tell trial.hs answers.csv --source lab
  halfseen study tell trial.hs answers.csv --check          what would be stored and refused
  halfseen study tell trial.hs answers.csv --keep-going     store the lines that can be

Columns: subject, ask (may be left out), attributes, the target, separated by commas; or by semicolons
or tabs, and then 1,5 is 1.5. An empty cell is not told yet,
NA (or 'NA: reason') is not available. Values that are stored already change nothing; other values
are refused, and `amend` corrects them.")]
pub(crate) struct TellArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// CSV files of answers; - is stdin
    #[arg(required = true, value_name = "FILE")]
    pub(crate) answers: Vec<PathBuf>,
    /// Source of the values, for the audit; default: the file's name
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// Store nothing, and print what would be stored and refused
    #[arg(long)]
    pub(crate) check: bool,
    /// Store the lines that are not refused; else a file is stored whole or not at all
    #[arg(long)]
    pub(crate) keep_going: bool,
}

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen study amend trial.hs --subject p17 --attribute sodium --value 141 --reason 'misread form'")]
pub(crate) struct AmendArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    #[command(flatten)]
    pub(crate) of: Whom,
    /// Attribute, or the target
    #[arg(long, value_name = "NAME")]
    pub(crate) attribute: String,
    /// The right value; NA if it is not available
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) value: String,
}

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen study release trial.hs --subject p17 --reason 'moved away'")]
pub(crate) struct ReleaseArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    #[command(flatten)]
    pub(crate) of: Whom,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen study withdraw trial.hs --subject p17 --reason 'consent withdrawn'
  halfseen study withdraw trial.hs --subject p17 --erase --reason 'consent withdrawn'

The subject's name stays in the audit. --erase deletes its values from this file and overwrites them;
backups, exports and models elsewhere are not changed. After a backup was restored, erase those of
`export --erased` again.")]
pub(crate) struct WithdrawArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    #[command(flatten)]
    pub(crate) of: Whom,
    /// Also delete its values
    #[arg(long)]
    pub(crate) erase: bool,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen study status trial.hs
  halfseen study status trial.hs --plot curve.svg
  halfseen study status trial.hs --no-fit --json

The learner's own error is shown for fewer examples and for all of them.")]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// Do not fit models, which takes long and shows the learner's own error
    #[arg(long)]
    pub(crate) no_fit: bool,
    /// SVG file for a picture of the curve
    #[arg(long, value_name = "FILE", conflicts_with = "no_fit")]
    pub(crate) plot: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen study pending trial.hs
  halfseen study pending trial.hs --older-than 30d --out late.csv")]
pub(crate) struct PendingArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// Only asks of at least this age: 30d, 2w, 12h
    #[arg(long, value_name = "AGE", value_parser = days)]
    pub(crate) older_than: Option<f64>,
    #[command(flatten)]
    pub(crate) to: Output,
}

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen study model trial.hs --out model.json")]
pub(crate) struct ModelArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// File for the model
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen study export trial.hs --reads --out reads.csv      a row for each value
  halfseen study export trial.hs --wide --out table.csv       a row for each subject
  halfseen study export trial.hs --audit --out audit.csv      who did what, when and why
  halfseen study export trial.hs --schema --out attributes.csv")]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// A row for each value
    #[arg(long, group = "what")]
    pub(crate) reads: bool,
    /// A row for each subject
    #[arg(long, group = "what")]
    pub(crate) wide: bool,
    /// A row for each thing that was done
    #[arg(long, group = "what")]
    pub(crate) audit: bool,
    /// The schema
    #[arg(long, group = "what")]
    pub(crate) schema: bool,
    /// The subjects whose values were erased, and when
    #[arg(long, group = "what")]
    pub(crate) erased: bool,
    #[command(flatten)]
    pub(crate) to: Output,
}

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen study check trial.hs")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
}

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen study backup trial.hs --out trial-2026-11-23.hs")]
pub(crate) struct BackupArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// New file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}
