//! Chooses a learner where the user names none.

use crate::args::{FitArgs, MissingArg};
use crate::tables::input::{self, Input};
use anyhow::Result;
use halfseen::data::Basis;
use halfseen::learner::Family;
use halfseen::params::THREAT;
use halfseen::prepare::Options;
use halfseen::registry;
use halfseen::select::{SUGGESTED_FOLDS, Situation, Suggestion, Task, suggest};

/// Suggestion, and its reason in the numbers of the table.
pub(crate) type Reasoned = (Suggestion, String);

/// Suggests a learner for a table; `limited` says if its reads are, and `threat` if attributes may
/// be deleted later.
pub(crate) fn suggested(
    input: &Input,
    ignored: &[&str],
    (limited, threat): (bool, bool),
) -> Suggestion {
    suggest(&situation(input, ignored, (limited, threat)))
}

fn situation(input: &Input, ignored: &[&str], (limited, threat): (bool, bool)) -> Situation {
    let except = ignored.iter().map(|&name| name.to_owned()).collect();
    let task = Task {
        table: &input.table,
        target_name: &input.target_name,
        target: &input.target,
        groups: None,
        options: &Options { except, ..Options::default() },
        test: None,
    };
    Situation::of(&task, limited, threat)
}

/// Reads the table of a fit, and returns the flags as if the user had chosen what suits it, with the
/// suggestion and its reason.
pub(crate) fn settle(args: &FitArgs) -> Result<(FitArgs, Input, Option<Reasoned>)> {
    let missing = args.missing.unwrap_or(MissingArg::Observed);
    let input = input::read(Some(&args.data), args.target.as_deref(), None, missing, &args.table)?;
    let sets = |name: &str| {
        args.set.iter().any(|set| set.split('=').next().is_some_and(|own| own.trim() == name))
    };
    let limited = args.budget.is_some() || !args.table.limits().is_empty() || args.pilot.is_some();
    let threat = args.threat.is_some() || args.costs.is_some() || sets(THREAT.name);
    let ignored: Vec<&str> = args.table.ignore.iter().map(String::as_str).collect();
    let mut situation = situation(&input, &ignored, (limited, threat));
    if missing == MissingArg::Mean {
        situation = situation.with_means();
    }
    let suggestion = suggest(&situation);
    let mut args = FitArgs { learner: suggestion.learner.to_owned(), ..args.clone() };
    let own = suggestion.set.iter().filter(|(name, _)| !sets(name));
    args.set.extend(own.map(|(name, value)| format!("{name}={value}")));
    let needs = registry::find(suggestion.learner)?.needs();
    let is_priced = args.budget.is_none() && args.table.cost.max_cost.is_some();
    if is_priced && needs.family == Family::Budget {
        // The price of the reads alone limits them.
        args.budget = Some(situation.attributes as u64);
    }
    if let Some(scale) = suggestion.scale {
        args.table.scale.get_or_insert(scale);
    }
    if suggestion.basis == Basis::Hats {
        args.table.basis = Basis::Hats;
    }
    if suggestion.tune {
        args.tune.get_or_insert(SUGGESTED_FOLDS as u64);
    }
    if needs.holes && missing == MissingArg::Mean {
        // It imputes by itself what is missing.
        args.missing = None;
    } else if !needs.holes && args.missing.is_none() {
        // A learner for a threat takes missing cells as deleted, and others meet none.
        args.missing = Some(MissingArg::Mean);
    }
    Ok((args, input, Some((suggestion, situation.reason()))))
}
