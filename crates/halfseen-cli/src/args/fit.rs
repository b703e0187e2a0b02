//! Declares the flags of `fit`.

use super::{MissingArg, TableArgs, which};
use crate::parse::{CostsArg, whole};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Args)]
#[command(before_help = "Examples:
  halfseen fit table.csv --target price --out price.json               chooses a learner
  halfseen fit table.csv --target price --budget 4 --out price.json    reads 4 attributes of a row
  halfseen fit table.csv --target price --threat 3 --out sure.json     for 3 deletions in each row
  halfseen fit table.csv --target price --learner ridge --out price.json
  halfseen fit table.csv --target price --learner aerr --budget 6 --set radius=2 --out price.json
  halfseen fit table.csv --target price --learner fiml --set deviations=50 --out sure.json
  halfseen fit table.csv --target price --learner karma --tune 3 --out price.json
  halfseen fit table.csv --target price --learner lasso --tune 5 --out price.json
  halfseen fit table.csv --target price --rows 10000 --out some.json   10,000 rows drawn at random
  halfseen fit january.csv february.csv --target price --learner ridge --partial winter.hsp")]
pub(crate) struct FitArgs {
    /// File (CSV or SVMlight, gzipped or not; Parquet if that is built in), - for stdin
    pub(crate) data: PathBuf,
    /// With --partial: more files, each a part of the rows
    #[arg(value_name = "MORE")]
    pub(crate) more: Vec<PathBuf>,
    /// Name of the target column
    #[arg(long, value_name = "COL")]
    pub(crate) target: Option<String>,
    /// Name of the learner (see `halfseen learners`); auto: one that suits the flags and the table,
    /// with its best settings; the report says which, why, and names an alternative
    #[arg(long, value_name = "L", default_value = AUTO)]
    pub(crate) learner: String,
    /// Reads per example. Without it, fiml learns from all observed cells of each row; with it,
    /// fiml chooses its reads, and a read of a missing cell returns nothing
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub(crate) budget: Option<u64>,
    /// Prepare for the deletion of N attributes of each row at prediction time, or with --costs of
    /// attributes that cost N together: learners of the robust family
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) threat: Option<f64>,
    /// Set a parameter of the learner; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// For robust learners, the adversary's cost of deleting each attribute: uniform, 1 each; mi,
    /// its mutual information with the target; or a CSV with the columns attribute,cost (panels by
    /// name; 1 if not listed)
    #[arg(long, value_name = "COSTS", value_parser = crate::parse::costs)]
    pub(crate) costs: Option<CostsArg>,
    /// Choose the parameters by cross-validation with this number of folds (reads more than the
    /// budget). Learners that prepare for a threat are compared by their errors under it
    #[arg(long, value_name = "FOLDS", allow_negative_numbers = true, value_parser = whole(2, 1_000))]
    pub(crate) tune: Option<u64>,
    /// With --tune: validate on the first fold only, one FOLDS-th of the rows; FOLDS times faster
    #[arg(long, requires = "tune")]
    pub(crate) holdout: bool,
    /// Rows of an earlier table, complete or not, whose reads cost nothing: fiml counts them as far
    /// as they predict held-out reads of the table. Columns are matched by name; columns that it
    /// lacks are missing, as are targets that are empty
    #[arg(long, value_name = "FILE")]
    pub(crate) pilot: Option<PathBuf>,
    #[arg(long, value_enum, help = missing_in_fit())]
    pub(crate) missing: Option<MissingArg>,
    /// Save a model that predicts from this number of attributes only, those of largest weight
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub(crate) truncate: Option<u64>,
    /// File for the model; -: stdout, and the report goes to stderr
    #[arg(long, value_name = "MODEL", required_unless_present = "partial")]
    pub(crate) out: Option<PathBuf>,
    /// File for sums over the rows instead of a model, which `halfseen merge` makes of them: a table of
    /// any size is read row by row, in parts on any machine. ridge and lasso, and with --set
    /// loss=squared zero and mean, need the sums alone; karma with --set features=sketch:2048 and
    /// learners that choose their reads, except fiml, read the rows once more, with --units
    #[arg(long, value_name = "SUMS", conflicts_with_all = ["out", "keep_partial", "tune", "truncate", "pilot"])]
    pub(crate) partial: Option<PathBuf>,
    /// Read the rows once more in units of the sums over all rows, which the same command without
    /// --units made (by `halfseen merge --partial`, if there are several files of them). With
    /// --partial, karma sums over its features; with --out, a learner that chooses its reads learns
    /// from each row of one file, in their order
    #[arg(long, value_name = "SUMS", conflicts_with_all = ["keep_partial", "tune", "truncate", "pilot"])]
    pub(crate) units: Option<PathBuf>,
    /// With --partial: name of the part; parts that are merged need names that differ. Default: the
    /// name of each file
    #[arg(long, value_name = "NAME", requires = "partial", conflicts_with_all = ["more", "out"])]
    pub(crate) part: Option<String>,
    /// With --partial: go on with the sums that its file holds, if it is there. Parts that they have
    /// are not read again. The file is written after each part, but at most for a tenth of the time,
    /// so that a run that ends early loses little
    #[arg(long, requires = "partial", conflicts_with = "out")]
    pub(crate) resume: bool,
    /// If Ctrl-C or SIGTERM interrupts the fit, save the best point so far in this file. Otherwise,
    /// and without this flag, an interrupted fit writes nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) keep_partial: Option<PathBuf>,
    /// Exit with code 3 if the fit stopped early
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) table: TableArgs,
}

/// Name that leaves the choice of the learner to the program.
pub(crate) const AUTO: &str = "auto";

impl FitArgs {
    /// Returns the paths of the files that are read.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        let TableArgs { bounds, moments, prices, .. } = &self.table;
        let declared = [bounds, moments, prices].into_iter().flatten().map(PathBuf::as_path);
        let costs = self.costs.as_ref().and_then(CostsArg::file);
        let pilot = self.pilot.as_deref();
        let data = self.files();
        let units = self.units.as_deref();
        data.chain(declared).chain(costs).chain(pilot).chain(units).collect()
    }

    /// Returns the paths of the tables.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.data].into_iter().chain(&self.more).map(PathBuf::as_path)
    }
}

fn missing_in_fit() -> String {
    format!(
        "Missing cells: mean, imputed by their column's mean; drop, their rows are removed; refuse, an error; observed, not imputed: the learner \
         learns from the observed cells, missing at random ({}). Default: observed for learners of missing values ({}), refuse for others",
        which(|needs| needs.either && !needs.holes),
        which(|needs| needs.holes)
    )
}
