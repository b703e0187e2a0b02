//! Reads tables (CSV and SVMlight, gzipped or not; with the feature `parquet` Parquet too) and draws
//! SVG figures for `halfseen`.
//!
//! ```
//! use halfseen_io::{CsvOptions, Source, read_csv};
//!
//! let table = read_csv(Source::bytes("heights.csv", b"name,height\nAda,1.65\nBo,NA\n"), &CsvOptions::default())?;
//! assert_eq!(table.rows(), 2);
//! # Ok::<(), halfseen_io::Error>(())
//! ```
//!
//! | to read | call | get |
//! |---|---|---|
//! | a file of any kind | [`read_data`] | [`Table`](halfseen::data::Table) |
//! | the same, with options for CSV | [`read_data_with`] | [`Table`](halfseen::data::Table) and [`Remark`]s |
//! | the same, in batches of rows | [`Batches`] | tables |
//! | a CSV file | [`read_csv`] | [`Table`](halfseen::data::Table) |
//! | SVMlight or LIBSVM rows | [`read_svmlight`] | [`Table`](halfseen::data::Table), sparse |
//! | a Parquet file (feature `parquet`) | `read_parquet` | [`Table`](halfseen::data::Table) |
//!
//! Every error names the file and, where known, the row, line and column. Rows count from 1 below
//! the header; lines count from 1 at the header.

mod batches;
mod data;
pub mod draw;
pub mod error;
mod meter;
#[cfg(feature = "parquet")]
mod parquet;
mod source;
mod text;
mod wanted;

pub use batches::{Batch, Batches};
pub use data::{read_data, read_data_with};
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "parquet")]
pub use parquet::{ParquetOptions, read_parquet};
pub use source::Source;
pub use text::csv::{CsvOptions, Decimal, read_csv};
pub use text::remark::Remark;
pub use text::svmlight::{SvmlightOptions, read_svmlight};
pub use wanted::Wanted;
