//! Lists all learners; the only file that knows them all. A program may add learners of its own.

use crate::data::Layout;
use crate::error::{ErrorKind, Result, list, nearest, short};
use crate::learner::{AskTell, Learner};
use crate::model::Model;
use crate::params::set_from_json;
use halfseen_core::asking::Saved;
use halfseen_core::error::maybe;
use std::sync::{Arc, OnceLock};

/// Makes learners with their default parameters.
type Learners = fn() -> Vec<Box<dyn Learner>>;

/// Learners of other crates.
static OTHERS: OnceLock<Learners> = OnceLock::new();

/// Adds learners of another crate, with their default parameters. From then on they are found by
/// their names, tuned and compared, and model files with them are read, like the library's own; a
/// name of the library's keeps its meaning. A program does this once, at its start: later calls
/// change nothing, and return false.
pub fn extend(others: fn() -> Vec<Box<dyn Learner>>) -> bool {
    OTHERS.set(others).is_ok()
}

/// Returns every learner with its default parameters, family by family, then those of
/// [`extend`].
pub fn all() -> Vec<Box<dyn Learner>> {
    let families = [
        crate::budget::learners(),
        crate::joint::learners(),
        crate::missing::learners(),
        crate::robust::learners(),
        crate::full::learners(),
    ];
    let others = OTHERS.get().map(|others| others()).unwrap_or_default();
    families.into_iter().flatten().chain(others).collect()
}

/// A second name for a learner with one parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias {
    /// Name.
    pub name: &'static str,
    /// Learner.
    pub learner: &'static str,
    /// Parameter that is set.
    pub parameter: &'static str,
    /// Value of the parameter.
    pub value: &'static str,
}

/// All aliases, in the order of the learners.
pub const ALIASES: [Alias; 6] = [
    Alias { name: "ddaerr-2p", learner: "ddaerr", parameter: "moments", value: "two-phase" },
    Alias { name: "ddaelr-2p", learner: "ddaelr", parameter: "moments", value: "two-phase" },
    Alias { name: "zero", learner: "imputation", parameter: "fill", value: "zero" },
    Alias { name: "mean", learner: "imputation", parameter: "fill", value: "mean" },
    Alias { name: "mcb", learner: "completion", parameter: "variant", value: "b" },
    Alias { name: "mc1", learner: "completion", parameter: "variant", value: "1" },
];

/// Returns the alias of this name, if any.
pub fn alias(name: &str) -> Option<&'static Alias> {
    ALIASES.iter().find(|alias| alias.name == name)
}

/// Returns the learner of this name or alias, with default parameters except the alias's.
///
/// # Errors
/// [`ErrorKind::Request`], with the nearest name and the list.
pub fn find(name: &str) -> Result<Box<dyn Learner>> {
    let alias = alias(name);
    let own = alias.map_or(name, |alias| alias.learner);
    let mut learner = all().into_iter().find(|l| l.name() == own).ok_or_else(|| {
        let known: Vec<String> = names().map(str::to_owned).collect();
        let nearest = nearest(name, &known);
        let (name, near, known) = (short(name), maybe(&nearest), list(&known));
        ErrorKind::Request(format!("there is no learner '{name}'{near}; there are: {known}"))
    })?;
    if let Some(alias) = alias {
        learner.set(alias.parameter, alias.value)?;
    }
    Ok(learner)
}

/// Returns every name that [`find`] accepts: those of the learners, then the aliases.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().into_iter().map(|l| l.name()).chain(ALIASES.iter().map(|alias| alias.name))
}

/// Returns every learner with its default parameters, and every distinct variant that has an alias.
pub fn variants() -> Vec<Box<dyn Learner>> {
    let aliased = ALIASES.iter().filter_map(|alias| find(alias.name).ok());
    all().into_iter().filter(|l| label(&**l) == l.name()).chain(aliased).collect()
}

/// Returns a learner's name in comparisons: its alias, if its parameter has that value, or its own.
pub fn label(learner: &dyn Learner) -> &'static str {
    let is = |alias: &&Alias| {
        alias.learner == learner.name()
            && learner.get(alias.parameter).as_deref() == Some(alias.value)
    };
    ALIASES.iter().find(is).map_or(learner.name(), |alias| alias.name)
}

/// Returns the learners that a comparison tries by default on a complete table or with a budget,
/// or else with missing cells or more than two classes: those that can learn so many classes.
pub fn compared(holes: bool, threat: bool, classes: usize) -> Vec<&'static str> {
    let complete = ["ridge", "lasso", "aer", "aerr", "aelr", "ddaelr-2p", "baseline", "fiml"];
    let with_holes = ["karma", "zero", "mean", "mcb", "mc1", "fiml"];
    let able = |name: &&str| find(name).is_ok_and(|l| l.needs().targets.allow(classes));
    let threatened = ["robust-lp", "robust-perceptron", "ridge", "lasso"];
    let tried = match (holes, threat) {
        (true, _) => &with_holes[..],
        (false, true) => &threatened,
        (false, false) => &complete,
    };
    tried.iter().copied().filter(able).collect()
}

/// Refuses a target with this number of classes (0: numeric) that a learner cannot learn, and names
/// learners that can.
///
/// # Errors
/// [`ErrorKind::WrongTarget`].
pub fn check_classes(learner: &dyn Learner, classes: usize) -> Result<()> {
    let Err(error) = learner.needs().targets.check(learner.name(), classes) else {
        return Ok(());
    };
    let every = all();
    let able = every.iter().filter(|l| l.needs().targets.allow(classes)).map(|l| l.name());
    let able: Vec<&str> = able.collect();
    match error.kind() {
        ErrorKind::WrongTarget { column, problem } if classes > 2 && !able.is_empty() => {
            let problem = format!("{problem}, such as one for more classes ({})", able.join(", "));
            Err(ErrorKind::WrongTarget { column: column.clone(), problem }.into())
        }
        _ => Err(error),
    }
}

/// Reads a model from JSON text.
///
/// # Errors
/// [`ErrorKind::BadFile`], naming the key: another format or version, unknown or missing keys,
/// numbers that are not finite or not one per column of the schema, an unknown learner, or
/// parameters that it does not have.
pub fn read_model(text: &str) -> Result<Model> {
    let model = Model::read_json(text)?;
    parametrised(&model.learner, &model.params).map_err(|(key, problem)| ErrorKind::BadFile {
        what: "model",
        key: key.to_owned(),
        problem,
    })?;
    Ok(model)
}

/// Returns the named learner with the parameters of a file or of a row of a comparison. Those that it
/// does not name have their default.
///
/// # Errors
/// Unknown names, and values out of range.
pub fn with_params(
    name: &str,
    params: &serde_json::Map<String, serde_json::Value>,
) -> Result<Box<dyn Learner>> {
    let mut learner = find(name)?;
    set_from_json(&mut *learner, params)?;
    Ok(learner)
}

/// Returns the named learner with these parameters; else the key that is wrong, and the reason.
fn parametrised(
    name: &str,
    params: &serde_json::Map<String, serde_json::Value>,
) -> std::result::Result<Box<dyn Learner>, (&'static str, String)> {
    let mut learner = find(name).map_err(|e| ("learner", e.to_string()))?;
    set_from_json(&mut *learner, params).map_err(|e| ("params", e.to_string()))?;
    Ok(learner)
}

/// Starts a learner that asks, for a target of this number of classes (0: numeric).
///
/// # Errors
/// [`ErrorKind::Request`] for a learner of whole rows; [`ErrorKind::WrongTarget`]; as
/// [`Learner::start`].
pub fn start(
    learner: &dyn Learner,
    layout: &Arc<Layout>,
    classes: usize,
) -> Result<Box<dyn AskTell>> {
    check_classes(learner, classes)?;
    let Some(mut started) = learner.start(layout)? else {
        let problem = format!(
            "{} cannot ask and tell, because it needs whole examples; choose a learner that asks, such as fiml or aerr",
            learner.name()
        );
        return Err(ErrorKind::Request(problem).into());
    };
    started.classify(classes)?;
    if classes == 0 {
        started.check_numbers()?;
    }
    Ok(started)
}

/// Loads a learner saved by [`AskTell::save`]; it continues with the same bits, open queries
/// included.
///
/// # Errors
/// [`ErrorKind::BadFile`], naming the key, for anything else.
pub fn load(json: &serde_json::Value) -> Result<Box<dyn AskTell>> {
    let saved = Saved::read(json)?;
    let learner = parametrised(&saved.learner, &saved.params).map_err(|(key, problem)| {
        ErrorKind::BadFile { what: "learner state", key: key.to_owned(), problem }
    })?;
    saved.resumed(&*learner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::with;

    #[test]
    fn many_classes_are_refused_with_the_learners_that_tell_them_apart() {
        for learner in all() {
            if let Err(error) = check_classes(&*learner, 3) {
                assert!(error.to_string().contains("3 classes"), "{error}");
            }
        }
        let error = find("ridge").and_then(|l| check_classes(&*l, 3)).unwrap_err().to_string();
        assert!(error.contains("karma, imputation, completion"), "{error}");
    }

    #[test]
    fn every_grid_is_in_the_declared_ranges() {
        for learner in all() {
            for setting in learner.grid().settings() {
                with(learner.clone(), &setting).unwrap().check().unwrap();
            }
        }
    }

    #[test]
    fn an_unknown_learner_gets_a_suggestion() {
        let error = find("aer r").unwrap_err();
        assert!(error.to_string().contains("did you mean 'aerr'"), "{error}");
    }
}
