//! Runs arms on rows with holes of which they see k cells each, drawn from those that were
//! observed.
//!
//! All arms learn from the same cells. Rows that test, and those that validate, keep all that was
//! observed: they stand for the time of prediction, as whole rows do where nothing is missing. Arms
//! that see everything learn from all observed cells, holes filled with means.

use crate::arm::{Arm, text};
use crate::fits::{least, losses, seeded};
use crate::hash::key;
use crate::problem::Problem;
use crate::protocol::{Protocol, TEST_SHARE};
use crate::results::Results;
use crate::run::{Context, Job, Measured};
use anyhow::{Context as _, Result};
use halfseen::Silent;
use halfseen::data::Table;
use halfseen::learner::{Assignments, Learner};
use halfseen::model::{Fit, Predictor};
use halfseen::prepare::{Missing, Options, Prepared};
use halfseen::sampling::{Purpose, Split, Stream, folds, shuffle, splits};
use std::collections::BTreeSet;

impl Context<'_> {
    /// Runs arms on a problem of numbers, each with the number of cells that it sees of a row.
    pub(crate) fn thin(&self, problem: &Problem, arms: &[(usize, Arm)]) -> Result<Results> {
        let mut run = self.open(&format!(".{}", problem.name))?;
        let Protocol { splits: count, seed, .. } = self.protocol;
        let parts = splits(problem.table.rows(), None, None, TEST_SHARE, count, seed)?;
        let mut jobs = Vec::new();
        // There is no clip here in any protocol, and keys do not tell.
        let protocol = Protocol { clip: true, ..self.protocol };
        for (shown, arm) in arms {
            let key = key(&format!("{} {shown} cells", protocol.key(problem, arm, &[])));
            for (number, split) in parts.iter().enumerate() {
                let thin = Thin { problem, arm, shown: *shown, number, split };
                jobs.push(Job {
                    key: key.clone(),
                    problem: &problem.name,
                    arm,
                    split: number,
                    measure: Box::new(move || thin.measure(&self.protocol)),
                });
            }
        }
        run.compute(jobs, (0, 1))?;
        run.finish()
    }
}

/// One arm on one split.
struct Thin<'a> {
    problem: &'a Problem,
    arm: &'a Arm,
    /// Cells of a row that it sees.
    shown: usize,
    number: usize,
    split: &'a Split,
}

/// The table with `shown` of the observed cells of each row, drawn by the seed and the row, and all
/// of those of `whole`.
fn thin(problem: &Problem, shown: usize, seed: u64, number: usize, whole: &[u32]) -> Table {
    let table = &problem.table;
    let whole: BTreeSet<usize> = whole.iter().map(|&row| row as usize).collect();
    let attributes: Vec<usize> = (0..table.columns().len())
        .filter(|&c| table.columns()[c].name != problem.target_name)
        .collect();
    let is_seen = |row: usize, column: usize| {
        table.cell(row, &table.columns()[column]) != halfseen::data::Cell::Missing
    };
    let hidden: Vec<BTreeSet<usize>> = (0..table.rows())
        .map(|row| {
            if whole.contains(&row) {
                return BTreeSet::new();
            }
            let mut seen: Vec<usize> =
                attributes.iter().copied().filter(|&column| is_seen(row, column)).collect();
            let mut stream = Stream::new(seed, Purpose::Hide, ((number as u64) << 32) | row as u64);
            shuffle(&mut stream, &mut seen);
            seen.into_iter().skip(shown).collect()
        })
        .collect();
    table.without(|row, column| hidden[row].contains(&column))
}

impl Thin<'_> {
    /// What the arm sees where these rows are looked at whole.
    fn table(&self, protocol: &Protocol, whole: &[u32]) -> Table {
        if self.arm.sees_all() {
            return self.problem.table.clone();
        }
        thin(self.problem, self.shown, protocol.seed, self.number, whole)
    }

    /// Learns from some rows with several settings, and scores others; their mean squared errors.
    fn errors(
        &self,
        learner: &dyn Learner,
        settings: &[Assignments],
        split: &Split,
        protocol: &Protocol,
    ) -> Result<Errors> {
        let Problem { target_name, target, scale, .. } = self.problem;
        let table = self.table(protocol, &split.test);
        let missing = if self.arm.sees_all() { Missing::Mean } else { Missing::Keep };
        let intercept = self.arm.intercept;
        let options = Options { scale: Some(*scale), intercept, missing, ..Options::default() }
            .suited(&learner.needs());
        let prepared = Prepared::new(&table, (target_name, target), &split.train, &options)?;
        let fits = learner.fit_grid(settings, &prepared.examples(), &Silent)?;
        let predictors: Vec<Predictor> =
            fits.iter().map(|fit| fit.predictor.clone().as_published()).collect();
        let predictors: Vec<&Predictor> = predictors.iter().collect();
        let errors = losses(&prepared, &predictors, target, &split.test)?;
        Ok((fits, errors))
    }

    /// The setting with the least mean error over folds and runs.
    fn choose(
        &self,
        learner: &dyn Learner,
        settings: &[Assignments],
        seed: u64,
        protocol: &Protocol,
    ) -> Result<Assignments> {
        let mut sums = vec![0.0; settings.len()];
        let inside = folds(&self.split.train, None, None, protocol.folds, seed)?;
        for (f, fold) in inside.iter().enumerate().filter(|_| settings.len() > 1) {
            let runs = if self.arm.sees_all() { 1 } else { protocol.runs };
            for run in 0..runs {
                let seed =
                    Stream::new(seed, Purpose::Learner, f as u64 * protocol.runs + run).word();
                let (_, errors) =
                    self.errors(&*seeded(learner, seed)?, settings, fold, protocol)?;
                sums.iter_mut().zip(errors).for_each(|(sum, error)| *sum += error);
            }
        }
        least(settings, &sums)
    }

    fn measure(&self, protocol: &Protocol) -> Result<Vec<Measured>> {
        let learner = self.arm.learner(self.problem.columns())?;
        let seed = Stream::new(protocol.seed, Purpose::Learner, self.number as u64).word();
        let setting = self.choose(&*learner, &self.arm.settings(protocol.quick), seed, protocol)?;
        let learner = seeded(&*learner, seed)?;
        let (fits, errors) =
            self.errors(&*learner, std::slice::from_ref(&setting), self.split, protocol)?;
        let (fit, error) = fits.first().zip(errors.first()).context("nothing was learned")?;
        Ok(vec![Measured {
            examples: fit.report.examples,
            reads: fit.report.reads,
            squared: *error,
            wrong: None,
            setting: text(&setting),
        }])
    }
}

/// What each setting learned, and its mean squared error.
type Errors = (Vec<Fit>, Vec<f64>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::holed::drawn;
    use crate::problem::Sources;
    use halfseen_synthetic::LowRank;

    fn problem() -> Problem {
        drawn(
            "toy",
            &LowRank { columns: 8, rank: 2, observed: 0.7, ..LowRank::default() }
                .draw(400, 5)
                .unwrap(),
        )
        .unwrap()
    }

    #[test]
    fn k_observed_cells_are_left_but_in_whole_rows() {
        let problem = problem();
        let seen = |table: &Table, row: usize| -> BTreeSet<usize> {
            (0..8).filter(|&column| !table.numbers().get(row, column).is_nan()).collect()
        };
        let [two, four] = [2, 4].map(|shown| thin(&problem, shown, 1, 0, &[3, 7]));
        for row in 0..400 {
            let (all, less, more) = (seen(&problem.table, row), seen(&two, row), seen(&four, row));
            assert!(less.is_subset(&more) && more.is_subset(&all));
            let left =
                |shown: usize| if [3, 7].contains(&row) { all.len() } else { shown.min(all.len()) };
            assert_eq!((less.len(), more.len()), (left(2), left(4)));
        }
        let other = thin(&problem, 2, 1, 1, &[3, 7]);
        assert!((0..400).any(|row| seen(&other, row) != seen(&two, row)));
    }

    #[test]
    fn what_sees_more_errs_less_and_a_stopped_run_goes_on() {
        let out = tempfile::tempdir().unwrap();
        let sources = Sources::default();
        let protocol = Protocol { splits: 2, ..Protocol::quick(3).paired() };
        let context = Context {
            name: "small",
            protocol,
            sources: &sources,
            out: out.path().to_owned(),
            told: false,
            stored: false,
        };
        let problem = problem();
        let passive = |shown: usize| {
            let arm = Arm::new("aerr", "AERR").set("passive", "all").with_intercept(true);
            let arm = arm.grids(&[], &[("radius", &["0.0001", "1"]), ("step", &["3.2x"])]);
            (shown, arm.named(&format!("aerr-{shown}"), "AERR"))
        };
        let ridge = (
            8,
            Arm::new("ridge", "ridge").with_intercept(true).grids(&[], &[("penalty", &["0.01"])]),
        );
        context.thin(&problem, &[passive(2)]).unwrap();
        let all = [ridge, passive(2), passive(6)];
        let results = context.thin(&problem, &all).unwrap();
        let end = |arm: &str| results.end("toy", arm, |row| Some(row.squared)).unwrap().mean;
        assert!(end("ridge") < end("aerr-6") && end("aerr-6") < end("aerr-2"), "{results:?}");
        assert!(results.of("toy", "aerr-6").all(|row| row.setting == "radius=1;step=3.2x"));
        assert_eq!(context.thin(&problem, &all).unwrap(), results);
    }
}
