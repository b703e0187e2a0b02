//! Holds what the measurements of speed share: data, plain code to compare with, and ratios of times.

mod plain;
mod ratio;
mod steps;

pub use plain::{dense_aerr, parse_cells};
pub use ratio::{Pair, Ratio, Table};
pub use steps::Steps;
