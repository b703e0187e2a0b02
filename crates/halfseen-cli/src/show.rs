//! Prints a model's weights in the attributes' own units as CSV, the most important ones first.
//!
//! Rows: the intercept; the range of clipped predictions if any; the attributes, by the absolute
//! weight of a change of one standard deviation. Columns: attribute; weight, or one for each of
//! more than two classes; `standardised`, the weight times the attribute's standard deviation (of
//! several classes the largest in size), if the model knows the deviations; `standard_error`, if
//! the fit estimated it. A text of two categories is one row, the difference between them. A curve
//! of an attribute is a row of its own, of several classes those of all, and so is each of its hat
//! functions.

use crate::args::ShowArgs;
use crate::output;
use crate::parts;
use crate::predict::{quoted, read_model};
use anyhow::{Context, Result};
use halfseen::data::Task;
use halfseen::model::{Model, Predictor};
use halfseen::prepare::ColumnKind;
use std::collections::BTreeMap;
use std::process::ExitCode;

pub(crate) fn run(args: &ShowArgs) -> Result<ExitCode> {
    let model = read_model(&args.model)?;
    parts::check(&model, args)?;
    if let Some(path) = &args.picture {
        parts::draw(&model, path)?;
    }
    match args.curves {
        true => output::print(&parts::csv(&model))?,
        false => weights(&model, args)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the weights.
fn weights(model: &Model, args: &ShowArgs) -> Result<()> {
    let (titles, sums) = match &model.predictor {
        Predictor::Linears(linears) => {
            let titles = model.classes.iter().map(|class| quoted(&class.to_string())).collect();
            (titles, linears.classes.iter().map(|sum| Predictor::Linear(sum.clone())).collect())
        }
        Predictor::Classes(each) => {
            let titles = model.classes.iter().map(|class| quoted(&class.to_string())).collect();
            (titles, each.classes.clone())
        }
        other => (vec!["weight".to_owned()], vec![other.clone()]),
    };
    let of_sum = |predictor: Predictor| Model { predictor, ..model.clone() };
    let models: Vec<Model> = sums.into_iter().map(of_sum).collect();
    let sums = models.iter().map(Model::raw_weights).collect::<Result<Vec<_>, _>>();
    let sums = sums.with_context(|| args.model.display().to_string())?;
    let mut intercepts: Vec<f64> = sums.iter().map(|(_, intercept)| *intercept).collect();
    let curves = Curves::of(&models);
    let weight = |at: usize| sums[at].0.iter().map(|(_, weight)| *weight).collect();
    let weights: Vec<Vec<f64>> =
        (0..models.len()).map(|at| curves.aligned(at, weight(at))).collect();
    let known = |at: usize| Some(curves.aligned(at, models[at].raw_deviations()?));
    let larger = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect();
    let deviations: Option<Vec<f64>> =
        (0..models.len()).map(known).reduce(|a, b| Some(larger(a?, b?))).flatten();
    let mut rows = rows(model, &weights, deviations.as_deref(), &curves);
    for row in &rows {
        let Some(second) = row.terms.get(1) else { continue };
        // Rows of the reference have its weight.
        intercepts.iter_mut().zip(&weights).for_each(|(sum, weights)| *sum += weights[second.0]);
    }
    let references: Vec<&str> = rows.iter().filter_map(|row| row.reference.as_deref()).collect();
    let intercept = match references[..] {
        [] => "(intercept)".to_owned(),
        _ => format!("(intercept of {})", references.join(" and ")),
    };
    let errors = rows.first().is_some_and(|row| row.error.is_some());
    let line = |name: &str, weights: &[f64], standardised: Option<f64>, error: Option<f64>| {
        let mut cells = vec![quoted(name)];
        cells.extend(weights.iter().map(f64::to_string));
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        cells.extend(deviations.as_ref().map(|_| number(standardised)));
        cells.extend(errors.then(|| number(error)));
        format!("{}\n", cells.join(","))
    };
    let mut titles = [vec!["attribute".to_owned()], titles].concat();
    titles.extend(deviations.as_ref().map(|_| "standardised".to_owned()));
    titles.extend(errors.then(|| "standard_error".to_owned()));
    let mut csv = format!("{}\n", titles.join(","));
    // The intercept has no error: the refits' weights are kept, not their means.
    csv.push_str(&line(&intercept, &intercepts, None, None));
    if let Some([least, largest]) = model.clip().filter(|_| model.task == Task::Regression) {
        csv.push_str(&line("(least)", &[least], None, None));
        csv.push_str(&line("(largest)", &[largest], None, None));
    }
    rows.sort_by(|a, b| {
        let size = |row: &Row| row.standardised.map_or(0.0, f64::abs);
        size(b).total_cmp(&size(a))
    });
    for row in &rows {
        csv.push_str(&line(&row.name, &row.weights, row.standardised, row.error));
    }
    output::print(&csv)?;
    if deviations.is_none() {
        output::remark(
            args.quiet,
            "remark: no column standardised, and the attributes in the order of the table: the model does not know their standard deviations, as a fit that chooses its reads does not look at the table; declare mean and moment of each attribute with fit --moments",
        );
    }
    if !model.raw_hats().is_empty() {
        output::remark(
            args.quiet,
            "remark: an attribute with hat functions ('near' a value) adds the sum of its rows to the prediction; --curves prints these sums, --picture FILE draws them",
        );
    }
    if !curves.columns.is_empty() {
        let remark = match models.len() {
            1 => {
                "remark: an attribute with a curve adds the sum of its two rows to the prediction; --curves prints these sums, --picture FILE draws them"
            }
            _ => {
                "remark: an attribute with a curve adds the sum of its two rows to the score of a class; each class has curves of its own, which are not printed: fit two classes with --classes A,B to see them"
            }
        };
        output::remark(args.quiet, remark);
    }
    Ok(())
}

/// The encoded columns that have a curve in any of the models, one for each output.
struct Curves {
    /// Number of encoded columns.
    width: usize,
    /// Columns, with their names.
    columns: BTreeMap<usize, String>,
    /// Columns of the curves of each model, in their order.
    of_models: Vec<Vec<usize>>,
}

impl Curves {
    fn of(models: &[Model]) -> Curves {
        let width = models.first().map_or(0, |model| model.prepare.schema.width());
        let (mut columns, mut of_models) = (BTreeMap::new(), Vec::new());
        for model in models {
            let curves = model.raw_curves();
            of_models.push(curves.iter().map(|curve| curve.column).collect());
            columns.extend(curves.into_iter().map(|curve| (curve.column, curve.name)));
        }
        Curves { width, columns, of_models }
    }

    /// Returns the values of a model's columns and then of all curves: 0 of those it does not have.
    fn aligned(&self, model: usize, mut values: Vec<f64>) -> Vec<f64> {
        let own = values.split_off(self.width.min(values.len()));
        let of = |column: &usize| {
            let place = self.of_models[model].iter().position(|own| own == column);
            place.map_or(0.0, |place| own[place])
        };
        values.extend(self.columns.keys().map(of));
        values
    }
}

/// Weights of one encoded column, or of the second category of a text against the first.
struct Row {
    name: String,
    /// Category that the weights are a difference from.
    reference: Option<String>,
    /// Encoded columns with the factors of their weights.
    terms: Vec<(usize, f64)>,
    /// One for each output.
    weights: Vec<f64>,
    standardised: Option<f64>,
    error: Option<f64>,
}

/// Returns the rows of the attributes in the order of the table, and then those of the curves.
fn rows(
    model: &Model,
    weights: &[Vec<f64>],
    deviations: Option<&[f64]>,
    curves: &Curves,
) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut first = 0;
    let mut push = |name: String, reference: Option<String>, terms: Vec<(usize, f64)>| {
        let sum = |weights: &Vec<f64>| terms.iter().map(|(j, factor)| weights[*j] * factor).sum();
        let weights: Vec<f64> = weights.iter().map(sum).collect();
        let largest = |a: f64, b: &f64| if b.abs() > a.abs() { *b } else { a };
        // Both indicators of a text have one deviation.
        let standardised = deviations.map(|d| d[terms[0].0] * weights.iter().fold(0.0, largest));
        let error = model.raw_standard_error(&terms);
        rows.push(Row { name, reference, terms, weights, standardised, error });
    };
    for column in &model.prepare.schema.columns {
        let names = column.encoded_names();
        let two = matches!(&column.kind, ColumnKind::Text { categories } if categories.len() == 2);
        if let (true, [reference, other]) = (two, &names[..]) {
            let name = format!("{other} against {reference}");
            push(name, Some(reference.clone()), vec![(first + 1, 1.0), (first, -1.0)]);
        } else {
            let single = |(at, name): (usize, &String)| (first + at, name.clone());
            for (at, name) in names.iter().enumerate().map(single) {
                push(name, None, vec![(at, 1.0)]);
            }
        }
        first += names.len();
    }
    for (at, name) in curves.columns.values().enumerate() {
        push(format!("curve of {name}"), None, vec![(first + at, 1.0)]);
    }
    rows
}
