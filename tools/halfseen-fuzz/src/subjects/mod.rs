//! Subjects of the cases: each makes damaged input and runs halfseen on it.

mod files;
mod models;
mod partials;
mod program;
mod states;

use crate::mutate::{damage, damage_json};
use anyhow::{Context, Result, bail};
use fastrand::Rng;
use halfseen::data::{Table, Target};
use halfseen::model::Model;
use halfseen::prepare::{Options, Prepared};
use halfseen::{Learner, Silent, learner, registry};
use std::path::PathBuf;

/// Names of the subjects, in the order in which they run.
pub(crate) const NAMES: [&str; 5] = ["files", "models", "partials", "states", "program"];

/// Makes damaged input and runs halfseen on it.
pub(crate) trait Subject {
    /// Makes the input of a case.
    fn input(&self, random: &mut Rng) -> Vec<u8>;

    /// Runs it; true if the input was accepted, and an error in words if a rule was broken.
    fn run(&mut self, input: &[u8], random: &mut Rng) -> Result<bool, String>;
}

/// Returns a subject by its name.
pub(crate) fn make(name: &str) -> Result<Box<dyn Subject>> {
    Ok(match name {
        "files" => Box::new(files::Files::new()?),
        "models" => Box::new(models::Models::new()?),
        "partials" => Box::new(partials::Partials::new()?),
        "states" => Box::new(states::States::new()?),
        "program" => Box::new(program::Program::new()?),
        other => bail!("there is no subject {other}"),
    })
}

/// Damages one of some JSON texts, mostly within its grammar.
fn damaged_json(texts: &[String], random: &mut Rng) -> Vec<u8> {
    let text = &texts[random.usize(..texts.len())];
    if random.u8(..4) == 0 {
        let other = texts[random.usize(..texts.len())].as_bytes();
        return damage(text.as_bytes(), &[other], random);
    }
    damage_json(text, random).into_bytes()
}

/// Reads every file of the corpus: its name and its bytes, sorted by name.
fn corpus() -> Result<Vec<(String, Vec<u8>)>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.push((name, std::fs::read(&path)?));
    }
    files.sort();
    Ok(files)
}

/// Returns the table of the corpus.
fn table() -> Result<Table> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus/table.csv");
    Ok(halfseen_io::read_csv(&path, &halfseen_io::CsvOptions::default())?)
}

/// Settings that lead to other forms of models than the defaults.
const SETTINGS: [(&str, &[(&str, &str)]); 6] = [
    ("karma", &[("features", "sketch:16")]),
    ("karma", &[("loss", "hinge")]),
    ("fiml", &[("deviations", "3")]),
    ("fiml", &[("passive", "all")]),
    ("ddaerr", &[("moments", "two-phase")]),
    ("robust-lp", &[("threat", "1")]),
];

/// Returns every learner, and some with other settings.
fn learners() -> Result<Vec<Box<dyn Learner>>> {
    let mut learners = registry::all();
    for (name, settings) in SETTINGS {
        let settings = settings.iter().map(|&(name, value)| (name, value.to_owned())).collect();
        learners.push(learner::with(registry::find(name)?, &settings)?);
    }
    Ok(learners)
}

/// Fits a learner to a table.
fn fit(learner: &dyn Learner, table: &Table, target: &str) -> halfseen::Result<Model> {
    let values = Target::read(table, target, None)?;
    registry::check_classes(learner, values.classes().len())?;
    let rows: Vec<u32> = (0..table.rows() as u32).collect();
    // The other target would tell the one that is learned.
    let other = if target == "price" { "kind" } else { "price" };
    let except = if table.column(other).is_ok() { vec![other.to_owned()] } else { Vec::new() };
    let options = Options { except, ..Options::default() }.for_fit(&learner.needs());
    let prepared = Prepared::new(table, (target, &values), &rows, &options)?;
    let fit = learner.fit(&prepared.examples(), &Silent)?;
    Ok(Model::of(learner, &prepared, (target, &values), fit))
}

/// Refuses an error that is not one line of at most 1 kB.
fn one_line(error: &dyn std::fmt::Display) -> Result<(), String> {
    let text = error.to_string();
    if text.is_empty() || text.len() > 1024 || text.contains(['\n', '\r', '\0']) {
        let start: String = text.chars().take(300).collect();
        return Err(format!("an error of {} bytes, or of several lines: {start}", text.len()));
    }
    Ok(())
}

/// Predicts, and refuses scores that are not finite.
fn predict(model: &Model, table: &Table) -> Result<bool, String> {
    match model.predict(table) {
        Ok(prediction) => {
            let scores = &prediction.scores;
            let finite = (0..scores.len()).all(|row| scores.row(row).iter().all(|s| s.is_finite()));
            if finite { Ok(true) } else { Err("a prediction is not finite".into()) }
        }
        Err(error) => one_line(&error).map(|()| false),
    }
}
