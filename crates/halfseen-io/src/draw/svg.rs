//! Writes text, curves and pages as SVG.

use super::Point;
use halfseen::error::short;

pub(super) type Place = (f64, f64);

/// Palette of Okabe and Ito (2008) without its yellow, which is too pale for a line.
pub(super) const COLOURS: [&str; 7] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000", "#56B4E9"];

/// Colours for dark screens, and the outlines of markers, of similar area.
const HEAD: &str = include_str!("head.svg");
pub(super) const MARKERS: usize = 5;

/// A curve that can be drawn: a line, perhaps with markers, and a band.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<Point>,
    pub(super) colour: &'static str,
    pub(super) marker: Option<usize>,
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

    /// Draws the marker at a place; none if the curve has none.
    pub(super) fn marker(&self, (x, y): Place) -> String {
        let mark = |mark| format!("<use href=\"#mark-{mark}\" x=\"{x:.1}\" y=\"{y:.1}\" ");
        self.marker.map_or(String::new(), |at| mark(at) + &format!("fill=\"{}\"/>\n", self.colour))
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
         {HEAD}<rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>\n{drawn}</svg>\n"
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
