//! Makes figure 2 of paper E again on digits: the greedy adversary, who deletes what is worth most
//! of every test row until N is spent.
//!
//! Data: MNIST 4 against 7, pixels divided by 255, with mutual information as values. Protocol: ten
//! folds test in turn (the first three with `--quick`); a ninth of the other rows chooses the
//! setting for each N under the same adversary, and the rows that are left are learned from; a
//! second arm of the SVM is chosen on that ninth as it is. Every arm knows N, and every arm is
//! attacked by an adversary of its own. The LP learns from all rows at once, and in further arms
//! from chunks of them, as the paper had to; its relative gap is 1e-4.
//!
//! Where the end of an axis is chosen, the full grid goes on (`beyond.rs`).
//!
//! Full grids:
//!
//! - robust-lp: margin 0.25 0.5 1 2 4 8
//! - robust-perceptron: margin 0.3 1 3 10; step 1x 10x; passes 1 20
//! - svm: c 1e-6 3e-6 1e-5 3e-5 1e-4 3e-4 1e-3 3e-3 1e-2 3e-2 1e-1 3e-1 1 3 10 30 100 300 1000
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- e-figure-2-digits --mnist DIR

use super::greedy::{self, Grids, trial};
use crate::arm::Arm;
use crate::run::Context;
use anyhow::Result;

const GRIDS: Grids = Grids {
    lp: [&[("margin", &["0.25", "0.5", "1", "2", "4", "8"])], &[("margin", &["0.5", "1", "2"])]],
    perceptron: [
        &[("margin", &["0.3", "1", "3", "10"]), ("step", &["1x", "10x"]), ("passes", &["1", "20"])],
        &[("margin", &["1", "6"]), ("step", &["1x", "10x"]), ("passes", &["1", "20"])],
    ],
};

/// The paper's, the LP on all rows and on chunks.
pub(super) fn arms() -> Vec<Arm> {
    greedy::arms(GRIDS)
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let quick = context.protocol.quick;
    let all = [0.0, 10.0, 20.0, 25.0, 30.0, 40.0, 50.0];
    let budgets = if quick { vec![0.0, 25.0] } else { all.to_vec() };
    let trial = trial("4v7-mi", context.sources.pair(4, 7)?, true, budgets, GRIDS);
    greedy::section(context, &[trial])
}
