//! Saves a session as versioned JSON, and prevents two copies of one from overwriting each other.

use super::{Kept, Passed, Session, Waiting};
use crate::data::{Bounds, Label, TargetScale};
use crate::error::{Error, ErrorKind, Result};
use crate::learner::hex;
use crate::prepare::Prepare;
use crate::registry;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

const FORMAT: &str = "halfseen-session";
const VERSION: u64 = 1;

/// Contents of the file. A file without a format is older than sessions, and has the six keys from
/// `learner` to `passed`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    version: u64,
    learner: serde_json::Value,
    prepare: Prepare,
    target: String,
    classes: Vec<Label>,
    bounds: Option<Bounds>,
    passed: Passed,
    #[serde(default, with = "hex")]
    instance: u64,
    #[serde(default)]
    generation: u64,
    #[serde(default, with = "hex")]
    writer: u64,
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    total_cost: Option<f64>,
    #[serde(default)]
    open: Vec<Waiting>,
    #[serde(default)]
    unknown: BTreeSet<u64>,
    #[serde(default)]
    reasons: BTreeMap<String, u64>,
    #[serde(default)]
    kept: Option<Vec<Kept>>,
}

/// Identity of a file, readable in any version.
#[derive(Deserialize)]
struct Stamp {
    format: String,
    #[serde(with = "hex")]
    instance: u64,
    generation: u64,
    #[serde(default, with = "hex")]
    writer: u64,
}

/// Draws an identifier that no other session has, except by chance.
pub(super) fn draw_tag() -> u64 {
    // The standard library seeds it from the system; no result depends on it.
    RandomState::new().build_hasher().finish().max(1)
}

fn bad(key: &str, problem: impl Into<String>) -> Error {
    ErrorKind::BadFile { what: "session", key: key.to_owned(), problem: problem.into() }.into()
}

impl Session {
    /// Returns the identifier of the session, which never changes.
    pub fn instance(&self) -> u64 {
        self.instance
    }

    /// Returns the number of times the session was saved.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the whole session as JSON text, including open queries and held answers.
    ///
    /// # Errors
    /// A number that is not finite.
    pub fn to_json(&self) -> Result<String> {
        let file = File {
            format: Some(FORMAT.to_owned()),
            version: VERSION,
            learner: self.learner.save()?,
            prepare: self.prepare.clone(),
            target: self.target.clone(),
            classes: self.classes.clone(),
            bounds: self.bounds.clone(),
            passed: self.passed.clone(),
            instance: self.instance,
            generation: self.generation,
            writer: self.writer,
            strict: self.strict,
            total_cost: self.total_cost,
            open: self.open.values().cloned().collect(),
            unknown: self.unknown.clone(),
            reasons: self.reasons.clone(),
            kept: self.kept.clone(),
        };
        serde_json::to_string(&file).map_err(|e| bad("", e.to_string()))
    }

    /// Loads a session from the text of [`Session::to_json`]; it continues with the same bits. Its
    /// new queries carry a new tag, so that two copies of one text do not accept each other's
    /// answers.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`], naming the key.
    pub fn from_json(text: &str) -> Result<Session> {
        let file: File = serde_json::from_str(text).map_err(|e| bad("", e.to_string()))?;
        let old = file.format.is_none();
        if !old && (file.format.as_deref(), file.version) != (Some(FORMAT), VERSION) {
            let found = crate::error::short(file.format.as_deref().unwrap_or_default());
            let problem =
                format!("is {found} {}; this program reads {FORMAT} {VERSION}", file.version);
            return Err(bad("version", problem));
        }
        let mut running = registry::load(&file.learner)?;
        file.prepare.validate()?;
        let layout = Arc::new(file.prepare.schema.layout()?);
        let written = serde_json::to_value(&*layout).map_err(|e| bad("prepare", e.to_string()))?;
        if written != file.learner["layout"] {
            return Err(bad("prepare", "its attributes differ from those of the learner's state"));
        }
        if file.classes.len() == 1 {
            return Err(bad("classes", "it has 1 class, not 0, 2 or more"));
        }
        running.classify(file.classes.len()).map_err(|e| bad("classes", e.to_string()))?;
        if file.classes.len() > 2 && file.prepare.target != TargetScale::IDENTITY {
            return Err(bad("prepare", "it scales the numbers of more than two classes"));
        }
        let width = file.prepare.schema.width();
        if file.bounds.as_ref().is_some_and(|b| b.low.len() != width || b.high.len() != width) {
            return Err(bad("bounds", "their number differs from that of the columns"));
        }
        let params = file.learner["params"].as_object().cloned().unwrap_or_default();
        let name = file.learner["learner"].as_str().unwrap_or_default();
        let learner = registry::with_params(name, &params)?;
        let mut session = Session::over(&*learner, running, layout, file.prepare, file.target);
        (session.classes, session.bounds, session.strict) =
            (file.classes, file.bounds, file.strict);
        (session.passed, session.reasons) = (file.passed, file.reasons);
        let ledger = open_in(&file.learner);
        session.unknown = if old { ledger.clone() } else { file.unknown };
        session.take_open(file.open, &ledger)?;
        session.kept = file.kept;
        session.check_kept()?;
        session.tag = draw_tag();
        session.instance = if old { session.tag } else { file.instance };
        (session.generation, session.writer) = (file.generation, file.writer);
        session.loaded = (session.generation, session.writer);
        if file.total_cost.is_some() {
            let stop = session.passed.stop;
            session.set_total_cost(file.total_cost)?;
            session.passed.stop = stop;
        }
        Ok(session)
    }

    /// Takes the open queries of a file, which must be those of the learner's state.
    fn take_open(&mut self, open: Vec<Waiting>, ledger: &BTreeSet<u64>) -> Result<()> {
        let (fingerprint, wrong) = (self.learner.fingerprint(), |problem| bad("open", problem));
        for mut waiting in open {
            let query = &waiting.query;
            self.check_panels(query).map_err(|e| wrong(e.to_string()))?;
            if query.learner != fingerprint || query.checksum != query.digest() {
                return Err(wrong(format!("query {} was changed", query.number)));
            }
            let asked = self.sorted_in(query);
            let answers = waiting.answers.iter().map(|(attribute, answer)| (*attribute, answer));
            let is_asked = |attribute| asked.binary_search(&attribute).is_ok();
            self.check_answers(query.number, answers, waiting.target, is_asked)
                .map_err(|e| wrong(e.to_string()))?;
            waiting.asked = asked;
            self.open.insert(waiting.query.number, waiting);
        }
        let mut here: BTreeSet<u64> = self.open.keys().copied().collect();
        here.extend(&self.unknown);
        if here != *ledger || here.len() != self.open.len() + self.unknown.len() {
            return Err(wrong(
                "the open queries differ from those of the learner's state".to_owned(),
            ));
        }
        Ok(())
    }

    fn check_kept(&self) -> Result<()> {
        let columns = self.prepare.schema.columns.len();
        for kept in self.kept.iter().flatten() {
            let answers = kept.answers.iter().map(|(attribute, answer)| (*attribute, answer));
            self.check_answers(kept.number, answers, kept.target, |a| (a as usize) < columns)
                .map_err(|e| bad("kept", e.to_string()))?;
        }
        Ok(())
    }

    /// Rejects impossible answers in a file.
    fn check_answers<'a>(
        &self,
        number: u64,
        answers: impl Iterator<Item = (u32, &'a super::Answer)>,
        target: Option<f64>,
        asked: impl Fn(u32) -> bool,
    ) -> Result<()> {
        for (attribute, answer) in answers {
            if !asked(attribute) {
                let problem = format!("attribute {attribute} was not asked");
                return Err(ErrorKind::WrongAnswer { number, problem }.into());
            }
            // Bounds may have become strict since.
            match self.check_answer(number, attribute as usize, answer) {
                Err(e) if matches!(e.kind(), ErrorKind::OutOfBounds { .. }) => {}
                other => drop(other?),
            }
        }
        let classes = self.classes.len();
        let sound = |code: f64| match classes {
            0 => code.is_finite(),
            _ => code.fract() == 0.0 && (0.0..classes as f64).contains(&code),
        };
        if target.is_none_or(sound) {
            return Ok(());
        }
        let problem = "its target is invalid".to_owned();
        Err(ErrorKind::WrongAnswer { number, problem }.into())
    }

    /// Starts the next generation, for a caller who stores [`Session::to_json`] at a place of their
    /// own; `existing` is the text stored there now.
    ///
    /// # Errors
    /// [`ErrorKind::OtherInstance`] if that is another session; [`ErrorKind::OlderGeneration`] if
    /// another copy of this one was saved after this copy was started or loaded. Text that is not a
    /// session is ignored.
    pub fn advance(&mut self, path: &str, existing: Option<&str>) -> Result<()> {
        let stamp = existing.and_then(|text| serde_json::from_str::<Stamp>(text).ok());
        if let Some(stamp) = stamp.filter(|stamp| stamp.format == FORMAT) {
            let path = path.to_owned();
            if stamp.instance != self.instance {
                let (own, found) = (self.instance, stamp.instance);
                return Err(ErrorKind::OtherInstance { path, own, found }.into());
            }
            // The text that this copy wrote or was loaded from, or an older one.
            let known = stamp.writer == self.tag
                || stamp.generation < self.loaded.0
                || (stamp.generation, stamp.writer) == self.loaded;
            if !known || stamp.generation > self.generation {
                let (own, found) = (self.generation, stamp.generation);
                return Err(ErrorKind::OlderGeneration { path, own, found }.into());
            }
        }
        self.generation += 1;
        self.writer = self.tag;
        Ok(())
    }

    /// Saves the session as a file of the next generation. The file is written next to its place
    /// and renamed, so that no partial file is ever visible. Two programs that save at the same
    /// time are not detected; the later rename wins.
    ///
    /// # Errors
    /// As [`Session::advance`]; [`ErrorKind::FileAccess`].
    pub fn save_to(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let existing = match std::fs::read_to_string(path) {
            Ok(text) => Some(text),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            // Not text, hence no session.
            Err(e) if e.kind() == std::io::ErrorKind::InvalidData => None,
            Err(e) => return Err(inaccessible(path, "read", &e)),
        };
        self.advance(&path.display().to_string(), existing.as_deref())?;
        let text = self.to_json()?;
        self.write_beside(path, &text).map_err(|e| inaccessible(path, "written", &e))
    }

    fn write_beside(&self, path: &Path, text: &str) -> std::io::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = path.with_file_name(format!(".{name}.{:016x}", draw_tag()));
        let written = (|| {
            let mut file = std::fs::File::create_new(&beside)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&beside, path)
        })();
        if written.is_err() {
            // The file may not exist.
            let _ = std::fs::remove_file(&beside);
        }
        written
    }

    /// Loads a session saved by [`Session::save_to`]; see [`Session::from_json`].
    ///
    /// # Errors
    /// [`ErrorKind::FileAccess`], [`ErrorKind::BadFile`].
    pub fn load_from(path: impl AsRef<Path>) -> Result<Session> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|e| inaccessible(path, "read", &e))?;
        Self::from_json(&text)
    }
}

/// Returns the numbers of the open queries in a learner's state; one without them was rejected
/// before.
pub(super) fn open_in(learner: &serde_json::Value) -> BTreeSet<u64> {
    let numbers = learner["state"]["ledger"]["open"].as_array();
    numbers.into_iter().flatten().filter_map(serde_json::Value::as_u64).collect()
}

fn inaccessible(path: &Path, what: &'static str, error: &std::io::Error) -> Error {
    let (path, problem) = (path.display().to_string(), error.to_string());
    ErrorKind::FileAccess { path, what, problem }.into()
}
