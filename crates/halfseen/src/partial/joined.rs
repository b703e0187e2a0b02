//! Joins what was learned from each part, or learns from all that was read.

use super::equivalent::{equivalent, unexplained};
use super::held::{Featured, Held, OfPart, Reads};
use super::refusal::needs_rows;
use super::reports::together;
use super::rows::Frame;
use super::sums::Sums;
use super::units::{Summed, Units};
use super::{Partial, admit, in_part};
use crate::error::{ErrorKind, Result};
use crate::learner::{FitSize, Learner};
use crate::model::{Fit, Linear, Linears, Model, Note, Predictor, Report, Stop};
use crate::params::Fill;
use halfseen_solve::Monitor;

/// Returns the model of parts that were learned from in these units.
pub(super) fn finish(
    partial: &Partial,
    learner: &dyn Learner,
    units: &Units,
    monitor: &dyn Monitor,
) -> Result<Model> {
    let frame = Frame::new(&partial.plan, learner, units)?;
    let (mut models, mut reads, mut features) = (Vec::new(), Vec::new(), Vec::new());
    for (name, held) in &partial.parts {
        match held {
            Held::Model(of) => models.push((name.as_str(), &**of)),
            Held::Reads(of) => reads.push((name.as_str(), of)),
            Held::Features(of) => features.push((name.as_str(), &**of)),
            Held::Sums(_) => {}
        }
    }
    let fit = match (models.is_empty(), features.is_empty()) {
        (false, _) => average(partial, learner, units, &models)?,
        (_, false) => to_features(learner, &frame, &features, monitor)?,
        _ => to_reads(learner, &frame, &reads, monitor)?,
    };
    Ok(partial.model(frame, fit))
}

impl Partial {
    /// Returns a fit in these units as a model.
    pub(super) fn model(&self, frame: Frame, fit: Fit) -> Model {
        Model {
            learner: self.plan.learner.clone(),
            params: self.plan.params.clone(),
            prepare: frame.prepare,
            target: self.plan.target.clone(),
            task: frame.task,
            classes: frame.labels,
            predictor: fit.predictor,
            report: fit.report,
        }
    }
}

/// Fits to what was read, in the order of the parts' names.
fn to_reads(
    learner: &dyn Learner,
    frame: &Frame,
    parts: &[(&str, &Reads)],
    monitor: &dyn Monitor,
) -> Result<Fit> {
    let rows: usize = parts.iter().map(|(_, reads)| reads.counts.len()).sum();
    let classes = frame.labels.len();
    let size = FitSize { rows, classes, ..FitSize::of_layout(&frame.layout) };
    crate::learner::size::admit_need(learner, &size, learner.needed(&size))?;
    let none = || needs_rows(learner, classes);
    let mut asker = learner.start(&frame.layout)?.ok_or_else(none)?;
    if classes > 0 {
        asker.classify(classes)?;
    }
    let mut number = 0;
    for (name, reads) in parts {
        for (cells, target) in reads.rows() {
            asker.observe(number, &cells, Some(target)).map_err(|error| in_part(name, error))?;
            number += 1;
        }
    }
    let mut fit = asker.fitted(monitor)?;
    if fit.report.stop == Stop::Open {
        fit.report.stop = Stop::OnePass;
    }
    fit.report.converged = fit.report.stop.converged();
    Ok(fit)
}

/// Fits to the sums over features of all parts, added in the order of their names.
fn to_features(
    learner: &dyn Learner,
    frame: &Frame,
    parts: &[(&str, &Featured)],
    monitor: &dyn Monitor,
) -> Result<Fit> {
    let classes = frame.labels.len();
    let by =
        learner.by_features(&frame.layout, classes)?.ok_or_else(|| needs_rows(learner, classes))?;
    let width = by.width();
    let held: f64 = parts.iter().map(|(_, of)| Sums::bytes(of.sums.width(), false)).sum();
    // Beside the parts their total, a copy of one, and of the equivalent rows, which are twice as many as
    // columns, their features.
    admit(learner.name(), width, held + 5.0 * Sums::bytes(width, false))?;
    let (mut all, mut size, order) = (Sums::default(), 0.0, (0..width).collect::<Vec<_>>());
    for (name, of) in parts.iter().filter(|(_, of)| of.sums.rows() > 0) {
        if of.sums.width() != width {
            let what = "features and outputs of a row".to_owned();
            let found = of.sums.width();
            let wrong = ErrorKind::WrongLength { what, expected: width, found };
            return Err(in_part(name, wrong.into()));
        }
        size += of.size;
        match all.rows() {
            0 => all = of.sums.clone(),
            _ => all.merge(of.sums.clone(), &order),
        }
    }
    if all.rows() == 0 {
        return Err(ErrorKind::TooFewRows { what: "learning".into(), least: 1, rows: 0 }.into());
    }
    let (count, mean) =
        (all.rows() as f64, (0..width).map(|slot| all.mean(slot)).collect::<Vec<_>>());
    let few = equivalent(count, &mean, all.products_about(&mean));
    let Fit { predictor, report } = by.fit((&few.rows, few.weight), size / count, monitor)?;
    let reports: Vec<&Report> = parts.iter().map(|(_, of)| &of.report).collect();
    let (objective, gap, stop, seconds) =
        (report.objective, report.gap, report.stop, report.seconds);
    let converged = stop.converged();
    let report = Report { objective, gap, stop, converged, seconds, ..together(&reports) };
    Ok(Fit { predictor, report })
}

/// Averages the models of parts by their rows.
fn average(
    partial: &Partial,
    learner: &dyn Learner,
    units: &Units,
    parts: &[(&str, &OfPart)],
) -> Result<Fit> {
    let learned: Vec<&(&str, &OfPart)> =
        parts.iter().filter(|(_, of)| of.report.examples > 0).collect();
    let fit = match &learned[..] {
        [] => {
            return Err(ErrorKind::TooFewRows { what: "learning".into(), least: 1, rows: 0 }.into());
        }
        [(_, only)] => return Ok(only.fit()),
        several => {
            let total: f64 = several.iter().map(|(_, of)| of.report.examples as f64).sum();
            let shares: Vec<f64> =
                several.iter().map(|(_, of)| of.report.examples as f64 / total).collect();
            let of_all: Vec<Vec<&Linear>> = several
                .iter()
                .map(|(name, of)| linears(&of.predictor).ok_or_else(|| not_linear(name)))
                .collect::<Result<_>>()?;
            let outputs = of_all.iter().map(Vec::len).min().unwrap_or(0);
            let output = |at: usize| {
                let models: Vec<&Linear> = of_all.iter().map(|all| all[at]).collect();
                mean(&models, &shares)
            };
            let is_margin = matches!(several[0].1.predictor, Predictor::Margin(_));
            let mut averaged: Vec<Linear> = (0..outputs).map(output).collect();
            let predictor = match (averaged.len(), averaged.pop()) {
                (1, Some(only)) if is_margin => Predictor::Margin(only),
                (1, Some(only)) => Predictor::Linear(only),
                (_, last) => {
                    averaged.extend(last);
                    Predictor::Linears(Linears { classes: averaged })
                }
            };
            let reports: Vec<&Report> = several.iter().map(|(_, of)| &of.report).collect();
            Fit { predictor, report: together(&reports) }
        }
    };
    let table = Summed::new(&partial.plan, &units.all, &learner.needs())?;
    let (error, least) = fit.predictor.linear().map_or((None, None), |linear| table.errors(linear));
    let Fit { predictor, mut report } = fit;
    report.notes.push(Note::AveragedParts { parts: learned.len() as u64, error, least });
    Ok(Fit { predictor, report })
}

fn not_linear(part: &str) -> crate::Error {
    let problem = "the model of a part has no weights".to_owned();
    in_part(part, ErrorKind::Numerical { what: "an average of models", problem }.into())
}

fn linears(predictor: &Predictor) -> Option<Vec<&Linear>> {
    match predictor {
        Predictor::Linear(linear) | Predictor::Margin(linear) => Some(vec![linear]),
        Predictor::Linears(all) => Some(all.classes.iter().collect()),
        _ => None,
    }
}

/// Returns the average of linear models by their shares of the rows.
fn mean(models: &[&Linear], shares: &[f64]) -> Linear {
    let columns = models.iter().map(|linear| linear.weights.len()).min().unwrap_or(0);
    let average = |of: &dyn Fn(&Linear) -> f64| {
        models.iter().zip(shares).map(|(linear, share)| share * of(linear)).sum::<f64>()
    };
    let clip = models
        .iter()
        .filter_map(|linear| linear.clip)
        .reduce(|[a, b], [low, high]| [f64::min(a, low), f64::max(b, high)]);
    Linear {
        weights: (0..columns).map(|j| average(&|linear| linear.weights[j])).collect(),
        intercept: average(&|linear| linear.intercept),
        fill: (0..columns).map(|j| average(&|linear| linear.fill[j])).collect(),
        clip,
    }
}

impl Summed<'_> {
    /// Returns the mean squared error of a linear model without its clip on all rows, and the least
    /// that any linear model with an intercept has, in the target's units.
    fn errors(&self, linear: &Linear) -> (Option<f64>, Option<f64>) {
        let Some((mean, about)) = self.about_means(Fill::Mean).into_iter().next() else {
            return (None, None);
        };
        let (d, count) = (self.slots.len(), self.part.sums.rows() as f64);
        let unit = self.prepare.target.deviation.powi(2);
        let at = |j: usize| if j < d { linear.weights[j] } else { -1.0 };
        let square: f64 =
            (0..=d).map(|j| (0..=d).map(|k| at(j) * about[(j, k)] * at(k)).sum::<f64>()).sum();
        let bias = (0..=d).map(|j| at(j) * mean[j]).sum::<f64>() + linear.intercept;
        let error = unit * (square.max(0.0) / count + bias * bias);
        let least = unit * unexplained(about) / count;
        let finite = |number: f64| number.is_finite().then_some(number);
        (finite(error), finite(least))
    }
}
