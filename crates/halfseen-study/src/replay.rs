//! Builds the learner from the stored asks and their present answers, in the order of the asks.
//!
//! The model is a function of these alone: not of the order in which answers arrived, of files, of
//! repetitions, of values that were amended since, or of restarts.

use crate::error::{Error, Result};
use crate::schema::Value;
use crate::setup::Unasked;
use crate::sql::{Row, cells, first};
use crate::study::{State, Study, TARGET, value_of};
use halfseen::Monitor;
use halfseen::data::Label;
use halfseen::learner::Query;
use halfseen::model::Model;
use halfseen::session::{Answer, Session};
use sha2::{Digest, Sha256};

/// The present answers to one ask.
pub(crate) struct Example {
    pub(crate) number: u64,
    pub(crate) state: State,
    pub(crate) query: String,
    /// Attribute or target, value, and if it was asked for.
    pub(crate) values: Vec<(i64, Value, bool)>,
}

/// The last ask of every subject that takes part, with its present values.
const LOG: &str = "SELECT a.number, a.state, a.query, v.attribute, v.number, v.category, v.reason, v.was_asked
    FROM ask a
    JOIN subject s ON s.id = a.subject AND s.withdrawn IS NULL
    LEFT JOIN value v ON v.subject = a.subject AND v.revision =
        (SELECT max(w.revision) FROM value w WHERE w.subject = v.subject AND w.attribute = v.attribute)
    WHERE a.state <> 'replaced'
    ORDER BY a.number, v.attribute";

impl Study {
    /// Visits the examples that the model is made of, in the order of their asks.
    pub(crate) fn each_example(
        &mut self,
        mut visit: impl FnMut(&Example) -> Result<()>,
    ) -> Result<()> {
        let mut last: Option<Example> = None;
        let mut take = |row: &Row<'_>| -> Result<()> {
            let number = row.int(0) as u64;
            if last.as_ref().is_none_or(|example| example.number != number) {
                if let Some(whole) = &last {
                    visit(whole)?;
                }
                let (state, query) = (State::of(row.text(1).unwrap_or_default()), row.owned(2));
                last = Some(Example { number, state, query, values: Vec::new() });
            }
            if let (Some(example), crate::sql::Cell::Int(attribute)) = (&mut last, &row.0[3]) {
                example.values.push((*attribute, value_of(row, 4), row.int(7) != 0));
            }
            Ok(())
        };
        self.sql.each(LOG, &[], &mut take)?;
        last.as_ref().map_or(Ok(()), visit)
    }

    /// Returns a session that was told all answers, and the digest of what it was made of.
    pub(crate) fn replayed(&mut self, monitor: &dyn Monitor) -> Result<(Session, String)> {
        self.replay(monitor, |_, _, _| Ok(()))
    }

    /// Returns a session that was told all answers, as [`Study::replayed`] does. After each example
    /// `after` sees the session, the example, and its target if the learner took it.
    pub(crate) fn replay(
        &mut self,
        monitor: &dyn Monitor,
        mut after: impl FnMut(&Session, &Example, Option<&Label>) -> Result<()>,
    ) -> Result<(Session, String)> {
        let mut session = self.setup.session(self.instance())?;
        let mut hash = Sha256::new();
        let setup = self.setup.clone();
        let mut examples = 0_u64;
        self.each_example(|example| {
            examples += 1;
            if examples.is_multiple_of(1024) && monitor.should_stop() {
                return Err(halfseen::Error::from(halfseen::ErrorKind::Interrupted {
                    during: "replaying",
                })
                .into());
            }
            digest(&mut hash, example);
            let name = |at: i64| setup.schema.attributes[at as usize].name.as_str();
            let seen = example.values.iter().filter(|(at, _, asked)| {
                *at != TARGET && (*asked || setup.unasked == Unasked::Learn)
            });
            let answers: Vec<(&str, Answer)> =
                seen.map(|(at, value, _)| (name(*at), answer(value))).collect();
            let target = example.values.iter().find(|(at, ..)| *at == TARGET);
            let target = target.and_then(|(_, value, _)| label(value));
            if session.takes_observed() {
                session.observe(example.number, &answers, target.as_ref())?;
                return after(&session, example, target.as_ref());
            }
            let query: Query = serde_json::from_str(&example.query).map_err(|e| Error::Store {
                problem: format!("ask {} cannot be read: {e}", example.number),
            })?;
            session.adopt(&query)?;
            let mut taken = None;
            match (example.state, &target) {
                (State::Complete, Some(target)) => {
                    let asked: Vec<String> =
                        session.attributes_of(&query)?.map(str::to_owned).collect();
                    let of = |name: &String| {
                        answers
                            .iter()
                            .find(|(known, _)| known == name)
                            .map(|(_, answer)| answer.clone())
                    };
                    let all: Vec<Answer> = asked
                        .iter()
                        .map(|name| of(name).unwrap_or(Answer::Missing(String::new())))
                        .collect();
                    session.tell(&query, &all, target)?;
                    taken = Some(target);
                }
                // Its target could not be had, or it was given up.
                (State::Complete | State::Released, _) => session.forget(example.number)?,
                (State::Open, _) => {}
            }
            after(&session, example, taken)
        })?;
        Ok((session, written(hash)))
    }

    /// Returns the digest of what [`Study::replayed`] is made of, and the number of examples whose
    /// targets it takes.
    pub(crate) fn digest(&mut self) -> Result<(String, u64)> {
        let takes_observed = self.setup.session(self.instance())?.takes_observed();
        let (mut hash, mut examples) = (Sha256::new(), 0);
        self.each_example(|example| {
            digest(&mut hash, example);
            let target = example.values.iter().find(|(at, ..)| *at == TARGET);
            let has_target = target.is_some_and(|(_, value, _)| label(value).is_some());
            examples +=
                u64::from(has_target && (takes_observed || example.state == State::Complete));
            Ok(())
        })?;
        Ok((written(hash), examples))
    }

    /// Returns the model of all answers so far, by the present answers in the order of their asks.
    ///
    /// # Errors
    /// Numerical failure; an interruption.
    pub fn model(&mut self, monitor: &dyn Monitor) -> Result<Model> {
        let (session, digest) = self.replayed(monitor)?;
        let kept = first(
            &mut *self.sql,
            "SELECT content FROM cache WHERE kind = 'model' AND digest = $1",
            cells![&*digest],
            |row| row.owned(0),
        )?;
        if let Some(text) = kept {
            return Ok(Model::from_json(&text)?);
        }
        let model = session.model(monitor)?;
        let text = model.to_json()?;
        self.write(|study| study.cache("model", &digest, &text))?;
        // As it is read again, so that both are the same to the bit.
        Ok(Model::from_json(&text)?)
    }
}

fn written(hash: Sha256) -> String {
    hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn digest(hash: &mut Sha256, example: &Example) {
    let state = match example.state {
        State::Open => 0_u8,
        State::Complete => 1,
        State::Released => 2,
    };
    hash.update(example.number.to_le_bytes());
    hash.update([state]);
    for (attribute, value, asked) in &example.values {
        hash.update(attribute.to_le_bytes());
        let (kind, text) = match value {
            Value::Number(number) => {
                hash.update(number.to_bits().to_le_bytes());
                (0_u8, "")
            }
            Value::Category(text) => (1, text.as_str()),
            Value::Missing(reason) => (2, reason.as_str()),
        };
        hash.update([kind, u8::from(*asked)]);
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
}

fn answer(value: &Value) -> Answer {
    match value {
        Value::Number(number) => Answer::Value(*number),
        Value::Category(text) => Answer::Category(text.clone()),
        Value::Missing(reason) if reason.is_empty() => Answer::Missing("not given".to_owned()),
        Value::Missing(reason) => Answer::Missing(reason.clone()),
    }
}

/// Returns the target of an answer; `None` if it could not be had.
fn label(value: &Value) -> Option<Label> {
    match value {
        Value::Number(number) => Some(Label::Number(*number)),
        Value::Category(text) => Some(Label::Text(text.clone())),
        Value::Missing(_) => None,
    }
}
