//! Certifies every prediction of a table: the largest threat that cannot change it, and the
//! attributes whose deletion would change it first.

use crate::args::CertifyArgs;
use crate::commands::fitted::prepared_for;
use crate::commands::predict::{quoted, read_model};
use crate::parse::CostsArg;
use crate::tables::input::renumbered;
use crate::tables::kept_rows::OfClasses;
use crate::tables::labelled;
use crate::tables::stream::{self, Read, Rows, Take};
use crate::tables::test_table::target_of;
use crate::tables::threats::priced;
use crate::terminal::failure::usage_error;
use crate::terminal::format;
use crate::terminal::output::{self, Growing, align};
use anyhow::{Context, Result};
use halfseen::data::{Costs, Table, Target, Task, Threat};
use halfseen::model::{Model, Note, Scores};
use halfseen::robust::{Certificate, CertifiedErrors, Trial};
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
    args.to
        .out
        .as_deref()
        .map(|out| output::check_writable("--out", out, &args.on.inputs()))
        .transpose()?;
    let mut test = Test {
        args,
        model: &model,
        costs: None,
        errors: CertifiedErrors::default(),
        // An estimate can be certified without a target, a class only if the target says what is right.
        counted: true,
        out: None,
    };
    let target = args.on.target.as_deref().unwrap_or(&model.target);
    let mut classes = OfClasses::new(&args.on.classes);
    let (wanted, quiet) = (labelled::wanted(&model, target), args.on.quiet);
    // Costs that are computed from the rows need all of them.
    let take = Take::whole(args.on.costs == Some(CostsArg::Information));
    let read = stream::read(&args.on.data, &args.on.read, &wanted, quiet, take, |read, rows| {
        let Rows { table, numbers } = rows;
        let (table, numbers) = classes.keep(table, numbers, target)?;
        if table.rows() == 0 { Ok(()) } else { test.add(read, &table, &numbers) }
    })?;
    classes.check(target)?;
    read.remark(&[Some(target)], quiet);
    test.finish(&read.name)?;
    Ok(ExitCode::SUCCESS)
}

/// Certificates of the rows so far.
struct Test<'a> {
    args: &'a CertifyArgs,
    model: &'a Model,
    costs: Option<Threat>,
    errors: CertifiedErrors,
    /// True if the rows so far say what the certified error is.
    counted: bool,
    out: Option<Growing<'a>>,
}

impl Test<'_> {
    /// Certifies some rows.
    fn add(&mut self, read: &mut Read, table: &Table, numbers: &[usize]) -> Result<()> {
        let Test { args, model, .. } = *self;
        let target = self.target(read, table, numbers)?;
        let prediction = model.predict(table).map_err(|e| renumbered(e, numbers))?;
        read.add(prediction.applied);
        let trial = Trial::new(model, table, target.as_ref())?;
        let costs = match self.costs.take() {
            Some(costs) => costs,
            None => priced(args.on.costs.as_ref(), model, &trial, target.is_some(), args.on.quiet)?,
        };
        let certificates = trial.certify(&costs, args.within)?;
        self.counted &= target.is_some() || model.task == Task::Regression;
        self.errors.add(&certificates, right(model, &prediction.scores, target.as_ref()));
        let certified = Certified {
            model,
            names: trial.attributes(),
            scores: &prediction.scores,
            certificates,
        };
        let first = self.out.is_none();
        let text = match args.json {
            true => certified.as_json(first)?,
            false => certified.as_csv(first),
        };
        // Opened after the first batch: what cannot be used leaves nothing behind.
        let out = match &mut self.out {
            Some(out) => out,
            none => none.insert(Growing::begin(args.to.out.as_deref())?),
        };
        self.costs = Some(costs);
        out.add(&text)
    }

    /// Returns the target if the rows have it. A named target must be there; the model's own may be
    /// absent or have missing values.
    fn target(&self, file: &Read, table: &Table, numbers: &[usize]) -> Result<Option<Target>> {
        let Test { args, model, .. } = self;
        let read = |name: &str| target_of(model.task, &model.classes, table, name, numbers);
        match args.on.target.as_deref() {
            Some(name) => {
                file.column(table, name)?;
                Ok(Some(read(name)?))
            }
            None if table.column(&model.target).is_err() => Ok(None),
            None => match read(&model.target) {
                Ok(target) => Ok(Some(target)),
                Err(error) => {
                    // Told once.
                    let text = format!("remark: no certified error is computed: {error}");
                    output::remark(args.on.quiet || !self.counted, &text);
                    Ok(None)
                }
            },
        }
    }

    /// Ends the output, and prints the certified error.
    fn finish(self, name: &str) -> Result<()> {
        let Test { args, model, costs, errors, counted, out } = self;
        let (Some(mut out), Some(costs)) = (out, costs) else {
            return usage_error(format!("{name}: there are no rows to certify"));
        };
        let inexact = errors.inexact();
        let prepared = in_words_of_preparation(model, &errors, &costs);
        let errors = if counted { certified_errors(&errors, &costs) } else { Vec::new() };
        if args.json {
            out.add(&format!("\n],\n\"certified_error\": {}\n}}\n", as_json(&errors)))?;
        }
        out.finish()?;
        if inexact > 0 {
            output::remark(
                args.on.quiet,
                &format!(
                    "remark: rows whose certificate is a lower bound, not the largest: {inexact}"
                ),
            );
        }
        if !errors.is_empty() {
            output::remark(args.on.quiet, as_text(&errors, model.task).trim_end());
            let words = in_words(&errors, &costs, args.within);
            let words = output::wrapped(&words, output::terminal_width());
            output::remark(args.on.quiet, words.trim_end());
        }
        if let Some(prepared) = prepared {
            let words = output::wrapped(&prepared, output::terminal_width());
            output::remark(args.on.quiet, words.trim_end());
        }
        Ok(())
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

    /// Formats rows, below a header if they are the first.
    fn as_csv(&self, first: bool) -> String {
        let mut csv = String::new();
        if first {
            csv.push_str("prediction,certified,flips\n");
        }
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

    /// Formats rows as elements of a list, which the first ones begin.
    fn as_json(&self, first: bool) -> Result<String> {
        let mut json = String::from(if first { "{\n\"rows\": [\n" } else { ",\n" });
        for (row, certificate) in self.certificates.iter().enumerate() {
            let prediction = match self.model.class(self.scores, row) {
                Some(label) => serde_json::to_value(label)?,
                None => json!(self.scores.values[row]),
            };
            let line = json!({
                "prediction": prediction, "certified": certificate.certified, "flips": self.flips(certificate),
                "flips_at": certificate.flips_at, "exact": certificate.exact, "missing": certificate.missing,
            });
            json.push_str(if row == 0 { "" } else { ",\n" });
            json.push_str(&line.to_string());
        }
        Ok(json)
    }
}

/// Says which rows are predicted correctly. An estimate is never wrong, but it can move too far.
pub(crate) fn right<'a>(
    model: &Model,
    scores: &'a Scores,
    target: Option<&'a Target>,
) -> impl Iterator<Item = bool> + 'a {
    let codes = match target {
        Some(Target::Classes { codes, .. }) if model.task == Task::Classification => Some(codes),
        _ => None,
    };
    (0..scores.len())
        .map(move |row| codes.is_none_or(|codes| scores.class(row) == codes[row] as usize))
}

/// Returns the certified error for each budget at which it changes.
pub(crate) fn certified_errors(errors: &CertifiedErrors, costs: &Threat) -> Vec<(f64, f64)> {
    let budgets = thinned(&errors.budgets(costs), BUDGETS);
    let certified = errors.over(&budgets);
    budgets.into_iter().zip(certified).collect()
}

/// Returns at most `most` of the values: the first half of them, and others evenly spaced.
fn first_and_thinned<T: Copy>(all: &[T], most: usize) -> Vec<T> {
    if all.len() <= most {
        return all.to_vec();
    }
    let (first, rest) = all.split_at(most / 2);
    [first, &thinned(rest, most - first.len())].concat()
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

/// Says what the model was prepared for, and how many predictions survive that; `None` if it was
/// prepared for no deletion.
fn in_words_of_preparation(
    model: &Model,
    errors: &CertifiedErrors,
    costs: &Threat,
) -> Option<String> {
    let threat = model.report.threat.as_ref().filter(|threat| threat.effective() > 0.0)?;
    if model.prepares_for_noise() {
        return None;
    }
    let what = format!("The model was prepared for {}", prepared_for(model, threat));
    let cut = |note: &Note| matches!(note, Note::Truncated { .. });
    if model.report.notes.iter().any(cut) {
        return Some(format!("{what}, but not since it was truncated."));
    }
    if threat.values() != costs.values() {
        return Some(format!("{what}, with other costs than these certificates."));
    }
    let (survive, all) = (errors.unchanged(threat.effective()), errors.rows());
    let any = match threat.costs() {
        Costs::Equal { count, .. } if threat.values().iter().all(|v| *v > 0.0) => {
            format!("any {count}")
        }
        _ => "any at that cost".to_owned(),
    };
    let (survive, all) =
        (format::grouped(survive), format::counted(all, "prediction", "predictions"));
    Some(format!("{what}: {survive} of {all} survive {any}."))
}

fn as_text(errors: &[(f64, f64)], task: Task) -> String {
    let title = if task == Task::Classification { "certified error" } else { "may move further" };
    let mut lines = vec![vec!["threat".to_owned(), title.to_owned()]];
    lines.extend(
        first_and_thinned(errors, LINES).iter().map(|(threat, error)| {
            vec![format::rounded(*threat), format!("{:.2} %", 100.0 * error)]
        }),
    );
    align(&lines)
}
