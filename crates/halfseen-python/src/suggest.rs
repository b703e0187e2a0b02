//! Suggests a learner.

use halfseen::select::{Situation, suggest as suggested};
use pyo3::prelude::*;
use serde_json::json;

/// Returns the library's suggestion for a situation, as JSON, with the sentence that explains it.
#[pyfunction]
pub(crate) fn suggest(
    rows: usize,
    attributes: usize,
    columns: usize,
    classes: usize,
    holes: bool,
    limited: bool,
    threat: bool,
) -> String {
    let imputed = false;
    let situation = Situation {
        rows,
        attributes,
        columns,
        classes,
        holes,
        imputed,
        missing: None,
        limited,
        threat,
    };
    let suggestion = suggested(&situation);
    let mut json = json!(suggestion);
    json["text"] = suggestion.to_string().into();
    json.to_string()
}
