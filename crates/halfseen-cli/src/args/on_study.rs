//! Declares the flags that all verbs of `halfseen study` have.

use clap::Args;
use std::path::PathBuf;

/// A study, and who works on it.
#[derive(Debug, Args)]
pub(crate) struct OnStudy {
    /// File of the study; postgres:NAME is one in the database of HALFSEEN_POSTGRES (a URL) or
    /// HALFSEEN_POSTGRES_FILE (a file with the URL)
    pub(crate) study: PathBuf,
    /// Name that the audit has for you
    #[arg(
        long,
        value_name = "NAME",
        env = "USER",
        hide_env_values = true,
        default_value = "unknown"
    )]
    pub(crate) who: String,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// No remarks on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
}
