//! Runs arms whose settings are chosen by cross-validation inside the training part, as in the
//! papers on budgets: tune, fit, test along a curve.

use crate::arm::{Arm, text};
use crate::fits::{scored, seeded, strata};
use crate::problem::Problem;
use crate::protocol::{Protocol, TEST_SHARE};
use crate::results::Results;
use crate::run::{Context, Job, Measured};
use anyhow::Result;
use halfseen::Silent;
use halfseen::learner::{Assignments, Learner, with};
use halfseen::model::Fit;
use halfseen::prepare::{Missing, Options, Prepared};
use halfseen::sampling::{Purpose, Split, Stream, splits};
use halfseen::select::{Task, Tuning, tune_over};

/// A problem by its name, made when its turn comes.
pub(crate) type Load<'a> = Box<dyn Fn() -> Result<Problem> + 'a>;

/// Where on the way each arm is tested.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Points {
    /// After all examples.
    End,
    /// At so many points spread evenly over the logarithm of the examples, the last after all of
    /// them. An arm that sees everything is tested, besides, where it has read as much as one with
    /// this budget has at those points.
    Curve { points: usize, budget: usize },
}

impl Points {
    /// Numbers of examples, increasing.
    pub(crate) fn counts(self, examples: usize, columns: usize, sees_all: bool) -> Vec<usize> {
        let Points::Curve { points, budget } = self else { return vec![examples] };
        let first = (examples as f64 / 500.0).max(8.0).min(examples as f64);
        let ratio = examples as f64 / first;
        let last = points.saturating_sub(1).max(1) as f64;
        let even = (0..points).map(|i| (first * ratio.powf(i as f64 / last)).round() as usize);
        let mut counts: Vec<usize> = even.chain([examples]).collect();
        if sees_all {
            let equal: Vec<usize> = counts.iter().map(|count| count * budget / columns).collect();
            counts.extend(equal);
        }
        counts.retain(|&count| count > 0);
        counts.sort_unstable();
        counts.dedup();
        counts
    }
}

impl Context<'_> {
    /// Runs every arm on every split of every problem.
    pub(crate) fn run(
        &self,
        problems: &[Load<'_>],
        arms: &[Arm],
        points: &dyn Fn(&Arm) -> Points,
    ) -> Result<Results> {
        let all: Vec<(&Load<'_>, Vec<Arm>)> =
            problems.iter().map(|load| (load, arms.to_vec())).collect();
        self.run_each(&all, points)
    }

    /// The same where each problem has arms of its own.
    pub(crate) fn run_each(
        &self,
        problems: &[(&Load<'_>, Vec<Arm>)],
        points: &dyn Fn(&Arm) -> Points,
    ) -> Result<Results> {
        let mut run = self.open("")?;
        let Protocol { splits: count, seed, .. } = self.protocol;
        for (number, (load, arms)) in problems.iter().enumerate() {
            let problem = load()?;
            let classes = strata(&problem.target);
            let parts = splits(problem.table.rows(), classes, None, TEST_SHARE, count, seed)?;
            let trained = parts.first().map_or(0, |split| split.train.len());
            let mut jobs = Vec::new();
            for arm in arms {
                let counts = points(arm).counts(trained, problem.columns(), arm.sees_all());
                let key = self.protocol.key(&problem, arm, &counts);
                for (at, split) in parts.iter().enumerate() {
                    let counts = counts.clone();
                    let tuned = Tuned { problem: &problem, arm, number: at, split, counts };
                    jobs.push(Job {
                        key: key.clone(),
                        problem: &problem.name,
                        arm,
                        split: at,
                        measure: Box::new(move || tuned.measure(&self.protocol)),
                    });
                }
            }
            run.compute(jobs, (number, problems.len()))?;
        }
        run.finish()
    }
}

/// An arm on one split.
struct Tuned<'a> {
    problem: &'a Problem,
    arm: &'a Arm,
    number: usize,
    split: &'a Split,
    counts: Vec<usize>,
}

impl Tuned<'_> {
    fn measure(&self, protocol: &Protocol) -> Result<Vec<Measured>> {
        let Problem { table, target_name, target, .. } = self.problem;
        let options = Options {
            scale: Some(self.problem.scale),
            intercept: self.arm.intercept,
            missing: Missing::Mean,
            ..Options::default()
        };
        let learner = self.arm.learner(self.problem.columns())?;
        let seed = Stream::new(protocol.seed, Purpose::Learner, self.number as u64).word();
        let setting = self.choose(&*learner, &options, seed, protocol)?;
        let learner = seeded(&*with(learner, &setting)?, seed)?;
        let prepared = Prepared::new(table, (target_name, target), &self.split.train, &options)?;
        let fits = learner.fit_curve(&self.counts, &prepared.examples(), &Silent)?;
        fits.iter().map(|fit| self.tested(fit, &prepared, &setting)).collect()
    }

    /// The setting that cross-validation chooses, or the only one.
    fn choose(
        &self,
        learner: &dyn Learner,
        options: &Options,
        seed: u64,
        protocol: &Protocol,
    ) -> Result<Assignments> {
        let (mut search, mut settings) = self.arm.search(protocol.quick);
        if settings.len() <= 1 {
            return Ok(settings.into_iter().next().unwrap_or_default());
        }
        let Problem { table, target_name, target, .. } = self.problem;
        let task = Task { table, target_name, target, groups: None, options, test: None };
        let Protocol { folds, runs, by, clip, .. } = *protocol;
        let tuning = Tuning { runs, by, clip, ..Tuning::new(folds, seed) };
        let (mut chosen, mut least) = (Assignments::new(), f64::INFINITY);
        while !settings.is_empty() {
            let candidates = [(learner.clone_box(), settings)];
            let tuned =
                tune_over(&candidates, &task, &self.split.train, &tuning, &Silent, &|_| ())?
                    .remove(0);
            let error = tuned.errors.iter().map(|(_, error)| *error).fold(f64::INFINITY, f64::min);
            if chosen.is_empty() || error < least {
                (chosen, least) = (tuned.setting, error);
            }
            settings = search.beyond(&chosen);
        }
        Ok(chosen)
    }

    /// What a fit errs on the rows that test.
    fn tested(
        &self,
        fit: &Fit,
        prepared: &Prepared<'_>,
        setting: &Assignments,
    ) -> Result<Measured> {
        let scores =
            fit.predictor.clone().as_published().scores(&prepared.examples_of(&self.split.test))?;
        let score = scored(prepared, scores, &self.problem.target, &self.split.test);
        let squared = match &self.problem.truth {
            Some(truth) => {
                // In the target's own units.
                let undo = |score| prepared.prepare.target.undo(score);
                let linear = fit.linear()?;
                let (start, slope) = (undo(linear.intercept), undo(1.0) - undo(0.0));
                let weights: Vec<f64> = linear.weights.iter().map(|w| slope * w).collect();
                truth.excess(&weights, start)
            }
            // More than two classes, or margins, have none.
            None => score.mse.unwrap_or(f64::NAN),
        };
        Ok(Measured {
            examples: fit.report.examples,
            reads: fit.report.reads,
            squared,
            wrong: score.error,
            setting: text(setting),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_rise_to_all_examples_and_full_methods_are_tested_at_equal_reads() {
        let points = Points::Curve { points: 6, budget: 4 };
        let counts = points.counts(12_109, 784, false);
        assert_eq!((counts.len(), counts[0], counts[5]), (6, 24, 12_109));
        let both = points.counts(12_109, 784, true);
        assert!(both.contains(&61) && counts.iter().all(|count| both.contains(count)));
        assert!(both.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(Points::End.counts(50, 9, true), [50]);
        assert_eq!(points.counts(5, 9, false), [5]);
    }
}
