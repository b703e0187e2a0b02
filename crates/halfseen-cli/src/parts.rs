//! Shows the parts of predictions that come from attributes with curves, as CSV and as a picture.

use crate::args::ShowArgs;
use crate::failure::usage_error;
use crate::output;
use crate::predict::quoted;
use anyhow::Result;
use halfseen::data::Task;
use halfseen::model::{Model, Predictor, RawCurve};
use halfseen_io::draw::{Panels, Point, Series, small_multiples};
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
        return usage_error(match (&model.predictor, asked) {
            (Predictor::Classes(_), _) => format!(
                "{flag}: {file} is of more than two classes, whose curves are not printed; leave {flag} out, or fit two of them with --classes A,B"
            ),
            (_, true) => format!(
                "{flag}: {file} has no curves, because its reads showed none; leave {flag} out"
            ),
            (_, false) => format!(
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

/// Returns the parts at the knots and at the ends of what counts, as CSV.
pub(crate) fn csv(model: &Model) -> String {
    let errors = has_errors(model);
    let mut csv = format!("attribute,value,part{}\n", if errors { ",low,high" } else { "" });
    for curve in by_size(model) {
        let name = quoted(&curve.name);
        for Point { x, y, low, high } in points(model, &curve, 1) {
            let ends = if errors { format!(",{low},{high}") } else { String::new() };
            csv.push_str(&format!("{name},{x},{y}{ends}\n"));
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
    matches!(model.predictor, Predictor::Curves(_)) || !model.raw_hats().is_empty()
}

/// Draws the largest parts, as SVG.
pub(crate) fn picture(model: &Model) -> Result<String> {
    let (curves, name) = (by_size(model), &model.target);
    let what = match model.task {
        Task::Regression => "prediction",
        Task::Classification => "score",
    };
    let title = match curves.len() {
        all if all > MOST => format!("Parts of the {what} of {name}: the {MOST} largest of {all}"),
        _ => format!("Parts of the {what} of {name}, the largest first"),
    };
    let errors = has_errors(model);
    let band = if errors { "; bands: 90 % (1.645 standard errors)" } else { "" };
    let dates = |curve: &RawCurve| {
        let columns = &model.prepare.schema.columns;
        columns.iter().any(|column| column.name == curve.name && column.date.is_some())
    };
    let panel = |curve: &RawCurve| Series {
        name: match dates(curve) {
            true => format!("{} (days since 1970-01-01)", curve.name),
            false => curve.name.clone(),
        },
        points: points(model, curve, STEPS),
    };
    Ok(small_multiples(&Panels {
        title,
        subtitle: format!("each is 0 on average{band}"),
        y_label: format!("added to the {what}"),
        panels: curves.iter().take(MOST).map(panel).collect(),
    })?)
}

/// Returns the curves, those first whose part of the prediction has the largest standard deviation
/// or, of hat functions, the largest range.
fn by_size(model: &Model) -> Vec<RawCurve> {
    let mut curves = model.raw_curves();
    if let Predictor::Curves(predictor) = &model.predictor {
        let size = |curve: &RawCurve| predictor.part_deviation(curve.column);
        curves.sort_by(|a, b| size(b).total_cmp(&size(a)));
        return curves;
    }
    curves = model.raw_hats();
    // Nobody knows how often each value occurs: by the range over the knots.
    let range = |curve: &RawCurve| {
        let ends = |(low, high): (f64, f64), y: &f64| (low.min(*y), high.max(*y));
        let (low, high) = curve.heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        high - low
    };
    curves.sort_by(|a, b| range(b).total_cmp(&range(a)));
    curves
}

/// Returns true if the parts have standard errors.
fn has_errors(model: &Model) -> bool {
    matches!(model.predictor, Predictor::Curves(_)) && model.raw_standard_errors().is_some()
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
