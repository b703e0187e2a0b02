//! Draws figures as SVG text, legible in print, in grey, and to the colour-blind.
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
//!     series: vec![Series { name: "AERR".into(), points: points.iter().map(point).collect() }],
//! })?;
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), halfseen_io::Error>(())
//! ```

mod axis;
mod canvas;
mod clip;
mod curve;
mod page;
mod style;

#[cfg(test)]
pub(crate) use canvas::Failure;

use crate::error::Result;

/// Curves with bands over a common x axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Stands above the figure.
    pub title: String,
    /// Stands below the x axis; with its unit.
    pub x_label: String,
    /// Stands beside the y axis; with its unit.
    pub y_label: String,
    /// Whether x is drawn on a logarithmic axis.
    pub log_x: bool,
    /// Where the y axis ends, if before the largest value: curves leave the plot there. The label
    /// should say so.
    pub y_limit: Option<f64>,
    /// The curves; the legend lists them by their last y, as they end in the figure.
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points, in any order; what is not finite (or x not above 0 on a logarithmic axis) is
    /// left out.
    pub points: Vec<Point>,
}

/// One point of a curve, such as a mean, and its band, such as mean - deviation to mean +
/// deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where along the x axis.
    pub x: f64,
    /// The curve.
    pub y: f64,
    /// The lower edge of the band; not finite: no band here.
    pub low: f64,
    /// The upper edge of the band; not finite: no band here.
    pub high: f64,
}

/// Draws curves with bands, and a legend at their right, as SVG text.
///
/// The y axis starts at 0 if all values are positive and the smallest is less than half of the
/// largest. A series without a point that can be drawn is listed as such in the legend.
///
/// # Errors
/// [`NoPoints`](crate::ErrorKind::NoPoints) if no series has a point that can be drawn.
pub fn learning_curve(figure: &Figure) -> Result<String> {
    page::draw(figure)
}
