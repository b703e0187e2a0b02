//! Runs the learners of paper C on 3 against 5, from 4 pixels of each image.
//!
//! The text of paper C's experiments is lost to us, so nothing here is its protocol, and nothing is
//! claimed as reproduced.
//!
//! Protocol: as `a_figure_2.rs` (pixels / 255, labels -1/+1, no intercept, no centring, ten splits,
//! 10-fold cross-validation, two runs per fold, medians). DDAERR and DDAELR are given the second
//! moments of the training part; the two-phase forms learn them from the first 5, 10, 20 or 50 % of
//! the images, or estimate them from the reads as they come; own steps are those of diagonal
//! AdaGrad. `c_mnist_56.rs` has the same for 56 pixels. Errors are squared errors without 1/2.
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
//!     cargo run --release --manifest-path experiments/Cargo.toml -- c-mnist

use super::beside::beside;
use super::dependent::{
    Grids, NO_THEOREM, adaptive, adaptive_entropic, descent, entropic, euclidean, shown,
};
use super::regression::{at_reads, end, ends, online_lasso, reads};
use crate::arm::{Arm, Axes};
use crate::figure::{Along, Height, curves};
use crate::markdown::{Claim, NOT_KNOWN, claims};
use crate::problem::Problem;
use crate::results::{Results, write};
use crate::run::Context;
use crate::tuned::Points;
use anyhow::Result;
use halfseen::plan::MomentNorms;

const BUDGET: usize = 4;
const EUCLIDEAN: Grids = Grids {
    one: (
        &[
            ("radius", &["0.5", "1", "2", "4", "8"]),
            ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["1x", "3.2x"])],
    ),
    two: (
        &[
            ("radius", &["1", "2", "4", "8"]),
            ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x"]),
            ("smoothing", &["0.001", "0.01"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["1x", "3.2x"]), ("smoothing", &["0.01"])],
    ),
};
const ENTROPIC: Grids = Grids {
    one: (
        &[
            ("radius", &["4", "8", "16", "32"]),
            ("step", &["5.6x", "10x", "18x", "32x", "56x", "100x"]),
        ],
        &[("radius", &["4", "16"]), ("step", &["10x", "32x"])],
    ),
    two: (
        &[
            ("radius", &["4", "8", "16", "32"]),
            ("step", &["5.6x", "10x", "18x", "32x", "56x"]),
            ("smoothing", &["0.001", "0.01"]),
        ],
        &[("radius", &["4", "16"]), ("step", &["10x", "32x"]), ("smoothing", &["0.01"])],
    ),
};

const OWN: (Axes, Axes) = (
    &[
        ("radius", &["1", "2", "4", "8"]),
        ("step", &["2.24x", "4x", "7.2x", "12.8x", "22.4x", "40x"]),
    ],
    &[("radius", &["1", "4"]), ("step", &["4x", "12.8x", "40x"])],
);

/// What an independent prototype came to with 4 pixels: 5 splits, 3 folds, half decades of steps.
const PROTOTYPE: &[(&str, f64)] = &[
    ("aerr-4", 0.784),
    ("ddaerr-weights-4", 0.763),
    ("ddaerr-2p-theorem-4", 0.774),
    ("ddaerr-2p-20-4", 0.713),
    ("aelr-4", 0.743),
    ("ddaelr-4", 0.621),
    ("ddaelr-2p-theorem-4", 0.730),
    ("ddaelr-2p-20-4", 0.669),
    ("online-lasso", 0.247),
];

/// One ball: its arms with a budget, and the one that sees everything.
fn sides(budget: usize) -> [(&'static str, Vec<Arm>, Arm); 2] {
    let all = descent(
        &[
            ("radius", &["0.5", "1", "2", "4"]),
            ("step", &["5.6x", "10x", "18x", "32x", "56x", "100x"]),
        ],
        &[("radius", &["1", "2"]), ("step", &["18x", "56x"])],
    );
    let l2 = [euclidean(budget, EUCLIDEAN), adaptive(budget, EUCLIDEAN, OWN)].concat();
    let l1 = [entropic(budget, ENTROPIC), adaptive_entropic(budget, ENTROPIC).into()].concat();
    [("ridge", l2, all), ("lasso", l1, online_lasso())]
}

/// Those of one budget and both balls.
pub(super) fn of(budget: usize) -> Vec<Arm> {
    let all = sides(budget).into_iter().flat_map(|(_, arms, all)| [arms, vec![all]].concat());
    all.map(Arm::going_on).collect()
}

/// Those of this file's budget.
pub(super) fn arms() -> Vec<Arm> {
    of(BUDGET)
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    run(context, BUDGET, PROTOTYPE)
}

/// Runs all of one budget and writes its section, with what a prototype came to.
pub(super) fn run(
    context: &Context<'_>,
    budget: usize,
    prototype: &[(&str, f64)],
) -> Result<String> {
    let number = if context.protocol.quick { 6 } else { 12 };
    let load = || context.sources.pair(3, 5);
    let arms = of(budget);
    let results =
        context.run(&[Box::new(load)], &arms, &|_| Points::Curve { points: number, budget })?;
    let mut text = format!(
        "3 against 5, squared error without 1/2. Paper C's own experiments are lost to us: nothing here reproduces them. {NO_THEOREM}\n"
    );
    let height = Height { label: "squared error on test images", times: 1.0, limit: Some(1.4) };
    for (side, mut arms, all) in sides(budget) {
        arms.push(all);
        let title = format!("3 against 5, {side}, {budget} pixels");
        let file = context.file(&format!(".{side}.svg"));
        let picture = curves(&results, "3v5", &shown(&arms), &title, Along::Reads, height)?;
        write(&context.out.join(&file), &picture)?;
        text += &format!("\n![{title}](./{file})\n\n{}", ends(&results, "3v5", &arms));
    }
    let problem = load()?;
    Ok(text + "\n" + &said(&results, budget, &problem)? + &beside(&results, &arms, prototype))
}

/// What the paper's introduction and theorems say, beside what was found.
fn said(results: &Results, budget: usize, problem: &Problem) -> Result<String> {
    let last = |arm: &str| end(results, "3v5", &format!("{arm}-{budget}"));
    let spent = reads(results, "3v5", &format!("aerr-{budget}"));
    let whole = |arm: &str| at_reads(results, "3v5", arm, spent);
    let norms = MomentNorms::of(&problem.mean_squares())?;
    let fewer = format!(
        "with {spent} reads DDAERR by known moments {:.3} and DDAELR {:.3}; with all pixels of {} images gradient descent {:.3} and the online \
         lasso {:.3}",
        last("ddaerr-moments"),
        last("ddaelr"),
        spent / problem.columns() as u64,
        whole("ogd"),
        whole("online-lasso")
    );
    let why = format!(
        "at equal reads the rates of the paper's table 1 differ by the root of |mu|_1/2 to d R^2, {:.2} for these pixels: their constants decide",
        (norms.half / (problem.columns() as f64 * norms.sum)).sqrt()
    );
    let phases = format!(
        "after 20 % DDAERR {:.3} and AERR {:.3}; DDAELR {:.3} and AELR {:.3}",
        last("ddaerr-2p-20"),
        last("aerr"),
        last("ddaelr-2p-20"),
        last("aelr")
    );
    Ok(claims(&[
        Claim::new("its learners can use fewer attributes than full-information ones", fewer)
            .judged(
                last("ddaerr-moments").min(last("ddaelr"))
                    < whole("ogd").min(whole("online-lasso")),
                why,
            ),
        Claim::new("two phases are to be preferred to AERR and AELR", phases).judged(
            last("ddaerr-2p-20") < last("aerr") && last("ddaelr-2p-20") < last("aelr"),
            NOT_KNOWN,
        ),
    ]))
}
