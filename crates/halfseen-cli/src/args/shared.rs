//! Declares flags that several commands have.

use crate::parse::share;
use clap::Args;
use std::path::PathBuf;

/// File and form of a command's answer.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// File for the output; default, or -: stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Form of the predictions.
#[derive(Debug, Args)]
pub(crate) struct Form {
    /// Level of intervals, such as 0.9: the share of rows like these whose target they contain, if
    /// the model is right. `predict` adds the columns low and high, `evaluate` the share that
    /// contains the target and the mean width. For regression models of fiml; of others with
    /// --conformal
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    pub(crate) interval: Option<f64>,
    /// Make the intervals of --interval from the errors on these rows; they then hold even if the
    /// model is wrong. The file has the target. Its rows must be like the new ones, and the model
    /// must not have learned from them (nothing checks this). 9 rows are needed for 0.9, 19 for
    /// 0.95. Rows with missing cells are compared with rows that lack the same cells, or are made
    /// to lack them
    #[arg(long, value_name = "FILE", requires = "interval")]
    pub(crate) conformal: Option<PathBuf>,
    /// Do not clip numbers to the range of the training targets, as learners of the families budget
    /// and full do by default
    #[arg(long)]
    pub(crate) no_clip: bool,
}

/// Reason of a change in a study.
#[derive(Debug, Args)]
pub(crate) struct Why {
    /// Reason, for the audit
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}

/// Subject of a study, and the reason why something about it changes.
#[derive(Debug, Args)]
pub(crate) struct Whom {
    /// Subject
    #[arg(long, value_name = "NAME")]
    pub(crate) subject: String,
    #[command(flatten)]
    pub(crate) why: Why,
}
