//! Certifies every prediction of a table: the largest threat that cannot change it, and the
//! attributes whose deletion would change it first.

use crate::args::CertifyArgs;
use crate::format;
use crate::input::{keep_classes, read_table};
use crate::output::{self, align};
use crate::predict::{predict, quoted, read_model};
use crate::test_table::target_of;
use crate::threats::priced;
use anyhow::{Context, Result};
use halfseen::data::{Costs, Table, Target, Task, Threat};
use halfseen::model::{Model, Scores};
use halfseen::robust::{Certificate, Trial, certified_error};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Maximum number of lines of the table on stderr.
const LINES: usize = 16;

/// Maximum number of budgets of the certified error.
const BUDGETS: usize = 1_000;

pub(crate) fn run(args: &CertifyArgs) -> Result<ExitCode> {
    let model = read_model(&args.on.model)?;
    // Refused before any work.
    let place = || args.on.model.display().to_string();
    model.predictor.additive().with_context(place)?;
    args.out
        .as_deref()
        .map(|out| output::check_writable("--out", out, &args.on.inputs()))
        .transpose()?;
    let (name, table) = read_table(Some(&args.on.data), &args.on.read, args.on.quiet)?;
    let target_name = args.target.as_deref().unwrap_or(&model.target);
    let (table, numbers) =
        keep_classes(table, target_name, &args.on.classes).with_context(|| name.clone())?;
    let target = target(args, &model, &table, &numbers).with_context(|| name.clone())?;
    let expected = [args.target.as_deref().or(Some(&model.target))];
    let prediction = predict(&model, &table, &numbers, &expected, args.on.quiet)
        .with_context(|| name.clone())?;
    let trial = Trial::new(&model, &table, target.as_ref()).with_context(|| name.clone())?;
    let costs = priced(args.on.costs.as_ref(), &model, &trial, target.is_some(), args.on.quiet)?;
    let certificates = trial.certify(&costs, args.within).context(name)?;
    let certified = Certified {
        model: &model,
        names: trial.attributes(),
        scores: &prediction.scores,
        certificates,
    };
    // Only an estimate can be certified without a target.
    let estimated = Target::Numbers(Vec::new());
    let known = target.as_ref().or((model.task == Task::Regression).then_some(&estimated));
    let errors = known.map_or(Vec::new(), |target| {
        certified_errors(&model, &prediction.scores, &certified.certificates, &costs, target)
    });
    let text = if args.json {
        let json =
            json!({ "rows": certified.rows_as_json()?, "certified_error": as_json(&errors) });
        format!("{}\n", serde_json::to_string_pretty(&json)?)
    } else {
        certified.as_csv()
    };
    match &args.out {
        Some(path) => output::write_file(path, &text)?,
        None => output::print(&text)?,
    }
    let inexact = certified.certificates.iter().filter(|c| !c.exact).count();
    if inexact > 0 {
        output::remark(
            args.on.quiet,
            &format!("remark: rows whose certificate is a lower bound, not the largest: {inexact}"),
        );
    }
    if !errors.is_empty() {
        output::remark(args.on.quiet, as_text(&errors, model.task).trim_end());
        let words = in_words(&errors, &costs, args.within);
        output::remark(args.on.quiet, output::wrapped(&words, output::terminal_width()).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the target if the table has it. A named target must be there; the model's own may be
/// absent or have missing values.
fn target(
    args: &CertifyArgs,
    model: &Model,
    table: &Table,
    numbers: &[usize],
) -> Result<Option<Target>> {
    let read = |name: &str| target_of(model.task, &model.classes, table, name, numbers);
    match args.target.as_deref() {
        Some(name) => Ok(Some(read(name)?)),
        None if table.column(&model.target).is_err() => Ok(None),
        None => match read(&model.target) {
            Ok(target) => Ok(Some(target)),
            Err(error) => {
                output::remark(
                    args.on.quiet,
                    &format!("remark: no certified error is computed: {error}"),
                );
                Ok(None)
            }
        },
    }
}

struct Certified<'a> {
    model: &'a Model,
    names: Vec<String>,
    scores: &'a Scores,
    certificates: Vec<Certificate>,
}

impl Certified<'_> {
    fn flips(&self, certificate: &Certificate) -> Vec<&str> {
        certificate.flips.iter().map(|&j| self.names[j as usize].as_str()).collect()
    }

    fn as_csv(&self) -> String {
        let mut csv = String::from("prediction,certified,flips\n");
        for (row, certificate) in self.certificates.iter().enumerate() {
            let prediction = match self.model.class(self.scores, row) {
                Some(label) => quoted(&label.to_string()),
                None => self.scores.values[row].to_string(),
            };
            let certified = certificate.certified.map_or(String::new(), |n| n.to_string());
            csv.push_str(&format!(
                "{prediction},{certified},{}\n",
                quoted(&self.flips(certificate).join(";"))
            ));
        }
        csv
    }

    fn rows_as_json(&self) -> Result<Value> {
        let row = |(row, certificate): (usize, &Certificate)| {
            let prediction = match self.model.class(self.scores, row) {
                Some(label) => serde_json::to_value(label)?,
                None => json!(self.scores.values[row]),
            };
            Ok(json!({
                "prediction": prediction, "certified": certificate.certified, "flips": self.flips(certificate),
                "flips_at": certificate.flips_at, "exact": certificate.exact, "missing": certificate.missing,
            }))
        };
        self.certificates.iter().enumerate().map(row).collect()
    }
}

/// Returns the share of rows that are wrong or can be changed, for each budget at which it changes.
/// An estimate is never wrong, but it can move too far.
pub(crate) fn certified_errors(
    model: &Model,
    scores: &Scores,
    certificates: &[Certificate],
    values: &Threat,
    target: &Target,
) -> Vec<(f64, f64)> {
    let right: Vec<bool> = match target {
        Target::Classes { codes, .. } if model.task == Task::Classification => codes
            .iter()
            .enumerate()
            .map(|(row, &code)| scores.class(row) == code as usize)
            .collect(),
        _ => vec![true; certificates.len()],
    };
    let flipped = certificates.iter().filter(|c| c.flips_at.is_some() || !c.exact);
    let mut budgets: Vec<f64> = flipped.filter_map(|c| c.certified).collect();
    let largest = budgets.iter().copied().fold(0.0, f64::max);
    match values.costs() {
        // Every number of attributes, up to the first from which nothing changes.
        Costs::Equal { value, .. } => {
            let count = (largest / value).round() as usize + 1;
            budgets = (0..=count).map(|k| k as f64 * value).collect();
        }
        Costs::Whole { .. } => budgets.extend(budgets.clone().iter().map(|n| n + 1.0)),
        Costs::General => {}
    }
    budgets.push(0.0);
    budgets.retain(|n| *n < values.total());
    budgets.sort_unstable_by(f64::total_cmp);
    budgets.dedup();
    let error =
        |budget: f64| (budget, certified_error(certificates, right.iter().copied(), budget));
    thinned(&budgets, BUDGETS).into_iter().map(error).collect()
}

/// Returns at most `most` of the values, evenly spaced, including the first and the last.
fn thinned<T: Copy>(all: &[T], most: usize) -> Vec<T> {
    if all.len() <= most {
        return all.to_vec();
    }
    (0..most).map(|i| all[i * (all.len() - 1) / (most - 1)]).collect()
}

fn as_json(errors: &[(f64, f64)]) -> Value {
    errors.iter().map(|(threat, error)| json!({ "threat": threat, "error": error })).collect()
}

/// Says what deletions can do at most: the least that matters, and those that spoil half the rows.
fn in_words(errors: &[(f64, f64)], costs: &Threat, within: Option<f64>) -> String {
    let single = matches!(costs.costs(), Costs::Equal { value, .. } if value == 1.0);
    let deleted = |cost: f64| match single {
        true if cost == 1.0 => "1 attribute".to_owned(),
        true => format!("{cost} attributes"),
        false => format!("attributes that cost {}", format::rounded(cost)),
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    // Without a change at any cost there is nothing to tell of the first.
    let as_is = errors.first().map_or(0.0, |(_, error)| *error);
    let changed = errors.iter().any(|(_, error)| *error > as_is);
    let more = errors.iter().find(|(cost, _)| changed && *cost > 0.0);
    let half = errors.iter().find(|(_, error)| *error > 0.5);
    let half = half.map_or(String::new(), |(cost, _)| {
        format!(" From {} on it can be more than half.", deleted(*cost))
    });
    match (within, more) {
        (None, Some((cost, error))) => format!(
            "{} of the rows are predicted wrong as they are. If an adversary deletes the worst {} of each row, at most {} are.{half}",
            percent(as_is),
            deleted(*cost),
            percent(*error)
        ),
        (None, None) => {
            format!("{} of the rows are predicted wrong, with any deletions.", percent(as_is))
        }
        (Some(within), Some((cost, error))) => format!(
            "If an adversary deletes the worst {} of each row, at most {} of the predictions move by more than {within}.{half}",
            deleted(*cost),
            percent(*error)
        ),
        (Some(within), None) => {
            format!("No deletion moves a prediction by more than {within}.")
        }
    }
}

fn as_text(errors: &[(f64, f64)], task: Task) -> String {
    let title = if task == Task::Classification { "certified error" } else { "may move further" };
    let mut lines = vec![vec!["threat".to_owned(), title.to_owned()]];
    lines.extend(
        thinned(errors, LINES).iter().map(|(threat, error)| {
            vec![format::rounded(*threat), format!("{:.2} %", 100.0 * error)]
        }),
    );
    align(&lines)
}
