//! Turns what was read into weights: fits candidates on folds, judges them by what was held out, and averages.

use super::factor::Factor;
use super::parts::Part;
use super::reads::Reads;
use super::standard::Standard;
use crate::error::Result;
use crate::monitor::Monitor;

/// What a fit depends on besides the reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Setting {
    /// Number of slots.
    pub(crate) slots: usize,
    /// Number of folds.
    pub(crate) folds: usize,
    /// The rank r of the factor model; `None`: several, chosen among by what was held out.
    pub(crate) rank: Option<usize>,
    /// Seed of where factor models start.
    pub(crate) seed: u64,
}

/// What was found, in units of the values that were read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    /// Weight of each slot.
    pub(crate) weights: Vec<f64>,
    /// Mean of each slot.
    pub(crate) means: Vec<f64>,
    /// What is predicted where every attribute is at its mean.
    pub(crate) centre: f64,
    /// r of the factor model by which attributes that are not seen are filled in.
    pub(crate) rank: usize,
    /// Its loadings, (n_slots, r); 0 for slots that take no part.
    pub(crate) loadings: Vec<f64>,
    /// Its noise, (n_slots); 1 for slots that take no part.
    pub(crate) noise: Vec<f64>,
    /// The target's variance about the prediction where everything is seen, as the model has it.
    pub(crate) residual: f64,
    /// The mean squared error on new examples of which everything is seen, as held-out reads tell; with its standard error.
    pub(crate) risk: Option<(f64, f64)>,
    /// Deviations of the weights, (n_deviations, n_slots): the sum of their squares v v' is the weights' covariance. Empty where
    /// it was not asked for.
    pub(crate) deviations: Vec<f64>,
    /// Passes over the examples.
    pub(crate) passes: u64,
    /// What a user must know besides.
    pub(crate) remarks: Remarks,
}

/// What a user must know of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Remarks {
    /// Attributes that were never read.
    pub(crate) unread: usize,
    /// Attributes that showed one value only, or were read once.
    pub(crate) constant: usize,
    /// Whether the target was the same in all examples.
    pub(crate) constant_target: bool,
    /// Whether no two attributes were ever read of one example: covariances are then unknown.
    pub(crate) no_pairs: bool,
    /// Refinements that ended because the likelihood would have fallen, or definiteness been lost.
    pub(crate) guarded: usize,
    /// Whether the monitor asked to stop.
    pub(crate) interrupted: bool,
}

/// Fits.
///
/// # Errors
/// Numerical failure.
pub(crate) fn estimate(reads: &Reads, setting: &Setting, monitor: &dyn Monitor) -> Result<Estimate> {
    let _ = monitor;
    let standard = Standard::of(reads, setting.slots);
    let rows = standard.rows(reads);
    let rank = setting.rank.unwrap_or(10).min((standard.len() / 3).max(1));
    let examples = || Part::All.of(rows.len());
    let mut factor = Factor::start(&rows, &standard, examples(), rank, setting.seed);
    for _ in 0..20 {
        factor.improve(&rows, &standard, examples());
    }
    let solved = factor.solve(0.0, &factor.with_target()).unwrap_or_else(|| vec![0.0; standard.len()]);
    let slots = setting.slots;
    let (mut weights, mut loadings, mut noise) = (vec![0.0; slots], vec![0.0; slots * rank], vec![1.0; slots]);
    for (at, &slot) in standard.slots.iter().enumerate() {
        let (slot, deviation) = (slot as usize, standard.deviation[at]);
        weights[slot] = solved[at] * standard.spread / deviation;
        let row = factor.row(at).iter().map(|w| w * deviation);
        loadings[slot * rank..(slot + 1) * rank].iter_mut().zip(row).for_each(|(to, w)| *to = w);
        noise[slot] = factor.noise[at] * deviation * deviation;
    }
    Ok(Estimate {
        weights,
        centre: standard.centre,
        rank,
        loadings,
        noise,
        residual: factor.target_noise * standard.spread.powi(2),
        risk: None,
        deviations: Vec::new(),
        passes: 20,
        remarks: Remarks::default(),
        means: standard.means,
    })
}
