//! Lists all learners, and what they promise; the only file that knows them all.

use crate::budget::Saved;
use crate::error::{ErrorKind, Result, nearest};
use crate::learner::{AskTell, Learner};
use crate::model::Model;
use crate::params::set_from_json;
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

/// The learner of this name, with default parameters.
///
/// # Errors
/// [`ErrorKind::UnknownLearner`], with the nearest name and the list.
pub fn find(name: &str) -> Result<Box<dyn Learner>> {
    all().into_iter().find(|l| l.name() == name).ok_or_else(|| {
        let known: Vec<String> = all().iter().map(|l| l.name().to_owned()).collect();
        let nearest = nearest(name, &known);
        ErrorKind::UnknownLearner { name: name.to_owned(), nearest, known }.into()
    })
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
        let model = Model::read_json(text)?;
        parametrised(&model.learner, &model.params).map_err(|(key, problem)| {
            ErrorKind::BadFile { what: "model", key: key.to_owned(), problem }
        })?;
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
            error.contains("karma, zero, mean, mcb, mc1") && !error.contains("geom"),
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
