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
mod canvas;
mod clip;
mod curve;
mod each;
mod page;
mod panels;
mod style;

#[cfg(test)]
pub(crate) use canvas::Failure;

use crate::error::Result;

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

/// Small figures of one curve each, side by side, with a common y axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    /// Title above all.
    pub title: String,
    /// Line below the title.
    pub subtitle: String,
    /// Label beside the y axes, with its unit.
    pub y_label: String,
    /// Curves in rows of three; the name of each stands above it, and says what its x axis is.
    pub panels: Vec<Series>,
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
    /// Largest number of curves that colours keep apart in one plot.
    const MOST: usize = 7;
    let drawn = curve::Curves::of(figure)?;
    match drawn.curves.len() > MOST {
        true => each::draw(figure, drawn),
        false => page::draw(figure, drawn),
    }
}

/// Draws small figures side by side as SVG text, with a line at 0.
///
/// # Errors
/// [`NoPoints`](crate::ErrorKind::NoPoints) if no panel has a drawable point.
pub fn small_multiples(panels: &Panels) -> Result<String> {
    panels::draw(panels)
}
