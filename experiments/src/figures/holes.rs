//! Names the arms of paper D with the grids that they search, and tells their ends in a table.

use crate::arm::{Arm, Axes};
use crate::holdout::loss;
use crate::markdown::table;
use crate::results::Results;

/// C of the kernel machines, as the paper searches it.
const CS: &[&str] =
    &["1e-5", "1e-4", "1e-3", "1e-2", "1e-1", "1", "10", "100", "1e3", "1e4", "1e5"];
const FEW_CS: &[&str] = &["1e-3", "1e-1", "10", "1e3"];
const COMPLETION: Axes = &[
    ("label_weight", &["0.001", "0.01", "0.1", "1"]),
    ("rank_penalty", &["0.5", "0.2", "0.1", "0.05", "0.02", "0.01", "0.003"]),
];
const FEW_COMPLETION: Axes =
    &[("label_weight", &["0.01", "1"]), ("rank_penalty", &["0.5", "0.1", "0.02"])];

/// KARMA with gamma and C to search.
pub(super) fn karma() -> Arm {
    let full: Axes = &[("gamma", &["1", "2", "3", "4"]), ("c", CS)];
    let arm = Arm::new("karma", "karma").with_intercept(true);
    arm.grids(full, &[("gamma", &["1", "2", "3"]), ("c", FEW_CS)])
}

/// Missing cells are zeros, that is means: gamma = 1.
pub(super) fn zero() -> Arm {
    Arm::new("zero", "0-imputation").with_intercept(true).grids(&[("c", CS)], &[("c", FEW_CS)])
}

/// MC-b.
pub(super) fn mcb() -> Arm {
    Arm::new("mcb", "MC-b").grids(COMPLETION, FEW_COMPLETION)
}

/// MC-1.
pub(super) fn mc1() -> Arm {
    Arm::new("mc1", "MC-1").grids(COMPLETION, FEW_COMPLETION)
}

/// MC-b and MC-1 as Goldberg et al. have them: rows that test are completed together with all
/// others. A completion serves one setting, so that few are tried.
pub(super) fn transductive() -> [Arm; 2] {
    let arm = |arm: Arm, id: &str, label: &str| {
        arm.named(id, label).grids(FEW_COMPLETION, FEW_COMPLETION).seeing_test_rows()
    };
    [arm(mcb(), "mcb-t", "MC-b, transductive"), arm(mc1(), "mc1-t", "MC-1, transductive")]
}

/// The geometric margin.
pub(super) fn geom() -> Arm {
    Arm::new("geom", "geom").grids(&[("c", CS)], &[("c", FEW_CS)])
}

/// The four that learn from any target.
pub(super) fn four() -> Vec<Arm> {
    vec![karma(), zero(), mcb(), mc1()]
}

/// Mean and deviation over the splits at the point of so many training rows, or at the last.
pub(super) fn cell(
    results: &Results,
    problem: &str,
    arm: &str,
    examples: Option<u64>,
    decimals: usize,
) -> String {
    let wanted = |row: &&crate::results::Row| match examples {
        Some(examples) => row.examples == examples,
        None => row.point + 1 == row.points,
    };
    let values = results.of(problem, arm).filter(wanted).filter_map(loss).collect();
    match halfseen::select::Statistics::of(values) {
        Some(s) => format!("{:.decimals$} +- {:.decimals$}", s.mean, s.sd),
        None => String::new(),
    }
}

/// Errors of all arms, one row for each of these: its name in the table, the problem, the training
/// rows.
pub(super) fn errors(
    results: &Results,
    arms: &[Arm],
    head: &str,
    rows: &[(String, String, Option<u64>)],
) -> String {
    let heads: Vec<&str> =
        std::iter::once(head).chain(arms.iter().map(|arm| arm.label.as_str())).collect();
    let row = |(name, problem, examples): &(String, String, Option<u64>)| {
        let cells = arms.iter().map(|arm| cell(results, problem, &arm.id, *examples, 3));
        std::iter::once(name.clone()).chain(cells).collect()
    };
    table(&heads, rows.iter().map(row))
}
