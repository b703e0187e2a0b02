//! Draws lines, areas and text on an SVG page, in fractional pixels.

use super::style::Style;
use crate::error::{Error, ErrorKind};
use halfseen::error::short;
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{PathElement, Polygon, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE};
use std::fmt::Display;

/// Scale at which pages are drawn before they are shrunk, because Plotters rounds to whole pixels.
const FINE: f64 = 8.0;

/// Divisor that Plotters applies to font sizes when it writes SVG.
const FONT: f64 = 1.24;

/// Lengths of a dash and of the space after it, in pixels.
const DASH: f64 = 7.0;
const SPACE: f64 = 5.0;

pub(super) type Place = (f64, f64);

/// SVG page under construction.
pub(super) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// Message of a failure of the drawing routines.
pub(crate) struct Failure(String);

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for Failure {
    fn from(e: DrawingAreaErrorKind<E>) -> Self {
        Self(e.to_string())
    }
}

impl Failure {
    pub(crate) fn about(self, title: &str) -> Error {
        Error::new(subject(title), ErrorKind::Drawing { problem: self.0 })
    }
}

/// Returns the name of a figure in errors.
pub(super) fn subject(title: &str) -> String {
    format!("figure '{}'", short(title))
}

/// Draws a page of `size` pixels and returns its SVG text.
pub(super) fn page(
    size: Place,
    draw: impl FnOnce(&Canvas<'_>) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let (width, height) = fine(size);
    let mut svg = String::new();
    let canvas = Canvas {
        area: SVGBackend::with_string(&mut svg, (width as u32, height as u32)).into_drawing_area(),
    };
    canvas.area.fill(&WHITE)?;
    draw(&canvas)?;
    canvas.area.present()?;
    drop(canvas);
    let attributes = |width: &dyn Display, height: &dyn Display| {
        format!("width=\"{width}\" height=\"{height}\"")
    };
    Ok(svg.replacen(&attributes(&width, &height), &attributes(&size.0, &size.1), 1))
}

impl Canvas<'_> {
    pub(super) fn line(
        &self,
        points: &[Place],
        colour: RGBColor,
        width: f64,
    ) -> Result<(), Failure> {
        let style = ShapeStyle {
            color: colour.to_rgba(),
            filled: false,
            stroke_width: (width * FINE) as u32,
        };
        let points: Vec<_> = points.iter().copied().map(fine).collect();
        Ok(self.area.draw(&PathElement::new(points, style))?)
    }

    /// Draws a line of two points in dashes.
    pub(super) fn dashed(
        &self,
        points: &[Place],
        colour: RGBColor,
        width: f64,
    ) -> Result<(), Failure> {
        let [from, to] = points else { return Ok(()) };
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(f64::MIN_POSITIVE);
        let at = |along: f64| {
            let share = (along / length).min(1.0);
            (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
        };
        let mut starts =
            (0..).map(|dash| f64::from(dash) * (DASH + SPACE)).take_while(|s| *s < length);
        starts.try_for_each(|s| self.line(&[at(s), at(s + DASH)], colour, width))
    }

    pub(super) fn marker(&self, (x, y): Place, style: Style, size: f64) -> Result<(), Failure> {
        let corner = |(dx, dy): &(f64, f64)| (x + size * dx, y + size * dy);
        let outline: Vec<Place> = style.marker.iter().map(corner).collect();
        self.fill(&outline, style.colour, 1.0)
    }

    pub(super) fn fill(
        &self,
        outline: &[Place],
        colour: RGBColor,
        opacity: f64,
    ) -> Result<(), Failure> {
        let outline: Vec<_> = outline.iter().copied().map(fine).collect();
        Ok(self.area.draw(&Polygon::new(outline, colour.mix(opacity).filled()))?)
    }

    /// Writes text with letters `size` pixels high, at the given side of a place.
    pub(super) fn text(
        &self,
        text: &str,
        at: Place,
        size: f64,
        side: (HPos, VPos),
        turned: bool,
    ) -> Result<(), Failure> {
        let turn = if turned { FontTransform::Rotate270 } else { FontTransform::None };
        let font = ("sans-serif", size * FONT * FINE).into_font().transform(turn);
        let style = TextStyle::from(font).pos(Pos::new(side.0, side.1));
        Ok(self.area.draw(&Text::new(text, fine(at), style))?)
    }
}

fn fine((x, y): Place) -> (i32, i32) {
    ((x * FINE).round() as i32, (y * FINE).round() as i32)
}

/// Estimates the width of a text in pixels, without font metrics.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 0.58 } else { 1.0 } * size).sum()
}

/// Shortens a text to a width in pixels, and escapes characters that XML does not allow.
pub(super) fn fit(text: &str, size: f64, room: f64) -> String {
    let text = short(text);
    if width(&text, size) <= room {
        return text;
    }
    let mut kept = String::new();
    for c in text.chars() {
        if width(&kept, size) + 2.0 * size > room {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

/// Colours for readers whose screen is dark: those of paper, ink and grid, and of dark curves.
const DARK: &str = "<style>@media (prefers-color-scheme: dark) { \
     [fill=\"#FFFFFF\"] { fill: #161616 } [fill=\"#000000\"] { fill: #E6E6E6 } \
     [stroke=\"#000000\"] { stroke: #E6E6E6 } [stroke=\"#333333\"] { stroke: #CCCCCC } \
     [stroke=\"#E2E2E2\"] { stroke: #3A3A3A } [stroke=\"#C8C8C8\"] { stroke: #565656 } \
     [stroke=\"#757575\"] { stroke: #9A9A9A } [fill=\"#0072B2\"] { fill: #6C8CFF } \
     [stroke=\"#0072B2\"] { stroke: #6C8CFF } [fill=\"#8C510A\"] { fill: #C98A3E } \
     [stroke=\"#8C510A\"] { stroke: #C98A3E } [fill=\"#4B2E83\"] { fill: #A58BDB } \
     [stroke=\"#4B2E83\"] { stroke: #A58BDB } }</style>";

/// Adds the title and a description, which screen readers read, and colours for dark screens. The
/// description ends with names.
pub(super) fn described(svg: &str, title: &str, what: &str, names: &[&str]) -> String {
    let text = |text: &str| {
        let text = halfseen::error::short(text);
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let names: Vec<String> = names.iter().map(|name| text(name)).collect();
    let (title, what) = (text(title), text(what));
    let head = format!(
        "role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\n<title>{title}</title>\n\
         <desc>{what}{}.</desc>\n{DARK}",
        names.join(", ")
    );
    svg.replacen("xmlns=\"http://www.w3.org/2000/svg\">", &head, 1)
}
