//! Runs the arms of paper E against the greedy adversary, and tells what each of them errs: figure
//! 2, whatever the data.

use super::robust::{chunked, errors, figure, lp, paired, perceptron, svm, svm_clean};
use crate::arm::{Arm, Axes};
use crate::markdown::{Claim, claims};
use crate::paired::{Difference, Verdict};
use crate::problem::Problem;
use crate::results::{Results, write};
use crate::run::Context;
use crate::vanishing::{Parts, Trial, difference, errors_at};
use anyhow::Result;
use halfseen::robust::{Attack, Order};
use halfseen::select::Score;

const CHUNKS: [usize; 3] = [100, 500, 2000];
/// Share of another error up to which an error is far below it.
const FAR: f64 = 0.55;

/// Grids of the full and of the quick protocol.
#[derive(Clone, Copy)]
pub(super) struct Grids {
    pub(super) lp: [Axes; 2],
    pub(super) perceptron: [Axes; 2],
}

/// The paper's, the LP on all rows and on chunks.
pub(super) fn arms(grids: Grids) -> Vec<Arm> {
    let [full, quick] = grids.lp;
    let chunks = CHUNKS.map(|rows| chunked(rows, full, quick));
    let [steps, few_steps] = grids.perceptron;
    [lp(full, quick)]
        .into_iter()
        .chain(chunks)
        .chain([perceptron(steps, few_steps), svm(), svm_clean()])
        .map(Arm::going_on)
        .collect()
}

/// Arms against the greedy adversary.
pub(super) fn trial(
    name: &str,
    problem: Problem,
    informed: bool,
    budgets: Vec<f64>,
    grids: Grids,
) -> Trial {
    let attack = Attack::Greedy(Order::Ratio);
    Trial {
        name: name.into(),
        problem,
        parts: Parts::Folds,
        informed,
        attack,
        budgets,
        arms: arms(grids),
    }
}

/// Runs all and writes the section.
pub(super) fn section(context: &Context<'_>, trials: &[Trial]) -> Result<String> {
    let results = context.besiege(trials)?;
    let mut text = String::from(
        "Share of test rows told wrongly under the greedy adversary; mean and deviation over the folds. The paper says only that a ninth \
         of the rows was \"used for parameter tuning\": the SVM is tuned in both ways, on rows as they are and for each N on rows under the \
         attack, where it may choose a C so small that it is a constant.\n",
    );
    for Trial { name, problem, budgets, arms, .. } in trials {
        let file = context.file(&format!(".{name}.svg"));
        let title = format!("{name}: the greedy adversary");
        write(&context.out.join(&file), &figure(&results, name, arms, budgets, &title)?)?;
        text += &format!(
            "\n## {name}\n\n![{title}](./{file})\n\n{}\nWhat each arm errs more than the LP on all rows, paired by folds, mean and standard error:\n\n{}\n",
            errors(&results, name, arms, budgets),
            paired(&results, name, arms, budgets)
        );
        let why = format!(
            "not known: E states neither how attributes are scaled, nor in which order the adversary deletes, nor the SVM's grid. A constant errs {:.3}",
            Score::of_constant(&problem.target).error.unwrap_or(f64::NAN)
        );
        let far = |statement, svm| far_below(statement, &results, name, svm, budgets, &why);
        text += &claims(&[
            far(
                "both robust methods err far less than the SVM (C tuned on clean rows)",
                "svm-clean",
            ),
            far("the same of the SVM with C tuned under the attack, for each N", "svm"),
            comparable(&results, name, budgets),
            accuracy(&results, name, budgets),
            Claim::new(
                "with less or without chunking the LP is expected to be even better",
                chunking(&results, name, budgets),
            ),
        ]);
    }
    Ok(text)
}

fn mean(results: &Results, problem: &str, arm: &str, at: usize) -> f64 {
    errors_at(results, problem, arm, at).map_or(f64::NAN, |s| s.mean)
}

fn far_below(
    statement: &'static str,
    results: &Results,
    problem: &str,
    svm: &str,
    budgets: &[f64],
    why: &str,
) -> Claim {
    let of = |arm: &str, at: usize| mean(results, problem, arm, at);
    let inside: Vec<usize> = (0..budgets.len()).filter(|&at| budgets[at] > 0.0).collect();
    let far = |at: &&usize| {
        of("robust-lp", **at).max(of("robust-perceptron", **at)) <= FAR * of(svm, **at)
    };
    let met = inside.iter().filter(far).count();
    let shares: Vec<String> = inside
        .iter()
        .map(|&at| {
            let error = of(svm, at);
            format!(
                "{}: {:.2}, {:.2}",
                budgets[at],
                of("robust-lp", at) / error,
                of("robust-perceptron", at) / error
            )
        })
        .collect();
    let ours = format!(
        "both have at most {FAR} of its error, which we call far, at {met} of {} values of N above 0 (N: LP, Perceptron as shares of the SVM's error: {})",
        inside.len(),
        shares.join("; ")
    );
    Claim::new(statement, ours).judged(met == inside.len(), why)
}

/// The number of values of N at which an arm errs more than another by over two standard errors.
fn worse(results: &Results, problem: &str, arms: [&str; 2], budgets: &[f64]) -> usize {
    let verdict = |at| difference(results, problem, arms, at).map(Difference::verdict);
    (0..budgets.len()).filter(|&at| verdict(at) == Some(Verdict::Worse)).count()
}

fn comparable(results: &Results, problem: &str, budgets: &[f64]) -> Claim {
    let of = |arm: &str| worse(results, problem, [arm, "robust-perceptron"], budgets);
    let chunks = CHUNKS.map(|rows| (rows, of(&format!("lp-{rows}"))));
    let counts = chunks.map(|(rows, count)| format!("{rows}: {count}"));
    let ours = format!(
        "the LP is worse by more than two standard errors at so many of {} values of N (rows of a chunk: count): {}; all rows: {}",
        budgets.len(),
        counts.join(", "),
        of("robust-lp")
    );
    Claim::new("the LP on chunks is comparable to the Perceptron, and sometimes better", ours)
        .judged(
            chunks.iter().any(|&(_, count)| count == 0),
            "not known: E does not state the size of its chunks",
        )
}

fn accuracy(results: &Results, problem: &str, budgets: &[f64]) -> Claim {
    let [more, less] = [["robust-perceptron", "robust-lp"], ["robust-lp", "robust-perceptron"]]
        .map(|arms| worse(results, problem, arms, budgets));
    let ours = format!(
        "it errs more than the LP on all rows by more than two standard errors at {more} of {} values of N, and less at {less}",
        budgets.len()
    );
    Claim::new("the Perceptron's speed seems to come at the price of accuracy (section 1)", ours)
        .judged(more > less, "its passes over the rows are tuned here; the paper makes one")
}

fn chunking(results: &Results, problem: &str, budgets: &[f64]) -> String {
    let counts = CHUNKS.map(|rows| {
        let arms = [&*format!("lp-{rows}"), "robust-lp"];
        format!("{rows}: {}", worse(results, problem, arms, budgets))
    });
    format!(
        "all rows at once are better than chunks by more than two standard errors at so many of {} values of N (rows of a chunk: count): {}",
        budgets.len(),
        counts.join(", ")
    )
}
