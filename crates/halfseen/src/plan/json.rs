//! Describes plans as JSON, for the program and for Python.

use super::guarantee::{Excess, MOST_EXAMPLES};
use super::search::Plan;
use serde_json::{Map, Value, json};

impl Plan {
    /// Returns the plan with its guarantee; `error` is the excess that was asked for, if one was.
    pub fn as_json(&self, error: Option<f64>) -> Value {
        let guarantee = &self.guarantee;
        let mut row = json!({
            "learner": guarantee.learner, "theorem": guarantee.theorem, "assumes": guarantee.assumes.text(),
            "status": "known", "budget": guarantee.budget, "examples": self.examples, "reads": self.reads,
            "excess": self.excess, "more_than": null, "says_something": self.says_something(),
            "formula": null, "constants": {}, "printed": null, "set": {}, "probability": null, "rate": null, "note": null,
        });
        let mut put = |key: &str, value: Value| row[key] = value;
        match &guarantee.excess {
            Excess::Known(bound) => {
                let m = self.examples.unwrap_or(MOST_EXAMPLES);
                let constants = bound.constants(m).into_iter();
                let constants: Map<String, Value> =
                    constants.map(|(name, value)| (name.to_owned(), json!(value))).collect();
                put("formula", json!(bound.formula));
                put("constants", Value::Object(constants));
                let examples = error.and_then(|error| bound.printed.examples(error));
                let excess = self.examples.and_then(|m| bound.printed.at(m));
                put(
                    "printed",
                    json!({ "formula": bound.printed.formula, "excess": excess, "examples": examples }),
                );
                if let Some(value) = self.examples.and_then(|m| bound.tuning.at(m)) {
                    put("set", json!({ bound.tuning.name: value }));
                }
                put("probability", json!(bound.probability));
                put("note", json!(bound.note));
                if self.reads.is_none() {
                    put("more_than", json!(MOST_EXAMPLES));
                }
            }
            Excess::RateOnly { rate, note } => {
                put("status", json!("rate only"));
                put("rate", json!(rate));
                put("note", json!(note));
            }
            Excess::Inapplicable { why } => {
                put("status", json!("inapplicable"));
                put("note", json!(why));
            }
        }
        row
    }
}
