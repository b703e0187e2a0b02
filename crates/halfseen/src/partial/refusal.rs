//! Refuses learners that need the rows themselves, with a remedy.

use crate::error::{Error, ErrorKind, short};
use crate::learner::{InParts, Learner};
use crate::registry;

/// Returns the refusal of a learner that needs the rows themselves: with a parameter to set, if that
/// helps, or with learners that do not need them, and with what to do to keep this one.
pub(super) fn needs_rows(learner: &dyn Learner, classes: usize) -> Error {
    let way = learner.in_parts(classes);
    let usual = registry::find(learner.name()).ok();
    let params = learner.to_json();
    let own =
        params.keys().filter_map(|name| Some(vec![(name.as_str(), usual.as_ref()?.get(name)?)]));
    let squared = || ("loss", "squared".to_owned());
    let sketched = || ("features", "sketch:2048".to_owned());
    let known = [vec![squared()], vec![sketched()], vec![sketched(), squared()]];
    let helps = own.chain(known).find(|settings| {
        let Ok(mut other) = registry::with_params(learner.name(), &params) else { return false };
        settings.iter().all(|(name, value)| other.set(name, value).is_ok())
            && other.in_parts(classes).is_some()
    });
    let set = helps.filter(|_| way.is_none()).map(|settings| {
        let settings: Vec<String> =
            settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("set {}, or ", settings.join(" and "))
    });
    let all = registry::all();
    let sums = |way: Option<InParts>| way.is_some_and(|way| way != InParts::Stream);
    let able = all.iter().filter(|one| sums(one.in_parts(classes))).map(|one| one.name());
    let others = able.collect::<Vec<&str>>().join(", ");
    let needs = learner.needs();
    let keep = match way {
        Some(InParts::Stream) => {
            "learn from one stream of the rows: fit --units SUMS --out MODEL, in Python fit_stream or partial_fit"
        }
        _ if needs.chooses() && needs.holes => {
            "merge what was read: append the files of reads, and fit to them"
        }
        _ => "fit to the whole table, or to some of its rows: fit --rows 20000",
    };
    let remedy = format!("{}choose one of {others}; or {keep}", set.unwrap_or_default());
    let what = match classes {
        0 => learner.name().to_owned(),
        _ => format!("{} of classes", learner.name()),
    };
    cannot_be_summed(&what, &remedy)
}

/// Refuses what needs the rows themselves, and not sums over them.
pub(super) fn cannot_be_summed(what: &str, remedy: &str) -> Error {
    let what = short(what);
    let problem =
        format!("{what} needs the rows themselves, and cannot be learned from parts; {remedy}");
    ErrorKind::Request(problem).into()
}

/// Refuses rows that are more or fewer than in the pass before.
pub(super) fn changed(before: u64, now: u64) -> Error {
    let problem = format!(
        "there are {now} rows with a target, and were {before} in the pass before: they changed, or were not read to their end; make the sums again"
    );
    ErrorKind::Table(problem).into()
}

/// Refuses a part that was absorbed before.
pub(super) fn twice() -> Error {
    let problem = "it was absorbed before; absorb every part once, and name other parts of this name otherwise (fit --partial SUMS --part NAME)";
    ErrorKind::Table(problem.to_owned()).into()
}
