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
    let own =
        params.keys().filter_map(|name| Some(vec![(name.as_str(), usual.as_ref()?.get(name)?)]));
    let squared = || ("loss", "squared".to_owned());
    let sketched = || ("features", "sketch:2048".to_owned());
    let known = [vec![squared()], vec![sketched()], vec![sketched(), squared()]];
    let helps = own.chain(known).find(|settings| {
        let Ok(mut other) = registry::with_params(learner.name(), &params) else { return false };
        settings.iter().all(|(name, value)| other.set(name, value).is_ok()) && can(&*other)
    });
    let others = || {
        let all = registry::all();
        let names = |by_moments: bool| {
            let is = |way: InParts| matches!(way, InParts::Moments(_)) == by_moments;
            let able = all.iter().filter(|one| one.in_parts(classes).is_some_and(is));
            able.map(|one| one.name()).collect::<Vec<&str>>().join(", ")
        };
        let (one, two) = (names(true), names(false));
        format!("choose one of {one}, or in two passes {two}; or fit to the whole table")
    };
    let set = helps.map(|settings| {
        let settings: Vec<String> =
            settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("set {}, or ", settings.join(" and "))
    });
    let remedy = set.unwrap_or_default() + &others();
    let what = match classes {
        0 => learner.name().to_owned(),
        _ => format!("{} of classes", learner.name()),
    };
    ErrorKind::NeedsRows { what, remedy }.into()
}
