//! Writes the curve of a study's own error and its forecast: as text, JSON and a picture.

use crate::format::{grouped, number, rounded, thousands};
use crate::output::{align, write_file};
use anyhow::Result;
use halfseen_io::draw::{Figure, Point, Series, learning_curve};
use halfseen_study::{Curve, CurvePoint, Forecast, OwnTest, Range};
use std::path::Path;

/// Adds the curve and its forecast to a status as JSON.
pub(super) fn insert(
    json: &mut serde_json::Value,
    curve: &Curve,
    forecast: Option<&Forecast>,
) -> Result<()> {
    if let Some(object) = json.as_object_mut() {
        object.insert("curve".into(), serde_json::to_value(curve)?);
        object.insert("forecast".into(), serde_json::to_value(forecast)?);
    }
    Ok(())
}

/// Returns the curve as a table, with what more subjects would buy, in sentences.
pub(super) fn text(curve: &Curve, more: u64, target: &str) -> String {
    if curve.points.iter().all(|point| point.error.is_none()) {
        return "curve: the learner has no own error yet\n".to_owned();
    }
    let test = match curve.test {
        OwnTest::HeldOut => "each subject predicted by a fit to others, all attributes seen",
        OwnTest::Progressive => "each subject predicted before it was learned from",
    };
    let mut lines =
        vec![["examples", "reads", "money", "error", "90 % interval"].map(str::to_owned)];
    lines.extend(curve.points.iter().map(|point| {
        let interval = point.low.zip(point.high);
        [
            grouped(point.examples),
            grouped(point.reads),
            rounded(point.cost),
            point.error.map_or("-".to_owned(), number),
            interval.map_or("-".to_owned(), |(low, high)| {
                format!("{} to {}", number(low), number(high))
            }),
        ]
    }));
    let rows: Vec<Vec<String>> = lines.into_iter().map(Vec::from).collect();
    let mut text = format!(
        "error by its own test ({test});\npredicting the mean of {target} has {}\n{}",
        number(curve.variance),
        align(&rows)
    );
    match curve.forecast(more) {
        Some(forecast) => text.push_str(&sentences(&forecast, target)),
        None => text.push_str("forecast: too few examples for one\n"),
    }
    text
}

fn sentences(forecast: &Forecast, target: &str) -> String {
    let Forecast { more, error, gain, cost, enough, .. } = forecast;
    let between = |range: &Range| format!("{} to {}", number(range.low), number(range.high));
    let more = grouped(*more);
    let count = |n: f64| if n < 1e15 { thousands(n) } else { "any".to_owned() };
    let worth = format!("less than 1 % of the variance of {target}");
    let when = if enough.high <= 0.0 {
        format!("{more} more lower it by {worth} from the first examples on")
    } else if enough.estimate <= 0.0 {
        format!(
            "the curve has not fallen by more than chance, so it does not show when to stop (90 %: {more} more lower it by {worth} from {} examples on, or sooner)",
            count(enough.high)
        )
    } else {
        format!(
            "{more} more lower it by {worth} from about {} examples on (90 %: {} to {})",
            count(enough.estimate),
            count(enough.low),
            count(enough.high)
        )
    };
    format!(
        "forecast: {more} more examples lower the error by {} (90 %: {}), to {} (90 %: {}), for {} of money\n\
         {when}\n",
        number(gain.estimate),
        between(gain),
        number(error.estimate),
        between(error),
        number(*cost)
    )
}

/// Writes a picture of the curve, with the forecast as its last point.
pub(super) fn draw(path: &Path, curve: &Curve, more: u64, title: &str) -> Result<()> {
    let shown = |point: &CurvePoint| {
        let x = point.examples as f64;
        Some(Point { x, y: point.error?, low: point.low?, high: point.high? })
    };
    let points: Vec<Point> = curve.points.iter().filter_map(shown).collect();
    let mut series = Vec::new();
    if let (Some(now), Some(forecast)) = (points.last(), curve.forecast(more)) {
        let Range { estimate, low, high } = forecast.error;
        let then = Point { x: forecast.examples as f64, y: estimate, low, high };
        series.push(Series { name: "forecast".to_owned(), points: vec![*now, then] });
    }
    series.insert(0, Series { name: "own test".to_owned(), points });
    let svg = learning_curve(&Figure {
        title: title.to_owned(),
        x_label: "examples".to_owned(),
        y_label: "squared error, with 90 % intervals".to_owned(),
        log_x: true,
        y_limit: None,
        reference: None,
        series,
    })?;
    write_file(path, &svg)
}
