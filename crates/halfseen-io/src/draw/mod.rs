//! Draws figures as SVG text, legible in print, in greyscale and with colour blindness.
//!
//! ```
//! use halfseen_io::draw::{Figure, Point, Series, learning_curve};
//!
//! let points = [(10.0, 0.4), (100.0, 0.2), (1000.0, 0.1)];
//! let point = |&(x, y): &(f64, f64)| Point { x, y, low: 0.9 * y, high: 1.1 * y };
//! let svg = learning_curve(&Figure {
//!     title: "Test error".into(),
//!     x_label: "values read".into(),
//!     y_label: "error".into(),
//!     log_x: true,
//!     y_limit: None,
//!     reference: None,
//!     series: vec![Series { name: "AERR".into(), points: points.iter().map(point).collect() }],
//! })?;
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), halfseen_io::Error>(())
//! ```

mod axis;
mod plot;
mod svg;

use crate::error::{Error, ErrorKind, Result};
use axis::{Axis, extent};
use halfseen::error::short;
use svg::{COLOURS, Curve, MARKERS, fit};

/// Larger values are left out, because their differences and quotients overflow.
const LARGEST: f64 = 1e100;

/// Curves with bands over a common x axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Title above the figure.
    pub title: String,
    /// Label below the x axis, with its unit.
    pub x_label: String,
    /// Label beside the y axis, with its unit.
    pub y_label: String,
    /// True if the x axis is logarithmic.
    pub log_x: bool,
    /// End of the y axis, if below the largest value; curves leave the plot there, and the label
    /// should say so.
    pub y_limit: Option<f64>,
    /// Name and height of a level to compare with, such as a constant's error: a dashed line.
    pub reference: Option<(String, f64)>,
    /// Curves; the legend orders them by their last y, as they end in the figure.
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points in any order. Points that are not finite, or have x <= 0 on a logarithmic axis, are
    /// left out.
    pub points: Vec<Point>,
}

/// One point of a curve, such as a mean, and its band, such as mean -+ standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Position on the x axis.
    pub x: f64,
    /// Value of the curve.
    pub y: f64,
    /// Lower edge of the band; no band if not finite.
    pub low: f64,
    /// Upper edge of the band; no band if not finite.
    pub high: f64,
}

/// Draws curves with bands, and a legend to their right, as SVG text.
///
/// More than seven curves get a panel each, in which one stands out from all others in grey; the
/// one that ends lowest comes first. The y axis includes 0. A series without drawable points is
/// marked as such.
///
/// # Errors
/// [`NoPoints`](crate::ErrorKind::NoPoints) if no series has a drawable point.
pub fn learning_curve(figure: &Figure) -> Result<String> {
    let (mut curves, level, [x, y]) = drawable(figure)?;
    let end = |curve: &Curve, none: f64| curve.points.last().map_or(none, |point| point.y);
    if curves.len() <= COLOURS.len() {
        // The legend follows the order of the ends of the curves, beside which it stands.
        curves.extend(level);
        curves.sort_by(|a, b| end(a, f64::NEG_INFINITY).total_cmp(&end(b, f64::NEG_INFINITY)));
        let panel = (x, curves.iter().collect());
        return Ok(plot::page(figure, ("", &figure.x_label), &y, (560.0, 380.0), &[panel]));
    }
    curves.sort_by(|a, b| end(a, f64::INFINITY).total_cmp(&end(b, f64::INFINITY)));
    curves.iter_mut().for_each(|one| (one.colour, one.marker) = (COLOURS[0], Some(0)));
    let grey: Vec<Curve> = curves.iter().map(Curve::in_grey).collect();
    let dashed = level.as_ref().map_or(String::new(), |level| format!("; dashed: {}", level.name));
    let subtitle = &format!("One in colour, the others in grey{dashed}.");
    let panel = |(at, one)| {
        let others = grey[..at].iter().chain(&grey[at + 1..]);
        (x, others.chain(&level).chain([one]).collect())
    };
    let panels: Vec<_> = curves.iter().enumerate().map(panel).collect();
    Ok(plot::page(figure, (subtitle, &figure.x_label), &y, (190.0, 130.0), &panels))
}

/// Draws a panel for each curve, with an x axis of its own, as SVG text.
///
/// The name of a curve says what its x axis is, and the label for all x axes stands below the title.
/// Curves without drawable points are left out.
///
/// # Errors
/// [`NoPoints`](crate::ErrorKind::NoPoints) if no series has a drawable point.
pub fn small_multiples(figure: &Figure) -> Result<String> {
    let (mut curves, _, [_, y]) = drawable(figure)?;
    curves.retain(|curve| !curve.points.is_empty());
    curves.iter_mut().for_each(|one| (one.colour, one.marker) = (COLOURS[0], None));
    let panels = curves.iter().map(|curve| {
        let (low, high) = extent(curve.points.iter().map(|p| p.x));
        (Axis::linear(low, high), vec![curve])
    });
    let panels: Vec<_> = panels.collect();
    Ok(plot::page(figure, (&figure.x_label, ""), &y, (250.0, 160.0), &panels))
}

/// Returns the curves of a figure, the level that they are compared with, and the axes of x and y.
fn drawable(figure: &Figure) -> Result<(Vec<Curve>, Option<Curve>, [Axis; 2])> {
    let named = |name: &str| fit(name, 15.0, 270.0);
    let curve = |(at, series): (usize, &Series)| {
        let points = points(series, figure.log_x);
        let name = named(&series.name) + if points.is_empty() { " (no points)" } else { "" };
        let (colour, marker) = (COLOURS[at % COLOURS.len()], Some(at % MARKERS));
        Curve { name, points, colour, marker, stroke: "stroke-width=\"2\"" }
    };
    let curves: Vec<Curve> = figure.series.iter().enumerate().map(curve).collect();
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let (low, high) = extent(points().map(|p| p.x));
    if low > high {
        let name = format!("figure '{}'", short(&figure.title));
        return Err(Error::new(name, ErrorKind::NoPoints { log_x: figure.log_x }));
    }
    let x = if figure.log_x { Axis::logarithmic(low, high) } else { Axis::linear(low, high) };
    let level = figure.reference.as_ref().filter(|level| level.1.abs() <= LARGEST);
    let level = level.map(|&(ref name, y)| {
        let points = [low, high].map(|x| Point { x, y, low: y, high: y }).to_vec();
        let stroke = "stroke-width=\"2\" stroke-dasharray=\"7 5\"";
        Curve { name: named(name), points, colour: "#757575", marker: None, stroke }
    });
    // Errors are compared from 0 on. A limit below every value would hide everything.
    let heights = points().chain(level.iter().flat_map(|curve| &curve.points));
    let (low, high) = extent(heights.flat_map(|p| [p.low, p.high]).chain([0.0]));
    let limit = figure.y_limit.filter(|&limit| low < limit && limit < high);
    let mut y = Axis::linear(low, limit.unwrap_or(high));
    y.high = limit.unwrap_or(y.high);
    Ok((curves, level, [x, y]))
}

/// Returns the points of a series, sorted by x, all finite, low <= y <= high.
fn points(series: &Series, log_x: bool) -> Vec<Point> {
    let finite = |v: f64| v.abs() <= LARGEST; // false for NaN
    let visible = |p: &&Point| finite(p.x) && finite(p.y) && (!log_x || p.x >= 1.0 / LARGEST);
    let edge = |p: &Point, v: f64| if finite(p.low) && finite(p.high) { v } else { p.y };
    let edges =
        |p: &Point| Point { low: edge(p, p.low).min(p.y), high: edge(p, p.high).max(p.y), ..*p };
    let mut points: Vec<Point> = series.points.iter().filter(visible).map(edges).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
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
        let kept = super::points(&series, true);
        assert_eq!(
            kept,
            [
                Point { x: 1.0, y: 2.0, low: 2.0, high: 3.0 },
                Point { x: 2.0, y: 1.0, low: 1.0, high: 1.0 }
            ]
        );
        assert_eq!(super::points(&series, false).len(), 3);
    }
}
