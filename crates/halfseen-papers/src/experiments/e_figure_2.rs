//! Makes figure 2 of paper E again: the greedy adversary, who deletes what is worth most of every test row until N is spent.
//!
//! Data: Spambase, each column divided by its largest value, with all values 1 and with mutual information; MNIST 4 against 7, pixels
//! divided by 255, with mutual information. Protocol: ten folds test in turn (the first three with `--quick`); a ninth of the other
//! rows chooses the setting for each N under the same adversary, and the rows that are left are learned from. Every arm knows
//! N, and every arm is attacked by an adversary of its own. The LP learns from all rows at once, and in further arms from chunks of
//! them, as the paper had to; its relative gap is 1e-4.
//!
//! Full grids:
//!
//! - robust-lp: margin 0.03 0.1 0.3 1 2 5
//! - robust-perceptron: margin 0.03 0.1 0.3 1 3 10; step 1x 10x; passes 1 20
//! - svm: c 1e-6 3e-6 1e-5 3e-5 1e-4 3e-4 1e-3 3e-3 1e-2 3e-2 1e-1 3e-1 1 3 10 30 100 300 1000
//!
//!     cargo run --release -p halfseen-papers -- e-figure-2 --mnist DIR --data DIR

use super::robust::{chunked, errors, figure, lp, paired, perceptron, svm};
use crate::arm::{Arm, Axes};
use crate::page::{claims, word};
use crate::problem::Problem;
use crate::results::{Results, write};
use crate::run::Context;
use crate::vanishing::{Parts, Trial, difference, errors_at};
use anyhow::Result;
use halfseen::data::Task;
use halfseen::robust::{Attack, Order};

const MARGINS: Axes = &[("margin", &["0.03", "0.1", "0.3", "1", "2", "5"])];
const QUICK: Axes = &[("margin", &["0.1", "0.3", "2", "5"])];
const STEPS: Axes =
    &[("margin", &["0.03", "0.1", "0.3", "1", "3", "10"]), ("step", &["1x", "10x"]), ("passes", &["1", "20"])];
const QUICK_STEPS: Axes = &[("margin", &["0.1", "0.3", "2", "5"]), ("step", &["1x", "10x"]), ("passes", &["1", "20"])];
const CHUNKS: [usize; 3] = [100, 500, 2000];

/// The paper's, the LP on all rows and on chunks.
pub(super) fn arms() -> Vec<Arm> {
    let chunks = CHUNKS.map(|rows| chunked(rows, MARGINS, QUICK));
    [lp(MARGINS, QUICK)].into_iter().chain(chunks).chain([perceptron(STEPS, QUICK_STEPS), svm()]).collect()
}

fn trial(name: &str, problem: Problem, informed: bool, budgets: Vec<f64>) -> Trial {
    let attack = Attack::Greedy(Order::Ratio);
    Trial { name: name.into(), problem, parts: Parts::Folds, informed, attack, budgets, arms: arms() }
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let quick = context.protocol.quick;
    let spam = || context.sources.table("spambase", "spam", Task::Classification);
    let few = |all: &[f64], some: &[f64]| if quick { some.to_vec() } else { all.to_vec() };
    let every: Vec<f64> = (0..=6).map(f64::from).collect();
    let trials = [
        trial("spam", spam()?, false, few(&every, &[0.0, 1.0, 2.0, 4.0, 6.0])),
        trial(
            "spam-mi",
            spam()?,
            true,
            few(&[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0], &[0.0, 2.0, 6.0, 10.0, 14.0]),
        ),
        trial(
            "4v7-mi",
            context.sources.pair(4, 7)?,
            true,
            few(&[0.0, 10.0, 20.0, 25.0, 30.0, 40.0, 50.0], &[10.0, 25.0, 50.0]),
        ),
    ];
    let results = context.besiege(&trials)?;
    let mut text = String::from(
        "Share of test rows told wrongly under the greedy adversary; mean and deviation over the folds.\n",
    );
    for Trial { name, budgets, .. } in &trials {
        let file = context.file(&format!(".{name}.svg"));
        let title = format!("{name}: the greedy adversary");
        write(&context.out.join(&file), &figure(&results, name, &arms(), budgets, &title)?)?;
        text += &format!(
            "\n### {name}\n\n![{title}](./{file})\n\n{}\nWhat each arm errs more than the LP on all rows, paired by folds, mean and standard error:\n\n{}\n",
            errors(&results, name, &arms(), budgets),
            paired(&results, name, &arms(), budgets)
        );
        text += &claims(&[
            ("both robust methods err far less than the SVM", far_below(&results, name, budgets)),
            ("the LP is comparable to the Perceptron, or better", comparable(&results, name, budgets)),
            ("with less or without chunking the LP is even better", chunking(&results, name, budgets)),
        ]);
    }
    Ok(text)
}

fn mean(results: &Results, problem: &str, arm: &str, at: usize) -> f64 {
    errors_at(results, problem, arm, at).map_or(f64::NAN, |s| s.mean)
}

fn far_below(results: &Results, problem: &str, budgets: &[f64]) -> String {
    let of = |arm: &str, at: usize| mean(results, problem, arm, at);
    let inside: Vec<usize> = (0..budgets.len()).filter(|&at| budgets[at] > 0.0).collect();
    let far = |at: &&usize| of("robust-lp", **at).max(of("robust-perceptron", **at)) <= 0.55 * of("svm", **at);
    let met = inside.iter().filter(far).count();
    let shares: Vec<String> = inside
        .iter()
        .map(|&at| {
            let svm = of("svm", at);
            format!("{}: {:.2}, {:.2}", budgets[at], of("robust-lp", at) / svm, of("robust-perceptron", at) / svm)
        })
        .collect();
    format!(
        "{}: both have at most 0.55 of its error at {met} of {} values of N above 0 (N: LP, Perceptron as shares of the SVM's error: {})",
        word(met == inside.len()),
        inside.len(),
        shares.join("; ")
    )
}

fn comparable(results: &Results, problem: &str, budgets: &[f64]) -> String {
    let worse = |at: &usize| {
        difference(results, problem, ["robust-lp", "robust-perceptron"], *at).is_some_and(|(d, e)| d > 2.0 * e)
    };
    let worse = (0..budgets.len()).filter(worse).count();
    format!(
        "{}: the LP is worse by more than two standard errors at {worse} of {} values of N",
        word(worse == 0),
        budgets.len()
    )
}

fn chunking(results: &Results, problem: &str, budgets: &[f64]) -> String {
    let better = |arm: &str| {
        let gain = |at: &usize| difference(results, problem, [arm, "robust-lp"], *at).is_some_and(|(d, e)| d > 2.0 * e);
        (0..budgets.len()).filter(gain).count()
    };
    let counts: Vec<String> = CHUNKS.iter().map(|rows| format!("{rows}: {}", better(&format!("lp-{rows}")))).collect();
    format!(
        "all rows at once are better than chunks by more than two standard errors at so many of {} values of N (rows of a chunk: count): {}",
        budgets.len(),
        counts.join(", ")
    )
}
