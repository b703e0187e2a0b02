//! Makes figure 1 of paper E again: 50 rows to learn from, and N non-zero attributes of each test
//! row deleted at random.
//!
//! Data: Spambase, each column divided by its largest value, and MNIST 4 against 7, pixels divided
//! by 255. Protocol: 50 rows to learn from, 200 that choose the setting for each N under the same
//! random deletions, all others test; drawn anew ten times (E does not say how often). How much an
//! arm prepares for is searched too, since random deletions do far less damage than the worst ones.
//!
//! Where the end of an axis is chosen, the full grid goes on (`beyond.rs`).
//!
//! Full grids:
//!
//! - robust-lp: threat 0 1 2 5 10 20 40; margin 0.01 0.05 0.2 0.8 3
//! - fdrop: threat 0 1 2 5 10 20 40; c 0.01 0.1 1 10 100 1000
//! - svm: c 1e-6 3e-6 1e-5 3e-5 1e-4 3e-4 1e-3 3e-3 1e-2 3e-2 1e-1 3e-1 1 3 10 30 100 300 1000
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- e-figure-1 --mnist DIR --data DIR

use super::robust::{errors, fdrop, figure, lp, svm};
use crate::arm::{Arm, Axes};
use crate::markdown::{Claim, claims};
use crate::results::{Results, write};
use crate::run::Context;
use crate::vanishing::{Parts, Trial, errors_at};
use anyhow::Result;
use halfseen::data::Task;
use halfseen::robust::Attack;
use halfseen::select::Score;

const THREATS: &[&str] = &["0", "1", "2", "5", "10", "20", "40"];
const FEW: &[&str] = &["0", "2", "10", "40"];
const LP: Axes = &[("threat", THREATS), ("margin", &["0.01", "0.05", "0.2", "0.8", "3"])];
const QUICK_LP: Axes = &[("threat", FEW), ("margin", &["0.01", "0.05", "0.2", "0.8", "3"])];
const FDROP: Axes = &[("threat", THREATS), ("c", &["0.01", "0.1", "1", "10", "100", "1000"])];
const QUICK_FDROP: Axes = &[("threat", FEW), ("c", &["0.01", "0.1", "1", "10", "100", "1000"])];

/// The paper's.
pub(super) fn arms() -> Vec<Arm> {
    [lp(LP, QUICK_LP), fdrop(FDROP, QUICK_FDROP), svm()].map(Arm::going_on).into()
}

fn trial(name: &str, problem: crate::problem::Problem, budgets: Vec<f64>) -> Trial {
    let parts = Parts::Few { train: 50, validate: 200 };
    Trial {
        name: name.into(),
        problem,
        parts,
        informed: false,
        attack: Attack::Random,
        budgets,
        arms: arms(),
    }
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let steps = |last: u32, by: usize| (0..=last).step_by(by).map(f64::from).collect::<Vec<f64>>();
    let spam = context.sources.table("spambase", "spam", Task::Classification)?;
    let trials = [
        trial("spam", spam, steps(50, 5)),
        trial("4v7", context.sources.pair(4, 7)?, steps(150, 15)),
    ];
    let results = context.besiege(&trials)?;
    let mut text = String::from(
        "Random deletions of N non-zero attributes of every test row (all where a row has fewer); mean and deviation over the draws.\n",
    );
    for Trial { name, budgets, problem, .. } in &trials {
        let file = context.file(&format!(".{name}.svg"));
        let title = format!("{name}: 50 rows to learn from, random deletions");
        write(&context.out.join(&file), &figure(&results, name, &arms(), budgets, &title)?)?;
        text += &format!(
            "\n## {name}\n\n![{title}](./{file})\n\n{}\n",
            errors(&results, name, &arms(), budgets)
        );
        let why = format!(
            "not known. E compares with the numbers that Globerson and Roweis reported; here all learners run on the same rows. A constant errs {:.3}",
            Score::of_constant(&problem.target).error.unwrap_or(f64::NAN)
        );
        let below = |statement, arm| below(statement, &results, name, budgets, arm, &why);
        text += &claims(&[
            below("the LP lies below GR", "fdrop"),
            below("the LP lies below the SVM, clearly and substantially", "svm"),
        ]);
    }
    Ok(text)
}

/// At how many N the linear program errs less than another arm.
fn below(
    statement: &'static str,
    results: &Results,
    problem: &str,
    budgets: &[f64],
    arm: &str,
    why: &str,
) -> Claim {
    let mean =
        |arm: &str, at: usize| errors_at(results, problem, arm, at).map_or(f64::NAN, |s| s.mean);
    let met = (0..budgets.len()).filter(|&at| mean("robust-lp", at) < mean(arm, at)).count();
    let last = budgets.len() - 1;
    let ours = format!(
        "at {met} of {} values of N; at N = {} {:.3} against {:.3}",
        budgets.len(),
        budgets[last],
        mean("robust-lp", last),
        mean(arm, last)
    );
    Claim::new(statement, ours).judged(met == budgets.len(), why)
}
