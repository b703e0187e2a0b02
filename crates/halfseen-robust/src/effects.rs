//! Computes the change of a row's score when each attribute is deleted.

use halfseen_core::data::{Examples, Layout, Threat};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::model::Linear;

/// State of one row at a time for a linear model; a deleted attribute takes the predictor's fill,
/// like a missing cell.
#[derive(Debug, Clone)]
pub(super) struct Effects<'a> {
    linear: &'a Linear,
    layout: &'a Layout,
    values: &'a [f64],
    /// True if attribute, slot and column have the same number.
    single: bool,
    /// Scaled row with missing cells filled.
    pub(super) row: Vec<f64>,
    /// Attributes with an observed cell that differs from its fill, increasing.
    pub(super) attributes: Vec<u32>,
    /// Change of the score when each of them is deleted.
    pub(super) changes: Vec<f64>,
    /// True if the deletion changes any term of the score.
    pub(super) alters: Vec<bool>,
    /// Attributes whose cells are all missing, increasing.
    pub(super) missing: Vec<u32>,
    /// Total value of the missing attributes, already spent.
    pub(super) spent: f64,
    /// Score before deletions.
    pub(super) score: f64,
}

impl<'a> Effects<'a> {
    /// Creates the workspace for these examples.
    ///
    /// # Errors
    /// [`ErrorKind::WrongLength`]: the number of weights or values does not match the table.
    pub(super) fn new(
        linear: &'a Linear,
        examples: &'a Examples<'_>,
        threat: &'a Threat,
    ) -> Result<Effects<'a>> {
        let wrong = |what: &str, expected: usize, found: usize| ErrorKind::WrongLength {
            what: what.to_owned(),
            expected,
            found,
        };
        let (layout, columns) = (&**examples.layout, examples.columns());
        if linear.weights.len() != columns {
            return Err(wrong("columns, one for each weight", linear.weights.len(), columns).into());
        }
        if threat.values().len() != layout.sampled_panels() {
            let what = "costs, one for each attribute that can be deleted";
            return Err(wrong(what, layout.sampled_panels(), threat.values().len()).into());
        }
        Ok(Effects {
            linear,
            layout,
            values: threat.values(),
            single: layout.is_plain(),
            row: vec![0.0; columns],
            attributes: Vec::new(),
            changes: Vec::new(),
            alters: Vec::new(),
            missing: Vec::new(),
            spent: 0.0,
            score: 0.0,
        })
    }

    pub(super) fn read(&mut self, examples: &Examples<'_>, row: usize) {
        examples.row_into(row, &mut self.row);
        self.attributes.clear();
        self.changes.clear();
        self.alters.clear();
        self.missing.clear();
        if self.single {
            for j in 0..self.row.len() {
                let (x, w, fill) = (self.row[j], self.linear.weights[j], self.linear.fill[j]);
                if x.is_nan() {
                    self.row[j] = fill;
                    self.missing.push(j as u32);
                } else if x != fill {
                    self.attributes.push(j as u32);
                    self.changes.push(w * fill - w * x);
                    self.alters.push(w * fill != w * x);
                }
            }
        } else {
            for panel in 0..self.layout.panels() {
                self.panel(panel);
            }
        }
        self.spent = self.missing.iter().map(|&j| self.values[j as usize]).sum();
        self.score = self.linear.score(&self.row);
    }

    /// Handles an attribute of several columns, or a known one.
    fn panel(&mut self, panel: usize) {
        let (mut change, mut alters, mut there, mut differs) = (0.0, false, false, false);
        for slot in self.layout.slots_of(panel) {
            let column = self.layout.column(slot);
            let (x, w, fill) =
                (self.row[column], self.linear.weights[column], self.linear.fill[column]);
            if x.is_nan() {
                self.row[column] = fill;
                continue;
            }
            there = true;
            differs |= x != fill;
            change += w * fill - w * x;
            alters |= w * fill != w * x;
        }
        if panel >= self.layout.sampled_panels() {
            return;
        }
        if !there {
            self.missing.push(panel as u32);
        } else if differs {
            self.attributes.push(panel as u32);
            self.changes.push(change);
            self.alters.push(alters);
        }
    }

    /// Takes the difference of the scores of two classes, with the same fills, for the score of the
    /// row that was read.
    pub(super) fn between(&mut self, of: &Linear, other: &Linear) {
        for (at, &attribute) in self.attributes.iter().enumerate() {
            let (mut change, mut alters) = (0.0, false);
            for column in self.columns(attribute) {
                let (x, fill) = (self.row[column], of.fill[column]);
                let (w, v) = (of.weights[column], other.weights[column]);
                change += (w - v) * fill - (w - v) * x;
                // Equal terms leave the difference as it is, but not its rounding.
                alters |= w * fill != w * x || v * fill != v * x;
            }
            (self.changes[at], self.alters[at]) = (change, alters);
        }
        self.score = of.score(&self.row) - other.score(&self.row);
    }

    pub(super) fn columns(&self, attribute: u32) -> impl Iterator<Item = usize> + use<'a> {
        let layout = self.layout;
        layout.slots_of(attribute as usize).map(move |slot| layout.column(slot))
    }

    pub(super) fn vanish(&mut self, attribute: u32) {
        for column in self.columns(attribute) {
            self.row[column] = self.linear.fill[column];
        }
    }

    /// Returns the score of the row in its present state.
    pub(super) fn score_now(&self) -> f64 {
        self.linear.score(&self.row)
    }

    /// Returns the Euclidean norm of an attribute's weights in these models.
    pub(super) fn weight(&self, of: &[Linear], attribute: u32) -> f64 {
        let all = |column: usize| of.iter().map(move |linear| linear.weights[column]);
        self.columns(attribute).flat_map(all).fold(0.0, f64::hypot)
    }

    /// Returns the largest possible sum of absolute terms of this row's score by a linear model under
    /// any deletions.
    pub(super) fn size(&self, of: &Linear) -> f64 {
        let terms = self.row.iter().zip(&of.weights).zip(&of.fill);
        of.intercept.abs()
            + terms.map(|((x, w), fill)| w.abs() * x.abs().max(fill.abs())).sum::<f64>()
    }
}
