//! Makes figure 2 of paper E again on Spambase: the greedy adversary, who deletes what is worth
//! most of every test row until N is spent.
//!
//! Data: Spambase, each column divided by its largest value, with all values 1 and with mutual
//! information. Protocol: ten folds test in turn (the first three with `--quick`); a ninth of the
//! other rows chooses the setting for each N under the same adversary, and the rows that are left
//! are learned from; a second arm of the SVM is chosen on that ninth as it is. Every arm knows N,
//! and every arm is attacked by an adversary of its own. The LP learns from all rows at once, and
//! in further arms from chunks of them, as the paper had to; its relative gap is 1e-4.
//!
//! Where the end of an axis is chosen, the full grid goes on (`beyond.rs`).
//!
//! Full grids:
//!
//! - robust-lp: margin 0.001 0.003 0.01 0.03 0.1 0.3 1
//! - robust-perceptron: margin 0.01 0.03 0.1 0.3 1; step 1x 10x; passes 1 20
//! - svm: c 1e-6 3e-6 1e-5 3e-5 1e-4 3e-4 1e-3 3e-3 1e-2 3e-2 1e-1 3e-1 1 3 10 30 100 300 1000
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- e-figure-2-spam --data DIR

use super::greedy::{self, Grids, trial};
use crate::arm::Arm;
use crate::run::Context;
use anyhow::Result;
use halfseen::data::Task;

const GRIDS: Grids = Grids {
    lp: [
        &[("margin", &["0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1"])],
        &[("margin", &["0.003", "0.01", "0.03", "0.1"])],
    ],
    perceptron: [
        &[
            ("margin", &["0.01", "0.03", "0.1", "0.3", "1"]),
            ("step", &["1x", "10x"]),
            ("passes", &["1", "20"]),
        ],
        &[("margin", &["0.03", "0.1", "0.3"]), ("step", &["1x", "10x"]), ("passes", &["1", "20"])],
    ],
};

/// The paper's, the LP on all rows and on chunks.
pub(super) fn arms() -> Vec<Arm> {
    greedy::arms(GRIDS)
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let quick = context.protocol.quick;
    let spam = || context.sources.table("spambase", "spam", Task::Classification);
    let few = |all: &[f64], some: &[f64]| if quick { some.to_vec() } else { all.to_vec() };
    let every: Vec<f64> = (0..=6).map(f64::from).collect();
    let informed = few(&[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0], &[0.0, 2.0, 6.0, 10.0, 14.0]);
    let trials = [
        trial("spam", spam()?, false, few(&every, &[0.0, 1.0, 2.0, 4.0, 6.0]), GRIDS),
        trial("spam-mi", spam()?, true, informed, GRIDS),
    ];
    greedy::section(context, &trials)
}
