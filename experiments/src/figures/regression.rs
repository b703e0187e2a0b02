//! Gives the arms that papers A and B share, as the papers define them: no intercept, no centring,
//! all iterates averaged.

use crate::arm::Arm;
use crate::figure::{Along, Height, curves};
use crate::markdown::table;
use crate::results::{Results, write};
use crate::run::Context;
use anyhow::Result;

/// Ridge regression on all attributes.
pub(super) fn ridge() -> Arm {
    Arm::new("ridge", "ridge, all pixels").grids(
        &[("radius", &["0.25", "0.5", "0.75", "1", "1.5", "2", "3", "4", "8"])],
        &[("radius", &["0.5", "1", "2"])],
    )
}

/// The lasso on all attributes.
pub(super) fn lasso() -> Arm {
    Arm::new("lasso", "lasso, all pixels").grids(
        &[("radius", &["0.5", "1", "2", "4", "8", "12", "16", "24", "32"])],
        &[("radius", &["4", "8", "16"])],
    )
}

/// One pass of exponentiated gradient over all attributes.
pub(super) fn online_lasso() -> Arm {
    Arm::new("online-lasso", "online lasso, all pixels").grids(
        &[
            ("radius", &["8", "16", "32", "64"]),
            ("step", &["32x", "56x", "100x", "178x", "316x", "562x"]),
        ],
        &[("radius", &["16", "32"]), ("step", &["100x", "316x"])],
    )
}

/// AER.
pub(super) fn aer(budget: usize) -> Arm {
    sampled("aer", "AER", budget).grids(
        &[
            ("radius", &["2", "4", "8", "16", "32"]),
            ("penalty", &["0.1x", "0.18x", "0.32x", "0.56x", "1x", "1.8x", "3.2x"]),
        ],
        &[("radius", &["4", "8", "16"]), ("penalty", &["0.32x", "1x"])],
    )
}

/// The Baseline, its estimated second moments read as the paper's objective stands (a stationary
/// point), or made positive semidefinite first.
pub(super) fn baseline(budget: usize, reading: &'static str) -> Arm {
    let label = format!("Baseline ({reading}), {budget} pixels");
    let arm = Arm::new("baseline", &label)
        .set("budget", budget)
        .set("centre", "none")
        .set("moment_repair", reading);
    arm.named(&format!("baseline-{reading}"), &label).grids(
        &[("radius", &["0.125", "0.25", "0.5", "1", "2", "4", "8", "16", "32"])],
        &[("radius", &["1", "2", "4"])],
    )
}

/// The strawman that takes attributes to be uncorrelated.
pub(super) fn identity(budget: usize) -> Arm {
    let arm = Arm::new("identity", &format!("identity, {budget} pixels"));
    arm.set("budget", budget).set("centre", "none").grids(
        &[("radius", &["0.125", "0.25", "0.5", "1", "2", "4", "8", "16", "32"])],
        &[("radius", &["1", "2", "4", "8"])],
    )
}

/// AERR, drawing with replacement as the paper does.
pub(super) fn aerr(budget: usize) -> Arm {
    sampled("aerr", "AERR", budget).set("replacement", true).grids(
        &[
            ("radius", &["0.5", "1", "2", "4", "8"]),
            ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x"]),
        ],
        &[("radius", &["1", "2", "4"]), ("step", &["1x", "3.2x"])],
    )
}

/// AELR, drawing with replacement as the paper does.
pub(super) fn aelr(budget: usize) -> Arm {
    sampled("aelr", "AELR", budget).set("replacement", true).grids(
        &[
            ("radius", &["2", "4", "8", "16", "32"]),
            ("step", &["5.6x", "10x", "18x", "32x", "56x", "100x"]),
        ],
        &[("radius", &["4", "16"]), ("step", &["10x", "18x", "32x"])],
    )
}

fn sampled(name: &'static str, label: &str, budget: usize) -> Arm {
    Arm::new(name, &format!("{label}, {budget} pixels"))
        .set("budget", budget)
        .set("centre", "none")
        .set("average", "all")
}

/// Draws both axes for 3 against 5 and returns the figures' lines for the page.
pub(super) fn both_axes(
    context: &Context<'_>,
    results: &Results,
    arms: &[Arm],
    title: &str,
) -> Result<String> {
    let arms: Vec<&Arm> = arms.iter().collect();
    let height = Height { label: "squared error on test images", times: 1.0, limit: Some(1.4) };
    let mut text = String::new();
    for (along, part) in [(Along::Examples, "examples"), (Along::Reads, "attributes")] {
        let file = context.file(&format!(".{part}.svg"));
        write(&context.out.join(&file), &curves(results, "3v5", &arms, title, along, height)?)?;
        text += &format!("![{title}, against {part}](./{file})\n\n");
    }
    Ok(text)
}

/// What each arm reached after all examples, and with what parameters.
pub(super) fn ends(results: &Results, problem: &str, arms: &[Arm]) -> String {
    let row = |arm: &Arm| {
        let squared = results.end(problem, &arm.id, |row| Some(row.squared));
        let wrong = results.end(problem, &arm.id, |row| row.wrong);
        let reads = results.end(problem, &arm.id, |row| Some(row.reads as f64));
        vec![
            arm.label.clone(),
            reads.map_or(String::new(), |s| format!("{:.0}", s.mean)),
            squared.map_or(String::new(), |s| format!("{:.3}", s.median)),
            squared.map_or(String::new(), |s| format!("{:.3} +- {:.3}", s.mean, s.sd)),
            wrong.map_or(String::new(), |s| format!("{:.1} %", 100.0 * s.median)),
            results.chosen(problem, &arm.id),
        ]
    };
    let head = [
        "after all examples",
        "reads",
        "squared error, median",
        "mean",
        "told wrongly, median",
        "chosen",
    ];
    table(&head, arms.iter().map(row))
}

/// The median squared error after all examples.
pub(super) fn end(results: &Results, problem: &str, arm: &str) -> f64 {
    results.end(problem, arm, |row| Some(row.squared)).map_or(f64::NAN, |s| s.median)
}

/// The median squared error at the last point with at most so many reads.
pub(super) fn at_reads(results: &Results, problem: &str, arm: &str, reads: u64) -> f64 {
    results.at_reads(problem, arm, reads).map_or(f64::NAN, |s| s.median)
}

/// The reads that an arm has made after all examples.
pub(super) fn reads(results: &Results, problem: &str, arm: &str) -> u64 {
    results.end(problem, arm, |row| Some(row.reads as f64)).map_or(0, |s| s.mean as u64)
}
