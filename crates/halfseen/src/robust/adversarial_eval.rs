//! Tries a model on the rows of a table: attacks them, certifies them, and values their attributes.

use super::attack::{Attack, Attacked, attack};
use super::certify::{Certificate, Promise, certify};
use super::information;
use crate::data::{Examples, Layout, Signs, Table, Target, Task, Threat};
use crate::error::{ErrorKind, Result};
use crate::model::Model;
use crate::prepare::{Applied, Other};
use std::ops::Range;
use std::sync::Arc;

/// A model and the rows of a table, prepared as it prepares them.
#[derive(Debug)]
pub struct Trial<'a> {
    model: &'a Model,
    layout: Arc<Layout>,
    table: Other<'a>,
}

impl<'a> Trial<'a> {
    /// Prepares the table; columns are matched by name. Without a target there are certificates
    /// only. A target's classes are the model's.
    ///
    /// # Errors
    /// [`Predictor::additive`](crate::model::Predictor::additive)'s; see
    /// [`Schema::encode`](crate::prepare::Schema::encode).
    pub fn new(model: &'a Model, table: &'a Table, target: Option<&Target>) -> Result<Trial<'a>> {
        model.predictor.additive()?;
        let layout = Arc::new(model.prepare.schema.layout()?);
        let table = model.prepare.apply(table, target)?;
        // More than two classes have none.
        target.map(Target::scores).transpose()?;
        Ok(Trial { model, layout, table })
    }

    /// Looks at these rows only, counted from 0; each is attacked as it is among all.
    pub fn only(&mut self, rows: Range<u32>) {
        self.table.only(rows);
    }

    /// The rows.
    pub fn examples(&self) -> Examples<'_> {
        self.table.examples(&self.model.prepare, &self.layout)
    }

    /// What the table had too much or too little of.
    pub fn applied(&self) -> &Applied {
        &self.table.applied
    }

    /// Names of the attributes that can vanish, in the order of a threat's values.
    pub fn attributes(&self) -> Vec<String> {
        (0..self.layout.sampled_panels()).map(|panel| self.layout.name(panel).to_owned()).collect()
    }

    /// The scores of attacked rows, in the target's units.
    ///
    /// # Errors
    /// See [`attack`]; [`ErrorKind::WrongLength`] without a target.
    pub fn attack(&self, threat: &Threat, kind: Attack, seed: u64) -> Result<Attacked> {
        let examples = self.examples();
        let (expected, found) = (examples.matrix.rows(), examples.targets.len());
        if found != expected {
            return Err(ErrorKind::WrongLength {
                what: "targets, one for each row".into(),
                expected,
                found,
            }
            .into());
        }
        let attacked = attack(&self.model.predictor, &examples, threat, kind, seed)?;
        let target = self.model.prepare.target;
        Ok(Attacked { scores: attacked.scores.map(|score| target.undo(score)), ..attacked })
    }

    /// What no deletion can do to each row's prediction; see [`certify`]. `within`, in the target's
    /// units, is for models that estimate numbers.
    ///
    /// # Errors
    /// A model of numbers without `within`, or one of classes with it; `within` that is negative or
    /// not finite; see [`certify`].
    pub fn certify(&self, values: &Threat, within: Option<f64>) -> Result<Vec<Certificate>> {
        let wrong = |problem: &str| {
            let (what, name, problem) =
                ("certificate", self.model.target.clone(), problem.to_owned());
            Err(ErrorKind::WrongDeclaration { what, name, problem }.into())
        };
        let promise = match (self.model.task, within) {
            (Task::Classification, None) => Promise::Class,
            (Task::Regression, Some(within)) if (0.0..=f64::MAX).contains(&within) => {
                Promise::Within(within)
            }
            (Task::Regression, Some(within)) => {
                let (value, allowed) =
                    (within.to_string(), "a finite number of at least 0".to_owned());
                return Err(ErrorKind::OutOfRange { name: "within", value, allowed }.into());
            }
            (Task::Regression, None) => {
                return wrong(
                    "the model estimates a number; give within (in the program --within), a number: how far, in its units, an estimate may move",
                );
            }
            (Task::Classification, Some(_)) => {
                return wrong("the model tells classes, which cannot move; leave within out");
            }
        };
        certify(
            self.model.predictor.additive()?,
            self.model.prepare.target,
            &self.examples(),
            values,
            promise,
        )
    }

    /// The mutual information of each attribute with the target's classes; see [`information`].
    ///
    /// # Errors
    /// See [`information`]; a target that is not of two classes.
    pub fn information(&self) -> Result<Vec<f64>> {
        let examples = self.examples();
        information(&examples, &Signs::of(&examples, "costs = mi")?.signs)
    }
}
