//! Runs the learners of paper C on tables: communities, spambase, and one wide sparse set.
//!
//! The text of paper C's experiments is lost to us, so nothing here is its protocol, and nothing is
//! claimed as reproduced.
//!
//! Data: `communities.csv` (target ViolentCrimesPerPop, the columns without a missing cell),
//! `spambase.csv` (target spam), both with each column divided by its largest value; and 20,000
//! synthetic rows over 10,000 attributes, some 40 of them not zero, attribute i in proportion to
//! 1/i. Budget 5: four reads for the example and one for the product; an intercept beside (a
//! constant attribute that is always known); no centring. Ten splits with 10 % test, 10-fold
//! cross-validation, two runs per fold, medians. The error is the squared one without 1/2, in the
//! target's units: no weights at all give the variance.
//!
//! Where the end of an axis is chosen, the full grid goes on (`beyond.rs`).
//!
//! Full grids (multiples are of the theorem's value, for the norms that the data have):
//!
//! - aerr: radius 0.5 1 2 4 8; step 0.56x 1x 1.8x 3.2x 5.6x 10x
//! - ddaerr: radius 0.5 1 2 4 8; step 0.56x 1x 1.8x 3.2x 5.6x 10x
//! - ddaerr-2p: radius 0.5 1 2 4 8; step 0.56x 1x 1.8x 3.2x 5.6x; smoothing 0.001 0.01
//! - aelr: radius 1 2 4 8 16; step 1.8x 3.2x 5.6x 10x 18x 32x
//! - ddaelr: radius 1 2 4 8 16; step 1.8x 3.2x 5.6x 10x 18x 32x
//! - ddaelr-2p: radius 1 2 4 8 16; step 1.8x 3.2x 5.6x 10x 18x; smoothing 0.001 0.01
//! - ogd: radius 0.5 1 2 4 8; step 1x 1.8x 3.2x 5.6x 10x 18x 32x
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- c-tables --data DIR

use super::dependent::{Grids, descent, entropic, euclidean, shown};
use super::regression::ends;
use crate::arm::Arm;
use crate::figure::{Along, Height, curves};
use crate::results::write;
use crate::run::Context;
use crate::synthetic::sparse;
use crate::tuned::{Load, Points};
use anyhow::Result;
use halfseen::data::Task;

const BUDGET: usize = 5;
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
            ("radius", &["0.5", "1", "2", "4", "8"]),
            ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x"]),
            ("smoothing", &["0.001", "0.01"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["1x", "3.2x"]), ("smoothing", &["0.01"])],
    ),
};
const ENTROPIC: Grids = Grids {
    one: (
        &[
            ("radius", &["1", "2", "4", "8", "16"]),
            ("step", &["1.8x", "3.2x", "5.6x", "10x", "18x", "32x"]),
        ],
        &[("radius", &["2", "8"]), ("step", &["3.2x", "10x"])],
    ),
    two: (
        &[
            ("radius", &["1", "2", "4", "8", "16"]),
            ("step", &["1.8x", "3.2x", "5.6x", "10x", "18x"]),
            ("smoothing", &["0.001", "0.01"]),
        ],
        &[("radius", &["2", "8"]), ("step", &["3.2x", "10x"]), ("smoothing", &["0.01"])],
    ),
};

/// Those of both balls.
pub(super) fn arms() -> Vec<Arm> {
    let all = descent(
        &[
            ("radius", &["0.5", "1", "2", "4", "8"]),
            ("step", &["1x", "1.8x", "3.2x", "5.6x", "10x", "18x", "32x"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["1.8x", "5.6x", "18x"])],
    );
    let all = [euclidean(BUDGET, EUCLIDEAN), entropic(BUDGET, ENTROPIC), vec![all]].concat();
    all.into_iter().map(|arm| arm.with_intercept(true).going_on()).collect()
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let (sources, seed) = (context.sources, context.protocol.seed);
    let loads: [Load<'_>; 3] = [
        Box::new(|| sources.table("communities", "ViolentCrimesPerPop", Task::Regression)),
        Box::new(|| sources.table("spambase", "spam", Task::Classification)),
        Box::new(move || sparse(10_000, 20_000, seed)),
    ];
    let number = if context.protocol.quick { 6 } else { 10 };
    let arms = arms();
    let results =
        context.run(&loads, &arms, &|_| Points::Curve { points: number, budget: BUDGET })?;
    let mut text = String::from(
        "Tables, four reads for the example and one for the product. Paper C's own experiments are lost to us: nothing here \
         reproduces them.\n",
    );
    let height = Height { label: "squared error on test rows", times: 1.0, limit: None };
    let shown = shown(&arms);
    for problem in ["communities", "spambase", "sparse"] {
        let file = context.file(&format!(".{problem}.svg"));
        write(
            &context.out.join(&file),
            &curves(&results, problem, &shown, problem, Along::Reads, height)?,
        )?;
        text += &format!("\n![{problem}](./{file})\n\n{}", ends(&results, problem, &arms));
    }
    Ok(text)
}
