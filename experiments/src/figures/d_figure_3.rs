//! Makes figure 3 of paper D again: blocks of columns are hidden, squared error against the number
//! of training rows.
//!
//! Data (D, section 5.1.2): rows of a random subspace of 20 dimensions in 200 columns, divided at
//! random into three blocks; y = <w, x> of deviation 1, which the paper does not state. Each block is observed with probability
//! 1/3, given that at least one is. Ten draws of 10,000 rows; 1,000 of them test; learned from up
//! to 1,000 of the others, of which a quarter is held out to choose gamma and C, or the weights of
//! MC-b and MC-1, and then learned from too. Attributes, kernel, losses and the inductive MC-b and
//! MC-1: as in `d_figure_2.rs`. The constant predictor's squared error is 1.
//!
//! Full grids:
//!
//! - karma: gamma 1 2 3 4; c 1e-5 1e-4 1e-3 1e-2 1e-1 1 10 100 1e3 1e4 1e5
//! - zero: c 1e-5 1e-4 1e-3 1e-2 1e-1 1 10 100 1e3 1e4 1e5
//! - mcb: label_weight 0.1 1; rank_penalty 0.5 0.2 0.1 0.05 0.02
//! - mc1: label_weight 0.1 1; rank_penalty 0.5 0.2 0.1 0.05 0.02
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- d-figure-3

use super::holes::{errors, karma, mc1, mcb, zero};
use crate::arm::{Arm, Axes};
use crate::figure::{Along, Height, curves};
use crate::holdout::{Data, Trial};
use crate::holed::drawn;
use crate::markdown::{Claim, NOT_KNOWN, claims};
use crate::results::write;
use crate::run::Context;
use anyhow::Result;
use halfseen::select::Statistics;
use halfseen_synthetic::Blocks;

const ROWS: usize = 10_000;
const TEST_SHARE: f64 = 0.1;
const COMPLETION: Axes =
    &[("label_weight", &["0.1", "1"]), ("rank_penalty", &["0.5", "0.2", "0.1", "0.05", "0.02"])];
const FEW_COMPLETION: Axes = &[("label_weight", &["1"]), ("rank_penalty", &["0.2", "0.05"])];

/// The paper's.
pub(super) fn arms() -> Vec<Arm> {
    vec![
        karma(),
        zero(),
        mcb().grids(COMPLETION, FEW_COMPLETION),
        mc1().grids(COMPLETION, FEW_COMPLETION),
    ]
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let sizes: Vec<usize> = if context.protocol.quick {
        vec![100, 400]
    } else {
        vec![50, 100, 200, 400, 600, 800, 1000]
    };
    let draw = |seed| drawn("blocks", &Blocks::default().draw(ROWS, seed)?);
    let trial = Trial {
        name: "blocks".into(),
        data: Data::Fresh(Box::new(draw)),
        test_share: TEST_SHARE,
        sizes: sizes.clone(),
        arms: arms(),
    };
    let results = context.hold_out(&[trial])?;
    let arms = arms();
    let file = context.file(".svg");
    let title = "rank 20 in 200 columns, three blocks";
    let height = Height { label: "squared error on test rows", times: 1.0, limit: Some(1.5) };
    let shown: Vec<&Arm> = arms.iter().collect();
    write(
        &context.out.join(&file),
        &curves(&results, "blocks", &shown, title, Along::Examples, height)?,
    )?;
    let rows: Vec<_> = sizes
        .iter()
        .map(|&size| (size.to_string(), "blocks".to_owned(), Some(size as u64)))
        .collect();
    let mean = |arm: &str, size: usize| {
        let at = results
            .of("blocks", arm)
            .filter(|row| row.examples == size as u64)
            .map(|row| row.squared);
        Statistics::of(at.collect()).map_or(f64::NAN, |s| s.mean)
    };
    let last = sizes[sizes.len() - 1];
    let all = [
        Claim::new(
            "picks a good classifier with a comparably small sample size",
            format!(
                "after {} rows karma {:.3}, MC-b {:.3} and MC-1 {:.3}; after {last} rows {:.3}, {:.3} and {:.3}",
                sizes[1],
                mean("karma", sizes[1]),
                mean("mcb", sizes[1]),
                mean("mc1", sizes[1]),
                mean("karma", last),
                mean("mcb", last),
                mean("mc1", last)
            ),
        )
        .judged(
            mean("karma", sizes[1]) <= mean("mcb", sizes[1]).min(mean("mc1", sizes[1])),
            "the rows are exactly of low rank, without noise, and MC-b and MC-1 find their subspace from fewer of them; their weights are \
             chosen on the holdout here",
        ),
        Claim::new(
            "significantly outperforms 0-imputation",
            format!(
                "after {last} rows {:.1e} against {:.1e}; after {} rows {:.3} against {:.3}",
                mean("karma", last),
                mean("zero", last),
                sizes[0],
                mean("karma", sizes[0]),
                mean("zero", sizes[0])
            ),
        )
        .judged(mean("karma", last) < 0.5 * mean("zero", last), NOT_KNOWN),
        Claim::new(
            "gamma of at least 3 can express the target, with no loss (section 5.1.2)",
            format!(
                "after {last} rows {:.1e}, with {}",
                mean("karma", last),
                results.chosen_at("blocks", "karma", sizes.len() - 1)
            ),
        ),
    ];
    Ok(format!(
        "![{title}](./{file})\n\nSquared error on 1,000 test rows, mean and deviation over the draws. A constant scores 1.\n\n{}\n{}\n\
         What karma chose after the fewest rows: {}\n",
        errors(&results, &arms, "training rows", &rows),
        claims(&all),
        results.chosen("blocks", "karma"),
    ))
}
