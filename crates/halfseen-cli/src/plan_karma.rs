//! Computes the guarantees of Hazan, Livni and Mansour 2015 for data with missing values: the rows
//! for an error, or the error for the rows.

use crate::args::PlanArgs;
use crate::failure::usage_error;
use crate::format::{count, grouped, significant};
use crate::output::{self, align};
use anyhow::Result;
use halfseen::missing::bounds::{Assumed, SampleBound};
use halfseen::plan::MOST_EXAMPLES;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Values shown if kappa is not given.
const KAPPAS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 1.0];

/// Runs `plan --karma`.
pub(crate) fn run(args: &PlanArgs) -> Result<ExitCode> {
    let Some(error) = args.error else {
        return usage_error("plan --karma needs --error");
    };
    let assumed =
        Assumed { dims: args.dims(), error, confidence: args.confidence, ..Assumed::default() };
    let one = |kappa: f64| SampleBound::new(&assumed, kappa, args.gamma, args.examples);
    let promises = match args.kappa {
        Some(kappa) => vec![one(kappa)?],
        None => KAPPAS.into_iter().map(one).collect::<halfseen::Result<Vec<SampleBound>>>()?,
    };
    let text = match args.json {
        true => format!("{}\n", serde_json::to_string_pretty(&as_json(args, &assumed, &promises))?),
        false => describe(args, &assumed, &promises),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn describe(args: &PlanArgs, assumed: &Assumed, promises: &[SampleBound]) -> String {
    let mut text = format!(
        "Rows with missing values that guarantee KARMA an expected hinge loss within {} of that of the best linear model\n<w,x> on complete rows of {} columns.\n\n",
        assumed.error,
        grouped(assumed.dims)
    );
    let mut titles =
        vec!["kappa", "gamma", "cut off", "rows", "C", "gamma (paper)", "rows (paper, order)"];
    let after = args.examples.map(|m| format!("excess after {}", grouped(m)));
    titles.extend(after.as_deref().map(|title| [title, "gamma", "C"]).into_iter().flatten());
    let mut rows = vec![titles.into_iter().map(str::to_owned).collect::<Vec<String>>()];
    rows.extend(promises.iter().map(row));
    text.push_str(&align(&rows));
    text.push('\n');
    if promises.iter().any(|p| p.vacuous) {
        text.push_str(&format!(
            "Vacuous: always predicting 0 has a hinge loss of 1, within {} of any.\n",
            assumed.error
        ));
    }
    if promises.iter().any(|p| p.after.is_some_and(|after| after.vacuous)) {
        text.push_str("*  Vacuous: always predicting 0 is within this error, whatever the data.\n");
    }
    if promises.iter().any(|p| p.examples.is_none()) {
        text.push_str(
            "-  No number of rows is enough: the truncation at gamma alone exceeds the error.\n",
        );
    }
    text.push_str(MEANING);
    if args.kappa.is_none() {
        text.push_str(
            "kappa depends on values that are not observed: give --kappa if it is known.\n",
        );
    }
    text
}

const MEANING: &str = "
kappa: the smallest non-zero eigenvalue of (P_E)_oo over the observed sets o; this is the square of the smallest singular value
  of P_o P_E (the paper prints the singular value, with which its lemma 2 fails). It is 1 if nothing is missing.
gamma: length of the sequences that the kernel compares; if not given, the one that needs the fewest rows.
cut off: (1 - kappa)^gamma / kappa, the part of the error that more rows do not remove (lemma 2 of the paper).
rows: cut off + sqrt(8 gamma f_gamma(d) / rows) is the error, f_gamma(d) = 1 + d + ... + d^(gamma-1), with the C shown and
  the kernel as printed (normalization=none); as |v|^2 <= gamma (Shalev-Shwartz and Ben-David 2014, corollary 13.9).
(paper): Hazan et al. 2015, theorem 1 as printed, ceil(log(2/(kappa eps))/kappa) and Gamma^2 log(1/delta)/eps^2; its
  constant is not known, 1 here.

Assumed: rows lie in one subspace and are determined by their observed cells, |x| <= 1 on these, |w| <= 1, hinge loss.
The bounds hold for the worst data under the assumptions; `halfseen compare` measures real errors.
";

fn row(promise: &SampleBound) -> Vec<String> {
    let mut cells = vec![
        significant(promise.kappa),
        grouped(promise.gamma),
        significant(promise.truncation),
        promise.examples.map_or("-".into(), |m| count(whole(m))),
        promise.c.map_or("-".into(), significant),
        grouped(promise.printed_gamma),
        count(whole(promise.printed_examples)),
    ];
    if let Some(after) = promise.after {
        let mark = if after.vacuous { " *" } else { "" };
        let excess = if after.excess.is_finite() {
            significant(after.excess)
        } else {
            "more than 10^300".into()
        };
        let c = if after.c > 0.0 { significant(after.c) } else { "-".into() };
        cells.extend([format!("{excess}{mark}"), grouped(after.gamma), c]);
    }
    cells
}

/// Rounds up to whole rows; `None` if more than are planned for.
fn whole(examples: f64) -> Option<u64> {
    (examples <= MOST_EXAMPLES as f64).then(|| examples.ceil() as u64)
}

fn as_json(args: &PlanArgs, assumed: &Assumed, promises: &[SampleBound]) -> Value {
    let finite = |value: f64| value.is_finite().then_some(value);
    let rows: Vec<Value> = promises
        .iter()
        .map(|p| {
            let after = p.after.map(|after| {
                json!({
                    "examples": after.examples, "gamma": after.gamma, "excess": finite(after.excess),
                    "c": (after.c > 0.0).then_some(after.c), "vacuous": after.vacuous,
                })
            });
            let more = p.examples.is_some_and(|m| whole(m).is_none());
            json!({
                "kappa": p.kappa, "gamma": p.gamma, "truncation": finite(p.truncation),
                "examples": p.examples.and_then(whole), "more_than": more.then_some(MOST_EXAMPLES),
                "enough": p.examples.is_some(), "c": p.c, "vacuous": p.vacuous,
                "printed": {
                    "gamma": p.printed_gamma, "dimension": finite(p.printed_dimension),
                    "examples_order": finite(p.printed_examples),
                },
                "after": after,
            })
        })
        .collect();
    json!({
        "learner": "karma", "dims": assumed.dims, "error": assumed.error, "examples": args.examples, "gamma": args.gamma,
        "kappa": args.kappa, "confidence": assumed.confidence, "loss": "hinge", "unit": "mean hinge loss",
        "nothing": assumed.nothing, "rows": rows,
    })
}
