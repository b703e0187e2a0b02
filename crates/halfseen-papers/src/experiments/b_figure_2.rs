//! Makes figure 2 of paper B again: ridge on 3 against 5 from 56 pixels (two rows) of each image.
//!
//! Protocol (B, section 5, after A, section 4): as `a_figure_2.rs`, with a budget of 56. AERR spends 55 reads on the
//! example and one on the product, AER 28 on each.
//!
//! Full grids (multiples are of the theorem's value, for the norms that the data have):
//!
//! - aerr: radius 0.5 1 2 4 8; step 0.56x 1x 1.8x 3.2x 5.6x 10x
//! - aer: radius 2 4 8 16 32; penalty 0.1x 0.18x 0.32x 0.56x 1x 1.8x 3.2x
//! - ridge: radius 0.25 0.5 0.75 1 1.5 2 3 4 8
//!
//!     cargo run --release -p halfseen-papers -- b-figure-2

use super::regression::{aer, aerr, at_reads, both_axes, end, ends, reads, ridge};
use crate::arm::Arm;
use crate::page::claims;
use crate::run::{Context, Points};
use anyhow::Result;

const BUDGET: usize = 56;

/// The paper's three.
pub(super) fn arms() -> Vec<Arm> {
    vec![aerr(BUDGET), aer(BUDGET), ridge()]
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let arms = arms();
    let points = Points::Curve { points: if context.protocol.quick { 8 } else { 14 }, budget: BUDGET };
    let load = || context.sources.pair(3, 5);
    let results = context.run(&[Box::new(load)], &arms, &|_| points)?;
    let figures = both_axes(context, &results, &arms, "3 against 5, ridge from 56 pixels of each image")?;
    let spent = reads(&results, "3v5", "aerr");
    let early = |arm: &str| at_reads(&results, "3v5", arm, spent / 100);
    let middle = |arm: &str| at_reads(&results, "3v5", arm, spent / 10);
    let last = |arm: &str| end(&results, "3v5", arm);
    let found = format!(
        "AERR {:.3} and AER {:.3} up to a hundredth of the reads, {:.3} and {:.3} up to a tenth, {:.3} and {:.3} at the end; ridge on \
         all pixels {:.3}. AER spends 28 reads on the product and AERR one, whose second moment |w|^2 |x|^2 no further read lowers",
        early("aerr"),
        early("aer"),
        middle("aerr"),
        middle("aer"),
        last("aerr"),
        last("aer"),
        last("ridge")
    );
    let all = [("the gap between AERR and AER is large, AERR the lower", found)];
    Ok(format!("{figures}{}\n{}", ends(&results, "3v5", &arms), claims(&all)))
}
