//! Learns linear predictors from attributes that are only half seen.
#![forbid(unsafe_code)]

pub mod data;
pub mod error;
mod monitor;
pub mod params;
pub mod prepare;
pub mod sampling;

pub use error::{Error, ErrorClass, ErrorKind, Result};
pub use monitor::{Monitor, Silent};
