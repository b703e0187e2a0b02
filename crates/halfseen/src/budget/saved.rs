//! Wraps a learner's state with all that is needed to resume it.

use crate::data::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::learner::{AskTell, Learner};
use crate::params::{
    BEFORE, CONFIDENCE, MAX_COST, MOMENT_NORM, MOMENTS, PHASE1, SMOOTHING, TOTAL_COST, first_name,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::sync::Arc;

const FORMAT: &str = "halfseen-learner";
const VERSION: u64 = 2;

/// Returns true for a count that a file leaves out.
pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saved<'a> {
    format: String,
    version: u64,
    pub(crate) learner: String,
    pub(crate) params: serde_json::Map<String, serde_json::Value>,
    layout: Cow<'a, Layout>,
    state: serde_json::Value,
}

pub(super) fn wrap(
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
///
/// Names are those of version 1 of the files, so that older queries still find their learner.
pub(super) fn fingerprint(
    learner: &str,
    params: &serde_json::Map<String, serde_json::Value>,
    layout: &Layout,
) -> Result<u64> {
    let (learner, params) = first_names(learner, params);
    digest(&(learner, params, layout)).map_err(|e| bad("params", e.to_string()))
}

/// Returns FNV-1a over the JSON text of a value.
pub(crate) fn digest(value: &impl Serialize) -> serde_json::Result<u64> {
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

/// Returns a learner's name and parameters as in version 1 of the files.
fn first_names(
    learner: &str,
    params: &serde_json::Map<String, serde_json::Value>,
) -> (String, serde_json::Map<String, serde_json::Value>) {
    let phases = params.get(MOMENTS.name).is_some_and(|moments| moments == "two-phase");
    let none: &[&str] = match phases {
        true => &[MOMENTS.name],
        false => &[PHASE1.name, SMOOTHING.name, CONFIDENCE.name, MOMENT_NORM.name],
    };
    // Parameters that version 1 did not have count only if they are set.
    let unset = |name: &str, value: &serde_json::Value| match name {
        _ if name == TOTAL_COST.name => value == "auto",
        _ if name == MAX_COST.name => learner == "fiml" && value == "auto",
        _ => value.as_str().is_some_and(|value| BEFORE.contains(&(learner, name, value))),
    };
    let kept = params
        .iter()
        .filter(|(name, value)| !(none.contains(&name.as_str()) || unset(name, value)));
    let named = kept.map(|(name, value)| (first_name(name).to_owned(), value.clone()));
    (format!("{learner}{}", if phases { "-2p" } else { "" }), named.collect())
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

pub(super) fn bad(key: &str, problem: String) -> Error {
    ErrorKind::BadFile { what: "learner state", key: key.to_owned(), problem }.into()
}

/// Parses a part of a state.
///
/// # Errors
/// [`ErrorKind::BadFile`].
pub(super) fn state<T: DeserializeOwned>(json: serde_json::Value) -> Result<T> {
    serde_json::from_value(json).map_err(|e| bad("state", e.to_string()))
}

/// Returns the error for a state with inconsistent numbers.
pub(super) fn untrue() -> Error {
    bad("state", "holds numbers that cannot be true of these parameters and this layout".to_owned())
}

impl Saved<'_> {
    /// Reads what [`AskTell::save`] wrote.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`], naming the key.
    pub(crate) fn read(json: &serde_json::Value) -> Result<Saved<'static>> {
        let saved = Saved::deserialize(json).map_err(|e| bad("", e.to_string()))?;
        if overflows(json) {
            return Err(untrue());
        }
        if saved.format != FORMAT || !(1..=VERSION).contains(&saved.version) {
            let found = crate::error::short(&saved.format);
            let problem =
                format!("is {found} {}; this program reads {FORMAT} 1 to {VERSION}", saved.version);
            return Err(bad("version", problem));
        }
        Ok(saved)
    }

    /// Resumes the learner; `learner` has the saved parameters.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`], naming the key.
    pub(crate) fn resumed(self, learner: &dyn Learner) -> Result<Box<dyn AskTell>> {
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
