//! Runs arms on problems: tunes inside the training part, fits, tests along a curve, writes each
//! cell down.

use crate::arm::{Arm, text};
use crate::problem::{Problem, Sources};
use crate::protocol::{Protocol, TEST_SHARE};
use crate::results::{Cell, Ledger, Results, Row};
use anyhow::{Context as _, Result};
use halfseen::Silent;
use halfseen::data::Target;
use halfseen::learner::{Learner, with};
use halfseen::model::Predictor;
use halfseen::prepare::{Missing, Options, Prepared};
use halfseen::sampling::{Purpose, Split, Stream, splits};
use halfseen::select::{Score, Task, Tuning, tune_over};
use rayon::prelude::*;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What an experiment works with.
pub(crate) struct Context<'a> {
    pub(crate) name: &'static str,
    pub(crate) protocol: Protocol,
    pub(crate) sources: &'a Sources,
    /// Where results go.
    pub(crate) out: PathBuf,
    /// Whether finished cells are told on stderr.
    pub(crate) told: bool,
}

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
    /// A file of this experiment and protocol in the folder of results.
    pub(crate) fn file(&self, suffix: &str) -> String {
        format!("{}.{}{suffix}", self.name, self.protocol.name())
    }

    /// Runs every arm on every split of every problem, but for what is written down already.
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
        let ledger = Ledger::open(&self.out.join(self.file(".csv")))?;
        let mut all: Vec<Cell> = Vec::new();
        for (number, (load, arms)) in problems.iter().enumerate() {
            let problem = load()?;
            let (rows, columns) = (problem.table.rows(), problem.columns());
            let strata = match &problem.target {
                Target::Classes { codes, .. } => Some(&codes[..]),
                Target::Numbers(_) => None,
            };
            let Protocol { splits: count, seed, .. } = self.protocol;
            let parts = splits(rows, strata, None, TEST_SHARE, count, seed)?;
            let trained = parts.first().map_or(0, |split| split.train.len());
            let mut jobs = Vec::new();
            for arm in arms {
                let counts = points(arm).counts(trained, columns, arm.sees_all());
                let key = self.protocol.key(&problem, arm, &counts);
                for (s, split) in parts.iter().enumerate() {
                    all.push((key.clone(), s));
                    if !ledger.has(&(key.clone(), s)) {
                        jobs.push(Tuned {
                            problem: &problem,
                            arm,
                            key: key.clone(),
                            number: s,
                            split,
                            counts: counts.clone(),
                        });
                    }
                }
            }
            self.work(&ledger, &jobs, (number, problems.len()))?;
        }
        ledger.finish(&all)
    }

    /// Runs jobs side by side, those of one of so many problems; each is written down, and told,
    /// when it is done.
    pub(crate) fn work(
        &self,
        ledger: &Ledger,
        jobs: &[impl Job],
        (number, of): (usize, usize),
    ) -> Result<()> {
        let done = AtomicUsize::new(0);
        jobs.par_iter().try_for_each(|job| {
            let began = Instant::now();
            let rows = job.run(&self.protocol).with_context(|| job.place())?;
            ledger.append(&rows)?;
            let (done, jobs) = (done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
            let (place, outcome, seconds) =
                (job.place(), job.outcome(&rows), began.elapsed().as_secs_f64());
            let name = self.name;
            self.tell(&format!(
                "{name} {}/{of}, {done}/{jobs}: {place}: {outcome}, {seconds:.1} s",
                number + 1
            ));
            Ok(())
        })
    }

    /// Says a line on stderr, unless nothing is to be said.
    pub(crate) fn tell(&self, line: &str) {
        if self.told {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}

/// One cell to compute.
pub(crate) trait Job: Sync {
    /// Which one.
    fn place(&self) -> String;

    /// Its rows.
    fn run(&self, protocol: &Protocol) -> Result<Vec<Row>>;

    /// What they say, in a few words.
    fn outcome(&self, rows: &[Row]) -> String;
}

/// The error of the last row, with the setting chosen for it.
pub(crate) fn last(rows: &[Row], error: impl Fn(&Row) -> Option<f64>) -> String {
    let last = rows.last();
    format!(
        "error {:.4} ({})",
        last.and_then(error).unwrap_or(f64::NAN),
        last.map_or("", |row| &row.setting)
    )
}

/// A cell whose setting is tuned inside the training part.
struct Tuned<'a> {
    problem: &'a Problem,
    arm: &'a Arm,
    key: String,
    number: usize,
    split: &'a Split,
    counts: Vec<usize>,
}

impl Job for Tuned<'_> {
    fn place(&self) -> String {
        format!("{}, arm {}, split {}", self.problem.name, self.arm.id, self.number)
    }

    fn run(&self, protocol: &Protocol) -> Result<Vec<Row>> {
        let Problem { table, target_name, target, .. } = self.problem;
        let options = Options {
            scale: Some(self.problem.scale),
            intercept: self.arm.intercept,
            missing: Missing::Mean,
            ..Options::default()
        };
        let task = Task { table, target_name, target, groups: None, options: &options, test: None };
        let learner = self.arm.learner(self.problem.columns())?;
        let seed = Stream::new(protocol.seed, Purpose::Learner, self.number as u64).word();
        let settings = self.arm.settings(protocol.quick);
        let setting = if settings.len() > 1 {
            let tuning = Tuning {
                folds: protocol.folds,
                holdout: false,
                runs: protocol.runs,
                by: protocol.by,
                seed,
                attack: None,
            };
            let candidates = [(learner.clone(), settings)];
            tune_over(&candidates, &task, &self.split.train, &tuning, &Silent, &|_| ())?
                .remove(0)
                .setting
        } else {
            settings.into_iter().next().unwrap_or_default()
        };
        let mut learner: Box<dyn Learner> = with(learner, &setting)?;
        if learner.get("seed").is_some() {
            learner.set("seed", &(seed >> 1).to_string())?;
        }
        let prepared = Prepared::new(table, (target_name, target), &self.split.train, &options)?;
        let tests = prepared.examples_of(&self.split.test);
        let fits = learner.fit_curve(&self.counts, &prepared.examples(), &Silent)?;
        let row = |(point, fit): (usize, &halfseen::model::Fit)| -> Result<Row> {
            let undo = |score| prepared.prepare.target.undo(score);
            let scores = as_published(&fit.predictor).scores(&tests)?.map(undo);
            let score = Score::of(&scores, target, &self.split.test);
            let squared = match &self.problem.truth {
                Some(truth) => {
                    // In the target's own units.
                    let linear = fit.linear()?;
                    let (start, slope) = (undo(linear.intercept), undo(1.0) - undo(0.0));
                    truth.excess(
                        &linear.weights.iter().map(|w| slope * w).collect::<Vec<f64>>(),
                        start,
                    )
                }
                // More than two classes, or margins, have none.
                None => score.mse.unwrap_or(f64::NAN),
            };
            Ok(Row {
                key: self.key.clone(),
                problem: self.problem.name.clone(),
                arm: self.arm.id.clone(),
                split: self.number,
                point,
                points: fits.len(),
                examples: fit.report.examples,
                reads: fit.report.reads,
                squared,
                wrong: score.error,
                setting: text(&setting),
            })
        };
        fits.iter().enumerate().map(row).collect()
    }

    fn outcome(&self, rows: &[Row]) -> String {
        format!("squared {}", last(rows, |row| Some(row.squared)))
    }
}

/// A weighted sum as the papers test it: it predicts whatever it is, not only numbers within the
/// range of the targets.
pub(crate) fn as_published(predictor: &Predictor) -> Predictor {
    match predictor {
        Predictor::Conditional(_) => predictor.clone(),
        sum => sum.clone().without_clip(),
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
