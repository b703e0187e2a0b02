//! Writes text, curves and pages as SVG.

use super::Point;
use halfseen::error::short;

pub(super) type Place = (f64, f64);

/// Palette of Okabe and Ito (2008) without its yellow, which is too pale for a line.
pub(super) const COLOURS: [&str; 7] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000", "#56B4E9"];

/// Outlines of markers around (0, 0), of similar area; the unit is the radius of the marker.
pub(super) const MARKERS: [&str; 5] = [
    "M-.9 0a.9 .9 0 1 0 1.8 0a.9 .9 0 1 0 -1.8 0z",
    "M-.8 -.8h1.6v1.6h-1.6z",
    "M0 -1.2L1.1 .8h-2.2z",
    "M0 -1.2L1.2 0L0 1.2L-1.2 0z",
    "M0 1.2L1.1 -.8h-2.2z",
];

/// Colours of paper, ink and curves on a dark screen.
const DARK: &str = "[fill=\"#FFFFFF\"]{fill:#161616}[fill=\"#000000\"]{fill:#E6E6E6}\
     [stroke=\"#000000\"]{stroke:#E6E6E6}[stroke=\"#333333\"]{stroke:#CCCCCC}\
     [stroke=\"#E2E2E2\"]{stroke:#3A3A3A}[stroke=\"#C8C8C8\"]{stroke:#565656}\
     [stroke=\"#757575\"]{stroke:#9A9A9A}[fill=\"#0072B2\"]{fill:#6C8CFF}\
     [stroke=\"#0072B2\"]{stroke:#6C8CFF}";

/// A curve that can be drawn: a line, perhaps with markers, and a band.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<Point>,
    pub(super) colour: &'static str,
    pub(super) marker: Option<&'static str>,
    /// Width of the line, and its dashes.
    pub(super) stroke: &'static str,
}

impl Curve {
    /// Returns the curve as one in the background.
    pub(super) fn in_grey(&self) -> Curve {
        let points = self.points.iter().map(|p| Point { low: p.y, high: p.y, ..*p }).collect();
        let name = self.name.clone();
        Curve { name, points, colour: "#C8C8C8", marker: None, stroke: "stroke-width=\"1\"" }
    }

    pub(super) fn line(&self, places: impl Iterator<Item = Place>) -> String {
        let stroke = format!("stroke=\"{}\" {}", self.colour, self.stroke);
        format!("<polyline points=\"{}\" fill=\"none\" {stroke}/>\n", points(places))
    }

    pub(super) fn band(&self, outline: impl Iterator<Item = Place>) -> String {
        let fill = format!("fill=\"{}\" fill-opacity=\".15\"", self.colour);
        format!("<polygon points=\"{}\" {fill}/>\n", points(outline))
    }

    /// Draws the marker at a place; none if it has no outline.
    pub(super) fn marker(&self, (x, y): Place) -> String {
        let place = format!("transform=\"translate({x:.1} {y:.1}) scale(4)\"");
        let path = |outline| format!("<path d=\"{outline}\" {place} fill=\"{}\"/>\n", self.colour);
        self.marker.map_or(String::new(), path)
    }
}

fn points(places: impl Iterator<Item = Place>) -> String {
    places.map(|(x, y)| format!("{x:.1},{y:.1} ")).collect()
}

/// Writes text around a height, from a place on ("start"), up to it ("end") or around it ("middle").
pub(super) fn text(text: &str, (x, y): Place, size: f64, anchor: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let place = format!("x=\"{x:.1}\" y=\"{y:.1}\" dy=\".35em\" text-anchor=\"{anchor}\"");
    format!("<text {place} font-size=\"{size}\" fill=\"#000000\">{}</text>\n", escaped(text))
}

/// Writes a page with a title and a description, which screen readers read, and colours for dark
/// screens.
pub(super) fn page((width, height): Place, title: &str, what: &str, drawn: &str) -> String {
    let (title, what) = (escaped(&short(title)), escaped(what));
    format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"sans-serif\" xmlns=\"http://www.w3.org/2000/svg\">\n\
         <title>{title}</title>\n<desc>{what}.</desc>\n\
         <style>@media (prefers-color-scheme: dark) {{{DARK}}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>\n{drawn}</svg>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Estimates the width of a text in pixels, without font metrics.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 0.58 } else { 1.0 } * size).sum()
}

/// Shortens a text to a width in pixels, and escapes characters that XML does not allow.
pub(super) fn fit(text: &str, size: f64, room: f64) -> String {
    let mut text = short(text);
    if width(&text, size) > room {
        while width(&text, size) + size > room && text.pop().is_some() {}
        text.push('…');
    }
    text
}
