//! Prepares for all rows by the sums over them, as the preparation of a table does by its cells.

use super::Plan;
use super::part::Part;
use crate::data::{Bounds, Label, TargetScale, Task};
use crate::error::{ErrorKind, Result, short};
use crate::params::{Fill, Needs};
use crate::prepare::{ColumnKind, Missing, Prepare};
use faer::Mat;
use halfseen_core::data::ColumnFacts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Preparation of all rows, in whose units a second pass goes through them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Units {
    pub(super) prepare: Prepare,
    pub(super) task: Task,
    pub(super) classes: Vec<Label>,
    /// Number of rows of each part.
    pub(super) rows: BTreeMap<String, u64>,
}

impl Units {
    /// Refuses contents of a file that contradict each other.
    pub(super) fn check(&self) -> Result<()> {
        self.prepare.validate()?;
        if (self.task == Task::Classification) == (self.classes.len() > 1) {
            return Ok(());
        }
        let (key, problem) = ("classes".to_owned(), "do not suit the task".to_owned());
        Err(ErrorKind::BadFile { what: "partial", key, problem }.into())
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
    /// Reads the target as [`Target::read`](crate::data::Target::read) reads a column.
    fn of(part: &Part, task: Option<Task>) -> Result<Outputs> {
        let (name, kind, labels) = (&part.target().name, &part.target().kind, part.labels());
        if part.sums.rows() < 2 {
            let rows = part.sums.rows() as usize;
            return Err(ErrorKind::TooFewRows { what: "learning".into(), least: 2, rows }.into());
        }
        let task = match (kind, task) {
            // Numbers may be categories as well.
            (ColumnKind::Text { .. }, None) => Some(Task::Classification),
            (ColumnKind::Number, _) if labels.len() > 2 => Some(Task::Regression),
            _ => task,
        };
        let task = Task::of(name, &labels, task)?;
        let labels = if task == Task::Classification { labels } else { Vec::new() };
        // Its first column of the sums.
        let first = part.sums.width() - part.target().width();
        let columns = match (kind, &labels[..]) {
            (ColumnKind::Number, [Label::Number(low), Label::Number(high)]) => {
                // -1 and +1 are a line in the two numbers.
                let half = 0.5 * (high - low);
                vec![(first, half.recip(), -(low + half) / half)]
            }
            (ColumnKind::Number, _) => vec![(first, 1.0, 0.0)],
            // Categories are sorted as texts, labels perhaps as numbers.
            (ColumnKind::Text { categories }, all) => {
                let column = |label: &Label| {
                    let text = label.to_string();
                    first + categories.iter().position(|own| *own == text).unwrap_or(0)
                };
                match all {
                    [_, second] => vec![(column(second), 2.0, -1.0)],
                    all => all.iter().map(|label| (column(label), 1.0, 0.0)).collect(),
                }
            }
        };
        Ok(Outputs { task, labels, columns })
    }
}

/// The table as its sums show it.
pub(super) struct Summed<'a> {
    pub(super) part: &'a Part,
    pub(super) outputs: Outputs,
    pub(super) prepare: Prepare,
    pub(super) bounds: Option<Bounds>,
    imputed: bool,
}

/// Facts of the attributes' columns by their sums.
struct Facts<'a> {
    part: &'a Part,
    columns: usize,
    imputed: bool,
}

impl ColumnFacts for Facts<'_> {
    fn are_bytes(&self) -> bool {
        false
    }

    fn largest(&self) -> Vec<f64> {
        let range = |j| self.part.sums.range(j).unwrap_or_default();
        (0..self.columns).map(range).map(|[low, high]| low.abs().max(high.abs())).collect()
    }

    fn mean_and_deviation(&self) -> (Vec<f64>, Vec<f64>) {
        let of = |j| (self.part.sums.mean(j), variance(self.part, j, self.imputed).sqrt());
        (0..self.columns).map(of).unzip()
    }
}

impl<'a> Summed<'a> {
    /// Prepares for a learner with these needs.
    ///
    /// # Errors
    /// A target that cannot be learned; a declaration that does not fit; a scale that needs a look at
    /// the cells, for a learner that chooses its reads.
    pub(super) fn new(plan: &Plan, part: &'a Part, needs: &Needs) -> Result<Summed<'a>> {
        let (outputs, options) = (Outputs::of(part, plan.task)?, plan.options(needs));
        let mut schema = part.schema();
        let imputed = options.missing == Missing::Mean;
        let facts = Facts { part, columns: schema.width(), imputed };
        let (scaler, bounds) = options.scaler(&mut schema, &facts)?;
        let target = match outputs.columns[..] {
            [(column, times, shift)] if options.centres(outputs.task, outputs.labels.len()) => {
                let is_number = outputs.task == Task::Regression;
                let variance = is_number.then(|| variance(part, column, true));
                TargetScale::of(times * part.sums.mean(column) + shift, variance)
            }
            _ => TargetScale::IDENTITY,
        };
        let deviations = (!options.honest).then(|| facts.mean_and_deviation().1);
        let prepare = Prepare { schema, scaler, target, deviations };
        Ok(Summed { part, outputs, prepare, bounds, imputed })
    }

    /// Refuses missing cells, unless the learner takes them or they are imputed.
    pub(super) fn check_holes(&self, needs: &Needs) -> Result<()> {
        if needs.holes || self.imputed || !self.part.sums.has_holes() {
            return Ok(());
        }
        let names = self.prepare.schema.encoded_names();
        let is_holed = |j: &usize| self.part.sums.shown(*j) < self.part.sums.rows() as f64;
        let at = (0..names.len()).find(is_holed).unwrap_or(0);
        let problem = format!(
            "some cells of column '{}' are missing; impute them by --missing mean, or choose zero or mean",
            short(&names[at])
        );
        Err(ErrorKind::Table(problem).into())
    }

    /// Returns the mean of the observed values of each attribute's column, in raw units, if missing
    /// cells are imputed by it.
    pub(super) fn filled(&self) -> Option<Vec<f64>> {
        let columns = self.prepare.schema.width();
        self.imputed.then(|| (0..columns).map(|j| self.part.sums.mean(j)).collect())
    }

    /// Returns for each output the means of the scaled attributes and, as the last, of the output,
    /// and the sums of their products about these means. Missing cells are filled so.
    pub(super) fn about_means(&self, fill: Fill) -> Vec<(Vec<f64>, Mat<f64>)> {
        let (d, sums) = (self.prepare.schema.width(), &self.part.sums);
        let count = sums.rows() as f64;
        let affine = |j: usize| self.prepare.scaler.affine(j);
        // Missing cells count as this value of their column, in raw units.
        let filled = |j: usize| match (fill, self.imputed) {
            (Fill::Zero, false) if j < d => affine(j).0,
            _ => sums.mean(j),
        };
        let point: Vec<f64> = (0..sums.width()).map(filled).collect();
        let products = sums.products_about(&point);
        let target_scale = self.prepare.target;
        let of_output = |&(target, times, shift): &(usize, f64, f64)| {
            let by = times / target_scale.deviation;
            let column = |j: usize| if j < d { j } else { target };
            let factor = |j: usize| if j < d { affine(j).1.recip() } else { by };
            let beyond = |j: usize| sums.sum_about(column(j), point[column(j)]) / count;
            let beyond: Vec<f64> = (0..=d).map(beyond).collect();
            let mean = |j: usize| match j < d {
                true => (point[j] - affine(j).0) / affine(j).1 + factor(j) * beyond[j],
                false => {
                    by * sums.mean(target) + (shift - target_scale.mean) / target_scale.deviation
                }
            };
            let about = Mat::from_fn(d + 1, d + 1, |j, k| {
                let product = products[(column(j), column(k))];
                factor(j) * factor(k) * (product - count * beyond[j] * beyond[k])
            });
            ((0..=d).map(mean).collect(), about)
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
