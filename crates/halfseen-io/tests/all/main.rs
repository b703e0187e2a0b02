//! Tests of readers and figures, in one program, which is built and linked once: a file for each subject.
//! Beside it are those that need a process of their own.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod batches;
mod csv_fuzz;
mod csv_rules;
mod draw;
#[cfg(feature = "parquet")]
mod parquet;
mod svmlight;
