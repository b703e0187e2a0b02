//! Asks what AESVR, which paper B never ran, buys: the absolute loss where some targets are wrong.
//!
//! Data: as `c_synthetic.rs` with mu_i ~ 1/i and d = 100, so that |x|_2 = |w*|_2 = 1; 20,000 rows.
//! In a part of the rows (none, or a tenth) 5 is added to or taken from the target, by a fair coin.
//! The absolute loss is smoothed with five widths. Four reads estimate the example; the slope takes
//! a random number, 2.06 on average at most, and one of AERR. The same widths with all attributes
//! read say what the loss itself is worth. No intercept, no centring, draws with replacement, all
//! iterates averaged, and radius |w*|, as in paper B; splits, folds and what is shown as in
//! `c_synthetic.rs`.
//!
//! Where the end of an axis is chosen, the full grid goes on (`beyond.rs`).
//!
//! Full grids (multiples are of the theorem's value):
//!
//! - aerr: step 0.56x 1x 1.8x 3.2x 5.6x 10x 18x
//! - aesvr: step 0.56x 1x 1.8x 3.2x 5.6x 10x 18x
//! - ogd: step 0.56x 1x 1.8x 3.2x 5.6x 10x 18x
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- b-aesvr

use super::dependent::{base, descent, excess, excess_of_nothing};
use crate::arm::{Arm, Axes};
use crate::figure::{Along, Height, curves};
use crate::markdown::table;
use crate::problem::Problem;
use crate::results::write;
use crate::run::Context;
use crate::synthetic::decaying;
use crate::tuned::{Load, Points};
use anyhow::Result;
use halfseen::data::Target;
use halfseen::sampling::{Purpose, Stream};
use halfseen_synthetic::{Decay, Weights};

const ROWS: usize = 20_000;
const COLUMNS: usize = 100;
const BUDGET: usize = 5;
const WIDTHS: [u32; 5] = [1, 2, 4, 8, 16];
/// Problems by their names, with the share of wrong targets.
const PROBLEMS: [(&str, f64, &str); 2] =
    [("right", 0.0, "all right"), ("tenth-wrong", 0.1, "a tenth wrong")];
/// What is added to a wrong target, or taken from it.
const WRONG: f64 = 5.0;
const FULL: Axes = &[("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x", "18x"])];
const QUICK: Axes = &[("step", &["1x", "3.2x", "10x"])];

/// AERR, AESVR of each width with so few reads, and both losses with all attributes.
pub(super) fn arms() -> Vec<Arm> {
    let aerr = base("aerr", "AERR, squares", BUDGET);
    let smooth = |budget: usize, seen: &str| {
        let seen = seen.to_owned();
        WIDTHS.map(move |width| {
            let label = format!("AESVR{seen}, width {width}");
            base("aesvr", &label, budget)
                .set("smoothing_width", width)
                .named(&format!("aesvr-{width}-{budget}"), &label)
                .grids(FULL, QUICK)
        })
    };
    let few = std::iter::once(aerr.grids(FULL, QUICK)).chain(smooth(BUDGET, ""));
    let all = [descent(FULL, QUICK)].into_iter().chain(smooth(COLUMNS, ", all attributes"));
    few.chain(all).map(|arm| arm.set("radius", 1).going_on()).collect()
}

/// Targets of which a share is wrong.
fn problem(name: &str, share: f64, seed: u64) -> Result<Problem> {
    let mut problem = decaying(Decay::Power(1.0), Weights::Aligned, COLUMNS, ROWS, seed)?;
    let mut stream = Stream::new(seed, Purpose::Data, 1 << 40);
    if let Target::Numbers(values) = &mut problem.target {
        for value in values {
            let (wrong, up) = (stream.unit() < share, stream.unit() < 0.5);
            if wrong {
                *value += if up { WRONG } else { -WRONG };
            }
        }
    }
    Ok(Problem { name: name.into(), ..problem })
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let arms = arms();
    let seed = context.protocol.seed;
    let loads: Vec<Load<'_>> = PROBLEMS
        .iter()
        .map(|&(name, share, _)| -> Load<'_> { Box::new(move || problem(name, share, seed)) })
        .collect();
    let points =
        Points::Curve { points: if context.protocol.quick { 6 } else { 10 }, budget: BUDGET };
    let results = context.run(&loads, &arms, &|_| points)?;
    let median = |problem: &str, arm: &str| excess(&results, problem, arm);
    let row = |arm: &Arm| {
        let cells = PROBLEMS.iter().map(|(problem, ..)| {
            let excess = median(problem, &arm.id);
            format!("{excess:.2e} ({:.2})", excess / median(problem, "aerr"))
        });
        let reads =
            results.end(PROBLEMS[1].0, &arm.id, |row| Some(row.reads as f64 / row.examples as f64));
        let reads = reads.map_or(String::new(), |s| format!("{:.2}", s.mean));
        [arm.label.clone(), reads].into_iter().chain(cells).collect()
    };
    let heads = [&["", "reads of an example"][..], &PROBLEMS.map(|(.., label)| label)].concat();
    let nothing = excess_of_nothing(Decay::Power(1.0), Weights::Aligned, COLUMNS, seed)?;
    let mut text = format!(
        "The excess of the halved squared error, exact, where all targets are right up to a small noise, and where a tenth of them is {WRONG} too \
         high or too low. In brackets the part of AERR's. No weights at all have an excess of {nothing:.2e}. Paper B has no experiment with AESVR, so nothing here reproduces one.\n\n{}\n",
        table(&heads, arms.iter().map(row))
    );
    let worth = |reads: usize, square: &str| {
        let parts = WIDTHS.map(|width| {
            median(PROBLEMS[1].0, &format!("aesvr-{width}-{reads}")) / median(PROBLEMS[1].0, square)
        });
        let best = (0..WIDTHS.len()).min_by(|&a, &b| parts[a].total_cmp(&parts[b])).unwrap_or(0);
        format!("{:.2} (width {})", parts[best], WIDTHS[best])
    };
    text += &format!(
        "\nWhere a tenth is wrong, the best of these absolute losses has this part of the excess of squares: {} where all attributes are \
         read, and {} with {BUDGET} reads. The slope of a narrow loss varies too much when it is estimated from single reads \
         (`crates/halfseen-budget/src/aesvr.rs`).\n\n",
        worth(COLUMNS, "ogd"),
        worth(BUDGET, "aerr")
    );
    for (problem, _, label) in PROBLEMS {
        let file = context.file(&format!(".{problem}.svg"));
        let title = format!("targets {label}, {BUDGET} reads");
        let height =
            Height { label: "excess of the halved squared error", times: 0.5, limit: None };
        let few: Vec<&Arm> = arms.iter().take(1 + WIDTHS.len()).collect();
        let picture = curves(&results, problem, &few, &title, Along::Reads, height)?;
        write(&context.out.join(&file), &picture)?;
        text += &format!("![{title}](./{file})\n\n");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_the_targets_is_wrong_and_the_others_are_as_they_were() {
        let [right, wrong] = PROBLEMS.map(|(name, share, _)| {
            let Target::Numbers(values) = problem(name, share, 3).unwrap().target else { panic!() };
            values
        });
        let apart: Vec<f64> =
            right.iter().zip(&wrong).map(|(a, b)| b - a).filter(|by| by.abs() > 1e-9).collect();
        assert!((1_800..2_200).contains(&apart.len()), "{}", apart.len());
        assert!(apart.iter().all(|by| (by.abs() - WRONG).abs() < 1e-9));
        let up = apart.iter().filter(|by| **by > 0.0).count();
        assert!((2 * up).abs_diff(apart.len()) < 200, "{up}");
    }
}
