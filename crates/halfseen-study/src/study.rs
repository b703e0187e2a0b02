//! Opens and makes studies, and knows the state that all verbs share.

use crate::asking::design::Design;
use crate::asking::setup::Setup;
use crate::database::sql::{Cell, Row, Sql, all, cells, first};
use crate::database::sqlite::MEMORY;
use crate::database::store;
use crate::error::{Error, Result};
use crate::schema::{Attribute, StudySchema, Value};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The target's place among the attributes of the store.
pub(crate) const TARGET: i64 = -1;
/// Number of no schema, so that the next call reads it.
const UNKNOWN: i64 = -1;
/// Pauses before a transaction is tried again, in milliseconds.
const PAUSES: [u64; 3] = [20, 100, 400];

/// A study in a store, which any number of processes may have open; see the [crate](crate).
///
/// The store is a file, or memory ([`Study::in_memory`]). With the feature `postgres`, the path
/// `postgres:NAME` is that of a study in the PostgreSQL database whose URL is in the environment
/// variable `HALFSEEN_POSTGRES`, or in the file that `HALFSEEN_POSTGRES_FILE` names.
///
/// Every verb that writes is one transaction: when it has returned, what it says is on the disk, and
/// if it fails nothing has changed.
pub struct Study {
    pub(crate) sql: Box<dyn Sql>,
    pub(crate) path: PathBuf,
    pub(crate) setup: Arc<Setup>,
    /// Number of changes of the schema that the setup has.
    pub(crate) revision: i64,
    pub(crate) design: Option<Design>,
}

impl std::fmt::Debug for Study {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Study").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Person or program that does something, and the time, for the audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct By {
    /// Name; any text.
    pub who: String,
    /// Time in UTC, such as 2026-11-23T01:31:50Z. Nothing depends on its order.
    pub at: String,
}

impl By {
    /// Returns this person, now.
    pub fn now(who: &str) -> By {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seconds = since.map_or(0, |since| since.as_secs() as i64);
        By { who: who.to_owned(), at: utc(seconds) }
    }
}

/// Writes seconds since 1970 as a time.
pub(crate) fn utc(seconds: i64) -> String {
    let time = chrono::DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Reads a time that [`utc`] wrote, as seconds since 1970.
pub(crate) fn seconds(time: &str) -> Option<i64> {
    let time = chrono::NaiveDateTime::parse_from_str(time, "%Y-%m-%dT%H:%M:%SZ").ok()?;
    Some(time.and_utc().timestamp())
}

/// A subject in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) id: i64,
    pub(crate) withdrawn: bool,
}

/// The last ask of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LastAsk {
    pub(crate) number: i64,
    pub(crate) state: State,
}

/// State of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Something is not told yet.
    Open,
    /// All that it asks for is told, and the target.
    Complete,
    /// It was given up.
    Released,
}

impl State {
    pub(crate) fn of(text: &str) -> State {
        match text {
            "complete" => State::Complete,
            "open" => State::Open,
            _ => State::Released,
        }
    }
}

impl Study {
    /// Makes a new study in a file that does not exist yet.
    ///
    /// # Errors
    /// [`Error::File`] if the study exists or cannot be written; a setup that no learner starts with.
    pub fn create(path: impl AsRef<Path>, setup: &Setup, by: &By) -> Result<Study> {
        Self::begun(Some(path.as_ref()), setup, by)
    }

    /// Makes a new study in memory. It is a study like any other, but for that it is gone when it is
    /// dropped, and nobody else can open it; [`Study::backup`] copies it to a file.
    ///
    /// # Errors
    /// A setup that no session starts with.
    pub fn in_memory(setup: &Setup, by: &By) -> Result<Study> {
        Self::begun(None, setup, by)
    }

    fn begun(file: Option<&Path>, setup: &Setup, by: &By) -> Result<Study> {
        let path = file.unwrap_or(Path::new(MEMORY));
        setup.check()?;
        let identity = identity(path, by);
        let text = serde_json::to_string(setup).map_err(|e| Error::setup(e.to_string()))?;
        let sql = store::create(file, |sql| {
            sql.run(
                "INSERT INTO study VALUES (1, $1, $2, $3, 0, 0, 0.0, 0, 0)",
                cells![&*identity, &*by.at, &*text],
            )?;
            note(sql, by, "new", Of::default(), None)
        })?;
        let (path, setup) = (path.to_owned(), Arc::new(setup.clone()));
        Ok(Study { sql, path, setup, revision: 0, design: None })
    }

    /// Opens a study.
    ///
    /// # Errors
    /// [`Error::File`] for a file that is none of a study, damaged or not writable;
    /// [`Error::OtherFormat`].
    pub fn open(path: impl AsRef<Path>) -> Result<Study> {
        let path = path.as_ref();
        let mut sql = store::open(path)?;
        let row = first(&mut *sql, "SELECT setup, revision FROM study", &[], |row| {
            (row.owned(0), row.int(1))
        })
        .map_err(|e| match e {
            Error::Unavailable { .. } => e,
            _ => Error::file(path, e),
        })?;
        let (text, revision) =
            row.ok_or_else(|| Error::file(path, "the study has no setup; restore a backup"))?;
        let setup = serde_json::from_str(&text)
            .map_err(|e| Error::file(path, format!("its setup cannot be read: {e}")))?;
        let (path, setup) = (path.to_owned(), Arc::new(setup));
        Ok(Study { sql, path, setup, revision, design: None })
    }

    /// Returns the setup, as it was at the last call.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Takes over changes of the schema that others have made; every other call does so as well.
    ///
    /// # Errors
    /// If the store fails.
    pub fn refresh(&mut self) -> Result<()> {
        self.read(|_| Ok(()))
    }

    /// Returns the setup with the number of its changes.
    pub fn shared_setup(&self) -> (i64, Arc<Setup>) {
        (self.revision, Arc::clone(&self.setup))
    }

    /// Reads the setup again if others have changed its schema.
    pub(crate) fn take_setup(&mut self) -> Result<()> {
        let revision = first(&mut *self.sql, "SELECT revision FROM study", &[], |row| row.int(0))?
            .unwrap_or(0);
        if revision != self.revision {
            let text = first(&mut *self.sql, "SELECT setup FROM study", &[], |row| row.owned(0))?;
            let setup = serde_json::from_str(&text.unwrap_or_default())
                .map_err(|e| Error::Store { problem: format!("the setup cannot be read: {e}") })?;
            (self.setup, self.revision, self.design) = (Arc::new(setup), revision, None);
        }
        Ok(())
    }

    /// Does something in one transaction: all of it is stored, or nothing.
    pub(crate) fn write<T>(&mut self, mut act: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        again(|| self.write_once(&mut act))
    }

    fn write_once<T>(&mut self, act: &mut impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        self.sql.begin()?;
        let done = self.take_setup().and_then(|()| act(self));
        let done = done.and_then(|done| self.sql.commit().map(|()| done));
        if done.is_err() {
            self.sql.roll_back();
            // It may have drawn what is not stored, and hold a schema that is not.
            (self.design, self.revision) = (None, UNKNOWN);
        }
        done
    }

    /// Reads everything as it is at one moment, whatever others write meanwhile.
    pub(crate) fn read<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        again(|| self.sql.snapshot())?;
        let done = self.take_setup().and_then(|()| act(self));
        self.sql.roll_back();
        done
    }

    pub(crate) fn attribute(&self, place: i64) -> &Attribute {
        let schema = &self.setup.schema;
        usize::try_from(place)
            .ok()
            .and_then(|at| schema.attributes.get(at))
            .unwrap_or(&schema.target)
    }

    /// Returns the place of an attribute in the store.
    pub(crate) fn place(&self, name: &str) -> Result<i64> {
        Ok(self.setup.schema.place(name)?.map_or(TARGET, |at| at as i64))
    }

    pub(crate) fn subject(&mut self, name: &str) -> Result<Option<Subject>> {
        first(
            &mut *self.sql,
            "SELECT id, withdrawn FROM subject WHERE name = $1",
            cells![name],
            |row| Subject { id: row.int(0), withdrawn: row.text(1).is_some() },
        )
    }

    /// Returns a subject that takes part.
    pub(crate) fn member(&mut self, name: &str) -> Result<Subject> {
        match self.subject(name)? {
            Some(Subject { withdrawn: true, .. }) => Err(Error::subject(
                name,
                "it was withdrawn, and nothing of it is asked, told or changed any more",
            )),
            Some(subject) => Ok(subject),
            None => {
                Err(Error::subject(name, "no ask was made for it; `next` asks for a subject first"))
            }
        }
    }

    pub(crate) fn last_ask(&mut self, subject: i64) -> Result<Option<LastAsk>> {
        first(
            &mut *self.sql,
            "SELECT number, state FROM ask WHERE subject = $1 ORDER BY number DESC LIMIT 1",
            cells![subject],
            |row| LastAsk { number: row.int(0), state: State::of(row.text(1).unwrap_or_default()) },
        )
    }

    /// Returns the attributes of an ask, the target left out.
    pub(crate) fn asked_by(&mut self, number: i64) -> Result<Vec<i64>> {
        all(
            &mut *self.sql,
            "SELECT attribute FROM asked WHERE ask = $1 ORDER BY attribute",
            cells![number],
            |row| row.int(0),
        )
    }

    /// Returns the present values of a subject: attribute, revision, value.
    pub(crate) fn values_of(&mut self, subject: i64) -> Result<Vec<(i64, i64, Value)>> {
        let mut values: Vec<(i64, i64, Value)> = all(
            &mut *self.sql,
            "SELECT attribute, revision, number, category, reason FROM value WHERE subject = $1 ORDER BY attribute, revision",
            cells![subject],
            |row| (row.int(0), row.int(1), value_of(row, 2)),
        )?;
        // The last revision of each.
        values.reverse();
        values.dedup_by_key(|(attribute, ..)| *attribute);
        values.reverse();
        Ok(values)
    }

    /// Returns the price of the panels that these attributes belong to, and their number.
    pub(crate) fn price_of(&self, attributes: impl Iterator<Item = i64>) -> (i64, f64) {
        price_of(&self.setup.schema, attributes)
    }

    /// Adds to the reads and the money that are made or asked for.
    pub(crate) fn charge(&mut self, (reads, cost): (i64, f64)) -> Result<()> {
        self.sql
            .run("UPDATE study SET reads = reads + $1, cost = cost + $2", cells![reads, cost])
            .map(drop)
    }

    /// Copies the whole study to a new file, while others may write.
    ///
    /// # Errors
    /// [`Error::File`] if the file exists or cannot be written; for a study in a database, which its
    /// own programs copy.
    pub fn backup(&mut self, to: impl AsRef<Path>) -> Result<()> {
        self.sql.backup(to.as_ref())
    }
}

/// Returns the number of the panels that these attributes belong to, and their price. The target and
/// what is known of everybody cost nothing.
pub(crate) fn price_of(schema: &StudySchema, attributes: impl Iterator<Item = i64>) -> (i64, f64) {
    let mut panels: Vec<(&str, f64)> = attributes
        .filter_map(|at| schema.attributes.get(usize::try_from(at).ok()?))
        .filter(|attribute| !attribute.known)
        .map(|attribute| (attribute.panel.as_deref().unwrap_or(&attribute.name), attribute.price))
        .collect();
    panels.sort_unstable_by(|a, b| a.0.cmp(b.0));
    panels.dedup_by_key(|(panel, _)| *panel);
    (panels.len() as i64, panels.iter().map(|(_, price)| price).sum())
}

/// Tries again what a lost connection or another writer kept from being done.
pub(crate) fn again<T>(mut act: impl FnMut() -> Result<T>) -> Result<T> {
    for pause in PAUSES {
        match act() {
            Err(Error::Unavailable { .. }) => std::thread::sleep(Duration::from_millis(pause)),
            done => return done,
        }
    }
    act()
}

/// Subject of an event, in the widest sense.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Of {
    pub(crate) subject: Option<i64>,
    pub(crate) attribute: Option<i64>,
    pub(crate) revision: Option<i64>,
    pub(crate) ask: Option<i64>,
}

/// Writes an event.
pub(crate) fn note(
    sql: &mut dyn Sql,
    by: &By,
    verb: &str,
    of: Of,
    reason: Option<&str>,
) -> Result<()> {
    sql.run(
        "INSERT INTO event (at, who, verb, subject, attribute, revision, ask, reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        cells![&*by.at, &*by.who, verb, of.subject, of.attribute, of.revision, of.ask, reason],
    )
    .map(drop)
}

/// Returns the value in three cells of a row.
pub(crate) fn value_of(row: &Row<'_>, from: usize) -> Value {
    match (row.real(from), row.text(from + 1)) {
        (Some(number), _) => Value::Number(number),
        (None, Some(text)) => Value::Category(text.to_owned()),
        (None, None) => Value::Missing(row.owned(from + 2)),
    }
}

/// Returns the three cells of a value.
pub(crate) fn cells_of(value: &Value) -> [Cell; 3] {
    match value {
        Value::Number(number) => [Cell::Real(*number), Cell::Null, Cell::Null],
        Value::Category(text) => [Cell::Null, Cell::Text(text.clone()), Cell::Null],
        Value::Missing(reason) => [Cell::Null, Cell::Null, Cell::Text(reason.clone())],
    }
}

/// Draws the identifier of a new study.
fn identity(path: &Path, by: &By) -> String {
    use hmac_sha256::Hash;
    use std::hash::{BuildHasher, Hasher, RandomState};
    // The standard library seeds it from the system.
    let random = RandomState::new().build_hasher().finish();
    let mut hash = Hash::new();
    hash.update(random.to_le_bytes());
    hash.update(path.as_os_str().as_encoded_bytes());
    hash.update(&by.at);
    let hash = hash.finalize();
    hash[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
