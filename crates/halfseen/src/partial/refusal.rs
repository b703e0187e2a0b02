//! Refuses learners that need the rows themselves, with a remedy.

use crate::error::{Error, ErrorKind};
use crate::learner::{InParts, Learner};
use crate::registry;

/// Returns the refusal of a learner that needs the rows themselves: with a parameter to set, if that
/// helps, or with learners that do not need them.
pub(super) fn needs_rows(learner: &dyn Learner, classes: usize) -> Error {
    let can = |other: &dyn Learner| other.in_parts(classes).is_some();
    let usual = registry::find(learner.name()).ok();
    let params = learner.to_json();
    let own = params.keys().filter_map(|name| Some((name.as_str(), usual.as_ref()?.get(name)?)));
    let mut tried = own.chain([("loss", "squared".to_owned())]);
    let helps = tried.find(|(name, value)| {
        let other = registry::with_params(learner.name(), &params);
        other.is_ok_and(|mut other| other.set(name, value).is_ok() && can(&*other))
    });
    let others = || {
        let all = registry::all();
        let names = |by_moments: bool| {
            let is = |one: &&Box<dyn Learner>| match one.in_parts(classes) {
                Some(InParts::Moments(_)) => by_moments,
                Some(_) => !by_moments,
                None => false,
            };
            all.iter().filter(is).map(|one| one.name()).collect::<Vec<&str>>().join(", ")
        };
        let (one, two) = (names(true), names(false));
        format!("choose one of {one}, or in two passes {two}; or fit to the whole table")
    };
    let remedy = helps.map_or_else(others, |(name, value)| format!("set {name}={value}"));
    let what = match classes {
        0 => learner.name().to_owned(),
        _ => format!("{} of classes", learner.name()),
    };
    ErrorKind::NeedsRows { what, remedy }.into()
}
