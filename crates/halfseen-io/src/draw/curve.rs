//! Selects what can be drawn of a figure: its curves, the level to compare with, and the axes.

use super::axis::{Axis, extent};
use super::canvas::{fit, subject};
use super::style::Style;
use super::{Figure, Point, Series};
use crate::error::{Error, ErrorKind, Result};

/// Size of a name, and the room of one in a legend, in pixels.
pub(super) const NAME: f64 = 15.0;
const NAME_ROOM: f64 = 270.0;

/// Larger values are left out, because their differences and quotients overflow.
const LARGEST: f64 = 1e100;

/// Returns the points of a series, sorted by x, all finite, low <= y <= high.
pub(super) fn drawable(series: &Series, log_x: bool) -> Vec<Point> {
    let finite = |v: f64| v.abs() <= LARGEST; // false for NaN
    let visible = |p: &&Point| finite(p.x) && finite(p.y) && (!log_x || p.x >= 1.0 / LARGEST);
    let edge = |p: &Point, v: f64| if finite(p.low) && finite(p.high) { v } else { p.y };
    let mut points: Vec<Point> = series
        .points
        .iter()
        .filter(visible)
        .map(|p| Point { low: edge(p, p.low).min(p.y), high: edge(p, p.high).max(p.y), ..*p })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// A curve that can be drawn, with the name that fits into a legend.
pub(super) struct Curve {
    pub name: String,
    pub points: Vec<Point>,
    pub style: Style,
}

impl Curve {
    /// Returns a horizontal line between two places of the x axis.
    fn level((name, y): &(String, f64), ends: [f64; 2]) -> Curve {
        let points = ends.map(|x| Point { x, y: *y, low: *y, high: *y }).to_vec();
        Curve { name: fit(name, NAME, NAME_ROOM), points, style: Style::of_reference() }
    }

    /// Returns the last height.
    pub(super) fn end(&self) -> f64 {
        self.points.last().map_or(f64::INFINITY, |point| point.y)
    }
}

/// Curves of a figure over a common x axis.
pub(super) struct Curves {
    pub curves: Vec<Curve>,
    pub reference: Option<Curve>,
    pub x: Axis,
}

impl Curves {
    /// Selects the curves of a figure.
    pub(super) fn of(figure: &Figure) -> Result<Curves> {
        let curve = |(i, s): (usize, &Series)| {
            let points = drawable(s, figure.log_x);
            let suffix = if points.is_empty() { " (no points)" } else { "" };
            Curve { name: fit(&s.name, NAME, NAME_ROOM) + suffix, points, style: Style::of(i) }
        };
        let curves: Vec<Curve> = figure.series.iter().enumerate().map(curve).collect();
        let points = || curves.iter().flat_map(|c| &c.points);
        if points().next().is_none() {
            let none = ErrorKind::NoPoints { log_x: figure.log_x };
            return Err(Error::new(subject(&figure.title), none));
        }
        let (low, high) = extent(points().map(|p| p.x));
        let x = if figure.log_x { Axis::logarithmic(low, high) } else { Axis::linear(low, high) };
        let level = figure.reference.as_ref().filter(|(_, y)| y.is_finite());
        let reference = level.map(|level| Curve::level(level, [low, high]));
        Ok(Curves { curves, reference, x })
    }
}

/// Returns the y axis for some points, from 0 on and up to the limit, if there is one.
pub(super) fn range_of_y<'a>(figure: &Figure, points: impl Iterator<Item = &'a Point>) -> Axis {
    let (low, high) = extent(points.flat_map(|p| [p.low, p.high]));
    // Errors are compared from 0 on.
    let low = low.min(0.0);
    // A limit below every value would hide everything.
    let limit = figure.y_limit.filter(|&limit| limit > low).unwrap_or(f64::INFINITY);
    match high > limit {
        true => Axis::linear(low, limit).ending_at(limit),
        false => Axis::linear(low, high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_points_are_kept_and_sorted() {
        let point = |x, y, low| Point { x, y, low, high: y + 1.0 };
        let points = vec![
            point(2.0, 1.0, f64::NAN),
            point(1.0, 2.0, 5.0),
            point(0.0, 1.0, 0.0),
            point(1.0, f64::NAN, 0.0),
            point(f64::INFINITY, 1.0, 0.0),
            point(1.0, 1e300, 0.0),
        ];
        let series = Series { name: String::new(), points };
        let kept = drawable(&series, true);
        assert_eq!(
            kept,
            [
                Point { x: 1.0, y: 2.0, low: 2.0, high: 3.0 },
                Point { x: 2.0, y: 1.0, low: 1.0, high: 1.0 }
            ]
        );
        assert_eq!(drawable(&series, false).len(), 3);
    }
}
