//! Runs arms on data whose test rows lose attributes: learns on one part, chooses on another under
//! attack, tests under attack.
//!
//! Every arm is attacked by an adversary of its own, who knows its weights. A deleted attribute is
//! 0 for every arm. An arm that prepares for a threat is told N, unless its grid searches it; each
//! setting is learned once, and chosen anew for every N by the share of validation rows told
//! wrongly under the same attack, or of an arm that says so with nothing deleted.

use crate::arm::{Arm, text};
use crate::fits::{scored, seeded, strata};
use crate::hash::versioned_key;
use crate::paired::Difference;
use crate::problem::{Problem, options};
use crate::protocol::Protocol;
use crate::results::Results;
use crate::run::{Context, Job, Measured};
use anyhow::{Context as _, Result, bail};
use halfseen::Silent;
use halfseen::data::{Examples, Threat};
use halfseen::error::ErrorKind;
use halfseen::learner::{Assignments, Learner, with};
use halfseen::model::Predictor;
use halfseen::params::{COSTS, THREAT};
use halfseen::prepare::Prepared;
use halfseen::robust::{Attack, attack, information};
use halfseen::sampling::{Purpose, Stream, folds, splits};
use halfseen::select::Statistics;
use std::collections::BTreeMap;

/// Arms on data under attack.
pub(crate) struct Trial {
    /// The name in result files.
    pub(crate) name: String,
    pub(crate) problem: Problem,
    pub(crate) parts: Parts,
    /// Whether attributes are worth their mutual information with the target in the rows learned
    /// from; else 1 each.
    pub(crate) informed: bool,
    pub(crate) attack: Attack,
    /// N, increasing.
    pub(crate) budgets: Vec<f64>,
    pub(crate) arms: Vec<Arm>,
}

/// How rows are parted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Parts {
    /// Ten folds, each of which tests once (or the first few of them); a ninth of the others
    /// validates.
    Folds,
    /// So many rows to learn from and to validate by, drawn anew; all others test.
    Few { train: usize, validate: usize },
}

/// Rows to learn from, to choose by, and to test on.
struct Parted {
    train: Vec<u32>,
    validate: Vec<u32>,
    test: Vec<u32>,
}

impl Trial {
    fn parted(&self, protocol: &Protocol, number: usize) -> Result<Parted> {
        let rows = self.problem.table.rows();
        let classes = strata(&self.problem.target);
        let of = |all: &[u32]| {
            classes.map(|codes| all.iter().map(|&r| codes[r as usize]).collect::<Vec<u32>>())
        };
        match self.parts {
            Parts::Folds => {
                let all: Vec<u32> = (0..rows as u32).collect();
                let fold = folds(&all, classes, None, 10, protocol.seed)?.swap_remove(number);
                let codes = of(&fold.train);
                let seed = 1000 * protocol.seed + number as u64;
                let inner =
                    splits(fold.train.len(), codes.as_deref(), None, 1.0 / 9.0, 1, seed)?.remove(0);
                let pick = |at: &[u32]| at.iter().map(|&at| fold.train[at as usize]).collect();
                Ok(Parted {
                    train: pick(&inner.train),
                    validate: pick(&inner.test),
                    test: fold.test.clone(),
                })
            }
            Parts::Few { train, validate } => {
                let mut order: Vec<u32> = (0..rows as u32).collect();
                let mut stream = Stream::new(protocol.seed, Purpose::Split, number as u64);
                halfseen::sampling::shuffle(&mut stream, &mut order);
                if rows <= train + validate {
                    bail!("{}: {rows} rows are too few", self.name);
                }
                let test = order.split_off(train + validate);
                let validate = order.split_off(train);
                Ok(Parted { train: order, validate, test })
            }
        }
    }

    /// Names what decides the results of an arm.
    fn key(&self, protocol: &Protocol, arm: &Arm) -> String {
        let (data, seed) = (self.problem.fingerprint(), protocol.seed);
        let Trial { name, parts, informed, attack, budgets, .. } = self;
        let arm = arm.describe(protocol.quick);
        versioned_key(&format!(
            "{name} {data:x}|{parts:?} {informed} {attack:?} {budgets:?} {seed}|{arm}"
        ))
    }
}

impl Context<'_> {
    /// Runs the arms of every trial on its parts.
    pub(crate) fn besiege(&self, trials: &[Trial]) -> Result<Results> {
        let mut run = self.open("")?;
        for (t, trial) in trials.iter().enumerate() {
            let mut jobs = Vec::new();
            for number in 0..self.protocol.splits {
                for arm in &trial.arms {
                    let besieged = Besieged { trial, arm, number };
                    jobs.push(Job {
                        key: trial.key(&self.protocol, arm),
                        problem: &trial.name,
                        arm,
                        split: number,
                        measure: Box::new(move || besieged.measure(&self.protocol)),
                    });
                }
            }
            run.compute(jobs, (t, trials.len()))?;
        }
        run.finish()
    }
}

/// A cell whose test rows are attacked.
struct Besieged<'a> {
    trial: &'a Trial,
    arm: &'a Arm,
    number: usize,
}

/// A fitted setting, ready to be attacked.
struct Fitted {
    predictor: Predictor,
    converged: bool,
}

impl Besieged<'_> {
    fn measure(&self, protocol: &Protocol) -> Result<Vec<Measured>> {
        let Trial { problem, budgets, .. } = self.trial;
        let parted = self.trial.parted(protocol, self.number)?;
        let mut learner = self.arm.learner(problem.columns())?;
        if self.trial.informed && learner.needs().threat {
            learner.set(COSTS.name, "mi")?;
        }
        let target = (problem.target_name.as_str(), &problem.target);
        let prepared =
            Prepared::new(&problem.table, target, &parted.train, &options(problem, &*learner))?;
        let values = self.values(&prepared.examples())?;
        let seed = Stream::new(protocol.seed, Purpose::Learner, self.number as u64).word();
        let error = |predictor: &Predictor, rows: &[u32], budget: f64| -> Result<f64> {
            let threat = Threat::new(values.clone(), budget)?;
            let scores = attack(
                predictor,
                &prepared.examples_of(rows),
                &threat,
                self.trial.attack,
                seed >> 1,
            )?
            .scores;
            let score = scored(&prepared, scores, &problem.target, rows);
            score.error.context("the target has no classes")
        };
        let mut known: BTreeMap<String, Option<Fitted>> = BTreeMap::new();
        let mut rows = Vec::with_capacity(budgets.len());
        for &budget in budgets {
            let mut best: Option<(f64, Assignments)> = None;
            let (mut search, mut settings) = self.arm.search(protocol.quick);
            while !settings.is_empty() {
                for setting in with_threat(settings, &*learner, budget) {
                    let name = text(&setting);
                    if !known.contains_key(&name) {
                        let fitted = self.learn(&*learner, &setting, &prepared, seed)?;
                        known.insert(name.clone(), fitted);
                    }
                    let Some(Some(fitted)) = known.get(&name) else { continue };
                    let against = if self.arm.chosen_clean { 0.0 } else { budget };
                    let error = error(&fitted.predictor, &parted.validate, against)?;
                    if best.as_ref().is_none_or(|(least, _)| error < *least) {
                        best = Some((error, setting));
                    }
                }
                settings = best.as_ref().map_or_else(Vec::new, |(_, best)| search.beyond(best));
            }
            let (_, setting) = best.with_context(|| format!("no setting bears N = {budget}"))?;
            let chosen = text(&setting);
            let fitted = known
                .get(&chosen)
                .and_then(Option::as_ref)
                .context("the chosen setting was learned")?;
            let early = if fitted.converged { "" } else { ";stopped early" };
            rows.push(Measured {
                examples: parted.train.len() as u64,
                reads: (parted.train.len() * problem.columns()) as u64,
                squared: f64::NAN,
                wrong: Some(error(&fitted.predictor, &parted.test, budget)?),
                setting: format!("{chosen}{early}"),
            });
        }
        Ok(rows)
    }

    /// What attributes are worth in the rows learned from.
    fn values(&self, examples: &Examples<'_>) -> Result<Vec<f64>> {
        if !self.trial.informed {
            return Ok(vec![1.0; examples.layout.sampled_panels()]);
        }
        Ok(information(examples)?)
    }

    /// Learns with a setting; `None` where it takes the threat of more than there is.
    fn learn(
        &self,
        learner: &dyn Learner,
        setting: &Assignments,
        prepared: &Prepared<'_>,
        seed: u64,
    ) -> Result<Option<Fitted>> {
        let learner = seeded(&*with(learner.clone_box(), setting)?, seed)?;
        let fit = match learner.fit(&prepared.examples(), &Silent) {
            Err(error) if matches!(error.kind(), ErrorKind::OutOfRange { name: "threat", .. }) => {
                return Ok(None);
            }
            fit => fit?,
        };
        let mut linear = fit.linear()?.clone();
        linear.fill.fill(0.0);
        let predictor = if matches!(fit.predictor, Predictor::Linear(_)) {
            Predictor::Linear(linear)
        } else {
            Predictor::Margin(linear)
        };
        Ok(Some(Fitted { predictor, converged: fit.report.converged }))
    }
}

/// Settings that know N, where a threat is a parameter and they have none.
fn with_threat(
    mut settings: Vec<Assignments>,
    learner: &dyn Learner,
    budget: f64,
) -> Vec<Assignments> {
    for setting in &mut settings {
        if learner.needs().threat && !setting.iter().any(|(name, _)| *name == THREAT.name) {
            setting.push((THREAT.name, budget.to_string()));
        }
    }
    settings
}

/// The share told wrongly at each N.
pub(crate) fn errors_at(
    results: &Results,
    problem: &str,
    arm: &str,
    point: usize,
) -> Option<Statistics> {
    Statistics::of(
        results
            .of(problem, arm)
            .filter(|row| row.point == point)
            .filter_map(|row| row.wrong)
            .collect(),
    )
}

/// One arm's error minus another's, over the splits.
pub(crate) fn difference(
    results: &Results,
    problem: &str,
    arms: [&str; 2],
    point: usize,
) -> Option<Difference> {
    let at = |arm: &str| -> BTreeMap<usize, f64> {
        let rows = results.of(problem, arm).filter(|row| row.point == point);
        rows.filter_map(|row| Some((row.split, row.wrong?))).collect()
    };
    let (first, second) = (at(arms[0]), at(arms[1]));
    let pairs = first.iter().filter_map(|(split, a)| Some((*a, *second.get(split)?)));
    let (ours, theirs): (Vec<f64>, Vec<f64>) = pairs.unzip();
    Difference::of(&ours, &theirs)
}
