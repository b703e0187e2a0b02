//! Tests what section 2.4 of paper E says of noise: with a margin that grows like sqrt N,
//! attributes may be corrupted, not only deleted.
//!
//! Data: MNIST 4 against 7, pixels divided by 255. The adversary replaces N pixels of every test
//! row, those of largest |w_j|, by independent noise from -1 to 1. Protocol: 500 rows to learn
//! from, 1,000 that choose the setting for each N under the same noise, all others test; the LP
//! prepares for noise (`damage = noise`: its margin is at least C sqrt(2 N ln(1/confidence))), or
//! for deletions with the margin searched.
//!
//! Full grids:
//!
//! - robust-lp: confidence 1e-8 1e-4 0.01 0.05 0.5 0.9
//! - robust-lp: margin 0.3 1 3 10 30
//! - svm: c 1e-6 3e-6 1e-5 3e-5 1e-4 3e-4 1e-3 3e-3 1e-2 3e-2 1e-1 3e-1 1 3 10 30 100 300 1000
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- e-noise --mnist DIR

use super::robust::{errors, figure, lp, paired, svm};
use crate::arm::{Arm, Axes};
use crate::results::write;
use crate::run::Context;
use crate::vanishing::{Parts, Trial};
use anyhow::Result;
use halfseen::robust::{Attack, Choice};
use halfseen::select::Score;

const DELETIONS: Axes = &[("margin", &["0.3", "1", "3", "10", "30"])];
const NOISE: Axes = &[("confidence", &["1e-8", "1e-4", "0.01", "0.05", "0.5", "0.9"])];

/// The LP for noise, for deletions, and the SVM.
pub(super) fn arms() -> Vec<Arm> {
    let noise = lp(NOISE, NOISE).set("damage", "noise").named("lp-noise", "LP for noise");
    vec![lp(DELETIONS, DELETIONS).named("robust-lp", "LP for deletions"), noise, svm()]
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let budgets = vec![0.0, 10.0, 25.0, 50.0, 100.0, 200.0];
    let trial = Trial {
        name: "4v7-noise".into(),
        problem: context.sources.pair(4, 7)?,
        parts: Parts::Few { train: 500, validate: 1000 },
        informed: false,
        attack: Attack::Noise(Choice::Weight),
        budgets: budgets.clone(),
        arms: arms(),
    };
    let constant = Score::of_constant(&trial.problem.target).error.unwrap_or(f64::NAN);
    let results = context.besiege(std::slice::from_ref(&trial))?;
    let (name, file) = (&trial.name, context.file(".svg"));
    let title = "4v7: noise for the pixels of largest weight";
    write(&context.out.join(&file), &figure(&results, name, &arms(), &budgets, title)?)?;
    Ok(format!(
        "![{title}](./{file})\n\nShare of test rows told wrongly where N pixels, those of largest weight, are replaced by noise from -1 to 1; mean and deviation \
         over the draws. The paper has no experiment with noise. A constant errs {constant:.3}.\n\n{}\nWhat each arm errs more than the LP for deletions, paired by draws, mean and standard error:\n\n{}",
        errors(&results, name, &arms(), &budgets),
        paired(&results, name, &arms(), &budgets)
    ))
}
