//! Chooses what each row of a pilot counts in a fit, by the targets of held-out examples.
//!
//! A pilot is a table with more attributes in each row than the reads show, of the same population or
//! of another. One factor model is fitted with each of a few weights of its rows, without each fold
//! of the examples; rows of the pilot are never held out. The weight is the largest whose errors of
//! held-out targets are no larger than without the pilot, and within a standard error of the least: a
//! pilot that contradicts the examples makes them larger, but they hardly show what a good one tells
//! of the covariances, since an example shows few attributes at once. Rows that count in part are those
//! of a power prior (J. Ibrahim and M.-H. Chen, "Power prior distributions for regression models",
//! Statistical Science 2000).

use super::average::error_of_difference;
use super::candidates::{most_rank, strides};
use super::estimate::{Estimate, FitSettings, estimate, interruptible, suffice};
use super::factor::Factor;
use super::folds::{FoldSubset, WeightedSubset};
use super::judge::{Errors, squared_errors};
use super::reads::Reads;
use super::standard::{Rows, Standard};
use halfseen_core::error::Result;
use halfseen_solve::Monitor;
use rayon::prelude::*;

/// Weights that compete; the first leaves the pilot out.
const WEIGHTS: [f64; 4] = [0.0, 0.1, 0.3, 1.0];
/// Largest rank of the models, their passes, and the reads of each attribute that they are fitted
/// to.
const RANK: usize = 10;
const PASSES: usize = 30;
const ENOUGH: f64 = 1000.0;
/// Ridge of the predictions of held-out targets, in standard units.
const RIDGE: f64 = 0.03;

/// Fits to the reads, and to those of a pilot as far as held-out examples do not contradict it.
///
/// # Errors
/// As [`estimate`].
pub(crate) fn estimate_with(
    reads: &Reads,
    pilot: &Reads,
    setting: &FitSettings,
    monitor: &dyn Monitor,
) -> Result<Estimate> {
    if pilot.len() == 0 || !suffice(reads, setting) {
        return estimate(reads, setting, monitor);
    }
    let weight = pilot_weight(&reads.with_pilot(pilot, 1.0), setting, monitor);
    interruptible(monitor)?;
    if weight == 0.0 {
        return estimate(reads, setting, monitor);
    }
    estimate(&reads.with_pilot(pilot, weight), setting, monitor)
}

/// Returns the weight of the rows of the pilot, which stand behind the reads; 0 leaves them out. It
/// is useless once the monitor has asked to stop.
fn pilot_weight(reads: &Reads, setting: &FitSettings, monitor: &dyn Monitor) -> f64 {
    let standard = Standard::of(reads, setting.slots);
    let mut rows = standard.rows(reads);
    rows.balance(setting.folds);
    if standard.len() == 0 {
        return WEIGHTS[0];
    }
    rows.weigh_pilot(0.0);
    let rank = RANK.min(most_rank(&rows, standard.len()));
    let mut judge = |weight: f64| {
        rows.weigh_pilot(weight);
        errors(&rows, &standard, rank, setting, monitor)
    };
    let judged = WEIGHTS.map(&mut judge);
    let total = |of: &[Errors]| of.iter().map(Errors::total).sum::<f64>();
    let parts = |of: &[Errors]| of.iter().flat_map(|e| e.parts(1.0)).collect::<Vec<f64>>();
    let between = |a: &[Errors], b: &[Errors]| error_of_difference(&parts(a), &parts(b));
    let order = |a: &&Vec<Errors>, b: &&Vec<Errors>| total(a).total_cmp(&total(b));
    let (without, Some(least)) = (&judged[0], judged.iter().min_by(order)) else {
        return WEIGHTS[0];
    };
    let good =
        |of: &Vec<Errors>| total(of) <= total(without).min(total(least) + between(of, least));
    let last = judged.iter().rposition(good).unwrap_or(0);
    WEIGHTS[last]
}

/// Returns the errors of the targets of each fold by a fit without it.
fn errors(
    rows: &Rows,
    standard: &Standard,
    rank: usize,
    setting: &FitSettings,
    monitor: &dyn Monitor,
) -> Vec<Errors> {
    let of = setting.folds;
    let strides = strides(rows, standard.len(), ENOUGH);
    let by_fold = |fold: usize| {
        let part = WeightedSubset::from(FoldSubset::Without { fold, of }).every(strides);
        let examples = || part.of(rows);
        let mut model = Factor::start(rows, standard, examples(), rank, setting.seed);
        for _ in 0..PASSES {
            if monitor.should_stop() {
                break;
            }
            model.improve(rows, standard, examples());
        }
        let told = FoldSubset::Only { fold, of }.with_target(rows);
        squared_errors(&model, &[RIDGE], rows, told, monitor)
    };
    (0..of).into_par_iter().flat_map_iter(by_fold).collect()
}
