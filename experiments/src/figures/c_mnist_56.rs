//! Runs the learners of paper C on 3 against 5, from 56 pixels of each image: `c_mnist.rs` with
//! another budget.
//!
//! The text of paper C's experiments is lost to us, so nothing here is its protocol, and nothing is
//! claimed as reproduced.
//!
//! Where the end of an axis is chosen, the full grid goes on (`beyond.rs`).
//!
//! Full grids (multiples are of the theorem's value, for the norms that the data have):
//!
//! - aerr: radius 0.5 1 2 4 8; step 0.56x 1x 1.8x 3.2x 5.6x 10x
//! - aerr: radius 1 2 4 8; step 2.24x 4x 7.2x 12.8x 22.4x 40x
//! - ddaerr: radius 1 2 4 8; step 2.24x 4x 7.2x 12.8x 22.4x 40x
//! - ddaerr-2p: radius 0.5 1 2 4 8; step 0.56x 1x 1.8x 3.2x 5.6x 10x
//! - ddaelr-2p: radius 4 8 16 32; step 5.6x 10x 18x 32x 56x 100x
//! - ddaerr: radius 0.5 1 2 4 8; step 0.56x 1x 1.8x 3.2x 5.6x 10x
//! - ddaerr-2p: radius 1 2 4 8; step 0.56x 1x 1.8x 3.2x 5.6x; smoothing 0.001 0.01
//! - aelr: radius 4 8 16 32; step 5.6x 10x 18x 32x 56x 100x
//! - ddaelr: radius 4 8 16 32; step 5.6x 10x 18x 32x 56x 100x
//! - ddaelr-2p: radius 4 8 16 32; step 5.6x 10x 18x 32x 56x; smoothing 0.001 0.01
//! - ogd: radius 0.5 1 2 4; step 5.6x 10x 18x 32x 56x 100x
//! - online-lasso: radius 8 16 32 64; step 32x 56x 100x 178x 316x 562x
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- c-mnist-56

use super::c_mnist;
use crate::arm::Arm;
use crate::run::Context;
use anyhow::Result;

const BUDGET: usize = 56;

/// What an independent prototype came to: 5 splits, 3 folds, half decades of steps.
const PROTOTYPE: &[(&str, f64)] =
    &[("aerr-56", 0.560), ("ddaerr-weights-56", 0.495), ("online-lasso", 0.247)];

/// As of 4 pixels.
pub(super) fn arms() -> Vec<Arm> {
    c_mnist::of(BUDGET)
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    c_mnist::run(context, BUDGET, PROTOTYPE)
}
