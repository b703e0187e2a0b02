//! Averages the models of parts, and measures the losses of the average where the learner has bounds.

use super::equivalent::unexplained;
use super::held::{Held, OfPart};
use super::refusal::needs_rows;
use super::reports::together;
use super::rows::Frame;
use super::units::{Summed, Units};
use super::{Partial, in_part};
use crate::data::Threat;
use crate::error::{ErrorKind, Result};
use crate::learner::{Learner, SumOfLosses};
use crate::model::{Fit, Linear, Note, Predictor, Report};
use crate::params::Fill;

impl Partial {
    /// Measures losses of the average of what other parts learned.
    pub(super) fn certifying(mut self, learned: &Partial) -> Result<Partial> {
        self.plan.units.clone_from(&learned.plan.units);
        self.same(&learned.plan)?;
        let learner = learned.learner()?;
        let of = |units: &Units| -> Result<Units> {
            let model = Some(Box::new(average(learned, &*learner, units)?));
            Ok(Units { model, ..units.clone() })
        };
        let units = learned.units.as_ref().map(of).transpose()?;
        self.plan.units = units.as_ref().and_then(Units::digest);
        self.units = units;
        Ok(self)
    }
}

/// Averages the models of parts by their rows, in the order of their names.
pub(super) fn average(partial: &Partial, learner: &dyn Learner, units: &Units) -> Result<OfPart> {
    let learned: Vec<(&str, &OfPart)> =
        models(partial).filter(|(_, of)| of.report.examples > 0).collect();
    let (rows, without_target) = (partial.rows(), partial.without_target());
    let several = match &learned[..] {
        [] => {
            return Err(ErrorKind::TooFewRows { what: "learning".into(), least: 1, rows: 0 }.into());
        }
        [(_, only)] => return Ok(OfPart { rows, without_target, ..(*only).clone() }),
        several => several,
    };
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
    let predictor = Predictor::of_outputs((0..outputs).map(output).collect(), is_margin);
    let bounds = several.iter().zip(&shares).map(|((_, of), share)| Some(share * of.bound?));
    let bound = bounds.sum::<Option<f64>>();
    let reports: Vec<&Report> = several.iter().map(|(_, of)| &of.report).collect();
    let mut report = together(&reports);
    let (error, least) = match (bound, predictor.linear()) {
        // Its losses are not squared errors.
        (Some(_), _) | (None, Err(_)) => (None, None),
        (None, Ok(linear)) => {
            Summed::new(&partial.plan, &units.all, &learner.needs())?.errors(linear)
        }
    };
    report.notes.push(Note::AveragedParts { parts: several.len() as u64, error, least });
    Ok(OfPart { rows, without_target, predictor, report, bound })
}

/// Returns the parts that are models, in the order of their names.
pub(super) fn models(partial: &Partial) -> impl Iterator<Item = (&str, &OfPart)> {
    partial.parts.iter().filter_map(|(name, held)| match held {
        Held::Model(of) => Some((name.as_str(), &**of)),
        _ => None,
    })
}

/// Takes the model of least loss over all rows, and certifies it by the bounds of the parts.
pub(super) fn least(
    partial: &Partial,
    learner: &dyn Learner,
    (frame, units): (&Frame, &Units),
    learned: &OfPart,
) -> Result<Fit> {
    if partial.rows() != learned.rows {
        let what = "number of rows".to_owned();
        let (own, theirs) = (partial.rows().to_string(), learned.rows.to_string());
        return Err(ErrorKind::OtherPlan { what, own, theirs }.into());
    }
    let facts = frame.facts(units.all.sums.rows());
    let none = || needs_rows(learner, frame.labels.len());
    let by = learner.by_losses(&facts, &learned.predictor)?.ok_or_else(none)?;
    let mut sums = vec![SumOfLosses::default(); by.models().len()];
    for (name, held) in &partial.parts {
        let Held::Losses(of) = held else { continue };
        if of.sums.len() != sums.len() {
            let (expected, found) = (sums.len(), of.sums.len());
            let what = "losses".to_owned();
            return Err(in_part(name, ErrorKind::WrongLength { what, expected, found }.into()));
        }
        for (sum, more) in sums.iter_mut().zip(&of.sums) {
            sum.sum += more.sum;
            sum.unproven = sum.unproven.saturating_add(more.unproven);
        }
    }
    let best = (0..sums.len()).min_by(|&a, &b| sums[a].sum.total_cmp(&sums[b].sum)).unwrap_or(0);
    let predictor = by.models()[best].clone();
    let mut report = learned.report.clone();
    let objective = sums[best].sum / learned.rows.max(1) as f64;
    report.objective = Some(objective);
    report.gap = learned
        .bound
        .filter(|_| sums[best].unproven == 0)
        .map(|bound| (objective - bound).max(0.0));
    if sums[best].unproven > 0 {
        report.notes.push(Note::UnprovenDeletions { rows: sums[best].unproven });
    }
    if best > 0 {
        report.notes.retain(|note| !matches!(note, Note::AveragedParts { .. }));
        let threat = report.threat.as_ref().map_or(0.0, Threat::effective);
        report.notes.push(Note::ThreatBeatsSignal { threat, from: None });
    }
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
