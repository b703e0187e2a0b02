//! Makes figure 1 and the counter-examples of paper D's introduction again: data that complete in
//! more than one best way.
//!
//! Two lines (D, figure 1): rows t (1, -1) of which one coordinate is seen, the class is the sign
//! of t; 200 rows to learn from, 1,000 to test on. Whoever completes rows first and then learns has
//! two completions of rank 1 to choose from; a weighted sum (`zero`, hinge loss) is learned on
//! each.
//!
//! Two completions (D, section 1, equation 1): rows (1, *, 1, *), (*, -1, *, -1) or (1, -1, 1, -1)
//! of classes 1, -1, 1; 48 rows with a class and 12 without. It is checked, not only stated, that
//! the two completions of rows and classes agree with all that is seen, have rank 2, and contradict
//! each other where no class is given. MC-b and MC-1 answer as learners of new rows, and
//! transductively: all 60 rows completed as one matrix.
//!
//! Attributes are as given (not centred). Nothing is searched: C = 10; MC-b and MC-1 with two label
//! weights lambda and two rank penalties, in parts of the least for which the completion is 0. Ten
//! draws.
//!
//!     cargo run --release --manifest-path experiments/Cargo.toml -- d-figure-1

use crate::arm::{Arm, find};
use crate::fits::fit_and_score;
use crate::markdown::table;
use crate::problem::Problem;
use crate::run::Context;
use anyhow::{Context as _, Result, bail};
use faer::Mat;
use halfseen::Silent;
use halfseen::data::{Matrix, Scale, Table, Task};
use halfseen::kernel::DenseRows;
use halfseen::learner::with;
use halfseen::missing::completion::{
    CompletionVariant, LabelLoss, Problem as Completion, Settings, complete,
};
use halfseen::select::Statistics;
use halfseen_synthetic::{Incomplete, TwoCompletions, TwoLines};
use ndarray::Array2;

const DRAWS: u64 = 10;
const TRAIN: usize = 200;
const TEST: usize = 1000;
const LABELLED: usize = 48;
const UNLABELLED: usize = 12;
/// lambda and the rank penalty of MC-b and MC-1.
const WEIGHTS: [(&str, &str); 4] = [("1", "0.5"), ("1", "0.01"), ("100", "0.5"), ("100", "0.01")];

/// Nothing is searched.
pub(super) fn arms() -> Vec<Arm> {
    Vec::new()
}

/// Rows with classes, as given.
fn problem(cells: Matrix, targets: &[f64]) -> Result<Problem> {
    let names = (0..cells.columns()).map(|j| format!("x{j}")).collect();
    let table = Table::from_matrix(cells, names)?.with_column("y", targets.to_vec())?;
    Problem::new("toy", table, "y", Some(Task::Classification), Scale::None)
}

/// Share of the rows from `train` on told wrongly by what is learned of those before.
fn wrong(
    problem: &Problem,
    learner: &str,
    set: &[(&'static str, &str)],
    train: usize,
) -> Result<f64> {
    let setting = set.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let learner = with(find(learner)?, &setting)?;
    let rows: Vec<u32> = (0..problem.table.rows() as u32).collect();
    let (_, score) = fit_and_score(problem, &*learner, &rows[..train], &rows[train..])?;
    score.error.context("no classes")
}

/// A learner: its name in the table, its name, its setting.
type Asked = (String, &'static str, Vec<(&'static str, &'static str)>);

/// The learners that are asked.
fn asked() -> Vec<Asked> {
    let mut all = vec![
        ("karma, gamma = 1".to_owned(), "karma", vec![("gamma", "1"), ("c", "10")]),
        ("karma, gamma = 2".to_owned(), "karma", vec![("gamma", "2"), ("c", "10")]),
        ("0-imputation".to_owned(), "zero", vec![("c", "10")]),
        ("geom".to_owned(), "geom", vec![("c", "10")]),
    ];
    for (name, learner) in [("MC-b", "mcb"), ("MC-1", "mc1")] {
        for (weight, penalty) in WEIGHTS {
            let set = vec![("label_weight", weight), ("rank_penalty", penalty)];
            all.push((format!("{name}, lambda {weight}, rank penalty {penalty}"), learner, set));
        }
    }
    all
}

fn percent(values: Vec<f64>) -> String {
    Statistics::of(values)
        .map_or(String::new(), |s| format!("{:.1} +- {:.1} %", 100.0 * s.mean, 100.0 * s.sd))
}

/// The rank, counting singular values above rounding.
fn rank(matrix: &Array2<f64>) -> Result<usize> {
    let matrix = Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[[i, j]]);
    let values = matrix.singular_values().map_err(|_| anyhow::anyhow!("no singular values"))?;
    let largest = values.iter().fold(0.0_f64, |a, &b| a.max(b));
    Ok(values.iter().filter(|&&value| value > 1e-9 * largest).count())
}

/// Figure 1.
fn two_lines(seed: u64) -> Result<String> {
    let sets: Vec<Incomplete> =
        (0..DRAWS).map(|draw| TwoLines.draw(TRAIN + TEST, 1000 * seed + draw)).collect();
    let mut rows = Vec::new();
    for (name, which) in [("completed to the true line", 0), ("completed to the other line", 1)] {
        let errors = sets.iter().map(|set| {
            let completed = TwoLines.completions(set)[which].clone();
            if rank(&completed)? != 1 {
                bail!("a completion of figure 1 is not of rank 1");
            }
            wrong(&problem(Matrix::F64(completed), &set.targets)?, "zero", &[("c", "10")], TRAIN)
        });
        rows.push(vec![
            format!("{name}, then a weighted sum"),
            percent(errors.collect::<Result<_>>()?),
        ]);
    }
    for (name, learner, set) in asked() {
        let errors = sets
            .iter()
            .map(|data| wrong(&problem(data.matrix.clone(), &data.targets)?, learner, &set, TRAIN));
        rows.push(vec![name, percent(errors.collect::<Result<_>>()?)]);
    }
    Ok(table(&["two lines, one coordinate of two seen", "told wrongly"], rows))
}

/// Whether a completion has what is seen of the rows, and the classes of those before `LABELLED`.
fn agrees(whole: &Array2<f64>, set: &Incomplete) -> bool {
    let rows = 0..set.targets.len();
    let seen = |row: usize| {
        set.observed(row).into_iter().enumerate().filter(|(_, seen)| *seen).map(|(j, _)| j)
    };
    rows.clone().all(|row| seen(row).all(|j| whole[[row, j]] == set.matrix.get(row, j)))
        && rows.take(LABELLED).all(|row| whole[[row, 4]] == set.targets[row])
}

/// Scores of unlabelled rows when all rows are completed together, and the rank found.
fn transductive(
    set: &Incomplete,
    variant: CompletionVariant,
    weight: f64,
    penalty: f64,
) -> Result<(Vec<f64>, usize)> {
    let Matrix::F64(cells) = &set.matrix else { bail!("drawn rows are dense") };
    let masked = DenseRows::from_rows(cells.view(), false)?;
    let settings = Settings {
        variant,
        loss: LabelLoss::Logistic,
        label_weight: weight,
        tol: 1e-4,
        max_iter: 10_000,
    };
    let matrix = Completion {
        values: &masked.values,
        observed: masked.observed(),
        labels: Mat::from_fn(1, set.targets.len(), |_, i| set.targets[i]),
        labelled: (0..set.targets.len()).map(|row| row < LABELLED).collect(),
    };
    let completed = complete(&matrix, &settings, penalty, &Silent)?;
    let scores = (LABELLED..set.targets.len()).map(|row| completed.scores[(0, row)]).collect();
    Ok((scores, completed.solution.rank()))
}

/// The kind of a row by what is seen of it: 0, 1 or 2.
fn kind(set: &Incomplete, row: usize) -> usize {
    match (set.observed(row)[0], set.observed(row)[1]) {
        (true, false) => 0,
        (false, _) => 1,
        (true, true) => 2,
    }
}

/// Equation 1.
fn two_completions(seed: u64) -> Result<String> {
    let rows = LABELLED + UNLABELLED;
    let sets: Vec<Incomplete> =
        (0..DRAWS).map(|draw| TwoCompletions.draw(rows, 1000 * seed + draw)).collect();
    let unlabelled: Vec<usize> = (LABELLED..rows).collect();
    for set in &sets {
        let [one, other] = TwoCompletions.completions(set, &unlabelled)?;
        let opposite = unlabelled.iter().all(|&row| one[[row, 4]] == -other[[row, 4]]);
        if !(opposite
            && agrees(&one, set)
            && agrees(&other, set)
            && rank(&one)? == 2
            && rank(&other)? == 2)
        {
            bail!("the two completions are not what they are said to be");
        }
    }
    let mut rows = vec![
        vec![
            "completion of rank 2 that says 1".to_owned(),
            share(&sets, |_| 1.0),
            String::new(),
            String::new(),
        ],
        vec![
            "completion of rank 2 that says -1".to_owned(),
            share(&sets, |_| -1.0),
            String::new(),
            String::new(),
        ],
    ];
    for (name, learner, set) in asked() {
        let errors = sets.iter().map(|data| {
            wrong(&problem(data.matrix.clone(), &data.targets)?, learner, &set, LABELLED)
        });
        rows.push(vec![
            name,
            percent(errors.collect::<Result<_>>()?),
            String::new(),
            String::new(),
        ]);
    }
    for (name, variant) in [("MC-b", CompletionVariant::Bias), ("MC-1", CompletionVariant::Ones)] {
        for (weight, penalty) in WEIGHTS {
            let mut errors = Vec::new();
            let (mut by_kind, mut ranks) = ([const { Vec::new() }; 3], Vec::new());
            for set in &sets {
                let (scores, rank) = transductive(set, variant, weight.parse()?, penalty.parse()?)?;
                ranks.push(rank);
                let miss = |(at, score): (usize, &f64)| score * set.targets[LABELLED + at] <= 0.0;
                errors.push(
                    scores.iter().enumerate().filter(|&one| miss(one)).count() as f64
                        / UNLABELLED as f64,
                );
                scores
                    .iter()
                    .enumerate()
                    .for_each(|(at, score)| by_kind[kind(set, LABELLED + at)].push(*score));
            }
            let mean = |scores: &Vec<f64>| scores.iter().sum::<f64>() / scores.len() as f64;
            let scores =
                by_kind.each_ref().map(|scores| format!("{:+.2}", mean(scores))).join(", ");
            let (least, most) = (
                ranks.iter().min().copied().unwrap_or(0),
                ranks.iter().max().copied().unwrap_or(0),
            );
            let ranks =
                if least == most { least.to_string() } else { format!("{least} to {most}") };
            rows.push(vec![
                format!("{name}, transductive, lambda {weight}, rank penalty {penalty}"),
                percent(errors),
                scores,
                ranks,
            ]);
        }
    }
    let head = [
        "three kinds of rows",
        "told wrongly of 12 without a class",
        "mean score by kind (1, -1, 1 is right)",
        "rank",
    ];
    Ok(table(&head, rows))
}

/// Share of unlabelled rows that an answer tells wrongly.
fn share(sets: &[Incomplete], answer: impl Fn(usize) -> f64) -> String {
    let one = |set: &Incomplete| {
        let wrong =
            (LABELLED..set.targets.len()).filter(|&row| answer(row) != set.targets[row]).count();
        wrong as f64 / UNLABELLED as f64
    };
    percent(sets.iter().map(one).collect())
}

/// Writes the section.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let seed = context.protocol.seed;
    Ok(format!(
        "## Figure 1: rows completed before classes are looked at\n\n{TRAIN} rows to learn from, {TEST} to test on, {DRAWS} draws.\n\n{}\n\
         Both completions have rank 1 and agree with all that is seen; nothing in the rows prefers one.\n\n\
         ## Equation 1: rows and classes completed together\n\n{LABELLED} rows with a class, {UNLABELLED} without, {DRAWS} draws.\n\n{}\n\
         Both completions of rank 2 agree with every cell that is seen and every class that is given (checked), and no rank 1 does: \
         the least rank does not tell the classes. MC-b and MC-1 minimise the sum of singular values and a loss instead of \
         the rank, and what they answer is above.\n",
        two_lines(seed)?,
        two_completions(seed)?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn karma_makes_no_mistake_where_completions_contradict_each_other() {
        let set = TwoCompletions.draw(60, 5);
        let data = problem(set.matrix.clone(), &set.targets).unwrap();
        for (name, learner, setting) in
            asked().into_iter().filter(|(_, learner, _)| *learner == "karma")
        {
            assert_eq!(wrong(&data, learner, &setting, LABELLED).unwrap(), 0.0, "{name}");
        }
        let text = two_completions(1).unwrap();
        assert!(text.contains("karma, gamma = 2 | 0.0 +- 0.0 %"), "{text}");
        let lines = two_lines(1).unwrap();
        assert!(lines.contains("karma, gamma = 1 | 0.0 +- 0.0 %"), "{lines}");
        assert!(
            lines.contains("completed to the true line, then a weighted sum | 0.0 +- 0.0 %"),
            "{lines}"
        );
    }

    #[test]
    fn ranks_are_counted() {
        assert_eq!(rank(&ndarray::array![[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]).unwrap(), 1);
        assert_eq!(rank(&ndarray::array![[1.0, 2.0], [2.0, 4.0], [3.0, 5.0]]).unwrap(), 2);
    }
}
