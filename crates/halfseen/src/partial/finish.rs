//! Fits the learner to the sums of all parts, by few rows that are equivalent to the many.

use super::equivalent::equivalent;
use super::part::Part;
use super::refusal::needs_rows;
use super::sums::Sums;
use super::units::Summed;
use super::{Held, Partial, admit, in_part, rows};
use crate::data::{Examples, Layout, Matrix, Scaler};
use crate::error::{ErrorKind, Result};
use crate::learner::{InParts, Learner};
use crate::model::{Fit, Model, Predictor, Report};
use crate::params::Fill;
use crate::registry;
use halfseen_solve::Monitor;
use ndarray::Array2;
use std::sync::Arc;

impl Partial {
    /// Returns the model of all parts: that of a fit to all their rows, up to rounding.
    ///
    /// # Errors
    /// Parts whose columns differ ([`ErrorKind::InPart`]); too few rows, a constant target;
    /// [`ErrorKind::Request`] for hinge losses of classes, and for a learner that
    /// must see the rows again, in the units of these sums ([`Partial::in_units`],
    /// [`Partial::stream`]); as [`Learner::fit`].
    pub fn finish(&self, monitor: &dyn Monitor) -> Result<Model> {
        let Some(units) = &self.units else { return self.by_moments(monitor) };
        let parts = self.parts.iter().filter_map(|(name, held)| match held {
            Held::Features(of) => Some((name.as_str(), &**of)),
            Held::Sums(_) => None,
        });
        rows::finish(&self.plan, units, parts, monitor)
    }

    /// Returns the sums of all parts, added in the order of their names.
    pub(super) fn all(&self) -> Result<Part> {
        let widest = self.sums().map(|(_, part)| part.sums.width()).max().unwrap_or(0);
        // Beside the parts their total, and copies of it and of one with other columns.
        admit(&self.plan.learner, widest, self.bytes() + Sums::bytes(widest, true))?;
        let mut all: Option<Part> = None;
        for (name, part) in self.sums() {
            match &mut all {
                None => all = Some(part.clone()),
                Some(all) => all.merge(part).map_err(|error| in_part(name, error))?,
            }
        }
        let none = || ErrorKind::TooFewRows { what: "learning".into(), least: 2, rows: 0 }.into();
        all.ok_or_else(none)
    }

    /// Returns the parts that are sums, in the order of their names.
    pub(super) fn sums(&self) -> impl Iterator<Item = (&String, &Part)> {
        self.parts.iter().filter_map(|(name, held)| match held {
            Held::Sums(part) => Some((name, &**part)),
            Held::Features(_) => None,
        })
    }

    fn by_moments(&self, monitor: &dyn Monitor) -> Result<Model> {
        let (all, learner) = (self.all()?, self.learner()?);
        let needs = learner.needs();
        let table = Summed::new(&self.plan, &all, &needs)?;
        let classes = table.outputs.labels.len();
        registry::check_classes(&*learner, classes)?;
        let fill = match learner.in_parts(classes) {
            Some(InParts::Moments(fill)) => fill,
            Some(_) => {
                let problem = format!(
                    "{} goes through the rows once more, in the units of these sums: give them to the same command by --units, in Python by \
                     units= or with fit_stream",
                    learner.name()
                );
                return Err(ErrorKind::Request(problem).into());
            }
            None => return Err(needs_rows(&*learner, classes)),
        };
        table.check_holes(&needs)?;
        table.model(self, &*learner, fill, monitor)
    }
}

impl Summed<'_> {
    /// Fits, and returns the model.
    fn model(
        self,
        partial: &Partial,
        learner: &dyn Learner,
        fill: Fill,
        monitor: &dyn Monitor,
    ) -> Result<Model> {
        let layout = Arc::new(self.prepare.schema.layout()?);
        let (d, sums) = (layout.slots(), &self.part.sums);
        let mut fits = Vec::new();
        let moments = self.about_means(fill);
        for (&(target, times, shift), (mean, about)) in self.outputs.columns.iter().zip(moments) {
            let few = equivalent(sums.rows() as f64, &mean, about);
            let rows = Array2::from_shape_fn((few.rows.len(), d), |(i, j)| few.rows[i][j]);
            let targets: Vec<f64> = few.rows.iter().map(|row| row[d]).collect();
            let weights = vec![few.weight; targets.len()];
            let (matrix, scaler) = (Matrix::F64(rows), Scaler::None {});
            let examples = Examples::new(&matrix, &scaler, &layout, &targets);
            let examples = Examples { weights: Some(&weights), ..examples };
            let mut fit = learner.fit(&examples, monitor)?;
            let range = sums.range(target).unwrap_or_default();
            let range = range.map(|value| self.prepare.target.apply(times * value + shift));
            clip(&mut fit.predictor, range);
            fits.push(fit);
        }
        let (predictor, report) = self.together(learner, fits, &layout)?;
        Ok(Model {
            learner: learner.name().to_owned(),
            params: learner.to_json(),
            prepare: self.prepare,
            target: partial.plan.target.clone(),
            task: self.outputs.task,
            classes: self.outputs.labels,
            predictor,
            report,
        })
    }

    /// Returns the predictor of one fit or of a fit for each class, and the report of all rows.
    fn together(
        &self,
        learner: &dyn Learner,
        fits: Vec<Fit>,
        layout: &Layout,
    ) -> Result<(Predictor, Report)> {
        let sums = &self.part.sums;
        let add = |value: fn(&Report) -> Option<f64>| {
            fits.iter().map(|fit| value(&fit.report)).sum::<Option<f64>>()
        };
        let last = fits.last().map(|fit| fit.report.clone());
        let stop = last.as_ref().map_or(crate::model::Stop::ClosedForm, |report| report.stop);
        let rows = sums.rows();
        let mut report =
            Report::full(learner.name(), stop, rows as usize, layout.sampled_panels()).paid(layout);
        if learner.needs().holes {
            let shown = |panel| sums.shown(layout.column(layout.slots_of(panel).start));
            report.spent = (0..layout.panels()).map(shown).sum();
            (report.reads, report.distinct) = (report.spent as u64, report.spent as u64);
        }
        report.objective = add(|report| report.objective);
        report.gap = add(|report| report.gap);
        report.passes = last.and_then(|report| report.passes);
        report.seconds = fits.iter().map(|fit| fit.report.seconds).sum();
        report.notes = fits.iter().flat_map(|fit| fit.report.notes.clone()).collect();
        let is_margin = matches!(fits.first(), Some(Fit { predictor: Predictor::Margin(_), .. }));
        let outputs =
            fits.iter().map(|fit| fit.predictor.linear().cloned()).collect::<Result<_>>()?;
        Ok((Predictor::of_outputs(outputs, is_margin), report))
    }
}

/// Clips predictions to the range of the targets where the learner does.
fn clip(predictor: &mut Predictor, range: [f64; 2]) {
    if let Predictor::Linear(linear) = predictor
        && linear.clip.is_some()
    {
        linear.clip = Some(range);
    }
}
