//! Loads damaged sums of parts, of one pass and of two, merges them with others, and fits what loads.

use super::{Subject, damaged_json, one_line, predict, table};
use anyhow::Result;
use fastrand::Rng;
use halfseen::data::Table;
use halfseen::partial::{NextPass, Partial};
use halfseen::prepare::{Missing, Options};
use halfseen::{Learner, Silent, learner, registry};

/// Learners, each with what their parts need: those of moments, and one of two passes.
const SETTINGS: [(&str, &[(&str, &str)]); 6] = [
    ("ridge", &[]),
    ("lasso", &[("radius", "0.5")]),
    ("zero", &[("loss", "squared")]),
    ("mean", &[("loss", "squared")]),
    ("ridge", &[("intercept", "false")]),
    ("karma", &[("features", "sketch:5"), ("gamma", "1"), ("loss", "squared")]),
];

pub(super) struct Partials {
    /// Sums of two parts of each learner and target.
    texts: Vec<String>,
    /// Sums of another part of each.
    others: Vec<Partial>,
    table: Table,
}

impl Partials {
    pub(super) fn new() -> Result<Partials> {
        let table = table()?;
        let (mut texts, mut others) = (Vec::new(), Vec::new());
        for (name, settings) in SETTINGS {
            let settings = settings.iter().map(|&(name, value)| (name, value.to_owned())).collect();
            let learner = learner::with(registry::find(name)?, &settings)?;
            for (target, except) in [("price", "kind"), ("kind", "price")] {
                let Ok([one, two, other]) = sums(&*learner, target, except, &table) else {
                    continue;
                };
                let mut both = one;
                both.merge(two)?;
                texts.push(both.to_json()?);
                others.push(other);
            }
        }
        Ok(Partials { texts, others, table })
    }
}

/// Sums every third row of the table, from the first, second and third on.
fn sums(
    learner: &dyn Learner,
    target: &str,
    except: &str,
    table: &Table,
) -> halfseen::Result<[Partial; 3]> {
    let options =
        Options { except: vec![except.to_owned()], missing: Missing::Mean, ..Options::default() };
    let options = options.for_fit(&learner.needs());
    let empty = Partial::new(learner, target, None, &options)?;
    let parts = thirds(&empty, table)?;
    if empty.next_pass() == NextPass::None {
        return Ok(parts);
    }
    thirds(&empty.in_units(&merged(parts)?)?, table)
}

fn merged([mut all, two, three]: [Partial; 3]) -> halfseen::Result<Partial> {
    all.merge(two)?;
    all.merge(three)?;
    Ok(all)
}

fn thirds(empty: &Partial, table: &Table) -> halfseen::Result<[Partial; 3]> {
    let mut all = [empty.clone(), empty.clone(), empty.clone()];
    for (first, partial) in all.iter_mut().enumerate() {
        let rows: Vec<usize> = (first..table.rows()).step_by(3).collect();
        let tables = [halfseen::Result::Ok(table.select_rows(&rows))];
        partial.absorb::<halfseen::Error>(&format!("part {first}"), tables)?;
    }
    Ok(all)
}

impl Subject for Partials {
    fn input(&self, random: &mut Rng) -> Vec<u8> {
        damaged_json(&self.texts, random)
    }

    fn run(&mut self, input: &[u8], random: &mut Rng) -> Result<bool, String> {
        let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
        let partial = match Partial::from_json(text) {
            Ok(partial) => partial,
            Err(error) => return one_line(&error).map(|()| false),
        };
        let written =
            partial.to_json().map_err(|e| format!("sums that were read are not written: {e}"))?;
        let again = Partial::from_json(&written).and_then(|partial| partial.to_json());
        if again.as_ref().ok() != Some(&written) {
            return Err(format!("sums that were written read as others: {:?}", again.err()));
        }
        let mut merged = partial.clone();
        let other = self.others[random.usize(..self.others.len())].clone();
        let whole = match merged.merge(other) {
            Ok(()) => merged,
            Err(error) => {
                one_line(&error)?;
                partial
            }
        };
        match whole.finish(&Silent) {
            Ok(model) => predict(&model, &self.table),
            Err(error) => one_line(&error).map(|()| false),
        }
    }
}
