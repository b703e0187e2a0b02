//! Holds schema, learner, parameters and rules of a study; starts its learner.

use crate::asking::asker::Asker;
use crate::error::{Error, Result};
use crate::schema::{Attribute, AttributeKind, DATE, StudySchema};
use halfseen::data::{Column, Label, Matrix, Place, Table, Target, TargetScale, TextColumn};
use halfseen::prepare::{Group, Options, Prepared};
use halfseen::{Learner, registry};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Parameters that limit all reads together.
const LIMITS: [&str; 2] = ["total_budget", "total_cost"];

/// Treatment of values that nobody asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unasked {
    /// They are kept and flagged, and the learner does not see them.
    #[default]
    Accept,
    /// They are refused.
    Refuse,
    /// They are kept, flagged and learned from, for which a new study needs a learner that keeps its
    /// reads (`fiml`). It is right only if the reason for which they
    /// were measured is among the values that are told, or has nothing to do with the value (Rubin
    /// 1976: missing at random). A value that was measured because it was expected to be unusual
    /// distorts the model.
    Learn,
}

/// Schema, learner and rules of a study. Learner and rules never change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Attributes and target.
    pub schema: StudySchema,
    /// Name of a learner that asks.
    pub learner: String,
    /// Its parameters.
    pub params: serde_json::Map<String, Value>,
    /// Treatment of values that nobody asked for.
    pub unasked: Unasked,
    /// True if values outside of their range are refused; else they are taken and flagged.
    pub strict: bool,
}

impl Setup {
    /// Creates a setup of this learner; `settings` are names and values of its parameters.
    ///
    /// # Errors
    /// An unknown learner or parameter; a value out of range; a learner that cannot ask, or cannot
    /// learn the target; one that takes steps on a number of unknown range; a schema that is not
    /// consistent.
    pub fn new(schema: StudySchema, learner: &str, settings: &[(String, String)]) -> Result<Setup> {
        let mut params = registry::find(learner)?;
        for (name, value) in settings {
            params.set(name, value)?;
        }
        let (learner, params) = (learner.to_owned(), params.to_json());
        let (unasked, strict) = (Unasked::default(), false);
        if let Some(gone) = schema.attributes.iter().find(|attribute| attribute.retired) {
            return Err(Error::setup(format!(
                "'{}' is retired, and a new study asks for all of its attributes; leave its row out",
                halfseen::error::short(&gone.name)
            )));
        }
        let setup = Setup { schema, learner, params, unasked, strict };
        setup.asker()?;
        Ok(setup)
    }

    /// Returns the learner, without limits on all reads: the store holds them, since it alone knows
    /// what other processes asked for and what was given up.
    fn learner(&self) -> Result<Box<dyn Learner>> {
        let mut params = self.params.clone();
        LIMITS.iter().for_each(|limit| drop(params.remove(*limit)));
        // The number of examples for which constant steps are chosen, as the limit would give it.
        if let (Some(total), Some(budget), Some(Value::Null)) =
            (self.limit("total_budget"), self.limit("budget"), params.get("horizon"))
        {
            params.insert("horizon".to_owned(), Value::from((total / budget).max(1.0) as u64));
        }
        Ok(registry::with_params(&self.learner, &params)?)
    }

    /// Returns a parameter of the learner as a number, `None` if it has none or no limit is set.
    pub fn limit(&self, name: &str) -> Option<f64> {
        self.params.get(name).and_then(Value::as_f64)
    }

    /// Returns the classes of the target; empty for a number.
    pub fn classes(&self) -> Vec<Label> {
        match &self.schema.target.kind {
            AttributeKind::Category(choices) => choices.iter().cloned().map(Label::Text).collect(),
            _ => Vec::new(),
        }
    }

    /// Refuses what no new study may have.
    pub(crate) fn check(&self) -> Result<()> {
        let asker = self.asker()?;
        if self.unasked == Unasked::Learn && !asker.takes_observed() {
            return Err(Error::setup(format!(
                "{} learns only from answers to its own asks, so that it cannot learn from values that nobody asked for; choose fiml, or keep such values without learning from them (--unasked accept)",
                asker.name()
            )));
        }
        Ok(())
    }

    /// Starts the learner, which has been told nothing.
    ///
    /// # Errors
    /// As [`Setup::new`].
    pub(crate) fn asker(&self) -> Result<Asker> {
        let (learner, schema) = (self.learner()?, &self.schema);
        let numbers = |attribute: &&Attribute| attribute.kind == AttributeKind::Number;
        // A row for each choice of the widest category; nothing looks at the cells.
        let choices =
            |a: &Attribute| if let AttributeKind::Category(all) = &a.kind { all.len() } else { 1 };
        let rows = schema.attributes.iter().map(choices).max().unwrap_or(1);
        let matrix =
            Matrix::F64(Array2::zeros((rows, schema.attributes.iter().filter(numbers).count())));
        let (mut columns, mut texts, mut at) = (Vec::new(), Vec::new(), 0);
        for attribute in &schema.attributes {
            let place = if attribute.kind == AttributeKind::Number {
                at += 1;
                Place::Number(at - 1)
            } else {
                let levels = match &attribute.kind {
                    AttributeKind::Category(choices) => choices.clone(),
                    _ => vec!["1970-01-01".to_owned()],
                };
                let codes = (0..rows).map(|row| (row % levels.len()) as u32).collect();
                texts.push(TextColumn { codes, levels });
                Place::Text(texts.len() - 1)
            };
            columns.push(Column { name: attribute.name.clone(), place });
        }
        let table = Table::new(matrix, texts, columns)?;
        let all: Vec<u32> = (0..rows as u32).collect();
        let options = self.options().for_fit(&learner.needs());
        let zeros = Target::Numbers(vec![0.0; rows]);
        let honest = Options { honest: true, ..options };
        let prepared = Prepared::new(&table, (&schema.target.name, &zeros), &all, &honest)?;
        let mut prepare = prepared.prepare.clone();
        prepare.target = match self.classes().is_empty() {
            true => self.target_scale(&*learner)?,
            false => TargetScale::IDENTITY,
        };
        let target = (&*schema.target.name, self.classes());
        Asker::start(&*learner, target, (prepare, prepared.layout.clone()), &honest.bounds)
    }

    /// Returns the setup of the attributes that are still asked for.
    pub(crate) fn asked(&self) -> Setup {
        let mut asked = self.clone();
        asked.schema.attributes.retain(|attribute| !attribute.retired);
        asked
    }

    fn options(&self) -> Options {
        let schema = &self.schema;
        let mut groups: Vec<Group> = Vec::new();
        for attribute in &schema.attributes {
            let Some(panel) = &attribute.panel else { continue };
            match groups.iter_mut().find(|group| group.name == *panel) {
                Some(group) => group.columns.push(attribute.name.clone()),
                None => groups
                    .push(Group { name: panel.clone(), columns: vec![attribute.name.clone()] }),
            }
        }
        let bound = |a: &Attribute| Some((a.name.clone(), (a.low?, a.high?)));
        let dated = schema.attributes.iter().filter(|a| a.kind == AttributeKind::Date);
        // Bounds scale attributes; where some have none, each is scaled by its own reads.
        let bounded = schema
            .attributes
            .iter()
            .all(|a| matches!(a.kind, AttributeKind::Category(_)) || bound(a).is_some());
        let bounds = schema.attributes.iter().filter_map(bound).collect();
        Options {
            known: schema.attributes.iter().filter(|a| a.known).map(|a| a.name.clone()).collect(),
            groups,
            prices: schema.prices(),
            dates: dated.map(|a| (a.name.clone(), DATE.to_owned())).collect(),
            bounds: if bounded { bounds } else { Default::default() },
            ..Options::default()
        }
    }

    /// Returns the scale of a numeric target: of learners that take steps, from its range.
    fn target_scale(&self, learner: &dyn Learner) -> Result<TargetScale> {
        let target = &self.schema.target;
        match (target.low, target.high) {
            // The standard deviation of a uniform distribution over the range.
            (Some(low), Some(high)) => {
                Ok(TargetScale { mean: (low + high) / 2.0, deviation: (high - low) / 12f64.sqrt() })
            }
            // It keeps its reads, and scales by them.
            _ if learner.needs().holes => Ok(TargetScale::IDENTITY),
            _ => Err(Error::setup(format!(
                "{} takes a step for each answer and needs to know the size of the target beforehand: give low and high of '{}' in the schema, or choose fiml",
                learner.name(),
                target.name
            ))),
        }
    }
}
