//! Plots a comparison: errors against reads or examples.

use crate::terminal::format::number;
use crate::terminal::measure::Measure;
use halfseen::data::Target;
use halfseen::select::{CONSTANT, Comparison, CurvePoint, Statistics};
use halfseen_io::draw::{Figure, Point, Series};

/// Returns the constant's error, which does not depend on the number of rows.
fn level(comparison: &Comparison, shown: Shown) -> Option<(String, f64)> {
    let Shown::Tested(measure) = shown else { return None };
    let constant = comparison.summary.iter().find(|summary| summary.learner == CONSTANT)?;
    Some((CONSTANT.to_owned(), measure.axis().1 * measure.over(constant)?.mean))
}

/// Quantity on the vertical axis.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shown {
    /// Error on the test rows.
    Tested(Measure),
    /// Squared error that learners estimate themselves.
    Own,
}

/// Quantity on the horizontal axis: its label, and its value at a point.
pub(crate) type Spent = (&'static str, fn(&CurvePoint) -> u64);

/// Returns a figure of the error, mean and standard deviation over the splits.
pub(crate) fn figure(
    comparison: &Comparison,
    (title, target): (&str, &Target),
    (x_label, spent): Spent,
    shown: Shown,
) -> Figure {
    let (label, factor, nothing) = match shown {
        Shown::Tested(measure) => {
            (measure.axis().0, measure.axis().1, measure.of_nothing(target) * measure.axis().1)
        }
        Shown::Own => ("own squared error", 1.0, Measure::Squared.of_nothing(target)),
    };
    let error = |point: &CurvePoint| match shown {
        Shown::Tested(measure) => measure.at(point),
        Shown::Own => point.risk,
    };
    let learners = comparison.summary.iter().filter(|summary| summary.learner != CONSTANT);
    let series = learners.map(|summary| {
        let mut points: Vec<&CurvePoint> =
            comparison.curve.iter().filter(|p| p.learner == summary.learner).collect();
        points.sort_by_key(|p| p.examples);
        // Splits of equal size share their numbers of examples; the last may differ by rounding.
        let points = points.chunk_by(|a, b| a.examples == b.examples).filter_map(|same| {
            let error = Statistics::of(same.iter().filter_map(|p| error(p)).collect())?;
            let x = Statistics::of(same.iter().map(|p| spent(p) as f64).collect())?.mean;
            Some(point(x, error, factor))
        });
        Series { name: summary.learner.to_owned(), points: points.collect() }
    });
    let mut series: Vec<Series> = series.filter(|s| !s.points.is_empty()).collect();
    // Early in its run a learner may be far worse than a constant; such errors and their standard
    // deviations are cut off.
    let (y_label, limit) = (label, 1.5 * nothing);
    let outside = series.iter_mut().flat_map(|s| &mut s.points).filter(|p| p.y > limit);
    outside.for_each(|p| (p.low, p.high) = (p.y, p.y));
    let cut = series.iter().flat_map(|s| &s.points).any(|p| p.high > limit);
    Figure {
        title: title.to_owned(),
        x_label: x_label.to_owned(),
        y_label: if cut {
            format!("{y_label} (cut at {})", number(limit))
        } else {
            y_label.to_owned()
        },
        log_x: true,
        y_limit: cut.then_some(limit),
        reference: level(comparison, shown),
        series,
    }
}

/// Returns a mean with its standard deviation, both times a factor; no error is below 0.
pub(crate) fn point(x: f64, error: Statistics, factor: f64) -> Point {
    let (mean, sd) = (factor * error.mean, factor * error.sd);
    Point { x, y: mean, low: (mean - sd).max(0.0), high: mean + sd }
}
