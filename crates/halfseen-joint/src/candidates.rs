//! Fits the candidates that held-out reads compare: factor models of several ranks, refinements of
//! them, ridges.
//!
//! If pairs of attributes were often read together, refinements and ridges are worth trying. If
//! not, they fit noise, which held-out reads cannot detect: then refinements are cut short, and
//! only a small ridge is added. The bounds were chosen on data other than those reported.

use super::column::ColumnRefinement;
use super::covariance::Covariance;
use super::dense::{Dense, Refinement};
use super::factor::Factor;
use super::folds::{FoldSubset, Part, WeightedIndex};
use super::judge::{Errors, squared_errors};
use super::standard::{Rows, Standard};
use super::watch::Watched;
use halfseen_solve::Monitor;
use rayon::prelude::*;

/// Ranks of the factor models.
const RANKS: [usize; 6] = [1, 3, 6, 10, 20, 40];
/// Reads of each attribute for each factor: fewer fit it exactly, which held-out reads of few
/// attributes at once do not punish.
const READS_PER_FACTOR: f64 = 2.0;
/// The rank that is refined without restriction, or the largest below it.
const REFINED: usize = 10;
/// Ranks whose covariances with the target are refined.
const COLUMN_RANKS: [usize; 3] = [3, 10, 20];
/// Passes of a factor model.
pub(crate) const PASSES: usize = 40;
/// Ridges, in standard units, if pairs were read often, and if too seldom to select one.
const RIDGES: [f64; 7] = [0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0];
const STEADY: [f64; 2] = [0.03, 0.1];
/// Steps at which a refinement is a candidate.
const COLUMN_STEPS: [usize; 4] = [2, 4, 7, 12];
const STEPS: [usize; 12] = [0, 2, 4, 6, 8, 10, 13, 17, 22, 30, 40, 60];
/// Steps in a row that gain next to nothing, after which a refinement has converged.
const IDLE: u32 = 2;
/// Joint reads of a pair from which ridges are tried, and refinements take more than two steps.
const OFTEN: f64 = 5.0;
const SELDOM: f64 = 0.5;
/// Joint reads of a pair from which the target's covariances are not refined alone.
const PLENTY: f64 = 100.0;
/// Most attributes for an unrestricted refinement: d^2 numbers, d^3 operations.
pub(crate) const MANY: usize = 1500;
/// Reads of each attribute that suffice for a factor model: it is fitted to no more.
const ENOUGH: f64 = 1000.0;
/// Joint reads of a pair, and reads of each attribute, of which one suffices for many steps where a
/// step is slow: where each example shows few attributes the first are rarer, else the second.
const ENOUGH_PAIRS: f64 = 1000.0;
const ENOUGH_REFINED: f64 = 10_000.0;
/// Held-out examples of a fold, and multiplications for one covariance and ridge, that suffice, if
/// these leave enough examples: up to twice as many judge.
const JUDGES: f64 = 100_000.0;
const JUDGING: f64 = 3e7;
const ENOUGH_JUDGES: f64 = 3000.0;

/// Source of a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Origin {
    /// Zero weights.
    Null,
    /// A factor model of this rank.
    Factor(usize),
    /// The model of a rank with its covariances with the target refined by a number of steps.
    Column(usize, usize),
    /// The same with all covariances refined.
    Dense(usize, usize),
}

/// Candidate weights, in standard units.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) origin: Origin,
    pub(crate) ridge: f64,
    /// Weights, (n_places).
    pub(crate) weights: Vec<f64>,
    /// Prediction if every attribute is at the mean of its reads.
    pub(crate) constant: f64,
    /// Squared errors of the held-out examples.
    pub(crate) errors: Errors,
}

/// Fits to one part of the examples.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    /// Candidates in a fixed order; not every refinement gets as far in every part.
    pub(crate) candidates: Vec<Candidate>,
    /// Factor models by increasing rank.
    pub(crate) models: Vec<Factor>,
    /// The covariance that was refined furthest, if pairs were read often enough to trust it.
    pub(crate) refined: Option<Dense>,
    /// Refinements whose first step would have lowered the likelihood or lost definiteness.
    pub(crate) guarded: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Menu {
    ranks: Vec<usize>,
    ridges: &'static [f64],
    /// Steps of refinements.
    most: usize,
    /// Strides through the examples that factor models are fitted to, with a target and without.
    strides: [usize; 2],
    /// Strides through those that all covariances are refined by.
    refining: [usize; 2],
    dense: bool,
    /// True if the target's covariances are also refined alone.
    columns: bool,
    /// True if pairs were read often.
    often: bool,
    /// Mean number of joint reads per pair.
    together: f64,
    /// Stride through the held-out examples.
    judging: usize,
}

impl Menu {
    /// Returns the candidates for these reads; `rank` alone, if given.
    pub(crate) fn of(standard: &Standard, rows: &Rows, folds: usize, rank: Option<usize>) -> Menu {
        let d = standard.len();
        let [of_main, together] = together(standard, rows);
        let most_rank = most_rank(rows, d);
        let mut ranks: Vec<usize> = match rank {
            Some(rank) => vec![rank.min(d)],
            None => RANKS
                .into_iter()
                .filter(|&r| r <= most_rank && (d <= MANY || r <= REFINED))
                .collect(),
        };
        ranks.dedup();
        let (far, refining) = match d {
            0..=150 => (40, [1; 2]),
            151..=300 if together >= PLENTY => {
                let by_pairs = (together / ENOUGH_PAIRS).max(1.0) as usize;
                (60, strides(rows, d, ENOUGH_REFINED).map(|stride| stride.min(by_pairs)))
            }
            151..=300 => (22, [1; 2]),
            _ => (10, [1; 2]),
        };
        // Without pairs only each attribute's own covariance with the target is known, and factors
        // would invent the rest.
        let most = if together == 0.0 {
            0
        } else if together < SELDOM {
            2
        } else {
            far
        };
        Menu {
            ranks,
            // Chosen by held-out reads, which a pilot does not make more.
            ridges: if of_main < OFTEN { &STEADY } else { &RIDGES },
            most,
            strides: strides(rows, d, ENOUGH),
            refining,
            dense: d <= MANY,
            columns: d > MANY || of_main < PLENTY,
            often: together >= OFTEN,
            together,
            judging: judging_stride(rows, folds),
        }
    }

    /// Lets the same examples judge this menu and another, so that they can be compared.
    pub(crate) fn judge_alike(&mut self, other: &mut Menu) {
        let judging = self.judging.max(other.judging);
        (self.judging, other.judging) = (judging, judging);
    }

    /// Returns the menu for held-out examples alone: one factor model, refined as far as others.
    pub(crate) fn second_look(&self, filling: usize) -> Menu {
        Menu {
            ranks: vec![self.ranks[filling]],
            ridges: &[],
            columns: false,
            often: true,
            ..self.clone()
        }
    }

    /// Returns the mean number of joint reads per pair of attributes that are not always read.
    pub(crate) fn together(&self) -> f64 {
        self.together
    }

    pub(crate) fn ranks(&self) -> &[usize] {
        &self.ranks
    }

    /// Leaves out all but the first ranks.
    pub(crate) fn keep_ranks(&mut self, first: usize) {
        self.ranks.truncate(first);
    }

    /// Returns the stride through the held-out examples that judge.
    pub(crate) fn judging(&self) -> usize {
        self.judging
    }

    pub(crate) fn ridge(&self) -> f64 {
        self.ridges.first().copied().unwrap_or(0.0)
    }
}

/// Returns the largest rank of a factor model of d attributes by these reads, those of a pilot as far
/// as they count.
pub(crate) fn most_rank(rows: &Rows, d: usize) -> usize {
    let reads = (0..rows.len()).map(|i| rows.weight(i) * rows.example(i).0.len() as f64);
    let by_reads = reads.sum::<f64>() / (READS_PER_FACTOR * d.max(1) as f64);
    (d / 3).min(by_reads as usize).max(1)
}

/// Returns the strides through examples with a target and without at which each leave this number
/// of reads of each of d attributes, or all reads.
pub(crate) fn strides(rows: &Rows, d: usize, enough: f64) -> [usize; 2] {
    let mut reads = [0.0_f64; 2];
    for i in 0..rows.len() {
        reads[usize::from(!rows.has_target(i))] += rows.weight(i) * rows.example(i).0.len() as f64;
    }
    reads.map(|reads| (reads / d.max(1) as f64 / enough).floor().max(1.0) as usize)
}

/// Returns the mean number of joint reads per pair of attributes that are not always read, without a
/// pilot and with what it counts; infinite if there are none, as all covariances are then known.
fn together(standard: &Standard, rows: &Rows) -> [f64; 2] {
    let mut reads = vec![0_usize; standard.len()];
    (0..rows.main()).flat_map(|i| rows.example(i).0).for_each(|&place| reads[place as usize] += 1);
    let always = |place: u32| reads[place as usize] == rows.main();
    let sampled = (0..standard.len() as u32).filter(|&place| !always(place)).count() as f64;
    let pairs = |i: usize| {
        let shown = rows.example(i).0.iter().filter(|&&place| !always(place)).count() as f64;
        rows.weight(i) * shown * (shown - 1.0).max(0.0)
    };
    [rows.main(), rows.len()].map(|examples| match sampled {
        0.0 => f64::INFINITY,
        // Each of its reads was joint with all others.
        1.0 => examples as f64,
        _ => (0..examples).map(pairs).sum::<f64>() / (sampled * (sampled - 1.0)),
    })
}

/// Fits factor models to each of the parts: of all ranks up to the one that is refined, and of each
/// further one as long as held-out examples of the folds, the first of the parts, like the last rank
/// better than the one before. They are useless once the monitor has asked to stop.
pub(crate) fn rising_models(
    standard: &Standard,
    menu: &Menu,
    parts: &[Part<'_>],
    seed: u64,
    monitor: &dyn Monitor,
    done: &(dyn Fn() + Sync),
) -> Vec<Vec<Factor>> {
    let of = parts.len() - 1;
    let error_of = |fold: usize, model: &Factor| {
        let rows = parts[fold].rows;
        let held = FoldSubset::Only { fold, of }.with_target(rows).step_by(menu.judging);
        squared_errors(model, &[menu.ridge()], rows, held, monitor)[0].total()
    };
    let error = |found: &[Vec<Factor>], rank: usize| {
        (0..of).into_par_iter().map(|fold| error_of(fold, &found[fold][rank])).sum::<f64>()
    };
    let small = menu.ranks.iter().filter(|rank| **rank <= REFINED).count().max(1);
    let mut found = models(standard, menu, &menu.ranks[..small], parts, seed, monitor, done);
    let mut before = None;
    for at in small..menu.ranks.len() {
        let before_last = before.or_else(|| Some(error(&found, at.checked_sub(2)?)));
        let last = error(&found, at - 1);
        if monitor.should_stop() || before_last.is_some_and(|before| last >= before) {
            (at..menu.ranks.len()).flat_map(|_| parts).for_each(|_| done());
            break;
        }
        before = Some(last);
        let next = models(standard, menu, &menu.ranks[at..=at], parts, seed, monitor, done);
        found.iter_mut().zip(next).for_each(|(models, next)| models.extend(next));
    }
    found
}

/// Fits factor models of some ranks to each of the parts, side by side; `done` is called after each.
/// They are useless once the monitor has asked to stop.
pub(crate) fn models(
    standard: &Standard,
    menu: &Menu,
    ranks: &[usize],
    parts: &[Part<'_>],
    seed: u64,
    monitor: &dyn Monitor,
    done: &(dyn Fn() + Sync),
) -> Vec<Vec<Factor>> {
    let jobs: Vec<(usize, usize)> =
        (0..parts.len()).flat_map(|p| ranks.iter().rev().map(move |&rank| (p, rank))).collect();
    let fit = |&(part, rank): &(usize, usize)| {
        let Part { rows, subset } = parts[part];
        // A stride counts within a fold's examples, which have a stride of their own.
        let cost = |counted: &WeightedIndex| {
            (rows.example(counted.example).0.len() + 1) * (rank + 4) * (rank + 4)
        };
        let examples = || Watched::new(subset.every(menu.strides).of(rows), cost, monitor);
        let mut model = Factor::start(rows, standard, examples(), rank, seed);
        for _ in 0..PASSES {
            if monitor.should_stop() {
                break;
            }
            model.improve(rows, standard, examples());
        }
        done();
        model
    };
    let mut found = jobs.par_iter().map(fit).collect::<Vec<_>>().into_iter();
    let by_part = |_: &Part<'_>| {
        let mut models: Vec<Factor> = found.by_ref().take(ranks.len()).collect();
        models.reverse();
        models
    };
    parts.iter().map(by_part).collect()
}

/// Fits all candidates to some examples, from their factor models, and tests them on others. They
/// are useless once the monitor has asked to stop.
pub(crate) fn fit(
    menu: &Menu,
    models: Vec<Factor>,
    Part { rows, subset: fitted }: Part<'_>,
    held: Option<FoldSubset>,
    monitor: &dyn Monitor,
) -> Fitted {
    let held: Vec<usize> = held.map_or_else(Vec::new, |part| part.with_target(rows).collect());
    let trial = Trial { ridges: menu.ridges, rows, held: &held, stride: menu.judging(), monitor };
    let d = models.first().map_or(0, |model| model.noise.len());
    let mut nothing = Errors::default();
    for (at, i) in trial.judges().enumerate() {
        let target = rows.example(i).2;
        nothing.add(at, target, target);
    }
    let null = Candidate {
        origin: Origin::Null,
        ridge: 0.0,
        weights: vec![0.0; d],
        constant: 0.0,
        errors: nothing,
    };
    let mut found =
        Fitted { candidates: vec![null], models: Vec::new(), refined: None, guarded: 0 };
    for model in &models {
        let with_target = model.with_target();
        let solve = |ridge| model.solve(ridge, &with_target);
        found.add(Origin::Factor(model.rank), &trial, model, solve);
    }
    let refined = models.iter().rposition(|model| model.rank <= REFINED).unwrap_or(0);
    for (at, model) in models.iter().enumerate() {
        if !menu.columns || menu.most == 0 || !(COLUMN_RANKS.contains(&model.rank) || at == refined)
        {
            continue;
        }
        if let Some(mut refinement) = ColumnRefinement::start(rows, fitted, model, monitor) {
            for step in 1..=menu.most.min(COLUMN_STEPS[3]) {
                if monitor.should_stop() || !refinement.step() {
                    break;
                }
                if COLUMN_STEPS.contains(&step) {
                    let solve = |ridge| model.solve(ridge, &refinement.now.with_target);
                    found.add(Origin::Column(model.rank, step), &trial, &refinement.now, solve);
                }
            }
        }
    }
    let wanted = models.get(refined).filter(|_| menu.dense && menu.most > 0);
    if let Some((model, mut refinement)) = wanted
        .and_then(|m| Some((m, Refinement::start(rows, fitted.every(menu.refining), m, monitor)?)))
    {
        // Where the covariance that has converged is a candidate, its later steps are the same.
        let mut last = None;
        for step in 0..=menu.most {
            let converged = refinement.idle >= IDLE;
            if step > 0 && !converged && (monitor.should_stop() || !refinement.step()) {
                found.guarded += usize::from(step == 1 && !monitor.should_stop());
                break;
            }
            let origin = Origin::Dense(model.rank, step);
            match last {
                _ if !STEPS.contains(&step) => {}
                Some(last) if converged => found.repeat(last, origin),
                _ => {
                    let solve = |ridge| refinement.now.solve(ridge, refinement.now.with_target());
                    found.add(origin, &trial, &refinement.now, solve);
                    last = (refinement.idle >= IDLE).then_some(origin);
                }
            }
        }
        found.refined = menu.often.then_some(refinement.now);
    }
    found.models = models;
    found
}

/// Returns the stride through the held-out examples of a fold at which enough of them judge.
fn judging_stride(rows: &Rows, folds: usize) -> usize {
    let reads: usize = rows.told().map(|i| rows.example(i).0.len()).sum();
    let known = rows.known() as f64;
    let cube = (reads as f64 / known.max(1.0)).powi(3) / 3.0;
    let most = (JUDGING / cube.max(1.0)).clamp(ENOUGH_JUDGES, JUDGES);
    (known / folds as f64 / most).max(1.0) as usize
}

/// Test of the candidates on held-out examples.
struct Trial<'a> {
    ridges: &'a [f64],
    rows: &'a Rows,
    held: &'a [usize],
    /// Stride through the held-out examples.
    stride: usize,
    monitor: &'a dyn Monitor,
}

impl Trial<'_> {
    fn judges(&self) -> impl Iterator<Item = usize> {
        self.held.iter().copied().step_by(self.stride)
    }
}

impl Fitted {
    /// Adds copies of an origin's candidates, as those of an origin that would be the same.
    fn repeat(&mut self, of: Origin, origin: Origin) {
        let alike = self.candidates.iter().filter(|candidate| candidate.origin == of);
        let copies: Vec<Candidate> =
            alike.map(|candidate| Candidate { origin, ..candidate.clone() }).collect();
        self.candidates.extend(copies);
    }

    /// Adds a covariance with every ridge, until the monitor asks to stop.
    fn add<C: Covariance>(
        &mut self,
        origin: Origin,
        trial: &Trial<'_>,
        covariance: &C,
        solve: impl Fn(f64) -> Option<Vec<f64>>,
    ) {
        let errors =
            squared_errors(covariance, trial.ridges, trial.rows, trial.judges(), trial.monitor);
        for (&ridge, errors) in trial.ridges.iter().zip(errors) {
            if trial.monitor.should_stop() {
                return;
            }
            // Ridges without definiteness give no candidate.
            let Some(weights) = solve(ridge).filter(|w| w.iter().all(|v| v.is_finite())) else {
                continue;
            };
            let shift: f64 = weights.iter().enumerate().map(|(j, w)| w * covariance.mean(j)).sum();
            let constant = covariance.target_mean() - shift;
            self.candidates.push(Candidate { origin, ridge, weights, constant, errors });
        }
    }
}
