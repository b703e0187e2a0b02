//! Runs arms whose settings are chosen on a holdout, as in paper D: learn, choose, learn again from
//! both parts, test.
//!
//! Of each split's rows a share tests. Of the others a quarter is held out: every setting of the
//! grid learns from the rest, the one with the least error on the held-out rows (of equals the
//! first in the grid: the smaller gamma, then the smaller C) learns again from all rows that do not
//! test.

use crate::arm::{Arm, text};
use crate::fits::{fit_and_score, least, losses, strata};
use crate::hash::versioned_key;
use crate::problem::{Problem, options};
use crate::protocol::Protocol;
use crate::results::{Results, Row};
use crate::run::{Context, Job, Measured};
use crate::transduced::transduce;
use anyhow::{Context as _, Result};
use halfseen::Silent;
use halfseen::data::Target;
use halfseen::learner::{Assignments, Learner, with};
use halfseen::model::Predictor;
use halfseen::prepare::Prepared;
use halfseen::sampling::{Split, splits};
use halfseen::select::{Score, Statistics};

/// Share held out of the rows that do not test.
const HELD_OUT: f64 = 0.25;

/// Data that arms are compared on.
pub(crate) struct Trial<'a> {
    /// The name in result files.
    pub(crate) name: String,
    pub(crate) data: Data<'a>,
    /// Share of the rows that test.
    pub(crate) test_share: f64,
    /// Numbers of rows that do not test and are used, increasing; empty: all.
    pub(crate) sizes: Vec<usize>,
    pub(crate) arms: Vec<Arm>,
}

/// Rows of every split.
pub(crate) enum Data<'a> {
    /// The same, split anew.
    Same(Box<Problem>),
    /// Drawn anew, by the number of the split.
    Fresh(Box<dyn Fn(u64) -> Result<Problem> + Sync + 'a>),
}

/// One sentence for a page.
pub(crate) fn sentence(protocol: &Protocol) -> String {
    let Protocol { splits, seed, .. } = protocol;
    format!(
        "Made by the {} protocol: {splits} random splits; settings chosen on a holdout of a quarter of the rows that do not \
         test, then learned again from all of these; seed {seed}.",
        protocol.name()
    )
}

/// The error that counts: the share told wrongly, or the mean squared error of numbers.
pub(crate) fn loss(row: &Row) -> Option<f64> {
    row.wrong.or(Some(row.squared))
}

impl Trial<'_> {
    /// Draws the data of a split, if they are drawn anew; tells where in `drawn` they lie.
    fn draw_into(
        &self,
        drawn: &mut Vec<Problem>,
        number: usize,
        protocol: &Protocol,
    ) -> Result<usize> {
        if let Data::Fresh(draw) = &self.data {
            drawn.push(draw(1000 * protocol.seed + number as u64)?);
        }
        Ok(drawn.len().saturating_sub(1))
    }

    /// The loss of the best constant: the most frequent class of the rows that do not test, or
    /// their mean.
    pub(crate) fn constant(&self, protocol: &Protocol) -> Result<Option<Statistics>> {
        let mut drawn = Vec::new();
        let mut losses = Vec::new();
        for number in 0..protocol.splits {
            let at = self.draw_into(&mut drawn, number, protocol)?;
            let problem = if let Data::Same(problem) = &self.data { problem } else { &drawn[at] };
            let split = split(problem, self.test_share, protocol, number)?;
            losses.push(constant_loss(&problem.target, &split));
        }
        Ok(Statistics::of(losses))
    }
}

fn constant_loss(target: &Target, split: &Split) -> f64 {
    let n = split.test.len() as f64;
    match target {
        Target::Numbers(values) => {
            let mean = split.train.iter().map(|&r| values[r as usize]).sum::<f64>()
                / split.train.len() as f64;
            split.test.iter().map(|&r| (values[r as usize] - mean).powi(2)).sum::<f64>() / n
        }
        Target::Classes { codes, classes } => {
            let mut counts = vec![0_usize; classes.len()];
            split.train.iter().for_each(|&r| counts[codes[r as usize] as usize] += 1);
            let most = (0..counts.len())
                .max_by_key(|&class| (counts[class], std::cmp::Reverse(class)))
                .unwrap_or(0);
            split.test.iter().filter(|&&r| codes[r as usize] as usize != most).count() as f64 / n
        }
    }
}

fn split(problem: &Problem, test_share: f64, protocol: &Protocol, number: usize) -> Result<Split> {
    let all = splits(
        problem.table.rows(),
        strata(&problem.target),
        None,
        test_share,
        number + 1,
        protocol.seed,
    )?;
    all.into_iter().nth(number).context("a split is missing")
}

impl Context<'_> {
    /// Runs the arms of every trial on its splits.
    pub(crate) fn hold_out(&self, trials: &[Trial<'_>]) -> Result<Results> {
        let mut run = self.open("")?;
        for (t, trial) in trials.iter().enumerate() {
            let mut drawn = Vec::new();
            let at: Vec<usize> = (0..self.protocol.splits)
                .map(|number| trial.draw_into(&mut drawn, number, &self.protocol))
                .collect::<Result<_>>()?;
            let mut jobs = Vec::new();
            for (number, &at) in at.iter().enumerate() {
                let problem =
                    if let Data::Same(problem) = &trial.data { problem } else { &drawn[at] };
                for arm in &trial.arms {
                    let chosen = Chosen { trial, problem, arm, number };
                    jobs.push(Job {
                        key: key(&self.protocol, problem, arm, trial),
                        problem: &trial.name,
                        arm,
                        split: number,
                        measure: Box::new(move || chosen.measure(&self.protocol)),
                    });
                }
            }
            run.compute(jobs, (t, trials.len()))?;
        }
        run.finish()
    }
}

/// Names what decides the results of an arm on a trial.
fn key(protocol: &Protocol, problem: &Problem, arm: &Arm, trial: &Trial<'_>) -> String {
    let arm = arm.describe(protocol.quick);
    let (data, seed, Trial { name, test_share, sizes, .. }) =
        (problem.fingerprint(), protocol.seed, trial);
    versioned_key(&format!(
        "{name} {data:x}|holdout {test_share} {HELD_OUT} {seed}|{arm}|{sizes:?}"
    ))
}

/// An arm on one split.
struct Chosen<'a> {
    trial: &'a Trial<'a>,
    problem: &'a Problem,
    arm: &'a Arm,
    number: usize,
}

impl Chosen<'_> {
    fn measure(&self, protocol: &Protocol) -> Result<Vec<Measured>> {
        let split = split(self.problem, self.trial.test_share, protocol, self.number)?;
        let sizes = if self.trial.sizes.is_empty() {
            vec![split.train.len()]
        } else {
            self.trial.sizes.clone()
        };
        let learner = self.arm.learner(self.problem.columns())?;
        let settings = self.arm.settings(protocol.quick);
        let measured = |size: &usize| -> Result<Measured> {
            let train = &split.train[..(*size).min(split.train.len())];
            let setting = self.choose(&*learner, &settings, train, protocol)?;
            let chosen = with(learner.clone(), &setting)?;
            let (reads, score) = self.tested(&*chosen, train, &split.test)?;
            Ok(Measured {
                examples: train.len() as u64,
                reads,
                squared: score.mse.unwrap_or(f64::NAN),
                wrong: score.error,
                setting: text(&setting),
            })
        };
        sizes.iter().map(measured).collect()
    }

    /// What was read of the rows that are learned from, and the score on others.
    fn tested(&self, learner: &dyn Learner, train: &[u32], test: &[u32]) -> Result<(u64, Score)> {
        if self.arm.transductive {
            let scores = transduce(self.problem, learner, train, test)?;
            return Ok((0, Score::of(&scores, &self.problem.target, test)));
        }
        let (fit, score) = fit_and_score(self.problem, learner, train, test)?;
        Ok((fit.report.reads, score))
    }

    /// The setting that errs least on held-out rows; the first of equals.
    fn choose(
        &self,
        learner: &dyn Learner,
        settings: &[Assignments],
        rows: &[u32],
        protocol: &Protocol,
    ) -> Result<Assignments> {
        let Problem { table, target_name, target, .. } = self.problem;
        let classes: Option<Vec<u32>> =
            strata(target).map(|codes| rows.iter().map(|&r| codes[r as usize]).collect());
        let seed = 1000 * protocol.seed + self.number as u64;
        let parts = splits(rows.len(), classes.as_deref(), None, HELD_OUT, 1, seed)?.remove(0);
        let pick = |of: &[u32]| of.iter().map(|&at| rows[at as usize]).collect::<Vec<u32>>();
        let (learned, held) = (pick(&parts.train), pick(&parts.test));
        let errors = if self.arm.transductive {
            let error = |setting: &Assignments| {
                let chosen = with(learner.clone_box(), setting)?;
                Ok(crate::fits::loss(&self.tested(&*chosen, &learned, &held)?.1))
            };
            settings.iter().map(error).collect::<Result<Vec<f64>>>()?
        } else {
            let options = options(self.problem, learner);
            let prepared = Prepared::new(table, (target_name, target), &learned, &options)?;
            let fits = learner.fit_grid(settings, &prepared.examples(), &Silent)?;
            let predictors: Vec<&Predictor> = fits.iter().map(|fit| &fit.predictor).collect();
            losses(&prepared, &predictors, target, &held)?
        };
        least(settings, &errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::holed::drawn;
    use crate::problem::Sources;
    use halfseen_synthetic::LowRank;

    #[test]
    fn what_more_is_observed_is_predicted_better_and_a_stopped_run_goes_on() {
        let out = tempfile::tempdir().unwrap();
        let sources = Sources::default();
        let protocol = Protocol { splits: 2, ..Protocol::quick(3) };
        let context = Context {
            name: "small",
            protocol,
            sources: &sources,
            out: out.path().to_owned(),
            told: false,
            stored: false,
        };
        let arm = |id: &'static str| {
            Arm::new(id, id).with_intercept(true).grids(&[], &[("c", &["0.001", "1000"])])
        };
        let trial = |p: f64, arms: Vec<Arm>| Trial {
            name: format!("p-{p}"),
            data: Data::Fresh(Box::new(move |seed| {
                let set = LowRank { columns: 6, rank: 2, observed: p, ..LowRank::default() }
                    .draw(260, seed)?;
                drawn("toy", &set)
            })),
            test_share: 0.25,
            sizes: vec![40, 190],
            arms,
        };
        let both = || vec![arm("karma"), arm("zero")];
        context.hold_out(&[trial(0.5, vec![arm("zero")])]).unwrap();
        let results = context.hold_out(&[trial(0.5, both()), trial(0.9, both())]).unwrap();
        assert_eq!(results.rows.len(), 2 * 2 * 2 * 2);
        let end = |problem: &str| results.end(problem, "karma", loss).unwrap().mean;
        assert!(end("p-0.9") < 0.6 * end("p-0.5"), "{} {}", end("p-0.9"), end("p-0.5"));
        assert!(results.of("p-0.9", "karma").all(|row| row.setting == "c=1000"));
        // The mean of the training rows explains nothing.
        let constant = trial(0.9, both()).constant(&protocol).unwrap().unwrap();
        assert!((0.7..1.4).contains(&constant.mean), "{}", constant.mean);
        assert_eq!(context.hold_out(&[trial(0.5, both()), trial(0.9, both())]).unwrap(), results);
    }

    #[test]
    fn the_constant_tells_the_most_frequent_class() {
        let label = |n: u32| halfseen::data::Label::Number(f64::from(n));
        let target =
            Target::Classes { classes: (0..3).map(label).collect(), codes: vec![2, 2, 1, 0, 2, 1] };
        let split = Split { train: vec![0, 1, 2], test: vec![3, 4, 5] };
        assert_eq!(constant_loss(&target, &split), 2.0 / 3.0);
        let split = Split { train: vec![0, 1], test: vec![2, 3] };
        assert_eq!(constant_loss(&Target::Numbers(vec![0.0, 2.0, 3.0, 1.0]), &split), 2.0);
    }
}
