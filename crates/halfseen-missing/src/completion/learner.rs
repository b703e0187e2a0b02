//! Implements matrix completion as a learner: all training rows are labelled, and the factor
//! predicts new rows.

use super::{
    Completed, CompletionVariant, LabelLoss, Problem, Settings, Solution, complete, solve,
};
use faer::Mat;
use halfseen_core::data::Examples;
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::kernel::DenseRows;
use halfseen_core::learner::missingness::MissingnessSummary;
use halfseen_core::learner::together::fits_together;
use halfseen_core::learner::{FitSize, Grid, Learner, Needed, refuse_weights};
use halfseen_core::model::{Fit, Predictor};
use halfseen_core::params::{LabelLoss as LossChoice, Needs, Parameters, Targets, parameters};
use halfseen_solve::Monitor;
use rayon::prelude::*;
use std::time::Instant;

parameters! {
    /// Labels and attributes completed as one matrix of low rank, with a constant for every label
    /// (MC-b) or a row of ones (MC-1).
    pub struct MatrixCompletion {
        name: "completion", family: Missing,
        title: "Matrix completion, with a constant (MC-b) or a row of ones (MC-1)",
        source: "Goldberg et al. 2010; Hazan et al. 2015, section 5";
        variant: CompletionVariant = CompletionVariant::Bias, COMPLETION;
        label_weight: f64 = 0.1, LABEL_WEIGHT;
        rank_penalty: f64 = 0.2, RANK_PENALTY;
        loss: LossChoice = LossChoice::Auto, LABEL_LOSS;
        tol: f64 = 1e-3, TOL;
        max_iter: u64 = 1000, MAX_ITER;
    }
}

const NORMS: &str = "because duplicating a row keeps the rank but changes the nuclear norm";

impl MatrixCompletion {
    /// Completes the attributes of all examples together with their targets. The targets of
    /// examples that are not `labelled`, (n), are ignored; they must still be valid for the loss.
    ///
    /// # Errors
    /// As [`complete`](super::complete).
    pub fn complete(
        &self,
        examples: &Examples<'_>,
        labelled: Vec<bool>,
        monitor: &dyn Monitor,
    ) -> Result<Completed> {
        self.check()?;
        refuse_weights(Self::NAME, examples, NORMS)?;
        let rows = DenseRows::new(examples, false)?;
        let (loss, labels) = targets(self.loss, examples)?;
        let problem = Problem { values: &rows.values, observed: rows.observed(), labels, labelled };
        complete(&problem, &self.settings(loss), self.rank_penalty, monitor)
    }

    fn settings(&self, loss: LabelLoss) -> Settings {
        Settings {
            variant: self.variant,
            loss,
            label_weight: self.label_weight,
            tol: self.tol,
            max_iter: self.max_iter,
        }
    }
}

impl Learner for MatrixCompletion {
    fn grid(&self) -> Grid {
        Grid::new(&[
            ("label_weight", &["0.001", "0.01", "0.1", "1"]),
            ("rank_penalty", &["0.5", "0.2", "0.1", "0.05", "0.02", "0.01", "0.003"]),
        ])
    }

    fn needed(&self, size: &FitSize) -> Needed {
        // Values and masks; five iterates and their images, with a column for each output; products
        // of the shorter side with their eigenvectors, or a singular value decomposition.
        let (groups, outputs) = (size.side_by_side(), size.n() * size.outputs());
        let each = 8.0 * size.cells() + 5.0 * size.fewest_pairs() + 10.0 * outputs;
        let models = 0.3 * size.models() * size.cells().min(size.column_pairs());
        Needed::of(size, size.masked(false) + each * groups + models).with(
            "karma with features=sketch:2048, which makes no dense copies of the table, or fewer rows or columns",
        )
    }

    // Settings that differ only in the rank penalty share one continuation.
    fits_together!(fit_all);

    fn needs(&self) -> Needs {
        Needs { targets: Targets::Any, weighs: false, ..Needs::of(self) }
    }
}

/// Fits all settings, in their order. The seconds of a report are those of its whole continuation.
fn fit_all(
    learners: &[MatrixCompletion],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    let name = MatrixCompletion::NAME;
    refuse_weights(name, examples, NORMS)?;
    if examples.is_empty() {
        return Err(ErrorKind::TooFewRows { what: name.to_owned(), least: 1, rows: 0 }.into());
    }
    let rows = DenseRows::new(examples, false)?;
    let reading = MissingnessSummary::of(examples);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, learner) in learners.iter().enumerate() {
        let alike = |group: &&mut Vec<usize>| {
            let first = &learners[group[0]];
            MatrixCompletion { rank_penalty: first.rank_penalty, ..learner.clone() } == *first
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    let fitted: Vec<Result<Vec<Fit>>> = groups
        .par_iter()
        .map(|group| {
            let group: Vec<&MatrixCompletion> = group.iter().map(|&at| &learners[at]).collect();
            continuation(&group, (&rows, &reading), examples, monitor)
        })
        .collect();
    let mut fits: Vec<Option<Fit>> = vec![None; learners.len()];
    for (group, fitted) in groups.into_iter().zip(fitted) {
        group.into_iter().zip(fitted?).for_each(|(at, fit)| fits[at] = Some(fit));
    }
    Ok(fits.into_iter().flatten().collect())
}

/// Fits settings that differ only in the rank penalty.
fn continuation(
    group: &[&MatrixCompletion],
    (rows, reading): (&DenseRows, &MissingnessSummary),
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    let start = Instant::now();
    let (loss, labels) = targets(group[0].loss, examples)?;
    // A logistic score is a log-odds; a single one of several rows of 0 and 1 estimates no target.
    let estimates = loss == LabelLoss::Squared && labels.nrows() == 1;
    let labelled = vec![true; rows.len()];
    let problem = Problem { values: &rows.values, observed: rows.observed(), labels, labelled };
    let penalties: Vec<f64> = group.iter().map(|learner| learner.rank_penalty).collect();
    let solutions = solve(&problem, &group[0].settings(loss), &penalties, monitor)?;
    let seconds = start.elapsed().as_secs_f64();
    let fit = |solution: Solution| {
        let mut report = reading.report(MatrixCompletion::NAME, solution.stop, examples);
        (report.objective, report.gap) = (Some(solution.objective), Some(solution.gap));
        report.passes = Some(solution.passes);
        report.seconds = seconds;
        Fit { predictor: Predictor::Factor(solution.factor.estimating(estimates)), report }
    };
    Ok(solutions.into_iter().map(fit).collect())
}

fn targets(choice: LossChoice, examples: &Examples<'_>) -> Result<(LabelLoss, Mat<f64>)> {
    let (n, classes) = (examples.len(), examples.classes());
    let loss = match choice {
        LossChoice::Auto if classes == 2 => LabelLoss::Logistic,
        LossChoice::Auto | LossChoice::Squared => LabelLoss::Squared,
        LossChoice::Logistic => LabelLoss::Logistic,
    };
    if classes > 2 {
        let low = if loss == LabelLoss::Logistic { -1.0 } else { 0.0 };
        let is =
            |class: usize, i: usize| if examples.code(i) == Some(class as u32) { 1.0 } else { low };
        return Ok((loss, Mat::from_fn(classes, n, is)));
    }
    if let Some(i) = (0..n).find(|&i| !examples.target(i).is_finite()) {
        let (row, value) = (examples.rows[i] as usize + 1, examples.target(i));
        return Err(ErrorKind::NotFinite { row, column: "target".into(), value }.into());
    }
    if loss == LabelLoss::Logistic && !(0..n).all(|i| examples.target(i).abs() == 1.0) {
        let what = "classes, coded as -1 and +1 (in Rust with plain_classes); use loss=squared for numbers";
        return Err(ErrorKind::Needs { name: "loss", value: "logistic", what }.into());
    }
    Ok((loss, Mat::from_fn(1, n, |_, i| examples.target(i))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_core::data::{Labels, Layout, Matrix, Scaler};
    use halfseen_core::model::Stop;
    use halfseen_solve::Silent;
    use halfseen_solve::sampling::{Purpose, Stream};
    use std::sync::Arc;

    /// Rows of rank 2 with missing values, and a target linear in the two latent factors.
    struct Data {
        matrix: Matrix,
        layout: Arc<Layout>,
        targets: Vec<f64>,
        codes: Vec<u32>,
        classes: usize,
    }

    impl Data {
        fn random(n: usize, classes: usize) -> Data {
            let mut stream = Stream::new(5, Purpose::Data, n as u64);
            let loadings: Vec<[f64; 2]> =
                (0..8).map(|_| [stream.normal(), stream.normal()]).collect();
            let mut cells = ndarray::Array2::zeros((n, 8));
            let mut hidden = Vec::with_capacity(n);
            for mut row in cells.rows_mut() {
                let (a, b) = (stream.normal(), stream.normal());
                for (cell, load) in row.iter_mut().zip(&loadings) {
                    let value = a * load[0] + b * load[1] + 0.1 * stream.normal();
                    *cell = if stream.unit() < 0.4 { f64::NAN } else { value };
                }
                hidden.push(a - 0.5 * b);
            }
            let code = |z: &f64| match classes {
                2 => u32::from(*z > 0.0),
                _ => u32::from(*z > -0.6) + u32::from(*z > 0.6),
            };
            let codes: Vec<u32> = hidden.iter().map(code).collect();
            let targets = match classes {
                0 => hidden,
                2 => codes.iter().map(|&c| 2.0 * f64::from(c) - 1.0).collect(),
                _ => vec![f64::NAN; n],
            };
            Data {
                matrix: Matrix::F64(cells),
                layout: Arc::new(Layout::singletons(8)),
                targets,
                codes,
                classes,
            }
        }

        fn examples(&self) -> Examples<'_> {
            let labels =
                (self.classes > 0).then_some(Labels { codes: &self.codes, classes: self.classes });
            Examples {
                labels,
                ..Examples::new(&self.matrix, &Scaler::None {}, &self.layout, &self.targets)
            }
        }
    }

    fn both() -> [Box<dyn Learner>; 2] {
        [CompletionVariant::Bias, CompletionVariant::Ones].map(|variant| -> Box<dyn Learner> {
            Box::new(MatrixCompletion { variant, ..MatrixCompletion::default() })
        })
    }

    #[test]
    fn hidden_factors_are_learned_of_rows_with_holes() {
        for classes in [0, 2, 3] {
            let data = Data::random(300, classes);
            let all = data.examples();
            let (train, test) = (all.prefix(200), all.with_rows((200..300).collect::<Vec<u32>>()));
            for mut learner in both() {
                learner.set("label_weight", "1").unwrap();
                learner.set("rank_penalty", "0.02").unwrap();
                assert!(learner.needs().targets.allow(classes));
                let fit = learner.fit(&train, &Silent).unwrap();
                assert_eq!(fit.report.stop, Stop::Tolerance);
                let scores = fit.predictor.scores(&test).unwrap();
                assert_eq!(scores.outputs, if classes == 3 { 3 } else { 1 });
                assert_eq!(scores.estimates, classes == 0);
                let square = |i: usize| (scores.row(i)[0] - test.target(i)).powi(2);
                let wrong =
                    |i: usize| f64::from(u8::from(Some(scores.class(i) as u32) != test.code(i)));
                let error =
                    (0..100).map(|i| if classes == 0 { square(i) } else { wrong(i) }).sum::<f64>()
                        / 100.0;
                // The mean has a squared error of 1.25, the largest class error rates of 0.5 and
                // 0.6.
                assert!(
                    error < if classes == 3 { 0.4 } else { 0.3 },
                    "{} of {classes} classes: {error}",
                    learner.name()
                );
            }
        }
    }

    #[test]
    fn targets_that_are_not_known_are_completed_and_not_looked_at() {
        let labelled: Vec<bool> = (0..150).map(|i| i % 3 > 0).collect();
        for classes in [0, 2, 3] {
            let mut data = Data::random(150, classes);
            let (targets, codes) = (data.targets.clone(), data.codes.clone());
            let learner =
                MatrixCompletion { label_weight: 1.0, rank_penalty: 0.02, ..Default::default() };
            let known = learner.complete(&data.examples(), labelled.clone(), &Silent).unwrap();
            let hidden = |i: &usize| !labelled[*i];
            for i in (0..150).filter(hidden) {
                data.targets[i] *= -1.0;
                data.codes[i] = (data.codes[i] + 1) % classes.max(1) as u32;
            }
            let other = learner.complete(&data.examples(), labelled.clone(), &Silent).unwrap();
            assert_eq!((&known.scores, &known.attributes), (&other.scores, &other.attributes));
            let class = |i: usize| match classes {
                2 => u32::from(known.scores[(0, i)] > 0.0),
                _ => (0..3)
                    .max_by(|&a, &b| known.scores[(a, i)].total_cmp(&known.scores[(b, i)]))
                    .unwrap() as u32,
            };
            let error = |i: usize| match classes {
                0 => (known.scores[(0, i)] - targets[i]).powi(2),
                _ => f64::from(u8::from(class(i) != codes[i])),
            };
            let mean = (0..150).filter(hidden).map(error).sum::<f64>() / 50.0;
            // The mean has a squared error of 1.25, the largest class error rates of 0.5 and 0.6.
            assert!(mean < if classes == 3 { 0.4 } else { 0.3 }, "{classes} classes: {mean}");
        }
    }

    #[test]
    fn a_grid_gives_what_separate_fits_give() {
        let data = Data::random(60, 2);
        for mut learner in both() {
            learner.set("tol", "1e-9").unwrap();
            learner.set("max_iter", "100000").unwrap();
            let setting = |weight: &str, penalty: &str| {
                vec![("label_weight", weight.to_owned()), ("rank_penalty", penalty.to_owned())]
            };
            let settings = [
                setting("1", "0.1"),
                setting("0.1", "0.05"),
                setting("1", "0.4"),
                setting("0.1", "0.5"),
            ];
            let fits = learner.fit_grid(&settings, &data.examples(), &Silent).unwrap();
            assert_eq!(fits.len(), 4);
            for (setting, together) in settings.iter().zip(&fits) {
                let alone = halfseen_core::learner::with(learner.clone(), setting).unwrap();
                let alone = alone.fit(&data.examples(), &Silent).unwrap();
                let (a, b) = (alone.report.objective.unwrap(), together.report.objective.unwrap());
                assert!((a - b).abs() <= 3e-9 * a, "{setting:?}: {a} and {b}");
                let scores = |fit: &Fit| fit.predictor.scores(&data.examples()).unwrap().values;
                let differences =
                    scores(&alone).into_iter().zip(scores(together)).map(|(a, b)| (a - b).abs());
                assert!(differences.fold(0.0, f64::max) < 1e-3);
            }
            assert!(learner.fit_grid(&[], &data.examples(), &Silent).unwrap().is_empty());
        }
    }

    #[test]
    fn the_report_counts_what_was_observed() {
        let data = Data::random(20, 2);
        let Matrix::F64(cells) = &data.matrix else { panic!("not dense") };
        let counts: Vec<u64> = cells
            .rows()
            .into_iter()
            .map(|r| r.iter().filter(|v| !v.is_nan()).count() as u64)
            .collect();
        for learner in both() {
            let report = learner.fit(&data.examples(), &Silent).unwrap().report;
            assert_eq!((report.reads, report.distinct), (counts.iter().sum(), counts.iter().sum()));
            assert_eq!(
                (Some(report.max_reads), report.spent),
                (counts.iter().max().copied(), report.reads as f64)
            );
            assert!(report.gap.unwrap() <= 1e-3 * report.objective.unwrap());
        }
    }

    #[test]
    fn targets_that_a_loss_does_not_take_are_refused() {
        for mut learner in both() {
            let mut numbers = Data::random(20, 0);
            learner.set("loss", "logistic").unwrap();
            let error = learner.fit(&numbers.examples(), &Silent).unwrap_err();
            assert!(matches!(
                error.kind(),
                ErrorKind::Needs { name: "loss", value: "logistic", .. }
            ));
            learner.set("loss", "squared").unwrap();
            numbers.targets[4] = f64::NAN;
            let error = learner.fit(&numbers.examples(), &Silent).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::NotFinite { row: 5, .. }));
            let error = learner.fit(&numbers.examples().prefix(0), &Silent).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::TooFewRows { rows: 0, .. }));
            // With the logistic loss several classes are rows of -1 and +1.
            learner.set("loss", "logistic").unwrap();
            let fit = learner.fit(&Data::random(30, 3).examples(), &Silent).unwrap();
            assert_eq!(fit.predictor.outputs(), 3);
            // With the squared loss two classes are estimated.
            learner.set("loss", "squared").unwrap();
            let data = Data::random(30, 2);
            let fit = learner.fit(&data.examples(), &Silent).unwrap();
            assert!(fit.predictor.scores(&data.examples()).unwrap().estimates);
        }
    }
}
