//! Tests of the program, in one program, which is built and linked once: a file for each subject.
//! Beside it are those that need a process of their own.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod bad_arguments;
mod bad_data;
mod bad_models;
mod basis;
mod colours;
mod comparing;
mod costs;
mod drawn;
mod fitting;
mod help;
mod hiding;
mod holes;
mod in_parts;
mod intervals;
mod keeping;
mod names;
mod odd_files;
mod paying;
mod pictures;
mod piloting;
mod planning;
mod quantiles;
mod reading;
mod reporting;
mod robust;
mod robust_classes;
mod robust_learners;
mod showing;
mod showing_curves;
mod streaming;
mod study_curve;
mod studying;
mod suggesting;
mod truncating;
mod wide;
