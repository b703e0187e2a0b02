//! Names the arms of paper E, and tells and draws their errors against N.

use crate::arm::{Arm, Axes};
use crate::markdown::table;
use crate::paired::Difference;
use crate::results::Results;
use crate::vanishing::{difference, errors_at};
use anyhow::Result;
use halfseen_io::draw::{Figure, Point, Series, learning_curve};

/// C of the SVM, in half decades.
const CS: &[&str] = &[
    "1e-6", "3e-6", "1e-5", "3e-5", "1e-4", "3e-4", "1e-3", "3e-3", "1e-2", "3e-2", "1e-1", "3e-1",
    "1", "3", "10", "30", "100", "300", "1000",
];

/// The SVM.
pub(super) fn svm() -> Arm {
    Arm::new("svm", "SVM").with_intercept(true).grids(&[("c", CS)], &[("c", CS)])
}

/// The SVM with C chosen on rows that nobody attacks.
pub(super) fn svm_clean() -> Arm {
    svm().named("svm-clean", "SVM, tuned on clean rows").chosen_on_clean_rows()
}

/// The linear program.
pub(super) fn lp(full: Axes, quick: Axes) -> Arm {
    Arm::new("robust-lp", "robust LP").with_intercept(true).grids(full, quick).set("tol", "1e-4")
}

/// The linear program on chunks of so many rows.
pub(super) fn chunked(rows: usize, full: Axes, quick: Axes) -> Arm {
    lp(full, quick)
        .set("chunk", rows)
        .named(&format!("lp-{rows}"), &format!("LP, chunks of {rows}"))
}

/// The Perceptron.
pub(super) fn perceptron(full: Axes, quick: Axes) -> Arm {
    Arm::new("robust-perceptron", "Perceptron").with_intercept(true).grids(full, quick)
}

/// Globerson and Roweis.
pub(super) fn fdrop(full: Axes, quick: Axes) -> Arm {
    Arm::new("fdrop", "GR (FDROP)").with_intercept(true).grids(full, quick).set("tol", "1e-2")
}

/// Errors of all arms at each N, mean and deviation over the splits.
pub(super) fn errors(results: &Results, problem: &str, arms: &[Arm], budgets: &[f64]) -> String {
    let heads: Vec<&str> =
        std::iter::once("N").chain(arms.iter().map(|arm| arm.label.as_str())).collect();
    let row = |(point, budget): (usize, &f64)| {
        let cell = |arm: &Arm| match errors_at(results, problem, &arm.id, point) {
            Some(s) => format!("{:.3} +- {:.3}", s.mean, s.sd),
            None => String::new(),
        };
        std::iter::once(budget.to_string()).chain(arms.iter().map(cell)).collect()
    };
    table(&heads, budgets.iter().enumerate().map(row))
}

/// The same as a picture.
pub(super) fn figure(
    results: &Results,
    problem: &str,
    arms: &[Arm],
    budgets: &[f64],
    title: &str,
) -> Result<String> {
    let point = |arm: &Arm, (at, x): (usize, &f64)| {
        let s = errors_at(results, problem, &arm.id, at)?;
        Some(Point { x: *x, y: s.mean, low: (s.mean - s.sd).max(0.0), high: s.mean + s.sd })
    };
    let series = |arm: &Arm| Series {
        points: budgets.iter().enumerate().filter_map(|at| point(arm, at)).collect(),
        name: arm.label.clone(),
    };
    let figure = Figure {
        title: title.to_owned(),
        x_label: "N".into(),
        y_label: "share of test rows told wrongly".into(),
        log_x: false,
        y_limit: None,
        reference: None,
        series: arms.iter().map(series).collect(),
    };
    Ok(learning_curve(&figure)?)
}

/// What each arm adds to the error of the linear program, split by split, mean and standard error.
pub(super) fn paired(results: &Results, problem: &str, arms: &[Arm], budgets: &[f64]) -> String {
    let others: Vec<&Arm> = arms.iter().filter(|arm| arm.id != "robust-lp").collect();
    let heads: Vec<&str> =
        std::iter::once("N").chain(others.iter().map(|arm| arm.label.as_str())).collect();
    let row = |(point, budget): (usize, &f64)| {
        let cell = |arm: &&Arm| match difference(results, problem, [&arm.id, "robust-lp"], point) {
            Some(Difference { mean, error }) => format!("{mean:+.4} +- {error:.4}"),
            None => String::new(),
        };
        std::iter::once(budget.to_string()).chain(others.iter().map(cell)).collect()
    };
    table(&heads, budgets.iter().enumerate().map(row))
}
