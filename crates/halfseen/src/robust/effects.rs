//! Measures what the loss of each attribute would do to the score of a row.

use crate::data::{Examples, Layout, Threat};
use crate::error::{ErrorKind, Result};
use crate::model::Linear;

/// One row after the other, as a weighted sum sees it: what vanishes takes the predictor's fill, as
/// a missing cell does.
#[derive(Debug, Clone)]
pub(super) struct Effects<'a> {
    linear: &'a Linear,
    layout: &'a Layout,
    values: &'a [f64],
    /// Whether attribute, slot and column are the same number.
    single: bool,
    /// The scaled row, missing cells filled.
    pub(super) row: Vec<f64>,
    /// The attributes with a cell that is there and differs from its fill, increasing.
    pub(super) attributes: Vec<u32>,
    /// What the loss of each adds to the score.
    pub(super) changes: Vec<f64>,
    /// Whether it changes any term of the score at all.
    pub(super) alters: Vec<bool>,
    /// The attributes whose cells are all missing, increasing.
    pub(super) missing: Vec<u32>,
    /// Their value: what has been spent.
    pub(super) spent: f64,
    /// The score as it is.
    pub(super) score: f64,
}

impl<'a> Effects<'a> {
    /// Effects for the rows of these examples.
    ///
    /// # Errors
    /// [`ErrorKind::WrongLength`]: weights or values of other numbers of columns or attributes.
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
            let what = "costs, one for each attribute that can vanish";
            return Err(wrong(what, layout.sampled_panels(), threat.values().len()).into());
        }
        Ok(Effects {
            linear,
            layout,
            values: threat.values(),
            single: layout.identity(),
            row: vec![0.0; columns],
            attributes: Vec::new(),
            changes: Vec::new(),
            alters: Vec::new(),
            missing: Vec::new(),
            spent: 0.0,
            score: 0.0,
        })
    }

    /// Looks at one row.
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

    /// An attribute of several columns, or one that is known.
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

    /// The columns of an attribute.
    pub(super) fn columns(&self, attribute: u32) -> impl Iterator<Item = usize> + use<'a> {
        let layout = self.layout;
        layout.slots_of(attribute as usize).map(move |slot| layout.column(slot))
    }

    /// Takes an attribute away from the row.
    pub(super) fn vanish(&mut self, attribute: u32) {
        for column in self.columns(attribute) {
            self.row[column] = self.linear.fill[column];
        }
    }

    /// The score of the row as it is now: what a prediction of it says.
    pub(super) fn score_now(&self) -> f64 {
        self.linear.score(&self.row)
    }

    /// The Euclidean length of an attribute's weights.
    pub(super) fn weight(&self, attribute: u32) -> f64 {
        self.columns(attribute).map(|column| self.linear.weights[column]).fold(0.0, f64::hypot)
    }

    /// The largest sum of absolute terms that a score of this row can have, whatever vanishes.
    pub(super) fn size(&self) -> f64 {
        let terms = self.row.iter().zip(&self.linear.weights).zip(&self.linear.fill);
        self.linear.intercept.abs()
            + terms.map(|((x, w), fill)| w.abs() * x.abs().max(fill.abs())).sum::<f64>()
    }
}
