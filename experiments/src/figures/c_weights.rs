//! Asks when two phases pay: the learners of paper C under the same second moments, with three
//! kinds of weights.
//!
//! The text of paper C's experiments is lost to us, so nothing here is its protocol, and nothing is
//! claimed as reproduced.
//!
//! Data: as `c_synthetic.rs` with mu_i ~ i^-2 and d = 500; 20,000 rows; w* of length 1: in
//! proportion to +-sqrt(mu_i) (aligned), a uniformly random direction (isotropic, three draws of it
//! and of the rows), or the first attribute alone. Budget 4: three reads for the example, one for
//! the product. The rest of the protocol is that of `c_synthetic.rs`, and so is what is shown: the
//! exact excess of the halved squared error.
//!
//! Where the end of an axis is chosen, the full grid goes on (`beyond.rs`).
//!
//! Full grids (multiples are of the theorem's value):
//!
//! - aerr: step 0.1x 0.18x 0.32x 0.56x 1x 1.8x 3.2x 5.6x 10x 18x
//! - ddaerr: step 0.1x 0.18x 0.32x 0.56x 1x 1.8x 3.2x 5.6x 10x 18x
//! - ddaerr-2p: step 0.1x 0.18x 0.32x 0.56x 1x 1.8x 3.2x 5.6x 10x 18x
//! - ddaerr-2p: step 0.1x 0.18x 0.32x 0.56x 1x 1.8x 3.2x 5.6x 10x 18x; smoothing 0.001 0.01
//! - aerr: step 0.4x 0.72x 1.28x 2.24x 4x 7.2x 12.8x 22.4x 40x 72x
//! - ddaerr: step 0.4x 0.72x 1.28x 2.24x 4x 7.2x 12.8x 22.4x 40x 72x
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- c-weights

use super::dependent::{Grids, adaptive, euclidean, excess, excess_of_nothing, shown, verdict};
use crate::arm::{Arm, Axes};
use crate::figure::{Along, Height, curves};
use crate::markdown::table;
use crate::problem::Problem;
use crate::results::write;
use crate::run::Context;
use crate::synthetic::decaying;
use crate::tuned::{Load, Points};
use anyhow::Result;
use halfseen_synthetic::{Decay, Weights};

const ROWS: usize = 20_000;
const COLUMNS: usize = 500;
const BUDGET: usize = 4;
/// Of all training rows.
const READS: u64 = 72_000;
const DECAY: Decay = Decay::Power(2.0);
/// Weights, what they and their draw are called, the problem in result files, and what is added to
/// the seed.
type Kind = (Weights, &'static str, &'static str, u64);
const KINDS: [Kind; 5] = [
    (Weights::Aligned, "aligned", "power-2-d500", 0),
    (Weights::Isotropic, "isotropic", "power-2-d500-isotropic", 0),
    (Weights::Isotropic, "isotropic, 2nd draw", "power-2-d500-isotropic-2", 1),
    (Weights::Isotropic, "isotropic, 3rd draw", "power-2-d500-isotropic-3", 2),
    (Weights::Single(0), "first attribute", "power-2-d500-attribute-1", 0),
];
const GRIDS: Grids = Grids {
    one: (
        &[(
            "step",
            &["0.1x", "0.18x", "0.32x", "0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x", "18x"],
        )],
        &[("step", &["0.1x", "0.32x", "1x", "3.2x", "10x"])],
    ),
    two: (
        &[
            (
                "step",
                &["0.1x", "0.18x", "0.32x", "0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x", "18x"],
            ),
            ("smoothing", &["0.001", "0.01"]),
        ],
        &[("step", &["0.1x", "0.32x", "1x", "3.2x", "10x"]), ("smoothing", &["0.001", "0.01"])],
    ),
};
const OWN: (Axes, Axes) = (
    &[("step", &["0.4x", "0.72x", "1.28x", "2.24x", "4x", "7.2x", "12.8x", "22.4x", "40x", "72x"])],
    &[("step", &["0.4x", "1.28x", "4x", "12.8x", "40x"])],
);

/// Those of paper C in the Euclidean ball.
pub(super) fn arms() -> Vec<Arm> {
    let all = [euclidean(BUDGET, GRIDS), adaptive(BUDGET, GRIDS, OWN)].concat();
    all.into_iter().map(|arm| arm.set("radius", 1).going_on()).collect()
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let load = |(weights, _, name, more): Kind| -> Load<'_> {
        Box::new(move || {
            let problem = decaying(DECAY, weights, COLUMNS, ROWS, context.protocol.seed + more)?;
            Ok(Problem { name: name.into(), ..problem })
        })
    };
    let loads: Vec<Load<'_>> = KINDS.map(load).into();
    let arms = arms();
    let points =
        Points::Curve { points: if context.protocol.quick { 6 } else { 10 }, budget: BUDGET };
    let results = context.run(&loads, &arms, &|_| points)?;
    let median = |problem: &str, arm: &str| excess(&results, problem, arm);
    let part = |problem: &str, arm: &str| median(problem, arm) / median(problem, "aerr-4");
    let row = |arm: &Arm| {
        let cell = |(_, _, problem, _): Kind| {
            format!("{:.2e} ({:.2})", median(problem, &arm.id), part(problem, &arm.id))
        };
        std::iter::once(arm.label.clone()).chain(KINDS.map(cell)).collect()
    };
    let mut text = format!(
        "Second moments mu_i ~ i^-2 of {COLUMNS} attributes, {ROWS} rows, budget {BUDGET}: the excess of the halved squared error, exact; in \
         brackets the part of AERR's.\n\n"
    );
    text += &table(&[&[""][..], &KINDS.map(|kind| kind.1)].concat(), arms.iter().map(row));
    let (mut ends, mut theorem, mut tenths) = (Vec::new(), Vec::new(), Vec::new());
    for (weights, kind, problem, more) in KINDS {
        let seed = context.protocol.seed + more;
        let nothing = excess_of_nothing(DECAY, weights, COLUMNS, seed)?;
        let early =
            |arm: &str| results.at_reads(problem, arm, READS / 10).map_or(f64::NAN, |s| s.median);
        ends.push((kind.to_owned(), part(problem, "ddaerr-2p-20-4")));
        theorem.push((kind.to_owned(), part(problem, "ddaerr-2p-theorem-4")));
        tenths.push((kind.to_owned(), early("ddaerr-2p-20-4") / early("aerr-4")));
        let file = context.file(&format!(".{problem}.svg"));
        let title = format!("{kind} weights, 3 + 1 reads");
        let height =
            Height { label: "excess of the halved squared error", times: 0.5, limit: None };
        let picture = curves(&results, problem, &shown(&arms), &title, Along::Reads, height)?;
        write(&context.out.join(&file), &picture)?;
        text += &format!(
            "\n{kind}: no weights at all have an excess of {nothing:.2e}.\n\n![{title}](./{file})\n"
        );
    }
    Ok(format!(
        "{text}\n## When two phases pay\n\nWith a first phase of 20 %, the part of AERR's excess in brackets, each learner with the step that \
         tuning found for all examples.\n\n\
         - After all examples, smoothing tuned: {}\n\
         - After all examples, smoothing of the theorem (c = 4/3): {}\n\
         - After a tenth of the reads, inside the first phase, whose draws are uniform: {}\n\n\
         Where moments are alike (c-synthetic, power-0) a first phase finds nothing to gain.\n",
        verdict(&ends),
        verdict(&theorem),
        verdict(&tenths)
    ))
}
