//! Runs the learners of paper C where second moments decay, on data whose truth is known.
//!
//! The text of paper C's experiments is lost to us, so nothing here is its protocol, and nothing is
//! claimed as reproduced.
//!
//! Data: x_i = sigma_i sqrt(mu_i) with fair signs sigma_i; mu_i ~ i^-alpha for alpha 0, 1, 2, and
//! mu_i ~ exp(-i/15); sum of mu 1; d of 100 and 500; 20,000 rows; w*_i = +-sqrt(mu_i), so
//! that |w*|_2 = 1; y = <w*,x> + 0.1 times a standard normal. Budgets 2, 5 and 17: 1, 4 and 16
//! reads for the example, one for the product. Ten splits with 10 % test; the step (and the
//! smoothing of two phases) by 10-fold cross-validation on the training part, cells compared by the
//! median over folds and two runs per fold; the radius is |w*|. What is shown is the exact excess
//! of the halved squared error, sum_i mu_i (w_i - w*_i)^2 / 2. DDAERR is given the second moments
//! of the training part, or estimates them from the reads as they come; own steps are those of
//! diagonal AdaGrad. Other weights than these: `c_weights.rs`.
//!
//! Where the end of an axis is chosen, the full grid goes on (`beyond.rs`).
//!
//! Full grids (multiples are of the theorem's value):
//!
//! - aerr: step 0.56x 1x 1.8x 3.2x 5.6x 10x 18x
//! - ddaerr: step 0.56x 1x 1.8x 3.2x 5.6x 10x 18x
//! - ddaerr-2p: step 0.56x 1x 1.8x 3.2x 5.6x 10x 18x; smoothing 0.001 0.01 1.333
//! - ddaerr-2p: step 0.56x 1x 1.8x 3.2x 5.6x 10x 18x
//! - aerr: step 1.28x 2.24x 4x 7.2x 12.8x 22.4x 40x 72x
//! - ddaerr: step 1.28x 2.24x 4x 7.2x 12.8x 22.4x 40x 72x
//! - ogd: step 0.56x 1x 1.8x 3.2x 5.6x 10x 18x
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- c-synthetic

use super::dependent::{Grids, NO_THEOREM, adaptive, descent, euclidean, excess, shown, verdict};
use crate::arm::{Arm, Axes};
use crate::figure::{Along, Height, curves};
use crate::markdown::table;
use crate::results::write;
use crate::run::Context;
use crate::synthetic::{decaying, name};
use crate::tuned::{Load, Points};
use anyhow::Result;
use halfseen_synthetic::{Decay, Weights};

const ROWS: usize = 20_000;
const SIZES: [usize; 2] = [100, 500];
const BUDGETS: [usize; 3] = [2, 5, 17];
const DECAYS: [Decay; 4] =
    [Decay::Power(0.0), Decay::Power(1.0), Decay::Power(2.0), Decay::Exponential(1.0 / 15.0)];
const GRIDS: Grids = Grids {
    one: (
        &[("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x", "18x"])],
        &[("step", &["1x", "3.2x", "10x"])],
    ),
    two: (
        &[
            ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x", "18x"]),
            ("smoothing", &["0.001", "0.01", "1.333"]),
        ],
        &[("step", &["1x", "3.2x", "10x"]), ("smoothing", &["0.01"])],
    ),
};

const OWN: (Axes, Axes) = (
    &[("step", &["1.28x", "2.24x", "4x", "7.2x", "12.8x", "22.4x", "40x", "72x"])],
    &[("step", &["1.28x", "4x", "12.8x", "40x"])],
);

/// The arms of one budget.
fn of(budget: usize) -> Vec<Arm> {
    [euclidean(budget, GRIDS), adaptive(budget, GRIDS, OWN)]
        .concat()
        .into_iter()
        .map(|arm| arm.set("radius", 1))
        .collect()
}

/// Online gradient descent on all attributes.
fn all_seen() -> Arm {
    descent(GRIDS.one.0, GRIDS.one.1).set("radius", 1)
}

/// Those of all budgets.
pub(super) fn arms() -> Vec<Arm> {
    let all = BUDGETS.iter().flat_map(|&budget| of(budget)).chain([all_seen()]);
    all.map(Arm::going_on).collect()
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let sets = || DECAYS.iter().flat_map(|&decay| SIZES.map(|d| (decay, d)));
    let load = |(decay, d): (Decay, usize)| -> Load<'_> {
        Box::new(move || decaying(decay, Weights::Aligned, d, ROWS, context.protocol.seed))
    };
    let loads: Vec<Load<'_>> = sets().map(load).collect();
    let points = Points::Curve { points: if context.protocol.quick { 6 } else { 10 }, budget: 5 };
    let results = context.run(&loads, &arms(), &|_| points)?;
    let mut text = format!(
        "Synthetic data with known second moments; the excess of the halved squared error, exact. Paper C's own experiments are lost \
         to us: nothing here reproduces them. In brackets the part of AERR's excess. {NO_THEOREM}\n"
    );
    let mut parts = Vec::new();
    for (decay, d) in sets() {
        let problem = format!("{}-d{d}", name(decay));
        let median = |arm: &str| excess(&results, &problem, arm);
        let heads: Vec<String> =
            BUDGETS.iter().map(|budget| format!("{} + 1 reads", budget - 1)).collect();
        let head: Vec<&str> =
            std::iter::once(problem.as_str()).chain(heads.iter().map(String::as_str)).collect();
        let row = |arm: &Arm| {
            // The same arm with each budget: only the last part of the name differs.
            let stem = arm.id.trim_end_matches("-2");
            let cell = |budget: &usize| {
                let reached = median(&format!("{stem}-{budget}"));
                format!("{reached:.2e} ({:.2})", reached / median(&format!("aerr-{budget}")))
            };
            std::iter::once(arm.label.clone()).chain(BUDGETS.iter().map(cell)).collect()
        };
        text += &format!("\n## {problem}\n\n{}", table(&head, of(BUDGETS[0]).iter().map(row)));
        for budget in BUDGETS {
            parts.push((
                format!("{problem}, {} + 1 reads", budget - 1),
                median(&format!("ddaerr-2p-20-{budget}")) / median(&format!("aerr-{budget}")),
            ));
        }
        let file = context.file(&format!(".{problem}.svg"));
        let (title, arms) = (format!("{problem}, 4 + 1 reads"), [of(5), vec![all_seen()]].concat());
        let height =
            Height { label: "excess of the halved squared error", times: 0.5, limit: None };
        write(
            &context.out.join(&file),
            &curves(&results, &problem, &shown(&arms), &title, Along::Reads, height)?,
        )?;
        text += &format!(
            "\nOGD on all attributes of all examples: {:.2e}.\n\n![{title}](./{file})\n",
            median("ogd")
        );
    }
    text += &format!(
        "\n## When two phases pay\n\nWith a first phase of 20 %, the part of AERR's excess at the end in brackets. {} With equal moments \
         (power-0) there is nothing to gain by them. What other weights do: c-weights.\n",
        verdict(&parts)
    );
    Ok(text)
}
