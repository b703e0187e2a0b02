//! Loads damaged states of learners that ask, and goes on asking with those that load.

use super::{Subject, damaged_json, learners, one_line};
use anyhow::Result;
use fastrand::Rng;
use halfseen::budget::AskTell;
use halfseen::data::Layout;
use halfseen::registry::{load, start};
use halfseen::{Learner, Silent};
use std::sync::Arc;

pub(super) struct States {
    texts: Vec<String>,
}

impl States {
    pub(super) fn new() -> Result<States> {
        let mut texts = Vec::new();
        for learner in learners()? {
            if learner.needs().chooses() {
                texts.extend(begun(&*learner)?);
            }
        }
        Ok(States { texts })
    }
}

/// Returns the state of a learner with answers and an open query.
fn begun(learner: &dyn Learner) -> Result<Option<String>> {
    let layout = Arc::new(Layout::singletons(5));
    let Ok(mut asker) = start(learner, &layout, 0).or_else(|_| start(learner, &layout, 2)) else {
        return Ok(None);
    };
    let mut random = Rng::with_seed(1);
    (0..12).try_for_each(|_| answer(&mut *asker, &mut random))?;
    asker.ask()?;
    Ok(Some(asker.save()?.to_string()))
}

/// Asks and answers.
fn answer(asker: &mut dyn AskTell, random: &mut Rng) -> halfseen::Result<()> {
    let query = asker.ask()?;
    let values: Vec<f64> = query.parts.iter().map(|_| 4.0 * random.f64() - 2.0).collect();
    let target = if random.bool() { 1.0 } else { -1.0 };
    asker.tell(&query, &values, target).map(drop)
}

impl Subject for States {
    fn input(&self, random: &mut Rng) -> Vec<u8> {
        damaged_json(&self.texts, random)
    }

    fn run(&mut self, input: &[u8], random: &mut Rng) -> Result<bool, String> {
        let Ok(state) = serde_json::from_slice(input) else { return Ok(false) };
        let mut asker = match load(&state) {
            Ok(asker) => asker,
            Err(error) => return one_line(&error).map(|()| false),
        };
        let written =
            asker.save().map_err(|e| format!("a state that was read is not written: {e}"))?;
        load(&written).map_err(|e| format!("a state that was written is not read: {e}"))?;
        let open = |state: &serde_json::Value| state["state"]["ledger"]["open"].clone();
        if open(&written) != open(&state) {
            return Err("open queries were lost".into());
        }
        // Damaged weights may make sums overflow, which is then said.
        let gone_on = (0..3).try_for_each(|_| answer(&mut *asker, random));
        let gone_on = gone_on.and_then(|()| asker.fitted(&Silent)).and_then(|_| asker.save());
        if let Err(error) = gone_on {
            one_line(&error)?;
        }
        Ok(true)
    }
}
