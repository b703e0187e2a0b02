//! Wraps a learner's state with all that is needed to resume it.

use crate::data::Layout;
use crate::error::{Error, ErrorKind, Result, check_version};
use crate::learner::{AskTell, Learner};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::sync::Arc;

const FORMAT: &str = "halfseen-learner";
const VERSION: u64 = 3;

/// Returns true for a count that a file leaves out.
pub fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Saved learner that asks: name, parameters, layout and state.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved<'a> {
    format: String,
    version: u64,
    /// The learner's name.
    pub learner: String,
    /// Its parameters.
    pub params: serde_json::Map<String, serde_json::Value>,
    layout: Cow<'a, Layout>,
    state: serde_json::Value,
}

pub(crate) fn wrap(
    learner: &str,
    params: &serde_json::Map<String, serde_json::Value>,
    layout: &Layout,
    state: serde_json::Value,
) -> Result<serde_json::Value> {
    if let Some(key) = hole(&state) {
        return Err(bad("state", format!("{key} is not finite")));
    }
    let (format, learner, params) = (FORMAT.to_owned(), learner.to_owned(), params.clone());
    let saved =
        Saved { format, version: VERSION, learner, params, layout: Cow::Borrowed(layout), state };
    serde_json::to_value(&saved).map_err(|e| bad("state", e.to_string()))
}

/// Returns FNV-1a over a learner's name, parameters and layout, which identifies its answers.
pub(crate) fn fingerprint(
    learner: &str,
    params: &serde_json::Map<String, serde_json::Value>,
    layout: &Layout,
) -> Result<u64> {
    digest(&(learner, params, layout)).map_err(|e| bad("params", e.to_string()))
}

/// Returns FNV-1a over the JSON text of a value.
pub fn digest(value: &impl Serialize) -> serde_json::Result<u64> {
    struct Fnv(u64);
    impl std::io::Write for Fnv {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
            }
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut hash = Fnv(0xCBF2_9CE4_8422_2325);
    serde_json::to_writer(&mut hash, value)?;
    Ok(hash.0)
}

/// Keys of a state that may be null.
const OPTIONAL: [&str; 4] = ["norms", "measured", "bound", "observed"];

/// Key of a list in which null is an unknown target.
const PARTLY_KNOWN: &str = "targets";

/// Returns the first key with a number that was not finite, which JSON writes as null.
fn hole(value: &serde_json::Value) -> Option<String> {
    use serde_json::Value::{Array, Null, Object};
    match value {
        Object(map) => map.iter().find_map(|(key, value)| match value {
            Null if !OPTIONAL.contains(&key.as_str()) => Some(key.clone()),
            Array(_) if key == PARTLY_KNOWN => None,
            value => hole(value).map(|inner| if inner.is_empty() { key.clone() } else { inner }),
        }),
        Array(items) => items
            .iter()
            .find_map(|item| if item.is_null() { Some(String::new()) } else { hole(item) }),
        _ => None,
    }
}

/// Largest number of a state: told values are at most 1e100, and states keep sums of their squares.
const LARGEST: f64 = 1e210;

/// Returns true if a number is so large that sums would overflow.
fn overflows(value: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match value {
        Object(map) => map.values().any(overflows),
        Array(items) => items.iter().any(overflows),
        Number(number) => number.as_f64().is_some_and(|number| number.abs() > LARGEST),
        _ => false,
    }
}

pub(crate) fn bad(key: &str, problem: String) -> Error {
    ErrorKind::BadFile { what: "learner state", key: key.to_owned(), problem }.into()
}

/// Parses a part of a state.
///
/// # Errors
/// [`ErrorKind::BadFile`].
pub fn state<T: DeserializeOwned>(json: serde_json::Value) -> Result<T> {
    serde_json::from_value(json).map_err(|e| bad("state", e.to_string()))
}

/// Returns the error for a state with inconsistent numbers.
pub fn untrue() -> Error {
    bad("state", "holds numbers that cannot be true of these parameters and this layout".to_owned())
}

impl Saved<'_> {
    /// Reads what [`AskTell::save`] wrote.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`], naming the key.
    pub fn read(json: &serde_json::Value) -> Result<Saved<'static>> {
        let saved = Saved::deserialize(json).map_err(|e| bad("", e.to_string()))?;
        if saved.format != FORMAT {
            let format = crate::error::short(&saved.format);
            return Err(bad("format", format!("is '{format}', not '{FORMAT}'")));
        }
        check_version(saved.version, VERSION).map_err(|problem| bad("version", problem))?;
        if overflows(json) {
            return Err(untrue());
        }
        Ok(saved)
    }

    /// Resumes the learner; `learner` has the saved parameters.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`], naming the key.
    pub fn resumed(self, learner: &dyn Learner) -> Result<Box<dyn AskTell>> {
        let mut layout = self.layout.into_owned();
        layout.complete()?;
        let resumed =
            learner.resume(&Arc::new(layout), self.state).map_err(|e| match e.kind() {
                ErrorKind::BadFile { .. } => e,
                _ => bad("params", e.to_string()),
            })?;
        resumed.ok_or_else(|| bad("learner", format!("{} does not ask and tell", self.learner)))
    }
}
