//! Defines tables, parameters, preparation, kernels, models and the reads of an example: what the
//! families of `halfseen` share.
//!
//! Users import the crate `halfseen`, which hands on what is public of this one.

pub mod asking;
pub mod data;
pub mod error;
pub mod kernel;
pub mod learner;
pub mod loss;
pub use data::memory;
pub mod model;
pub mod normal;
pub mod params;
pub mod prepare;
pub mod student;
#[cfg(test)]
#[allow(dead_code)] // the tests of other crates use more of it
mod testing;

pub use error::{Error, ErrorKind, Result};
pub use learner::Learner;
