//! Lets a learner ask and be told by attribute, in the units of a study's schema.

use crate::error::{Error, Result};
use crate::schema::Value;
use halfseen::data::{Cell, Label, Layout, Task};
use halfseen::learner::{AskTell, Learner, Query};
use halfseen::model::{Model, Outside, Report};
use halfseen::prepare::Prepare;
use halfseen::{Monitor, registry};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A learner over the attributes of a schema; attributes are numbered as there.
pub(crate) struct Asker {
    learner: Box<dyn AskTell>,
    name: &'static str,
    params: serde_json::Map<String, serde_json::Value>,
    layout: Arc<Layout>,
    prepare: Prepare,
    target: String,
    classes: Vec<Label>,
    /// Attributes of each panel; no two panels share one.
    panels: Vec<Vec<usize>>,
    /// Panel of each attribute.
    panel_of: Vec<usize>,
    /// Declared range of each attribute.
    ranges: Vec<Option<(f64, f64)>>,
    outside: u64,
    first_outside: Option<Outside>,
}

impl Asker {
    /// Starts a learner that has been told nothing, of a target with these classes, none if it is a
    /// number. `ranges` are those of attributes, by name.
    ///
    /// # Errors
    /// A learner that cannot ask, or cannot learn the target.
    pub(crate) fn start(
        learner: &dyn Learner,
        (target, classes): (&str, Vec<Label>),
        (prepare, layout): (Prepare, Arc<Layout>),
        ranges: &BTreeMap<String, (f64, f64)>,
    ) -> Result<Asker> {
        let panels = prepare.schema.attributes_of(&layout);
        let mut panel_of = vec![0; prepare.schema.columns.len()];
        for (panel, attributes) in panels.iter().enumerate() {
            attributes.iter().for_each(|&attribute| panel_of[attribute] = panel);
        }
        let columns = prepare.schema.columns.iter();
        Ok(Asker {
            learner: registry::start(learner, &layout, classes.len())?,
            name: learner.name(),
            params: learner.to_json(),
            target: target.to_owned(),
            ranges: columns.map(|column| ranges.get(&column.name).copied()).collect(),
            panels,
            panel_of,
            layout,
            prepare,
            classes,
            outside: 0,
            first_outside: None,
        })
    }

    /// Returns the same learner in the state that [`Asker::drawing`] gave of it.
    ///
    /// # Errors
    /// Text that is no such state.
    pub(crate) fn resumed(self, state: &str) -> Result<Asker> {
        let state = serde_json::from_str(state)
            .map_err(|e| Error::Store { problem: format!("the design cannot be read: {e}") })?;
        Ok(Asker { learner: registry::load(&state)?, ..self })
    }

    /// Returns the state of a copy that draws the same asks, without answers if the learner keeps
    /// them.
    pub(crate) fn drawing(&self) -> Result<String> {
        Ok(self.learner.save_to_draw()?.to_string())
    }

    /// Returns the learner's name.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the square of the target's unit in which the learner reports errors.
    pub(crate) fn unit(&self) -> f64 {
        self.prepare.target.deviation.powi(2)
    }

    /// Returns true if the learner learns from whatever was read, whether or not it asked for it.
    pub(crate) fn takes_observed(&self) -> bool {
        self.learner.takes_observed()
    }

    /// Asks under this number; those that are passed over count as open, since others ask them.
    ///
    /// # Errors
    /// A number that was used before; a budget that is spent.
    pub(crate) fn ask(&mut self, number: u64) -> Result<Query> {
        self.learner.skip_to(number)?;
        Ok(self.learner.ask()?)
    }

    /// Returns the names of the attributes that a query asks for, each once.
    pub(crate) fn names_of(&self, query: &Query) -> Vec<&str> {
        let panels: BTreeSet<usize> = query.reads.iter().map(|read| read.panel as usize).collect();
        let attributes = panels.into_iter().flat_map(|panel| &self.panels[panel]);
        attributes.map(|&attribute| &*self.prepare.schema.columns[attribute].name).collect()
    }

    /// Opens a query that was asked before.
    ///
    /// # Errors
    /// A query of another learner, or one that was changed.
    pub(crate) fn adopt(&mut self, query: &Query) -> Result<()> {
        Ok(self.learner.adopt(query)?)
    }

    /// Answers an open query; what has no answer is missing.
    ///
    /// # Errors
    /// Values from which nothing can be learned.
    pub(crate) fn tell(
        &mut self,
        query: &Query,
        answers: &[(usize, &Value)],
        target: &Label,
    ) -> Result<()> {
        let mut values = Vec::with_capacity(query.parts.len());
        for read in &query.reads {
            self.push(read.panel as usize, answers, &mut values)?;
        }
        self.learner.tell(query, &values, self.scaled(target)?)?;
        self.count_outside(query.number, answers);
        Ok(())
    }

    /// Learns from what was read of an example, asked for or not.
    ///
    /// # Errors
    /// A learner that learns only from answers; values from which nothing can be learned.
    pub(crate) fn observe(
        &mut self,
        number: u64,
        answers: &[(usize, &Value)],
        target: Option<&Label>,
    ) -> Result<()> {
        let panels: BTreeSet<usize> = answers.iter().map(|(at, _)| self.panel_of[*at]).collect();
        let (mut cells, mut values) = (Vec::new(), Vec::new());
        for panel in panels {
            values.clear();
            self.push(panel, answers, &mut values)?;
            let slots = self.layout.slots_of(panel).map(|slot| slot as u32);
            cells.extend(slots.zip(values.iter().copied()));
        }
        let target = target.map(|target| self.scaled(target)).transpose()?;
        self.learner.observe(number, &cells, target)?;
        self.count_outside(number, answers);
        Ok(())
    }

    /// Closes a query that nothing was or will be learned from.
    ///
    /// # Errors
    /// A query that is not open.
    pub(crate) fn forget(&mut self, number: u64) -> Result<()> {
        Ok(self.learner.forget(number)?)
    }

    /// Returns the model so far.
    ///
    /// # Errors
    /// Numerical failure; an interruption.
    pub(crate) fn model(&self, monitor: &dyn Monitor) -> Result<Model> {
        let fit = self.learner.fitted(monitor)?;
        let numbers = self.classes.is_empty();
        Ok(Model {
            learner: self.name.to_owned(),
            params: self.params.clone(),
            prepare: self.prepare.clone(),
            target: self.target.clone(),
            task: if numbers { Task::Regression } else { Task::Classification },
            classes: self.classes.clone(),
            predictor: fit.predictor,
            report: Report {
                outside_bounds: self.outside,
                first_outside: self.first_outside.clone(),
                // The same for the same answers.
                seconds: 0.0,
                ..fit.report
            },
        })
    }

    /// Adds the scaled values of a panel, NaN where there is no answer.
    fn push(
        &self,
        panel: usize,
        answers: &[(usize, &Value)],
        values: &mut Vec<f64>,
    ) -> halfseen::Result<()> {
        let cell = |attribute| match answers.iter().find(|(at, _)| *at == attribute) {
            Some((_, Value::Number(number))) => Cell::Number(*number),
            Some((_, Value::Category(text))) => Cell::Text(text),
            Some((_, Value::Missing(_))) | None => Cell::Missing,
        };
        self.prepare.push_panel((&self.layout, panel), &self.panels[panel], cell, values)
    }

    /// Returns a target in the learner's units.
    fn scaled(&self, target: &Label) -> Result<f64> {
        let number = match (target, self.classes.len()) {
            (Label::Number(number), 0) => *number,
            (label, classes) => {
                let code = self.classes.iter().position(|class| class == label);
                let code = code.ok_or_else(|| Error::Store {
                    problem: format!(
                        "'{label}' is stored as a target, and the schema has no such class"
                    ),
                })?;
                if classes == 2 { 2.0 * code as f64 - 1.0 } else { code as f64 }
            }
        };
        Ok(self.prepare.target.apply(number))
    }

    /// Counts the values outside their ranges.
    fn count_outside(&mut self, number: u64, answers: &[(usize, &Value)]) {
        for (attribute, value) in answers {
            let (Value::Number(value), Some((low, high))) = (value, self.ranges[*attribute]) else {
                continue;
            };
            if (low..=high).contains(value) {
                continue;
            }
            self.outside += 1;
            let column = &self.prepare.schema.columns[*attribute].name;
            self.first_outside.get_or_insert_with(|| Outside {
                row: number + 1,
                column: column.clone(),
                value: *value,
                low,
                high,
            });
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests
mod tests {
    use crate::asking::setup::Setup;
    use crate::schema::StudySchema;

    #[test]
    fn columns_are_those_that_a_learner_has() {
        let text = "attribute,kind,panel,known,choices
n,,p,,
d,date,p,,
k,,p,,a|b|c
l,,,,x|y
z,,,yes,
w,,,yes,u|v
";
        let schema = StudySchema::from_csv(text.as_bytes(), "y").unwrap();
        let columns: Vec<String> = schema.attributes.iter().flat_map(|a| a.columns()).collect();
        let setup = Setup::new(schema, "fiml", &[("budget".into(), "2".into())]).unwrap();
        let asker = setup.asker().unwrap();
        assert_eq!(asker.prepare.schema.encoded_names(), columns);
        // The panel and the category are read; what is known is not.
        assert_eq!((asker.layout.sampled_panels(), asker.layout.sampled_slots()), (2, 7));
    }
}
