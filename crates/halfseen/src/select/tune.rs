//! Selects the parameters of a learner by cross-validation over its grid, within the training rows.
//!
//! A fit that prepares for a threat is scored under this threat: on held-out rows after the worst
//! deletions, or after noise. Otherwise tuning would select the best setting without a threat.

use super::parallel::{at_once, map_at_most};
use super::statistics::Statistics;
use super::task::{Task, Views};
use crate::data::{Examples, Threat};
use crate::error::{ErrorKind, Result};
use crate::learner::{Assignments, Family, Learner, with};
use crate::model::{Fit, Note, NumberLoss, Predictor, Scores};
use crate::params::TRIED;
use crate::registry::label;
use crate::robust::{Attack, attack_fit, own_attack};
use halfseen_solve::sampling::{Purpose, Stream, folds};
use halfseen_solve::{Monitor, Quiet};

/// Design of the cross-validation, and the criterion for the best setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuning {
    /// Number of folds.
    pub folds: usize,
    /// True if only the first fold validates: a holdout of one `folds`-th of the rows.
    pub holdout: bool,
    /// Number of runs of a sampled learner per setting and fold, each with its own seed: the error
    /// of one run is noisy, and the minimum of many noisy errors selects luck.
    pub runs: u64,
    /// Figure by which settings are compared.
    pub by: FoldSummary,
    /// Seed of the folds, of the runs, and of attacks that draw.
    pub seed: u64,
    /// Attack on the held-out rows of every linear model. `None`: learners that prepare for a
    /// threat face [their own](own_attack), and others none.
    pub attack: Option<(Threat, Attack)>,
    /// True if predictions are clipped to the range of the targets, as those of models are; false
    /// if they are compared as published methods predict ([`Predictor::as_published`]).
    pub clip: bool,
}

/// Summary of the errors of a setting over folds and runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldSummary {
    /// The mean: one diverged run rules a setting out.
    Mean,
    /// The median: one diverged or lucky run does not decide.
    Median,
}

impl Tuning {
    /// Creates a design with the mean over folds, and two runs of sampled learners in each.
    pub fn new(folds: usize, seed: u64) -> Tuning {
        Tuning {
            folds,
            holdout: false,
            runs: 2,
            by: FoldSummary::Mean,
            seed,
            attack: None,
            clip: true,
        }
    }
}

/// Result of cross-validation.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// Setting with the least validation error.
    pub setting: Assignments,
    /// Every setting with its validation error (squared, of a quantile its loss, or the
    /// misclassified share if scores estimate no target), under attack if rows are attacked: the mean or median over folds and
    /// runs.
    pub errors: Vec<(Assignments, f64)>,
    /// Number of reads by tuning, beyond any budget of the final fit.
    pub reads: u64,
}

impl Tuned {
    /// Returns the learner with the selected setting, and tells it the number of tried settings if
    /// its bounds depend on it.
    ///
    /// # Errors
    /// As for [`with`].
    pub fn apply(&self, learner: Box<dyn Learner>) -> Result<Box<dyn Learner>> {
        let mut learner = with(learner, &self.setting)?;
        if let Some(tried) = learner.get(TRIED.name) {
            // Settings tried before tuning count too.
            let before = tried.parse::<u64>().unwrap_or(1);
            learner
                .set(TRIED.name, &before.saturating_mul(self.errors.len() as u64).to_string())?;
        }
        Ok(learner)
    }

    /// Returns a note for each number that is chosen at an end of the values that were tried, if
    /// that was better than any other value and the learner takes a value beyond.
    pub fn edges(&self, learner: &dyn Learner) -> Vec<Note> {
        self.setting.iter().filter_map(|(name, chosen)| self.edge(learner, name, chosen)).collect()
    }

    fn edge(&self, learner: &dyn Learner, name: &'static str, chosen: &str) -> Option<Note> {
        let of = |setting: &Assignments| {
            setting.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone())
        };
        let mut tried: Vec<(f64, String)> = Vec::new();
        for text in self.errors.iter().filter_map(|(setting, _)| of(setting)) {
            if tried.iter().all(|(_, own)| *own != text) {
                tried.push((text.trim_end_matches('x').parse().ok()?, text));
            }
        }
        tried.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (first, last) = (tried.first()?, tried.last()?);
        let largest = last.1 == chosen;
        let (end, other_end) = if largest { (last, first) } else { (first, last) };
        if end.1 != chosen || end.0 == other_end.0 {
            return None;
        }
        let best = |of_chosen: bool| {
            let is_of = |setting: &Assignments| of(setting).as_deref() == Some(chosen);
            let alike = self.errors.iter().filter(|(setting, _)| is_of(setting) == of_chosen);
            alike.map(|(_, error)| *error).fold(f64::INFINITY, f64::min)
        };
        // As good with a value inside: the end is no sign of more beyond.
        if best(true) >= best(false) {
            return None;
        }
        let inner = tried[if largest { tried.len() - 2 } else { 1 }].0;
        let further = if first.0 > 0.0 { end.0 * (end.0 / inner) } else { 2.0 * end.0 - inner };
        // Whole numbers stay whole, and others are short.
        let whole = tried.iter().all(|(number, _)| number.fract() == 0.0);
        let further = match (whole, largest) {
            (true, true) => further.ceil(),
            (true, false) => further.floor(),
            _ => format!("{further:.2e}").parse().ok()?,
        };
        let suffix = if chosen.ends_with('x') { "x" } else { "" };
        let beyond = format!("{further}{suffix}");
        learner.clone_box().set(name, &beyond).ok()?;
        let (side, more) = if largest { ("largest", "larger") } else { ("smallest", "smaller") };
        let text = format!(
            "the best {name}, {chosen}, is the {side} of the {} that tuning tried (the other end is {}), so a {more} one may be better. \
             Fit again with --set {name}={beyond}, which tunes the rest (in Python {name}={beyond}), and compare both models on rows \
             that neither has seen",
            tried.len(),
            other_end.1
        );
        Some(Note::on_predictor("edge-of-grid", text))
    }
}

/// Tunes each learner over its own grid, in parallel over folds and learners; parameters named in
/// `fixed` keep their values. Learners that prepare for a threat are compared by their errors under
/// it; see [`Tuning::attack`].
///
/// # Errors
/// As for fits; [`ErrorKind::Interrupted`] if the monitor stops it.
pub fn tune(
    learners: &[Box<dyn Learner>],
    fixed: &[String],
    task: &Task<'_>,
    rows: &[u32],
    tuning: &Tuning,
    monitor: &dyn Monitor,
    settled: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Tuned>> {
    let own = |l: &dyn Learner| (l.clone_box(), l.grid().without(fixed).settings());
    let candidates: Vec<_> = learners.iter().map(|l| own(&**l)).collect();
    tune_over(&candidates, task, rows, tuning, monitor, settled)
}

/// Learner with the settings that are tried.
pub type Candidate = (Box<dyn Learner>, Vec<Assignments>);

/// Tunes each learner over the given settings, in parallel over folds and learners.
///
/// # Errors
/// As for [`tune`].
pub fn tune_over(
    candidates: &[Candidate],
    task: &Task<'_>,
    rows: &[u32],
    tuning: &Tuning,
    monitor: &dyn Monitor,
    settled: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Tuned>> {
    let at_once = at_once(candidates.iter().map(|(l, settings)| (&**l, &settings[..])), task)?;
    tune_within(at_once, candidates, task, rows, tuning, (monitor, settled))
}

/// Does the same with at most so many fits at once.
pub(super) fn tune_within(
    at_once: usize,
    candidates: &[Candidate],
    task: &Task<'_>,
    rows: &[u32],
    tuning: &Tuning,
    (monitor, settled): (&dyn Monitor, &(dyn Fn(u64) + Sync)),
) -> Result<Vec<Tuned>> {
    let mut folds = folds(rows, task.strata(), task.groups, tuning.folds, tuning.seed)?;
    folds.truncate(if tuning.holdout { 1 } else { tuning.folds });
    let folds_at_once = at_once.min(folds.len()).max(1);
    let per_fold = map_at_most(&folds, folds_at_once, |f, fold| {
        let views = Views::new(candidates.iter().map(|(l, _)| &**l), task, &fold.train)?;
        let validate = |l: usize, (learner, settings): &Candidate| {
            let prepared = views.get(l);
            monitor.working_on(label(&**learner));
            let runs = if learner.needs().family == Family::Budget { tuning.runs } else { 1 };
            // One list per run, one error per setting.
            let (mut errors, mut reads) = (Vec::new(), 0);
            for run in 0..runs {
                let number = f as u64 * tuning.runs + run;
                let seeded =
                    reseed(&**learner, Stream::new(tuning.seed, Purpose::Learner, number).word())?;
                let mut fits =
                    fit_those_that_hold(&*seeded, settings, &prepared.examples(), &Quiet(monitor))?;
                if !tuning.clip {
                    let published =
                        |fit: Fit| Fit { predictor: fit.predictor.as_published(), ..fit };
                    fits = fits.into_iter().map(|fit| fit.map(published)).collect();
                }
                if monitor.should_stop() {
                    return Err(ErrorKind::Interrupted { during: "tuning" }.into());
                }
                let held_out = prepared.examples_of(&fold.test);
                let predictors: Vec<&Predictor> =
                    fits.iter().flatten().map(|fit| &fit.predictor).collect();
                let mut scores = Predictor::scores_of(&predictors, &held_out)?.into_iter();
                let error = |fit: &Option<Fit>| match fit
                    .as_ref()
                    .zip(fit.as_ref().and_then(|_| scores.next()))
                {
                    Some((fit, scores)) => tuning.error(&**learner, fit, &scores, &held_out),
                    None => Ok(f64::INFINITY),
                };
                errors.push(fits.iter().map(error).collect::<Result<Vec<f64>>>()?);
                reads += fits.iter().flatten().map(|fit| fit.report.reads).sum::<u64>();
            }
            settled(settings.len() as u64);
            Ok((errors, reads))
        };
        map_at_most(candidates, at_once / folds_at_once, validate)
    })?;
    let tuned = candidates.iter().enumerate().map(|(l, (_, settings))| {
        let of = |s: usize| -> Vec<Vec<f64>> {
            per_fold.iter().map(|fold| fold[l].0.iter().map(|run| run[s]).collect()).collect()
        };
        let errors: Vec<(Assignments, f64)> = settings
            .iter()
            .enumerate()
            .map(|(s, setting)| (setting.clone(), tuning.by.of(&of(s))))
            .collect();
        let least = errors.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let setting = least.map_or_else(Vec::new, |(setting, _)| setting.clone());
        Tuned { setting, errors, reads: per_fold.iter().map(|fold| fold[l].1).sum() }
    });
    Ok(tuned.collect())
}

/// Learns with each setting; `None` for a diverging setting, which rules out no other.
///
/// # Errors
/// As for fits; that of divergence if every setting diverges.
fn fit_those_that_hold(
    learner: &dyn Learner,
    settings: &[Assignments],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Option<Fit>>> {
    let diverged = |error: &crate::Error| matches!(error.kind(), ErrorKind::Diverged { .. });
    // Fitted together, settings share work.
    let error = match learner.fit_grid(settings, examples, monitor) {
        Err(error) if diverged(&error) => error,
        fits => return Ok(fits?.into_iter().map(Some).collect()),
    };
    let alone = |setting: &Assignments| match learner.fit_grid(
        std::slice::from_ref(setting),
        examples,
        monitor,
    ) {
        Err(error) if diverged(&error) => Ok(None),
        fits => Ok(fits?.pop()),
    };
    let fits = settings.iter().map(alone).collect::<Result<Vec<Option<Fit>>>>()?;
    if fits.iter().all(Option::is_none) { Err(error) } else { Ok(fits) }
}

impl Tuning {
    /// Returns the validation error of a fit with these scores, under attack if there is one.
    fn error(
        &self,
        learner: &dyn Learner,
        fit: &Fit,
        scores: &Scores,
        held_out: &Examples<'_>,
    ) -> Result<f64> {
        let loss = fit.report.number_loss();
        let given = self.attack.as_ref().filter(|_| fit.predictor.additive().is_ok());
        let given = given.map(|(threat, kind)| (threat, *kind));
        match given.or_else(|| own_attack(learner, fit)) {
            Some((threat, kind)) => {
                let attacked = attack_fit(fit, held_out, threat, kind, self.seed)?;
                Ok(mean_loss(loss, &attacked.scores, held_out))
            }
            None => Ok(mean_loss(loss, scores, held_out)),
        }
    }
}

impl FoldSummary {
    /// Summarises the errors of a setting over folds and runs.
    fn of(self, folds: &[Vec<f64>]) -> f64 {
        match self {
            FoldSummary::Mean => {
                let mean =
                    |runs: &Vec<f64>| runs.iter().map(|e| e / runs.len() as f64).sum::<f64>();
                folds.iter().map(mean).sum::<f64>() / folds.len() as f64
            }
            FoldSummary::Median => {
                Statistics::of(folds.concat()).map_or(f64::INFINITY, |s| s.median)
            }
        }
    }
}

/// Returns a copy with another seed, if the learner has one.
pub(super) fn reseed(learner: &dyn Learner, seed: u64) -> Result<Box<dyn Learner>> {
    if !learner.needs().seeded {
        return Ok(learner.clone_box());
    }
    // Some languages display and store seeds as signed 64-bit integers.
    with(learner.clone_box(), &vec![("seed", (seed >> 1).to_string())])
}

/// Returns the mean loss if scores estimate the target, else the misclassified share.
fn mean_loss(loss: NumberLoss, scores: &Scores, examples: &Examples<'_>) -> f64 {
    let loss = |i: usize| match examples.code(i) {
        Some(code) if !scores.estimates || scores.outputs > 1 => {
            f64::from(u8::from(scores.class(i) != code as usize))
        }
        _ => loss.of(scores.values[i], examples.target(i)),
    };
    let mean = (0..scores.len()).map(loss).sum::<f64>() / scores.len().max(1) as f64;
    if mean.is_nan() { f64::INFINITY } else { mean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_under_attack_is_that_of_the_attacked_rows() {
        use crate::data::{Declared, Labels, Layout, Matrix, Scaler};
        use crate::model::{Linear, Report, Stop};
        let matrix = Matrix::F64(ndarray::array![[1.0, 1.0], [-1.0, -0.9], [1.0, 0.8]]);
        let layout = std::sync::Arc::new(Layout::singletons(2));
        let held_out = Examples {
            matrix: &matrix,
            scaler: &Scaler::None {},
            layout: &layout,
            targets: &[1.0, -1.0, 1.0],
            labels: Some(Labels { codes: &[1, 0, 1], classes: 2 }),
            rows: vec![0, 1, 2].into(),
            weights: None,
            moments: None,
            declared: Declared::default(),
            pilot: None,
        };
        let fit = |weights: [f64; 2], threat: Option<Threat>| {
            let linear = Linear {
                weights: weights.to_vec(),
                intercept: -0.01,
                fill: vec![0.0; 2],
                clip: None,
            };
            let mut report = Report::full("any", Stop::ClosedForm, 3, 2);
            report.threat = threat;
            Fit { predictor: Predictor::Margin(linear), report }
        };
        let threat = Threat::uniform(2, 1.0).unwrap();
        let plain = Tuning::new(3, 0);
        let deletions = crate::registry::find("robust-lp").unwrap();
        let error_of = |learner: &dyn Learner, tuning: &Tuning, fit: &Fit| {
            tuning
                .error(learner, fit, &fit.predictor.scores(&held_out).unwrap(), &held_out)
                .unwrap()
        };
        let error = |tuning: &Tuning, fit: &Fit| error_of(&*deletions, tuning, fit);
        assert_eq!(error(&plain, &fit([1.0, 0.0], None)), 0.0);
        // All weight on one attribute: its deletion misclassifies rows of the second class.
        assert_eq!(error(&plain, &fit([1.0, 0.0], Some(threat.clone()))), 2.0 / 3.0);
        assert_eq!(error(&plain, &fit([0.4, 0.6], Some(threat.clone()))), 0.0);
        // What any deletion leaves is enough, and noise in the larger weight is more than that.
        let mut noise = deletions.clone();
        noise.set("damage", "noise").unwrap();
        let most = fit([0.1, 0.9], Some(threat.clone()));
        assert_eq!(error(&plain, &most), 0.0);
        assert!(error_of(&*noise, &plain, &most) > 0.0);
        let given = Tuning { attack: Some((threat, Attack::Exact)), ..plain };
        assert_eq!(error(&given, &fit([1.0, 0.0], None)), 2.0 / 3.0);
    }

    /// Cross-validation of these values of a parameter, with their errors; the least is chosen.
    fn tuned(name: &'static str, tried: &[(&str, f64)]) -> Tuned {
        let error = |(value, error): &(&str, f64)| (vec![(name, (*value).to_owned())], *error);
        let errors: Vec<_> = tried.iter().map(error).collect();
        let least = errors.iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        Tuned { setting: least.0.clone(), errors, reads: 0 }
    }

    #[test]
    fn an_end_of_the_grid_is_told_where_values_beyond_are_allowed() {
        let said = |learner: &str, name: &'static str, tried: &[(&str, f64)]| {
            let learner = crate::registry::find(learner).unwrap();
            let notes = tuned(name, tried).edges(&*learner);
            notes.first().map(ToString::to_string).unwrap_or_default()
        };
        let c = said("karma", "c", &[("1", 0.3), ("0.1", 0.4), ("10", 0.2)]);
        assert!(c.starts_with("the best c, 10, is the largest of the 3 that tuning tried"), "{c}");
        assert!(c.contains("the other end is 0.1") && c.contains("--set c=100,"), "{c}");
        let step = said("aerr", "step", &[("1x", 0.1), ("3.2x", 0.4), ("10x", 0.2)]);
        assert!(step.contains("smallest") && step.contains("--set step=0.312x"), "{step}");
        assert!(said("karma", "gamma", &[("1", 0.3), ("4", 0.1)]).contains("gamma=16"));
        // Inside; as good inside; a single value; nothing below 1 or 0; words.
        assert_eq!(said("karma", "c", &[("1", 0.3), ("10", 0.2), ("100", 0.4)]), "");
        assert_eq!(said("karma", "c", &[("1", 0.2), ("10", 0.2)]), "");
        assert_eq!(said("karma", "c", &[("1", 0.2)]), "");
        assert_eq!(said("karma", "gamma", &[("1", 0.1), ("2", 0.2), ("3", 0.3)]), "");
        let penalties = [("0", 0.1), ("0.001", 0.2), ("0.01", 0.3)];
        assert_eq!(said("aesvr", "tube", &penalties), "");
        assert_eq!(said("pnorm", "p", &[("2", 0.3), ("4", 0.2), ("auto", 0.3)]), "");
    }

    #[test]
    fn a_run_that_blew_up_moves_the_mean_and_not_the_median() {
        let folds = [vec![0.5, 0.75], vec![0.25, 1e6], vec![0.5, 0.5]];
        assert_eq!(FoldSummary::Median.of(&folds), 0.5);
        assert_eq!(FoldSummary::Mean.of(&folds), (0.625 + 500_000.125 + 0.5) / 3.0);
        assert_eq!(
            FoldSummary::Median.of(&[vec![f64::INFINITY, 1.0], vec![f64::INFINITY]]),
            f64::INFINITY
        );
    }
}
