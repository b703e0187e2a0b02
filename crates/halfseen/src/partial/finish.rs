//! Fits the learner to the sums of all parts: scales and targets from the sums, and few rows that
//! are equivalent to the many.

use super::equivalent::equivalent;
use super::part::{Holds, Part, Shown};
use super::sums::Sums;
use super::{Partial, admit, in_part, needs_rows};
use crate::data::{
    Column, Examples, Label, Matrix, Place, Scale, Scaler, Table, Target, TargetScale, Task,
    TextColumn,
};
use crate::error::{ErrorKind, Result};
use crate::learner::Learner;
use crate::model::{Fit, Linear, Linears, Model, Predictor, Report};
use crate::params::Fill;
use crate::prepare::{ColumnKind, ColumnSchema, Prepare, Schema, declared_bounds};
use crate::registry;
use faer::Mat;
use halfseen_solve::Monitor;
use ndarray::Array2;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Partial {
    /// Returns the model of all parts: that of a fit to all their rows, up to rounding.
    ///
    /// # Errors
    /// Parts whose columns differ ([`ErrorKind::InPart`]); too few rows, a constant target;
    /// [`ErrorKind::NeedsRows`] for hinge losses of classes; as [`Learner::fit`].
    pub fn finish(&self, monitor: &dyn Monitor) -> Result<Model> {
        let learner = self.learner()?;
        let mut parts = self.parts.iter();
        let Some((_, first)) = parts.next() else {
            return Err(ErrorKind::TooFewRows { what: "learning".into(), least: 2, rows: 0 }.into());
        };
        let widest = self.parts.values().map(|part| part.sums.width()).max().unwrap_or(0);
        // Beside the parts their total, and a copy of one.
        admit(&self.plan.learner, widest, self.bytes() + Sums::bytes(widest, true))?;
        let mut all = first.clone();
        for (name, part) in parts {
            all.merge(part.clone()).map_err(|error| in_part(name, error))?;
        }
        let outputs = Outputs::of(&all, self.plan.task)?;
        registry::check_classes(&*learner, outputs.labels.len())?;
        let Some(fill) = learner.by_moments(outputs.labels.len()) else {
            return Err(needs_rows(&*learner, outputs.labels.len()));
        };
        let needs = learner.needs();
        let table = Summed::new(self, &all, &outputs, needs.intercept, needs.plain_classes)?;
        if !needs.holes && !self.plan.imputed && all.sums.has_holes() {
            return Err(table.hole(&all));
        }
        table.model(self, &*learner, fill, &outputs, monitor)
    }
}

/// Outputs that are learned of the target: for each a column of the sums, which is multiplied and
/// shifted.
struct Outputs {
    task: Task,
    labels: Vec<Label>,
    columns: Vec<(usize, f64, f64)>,
}

impl Outputs {
    /// Reads the target as [`Target::read`] reads the column of a table that has all its values.
    fn of(part: &Part, task: Option<Task>) -> Result<Outputs> {
        let (name, holds) = &part.columns[part.columns.len() - 1];
        let shown = part.values_of_target();
        // Two rows of each value, unless there are fewer.
        let count = shown.len();
        let rows = (2 * count).min(part.sums.rows().try_into().unwrap_or(usize::MAX));
        let table = match shown {
            Shown::Numbers(numbers) => {
                let column = Array2::from_shape_fn((rows, 1), |(i, _)| numbers[i % count]);
                Table::from_matrix(Matrix::F64(column), vec![name.clone()])?
            }
            Shown::Texts(levels) => {
                let codes = (0..rows).map(|i| (i % count) as u32).collect();
                let (numbers, texts) =
                    (Array2::zeros((rows, 0)), vec![TextColumn { codes, levels }]);
                let column = Column { name: name.clone(), place: Place::Text(0) };
                Table::new(Matrix::F64(numbers), texts, vec![column])?
            }
        };
        let classes = match holds {
            Holds::Categories(_) => task.or(Some(Task::Classification)),
            _ => task,
        };
        let target = Target::read(&table, name, classes)?;
        let (task, labels) = (target.task(), target.classes().to_vec());
        let columns = match (holds, &labels[..]) {
            (Holds::Number(column), [Label::Number(low), Label::Number(high)]) => {
                // -1 and +1 are a line in the two numbers.
                let half = 0.5 * (high - low);
                vec![(*column, half.recip(), -(low + half) / half)]
            }
            (Holds::Number(column), _) => vec![(*column, 1.0, 0.0)],
            (Holds::Categories(slots), [_, second]) => {
                vec![(slots[&second.to_string()], 2.0, -1.0)]
            }
            (Holds::Categories(slots), all) => {
                all.iter().map(|label| (slots[&label.to_string()], 1.0, 0.0)).collect()
            }
            (Holds::Nothing, _) => Vec::new(),
        };
        Ok(Outputs { task, labels, columns })
    }
}

/// The table as its sums show it.
struct Summed<'a> {
    part: &'a Part,
    prepare: Prepare,
    /// Column of the sums of each encoded column; `None` if no value of it was observed.
    slots: Vec<Option<usize>>,
    imputed: bool,
}

impl<'a> Summed<'a> {
    fn new(
        partial: &Partial,
        part: &'a Part,
        outputs: &Outputs,
        intercept: bool,
        plain_classes: bool,
    ) -> Result<Summed<'a>> {
        let plan = &partial.plan;
        let (mut columns, mut slots) = (Vec::new(), Vec::new());
        for (name, holds) in &part.columns[..part.columns.len() - 1] {
            let kind = match holds {
                Holds::Nothing => {
                    slots.push(None);
                    ColumnKind::Number
                }
                Holds::Number(slot) => {
                    slots.push(Some(*slot));
                    ColumnKind::Number
                }
                Holds::Categories(of) => {
                    slots.extend(of.values().copied().map(Some));
                    ColumnKind::Text { categories: of.keys().cloned().collect() }
                }
            };
            let (name, date, knots) = (name.clone(), None, Vec::new());
            columns.push(ColumnSchema { name, kind, known: false, date, knots });
        }
        let schema =
            Schema { columns, groups: Vec::new(), prices: BTreeMap::new(), by_reads: false };
        let bounds = declared_bounds(&plan.bounds, &schema)?;
        let of_slot =
            |slot: &Option<usize>| slot.map_or(0.0, |slot| variance(part, slot, plan.imputed));
        let raw: Vec<f64> = slots.iter().map(of_slot).map(f64::sqrt).collect();
        let mean: Vec<f64> =
            slots.iter().map(|slot| slot.map_or(0.0, |slot| part.sums.mean(slot))).collect();
        let largest = |slot: &Option<usize>| {
            let [low, high] = slot.and_then(|slot| part.sums.range(slot)).unwrap_or_default();
            low.abs().max(high.abs())
        };
        let scaler = match (plan.scale.unwrap_or(Scale::Each), &bounds) {
            (scale, Some(bounds)) => {
                let none = Matrix::F64(Array2::zeros((0, schema.width())));
                Scaler::fit(scale, &none, &[], Some(bounds))
            }
            (Scale::None, None) => Scaler::None {},
            (Scale::Common, None) => Scaler::common(slots.iter().map(largest).fold(0.0, f64::max)),
            (Scale::Max, None) => Scaler::max(slots.iter().map(largest).collect()),
            (Scale::Each, None) => Scaler::each(mean, raw.clone()),
        };
        let centred = intercept
            && outputs.columns.len() == 1
            && !(plain_classes && outputs.task == Task::Classification);
        let target = match outputs.columns[..] {
            [(slot, times, shift)] if centred => {
                let is_number = outputs.task == Task::Regression;
                let variance = is_number.then(|| variance(part, slot, true));
                TargetScale::of(times * part.sums.mean(slot) + shift, variance)
            }
            _ => TargetScale::IDENTITY,
        };
        let prepare = Prepare { schema, scaler, target, deviations: Some(raw) };
        Ok(Summed { part, prepare, slots, imputed: plan.imputed })
    }

    /// Returns the refusal of a missing cell.
    fn hole(&self, part: &Part) -> crate::Error {
        let rows = part.sums.rows() as f64;
        let names = self.prepare.schema.encoded_names();
        let is_holed = |slot: &Option<usize>| slot.is_none_or(|slot| part.sums.shown(slot) < rows);
        let at = self.slots.iter().position(is_holed).unwrap_or(0);
        ErrorKind::HolesInColumn { column: names[at].clone() }.into()
    }

    /// Fits, and returns the model.
    fn model(
        self,
        partial: &Partial,
        learner: &dyn Learner,
        fill: Fill,
        outputs: &Outputs,
        monitor: &dyn Monitor,
    ) -> Result<Model> {
        let layout = Arc::new(self.prepare.schema.layout()?);
        let (d, sums) = (self.slots.len(), &self.part.sums);
        let count = sums.rows() as f64;
        // Missing cells count as this value of their column, in raw units.
        let filled: Vec<f64> = (0..d)
            .map(|j| match (fill, self.imputed) {
                (Fill::Zero, false) => self.prepare.scaler.affine(j).0,
                _ => self.slots[j].map_or(0.0, |slot| sums.mean(slot)),
            })
            .collect();
        let mut point: Vec<f64> = (0..sums.width()).map(|slot| sums.mean(slot)).collect();
        for (slot, filled) in self.slots.iter().zip(&filled) {
            slot.iter().for_each(|&slot| point[slot] = *filled);
        }
        let products = sums.products_about(&point);
        let affine = |j: usize| self.prepare.scaler.affine(j);
        let mut fits = Vec::new();
        for &(target, times, shift) in &outputs.columns {
            let target_scale = self.prepare.target;
            let by = times / target_scale.deviation;
            // Scaled attributes, and the output as the last: means, and products about them.
            let column = |j: usize| if j < d { self.slots[j] } else { Some(target) };
            let factor = |j: usize| if j < d { affine(j).1.recip() } else { by };
            let beyond: Vec<f64> = (0..=d)
                .map(|j| column(j).map_or(0.0, |slot| sums.sum_about(slot, point[slot]) / count))
                .collect();
            let mean: Vec<f64> = (0..=d)
                .map(|j| match j < d {
                    true => (filled[j] - affine(j).0) / affine(j).1 + factor(j) * beyond[j],
                    false => {
                        by * sums.mean(target)
                            + (shift - target_scale.mean) / target_scale.deviation
                    }
                })
                .collect();
            let about = Mat::from_fn(d + 1, d + 1, |j, k| match (column(j), column(k)) {
                (Some(a), Some(b)) => {
                    factor(j) * factor(k) * (products[(a, b)] - count * beyond[j] * beyond[k])
                }
                _ => 0.0,
            });
            let few = equivalent(count, &mean, about);
            let rows = Array2::from_shape_fn((few.rows.len(), d), |(i, j)| few.rows[i][j]);
            let targets: Vec<f64> = few.rows.iter().map(|row| row[d]).collect();
            let weights = vec![few.weight; targets.len()];
            let (matrix, scaler) = (Matrix::F64(rows), Scaler::None {});
            let examples = Examples::new(&matrix, &scaler, &layout, &targets);
            let examples = Examples { weights: Some(&weights), ..examples };
            let mut fit = learner.fit(&examples, monitor)?;
            let range = sums.range(target).unwrap_or_default();
            let range = range.map(|value| target_scale.apply(times * value + shift));
            clip(&mut fit.predictor, range);
            fits.push(fit);
        }
        let (predictor, report) = self.together(learner, fits, &layout)?;
        Ok(Model {
            learner: learner.name().to_owned(),
            params: learner.to_json(),
            prepare: self.prepare,
            target: partial.plan.target.clone(),
            task: outputs.task,
            classes: outputs.labels.clone(),
            predictor,
            report,
        })
    }

    /// Returns the predictor of one fit or of a fit for each class, and the report of all rows.
    fn together(
        &self,
        learner: &dyn Learner,
        fits: Vec<Fit>,
        layout: &crate::data::Layout,
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
            let mut first = 0;
            let shown = self.prepare.schema.columns.iter().map(|column| {
                let slot = self.slots[first];
                first += column.width();
                slot.map_or(0.0, |slot| sums.shown(slot))
            });
            report.spent = shown.sum();
            (report.reads, report.distinct) = (report.spent as u64, report.spent as u64);
        }
        report.objective = add(|report| report.objective);
        report.gap = add(|report| report.gap);
        report.passes = last.and_then(|report| report.passes);
        report.seconds = fits.iter().map(|fit| fit.report.seconds).sum();
        report.notes = fits.iter().flat_map(|fit| fit.report.notes.clone()).collect();
        let mut predictors = fits.into_iter().map(|fit| fit.predictor);
        let predictor = match (predictors.next(), predictors.len()) {
            (Some(only), 0) => only,
            (first, _) => {
                let classes: Result<Vec<Linear>> =
                    first.into_iter().chain(predictors).map(|one| one.linear().cloned()).collect();
                Predictor::Linears(Linears { classes: classes? })
            }
        };
        Ok((predictor, report))
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

/// Returns the variance of the values of a column: of the observed, or of all rows with the missing
/// ones imputed by the mean.
fn variance(part: &Part, slot: usize, imputed: bool) -> f64 {
    let rows = if imputed { part.sums.rows() as f64 } else { part.sums.shown(slot) };
    part.sums.squares(slot) / rows.max(1.0)
}
