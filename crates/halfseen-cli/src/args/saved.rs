//! Declares the flags of commands on a saved model.

use super::ReadArgs;
use super::shared::{Form, Output};
use crate::parse::{CostsArg, positive, whole};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen predict price.json new.csv --id record --out prices.csv
  halfseen predict sure.json new.csv --interval 0.9      with an interval for each row (fiml)
  halfseen predict price.json new.csv --interval 0.9 --conformal held-out.csv")]
pub(crate) struct PredictArgs {
    /// Model file
    pub(crate) model: PathBuf,
    /// File (CSV or SVMlight, gzipped or not; Parquet if that is built in), - for stdin
    pub(crate) data: PathBuf,
    /// Column to copy into the output
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) to: Output,
    /// No remarks on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// A saved model and the table to test it on; shared by evaluate, certify and report.
#[derive(Debug, Args)]
pub(crate) struct TrialArgs {
    /// Model file
    pub(crate) model: PathBuf,
    /// File (CSV or SVMlight, gzipped or not; Parquet if that is built in), - for stdin
    pub(crate) data: PathBuf,
    /// Name of the target column; default: the model's. certify needs it for the certified error
    /// alone, the share of rows that are misclassified or can be changed
    #[arg(long, value_name = "COL")]
    pub(crate) target: Option<String>,
    /// Keep only the rows whose target is one of these, as in --classes 3,5
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) classes: Vec<String>,
    /// The adversary's cost of deleting each attribute: uniform, 1 each; mi, its mutual information
    /// with the target; or a CSV with the columns attribute,cost (panels by name; 1 if not listed).
    /// Default: the model's own costs, or uniform
    #[arg(long, value_name = "COSTS", value_parser = crate::parse::costs)]
    pub(crate) costs: Option<CostsArg>,
    /// No remarks on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
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
  halfseen evaluate price.json new.csv --truncate auto --out price.svg
  halfseen evaluate price.json new.csv --interval 0.9 --conformal held-out.csv")]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) on: TrialArgs,
    /// Also test under several attacks that delete attributes of this total cost from each row: 10,
    /// or 5,10,20, or auto. auto goes up to twice the model's own threat; without one it tests
    /// 0,1,2,5,10,... attributes. Cells that are already missing count. Default: the model's own
    /// threat, if any
    #[arg(long, value_name = "N,N", allow_negative_numbers = true, value_parser = crate::parse::budgets)]
    #[arg(conflicts_with = "truncate")]
    pub(crate) threat: Option<crate::parse::Budgets>,
    /// The attack: exact, the deletions that do most damage; greedy, by damage per cost
    /// (greedy-value: the most expensive first; greedy-weight: the largest weights first); random;
    /// noise, attributes become noise on [-1, 1] in scaled units (noise-weight: those of largest
    /// weight). Several are separated by commas. Default: exact, greedy, random and noise
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = crate::parse::named)]
    pub(crate) attack: Vec<halfseen::robust::Attack>,
    #[command(flatten)]
    pub(crate) form: Form,
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
    /// For regression models: certify that an estimate moves by at most T, in the target's units
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) within: Option<f64>,
    #[command(flatten)]
    pub(crate) to: Output,
    /// Print JSON: for each row also the deletions that change it and their threat, and the
    /// certified error at each threat
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen show price.json
  halfseen show curved.json --curves --picture curved.svg")]
pub(crate) struct ShowArgs {
    /// Model file
    pub(crate) model: PathBuf,
    /// Print the curves of attributes instead: the part of the prediction that each adds, at the
    /// knots of its curve and at the ends of its range. With standard errors also the ends of a 90
    /// % range. Each of more than two classes has curves of its own, and is the first column. The
    /// model must have curves: fiml with shape=additive or auto, or a fit with --basis hats
    #[arg(long)]
    pub(crate) curves: bool,
    /// Plot that into this file, as SVG: the 12 attributes that move the prediction most
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    /// No remarks on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(before_help = "Example:
  halfseen report price.json new.csv --out report.html")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) on: TrialArgs,
    /// File for the page (HTML), which needs no other file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}
