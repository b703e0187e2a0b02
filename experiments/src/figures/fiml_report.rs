//! Compares `fiml` with all published learners with budgets, as `fiml.rs` does, on every table of a
//! folder: on data that no rule was made on.
//!
//! Data: every `*.csv` and `*.csv.gz` of the folder `--tables`, with a column `target`: numbers,
//! which are divided by their deviation, or two classes, -1/+1. Its complete columns of numbers,
//! centred and divided by their deviation; others are left out. Budgets 2, 4, 8 and 16, up to half
//! of the attributes; above 300 attributes 4 and 16 only. An intercept; attributes centred by their
//! running means.
//!
//! Protocol: that of `fiml.rs`, with its grids for tables. A table of more than 300,000 cells (rows
//! times attributes) has a part of them: of the first two axes one value of each third (the
//! middles), of later axes the middle value; a grid of one axis is whole.
//!
//! Full grids (multiples are of the theorem's value; the second grids of AERR and DDAERR with small
//! steps are those of diagonal AdaGrad):
//!
//! - ridge: penalty 1e-5 3.2e-5 1e-4 3.2e-4 1e-3 3.2e-3 1e-2 3.2e-2 0.1 0.32 1
//! - aer: radius 0.5 1 2 4 8; penalty 0.1x 0.18x 0.32x 0.56x 1x 1.8x 3.2x
//! - aerr: radius 0.25 0.5 1 2 4 8 16 32; step 0.56x 1x 1.8x 3.2x 5.6x
//! - aerr: radius 1 2 4 8 16; step 0.224x 0.4x 0.72x 1.28x 2.24x 4x 7.2x 12.8x 22.4x
//! - aelr: radius 0.5 1 2 4 8 16; step 1x 1.8x 3.2x 5.6x 10x 18x 32x 56x
//! - pnorm: p 2 3 4 auto; step 0.32x 0.56x 1x 1.8x 3.2x 5.6x 10x
//! - baseline: radius 0.25 0.5 0.7 1 1.4 2 2.8 4 5.6 8 11 16 32
//! - identity: radius 0.25 0.5 0.7 1 1.4 2 2.8 4 5.6 8 11 16 32
//! - ddaerr: radius 0.25 0.5 1 2 4 8 16 32; step 0.56x 1x 1.8x 3.2x 5.6x; inner weights moments
//! - ddaerr: radius 1 2 4 8 16; step 0.224x 0.4x 0.72x 1.28x 2.24x 4x 7.2x 12.8x 22.4x
//! - ddaelr: radius 0.5 1 2 4 8; step 1x 1.8x 3.2x 5.6x 10x 18x; inner weights moments
//! - ddaerr-2p: radius 0.5 1 4 16; step 1x 1.8x 3.2x; phase1 0.1 0.3; smoothing 0.01 0.1 1
//! - ddaelr-2p: radius 1 2 4 8; step 1.8x 3.2x 5.6x 10x; phase1 0.2 0.4; smoothing 0.01 0.1 1
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- fiml-report --tables DIR

use super::fiml::line;
use super::fiml_arms::{Contender, Kind, full, ours, published};
use super::fiml_tables::{Line, Rivals, errors, everything, excesses};
use crate::arm::Arm;
use crate::problem::Problem;
use crate::run::Context;
use crate::tuned::{Load, Points};
use anyhow::Result;
use std::path::PathBuf;

/// Median ratios that are asked for.
const UNIFORM_BOUND: f64 = 0.33;
const ALL_BOUND: f64 = 0.40;
const BUDGETS: &[usize] = &[2, 4, 8, 16];
/// Tables of more attributes are wide: they have fewer budgets, as each takes long.
const WIDE: usize = 300;
const WIDE_BUDGETS: &[usize] = &[4, 16];

/// How large a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    rows: usize,
    columns: usize,
}

/// Tables of more cells are large: of the grids a part is searched.
const LARGE: usize = 300_000;

impl Size {
    fn budgets(self) -> Vec<usize> {
        let all = if self.columns > WIDE { WIDE_BUDGETS } else { BUDGETS };
        all.iter().copied().filter(|&budget| 2 * budget <= self.columns).collect()
    }

    fn is_large(self) -> bool {
        self.rows * self.columns > LARGE
    }

    /// Published learners with this budget, then ours.
    fn contenders(self, budget: usize) -> Vec<Contender> {
        let coarse = |Contender { reads, arm }| {
            let arm = if self.is_large() { arm.coarse() } else { arm };
            Contender { reads, arm }
        };
        let published = published(Kind::Table, budget).into_iter().map(coarse);
        published.chain(ours(Kind::Table, budget)).collect()
    }

    /// Ridge regression, and those with each budget.
    fn arms(self) -> Vec<Arm> {
        let own = self.budgets().into_iter().flat_map(|budget| self.contenders(budget));
        [full(Kind::Table)].into_iter().chain(own.map(|one| one.arm)).collect()
    }
}

/// All of them, with whole grids.
pub(super) fn arms() -> Vec<Arm> {
    Size { rows: 0, columns: WIDE }.arms()
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    // Every file is read before the first is learned from: one that cannot be used is told at once.
    let read = |(name, path): (String, PathBuf)| {
        let problem = Problem::of_file(&name, &path)?;
        let size = Size { rows: problem.table.rows(), columns: problem.columns() };
        Ok((name, path, size))
    };
    let files: Vec<_> = context.sources.tables()?.into_iter().map(read).collect::<Result<_>>()?;
    let (files, narrow): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|(_, _, size)| !size.budgets().is_empty());
    let loads: Vec<Load<'_>> = files
        .iter()
        .map(|(name, path, _)| -> Load<'_> { Box::new(move || Problem::of_file(name, path)) })
        .collect();
    let problems: Vec<(&Load<'_>, Vec<Arm>)> =
        loads.iter().zip(files.iter().map(|(_, _, size)| size.arms())).collect();
    let results = context.run_each(&problems, &|_| Points::End)?;
    let ridge = full(Kind::Table);
    let (mut lines, mut told) = (Vec::new(), Vec::new());
    for (name, _, size) in &files {
        let of = |budget| line(&results, name, budget, &ridge, size.contenders(budget));
        lines.extend(size.budgets().into_iter().map(of));
        let large = if size.is_large() { ", large" } else { "" };
        told.push(format!("{name} ({} x {}{large})", size.rows, size.columns));
    }
    let mut text = format!("{ABOUT}\nRows and attributes: {}.\n", told.join(", "));
    if !narrow.is_empty() {
        let names: Vec<&str> = narrow.iter().map(|(name, _, _)| name.as_str()).collect();
        text += &format!(
            "Left out, with fewer than four complete columns of numbers: {}.\n",
            names.join(", ")
        );
    }
    Ok(text + &section(&lines))
}

/// Errors, and excesses of each of ours.
fn section(lines: &[Line]) -> String {
    let ours: Vec<String> =
        ours(Kind::Table, BUDGETS[0]).into_iter().map(|one| one.arm.label).collect();
    let mut text = format!("\n## Errors\n\n{}", errors(lines, &ours));
    text += &format!("\n## Every published learner\n\n{}", everything(lines));
    for (rivals, bound, title) in [
        (Rivals::Uniform, UNIFORM_BOUND, "Against uniform reads"),
        (Rivals::All, ALL_BOUND, "Against all published learners"),
    ] {
        for one in &ours {
            text += &format!("\n## {title}: {one}\n\n");
            text += &excesses(lines, std::slice::from_ref(one), rivals, bound);
        }
    }
    text
}

const ABOUT: &str = "\
Tables are taken as they come: the complete columns of numbers, centred and divided by their deviation; a target of two classes is \
-1/+1 (of more, the most frequent class against the others), another is divided by its deviation. Budgets 2, 4, 8 and 16 up to half of the attributes; above 300 attributes 4 and 16 \
only. Squared errors on test rows, mean and deviation over the splits; the same splits for all. Published learners are tuned by \
cross-validation inside the training part, on whole rows: reads that their budget does not cover. Their grids are those of `fiml`; \
for large tables, of more than 300,000 cells, a part of them: of the first two parameters one value of each third of the grid, of \
others the middle one, and where there is one parameter, all its values. The best of them is the one with the least mean error on the test rows, which flatters it. `fiml` is not \
tuned: it has its reads and nothing else. An excess is the error above that of ridge regression on all attributes. A ratio is shown \
where the published excess is above three standard errors; differences are paired by splits, mean and standard error; better and \
worse are those by more than two standard errors.
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Sources;
    use crate::protocol::Protocol;

    #[test]
    fn budgets_are_at_most_half_and_few_on_wide_tables_and_grids_coarse_on_large_ones() {
        let budgets = |columns| Size { rows: 100, columns }.budgets();
        assert_eq!(budgets(8), [2, 4]);
        assert_eq!(budgets(300), [2, 4, 8, 16]);
        assert_eq!(budgets(301), [4, 16]);
        assert!(budgets(3).is_empty());
        let settings = |rows| {
            let arms = Size { rows, columns: 100 }.arms();
            let count = |arm: &Arm| arm.settings(false).len();
            arms.iter().map(|arm| (arm.id.clone(), count(arm))).collect::<Vec<_>>()
        };
        let (whole, coarse) = (settings(3000), settings(3001));
        let aerr = |all: &[(String, usize)]| {
            all.iter().find(|(id, _)| id == "aerr-table-4").map(|one| one.1)
        };
        assert_eq!((aerr(&whole), aerr(&coarse)), (Some(40), Some(9)));
        assert!(whole.iter().zip(&coarse).all(|(a, b)| a.0 == b.0 && a.1 >= b.1));
    }

    #[test]
    fn a_folder_of_tables_gives_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let mut text = String::from("a,b,c,d,name,target\n");
        for row in 0..60_u32 {
            let cell = |j: u32| f64::from((row * (7 + 4 * j) + j) % 23);
            let target = cell(0) - 0.5 * cell(1) + 0.1 * cell(3);
            let cells: Vec<String> = (0..4).map(|j| cell(j).to_string()).collect();
            text += &format!("{},n{},{target}\n", cells.join(","), row % 2);
        }
        std::fs::write(folder.path().join("made.csv"), text).unwrap();
        // Holes are in all its columns of numbers.
        std::fs::write(folder.path().join("holed.csv"), "a,name,target\n,n,1\n2,m,2\n").unwrap();
        let sources = Sources::default().with_tables(Some(folder.path().to_owned()));
        let protocol = Protocol { splits: 2, folds: 2, ..Protocol::quick(0).paired() };
        let out = folder.path().join("out");
        std::fs::create_dir(&out).unwrap();
        let context = Context {
            name: "fiml-report",
            protocol,
            sources: &sources,
            out,
            told: false,
            stored: false,
        };
        let page = make(&context).unwrap();
        for part in [
            "made (60 x 4)",
            "fewer than four complete columns of numbers: holed.",
            "| made | 2 |",
            "Against all published learners: fiml-uniform",
            "**fiml** against the best with uniform reads:",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("| made | 4 |"));
    }
}
