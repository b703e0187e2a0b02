//! Writes sums as text, and reads them.

use super::{Held, Partial};
use crate::error::{Error, ErrorKind, Result};
use serde::Deserialize;

/// Name of the format in files, and its version.
pub(super) const FORMAT: &str = "halfseen-partial";
pub(super) const VERSION: u32 = 1;

impl Partial {
    /// Writes the sums as JSON text, which [`Partial::from_json`] reads.
    ///
    /// # Errors
    /// [`ErrorKind::Numerical`] for a sum that is not finite.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| {
            ErrorKind::Numerical { what: "the sums of a part", problem: error.to_string() }.into()
        })
    }

    /// Reads sums from JSON text.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`] for another format or version, or contents that contradict each other.
    pub fn from_json(text: &str) -> Result<Partial> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let bad = |key: &str, problem: String| -> Error {
            ErrorKind::BadFile { what: "partial", key: key.to_owned(), problem }.into()
        };
        let head: Head = serde_json::from_str(text)
            .map_err(|error| bad("format", format!("this is not a file of sums ({error})")))?;
        if head.format != FORMAT {
            let format = crate::error::short(&head.format);
            return Err(bad("format", format!("is '{format}', not '{FORMAT}'")));
        }
        if head.version != VERSION {
            let problem = format!("is {}; this program reads version {VERSION}", head.version);
            return Err(bad("version", problem));
        }
        let read: Partial =
            serde_json::from_str(text).map_err(|error| bad("parts", error.to_string()))?;
        for (name, held) in &read.parts {
            let checked = match held {
                Held::Sums(part) => part.check(),
                Held::Features(of) => of.check(),
            };
            checked.map_err(|problem| bad(name, problem))?;
            if read.units.is_none() != matches!(held, Held::Sums(_)) {
                return Err(bad(name, "is of another kind than the units allow".to_owned()));
            }
        }
        read.learner().map_err(|error| bad("params", error.to_string()))?;
        if let Some(units) = &read.units {
            units.check().map_err(|error| bad("units", error.to_string()))?;
        }
        Ok(read)
    }
}
