//! Joins what was learned from each part, or learns from all that was read.

use super::equivalent::equivalent;
use super::held::{Featured, Held, Reads};
use super::refusal::needs_rows;
use super::reports::together;
use super::rows::Frame;
use super::sums::Sums;
use super::units::Units;
use super::{Partial, admit, averaged, in_part};
use crate::error::{ErrorKind, Result};
use crate::learner::{FitSize, Learner};
use crate::model::{Fit, Model, Report, Stop};
use halfseen_solve::Monitor;

/// Returns the model of parts that were learned from in these units.
pub(super) fn finish(
    partial: &Partial,
    learner: &dyn Learner,
    units: &Units,
    monitor: &dyn Monitor,
) -> Result<Model> {
    let frame = Frame::new(&partial.plan, learner, units)?;
    let (mut reads, mut features) = (Vec::new(), Vec::new());
    for (name, held) in &partial.parts {
        match held {
            Held::Reads(of) => reads.push((name.as_str(), of)),
            Held::Features(of) => features.push((name.as_str(), &**of)),
            Held::Model(_) | Held::Losses(_) | Held::Sums(_) => {}
        }
    }
    let fit = if let Some(learned) = &units.model {
        averaged::least(partial, learner, (&frame, units), learned)?
    } else if averaged::models(partial).next().is_some() {
        averaged::average(partial, learner, units)?.fit()
    } else if features.is_empty() {
        to_reads(learner, &frame, &reads, monitor)?
    } else {
        to_features(learner, &frame, &features, monitor)?
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
