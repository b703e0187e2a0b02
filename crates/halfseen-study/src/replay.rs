//! Builds the learner from the stored asks and their present answers, in the order of the asks.
//!
//! The model is a function of these alone: not of the order in which answers arrived, of files, of
//! repetitions, of values that were amended since, or of restarts.

use crate::asking::asker::Asker;
use crate::asking::setup::{Setup, Unasked};
use crate::database::sql::{Row, first};
use crate::error::{Error, Result};
use crate::schema::Value;
use crate::study::{State, Study, TARGET, value_of};
use halfseen::Monitor;
use halfseen::data::Label;
use halfseen::learner::Query;
use halfseen::model::Model;
use halfseen::registry;
use hmac_sha256::Hash;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The present answers to one ask.
pub(crate) struct Example {
    pub(crate) number: u64,
    pub(crate) state: State,
    pub(crate) query: String,
    /// Attribute or target, value, and if it was asked for.
    pub(crate) values: Vec<(i64, Value, bool)>,
}

/// Use of the queries of asks, which are most of the log's bytes: only learners that take steps need
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Queries {
    Read,
    Left,
}

/// The last ask of every subject that takes part, with its values, revision by revision.
const LOG: &str =
    "SELECT a.number, a.state, a.query, v.attribute, v.number, v.category, v.reason, v.was_asked
    FROM ask a
    JOIN subject s ON s.id = a.subject AND s.withdrawn IS NULL
    LEFT JOIN value v ON v.subject = a.subject
    WHERE a.state <> 'replaced'
    ORDER BY a.number, v.attribute, v.revision";

impl Study {
    /// Visits the examples that the model is made of, in the order of their asks.
    pub(crate) fn each_example(
        &mut self,
        queries: Queries,
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
            if let (Some(example), crate::database::sql::Cell::Int(attribute)) =
                (&mut last, &row.0[3])
            {
                // The last revision counts.
                if example.values.last().is_some_and(|(at, ..)| at == attribute) {
                    example.values.pop();
                }
                example.values.push((*attribute, value_of(row, 4), row.int(7) != 0));
            }
            Ok(())
        };
        let log = match queries {
            Queries::Read => Cow::Borrowed(LOG),
            Queries::Left => Cow::Owned(LOG.replace("a.query", "NULL")),
        };
        self.sql.each(&log, &[], &mut take)?;
        last.as_ref().map_or(Ok(()), visit)
    }

    /// Returns the learner that was told all answers, and the digest of what it was made of.
    pub(crate) fn replayed(&mut self, monitor: &dyn Monitor) -> Result<(Asker, String)> {
        self.take_setup()?;
        let setup = Arc::clone(&self.setup);
        self.replay(&setup, monitor, |_, _, _| Ok(()))
    }

    /// Returns the learner over the attributes of this setup, told all their answers. After each
    /// example `after` sees the learner, the example, and its target if the learner took it.
    pub(crate) fn replay(
        &mut self,
        setup: &Setup,
        monitor: &dyn Monitor,
        mut after: impl FnMut(&Asker, &Example, Option<&Label>) -> Result<()>,
    ) -> Result<(Asker, String)> {
        let mut asker = setup.asker()?;
        let mut hash = started(&self.setup);
        // The number in this setup of each attribute of the study.
        let names: HashMap<&str, usize> =
            setup.schema.attributes.iter().map(|a| &*a.name).zip(0..).collect();
        let all = self.setup.schema.attributes.iter();
        let places: Vec<Option<usize>> = all.map(|a| names.get(&*a.name).copied()).collect();
        let mut examples = 0_u64;
        let queries = if asker.takes_observed() { Queries::Left } else { Queries::Read };
        self.each_example(queries, |example| {
            examples += 1;
            if examples.is_multiple_of(1024) && monitor.should_stop() {
                return Err(halfseen::Error::from(halfseen::ErrorKind::Interrupted {
                    during: "replaying",
                })
                .into());
            }
            digest(&mut hash, example);
            let seen = example.values.iter().filter_map(|(at, value, asked)| {
                let place = *places.get(usize::try_from(*at).ok()?)?;
                (*asked || setup.unasked == Unasked::Learn).then_some((place?, value))
            });
            let answers: Vec<(usize, &Value)> = seen.collect();
            let target = example.values.iter().find(|(at, ..)| *at == TARGET);
            let target = target.and_then(|(_, value, _)| label(value));
            if asker.takes_observed() {
                asker.observe(example.number, &answers, target.as_ref())?;
                return after(&asker, example, target.as_ref());
            }
            let query: Query = serde_json::from_str(&example.query).map_err(|e| Error::Store {
                problem: format!("ask {} cannot be read: {e}", example.number),
            })?;
            asker.adopt(&query)?;
            let mut taken = None;
            match (example.state, &target) {
                (State::Complete, Some(target)) => {
                    asker.tell(&query, &answers, target)?;
                    taken = Some(target);
                }
                // Its target could not be had, or it was given up.
                (State::Complete | State::Released, _) => asker.forget(example.number)?,
                (State::Open, _) => {}
            }
            after(&asker, example, taken)
        })?;
        Ok((asker, written(hash)))
    }

    /// Returns the digest of what [`Study::replayed`] is made of, and the number of examples whose
    /// targets it takes.
    pub(crate) fn digest(&mut self) -> Result<(String, u64)> {
        self.take_setup()?;
        let takes_observed = self.setup.asker()?.takes_observed();
        let (mut hash, mut examples) = (started(&self.setup), 0);
        self.each_example(Queries::Left, |example| {
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
        let kept = "SELECT digest, content FROM cache WHERE kind = 'model'";
        let kept = first(&mut *self.sql, kept, &[], |row| (row.owned(0), row.owned(1)))?;
        if let Some((digest, text)) = kept
            && digest == self.digest()?.0
        {
            return Ok(registry::read_model(&text)?);
        }
        let (asker, digest) = self.replayed(monitor)?;
        let model = asker.model(monitor)?;
        let text = model.to_json()?;
        self.write(|study| study.cache("model", &digest, &text))?;
        // As it is read again, so that both are the same to the bit.
        Ok(registry::read_model(&text)?)
    }
}

/// Returns the digest of a setup, which that of its answers goes on from.
fn started(setup: &Setup) -> Hash {
    let text = serde_json::to_string(setup).unwrap_or_default();
    let mut hash = Hash::new();
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
    hash
}

fn written(hash: Hash) -> String {
    hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn digest(hash: &mut Hash, example: &Example) {
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

/// Returns the target of an answer; `None` if it could not be had.
fn label(value: &Value) -> Option<Label> {
    match value {
        Value::Number(number) => Some(Label::Number(*number)),
        Value::Category(text) => Some(Label::Text(text.clone())),
        Value::Missing(_) => None,
    }
}
