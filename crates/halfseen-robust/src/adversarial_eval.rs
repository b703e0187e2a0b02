//! Evaluates a model on a table: attacks and certifies rows, and computes costs of attributes.

use super::attack::{Attack, Attacked, attack_from};
use super::certify::{Certificate, CertifiedClaim, certify};
use super::information;
use halfseen_core::data::{Examples, Layout, Table, Target, Task, Threat};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::model::Model;
use halfseen_core::prepare::{Applied, Other};
use std::ops::Range;
use std::sync::Arc;

/// Model and table rows, prepared as the model prepares them.
#[derive(Debug)]
pub struct Trial<'a> {
    model: &'a Model,
    layout: Arc<Layout>,
    table: Other<'a>,
    /// Number of the table's first row.
    first: u64,
}

impl<'a> Trial<'a> {
    /// Prepares the table; columns are matched by name. Without a target only certificates are
    /// possible. Classes of the target are the model's.
    ///
    /// # Errors
    /// See [`Predictor::additive`](halfseen_core::model::Predictor::additive) and
    /// [`Schema::encode`](halfseen_core::prepare::Schema::encode).
    pub fn new(model: &'a Model, table: &'a Table, target: Option<&Target>) -> Result<Trial<'a>> {
        model.predictor.additive()?;
        let layout = Arc::new(model.prepare.schema.layout()?);
        let table = model.prepare.apply(table, target)?;
        if model.predictor.outputs() == 1 {
            // Targets of more than two classes have no scores.
            target.map(Target::scores).transpose()?;
        }
        Ok(Trial { model, layout, table, first: 0 })
    }

    /// Takes the table for a part of another, whose rows before it are so many: random attacks on
    /// its rows are as they are in the whole.
    pub fn after(self, rows: u64) -> Trial<'a> {
        Trial { first: rows, ..self }
    }

    /// Restricts the evaluation to these rows, counted from 0; attacks on each row do not change.
    pub fn only(&mut self, rows: Range<u32>) {
        self.table.only(rows);
    }

    /// Returns the rows.
    pub fn examples(&self) -> Examples<'_> {
        self.table.examples(&self.model.prepare, &self.layout)
    }

    /// Returns the differences between table and schema.
    pub fn applied(&self) -> &Applied {
        &self.table.applied
    }

    /// Returns the names of attributes that can be deleted, in the order of a threat's values.
    pub fn attributes(&self) -> Vec<String> {
        (0..self.layout.sampled_panels()).map(|panel| self.layout.name(panel).to_owned()).collect()
    }

    /// Computes the scores of attacked rows, in the target's units; the worst deletions are those by the
    /// loss that the model is about.
    ///
    /// # Errors
    /// See [`attack`](crate::attack); [`ErrorKind::WrongLength`] without a target.
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
        let (predictor, loss) = (&self.model.predictor, self.model.report.number_loss());
        let attacked = attack_from((self.first, loss), predictor, &examples, threat, kind, seed)?;
        let target = self.model.prepare.target;
        Ok(Attacked { scores: attacked.scores.map(|score| target.undo(score)), ..attacked })
    }

    /// Certifies each row's prediction; see [`certify`]. `within`, in the target's units, is for
    /// regression models.
    ///
    /// # Errors
    /// If a regression model has no `within` or a classifier has one; if `within` is negative or
    /// not finite; see [`certify`].
    pub fn certify(&self, values: &Threat, within: Option<f64>) -> Result<Vec<Certificate>> {
        let wrong = |problem: &str| {
            let (what, name, problem) =
                ("certificate", self.model.target.clone(), problem.to_owned());
            Err(ErrorKind::WrongDeclaration { what, name, problem }.into())
        };
        let promise = match (self.model.task, within) {
            (Task::Classification, None) => CertifiedClaim::Class,
            (Task::Regression, Some(within)) if (0.0..=f64::MAX).contains(&within) => {
                CertifiedClaim::Within(within)
            }
            (Task::Regression, Some(within)) => {
                let (value, allowed) =
                    (within.to_string(), "a finite number of at least 0".to_owned());
                return Err(ErrorKind::OutOfRange { name: "within", value, allowed }.into());
            }
            (Task::Regression, None) => {
                return wrong(
                    "the model estimates a number; give within (in the program --within), the \
                     allowed change of an estimate in the target's units",
                );
            }
            (Task::Classification, Some(_)) => {
                return wrong("the model predicts classes, not numbers; leave within out");
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

    /// Returns the mutual information of each attribute with the target's classes; see
    /// [`information`].
    ///
    /// # Errors
    /// See [`information`].
    pub fn information(&self) -> Result<Vec<f64>> {
        information(&self.examples())
    }
}
