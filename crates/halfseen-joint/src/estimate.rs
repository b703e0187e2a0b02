//! Turns reads into weights: fits candidates on folds, compares them by held-out reads, and
//! averages.

use super::average::{self, FormFit, Share, shares};
use super::basis::SlotCurve;
use super::candidates::{self, Fitted};
use super::deviations::deviations;
use super::folds::{FoldSubset, fold_of};
use super::forms::{Form, average};
use super::link::Pair;
use super::own_test::{Given, OwnTest, Shown, gain_of_all, given};
use super::reads::Reads;
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::params::Shape;
use halfseen_solve::Monitor;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FitSettings {
    pub(crate) slots: usize,
    /// Functions of the attributes that are learned.
    pub(crate) shape: Shape,
    pub(crate) folds: usize,
    /// Rank r of the factor model; `None`: several, compared by held-out reads.
    pub(crate) rank: Option<usize>,
    /// Number of refits for deviations of the weights; 0: none.
    pub(crate) deviations: usize,
    /// Seed of the starts of factor models, and of refits.
    pub(crate) seed: u64,
}

/// Result of a fit, in units of the values read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) weights: Vec<f64>,
    pub(crate) means: Vec<f64>,
    /// Prediction if every attribute is at its mean.
    pub(crate) centre: f64,
    /// Rank r of the factor model that imputes unseen attributes.
    pub(crate) rank: usize,
    /// Its loadings, (n_slots, r); 0 for excluded slots.
    pub(crate) loadings: Vec<f64>,
    /// Its noise, (n_slots); 1 for excluded slots.
    pub(crate) noise: Vec<f64>,
    /// Least and largest value that counts, of each attribute's slot.
    pub(crate) bounds: Vec<[f64; 2]>,
    /// Curves, the last of the slots.
    pub(crate) curves: Vec<SlotCurve>,
    /// Mean squared error of the prediction if everything is seen, for intervals.
    pub(crate) residual: f64,
    /// Its degrees of freedom.
    pub(crate) degrees: f64,
    /// Held-out estimate of the mean squared error on fully seen examples, with its standard error.
    pub(crate) risk: Option<(f64, f64)>,
    /// Deviations of the weights, (n_deviations, n_slots): the sum of v v' is the weights'
    /// covariance. Empty if not requested.
    pub(crate) deviations: Vec<f64>,
    /// Predictions of held-out examples with a target from their reads, in the order of these.
    pub(crate) held_out: Vec<Pair>,
    pub(crate) passes: u64,
    /// Weight of each row of the pilot; 0 without one.
    pub(crate) pilot: f64,
    pub(crate) remarks: Remarks,
}

/// Facts of a fit that the user must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Remarks {
    /// Refinements whose first step would have lowered the likelihood or lost definiteness.
    pub(crate) guarded: usize,
    /// True if the monitor asked to stop.
    pub(crate) interrupted: bool,
}

impl Estimate {
    /// Returns the variance of a prediction from that of the weights, averaged over rows.
    fn uncertainty(&self) -> f64 {
        let row = |j: usize| &self.loadings[j * self.rank..(j + 1) * self.rank];
        let one = |v: &[f64]| {
            let mut of_factors = vec![0.0; self.rank];
            let mut own = 0.0;
            for (j, v) in v.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                of_factors.iter_mut().zip(row(j)).for_each(|(sum, w)| *sum += v * w);
                own += v * v * self.noise[j];
            }
            own + of_factors.iter().map(|u| u * u).sum::<f64>()
        };
        self.deviations.chunks_exact(self.weights.len().max(1)).map(one).sum()
    }

    /// Returns zero weights, for reads that teach nothing about the attributes. `variance` is the
    /// mean squared deviation of `examples` targets.
    pub(crate) fn nothing(
        means: Vec<f64>,
        centre: f64,
        variance: f64,
        examples: usize,
    ) -> Estimate {
        let m = examples as f64;
        // Of a new target about the mean of these.
        let residual = variance * (m + 1.0) / (m - 1.0).max(1.0);
        Estimate {
            weights: vec![0.0; means.len()],
            centre,
            rank: 0,
            loadings: Vec::new(),
            noise: vec![1.0; means.len()],
            bounds: Vec::new(),
            curves: Vec::new(),
            residual,
            degrees: (m - 1.0).max(1.0),
            risk: None,
            deviations: Vec::new(),
            held_out: Vec::new(),
            passes: 0,
            pilot: 0.0,
            remarks: Remarks::default(),
            means,
        }
    }
}

/// Least residual variance, in units of the target's variance: a smaller one is rounding.
const LEAST_RESIDUAL: f64 = 1e-12;
/// Least share of the held-out error that is the target's own, not the weights'.
const LEAST_REST: f64 = 0.1;
/// With fewer targets than this, or than two per fold, nothing is learned of the attributes.
const FEWEST: usize = 10;

/// Returns true if there are enough targets to hold some out.
pub(crate) fn suffice(reads: &Reads, setting: &FitSettings) -> bool {
    reads.told() >= FEWEST.max(2 * setting.folds)
}

/// Fits. If it is interrupted during the refits for deviations, these are left out.
///
/// # Errors
/// Numerical failure; [`ErrorKind::Interrupted`] before there are weights that were tested.
pub(crate) fn estimate(
    reads: &Reads,
    setting: &FitSettings,
    monitor: &dyn Monitor,
) -> Result<Estimate> {
    let folds = setting.folds;
    let mut forms = Form::all(reads, setting.slots, folds, setting.rank, setting.shape);
    let plain = &forms[0].standard;
    let m = reads.told();
    if plain.len() == 0 || !suffice(reads, setting) {
        let means = plain.means[..setting.slots].to_vec();
        return Ok(Estimate::nothing(means, plain.centre, plain.spread.powi(2), m));
    }
    let steps: usize = forms.iter().map(|form| form.steps(folds)).sum();
    let jobs = steps + folds + setting.deviations;
    let jobs = Jobs { monitor, done: AtomicU64::new(0), total: jobs as u64 };
    let done = || jobs.done();
    let mut fits: Vec<FormFit> = Vec::new();
    for form in &mut forms {
        fits.push(form.fit(folds, setting.seed, monitor, &done).ok_or_else(interrupted)?);
    }
    let no_number = || failed("a weight is not a finite number");
    let mut found = None;
    // Candidates of all forms, then of the plain one alone.
    for tried in (1..=fits.len()).rev() {
        let (at, fits) = (tried - 1, &fits[..tried]);
        let chosen = shares(fits);
        if at > 0 && chosen.iter().all(|share| share.form < at) {
            continue;
        }
        let (form, fit) = (&forms[at], &fits[at]);
        let second = |fold| form.second_look(fit.filling, fold, folds, setting.seed, monitor);
        let held_out = (0..folds).into_par_iter().map(second).collect();
        let shown = Shown::of(form.rows(folds), form.standard.len(), monitor);
        interruptible(monitor)?;
        let judge = Judge { reads, form, fit, fits, shown, held_out, monitor };
        let tested = judge.test(&chosen);
        // Used only if its own test is better than that of zero weights.
        let nothing = judge.test(&average::none());
        interruptible(monitor)?;
        let better = |(test, _): &(OwnTest, _)| {
            nothing.as_ref().is_none_or(|(none, _)| test.risk < none.risk)
        };
        if tested.as_ref().is_some_and(better) {
            found = Some((at, chosen, tested));
            break;
        }
        found = Some((0, average::none(), nothing));
    }
    (0..folds).for_each(|_| done());
    let (at, chosen, tested) = found.ok_or_else(|| failed("there is no form"))?;
    let form = &forms[at];
    let spread = form.standard.spread;
    let mut found = estimate_of(form, &fits[..=at], &chosen).ok_or_else(no_number)?;
    found.remarks.guarded =
        fits.iter().flat_map(|fit| fit.folds.iter().chain([&fit.all])).map(|f| f.guarded).sum();
    if let Some((OwnTest { risk, error }, held_out)) = tested {
        found.risk = Some((risk, error));
        // A difference below its standard error is chance.
        found.residual = risk.max(error).max(LEAST_RESIDUAL * spread.powi(2));
        found.degrees = (2.0 * (risk / error).powi(2)).clamp(1.0, m as f64 - 1.0);
        found.held_out = held_out;
    }
    if setting.deviations > 0 {
        let seed = setting.seed;
        let again = |weights: &[f64]| {
            let found = refit(&forms[..=at], &chosen, weights, seed, monitor);
            jobs.done();
            found
        };
        let examples = form.rows(folds).len();
        found.deviations = match deviations(setting.deviations, examples, seed, again) {
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted { .. }) => {
                found.remarks.interrupted = true;
                return Ok(found);
            }
            found => found?,
        };
        // Held-out errors include, on average, the weights' uncertainty; the rest is the target's
        // own.
        found.residual = (found.residual - found.uncertainty()).max(LEAST_REST * found.residual);
    }
    Ok(found)
}

fn failed(problem: &str) -> halfseen_core::error::Error {
    ErrorKind::Numerical { what: "the fit to the reads", problem: problem.to_owned() }.into()
}

fn interrupted() -> halfseen_core::error::Error {
    ErrorKind::Interrupted { during: "fitting to the reads" }.into()
}

/// Fails if the monitor asked to stop.
///
/// # Errors
/// [`ErrorKind::Interrupted`].
pub(crate) fn interruptible(monitor: &dyn Monitor) -> Result<()> {
    if monitor.should_stop() { Err(interrupted()) } else { Ok(()) }
}

/// Progress of a fit by the number of its parts.
struct Jobs<'a> {
    monitor: &'a dyn Monitor,
    done: AtomicU64,
    total: u64,
}

impl Jobs<'_> {
    fn done(&self) {
        self.monitor.progress(self.done.fetch_add(1, Ordering::Relaxed) + 1, self.total);
    }
}

/// Returns the weights of the slots of a form, and the constant, of an average of candidates; `None`
/// if one is not finite.
fn weights(form: &Form, fitted: &[&Fitted], chosen: &[Share]) -> Option<(Vec<f64>, f64)> {
    let standard = &form.standard;
    let (average, constant) = average(fitted, chosen, standard.len());
    let mut weights = vec![0.0; standard.means.len()];
    for (at, &slot) in standard.slots.iter().enumerate() {
        weights[slot as usize] = average[at] * standard.spread / standard.deviation[at];
    }
    let centre = standard.centre + standard.spread * constant;
    (centre.is_finite() && weights.iter().all(|w| w.is_finite())).then_some((weights, centre))
}

/// Returns an average of the candidates fitted to all examples, with the imputation model.
fn estimate_of(form: &Form, fits: &[FormFit], chosen: &[Share]) -> Option<Estimate> {
    let all: Vec<&Fitted> = fits.iter().map(|fit| &fit.all).collect();
    let (weights, centre) = weights(form, &all, chosen)?;
    let fit = fits.last()?;
    let standard = &form.standard;
    let slots = standard.means.len();
    let model = &fit.all.models[fit.filling];
    let rank = model.rank;
    let (mut loadings, mut noise) = (vec![0.0; slots * rank], vec![1.0; slots]);
    for (at, &slot) in standard.slots.iter().enumerate() {
        let (slot, deviation) = (slot as usize, standard.deviation[at]);
        let row = model.row(at).iter().map(|w| w * deviation);
        loadings[slot * rank..(slot + 1) * rank].iter_mut().zip(row).for_each(|(to, w)| *to = w);
        noise[slot] = model.noise[at] * deviation * deviation;
    }
    // The means replace unseen cells; the linear predictor is shifted accordingly.
    let (mut means, mut centre) = (standard.means.clone(), centre);
    for (at, &slot) in standard.slots.iter().enumerate() {
        let by = standard.deviation[at] * model.means[at];
        means[slot as usize] += by;
        centre += weights[slot as usize] * by;
    }
    Some(Estimate {
        weights,
        means,
        centre,
        rank,
        loadings,
        noise,
        bounds: standard.bounds.clone(),
        curves: form.curves.clone(),
        residual: model.target_noise * standard.spread.powi(2),
        degrees: f64::INFINITY,
        risk: None,
        deviations: Vec::new(),
        held_out: Vec::new(),
        passes: candidates::PASSES as u64,
        pilot: form.rows(usize::MAX).pilot_weight(),
        remarks: Remarks::default(),
    })
}

struct Judge<'a> {
    reads: &'a Reads,
    form: &'a Form,
    fit: &'a FormFit,
    /// Fits in this form and those before it.
    fits: &'a [FormFit],
    shown: Shown,
    /// Fits to each fold alone.
    held_out: Vec<Fitted>,
    monitor: &'a dyn Monitor,
}

impl Judge<'_> {
    /// Tests an average on held-out examples; also returns each one's prediction from its reads.
    /// `None` if a block is not positive definite, or the monitor asked to stop.
    fn test(&self, chosen: &[Share]) -> Option<(OwnTest, Vec<Pair>)> {
        let (form, fit) = (self.form, self.fit);
        let standard = &form.standard;
        let of = fit.folds.len();
        let by_fold = |fold: usize| {
            let (rows, part) = (form.rows(fold), FoldSubset::Only { fold, of });
            let of_fold: Vec<&Fitted> = self.fits.iter().map(|fit| &fit.folds[fold]).collect();
            let (weights, constant) = average(&of_fold, chosen, standard.len());
            let look = |by: &Fitted, filling: usize| {
                let (sum, examples) = ((&*weights, constant), part.with_target(rows));
                match &by.refined {
                    Some(refined) => given(refined, sum, rows, &self.shown, examples, self.monitor),
                    None => {
                        let model = &by.models[filling];
                        given(model, sum, rows, &self.shown, examples, self.monitor)
                    }
                }
            };
            let (first, second) =
                (look(&fit.folds[fold], fit.filling)?, look(&self.held_out[fold], 0)?);
            Some((first.into_iter().zip(second), (weights, constant)))
        };
        let by_fold = (0..of).into_par_iter().map(by_fold).collect::<Option<Vec<_>>>()?;
        let (mut next, predictors): (Vec<_>, Vec<_>) = by_fold.into_iter().unzip();
        let rows = form.rows(of);
        let told = rows.told();
        let (first, second): (Vec<Given>, Vec<Given>) =
            told.clone().filter_map(|i| next[fold_of(rows.number(i), of)].next()).unzip();
        let square = standard.spread.powi(2);
        let pair = |(given, i): (&Given, usize)| Pair {
            mean: standard.centre + standard.spread * given.mean,
            variance: square * given.variance,
            sign: if self.reads.target(i) > 0.0 { 1.0 } else { -1.0 },
        };
        let gain = match &fit.all.refined {
            Some(refined) => gain_of_all(refined, &predictors),
            None => gain_of_all(&fit.all.models[fit.filling], &predictors),
        };
        let test = OwnTest::of(&first, &second).of_all(gain);
        let test = OwnTest { risk: square * test.risk, error: square * test.error };
        let sound = test.risk.is_finite() && test.error.is_finite();
        sound.then(|| (test, first.iter().zip(told).map(pair).collect()))
    }
}

/// Returns the weights of the same average, refitted to weighted examples.
fn refit(
    forms: &[Form],
    chosen: &[Share],
    examples: &[f64],
    seed: u64,
    monitor: &dyn Monitor,
) -> Result<Vec<f64>> {
    interruptible(monitor)?;
    let fitted: Vec<Fitted> =
        forms.iter().map(|form| form.refit(examples, seed, monitor)).collect();
    interruptible(monitor)?;
    let form = forms.last().ok_or_else(|| failed("there is no form"))?;
    weights(form, &fitted.iter().collect::<Vec<_>>(), chosen)
        .map(|(weights, _)| weights)
        .ok_or_else(|| failed("a refit's weight is not a finite number"))
}
