//! Shows the parts of predictions that come from attributes with curves, as CSV and as a picture.

use crate::args::ShowArgs;
use crate::commands::predict::quoted;
use crate::commands::weights::sums_of;
use crate::terminal::failure::usage_error;
use crate::terminal::output;
use anyhow::Result;
use halfseen::data::Task;
use halfseen::model::{Model, Predictor, RawCurve};
use halfseen_io::draw::{Figure, Point, Series, small_multiples};
use std::path::Path;

/// Panels of a picture.
const MOST: usize = 12;
/// Values at which a picture shows a curve, beside its knots.
const STEPS: u32 = 60;
/// Standard errors to either side, for 90 %.
const REACH: f64 = 1.645;

/// Refuses models without curves, and pictures that cannot be written.
pub(crate) fn check(model: &Model, args: &ShowArgs) -> Result<()> {
    let flag = match (&args.picture, args.curves) {
        (Some(_), _) => "--picture",
        (None, true) => "--curves",
        (None, false) => return Ok(()),
    };
    let file = args.model.display();
    if !are_in(model) {
        let asked = model.params.get("shape").is_some_and(|shape| shape != "linear");
        return usage_error(match asked {
            true => format!(
                "{flag}: {file} has no curves, because its reads showed none; leave {flag} out"
            ),
            false => format!(
                "{flag}: {file} has no curves; fit again with --learner fiml, whose default is shape=auto, or with --basis hats"
            ),
        });
    }
    match &args.picture {
        Some(path) if output::is_standard(path) => {
            usage_error("--picture -: the picture needs a file of its own; name one")
        }
        Some(path) => output::check_writable("--picture", path, &[&args.model]),
        None => Ok(()),
    }
}

/// Curve of an attribute, in one of a model's weighted sums.
struct Part<'a> {
    /// Class of the sum; empty if there is only one.
    class: &'a str,
    sum: &'a Model,
    curve: RawCurve,
}

/// Returns the parts at the knots and at the ends of what counts, as CSV; of several classes with
/// the class first.
pub(crate) fn csv(model: &Model) -> String {
    let sums = sums_of(model);
    let (errors, several) = (has_errors(&sums), sums.len() > 1);
    let of_class = if several { "class," } else { "" };
    let mut csv =
        format!("{of_class}attribute,value,part{}\n", if errors { ",low,high" } else { "" });
    for Part { class, sum, curve } in by_size(&sums) {
        let class = if several { format!("{},", quoted(class)) } else { String::new() };
        let name = quoted(&curve.name);
        for Point { x, y, low, high } in points(sum, &curve, 1) {
            let ends = match errors {
                true if low.is_nan() => ",,".to_owned(),
                true => format!(",{low},{high}"),
                false => String::new(),
            };
            csv.push_str(&format!("{class}{name},{x},{y}{ends}\n"));
        }
    }
    csv
}

/// Draws the largest parts into a file.
pub(crate) fn draw(model: &Model, path: &Path) -> Result<()> {
    output::write_file(path, &picture(model)?)
}

/// Returns true if attributes have curves.
pub(crate) fn are_in(model: &Model) -> bool {
    let curved = |sum: &Predictor| matches!(sum, Predictor::Curves(_));
    has_hats(model) || sums_of(model).iter().any(|(_, sum)| curved(&sum.predictor))
}

/// Returns true if attributes have hat functions.
pub(crate) fn has_hats(model: &Model) -> bool {
    sums_of(model).iter().any(|(_, sum)| !sum.raw_hats().is_empty())
}

/// Draws the largest parts, as SVG.
pub(crate) fn picture(model: &Model) -> Result<String> {
    let sums = sums_of(model);
    let (parts, name) = (by_size(&sums), &model.target);
    let what = match (model.task, sums.len()) {
        (Task::Regression, _) => "prediction",
        (Task::Classification, 1) => "score",
        (Task::Classification, _) => "score of a class",
    };
    let title = match parts.len() {
        all if all > MOST => format!("Parts of the {what} of {name}: the {MOST} largest of {all}"),
        _ => format!("Parts of the {what} of {name}, the largest first"),
    };
    let errors = has_errors(&sums);
    let band = if errors { "; bands: 90 % (1.645 standard errors)" } else { "" };
    let dates = |curve: &RawCurve| {
        let columns = &model.prepare.schema.columns;
        columns.iter().any(|column| column.name == curve.name && column.date.is_some())
    };
    let panel = |Part { class, sum, curve }: &Part<'_>| {
        let of_class = if class.is_empty() { String::new() } else { format!("{class}: ") };
        let days = if dates(curve) { " (days since 1970-01-01)" } else { "" };
        Series {
            name: format!("{of_class}{}{days}", curve.name),
            points: points(sum, curve, STEPS),
        }
    };
    Ok(small_multiples(&Figure {
        title,
        x_label: format!("each is 0 on average{band}"),
        y_label: format!("added to the {what}"),
        log_x: false,
        y_limit: None,
        reference: None,
        series: parts.iter().take(MOST).map(panel).collect(),
    })?)
}

/// Returns the curves of all sums, those first whose part of the prediction has the largest standard
/// deviation or, of hat functions, the largest range.
fn by_size(sums: &[(String, Model)]) -> Vec<Part<'_>> {
    let mut sized: Vec<(f64, Part<'_>)> = Vec::new();
    for (class, sum) in sums {
        let part = |curve| Part { class, sum, curve };
        if let Predictor::Curves(predictor) = &sum.predictor {
            let size = |curve: &RawCurve| predictor.part_deviation(curve.column);
            sized.extend(sum.raw_curves().into_iter().map(|curve| (size(&curve), part(curve))));
            continue;
        }
        // Nobody knows how often each value occurs: by the range over the knots.
        let range = |curve: &RawCurve| {
            let ends = |(low, high): (f64, f64), y: &f64| (low.min(*y), high.max(*y));
            let (low, high) = curve.heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
            high - low
        };
        sized.extend(sum.raw_hats().into_iter().map(|curve| (range(&curve), part(curve))));
    }
    sized.sort_by(|a, b| b.0.total_cmp(&a.0));
    sized.into_iter().map(|(_, part)| part).collect()
}

/// Returns true if parts have standard errors.
fn has_errors(sums: &[(String, Model)]) -> bool {
    sums.iter().any(|(_, sum)| {
        matches!(sum.predictor, Predictor::Curves(_)) && sum.raw_standard_errors().is_some()
    })
}

/// Returns the part at the knots of a curve, at the ends of what counts, and at this number of
/// steps between the ends, by increasing value. Low and high are NaN without standard errors.
fn points(model: &Model, curve: &RawCurve, steps: u32) -> Vec<Point> {
    let mut values = curve.knots.clone();
    let ends = model.raw_bounds().map(|bounds| bounds[curve.column]);
    let [low, high] = ends.unwrap_or([curve.knots[0], curve.knots[curve.knots.len() - 1]]);
    let step = |at: u32| low + (high - low) * (f64::from(at) / f64::from(steps));
    values.extend((0..steps).map(step));
    values.push(high);
    values.sort_by(f64::total_cmp);
    values.dedup();
    let parts = model.raw_part(curve.column, &values).unwrap_or_default();
    let point = |(x, (y, error)): (f64, (f64, Option<f64>))| {
        let reach = error.map_or(f64::NAN, |error| REACH * error);
        Point { x, y, low: y - reach, high: y + reach }
    };
    values.into_iter().zip(parts).map(point).collect()
}
