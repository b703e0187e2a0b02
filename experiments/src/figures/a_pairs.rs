//! Makes the table of paper A again: the median test errors over all 45 pairs of digits.
//!
//! Protocol (A, section 4): as `a_figure_2.rs`, for each pair; errors are averaged over the splits,
//! then the median over the pairs is taken. The quick protocol takes every fifth pair, or with
//! `--every-pair` all. The second table is what the same learners, and later ones, come to with an
//! intercept, means learned from the reads (`centre=running`; ridge and lasso: an intercept, which
//! centres) and the average of the second half of the iterates (`average=tail`).
//!
//! Where the end of an axis is chosen, the full grid goes on (`beyond.rs`).
//!
//! Full grids of the first table (multiples are of the theorem's value, for the norms that the data
//! have):
//!
//! - ridge: radius 0.25 0.5 0.75 1 1.5 2 3 4 8
//! - lasso: radius 0.5 1 2 4 8 12 16 24 32
//! - aer: radius 2 4 8 16 32; penalty 0.1x 0.18x 0.32x 0.56x 1x 1.8x 3.2x
//! - baseline: radius 0.125 0.25 0.5 1 2 4 8 16 32
//! - identity: radius 0.125 0.25 0.5 1 2 4 8 16 32
//!
//! and of the second, where they differ:
//!
//! - aer: radius 4 8 16 32; penalty 0.1x 0.18x 0.32x 0.56x 1x
//! - aerr: radius 1 2 4; step 0.56x 1x 1.8x 3.2x 5.6x
//! - aelr: radius 4 8 16 32; step 3.2x 5.6x 10x 18x
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- a-pairs --mnist DIR

use super::regression::{aelr, aer, aerr, baseline, identity, lasso, ridge};
use crate::arm::Arm;
use crate::markdown::{Compared, table};
use crate::problem::Problem;
use crate::results::{Results, Row};
use crate::run::Context;
use crate::tuned::{Load, Points};
use anyhow::Result;
use halfseen::select::Statistics;

const BUDGET: usize = 4;
/// Lasso radii below what tuning chooses, to see which would give the printed number.
const SMALL: [u32; 3] = [1, 2, 4];

/// Those of the first table.
fn first() -> Vec<Arm> {
    let readings = ["stationary", "psd"].map(|reading| baseline(BUDGET, reading));
    [vec![ridge(), lasso(), aer(BUDGET)], readings.into(), vec![identity(BUDGET)]].concat()
}

/// Those of the second table.
fn second() -> Vec<Arm> {
    let centred = |arm: Arm| {
        let (id, label) = (format!("{}-centred", arm.id), arm.label.clone());
        let arm = if arm.has("centre") { arm.set("centre", "running") } else { arm };
        let arm = if arm.has("average") { arm.set("average", "tail") } else { arm };
        arm.with_intercept(true).named(&id, &label)
    };
    let aer = aer(BUDGET).grids(
        &[
            ("radius", &["4", "8", "16", "32"]),
            ("penalty", &["0.1x", "0.18x", "0.32x", "0.56x", "1x"]),
        ],
        &[("radius", &["8", "16"]), ("penalty", &["0.18x", "0.56x"])],
    );
    let aerr = aerr(BUDGET).set("replacement", false).grids(
        &[("radius", &["1", "2", "4"]), ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x"])],
        &[("radius", &["1", "2"]), ("step", &["1x", "1.8x"])],
    );
    let aelr = aelr(BUDGET).set("replacement", false).grids(
        &[("radius", &["4", "8", "16", "32"]), ("step", &["3.2x", "5.6x", "10x", "18x"])],
        &[("radius", &["8", "16"]), ("step", &["5.6x", "10x"])],
    );
    let psd = baseline(BUDGET, "psd");
    [ridge(), lasso(), aer, psd, identity(BUDGET), aerr, aelr].map(centred).into()
}

/// The lasso at fixed small radii.
fn small() -> Vec<Arm> {
    SMALL
        .map(|radius| {
            lasso().grids(&[], &[]).set("radius", radius).named(&format!("lasso-{radius}"), "lasso")
        })
        .into()
}

/// All of them.
pub(super) fn arms() -> Vec<Arm> {
    [first(), second(), small()].concat().into_iter().map(Arm::going_on).collect()
}

/// The median over the pairs of the mean over the splits.
fn median(
    results: &Results,
    pairs: &[String],
    arm: &str,
    figure: impl Fn(&Row) -> Option<f64> + Copy,
) -> f64 {
    let means = pairs.iter().filter_map(|pair| results.end(pair, arm, figure)).map(|s| s.mean);
    Statistics::of(means.collect()).map_or(f64::NAN, |s| s.median)
}

/// The least and the largest radius that an arm was given by tuning.
fn radii(results: &Results, arm: &str) -> String {
    let radius = |row: &Row| {
        row.setting.split(';').find_map(|part| part.strip_prefix("radius=")?.parse::<f64>().ok())
    };
    let all = results.rows.iter().filter(|row| row.arm == arm).filter_map(radius);
    let (least, most) = all.fold((f64::INFINITY, 0.0_f64), |(least, most), radius| {
        (least.min(radius), most.max(radius))
    });
    format!("{least} to {most}")
}

/// How a figure of an arm differs between pairs, and where the median of all pairs lies with 95 %
/// or more (distribution-free).
struct Spread {
    least: f64,
    most: f64,
    low: f64,
    high: f64,
}

impl Spread {
    fn of(
        results: &Results,
        pairs: &[String],
        arm: &str,
        figure: impl Fn(&Row) -> Option<f64> + Copy,
    ) -> Spread {
        let mut all: Vec<f64> = pairs
            .iter()
            .filter_map(|pair| results.end(pair, arm, figure))
            .map(|s| s.mean)
            .collect();
        all.sort_by(f64::total_cmp);
        let at = |i: usize| all.get(i).copied().unwrap_or(f64::NAN);
        let (count, outside) = (all.len(), outside(all.len()));
        let from_above = |i: usize| at(count.saturating_sub(1 + i));
        Spread { least: at(0), most: from_above(0), low: at(outside), high: from_above(outside) }
    }
}

/// How many of n ordered values may be left off at either end while the rest holds the median with
/// 95 %.
fn outside(n: usize) -> usize {
    let (mut term, mut tail, mut left) = (0.5_f64.powi(n as i32), 0.0, 0);
    while left < n / 2 {
        tail += term;
        // Fewer than `left + 1` of n below the median.
        if 2.0 * tail > 0.05 {
            break;
        }
        left += 1;
        term *= (n - left + 1) as f64 / left as f64;
    }
    left.saturating_sub(1)
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let all = (0..10_u8).flat_map(|first| (first + 1..10).map(move |second| (first, second)));
    let pairs: Vec<(u8, u8)> = all.step_by(context.protocol.every).collect();
    let load = |&(first, second): &(u8, u8)| -> Load<'_> {
        Box::new(move || -> Result<Problem> { context.sources.pair(first, second) })
    };
    let loads: Vec<Load<'_>> = pairs.iter().map(load).collect();
    let results = context.run(&loads, &arms(), &|_| Points::End)?;
    let names: Vec<String> =
        pairs.iter().map(|(first, second)| format!("{first}v{second}")).collect();
    let squared = |arm: &str| median(&results, &names, arm, |row| Some(row.squared));
    let wrong = |arm: &str| 100.0 * median(&results, &names, arm, |row| row.wrong);

    let small: Vec<String> = SMALL
        .map(|radius| format!("{:.3} at {radius}", squared(&format!("lasso-{radius}"))))
        .into();
    let lasso_why = format!(
        "why is not known. Tuned by cross-validation the lasso comes to within {:.1} % of ridge, with radii of {} from a grid that begins at {}; fixed \
         radii give {}, and tuning turns them down.",
        100.0 * (squared("lasso") / squared("ridge") - 1.0).abs(),
        radii(&results, "lasso"),
        if context.protocol.quick { "4" } else { "0.5" },
        small.join(", ")
    );
    let small: Vec<String> = SMALL
        .map(|radius| format!("{:.1} % at {radius}", wrong(&format!("lasso-{radius}"))))
        .into();
    let lasso_wrong_why = format!(
        "why is not known. Tuned, lasso and ridge are alike in this measure too ({:.1} and {:.1} %); fixed radii give {}.",
        wrong("lasso"),
        wrong("ridge"),
        small.join(", ")
    );
    let better = |unit: &str, figure: &dyn Fn(&str) -> String| {
        format!(
            "why is not known. A states neither scaling nor centring nor an intercept. Uncentred, and averaging all iterates from the first as A has it, AER \
             stays at {}{unit}; means learned from the same reads and the second half averaged (second table) bring the same four pixels to \
             {}{unit}, and AERR run so to {}{unit}.",
            figure("aer"),
            figure("aer-centred"),
            figure("aerr-centred")
        )
    };
    let aer_why = better("", &|arm| format!("{:.3}", squared(arm)));
    let aer_wrong_why = better(" %", &|arm| format!("{:.1}", wrong(arm)));
    let reading = format!(
        "The Baseline's objective is not convex and the paper does not say what was done about that. A stationary point from 0 gives the number \
         above; with estimated moments made positive semidefinite the Baseline has {:.3} and tells {:.1} % wrongly, {} AER.",
        squared("baseline-psd"),
        wrong("baseline-psd"),
        if squared("baseline-psd") < squared("aer") {
            "which is below"
        } else {
            "which is not below"
        }
    );
    let few = |unit: &str, figure: &dyn Fn(&Row) -> Option<f64>| {
        let spread = Spread::of(&results, &names, "ridge", figure);
        format!(
            "over these {} pairs it runs from {:.3}{unit} to {:.3}{unit}, and 19 times in 20 the median of all pairs that such ones are drawn \
             from lies between {:.3}{unit} and {:.3}{unit} (order statistics).",
            names.len(),
            spread.least,
            spread.most,
            spread.low,
            spread.high
        )
    };
    let few_squared = few("", &|row| Some(row.squared));
    let few_wrong = few(" %", &|row| row.wrong.map(|w| 100.0 * w));
    let number = |what: &str, paper: f64, ours: f64, decimals, why: &str| Compared {
        what: what.to_owned(),
        paper,
        ours,
        decimals,
        why: why.to_owned(),
    };
    let which = if names.len() < 45 {
        format!("{} of the 45 pairs only ({})", names.len(), names.join(", "))
    } else {
        "all 45 pairs".to_owned()
    };
    let mut text = format!("Medians over {which}, budget {BUDGET}.\n\n## Squared error\n\n");
    text += &Compared::table(&[
        number("ridge", 0.110, squared("ridge"), 3, &few_squared),
        number("lasso", 0.222, squared("lasso"), 3, &lasso_why),
        number("AER", 0.320, squared("aer"), 3, &aer_why),
        number(
            "Baseline",
            0.815,
            squared("baseline-stationary"),
            3,
            "its objective can be read otherwise (below).",
        ),
    ]);
    text += &format!(
        "\n{reading}\n\nIdentity (A, footnote 2; no number there): {:.3}. No weights at all: 1.\n",
        squared("identity")
    );
    text += "\n## Per cent told wrongly\n\n";
    text += &Compared::table(&[
        number("ridge", 1.3, wrong("ridge"), 1, &few_wrong),
        number("lasso", 1.1, wrong("lasso"), 1, &lasso_wrong_why),
        number("AER", 3.5, wrong("aer"), 1, &aer_wrong_why),
    ]);
    text += "\n## Other variants\n\nWith an intercept, means learned (`centre=running`) and the second half averaged (`average=tail`):\n\n";
    let row = |arm: &Arm| {
        let (squared, wrong) = (squared(&arm.id), wrong(&arm.id));
        vec![arm.label.clone(), format!("{squared:.3}"), format!("{wrong:.1} %")]
    };
    text += &table(&["", "squared error", "told wrongly"], second().iter().map(row));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_and_the_eighth_of_nine_hold_the_median() {
        // 1 - 2 (1 + 9) / 512 = 0.961, and one further in 0.82; of 45 the 16th to the 30th hold it
        // with 0.964.
        assert_eq!((outside(9), outside(45), outside(5)), (1, 15, 0));
    }
}
