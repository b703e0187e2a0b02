//! Lays out many curves: a panel for each, in which it stands out from all others in grey.

use super::axis::Axis;
use super::canvas::{Canvas, Failure, Place, described, fit, page, width};
use super::clip;
use super::curve::{Curve, Curves, NAME, range_of_y};
use super::panels::apart;
use super::style::{GRID, INK, LABEL, Style, TICK, TITLE};
use super::{Figure, Point};
use crate::error::Result;
use plotters::style::RGBColor;
use plotters::style::text_anchor::{HPos, VPos};

// All lengths are in pixels.
const PLOT: Place = (190.0, 130.0);
const TOP: f64 = 72.0;
const SUBTITLE: f64 = 14.0;
/// Height of a panel's name.
const ABOVE: f64 = 28.0;
const BELOW: f64 = 68.0;
const GAP: f64 = 20.0;
const IN_ROW: usize = 3;
/// Least height of a label of the y axis, with the space below it.
const LINE: f64 = 22.0;
const MARKER: f64 = 3.2;

/// Colour of the other curves.
const OTHERS: RGBColor = RGBColor(0xc8, 0xc8, 0xc8);

/// Axes that all panels share.
struct Axes {
    x: Axis,
    y: Axis,
}

impl Axes {
    fn place(&self, corner: Place, point: &Point, value: f64) -> Place {
        let x = corner.0 + PLOT.0 * self.x.position(point.x);
        (x, corner.1 + PLOT.1 * (1.0 - self.y.position(value)))
    }

    fn line(&self, corner: Place, points: &[Point]) -> Vec<Place> {
        points.iter().map(|point| self.place(corner, point, point.y)).collect()
    }
}

/// Draws curves that have a point, the one that ends lowest first.
pub(super) fn draw(figure: &Figure, Curves { mut curves, reference, x }: Curves) -> Result<String> {
    let drawn = || curves.iter().chain(&reference).flat_map(|curve| &curve.points);
    let axes = Axes { x, y: range_of_y(figure, drawn()) };
    curves.sort_by(|one, other| one.end().total_cmp(&other.end()));
    let labels = axes.y.ticks().into_iter().filter_map(|tick| tick.label);
    let left = 52.0 + labels.map(|label| width(&label, TICK)).fold(0.0, f64::max);
    let corner = |at: usize| {
        let (row, column) = ((at / IN_ROW) as f64, (at % IN_ROW) as f64);
        (left + column * (PLOT.0 + GAP), TOP + ABOVE + row * (ABOVE + PLOT.1))
    };
    let rows = curves.len().div_ceil(IN_ROW) as f64;
    let columns = IN_ROW as f64;
    let size = (
        (left + columns * PLOT.0 + (columns - 1.0) * GAP + 16.0).ceil(),
        TOP + rows * (ABOVE + PLOT.1) + BELOW,
    );
    let svg = page(size, |canvas| {
        headings(canvas, figure, reference.as_ref(), (left, size))?;
        (0..curves.len()).try_for_each(|at| {
            let lowest = at + IN_ROW >= curves.len();
            frame(canvas, &axes, corner(at), (at % IN_ROW == 0, lowest))?;
            one(canvas, &axes, corner(at), (&curves, at), reference.as_ref())
        })
    });
    let svg = svg.map_err(|failure| failure.about(&figure.title))?;
    let names = curves.iter().chain(&reference).map(|curve| curve.name.as_str());
    let what = format!("{} by {}, a panel each: ", figure.y_label, figure.x_label);
    Ok(described(&svg, &figure.title, &what, &names.collect::<Vec<_>>()))
}

fn headings(
    canvas: &Canvas<'_>,
    figure: &Figure,
    reference: Option<&Curve>,
    (left, size): (f64, Place),
) -> Result<(), Failure> {
    let start = (HPos::Left, VPos::Center);
    let room = size.0 - 40.0;
    canvas.text(&fit(&figure.title, TITLE, room), (20.0, 26.0), TITLE, start, false)?;
    let dashed = reference.map_or(String::new(), |level| format!("; dashed: {}", level.name));
    let text = format!("One in colour, the others in grey{dashed}.");
    canvas.text(&fit(&text, SUBTITLE, room), (20.0, 52.0), SUBTITLE, start, false)?;
    let centred = (HPos::Center, VPos::Center);
    let x = fit(&figure.x_label, LABEL, size.0 - left);
    canvas.text(&x, ((left + size.0) / 2.0, size.1 - 20.0), LABEL, centred, false)?;
    let height = size.1 - TOP - BELOW;
    let y = fit(&figure.y_label, LABEL, height);
    canvas.text(&y, (20.0, TOP + height / 2.0), LABEL, centred, true)
}

/// Draws the grid of a panel, with labels at the left end of a row and in the lowest of a column.
fn frame(
    canvas: &Canvas<'_>,
    axes: &Axes,
    (left, top): Place,
    (first, lowest): (bool, bool),
) -> Result<(), Failure> {
    let (right, bottom) = (left + PLOT.0, top + PLOT.1);
    for (x, label) in apart(&axes.x.ticks(), |value| left + PLOT.0 * axes.x.position(value)) {
        canvas.line(&[(x, top), (x, bottom)], GRID, 1.0)?;
        canvas.line(&[(x, bottom), (x, bottom + 5.0)], INK, 1.0)?;
        if lowest {
            canvas.text(&label, (x, bottom + 9.0), TICK, (HPos::Center, VPos::Top), false)?;
        }
    }
    let ticks = axes.y.ticks().into_iter().filter_map(|tick| Some((tick.value, tick.label?)));
    let ticks: Vec<(f64, String)> = ticks.collect();
    let stride = (LINE * ticks.len() as f64 / PLOT.1).ceil().max(1.0) as usize;
    for (value, label) in ticks.into_iter().step_by(stride) {
        let y = top + PLOT.1 * (1.0 - axes.y.position(value));
        canvas.line(&[(left, y), (right, y)], GRID, 1.0)?;
        if first {
            canvas.text(&label, (left - 8.0, y), TICK, (HPos::Right, VPos::Center), false)?;
        }
    }
    canvas.line(&[(left, top), (left, bottom), (right, bottom)], INK, 1.0)
}

/// Draws the curves of a panel, and the name of the one that stands out.
fn one(
    canvas: &Canvas<'_>,
    axes: &Axes,
    corner: Place,
    (curves, at): (&[Curve], usize),
    reference: Option<&Curve>,
) -> Result<(), Failure> {
    let (curve, top, colour) = (&curves[at], corner.1, Style::of(0).colour);
    for other in curves.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, of)| of) {
        let parts = clip::line(&axes.line(corner, &other.points), top);
        parts.iter().try_for_each(|part| canvas.line(part, OTHERS, 1.0))?;
    }
    if let Some(level) = reference {
        canvas.dashed(&axes.line(corner, &level.points), level.style.colour, 1.5)?;
    }
    if curve.points.len() > 1 && curve.points.iter().any(|p| p.low < p.high) {
        let above = curve.points.iter().map(|p| axes.place(corner, p, p.high));
        let below = curve.points.iter().rev().map(|p| axes.place(corner, p, p.low));
        let outline = clip::area(&above.chain(below).collect::<Vec<_>>(), top);
        if outline.len() > 2 {
            canvas.fill(&outline, colour, 0.2)?;
        }
    }
    let line = axes.line(corner, &curve.points);
    clip::line(&line, top).iter().try_for_each(|part| canvas.line(part, colour, 2.0))?;
    let markers = line.iter().filter(|place| place.1 >= top);
    markers.copied().try_for_each(|place| canvas.marker(place, Style::of(0), MARKER))?;
    let name = (corner.0, top - 11.0);
    canvas.text(&fit(&curve.name, NAME, PLOT.0), name, NAME, (HPos::Left, VPos::Center), false)
}
