//! Compares `fiml` with all published learners with budgets, as `fiml.rs` does, on every table of a
//! folder: on data that no rule was made on.
//!
//! Data: every `*.csv` and `*.csv.gz` of the folder `--tables`, with a column `target`: numbers,
//! which are divided by their deviation, or two classes, -1/+1. Its complete columns of numbers,
//! centred and divided by their deviation; others are left out. Budgets 2, 4, 8 and 16, up to half
//! of the attributes; above 300 attributes 4 and 16 only. An intercept; attributes centred by their
//! running means.
//!
//! Protocol: that of `fiml.rs`. The grids of the learners are a part of those for tables there: of
//! the first two axes one value of each third (the middles), of later axes the middle value;
//! a grid of one axis is whole.
//!
//! Full grids (multiples are of the theorem's value; the second grids of AERR and DDAERR with small
//! steps are those of diagonal AdaGrad):
//!
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- fiml-report --tables DIR

use super::fiml::{ALL_BOUND, UNIFORM_BOUND, line};
use super::fiml_arms::{Contender, Kind, full, ours, published};
use super::fiml_tables::{Line, Rivals, errors, everything, excesses};
use crate::arm::Arm;
use crate::problem::Problem;
use crate::run::Context;
use crate::tuned::{Load, Points};
use anyhow::Result;

const BUDGETS: &[usize] = &[2, 4, 8, 16];
/// Tables of more attributes are wide: they have fewer budgets, as each takes long.
const WIDE: usize = 300;
const WIDE_BUDGETS: &[usize] = &[4, 16];

fn budgets(columns: usize) -> Vec<usize> {
    let all = if columns > WIDE { WIDE_BUDGETS } else { BUDGETS };
    all.iter().copied().filter(|&budget| 2 * budget <= columns).collect()
}

/// Published learners with this budget, then ours.
fn contenders(budget: usize) -> Vec<Contender> {
    let coarse = |Contender { reads, arm }| Contender { reads, arm: arm.coarse() };
    let published = published(Kind::Table, budget).into_iter().map(coarse);
    published.chain(ours(Kind::Table, budget)).collect()
}

/// Ridge regression, and those with these budgets.
fn arms_of(budgets: &[usize]) -> Vec<Arm> {
    let own = budgets.iter().flat_map(|&budget| contenders(budget)).map(|one| one.arm);
    [full(Kind::Table)].into_iter().chain(own).collect()
}

/// All of them.
pub(super) fn arms() -> Vec<Arm> {
    arms_of(BUDGETS)
}

/// Runs all and writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let files = context.sources.tables()?;
    // Every file is read before the first is learned from: one that cannot be used is told at once.
    let sizes: Vec<(usize, usize)> = files
        .iter()
        .map(|(name, path)| {
            let problem = Problem::of_file(name, path)?;
            Ok((problem.table.rows(), problem.columns()))
        })
        .collect::<Result<_>>()?;
    let loads: Vec<Load<'_>> = files
        .iter()
        .map(|(name, path)| -> Load<'_> { Box::new(move || Problem::of_file(name, path)) })
        .collect();
    let arms = sizes.iter().map(|&(_, columns)| arms_of(&budgets(columns)));
    let problems: Vec<(&Load<'_>, Vec<Arm>)> = loads.iter().zip(arms).collect();
    let results = context.run_each(&problems, &|_| Points::End)?;
    let ridge = full(Kind::Table);
    let lines: Vec<Line> = files
        .iter()
        .zip(&sizes)
        .flat_map(|((name, _), &(_, columns))| {
            budgets(columns).into_iter().map(move |budget| (name, budget))
        })
        .map(|(name, budget)| line(&results, name, budget, &ridge, contenders(budget)))
        .collect();
    let sizes: Vec<String> = files
        .iter()
        .zip(&sizes)
        .map(|((name, _), (rows, columns))| format!("{name} ({rows} x {columns})"))
        .collect();
    Ok(format!("{ABOUT}\nRows and attributes: {}.\n{}", sizes.join(", "), section(&lines)))
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
-1/+1, another is divided by its deviation. Budgets 2, 4, 8 and 16 up to half of the attributes; above 300 attributes 4 and 16 \
only. Squared errors on test rows, mean and deviation over the splits; the same splits for all. Published learners are tuned by \
cross-validation inside the training part, on whole rows: reads that their budget does not cover. Their grids are a stated part of \
those of `fiml`: of the first two parameters one value of each third of the grid, of others the middle one; where there is one \
parameter, all its values. The best of them is the one with the least mean error on the test rows, which flatters it. `fiml` is not \
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
    fn budgets_are_at_most_half_and_few_on_wide_tables() {
        assert_eq!(budgets(8), [2, 4]);
        assert_eq!(budgets(300), [2, 4, 8, 16]);
        assert_eq!(budgets(301), [4, 16]);
        assert!(budgets(3).is_empty());
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
            "| made | 2 |",
            "Against all published learners: fiml-uniform",
            "**fiml** against the best with uniform reads:",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("| made | 4 |"));
    }
}
