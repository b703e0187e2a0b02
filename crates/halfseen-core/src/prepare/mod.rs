//! Prepares tables for learning: fitted on training rows, stored in the model, applied alike.
//!
//! `Table -> `[`Schema`]` (columns and categories) -> encoded matrix in raw units ->`
//! [`Scaler`]` -> scaled values`. The [`Layout`] gives the encoded columns
//! that are read together (a *panel*: one attribute, with its hat functions if a
//! [`Basis`](crate::data::Basis) adds them, the indicators of one text attribute, or a declared
//! group) and those always known.

mod declared;
mod encoder;
mod knots;
mod pilot;
mod prepared;
mod schema;

pub use declared::Moment;
pub use encoder::in_range;
pub use encoder::{Applied, Encoded};
pub use prepared::{Missing, Options, Other, Prepared};
pub use schema::{ColumnKind, ColumnSchema, Group, Schema};

use crate::data::{Cell, Layout, Scaler, Table, TargetScale};
use crate::error::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// All steps between a table and a learner; part of every model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prepare {
    /// Names, kinds and categories of the attributes, and their panels.
    pub schema: Schema,
    /// Map from raw to scaled units.
    pub scaler: Scaler,
    /// Map from the target's units to the learner's.
    pub target: TargetScale,
    /// Standard deviation of each encoded column over the training rows, in raw units; `None` where
    /// the fit may not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviations: Option<Vec<f64>>,
}

impl Prepare {
    /// Encodes a table into a matrix in raw units, (n_rows, n_columns); missing cells are NaN.
    ///
    /// # Errors
    /// See [`Schema::encode`].
    pub fn encode<'a>(&self, table: &'a Table) -> Result<Encoded<'a>> {
        self.schema.encode(table)
    }

    /// Refuses inconsistent contents of a file.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`], naming the key.
    pub fn validate(&self) -> Result<()> {
        let bad = |key: &str, problem: String| Error::in_model(key, problem);
        self.schema.layout().map_err(|e| match e.kind() {
            ErrorKind::BadFile { .. } => e,
            _ => bad("schema", e.to_string()),
        })?;
        self.scaler.validate(self.schema.width())?;
        if let Some(deviations) = &self.deviations
            && (deviations.len() != self.schema.width()
                || !deviations.iter().all(|v| v.is_finite() && *v >= 0.0))
        {
            let problem = "must hold one finite number of at least 0 per column".to_owned();
            return Err(bad("prepare.deviations", problem));
        }
        let TargetScale { mean, deviation } = self.target;
        if mean.abs() <= 1e100 && deviation <= 1e100 && deviation > 0.0 {
            return Ok(());
        }
        Err(bad(
            "prepare.target",
            "mean and standard deviation must be finite and at most 1e100, the standard deviation above 0".to_owned(),
        ))
    }

    /// Appends the scaled values of one panel to `values`, for callers that answer a query. `cell`
    /// gives the cell of each of the panel's attributes ([`Schema::attributes_of`]); a missing one
    /// is NaN.
    ///
    /// # Errors
    /// A cell of another kind than its attribute.
    pub fn push_panel<'c>(
        &self,
        (layout, panel): (&Layout, usize),
        attributes: &[usize],
        cell: impl Fn(usize) -> Cell<'c>,
        values: &mut Vec<f64>,
    ) -> Result<()> {
        let from = values.len();
        for &attribute in attributes {
            self.schema.columns[attribute].push(cell(attribute), values)?;
        }
        for (slot, value) in layout.slots_of(panel).zip(&mut values[from..]) {
            *value = self.scaler.scale(layout.column(slot), *value);
        }
        Ok(())
    }
}
