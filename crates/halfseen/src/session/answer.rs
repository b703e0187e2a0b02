//! Defines the answer to a read, and checks it against kind and bounds of its attribute.

use super::Session;
use crate::data::{Cell, Label, Target};
use crate::error::{ErrorKind, Result};
use crate::model::Outside;
use crate::prepare::ColumnKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Answer to one read, in the attribute's own units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Value of a numeric attribute.
    Value(f64),
    /// Category of a text attribute.
    Category(String),
    /// Missing value, with the reason: "refused", "sample lost". Any text; reasons are counted.
    Missing(String),
}

impl From<f64> for Answer {
    fn from(value: f64) -> Answer {
        Answer::Value(value)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Value(value) => f.write_str(&crate::error::shown(*value)),
            Answer::Category(text) => f.write_str(text),
            Answer::Missing(reason) => write!(f, "missing ({reason})"),
        }
    }
}

impl Answer {
    /// Returns the cell that the encoder takes.
    pub(super) fn cell(&self) -> Cell<'_> {
        match self {
            Answer::Value(value) => Cell::Number(*value),
            Answer::Category(text) => Cell::Text(text),
            Answer::Missing(_) => Cell::Missing,
        }
    }
}

impl Session {
    /// Rejects an answer that is invalid for this attribute; returns the violation if the value
    /// lies outside its bounds.
    pub(super) fn check_answer(
        &self,
        number: u64,
        attribute: usize,
        answer: &Answer,
    ) -> Result<Option<Outside>> {
        let column = &self.prepare.schema.columns[attribute];
        let wrong = |problem: String| ErrorKind::WrongAnswer { number, problem };
        match (answer, &column.kind) {
            (Answer::Missing(_), _) => Ok(None),
            (Answer::Value(value), ColumnKind::Number) if !value.is_finite() => {
                let (attribute, value) = (column.name.clone(), *value);
                Err(ErrorKind::AnswerNotFinite { number, attribute, value }.into())
            }
            (Answer::Value(value), ColumnKind::Number) => {
                self.check_bounds(number, attribute, *value)
            }
            (Answer::Category(text), ColumnKind::Text { categories }) => {
                if categories.contains(text) {
                    return Ok(None);
                }
                let (text, name) = (crate::error::short(text), crate::error::short(&column.name));
                let known = crate::error::list(categories);
                Err(wrong(format!("'{text}' is not a category of '{name}', which has {known}"))
                    .into())
            }
            (_, kind) => {
                let kind = if *kind == ColumnKind::Number { "a number" } else { "a category" };
                let name = crate::error::short(&column.name);
                Err(wrong(format!("'{name}' needs {kind}, but the answer is {answer}")).into())
            }
        }
    }

    fn check_bounds(&self, number: u64, attribute: usize, value: f64) -> Result<Option<Outside>> {
        let Some(bounds) = &self.bounds else { return Ok(None) };
        let at = self.first_columns[attribute];
        let (low, high) = (bounds.low[at], bounds.high[at]);
        if (low..=high).contains(&value) {
            return Ok(None);
        }
        let column = self.prepare.schema.columns[attribute].name.clone();
        if self.strict {
            let attribute = column;
            return Err(ErrorKind::OutOfBounds { number, attribute, value, low, high }.into());
        }
        Ok(Some(Outside { row: number + 1, column, value, low, high }))
    }

    /// Returns the target of an answer as a number: for a class its index.
    pub(super) fn code_of(&self, number: u64, target: &Label) -> Result<f64> {
        let problem = match (target, self.classes.is_empty()) {
            (Label::Number(value), true) if value.is_finite() => return Ok(*value),
            (Label::Number(value), true) if value.is_nan() => "the target is missing".to_owned(),
            (Label::Number(value), true) => format!("the target {value} is not a finite number"),
            (Label::Text(text), true) => {
                format!("the target '{}' is not a number", crate::error::short(text))
            }
            (label, false) => match self.classes.iter().position(|class| class == label) {
                Some(code) => return Ok(code as f64),
                None => {
                    let classes: Vec<String> = self.classes.iter().map(Label::to_string).collect();
                    let (label, classes) =
                        (crate::error::short(&label.to_string()), crate::error::list(&classes));
                    format!("the target '{label}' is not one of the classes, {classes}")
                }
            },
        };
        Err(ErrorKind::WrongAnswer { number, problem }.into())
    }

    /// Returns the target that a number of [`Session::code_of`] represents.
    pub(super) fn label_of(&self, code: f64) -> Label {
        self.classes
            .get(code as usize)
            .filter(|_| !self.classes.is_empty())
            .map_or(Label::Number(code), Label::clone)
    }

    /// Returns the targets of a batch in the learner's units.
    pub(super) fn targets_of(&self, target: &Target) -> Vec<f64> {
        match target {
            Target::Classes { codes, .. } => {
                codes.iter().map(|&code| self.scaled_target(f64::from(code))).collect()
            }
            Target::Numbers(numbers) => numbers.iter().map(|&y| self.scaled_target(y)).collect(),
        }
    }

    /// Returns the target in the learner's units.
    pub(super) fn scaled_target(&self, code: f64) -> f64 {
        let score = match self.classes.len() {
            2 if code == 1.0 => 1.0,
            2 => -1.0,
            _ => code,
        };
        self.prepare.target.apply(score)
    }
}
