//! Reads tables (CSV, SVMlight, ARFF, IDX; gzipped or not; Parquet) and draws SVG figures for
//! `halfseen`.
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
//! | data of any kind at a path | [`read_data`] | [`Data`] |
//! | the same, with options for CSV | [`read_data_with`] | [`Data`] and [`Remark`]s |
//! | the same, in batches of rows | [`Batches`] | tables |
//! | a CSV file | [`read_csv`] | [`Table`](halfseen::data::Table) |
//! | SVMlight or LIBSVM rows | [`read_svmlight`] | [`Table`](halfseen::data::Table), sparse |
//! | an ARFF file | [`read_arff`] | [`Table`](halfseen::data::Table) |
//! | a Parquet file (feature `parquet`) | `read_parquet` | [`Table`](halfseen::data::Table) |
//! | one IDX file | [`read_idx`] | [`IdxArray`] |
//! | a folder of IDX images and labels | [`read_idx_folder`] | [`IdxData`] |
//! | images and labels in memory | [`IdxData::from_pairs`] | [`IdxData`] |
//!
//! Every error names the file and, where known, the row, line and column. Rows count from 1 below
//! the header; lines count from 1 at the header.

mod arff;
mod batches;
mod csv;
mod data;
pub mod draw;
pub mod error;
mod idx;
mod lines;
mod meter;
#[cfg(feature = "parquet")]
mod parquet;
mod remark;
mod sniff;
mod source;
mod svmlight;
mod wanted;

pub use arff::{ArffOptions, read_arff};
pub use batches::{Batch, Batches};
pub use csv::{CsvOptions, Decimal, read_csv};
pub use data::{Data, read_data, read_data_with};
pub use error::{Error, ErrorKind, Result};
pub use idx::{IdxArray, IdxData, read_idx, read_idx_folder};
#[cfg(feature = "parquet")]
pub use parquet::{ParquetOptions, read_parquet};
pub use remark::Remark;
pub use source::Source;
pub use svmlight::{SvmlightOptions, read_svmlight};
pub use wanted::Wanted;
