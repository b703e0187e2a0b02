//! Loads damaged model files and uses what loads.

use super::{Subject, damaged_json, fit, learners, one_line, predict, table};
use anyhow::Result;
use fastrand::Rng;
use halfseen::data::Table;
use halfseen::registry;

pub(super) struct Models {
    texts: Vec<String>,
    table: Table,
}

impl Models {
    pub(super) fn new() -> Result<Models> {
        let table = table()?;
        let mut texts = Vec::new();
        for learner in learners()? {
            for target in ["price", "kind"] {
                if let Ok(model) = fit(&*learner, &table, target) {
                    texts.push(model.to_json()?);
                }
            }
        }
        Ok(Models { texts, table })
    }
}

impl Subject for Models {
    fn input(&self, random: &mut Rng) -> Vec<u8> {
        damaged_json(&self.texts, random)
    }

    fn run(&mut self, input: &[u8], _: &mut Rng) -> Result<bool, String> {
        let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
        let model = match registry::read_model(text) {
            Ok(model) => model,
            Err(error) => return one_line(&error).map(|()| false),
        };
        let written =
            model.to_json().map_err(|e| format!("a model that was read is not written: {e}"))?;
        let again = registry::read_model(&written).and_then(|model| model.to_json());
        if again.as_ref().ok() != Some(&written) {
            return Err(format!("a model that was written reads as another: {:?}", again.err()));
        }
        let taken = predict(&model, &self.table)?;
        let shown = model
            .raw_weights()
            .map(|_| ())
            .and_then(|()| model.intervals(&self.table, 0.9).map(|_| ()));
        shown.or_else(|error| one_line(&error))?;
        let _ = model.raw_standard_errors();
        predict(&model.without_clip(), &self.table)?;
        Ok(taken)
    }
}
