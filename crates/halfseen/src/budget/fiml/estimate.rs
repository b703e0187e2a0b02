//! Turns reads into weights: fits candidates on folds, compares them by held-out reads, and
//! averages.

use super::average::{self, Share, find, shares};
use super::candidates::{self, Candidate, Fitted, Menu, Origin};
use super::deviations::deviations;
use super::factor::Factor;
use super::folds::{FoldSubset, WeightedSubset, fold_of};
use super::link::Pair;
use super::own_test::{Given, OwnTest, Shown, given};
use super::reads::Reads;
use super::standard::{Rows, Standard};
use crate::error::{ErrorKind, Result};
use halfseen_solve::Monitor;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FitSettings {
    pub(crate) slots: usize,
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
            residual,
            degrees: (m - 1.0).max(1.0),
            risk: None,
            deviations: Vec::new(),
            held_out: Vec::new(),
            passes: 0,
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

/// Returns the bytes of a fit to this number of reads per example, of d attributes.
pub(crate) fn bytes(d: f64, reads: f64, folds: f64, rank: Option<u64>) -> f64 {
    let (ranks, largest) = candidates::ranks(d, rank);
    let (parts, threads) = (folds + 1.0, rayon::current_num_threads() as f64);
    // Models of all parts; the sums of those that are improved; candidates.
    let models = 2.0 * parts * ranks * d;
    let sums = threads * d * (0.7 * largest * largest + 6.0 * largest + 20.0);
    let candidates = parts * 100.0 * d;
    // Covariances refined in parallel, those kept, and how often pairs were read.
    // Beside them small matrices of four examples at a time.
    let dense = if d <= candidates::MANY as f64 {
        (7.0 * threads.min(parts) + 2.0 * parts + 2.0) * d * d + 20.0 * threads * reads * reads
    } else {
        0.0
    };
    8.0 * (models + sums + candidates + dense)
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
    let standard = Standard::of(reads, setting.slots);
    let mut rows = standard.rows(reads);
    let m = rows.known();
    if standard.len() == 0 || m < FEWEST.max(2 * setting.folds) {
        return Ok(Estimate::nothing(standard.means, standard.centre, standard.spread.powi(2), m));
    }
    let folds = setting.folds;
    rows.balance(folds);
    let rows = rows;
    let menu = Menu::of(&standard, &rows, setting.rank);
    let mut parts: Vec<WeightedSubset<'_>> =
        (0..folds).map(|fold| FoldSubset::Without { fold, of: folds }.into()).collect();
    parts.push(FoldSubset::All.into());
    let held = |p: usize| (p < folds).then_some(FoldSubset::Only { fold: p, of: folds });
    let jobs = parts.len() * (menu.ranks().len() + 1) + folds + setting.deviations;
    let jobs = Jobs { monitor, done: AtomicU64::new(0), total: jobs as u64 };
    let done = || jobs.done();
    let models = candidates::models(&rows, &standard, &menu, &parts, setting.seed, monitor, &done);
    interruptible(monitor)?;
    let models: Vec<(usize, Vec<Factor>)> = models.into_iter().enumerate().collect();
    let fit = |(p, models): (usize, Vec<Factor>)| {
        let fitted = candidates::fit(&rows, &menu, models, parts[p], held(p), monitor);
        jobs.done();
        fitted
    };
    let mut fitted: Vec<Fitted> = models.into_par_iter().map(fit).collect();
    interruptible(monitor)?;
    let all = fitted.pop().ok_or_else(|| failed("no part was fitted"))?;
    let mut chosen = shares(&fitted, &all, m);
    let filling = best_rank(&fitted, &menu);
    let units = Units { standard: &standard, slots: setting.slots };
    let second = |fold| {
        let found = second_look(
            &rows,
            &units,
            &menu,
            filling,
            FoldSubset::Only { fold, of: folds },
            setting.seed,
            monitor,
        );
        jobs.done();
        found
    };
    let held_out = (0..folds).into_par_iter().map(second).collect();
    let shown = Shown::of(&rows, standard.len(), monitor);
    interruptible(monitor)?;
    let judge = Judge {
        reads,
        rows: &rows,
        shown,
        units: &units,
        folds: &fitted,
        held_out,
        filling,
        monitor,
    };
    let no_number = || failed("a weight is no finite number");
    let mut tested = judge.test(&chosen);
    // Used only if its own test is better than that of zero weights.
    let nothing = judge.test(&average::none());
    interruptible(monitor)?;
    let better =
        |(test, _): &(OwnTest, _)| nothing.as_ref().is_none_or(|(none, _)| test.risk < none.risk);
    if !tested.as_ref().is_some_and(better) {
        (chosen, tested) = (average::none(), nothing);
    }
    let mut found = units.estimate(&all, &chosen, filling).ok_or_else(no_number)?;
    found.remarks.guarded = fitted.iter().chain([&all]).map(|f| f.guarded).sum();
    if let Some((OwnTest { risk, error }, held_out)) = tested {
        found.risk = Some((risk, error));
        // A difference below its standard error is chance.
        found.residual = risk.max(error).max(LEAST_RESIDUAL * standard.spread.powi(2));
        found.degrees = (2.0 * (risk / error).powi(2)).clamp(1.0, m as f64 - 1.0);
        found.held_out = held_out;
    }
    if setting.deviations > 0 {
        let seed = setting.seed;
        let again = |weights: &[f64]| {
            let found = refit(&rows, &units, &menu, &chosen, weights, seed, monitor);
            jobs.done();
            found
        };
        found.deviations = match deviations(setting.deviations, rows.len(), seed, again) {
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

fn failed(problem: &str) -> crate::Error {
    ErrorKind::Numerical { what: "the fit to the reads", problem: problem.to_owned() }.into()
}

fn interruptible(monitor: &dyn Monitor) -> Result<()> {
    if monitor.should_stop() {
        return Err(ErrorKind::Interrupted { during: "fitting to the reads" }.into());
    }
    Ok(())
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

/// Returns the place among the ranks of the imputation model: that of least held-out error.
fn best_rank(folds: &[Fitted], menu: &Menu) -> usize {
    let errors = |rank: usize| {
        folds
            .iter()
            .map(|f| {
                find(f, Origin::Factor(rank), menu.ridge()).map_or(f64::INFINITY, |c| c.errors)
            })
            .sum::<f64>()
    };
    let order =
        |a: &usize, b: &usize| errors(menu.ranks()[*a]).total_cmp(&errors(menu.ranks()[*b]));
    (0..menu.ranks().len()).min_by(order).unwrap_or(0)
}

/// Conversion from standard units.
struct Units<'a> {
    standard: &'a Standard,
    slots: usize,
}

impl Units<'_> {
    /// Returns the average of the candidates, (n_places), with its constant, in standard units.
    fn average(&self, fitted: &Fitted, chosen: &[Share]) -> (Vec<f64>, f64) {
        let (mut weights, mut constant, mut total) = (vec![0.0; self.standard.len()], 0.0, 0.0);
        for Share { origin, ridge, share } in chosen {
            // A refinement that stopped earlier here leaves its share to the others.
            let Some(Candidate { weights: found, constant: of, .. }) =
                find(fitted, *origin, *ridge)
            else {
                continue;
            };
            total += share;
            constant += share * of;
            weights.iter_mut().zip(found).for_each(|(sum, w)| *sum += share * w);
        }
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
        weights.iter_mut().for_each(|w| *w *= scale);
        (weights, scale * constant)
    }

    /// Returns the weights of the slots and the constant of an average; `None` if one is not
    /// finite.
    fn weights(&self, fitted: &Fitted, chosen: &[Share]) -> Option<(Vec<f64>, f64)> {
        let standard = self.standard;
        let (average, constant) = self.average(fitted, chosen);
        let mut weights = vec![0.0; self.slots];
        for (at, &slot) in standard.slots.iter().enumerate() {
            weights[slot as usize] = average[at] * standard.spread / standard.deviation[at];
        }
        let centre = standard.centre + standard.spread * constant;
        (centre.is_finite() && weights.iter().all(|w| w.is_finite())).then_some((weights, centre))
    }

    /// Returns an average with the factor model at a place among the ranks.
    fn estimate(&self, fitted: &Fitted, chosen: &[Share], filling: usize) -> Option<Estimate> {
        let (weights, centre) = self.weights(fitted, chosen)?;
        let (standard, slots) = (self.standard, self.slots);
        let model = &fitted.models[filling];
        let rank = model.rank;
        let (mut loadings, mut noise) = (vec![0.0; slots * rank], vec![1.0; slots]);
        for (at, &slot) in standard.slots.iter().enumerate() {
            let (slot, deviation) = (slot as usize, standard.deviation[at]);
            let row = model.row(at).iter().map(|w| w * deviation);
            loadings[slot * rank..(slot + 1) * rank]
                .iter_mut()
                .zip(row)
                .for_each(|(to, w)| *to = w);
            noise[slot] = model.noise[at] * deviation * deviation;
        }
        let residual = model.target_noise * standard.spread.powi(2);
        // The means replace unseen cells; the linear predictor is shifted accordingly.
        let (mut means, mut centre) = (standard.means.clone(), centre);
        for (at, &slot) in standard.slots.iter().enumerate() {
            let by = standard.deviation[at] * model.means[at];
            means[slot as usize] += by;
            centre += weights[slot as usize] * by;
        }
        let (passes, remarks) = (candidates::PASSES as u64, Remarks::default());
        Some(Estimate {
            weights,
            means,
            centre,
            rank,
            loadings,
            noise,
            residual,
            degrees: f64::INFINITY,
            risk: None,
            deviations: Vec::new(),
            held_out: Vec::new(),
            passes,
            remarks,
        })
    }
}

struct Judge<'a> {
    reads: &'a Reads,
    rows: &'a Rows,
    shown: Shown,
    units: &'a Units<'a>,
    /// Fits without each fold, and to it alone.
    folds: &'a [Fitted],
    held_out: Vec<Fitted>,
    /// Place among the ranks of the factor model for imputation.
    filling: usize,
    monitor: &'a dyn Monitor,
}

/// Fits one factor model and its refinement to a fold alone.
fn second_look(
    rows: &Rows,
    units: &Units<'_>,
    menu: &Menu,
    filling: usize,
    part: FoldSubset,
    seed: u64,
    monitor: &dyn Monitor,
) -> Fitted {
    let menu = menu.second_look(filling);
    let parts = [part.into()];
    let models = candidates::models(rows, units.standard, &menu, &parts, seed, monitor, &|| ());
    candidates::fit(
        rows,
        &menu,
        models.into_iter().next().unwrap_or_default(),
        part.into(),
        None,
        monitor,
    )
}

impl Judge<'_> {
    /// Tests an average on held-out examples; also returns each one's prediction from its reads.
    /// `None` if a block is not positive definite, or the monitor asked to stop.
    fn test(&self, chosen: &[Share]) -> Option<(OwnTest, Vec<Pair>)> {
        let (standard, rows) = (self.units.standard, self.rows);
        let of = self.folds.len();
        let by_fold = |(fold, fitted): (usize, &Fitted)| {
            let part = FoldSubset::Only { fold, of };
            let (weights, constant) = self.units.average(fitted, chosen);
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
            Some((look(fitted, self.filling)?, look(&self.held_out[fold], 0)?))
        };
        let by_fold = self.folds.par_iter().enumerate().map(by_fold).collect::<Option<Vec<_>>>()?;
        let mut next: Vec<_> = by_fold.into_iter().map(|(a, b)| a.into_iter().zip(b)).collect();
        let told = FoldSubset::All.with_target(rows);
        let (first, second): (Vec<Given>, Vec<Given>) =
            told.clone().filter_map(|i| next[fold_of(rows.number(i), of)].next()).unzip();
        let square = standard.spread.powi(2);
        let pair = |(given, i): (&Given, usize)| Pair {
            mean: standard.centre + standard.spread * given.mean,
            variance: square * given.variance,
            sign: if self.reads.target(i) > 0.0 { 1.0 } else { -1.0 },
        };
        let test = OwnTest::of(&first, &second);
        let test = OwnTest { risk: square * test.risk, error: square * test.error };
        let sound = test.risk.is_finite() && test.error.is_finite();
        sound.then(|| (test, first.iter().zip(told).map(pair).collect()))
    }
}

/// Returns the weights of the same average, refitted to weighted examples.
fn refit(
    rows: &Rows,
    units: &Units<'_>,
    menu: &Menu,
    chosen: &[Share],
    weights: &[f64],
    seed: u64,
    monitor: &dyn Monitor,
) -> Result<Vec<f64>> {
    let part = WeightedSubset { part: FoldSubset::All, weights: Some(weights) };
    interruptible(monitor)?;
    let models = candidates::models(rows, units.standard, menu, &[part], seed, monitor, &|| ());
    let models = models.into_iter().next().unwrap_or_default();
    let fitted = candidates::fit(rows, menu, models, part, None, monitor);
    interruptible(monitor)?;
    units
        .weights(&fitted, chosen)
        .map(|(weights, _)| weights)
        .ok_or_else(|| failed("a refit's weight is no finite number"))
}
