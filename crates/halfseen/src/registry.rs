//! Lists all learners, and what they promise; the only file that knows them all.

use crate::budget::Saved;
use crate::error::{ErrorKind, Result, nearest};
use crate::learner::{AskTell, Learner};
use crate::model::Model;
use crate::params::{renamed, set_from_json};
use crate::plan::Promise;

/// Every learner with its default parameters, family by family.
pub fn all() -> Vec<Box<dyn Learner>> {
    let families = [
        crate::budget::learners(),
        crate::missing::learners(),
        crate::robust::learners(),
        crate::full::learners(),
    ];
    families.into_iter().flatten().collect()
}

/// A name of its own for a learner with one parameter set: what papers call a method, and version 1
/// of the files a learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias {
    /// The name.
    pub name: &'static str,
    /// The learner.
    pub learner: &'static str,
    /// The parameter that is set.
    pub parameter: &'static str,
    /// Its value.
    pub value: &'static str,
}

/// Every alias, in the order of the learners.
pub const ALIASES: [Alias; 6] = [
    Alias { name: "ddaerr-2p", learner: "ddaerr", parameter: "moments", value: "two-phase" },
    Alias { name: "ddaelr-2p", learner: "ddaelr", parameter: "moments", value: "two-phase" },
    Alias { name: "zero", learner: "imputation", parameter: "fill", value: "zero" },
    Alias { name: "mean", learner: "imputation", parameter: "fill", value: "mean" },
    Alias { name: "mcb", learner: "completion", parameter: "variant", value: "b" },
    Alias { name: "mc1", learner: "completion", parameter: "variant", value: "1" },
];

/// The alias of this name, if it is one.
pub fn alias(name: &str) -> Option<&'static Alias> {
    ALIASES.iter().find(|alias| alias.name == name)
}

/// The learner of this name or alias, with default parameters but for what the alias sets.
///
/// # Errors
/// [`ErrorKind::UnknownLearner`], with the nearest name and the list.
pub fn find(name: &str) -> Result<Box<dyn Learner>> {
    let alias = alias(name);
    let own = alias.map_or(name, |alias| alias.learner);
    let mut learner = all().into_iter().find(|l| l.name() == own).ok_or_else(|| {
        let known: Vec<String> = names().map(str::to_owned).collect();
        let nearest = nearest(name, &known);
        ErrorKind::UnknownLearner { name: name.to_owned(), nearest, known }
    })?;
    if let Some(alias) = alias {
        learner.set(alias.parameter, alias.value)?;
    }
    Ok(learner)
}

/// Every name that [`find`] knows: those of the learners, then the aliases.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().into_iter().map(|l| l.name()).chain(ALIASES.iter().map(|alias| alias.name))
}

/// Every learner with its default parameters, and each of its variants that has a name of its own:
/// those that differ.
pub fn variants() -> Vec<Box<dyn Learner>> {
    let aliased = ALIASES.iter().filter_map(|alias| find(alias.name).ok());
    all().into_iter().filter(|l| label(&**l) == l.name()).chain(aliased).collect()
}

/// What tells a learner from its other variants: its alias, where it has what one sets, else its
/// name. Comparisons call it so.
pub fn label(learner: &dyn Learner) -> &'static str {
    let is = |alias: &&Alias| {
        alias.learner == learner.name()
            && learner.get(alias.parameter).as_deref() == Some(alias.value)
    };
    ALIASES.iter().find(is).map_or(learner.name(), |alias| alias.name)
}

/// The names of the learners that a comparison tries by default: on a complete table (and wherever
/// a budget says how much may be read), or where cells are missing or classes are more than two.
pub fn compared(holes: bool, classes: usize) -> Vec<&'static str> {
    let complete =
        ["ridge", "lasso", "online-lasso", "aer", "aerr", "aelr", "ddaelr-2p", "baseline", "fiml"];
    let with_holes = ["karma", "zero", "mean", "mcb", "mc1", "geom", "fiml"];
    if !holes {
        return complete.into();
    }
    let able = |name: &&str| find(name).is_ok_and(|l| l.needs().targets.allow(classes));
    with_holes.into_iter().filter(able).collect()
}

/// The promises of all learners that have a theorem, the references that read everything last.
pub fn guarantees() -> Vec<Promise> {
    crate::budget::guarantees().into_iter().chain(crate::full::guarantees()).collect()
}

/// Refuses a target of so many classes (0: numbers) that a learner cannot learn, and names those
/// that can.
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
            let problem = format!("{problem}, or a learner of more ({})", able.join(", "));
            Err(ErrorKind::WrongTarget { column: column.clone(), problem }.into())
        }
        _ => Err(error),
    }
}

impl Model {
    /// Reads a model from JSON text.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`], naming the key: another format or version, unknown or missing keys,
    /// numbers that are not finite or not as many as the schema has columns, a learner that is not
    /// known, or parameters that it does not have.
    pub fn from_json(text: &str) -> Result<Model> {
        let mut model = Model::read_json(text)?;
        let learner = parametrised(&model.learner, &model.params).map_err(|(key, problem)| {
            ErrorKind::BadFile { what: "model", key: key.to_owned(), problem }
        })?;
        // Names of today, of what the file says.
        let alias = alias(&model.learner);
        let set = alias.map(|alias| alias.parameter);
        let said: Vec<&str> = model.params.keys().map(|name| renamed(name)).chain(set).collect();
        let params =
            learner.to_json().into_iter().filter(|(name, _)| said.contains(&name.as_str()));
        model.params = params.collect();
        model.learner = learner.name().to_owned();
        if alias.is_some() {
            model.report.learner.clone_from(&model.learner);
        }
        Ok(model)
    }
}

/// The learner of this name with the parameters of a model or a row of a comparison.
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

/// The learner of this name with these parameters; else which of the two is wrong, and why.
fn parametrised(
    name: &str,
    params: &serde_json::Map<String, serde_json::Value>,
) -> std::result::Result<Box<dyn Learner>, (&'static str, String)> {
    let mut learner = find(name).map_err(|e| ("learner", e.to_string()))?;
    set_from_json(&mut *learner, params).map_err(|e| ("params", e.to_string()))?;
    Ok(learner)
}

/// Loads a learner that [`AskTell::save`] wrote; it goes on with the same bits, open queries
/// included.
///
/// # Errors
/// [`ErrorKind::BadFile`], naming the key, for anything that is not such a state.
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
        assert!(
            error.contains("karma, imputation, completion") && !error.contains("geom"),
            "{error}"
        );
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
