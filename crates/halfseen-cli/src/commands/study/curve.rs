//! Writes the curve of a study's own error: as text and a picture.

use crate::terminal::format::{grouped, number, rounded};
use crate::terminal::output::{align, write_file};
use anyhow::Result;
use halfseen_io::draw::{Figure, Point, Series, learning_curve};
use halfseen_study::{OwnTest, StudyCurve, StudyCurvePoint};
use std::path::Path;

/// Returns the curve as a table.
pub(super) fn text(curve: &StudyCurve, target: &str) -> String {
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
    format!(
        "error by its own test ({test});\npredicting the mean of {target} has {}\n{}",
        number(curve.variance),
        align(&rows)
    )
}

/// Writes a picture of the curve.
pub(super) fn draw(path: &Path, curve: &StudyCurve, title: &str) -> Result<()> {
    let shown = |point: &StudyCurvePoint| {
        let x = point.examples as f64;
        Some(Point { x, y: point.error?, low: point.low?, high: point.high? })
    };
    let points: Vec<Point> = curve.points.iter().filter_map(shown).collect();
    let series = vec![Series { name: "own test".to_owned(), points }];
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
