//! Finds in sums over all rows what the preparation of these rows would find: names, categories,
//! scales, the outputs that are learned of the target, and their moments.

use super::held::OfPart;
use super::part::{Holds, Part, Shown};
use super::refusal::needs_rows;
use super::{NextPass, Partial, Plan};
use crate::budget::digest;
use crate::data::{
    Column, Label, Matrix, Moments, Place, Scale, Scaler, Table, Target, TargetScale, Task,
    TextColumn,
};
use crate::error::{Error, ErrorKind, Result};
use crate::learner::InParts;
use crate::params::{Fill, Needs};
use crate::prepare::{ColumnKind, ColumnSchema, Prepare, Schema, declared_bounds};
use crate::registry;
use faer::Mat;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sums over all rows, which give their units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Units {
    pub(super) all: Part,
    /// Number of rows of each part.
    pub(super) rows: BTreeMap<String, u64>,
    /// The model that all parts learned together, if its losses are to be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<Box<OfPart>>,
}

impl Units {
    pub(super) fn digest(&self) -> Option<String> {
        Some(format!("{:016x}", digest(self).ok()?))
    }
}

impl Partial {
    /// Learns from parts in the units of all rows, which the sums of these or other parts of them
    /// give; nothing of the sums becomes a part. Parts of the same name take as many steps as there
    /// are rows in the sums of that name, and must have as many; others as many as there are rows in all. Of parts that were
    /// learned from ([`NextPass::Certifies`]) the losses of their average are measured.
    ///
    /// # Errors
    /// [`ErrorKind::OtherPlan`] for sums of another target, task or columns; [`ErrorKind::BadFile`] for
    /// a partial that is in units itself, or a learner that learns from the sums alone; classes that
    /// the learner cannot learn; a missing cell, for one that takes none.
    pub fn in_units(mut self, sums: &Partial) -> Result<Partial> {
        let not = |problem: &str| -> Error {
            let key = "units".to_owned();
            ErrorKind::BadFile { what: "partial", key, problem: problem.to_owned() }.into()
        };
        if sums.next_pass() == NextPass::Certifies && self.parts.is_empty() {
            return self.certifying(sums);
        }
        if sums.units.is_some() || !self.parts.is_empty() || self.units.is_some() {
            return Err(not(
                "units are given by sums that were made without any, and before the first part",
            ));
        }
        let of =
            |plan: &Plan| (plan.target.clone(), format!("{:?}", plan.task), plan.ignore.join(", "));
        let (own, theirs) = (of(&self.plan), of(&sums.plan));
        for (what, own, theirs) in [
            ("the target", own.0, theirs.0),
            ("the task", own.1, theirs.1),
            ("what is ignored", own.2, theirs.2),
        ] {
            if own != theirs {
                return Err(ErrorKind::OtherPlan { what: what.to_owned(), own, theirs }.into());
            }
        }
        let learner = self.learner()?;
        let rows = sums.sums().map(|(name, part)| (name.clone(), part.sums.rows())).collect();
        let units = Units { all: sums.all()?, rows, model: None };
        let table = Summed::new(&self.plan, &units.all, &learner.needs())?;
        let classes = table.outputs.labels.len();
        registry::check_classes(&*learner, classes)?;
        match learner.in_parts(classes) {
            Some(InParts::Moments(_)) => {
                return Err(not(&format!(
                    "{} learns from the sums alone: merge them",
                    learner.name()
                )));
            }
            Some(_) => {}
            None => return Err(needs_rows(&*learner, classes)),
        }
        let needs = learner.needs();
        if !needs.holes && !needs.chooses() && !self.plan.imputed && units.all.sums.has_holes() {
            return Err(table.hole());
        }
        self.plan.units = units.digest();
        self.units = Some(units);
        Ok(self)
    }
}

/// Outputs that are learned of the target: for each a column of the sums, which is multiplied and
/// shifted.
pub(super) struct Outputs {
    pub(super) task: Task,
    pub(super) labels: Vec<Label>,
    pub(super) columns: Vec<(usize, f64, f64)>,
}

impl Outputs {
    /// Reads the target as [`Target::read`] reads the column of a table that has all its values.
    pub(super) fn of(part: &Part, task: Option<Task>) -> Result<Outputs> {
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
pub(super) struct Summed<'a> {
    pub(super) part: &'a Part,
    pub(super) outputs: Outputs,
    pub(super) prepare: Prepare,
    /// Column of the sums of each encoded column; `None` if no value of it was observed.
    pub(super) slots: Vec<Option<usize>>,
    imputed: bool,
}

impl<'a> Summed<'a> {
    /// Prepares as the preparation of all rows does, for a learner with these needs.
    ///
    /// # Errors
    /// A target that cannot be learned; a declaration that does not fit; a scale that needs a look at
    /// the cells, for a learner that chooses its reads.
    pub(super) fn new(plan: &Plan, part: &'a Part, needs: &Needs) -> Result<Summed<'a>> {
        let outputs = Outputs::of(part, plan.task)?;
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
        let (groups, prices) = (Vec::new(), BTreeMap::new());
        let mut schema = Schema { columns, groups, prices, by_reads: false };
        let bounds = declared_bounds(&plan.bounds, &schema)?;
        let honest = needs.chooses();
        let scale = plan.scale.unwrap_or(match (needs.uncentred, honest && bounds.is_none()) {
            (true, _) => Scale::Max,
            (false, true) => Scale::None,
            (false, false) => Scale::Each,
        });
        let none = Matrix::F64(Array2::zeros((0, schema.width())));
        if honest && bounds.is_none() {
            scale.needs_no_look(&none)?;
        }
        schema.by_reads = honest && plan.scale.is_none() && bounds.is_none();
        let of_slot =
            |slot: &Option<usize>| slot.map_or(0.0, |slot| variance(part, slot, plan.imputed));
        let raw: Vec<f64> = slots.iter().map(of_slot).map(f64::sqrt).collect();
        let mean: Vec<f64> =
            slots.iter().map(|slot| slot.map_or(0.0, |slot| part.sums.mean(slot))).collect();
        let largest = |slot: &Option<usize>| {
            let [low, high] = slot.and_then(|slot| part.sums.range(slot)).unwrap_or_default();
            low.abs().max(high.abs())
        };
        let scaler = match (scale, &bounds) {
            (scale, Some(bounds)) => Scaler::fit(scale, &none, &[], Some(bounds)),
            (Scale::None, None) => Scaler::None {},
            (Scale::Common, None) => Scaler::common(slots.iter().map(largest).fold(0.0, f64::max)),
            (Scale::Max, None) => Scaler::max(slots.iter().map(largest).collect()),
            (Scale::Each, None) => Scaler::each(mean, raw.clone()),
        };
        let centred = needs.intercept
            && outputs.columns.len() == 1
            && !(needs.plain_classes && outputs.task == Task::Classification);
        let target = match outputs.columns[..] {
            [(slot, times, shift)] if centred => {
                let is_number = outputs.task == Task::Regression;
                let variance = is_number.then(|| variance(part, slot, true));
                TargetScale::of(times * part.sums.mean(slot) + shift, variance)
            }
            _ => TargetScale::IDENTITY,
        };
        let deviations = (!honest).then_some(raw);
        let prepare = Prepare { schema, scaler, target, deviations };
        let imputed = plan.imputed && !needs.uncentred;
        Ok(Summed { part, outputs, prepare, slots, imputed })
    }

    /// Returns the refusal of a missing cell.
    pub(super) fn hole(&self) -> crate::Error {
        let rows = self.part.sums.rows() as f64;
        let names = self.prepare.schema.encoded_names();
        let is_holed =
            |slot: &Option<usize>| slot.is_none_or(|slot| self.part.sums.shown(slot) < rows);
        let at = self.slots.iter().position(is_holed).unwrap_or(0);
        ErrorKind::HolesInColumn { column: names[at].clone() }.into()
    }

    /// Returns the mean of the observed values of each column, in raw units; 0 of one without any.
    pub(super) fn means(&self) -> Vec<f64> {
        self.slots.iter().map(|slot| slot.map_or(0.0, |slot| self.part.sums.mean(slot))).collect()
    }

    /// Returns the value that missing cells of each column get, in raw units: its mean, or the value that
    /// counts as deleted.
    pub(super) fn filled(&self, as_deleted: bool) -> Vec<f64> {
        match as_deleted {
            true => (0..self.slots.len()).map(|j| self.prepare.scaler.affine(j).0).collect(),
            false => self.means(),
        }
    }

    /// Returns a bound on the squared length of a scaled row. Of a text only one indicator is 1, and the
    /// others are 0, which a scale without a centre keeps.
    pub(super) fn longest_square(&self, layout: &crate::data::Layout) -> f64 {
        let square = |slot: usize| {
            let column = layout.column(slot);
            let (offset, divisor) = self.prepare.scaler.affine(column);
            let range = self.slots[column].and_then(|slot| self.part.sums.range(slot));
            let scaled = range.unwrap_or([offset; 2]).map(|value| (value - offset) / divisor);
            scaled[0].powi(2).max(scaled[1].powi(2))
        };
        let of_panel = |panel: usize| layout.slots_of(panel).map(square).fold(0.0, f64::max);
        (0..layout.panels()).map(of_panel).sum()
    }

    /// Returns the means and second moments of the scaled columns: of their observed cells, or of all
    /// where missing ones are imputed.
    pub(super) fn moments(&self) -> Moments {
        let sums = &self.part.sums;
        let affine = |j: usize| self.prepare.scaler.affine(j);
        let means = self.means();
        let scaled = |j: usize| (means[j] - affine(j).0) / affine(j).1;
        let mean: Vec<f64> = (0..means.len()).map(scaled).collect();
        let square = |j: usize| {
            let of = |slot: usize| variance(self.part, slot, self.imputed) / affine(j).1.powi(2);
            self.slots[j].filter(|&slot| sums.range(slot).is_some()).map_or(0.0, of)
                + mean[j].powi(2)
        };
        Moments { square: (0..means.len()).map(square).collect(), mean }
    }

    /// Returns the mean of the squared output, in scaled units; NaN of more than one.
    pub(super) fn target_square(&self) -> f64 {
        let [(slot, times, shift)] = self.outputs.columns[..] else { return f64::NAN };
        let TargetScale { mean, deviation } = self.prepare.target;
        let by = times / deviation;
        let at = by * self.part.sums.mean(slot) + (shift - mean) / deviation;
        by * by * variance(self.part, slot, true) + at * at
    }

    /// Returns for each output the means of the scaled attributes and, as the last, of the output,
    /// and the sums of their products about these means. Missing cells are filled so.
    pub(super) fn about_means(&self, fill: Fill) -> Vec<(Vec<f64>, Mat<f64>)> {
        let (d, sums) = (self.slots.len(), &self.part.sums);
        let count = sums.rows() as f64;
        // Missing cells count as this value of their column, in raw units.
        let filled: Vec<f64> = match (fill, self.imputed) {
            (Fill::Zero, false) => (0..d).map(|j| self.prepare.scaler.affine(j).0).collect(),
            _ => self.means(),
        };
        let mut point: Vec<f64> = (0..sums.width()).map(|slot| sums.mean(slot)).collect();
        for (slot, filled) in self.slots.iter().zip(&filled) {
            slot.iter().for_each(|&slot| point[slot] = *filled);
        }
        let products = sums.products_about(&point);
        let affine = |j: usize| self.prepare.scaler.affine(j);
        let target_scale = self.prepare.target;
        let of_output = |&(target, times, shift): &(usize, f64, f64)| {
            let by = times / target_scale.deviation;
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
            (mean, about)
        };
        self.outputs.columns.iter().map(of_output).collect()
    }
}

/// Returns the variance of the values of a column: of the observed, or of all rows with the missing
/// ones imputed by the mean.
fn variance(part: &Part, slot: usize, imputed: bool) -> f64 {
    let rows = if imputed { part.sums.rows() as f64 } else { part.sums.shown(slot) };
    part.sums.squares(slot) / rows.max(1.0)
}
