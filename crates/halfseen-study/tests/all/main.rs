//! Tests of studies, in one program, which is built and linked once: a file for each subject.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod bad_input;
mod changing;
mod curve;
mod known;
#[cfg(all(unix, feature = "postgres"))]
mod postgres;
#[cfg(all(unix, feature = "postgres", feature = "serve"))]
mod postgres_http;
mod promise;
mod schema;
