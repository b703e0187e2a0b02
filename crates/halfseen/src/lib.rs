//! Learns linear predictors from attributes that are only half seen.
#![forbid(unsafe_code)]

pub mod budget;
pub mod data;
pub mod error;
pub mod full;
pub mod learner;
pub mod model;
mod monitor;
pub mod params;
pub mod prepare;
pub mod projection;
pub mod sampling;

pub use error::{Error, ErrorClass, ErrorKind, Result};
pub use learner::Learner;
pub use monitor::{Monitor, Silent};
