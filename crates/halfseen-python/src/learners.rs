//! Passes the library's declarations to Python, and builds learners from parameters given as text.

use crate::errors::{in_python, raised};
use halfseen::ErrorKind;
use halfseen::data::{Basis, Scale};
use halfseen::learner::{Learner, take_all_without_a_budget};
use halfseen::params::Kind;
use halfseen::registry::{ALIASES, all, find};
use pyo3::prelude::*;
use serde_json::json;

/// Returns every learner with its parameters, as JSON.
///
/// Python builds signatures and documentation from it, so that defaults and ranges are written
/// once.
#[pyfunction]
pub(crate) fn learners() -> String {
    let list: Vec<serde_json::Value> = all().iter().map(|learner| described(&**learner)).collect();
    json!(list).to_string()
}

fn described(learner: &dyn Learner) -> serde_json::Value {
    let defaults = learner.to_json();
    let parameters = learner.declarations().iter().map(|d| {
        let (kind, words) = named(&d.kind);
        json!({
            "name": d.name, "default": defaults[d.name], "kind": kind, "words": words, "allowed": d.kind.allowed(),
            "accepted": in_python(&d.kind.allowed()),
            "doc": d.doc, "source": d.source,
        })
    });
    let aliases = ALIASES.iter().filter(|alias| alias.learner == learner.name());
    let aliases =
        aliases.map(|a| json!({"name": a.name, "parameter": a.parameter, "value": a.value}));
    json!({
        "name": learner.name(), "title": learner.title(), "source": learner.source(), "family": learner.family(),
        "asks": learner.start(&std::sync::Arc::new(halfseen::data::Layout::singletons(8))).is_ok_and(|l| l.is_some()),
        "grid": learner.grid().0.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "aliases": aliases.collect::<Vec<_>>(), "parameters": parameters.collect::<Vec<_>>(),
    })
}

/// Returns the name of a kind of values, and the words among its values.
fn named(kind: &Kind) -> (&'static str, &'static [&'static str]) {
    match kind {
        Kind::Count { .. } => ("count", &[]),
        Kind::CountOrAuto { .. } => ("count-or-auto", &[]),
        Kind::Positive | Kind::NonNegative | Kind::Share | Kind::ShareOrCount => ("number", &[]),
        Kind::PositiveOrAuto | Kind::BetweenOrAuto { .. } | Kind::NonNegativeOrAuto => {
            ("number-or-auto", &[])
        }
        Kind::Flag => ("flag", &[]),
        Kind::Choice(words) => ("choice", words),
        Kind::Rule => ("rule", &["theory"]),
        Kind::RuleOrAuto => ("rule-or-auto", &["theory"]),
        Kind::SharesOrAuto => ("numbers-or-auto", &[]),
        Kind::Moments => ("moments", &["online", "two-phase"]),
        Kind::Costs => ("costs", &["uniform", "mi"]),
        Kind::Features => ("features", &["exact"]),
    }
}

/// Returns the first parameter whose value is not allowed, with a description of its allowed
/// values. The scaling of attributes and their basis may be among the parameters, as `scale` and
/// `basis`.
#[pyfunction]
pub(crate) fn refused(
    name: &str,
    parameters: Vec<(String, String)>,
) -> PyResult<Option<(String, String)>> {
    let (ours, parameters): (Vec<_>, Vec<_>) =
        parameters.into_iter().partition(|(name, _)| name == "scale" || name == "basis");
    let ours = ours.iter().try_for_each(|(name, value)| match &**name {
        "scale" => value.parse().map(|_: Scale| ()),
        _ => value.parse().map(|_: Basis| ()),
    });
    let Err(error) = ours.and_then(|()| built(name, &parameters).map(drop)) else {
        return Ok(None);
    };
    match error.kind() {
        ErrorKind::OutOfRange { name, allowed, .. } => {
            Ok(Some(((*name).to_owned(), in_python(allowed))))
        }
        ErrorKind::NotAValue { name, expected, .. } => {
            let none = if matches!(*name, "scale" | "basis") { ", or None" } else { "" };
            Ok(Some(((*name).to_owned(), in_python(expected) + none)))
        }
        _ => Err(raised(error)),
    }
}

/// Returns the learner of this name with parameters set from text.
pub(crate) fn configured(
    name: &str,
    parameters: &[(String, String)],
) -> PyResult<Box<dyn Learner>> {
    built(name, parameters).map_err(raised)
}

fn built(name: &str, parameters: &[(String, String)]) -> halfseen::Result<Box<dyn Learner>> {
    let mut learner = find(name)?;
    for (name, value) in parameters {
        learner.set(name, value)?;
    }
    take_all_without_a_budget(&mut *learner)?;
    learner.check()?;
    Ok(learner)
}
