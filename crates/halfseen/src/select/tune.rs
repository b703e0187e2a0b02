//! Chooses a learner's parameters by cross-validation over its grid, inside the training rows.

use super::{Part, Task, folds};
use crate::error::{ErrorKind, Result};
use crate::learner::{Family, Learner, Setting, with};
use crate::model::Linear;
use crate::monitor::Monitor;
use crate::prepare::Prepared;
use crate::sampling::{Purpose, Stream};
use rayon::prelude::*;

/// Runs of a sampled learner per setting and fold, each with a seed of its own: one run's error is
/// noisy, and the least of many noisy errors picks luck.
const RUNS: u64 = 2;

/// What cross-validation chose.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// The setting with the least mean validation error.
    pub setting: Setting,
    /// Every setting with its mean squared validation error.
    pub errors: Vec<(Setting, f64)>,
    /// Reads that the tuning made, beyond any budget of the final fit.
    pub reads: u64,
}

/// Tunes each learner over its grid, in parallel over folds and learners.
///
/// # Errors
/// What fits return; [`ErrorKind::Interrupted`] if the monitor stops it.
pub fn tune(
    learners: &[Box<dyn Learner>],
    task: &Task<'_>,
    rows: &[u32],
    count: usize,
    seed: u64,
    monitor: &dyn Monitor,
    settled: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Tuned>> {
    let grids: Vec<Vec<Setting>> = learners.iter().map(|l| l.grid().settings()).collect();
    let folds = folds(rows, task.strata(), task.groups, count, seed)?;
    let per_fold = folds.par_iter().enumerate().map(|(f, fold)| {
        let prepared = Prepared::new(task.table, (task.target_name, task.target), &fold.train, task.options)?;
        let validate = |(learner, grid): (&dyn Learner, &Vec<Setting>)| {
            let runs = if learner.family() == Family::Budget { RUNS } else { 1 };
            let (mut errors, mut reads) = (vec![0.0; grid.len()], 0);
            for run in 0..runs {
                let number = f as u64 * RUNS + run;
                let seeded = reseed(learner, Stream::new(seed, Purpose::Learner, number).word())?;
                let fits = seeded.fit_grid(grid, &prepared.examples(), &Part(monitor))?;
                if monitor.should_stop() {
                    return Err(ErrorKind::Interrupted { during: "tuning" }.into());
                }
                let held_out = prepared.examples_of(&fold.test);
                let predictors: Vec<&Linear> = fits.iter().map(|fit| &fit.predictor).collect();
                for (error, scores) in errors.iter_mut().zip(Linear::scores_of(&predictors, &held_out)) {
                    *error += mean_square(&scores, &held_out) / runs as f64;
                }
                reads += fits.iter().map(|fit| fit.report.reads).sum::<u64>();
            }
            settled(grid.len() as u64);
            Ok((errors, reads))
        };
        learners.par_iter().zip(&grids).map(|(learner, grid)| validate((&**learner, grid))).collect::<Result<Vec<_>>>()
    });
    let per_fold = per_fold.collect::<Result<Vec<_>>>()?;
    let tuned = grids.into_iter().enumerate().map(|(l, grid)| {
        let mean = |s: usize| per_fold.iter().map(|fold| fold[l].0[s]).sum::<f64>() / count as f64;
        let errors: Vec<(Setting, f64)> = grid.into_iter().enumerate().map(|(s, setting)| (setting, mean(s))).collect();
        let least = errors.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let setting = least.map_or_else(Vec::new, |(setting, _)| setting.clone());
        Tuned { setting, errors, reads: per_fold.iter().map(|fold| fold[l].1).sum() }
    });
    Ok(tuned.collect())
}

/// A copy with another seed, where the learner has one.
pub(super) fn reseed(learner: &dyn Learner, seed: u64) -> Result<Box<dyn Learner>> {
    if learner.get("seed").is_none() {
        return Ok(learner.clone_box());
    }
    // Seeds are shown and stored as signed 64-bit numbers in some languages.
    with(learner.clone_box(), &vec![("seed", (seed >> 1).to_string())])
}

fn mean_square(scores: &[f64], examples: &crate::data::Examples<'_>) -> f64 {
    let squares = scores.iter().enumerate().map(|(i, s)| (s - examples.target(i)).powi(2));
    let mean = squares.sum::<f64>() / scores.len().max(1) as f64;
    if mean.is_nan() { f64::INFINITY } else { mean }
}
