//! Tests of studies, in one program, which is built and linked once: a file for each subject.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod bad_input;
mod changing;
mod curve;
mod known;
mod memory;
#[cfg(all(unix, feature = "postgres"))]
mod postgres;
mod promise;
mod schema;
