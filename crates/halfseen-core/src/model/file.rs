//! Keeps a fitted model with everything needed to predict, as versioned JSON.

use super::conditional::no_number;
use super::{Predictor, Report, Scores};
use crate::data::{Examples, Label, Layout, Scaler, Table, TargetScale, Task};
use crate::error::{Error, Result, check_version};
use crate::params::DAMAGE;
use crate::prepare::{Applied, Prepare, Schema};
use halfseen_solve::{Monitor, Silent};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const FORMAT: &str = "halfseen-model";
/// The version that is written and read.
const VERSION: u64 = 3;

/// A fitted model: predicts from tables in their own units and labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The learner's name.
    pub learner: String,
    /// Its parameters.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// Map from tables to scaled values, and from scores back to the target's units.
    pub prepare: Prepare,
    /// The name of the target column.
    pub target: String,
    /// Prediction of numbers or of classes.
    pub task: Task,
    /// Classes, sorted. A positive score means the second of two; each of more has its own score.
    pub classes: Vec<Label>,
    /// The predictor in scaled units.
    pub predictor: Predictor,
    /// Report of the fit.
    pub report: Report,
}

/// Predictions for the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Score of each row: an estimate of the target, or of -1 and +1 for two classes; one per class
    /// for more.
    pub scores: Scores,
    /// Columns that the table had in excess, or lacked.
    pub applied: Applied,
}

/// Prediction intervals for the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Intervals {
    /// Lower and upper end for each row, in the target's units.
    pub ends: Vec<(f64, f64)>,
    /// Columns that the table had in excess, or lacked.
    pub applied: Applied,
}

impl Model {
    /// Returns true if its learner prepared for noise in attributes, and not for their deletion.
    pub fn prepares_for_noise(&self) -> bool {
        self.params.get(DAMAGE.name).is_some_and(|damage| damage == "noise")
    }

    /// Predicts every row of a table. Columns are matched by name; of missing cells a weighted sum
    /// takes the mean that the learner knew, or what it expects given the cells that are there;
    /// other predictors take none.
    ///
    /// # Errors
    /// See [`Schema::encode`](crate::prepare::Schema::encode) and [`Predictor::scores`].
    pub fn predict(&self, table: &Table) -> Result<Prediction> {
        self.predict_while(table, &Silent)
    }

    /// Predicts every row of a table as [`Model::predict`] does, and looks at the monitor in
    /// between.
    ///
    /// # Errors
    /// As for [`Model::predict`]; [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted).
    pub fn predict_while(&self, table: &Table, monitor: &dyn Monitor) -> Result<Prediction> {
        let encoded = self.prepare.encode(table)?;
        let layout = Arc::new(Layout::singletons(encoded.matrix.columns()));
        let examples = Examples::new(&encoded.matrix, &self.prepare.scaler, &layout, &[]);
        let scores = self.predictor.scores_while(&examples, monitor)?;
        let scores = scores.map(|score| self.prepare.target.undo(score));
        Ok(Prediction { scores, applied: encoded.applied })
    }

    /// Prediction intervals for every row of a table, (n_rows), in the target's units: ranges that
    /// hold the target of a share `level` of such rows, if the model is right. Columns are matched
    /// and holes taken as by [`Model::predict`]; a hole widens the interval. See
    /// [`Conditional::intervals`](super::Conditional::intervals).
    ///
    /// # Errors
    /// [`ErrorKind::Request`](crate::ErrorKind::Request) for classes, and for predictors that know
    /// no distribution of the
    /// target; [`ErrorKind::OutOfRange`](crate::ErrorKind::OutOfRange) for a level that is not
    /// between 0 and 1; see also
    /// [`Model::predict`].
    pub fn intervals(&self, table: &Table, level: f64) -> Result<Intervals> {
        self.intervals_while(table, level, &Silent)
    }

    /// Returns the intervals of [`Model::intervals`], and looks at the monitor in between.
    ///
    /// # Errors
    /// As for [`Model::intervals`]; [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted).
    pub fn intervals_while(
        &self,
        table: &Table,
        level: f64,
        monitor: &dyn Monitor,
    ) -> Result<Intervals> {
        if self.task == Task::Classification {
            return Err(no_number());
        }
        let encoded = self.prepare.encode(table)?;
        let layout = Arc::new(Layout::singletons(encoded.matrix.columns()));
        let examples = Examples::new(&encoded.matrix, &self.prepare.scaler, &layout, &[]);
        let mut ends = self.predictor.intervals_while(&examples, level, monitor)?;
        let target = self.prepare.target;
        ends.iter_mut()
            .for_each(|(low, high)| (*low, *high) = (target.undo(*low), target.undo(*high)));
        Ok(Intervals { ends, applied: encoded.applied })
    }

    /// The class that a row's scores mean; `None` for regression. A score of 0 is the first of two
    /// classes.
    pub fn class(&self, scores: &Scores, row: usize) -> Option<&Label> {
        self.classes.get(scores.class(row))
    }

    /// The least and the largest number that is predicted, in units of the target: those of the
    /// targets learned from. `None` where nothing keeps predictions within a range.
    pub fn clip(&self) -> Option<[f64; 2]> {
        let linear = match &self.predictor {
            Predictor::Linear(linear) => linear,
            Predictor::Conditional(conditional) if conditional.link.is_none() => {
                &conditional.linear
            }
            Predictor::Curves(curves) if curves.conditional.link.is_none() => {
                &curves.conditional.linear
            }
            _ => return None,
        };
        linear.clip.map(|ends| ends.map(|end| self.prepare.target.undo(end)))
    }

    /// The model that predicts whatever the weighted sum is.
    #[must_use]
    pub fn without_clip(mut self) -> Model {
        self.predictor = self.predictor.without_clip();
        self
    }

    /// The model that predicts from cells whatever they are, not from the nearest of their bounds.
    #[must_use]
    pub fn without_bounds(mut self) -> Model {
        self.predictor = self.predictor.without_bounds();
        self
    }

    /// The model as JSON text.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if a number is not finite.
    pub fn to_json(&self) -> Result<String> {
        self.validate()?;
        let file = File {
            format: FORMAT.into(),
            version: VERSION,
            learner: self.learner.clone(),
            params: self.params.clone(),
            schema: self.prepare.schema.clone(),
            prepare: Scales {
                scaler: self.prepare.scaler.clone(),
                target: self.prepare.target,
                deviations: self.prepare.deviations.clone(),
            },
            target: self.target.clone(),
            task: self.task,
            classes: self.classes.clone(),
            predictor: self.predictor.clone(),
            report: self.report.clone(),
        };
        serde_json::to_string_pretty(&file).map_err(|e| Error::in_model("", e.to_string()))
    }

    /// Reads a model from JSON text, whatever its learner is; users have `registry::read_model`.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), naming the key: another format or
    /// version, unknown or missing keys,
    /// numbers that are not finite or not as many as the schema has columns.
    #[doc(hidden)]
    pub fn read_json(text: &str) -> Result<Model> {
        let head: Head = serde_json::from_str(text)
            .map_err(|e| Error::in_model("format", format!("this is not a model file ({e})")))?;
        if head.format != FORMAT {
            let problem = format!("is '{}', not '{FORMAT}'", crate::error::short(&head.format));
            return Err(Error::in_model("format", problem));
        }
        check_version(head.version, VERSION)
            .map_err(|problem| Error::in_model("version", problem))?;
        let file: File = serde_json::from_str(text)
            .map_err(|e| Error::in_model(key_of(text, &e), e.to_string()))?;
        let model = Model {
            learner: file.learner,
            params: file.params,
            prepare: Prepare {
                schema: file.schema,
                scaler: file.prepare.scaler,
                target: file.prepare.target,
                deviations: file.prepare.deviations,
            },
            target: file.target,
            task: file.task,
            classes: file.classes,
            predictor: file.predictor,
            report: file.report,
        };
        model.validate()?;
        Ok(model)
    }

    /// Refuses inconsistent contents.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), naming the key.
    pub(crate) fn validate(&self) -> Result<()> {
        let columns = self.prepare.schema.width();
        self.prepare.validate()?;
        let (classes, outputs) = (self.classes.len(), self.predictor.outputs());
        match self.task {
            Task::Regression if classes > 0 => {
                return Err(Error::in_model("classes", "must be empty: the task is regression"));
            }
            Task::Classification if classes < 2 => {
                let problem = format!("has {classes} entries, the task needs two or more");
                return Err(Error::in_model("classes", problem));
            }
            _ => {}
        }
        let needed = if classes > 2 { classes } else { 1 };
        if outputs != needed {
            let problem = format!("gives {outputs} scores where {needed} are needed");
            return Err(Error::in_model("predictor", problem));
        }
        let panels = self.prepare.schema.layout()?.sampled_panels();
        if let Some(threat) = &self.report.threat {
            threat.validate(panels)?;
        }
        let quantile = self.report.quantile;
        if quantile.is_some_and(|q| classes > 0 || !(q > 0.0 && q < 1.0)) {
            return Err(Error::in_model(
                "report.quantile",
                "must be between 0 and 1, and of numbers",
            ));
        }
        let reads = &self.report.panel_reads;
        let sum: u128 = reads.iter().map(|&n| u128::from(n)).sum();
        if !reads.is_empty() && (reads.len() != panels || sum != u128::from(self.report.distinct)) {
            return Err(Error::in_model(
                "report.panel_reads",
                "must be one number for each panel that can be read, in all distinct",
            ));
        }
        self.predictor.validate(columns)
    }
}

#[derive(Deserialize)]
struct Head {
    format: String,
    version: u64,
}

/// The file, key by key.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u64,
    learner: String,
    params: serde_json::Map<String, serde_json::Value>,
    schema: Schema,
    prepare: Scales,
    target: String,
    task: Task,
    classes: Vec<Label>,
    predictor: Predictor,
    report: Report,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scales {
    scaler: Scaler,
    target: TargetScale,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deviations: Option<Vec<f64>>,
}

/// The key that an error is about: the one that serde names as unknown, missing or duplicate, else
/// the section of the file that cannot be read alone.
fn key_of(text: &str, error: &serde_json::Error) -> String {
    let message = error.to_string();
    if let Some((_, rest)) = message.split_once(" field `") {
        return rest.split('`').next().unwrap_or_default().to_owned();
    }
    let Ok(sections) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text)
    else {
        return String::new();
    };
    let fits = |key: &str, value: &serde_json::Value| match key {
        "params" => value.is_object(),
        "schema" => Schema::deserialize(value).is_ok(),
        "prepare" => Scales::deserialize(value).is_ok(),
        "task" => Task::deserialize(value).is_ok(),
        "classes" => Vec::<Label>::deserialize(value).is_ok(),
        "predictor" => Predictor::deserialize(value).is_ok(),
        "report" => Report::deserialize(value).is_ok(),
        _ => value.is_string() || key == "version",
    };
    sections
        .into_iter()
        .find(|(key, value)| !fits(key, value))
        .map_or(String::new(), |(key, _)| key)
}
