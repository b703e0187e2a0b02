//! Computes, before any data are collected, the guaranteed error for a number of examples, or the
//! number of examples for an error.

use crate::args::PlanArgs;
use crate::tables::declarations;
use crate::terminal::failure::usage_error;
use crate::terminal::format;
use crate::terminal::output::{self, align};
use anyhow::{Context, Result};
use halfseen::plan::{Goal, MomentNorms, Plan, Setting, THEOREMS, plan};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &PlanArgs) -> Result<ExitCode> {
    let PlanArgs { dims, budget, radius, norm, .. } = *args;
    let moments = args.moments.as_deref().map(|path| moment_norms(path, dims)).transpose()?;
    let setting = Setting { dims, budget, radius, norm, moments };
    setting.check()?;
    let goal = match (args.examples, args.error) {
        (Some(examples), _) => Goal::Examples(examples),
        (None, Some(error)) => Goal::Error(error),
        (None, None) => return usage_error("a plan needs --error or --examples"),
    };
    let plans: Vec<Plan> = THEOREMS.iter().map(|theorem| plan(theorem, &setting, goal)).collect();
    let text = match args.json {
        true => {
            let rows: Vec<_> = plans.iter().map(Plan::as_json).collect();
            let json = json!({
                "dims": dims, "budget": budget, "radius": radius, "norm": norm,
                "moments": moments.map(|m| json!({ "sum": m.sum, "half": m.half, "largest": m.largest })),
                "error": args.error, "examples": args.examples, "rows": rows,
            });
            format!("{}\n", serde_json::to_string_pretty(&json)?)
        }
        false => describe(&setting, goal, &plans),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the norms of the second moments in a file with one row per attribute.
fn moment_norms(path: &Path, dims: u64) -> Result<MomentNorms> {
    let moments = declarations::moments(path)?;
    let place = || path.display().to_string();
    if moments.len() as u64 != dims {
        return usage_error(format!(
            "{}: {} moments for --dims {dims}; give one row for each attribute",
            place(),
            moments.len()
        ));
    }
    let squares: Vec<f64> = moments.values().map(|moment| moment.square).collect();
    MomentNorms::of(&squares).with_context(place)
}

/// Returns the table with the explanations needed to read it.
fn describe(setting: &Setting, goal: Goal, plans: &[Plan]) -> String {
    let known: Vec<&Plan> = plans.iter().filter(|plan| plan.contradiction.is_none()).collect();
    let mut rows = vec![
        ["learner", "reads each", "examples", "all reads", "excess error", "step", "theorem"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let width = known.iter().map(|plan| plan.theorem.source.len()).max().unwrap_or(0);
    for plan in &known {
        let step = plan.step.map_or("-".into(), |value| {
            format!("{}={}", plan.theorem.parameter, format::significant(value))
        });
        rows.push(vec![
            plan.theorem.learner.to_owned(),
            format::grouped(plan.budget),
            format::count(plan.examples),
            format::count(plan.reads),
            excess(plan),
            step,
            // The last column is aligned to the left.
            format!("{:<width$}", plan.theorem.source),
        ]);
    }
    let mut text = format!("{}\n\n{}\n", opening(setting, goal), align(&rows));
    if known.iter().any(|plan| plan.excess.is_some() && !plan.says_something) {
        text.push_str(
            "*  No guarantee: always predicting 0 is within this error, whatever the data.\n",
        );
    }
    for plan in plans {
        if let Some(why) = &plan.contradiction {
            text.push_str(&format!("{}: no guarantee; {why}.\n", plan.theorem.learner));
        }
    }
    text + &meaning(setting, plans)
}

/// States the question in one sentence.
fn opening(setting: &Setting, goal: Goal) -> String {
    let best = "that of the best linear model of this norm";
    let (k, d) = (format::grouped(setting.budget), format::grouped(setting.dims));
    match goal {
        Goal::Examples(m) => format!(
            "Bounds on the expected squared error above {best},\nafter {} examples with {k} of {d} attributes read from each.",
            format::grouped(m)
        ),
        Goal::Error(error) => format!(
            "Examples that guarantee an expected squared error within {error} of {best},\nwith {k} of {d} attributes read from each."
        ),
    }
}

/// Explains the table: units, assumptions and formulas.
fn meaning(setting: &Setting, plans: &[Plan]) -> String {
    let mut text = format!(
        "\nThe error is the mean of (prediction - target)^2; Hazan and Koren 2012 and Kukliansky and Shamir 2015 bound half of it
(doubled here). The bounds hold for the worst data under the assumptions; `halfseen compare` measures real errors.
The bounds are for --set step=VALUE (aer: penalty=VALUE) as above, average=all, centre=none, intercept=false.
\nAssumed, with B = {}",
        setting.radius
    );
    if setting.norm == 1.0 {
        text.push_str(" and R = 1:\n");
    } else {
        text.push_str(&format!(
            " and R = {0} (formulas below: B R = {1} for B, moments over R^2):\n",
            setting.norm,
            format::significant(setting.radius * setting.norm)
        ));
    }
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    for plan in plans {
        let (assumes, name) = (plan.theorem.assumes.text(), plan.theorem.learner);
        match told.iter_mut().find(|(text, _)| *text == assumes) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => told.push((assumes, vec![name])),
        }
    }
    for (assumes, names) in told {
        text.push_str(&format!("  {assumes}: {}\n", names.join(", ")));
    }
    match setting.moments {
        Some(m) => text.push_str(&format!(
            "  second moments mu: sum |mu|_1 {}, |mu|_1/2 {}, largest {}\n",
            format::significant(m.sum),
            format::significant(m.half),
            format::significant(m.largest)
        )),
        None => {
            text.push_str("  second moments: unknown, so the worst case; --moments FILE improves ddaerr and ddaelr\n")
        }
    }
    text.push_str(
        "\nFormulas (m examples, d attributes, k = reads per example minus one for the product; m2 examples in the second of two\nphases (-2p), 4 of 5; c = 1 if every attribute is read):\n",
    );
    for plan in plans {
        text.push_str(&format!("  {}: {}\n", plan.theorem.learner, plan.theorem.formula));
    }
    text
}

fn excess(plan: &Plan) -> String {
    let Some(value) = plan.excess else {
        // Not available: more examples than are planned for, or fewer than the theorem needs.
        return if plan.examples.is_some() { "too few examples".into() } else { "-".into() };
    };
    format!("{}{}", format::significant(value), if plan.says_something { "" } else { " *" })
}
