//! Computes, before any data are collected, the guaranteed error for a number of examples, or the
//! number of examples for an error.

use crate::args::PlanArgs;
use crate::failure::usage_error;
use crate::output::{self, align};
use crate::plan_costs::{Declared, PlanCosts};
use crate::plan_schema::PlanSchema;
use crate::{declarations, format, plan_karma};
use anyhow::{Context, Result};
use halfseen::plan::{self, Excess, Goal, MOST_EXAMPLES, MomentNorms, Plan, Setting};
use halfseen::registry;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &PlanArgs) -> Result<ExitCode> {
    if args.karma {
        return plan_karma::run(args);
    }
    if args.kappa.is_some() || args.gamma.is_some() {
        return usage_error(
            "--kappa and --gamma plan for data with missing values; give --karma as well",
        );
    }
    if args.error.is_some() && args.examples.is_some() {
        return usage_error("--error and --examples cannot be used together; give one of them");
    }
    let schema = args.schema.as_deref().map(|path| PlanSchema::read(path, args)).transpose()?;
    let declared = match &schema {
        Some(schema) => schema.declared(),
        None => Declared::by_flags(args)?,
    };
    let what = if declared.panels.is_empty() { "attributes" } else { "attributes and panels" };
    let (costs, resolved) = PlanCosts::resolve(args, declared)?.unzip();
    let args = resolved.as_ref().unwrap_or(args);
    let Some(radius) = args.radius else {
        return usage_error("a plan needs --radius");
    };
    let moments = args.moments.as_deref().map(|path| moment_norms(path, args)).transpose()?;
    let setting = Setting {
        dims: args.dims(),
        budget: args.budget.unwrap_or(args.dims().min(2)),
        radius,
        radius2: args.radius2,
        norm: args.norm,
        moments,
        confidence: args.confidence,
        phase1: args.phase1,
    };
    setting.check()?;
    if let Some(total) = args.total_budget.filter(|total| *total < setting.budget) {
        return usage_error(format!(
            "--total-budget {total}: one example takes at least {} reads; raise it",
            setting.budget
        ));
    }
    let mut plans = plans(args, &setting)?;
    let mut left_out = Vec::new();
    if let Some(costs) = &costs {
        let dear = plans.extract_if(.., |plan| !costs.allows(plan));
        left_out.extend(dear.map(|plan| plan.guarantee.learner));
    }
    let text = match args.json {
        true => {
            let mut json = as_json(args, &setting, &plans);
            if let Some(costs) = &costs {
                json["left_out"] = json!(left_out);
                let rows = json["rows"].as_array_mut().into_iter().flatten();
                rows.zip(&plans).for_each(|(row, plan)| row["cost"] = json!(costs.of(plan)));
            }
            if let Some(schema) = &schema {
                json["schema"] = schema.as_json();
            }
            format!("{}\n", serde_json::to_string_pretty(&json)?)
        }
        false => {
            let told = costs.as_ref().map_or(String::new(), |costs| costs.text(&left_out));
            let schema = schema.as_ref().map_or(String::new(), PlanSchema::text);
            describe(args, what, &setting, &plans, costs.as_ref()) + &told + &schema
        }
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn plans(args: &PlanArgs, setting: &Setting) -> Result<Vec<Plan>> {
    let goal = args.examples.map(Goal::Examples).or(args.error.map(Goal::Error));
    if args.total_budget.is_none() && goal.is_none() {
        return usage_error("a plan needs --error or --examples");
    }
    Ok(plan::all(&registry::guarantees(), setting, args.total_budget, goal))
}

/// Returns the norms of the second moments in a file with one row per attribute.
fn moment_norms(path: &Path, args: &PlanArgs) -> Result<MomentNorms> {
    let moments = declarations::moments(path)?;
    let place = || path.display().to_string();
    let dims = args.dims();
    if moments.len() as u64 != dims {
        let of = if args.schema.is_some() {
            format!("the {dims} attributes of the schema that can be read")
        } else {
            format!("--dims {dims}")
        };
        return usage_error(format!(
            "{}: {} moments for {of}; give one row for each attribute",
            place(),
            moments.len()
        ));
    }
    let squares: Vec<f64> = moments.values().map(|moment| moment.square).collect();
    MomentNorms::of(&squares).with_context(place)
}

/// Returns the table with the explanations needed to read it; `what` names all that can be read.
fn describe(
    args: &PlanArgs,
    what: &str,
    setting: &Setting,
    plans: &[Plan],
    costs: Option<&PlanCosts>,
) -> String {
    let known = |plan: &&Plan| matches!(plan.guarantee.excess, Excess::Known(_));
    let mut rows = vec![
        ["learner", "reads each", "examples", "all reads", "excess error", "theorem"]
            .map(str::to_owned)
            .to_vec(),
    ];
    // Beside the reads.
    rows[0].splice(4..4, costs.map(|_| "cost".to_owned()));
    for plan in plans.iter().filter(known) {
        let mut row = vec![
            plan.guarantee.learner.to_owned(),
            format::grouped(plan.guarantee.budget),
            format::count(plan.examples),
            format::count(plan.reads),
            excess(args, plan),
            plan.guarantee.theorem.to_owned(),
        ];
        let cost = |costs: &PlanCosts| costs.of(plan).map_or("-".into(), format::significant);
        row.splice(4..4, costs.map(cost));
        rows.push(row);
    }
    // The last column is aligned to the left.
    let width =
        rows.iter().filter_map(|row| row.last()).map(|t| t.chars().count()).max().unwrap_or(0);
    for theorem in rows.iter_mut().filter_map(|row| row.last_mut()) {
        *theorem = format!("{theorem:<width$}");
    }
    let mut text = format!("{}\n\n{}", opening(args, what), align(&rows));
    let marked =
        plans.iter().filter(known).any(|plan| plan.excess.is_some() && !plan.says_something());
    text.push('\n');
    if marked {
        text.push_str(
            "*  No guarantee: always predicting 0 is within this error, whatever the data.\n",
        );
    }
    if let (Some(total), Some(_)) = (args.total_budget, args.error)
        && plans.iter().filter(known).any(|plan| over(plan, total))
    {
        text.push_str(&format!(
            "+  More than the total budget of {} reads.\n",
            format::grouped(total)
        ));
    }
    for plan in plans {
        let name = plan.guarantee.learner;
        match &plan.guarantee.excess {
            Excess::Known(_) => {}
            Excess::RateOnly { rate, note } => {
                text.push_str(&format!(
                    "{name}: rate only, {rate} ({}); {note}.\n",
                    plan.guarantee.theorem
                ));
            }
            Excess::Inapplicable { why } => {
                text.push_str(&format!("{name}: no guarantee; {why}.\n"))
            }
        }
    }
    text.push_str(&meaning(setting, plans));
    text.push_str(&constants(plans));
    text
}

/// States the question in one sentence; `what` names all that can be read.
fn opening(args: &PlanArgs, what: &str) -> String {
    let best = "that of the best linear model of this norm";
    let dims = format!("{} {what}", format::grouped(args.dims()));
    let most = args
        .examples
        .map_or(String::new(), |m| format!(" of at most {} examples", format::grouped(m)));
    match (args.budget, args.total_budget, args.error) {
        (Some(k), _, None) => {
            let m = args.examples.map_or(String::new(), format::grouped);
            format!(
                "Bounds on the expected squared error above {best},\nafter {m} examples with {k} of {dims} read from each."
            )
        }
        (Some(k), _, Some(e)) => format!(
            "Examples that guarantee an expected squared error within {e} of {best},\nwith {k} of {dims} read from each."
        ),
        (None, Some(b), Some(e)) => format!(
            "Reads that guarantee an expected squared error within {e} of {best},\nat the best number of reads per example of {dims}. The total budget is {} reads.",
            format::grouped(b)
        ),
        (None, b, _) => format!(
            "Bounds on the expected squared error above {best},\nafter {} reads{most}, at the best number of reads per example of {dims}.",
            format::grouped(b.unwrap_or(0))
        ),
    }
}

/// Explains the table and its assumptions.
fn meaning(setting: &Setting, plans: &[Plan]) -> String {
    let mut text = format!(
        "\nThe error is the mean of (prediction - target)^2; Hazan and Koren 2012 and Kukliansky and Shamir 2015 bound half of it
(doubled here). The bounds hold for the worst data under the assumptions; `halfseen compare` measures real errors.
The bounds are for --set step=VALUE (aer: penalty=VALUE) as below, average=all, centre=none, intercept=false.
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
        let (assumes, name) = (plan.guarantee.assumes.text(), plan.guarantee.learner);
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
            "  second moments: sum {}, |mu|_1/2 {}, largest {}\n",
            format::significant(m.sum),
            format::significant(m.half),
            format::significant(m.largest)
        )),
        None => {
            text.push_str("  second moments: unknown, so the worst case; --moments FILE improves ddaerr and ddaelr\n")
        }
    }
    if plans
        .iter()
        .any(|p| matches!(&p.guarantee.excess, Excess::Known(b) if b.probability.is_some()))
    {
        text.push_str(&format!(
            "  two phases (-2p): {} of the examples in the first, which misleads with probability {} at most\n",
            setting.phase1, setting.confidence
        ));
    }
    text
}

/// Returns formulas, constants and step sizes, one learner per line.
fn constants(plans: &[Plan]) -> String {
    let mut text = String::from(
        "\nFormulas (m examples, d attributes, k = reads per example minus one for the product), then as printed in the papers\n(Hazan and Koren 2012 and Kukliansky and Shamir 2015 for half of the error):\n",
    );
    for plan in plans {
        let Excess::Known(bound) = &plan.guarantee.excess else { continue };
        let m = plan.examples.unwrap_or(MOST_EXAMPLES);
        let symbols = bound
            .constants(m)
            .into_iter()
            .map(|(name, value)| format!("{name} = {}", format::significant(value)));
        let tuned = plan.examples.and_then(|m| bound.tuning.at(m));
        let tuned =
            tuned.map(|value| format!("{} = {}", bound.tuning.name, format::significant(value)));
        let with: Vec<String> = symbols.chain(tuned).collect();
        let printed = plan
            .examples
            .and_then(|m| bound.printed.at(m))
            .map_or(String::new(), |v| format!(" = {}", format::significant(v)));
        text.push_str(&format!(
            "  {}: {}; {}\n",
            plan.guarantee.learner,
            bound.formula,
            with.join(", ")
        ));
        text.push_str(&format!("      printed: {}{printed}", bound.printed.formula));
        text.push_str(&if bound.note.is_empty() {
            "\n".to_owned()
        } else {
            format!("; {}\n", bound.note)
        });
    }
    text
}

fn over(plan: &Plan, total: u64) -> bool {
    plan.reads.is_none_or(|reads| reads > total)
}

fn excess(args: &PlanArgs, plan: &Plan) -> String {
    let Some(value) = plan.excess else {
        // Not available: more examples than are planned for, or fewer than the theorem needs.
        return if plan.examples.is_some() { "too few examples".into() } else { "-".into() };
    };
    let mark = if plan.says_something() { "" } else { " *" };
    let dear = args.error.is_some() && args.total_budget.is_some_and(|total| over(plan, total));
    format!("{}{mark}{}", format::significant(value), if dear { " +" } else { "" })
}

fn as_json(args: &PlanArgs, setting: &Setting, plans: &[Plan]) -> Value {
    let moments =
        setting.moments.map(|m| json!({ "sum": m.sum, "half": m.half, "largest": m.largest }));
    json!({
        "dims": setting.dims, "budget": args.budget, "total_budget": args.total_budget, "radius": setting.radius,
        "radius2": setting.radius2, "norm": setting.norm, "moments": moments, "confidence": setting.confidence,
        "phase1": setting.phase1, "error": args.error, "examples": args.examples,
        "unit": "mean of (prediction - target)^2; printed bounds of Hazan and Koren 2012 and Kukliansky and Shamir 2015 are of half of it",
        "rows": plans.iter().map(|plan| plan.as_json(args.error)).collect::<Vec<_>>(),
    })
}
