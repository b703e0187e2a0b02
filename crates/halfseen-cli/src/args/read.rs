//! Declares the flags of every command that reads a table.

use clap::{Args, ValueEnum};
use halfseen_io::{CsvOptions, Decimal};

/// Format of a CSV file, where its content does not show it.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReadArgs {
    /// Further spellings of a missing cell, in all columns, beside those that are known: everywhere
    /// empty, NA, ? and NaN; among numbers also N/A, na, null, None, <NA>, #N/A, . and -. Give
    /// them to predict as they were given to fit
    #[arg(long, value_delimiter = ',', value_name = "A,B", allow_hyphen_values = true)]
    pub(crate) na: Vec<String>,
    /// Separator of the columns: comma, semicolon, tab, bar or another character. Default: comma,
    /// or the one that the first rows show
    #[arg(long, value_name = "SEP", value_parser = crate::parse::separator)]
    pub(crate) delimiter: Option<u8>,
    /// Decimal sign of all numbers; the other sign may stand between thousands. Default: a point,
    /// unless all cells of a column show otherwise
    #[arg(long, value_enum)]
    pub(crate) decimal: Option<DecimalArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecimalArg {
    Point,
    Comma,
}

impl ReadArgs {
    /// Returns the options of the reader.
    pub(crate) fn options(&self) -> CsvOptions {
        CsvOptions {
            missing: self.na.clone(),
            delimiter: self.delimiter,
            decimal: self.decimal.map(|decimal| match decimal {
                DecimalArg::Point => Decimal::Point,
                DecimalArg::Comma => Decimal::Comma,
            }),
            ..CsvOptions::default()
        }
    }
}
