//! Computes a model's weights in the attributes' own units, the most important ones first.

use anyhow::{Context, Result};
use halfseen::data::Task;
use halfseen::model::{Model, Predictor};
use halfseen::prepare::ColumnKind;
use std::collections::BTreeMap;
use std::path::Path;

/// Weights of a model, those of several classes side by side.
pub(crate) struct Weights {
    /// Names of the classes, or one empty name.
    pub(crate) classes: Vec<String>,
    /// Name of the intercept: of which categories it is.
    pub(crate) intercept: String,
    /// One for each output.
    pub(crate) intercepts: Vec<f64>,
    /// Range of clipped predictions.
    pub(crate) clip: Option<[f64; 2]>,
    /// Rows by the absolute standardised weight, the largest first.
    pub(crate) rows: Vec<Row>,
    /// True if the standard deviations of the attributes are known.
    pub(crate) standardised: bool,
    /// True if attributes have curves.
    pub(crate) curved: bool,
}

/// Returns each weighted sum of a model as a model, with the name of its class: one with an empty
/// name, or one for each of more than two classes.
pub(crate) fn sums_of(model: &Model) -> Vec<(String, Model)> {
    let sums: Vec<Predictor> = match &model.predictor {
        Predictor::Linears(linears) => {
            linears.classes.iter().map(|sum| Predictor::Linear(sum.clone())).collect()
        }
        Predictor::Classes(each) => each.classes.clone(),
        other => return vec![(String::new(), Model { predictor: other.clone(), ..model.clone() })],
    };
    let of_sum = |predictor: Predictor| Model { predictor, ..model.clone() };
    model.classes.iter().map(ToString::to_string).zip(sums.into_iter().map(of_sum)).collect()
}

impl Weights {
    /// Computes the weights of the model in a file.
    pub(crate) fn of(model: &Model, path: &Path) -> Result<Weights> {
        let (classes, models): (Vec<String>, Vec<Model>) = sums_of(model).into_iter().unzip();
        let sums = models.iter().map(Model::raw_weights).collect::<Result<Vec<_>, _>>();
        let sums = sums.with_context(|| path.display().to_string())?;
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
            intercepts
                .iter_mut()
                .zip(&weights)
                .for_each(|(sum, weights)| *sum += weights[second.0]);
        }
        let references: Vec<&str> =
            rows.iter().filter_map(|row| row.reference.as_deref()).collect();
        let intercept = match references[..] {
            [] => "(intercept)".to_owned(),
            // The rows of the others name theirs.
            [first, _, _, ..] => {
                format!("(intercept of {first} and {} more)", references.len() - 1)
            }
            _ => format!("(intercept of {})", references.join(" and ")),
        };
        rows.sort_by(|a, b| {
            let size = |row: &Row| row.standardised.map_or(0.0, f64::abs);
            size(b).total_cmp(&size(a))
        });
        Ok(Weights {
            classes,
            intercept,
            intercepts,
            clip: model.clip().filter(|_| model.task == Task::Regression),
            rows,
            standardised: deviations.is_some(),
            curved: !curves.columns.is_empty(),
        })
    }
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
pub(crate) struct Row {
    pub(crate) name: String,
    /// Category that the weights are a difference from.
    reference: Option<String>,
    /// Encoded columns with the factors of their weights.
    terms: Vec<(usize, f64)>,
    /// One for each output.
    pub(crate) weights: Vec<f64>,
    /// Weight of one standard deviation; of several outputs the largest in size.
    pub(crate) standardised: Option<f64>,
    /// Output that this weight is of.
    pub(crate) largest: usize,
    pub(crate) error: Option<f64>,
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
        let larger = |a: usize, b: usize| if weights[b].abs() > weights[a].abs() { b } else { a };
        let largest = (0..weights.len()).fold(0, larger);
        // Both indicators of a text have one deviation.
        let standardised = deviations.map(|d| d[terms[0].0] * weights[largest]);
        let error = model.raw_standard_error(&terms);
        rows.push(Row { name, reference, terms, weights, standardised, largest, error });
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
