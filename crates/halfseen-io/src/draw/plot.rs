//! Lays out a page of panels: titles, axes, curves and a legend.

use super::axis::Axis;
use super::svg::{Curve, Place, fit, text, width};
use super::{Figure, svg};
use halfseen::error::short;

// All lengths are in pixels.
const LABEL: f64 = 16.0;
const NAME: f64 = 15.0;
const TICK: f64 = 14.0;
/// Height of a name in the legend, and of one above a panel.
const LINE: f64 = 26.0;
const HEAD: f64 = 32.0;
/// Height of a label of the y axis, with the space above it.
const ABOVE: f64 = 17.0;
const GAP: f64 = 30.0;
const IN_ROW: usize = 3;

/// X axis and curves of a plot, the first behind all others.
pub(super) type Panel<'a> = (Axis, Vec<&'a Curve>);

/// Draws panels of this size in rows of three, each named by its last curve; one panel has a legend
/// instead. The x label is empty if each panel has an x axis of its own.
pub(super) fn page(
    figure: &Figure,
    (subtitle, x_label): (&str, &str),
    y_axis: &Axis,
    (w, h): Place,
    panels: &[Panel<'_>],
) -> String {
    let own_x = x_label.is_empty();
    let one = panels.len() == 1 && !own_x;
    let shown = if one { usize::MAX } else { 1 };
    let named = panels.iter().flat_map(|panel| panel.1.iter().rev().take(shown));
    let named: Vec<&Curve> = named.copied().collect();
    let (legend, name) = if one { (&named[..], 0.0) } else { (&[][..], HEAD) };
    let ticks = y_axis.ticks(h, |_| ABOVE);
    let labels = ticks.iter().map(|tick| width(&tick.1, TICK)).fold(0.0, f64::max);
    let beside = legend.iter().map(|curve| 50.0 + width(&curve.name, NAME)).fold(0.0, f64::max);
    let (left, top) = ((52.0 + labels).ceil(), if one { 52.0 } else { 72.0 });
    let row = name + h + if own_x { 34.0 } else { 0.0 };
    let right = left + panels.len().min(IN_ROW) as f64 * (w + GAP);
    let bottom = top + row * panels.len().div_ceil(IN_ROW) as f64;
    let foot = bottom.max(top + LINE * legend.len() as f64) + if own_x { 8.0 } else { 66.0 };
    let (end, middle) = ((right + beside).ceil().max(560.0), (left + right - GAP) / 2.0);

    let mut svg = text(&fit(&figure.title, 19.0, end - 40.0), (20.0, 26.0), 19.0, "start");
    svg += &text(&fit(subtitle, TICK, end - 40.0), (20.0, 52.0), TICK, "start");
    svg += &text(&fit(x_label, LABEL, right - left), (middle, bottom + 46.0), LABEL, "middle");
    svg += &format!("<g transform=\"translate(20 {}) rotate(-90)\">\n", (top + bottom) / 2.0);
    let y_label = fit(&figure.y_label, LABEL, bottom - top);
    svg += &(text(&y_label, (0.0, 0.0), LABEL, "middle") + "</g>\n");
    for (at, panel) in panels.iter().enumerate() {
        let x = left + (at % IN_ROW) as f64 * (w + GAP);
        let y = top + (at / IN_ROW) as f64 * row + name;
        let labels = (own_x || at + IN_ROW >= panels.len(), at % IN_ROW == 0);
        let title = if one { String::new() } else { fit(&named[at].name, NAME, w) };
        svg += &format!("<g transform=\"translate({x} {y})\">\n");
        svg += &text(&title, (0.0, -12.0), NAME, "start");
        svg += &(axes(panel, y_axis, (w, h), labels) + &curves(panel, y_axis, (w, h)) + "</g>\n");
    }
    for (i, curve) in legend.iter().enumerate() {
        let y = top + LINE * (i as f64 + 0.5);
        svg += &curve.line([(right - 10.0, y), (right + 22.0, y)].into_iter());
        svg += &(curve.marker((right + 6.0, y))
            + &text(&curve.name, (right + 32.0, y), NAME, "start"));
    }
    let names: Vec<&str> = named.iter().map(|curve| &curve.name[..]).collect();
    let each = if one { ": " } else { ", a panel each: " };
    let by = if own_x { String::new() } else { short(x_label) + each };
    let what = format!("{} by {by}{}", short(&figure.y_label), names.join(", "));
    svg::page((end, foot), &figure.title, &what, &svg)
}

/// Draws the grid and the axes of a panel, with labels of x and of y.
fn axes((x_axis, _): &Panel<'_>, y_axis: &Axis, (w, h): Place, labels: (bool, bool)) -> String {
    let (mut svg, mut grid, mut ink) = (String::new(), String::new(), format!("M0 0v{h}h{w}"));
    for (value, label) in x_axis.ticks(w, |label| width(label, TICK) + 10.0) {
        let x = w * x_axis.position(value);
        ink += &format!("M{x:.1} {h}v6");
        grid += &format!("M{x:.1} 0v{h}");
        svg += &text(if labels.0 { &label } else { "" }, (x, h + ABOVE), TICK, "middle");
    }
    for (value, label) in y_axis.ticks(h, |_| ABOVE) {
        let y = h * (1.0 - y_axis.position(value));
        *(if value == 0.0 { &mut ink } else { &mut grid }) += &format!("M0 {y:.1}h{w}");
        svg += &text(if labels.1 { &label } else { "" }, (-9.0, y), TICK, "end");
    }
    let path = |d, colour| format!("<path d=\"{d}\" stroke=\"{colour}\" fill=\"none\"/>\n");
    path(grid, "#E2E2E2") + &path(ink, "#333333") + &svg
}

/// Draws bands, curves above them, and markers. What is above the plot is cut off.
fn curves((x_axis, curves): &Panel<'_>, y_axis: &Axis, (w, h): Place) -> String {
    let place = |x, y| (w * x_axis.position(x), h * (1.0 - y_axis.position(y)));
    // The name says the size: several pictures may stand in one document.
    let rect = format!("<rect width=\"{w}\" height=\"{}\"/>", h + 1.0);
    let mut svg = format!("<clipPath id=\"to-{w}-{h}\">{rect}</clipPath>\n");
    svg += &format!("<g clip-path=\"url(#to-{w}-{h})\">\n");
    let mut markers = String::from("</g>\n");
    for curve in curves.iter().filter(|c| c.points.iter().any(|p| p.low < p.high)) {
        let above = curve.points.iter().map(|p| place(p.x, p.high));
        let outline = above.chain(curve.points.iter().rev().map(|p| place(p.x, p.low)));
        svg += &if curve.points.len() > 1 { curve.band(outline) } else { curve.line(outline) };
    }
    for (at, curve) in curves.iter().enumerate() {
        svg += &curve.line(curve.points.iter().map(|p| place(p.x, p.y)));
        // Of many points every second, third, ... has a marker, others for other curves.
        let step = curve.points.len().div_ceil(12).max(1);
        let marked = curve.points.iter().skip(at % step).step_by(step);
        let marked = marked.map(|p| place(p.x, p.y)).filter(|place| place.1 >= 0.0);
        markers.extend(marked.map(|place| curve.marker(place)));
    }
    svg + &markers
}
