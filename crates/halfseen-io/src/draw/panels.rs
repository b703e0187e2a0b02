//! Lays out small multiples: panels of one curve each, in rows of three, on a common y axis.

use super::axis::{Axis, Tick, extent};
use super::canvas::{Canvas, Failure, Place, described, fit, page, subject, width};
use super::curve::drawable;
use super::style::{GRID, INK, LABEL, Style, TICK, TITLE};
use super::{Panels, Point};
use crate::error::{Error, ErrorKind, Result};
use plotters::style::text_anchor::{HPos, VPos};

// All lengths are in pixels.
const PLOT: Place = (250.0, 160.0);
const TOP: f64 = 70.0;
const SUBTITLE: f64 = 14.0;
const NAME: f64 = 15.0;
/// Height of a panel's name, and of the labels below it.
const ABOVE: f64 = 28.0;
const BELOW: f64 = 34.0;
/// Space between panels.
const GAP: f64 = 24.0;
const IN_ROW: usize = 3;
/// Least space between two labels of an x axis.
const BETWEEN: f64 = 10.0;

struct Panel {
    name: String,
    points: Vec<Point>,
    x: Axis,
    /// Upper left corner of the plot.
    corner: Place,
    /// True at the left end of a row, whose y axis has labels.
    first: bool,
}

pub(super) fn draw(panels: &Panels) -> Result<String> {
    let drawn = panels.panels.iter().map(|panel| (&panel.name, drawable(panel, false)));
    let drawn: Vec<_> = drawn.filter(|(_, points)| !points.is_empty()).collect();
    if drawn.is_empty() {
        let none = ErrorKind::NoPoints { log_x: false };
        return Err(Error::new(subject(&panels.title), none));
    }
    let heights = drawn.iter().flat_map(|(_, points)| points).flat_map(|p| [p.low, p.high]);
    let (low, high) = extent(heights.chain([0.0]));
    let y = Axis::around(low, high);
    let labels = y.ticks().into_iter().filter_map(|tick| tick.label);
    let left = 52.0 + labels.map(|label| width(&label, TICK)).fold(0.0, f64::max);
    let panel = |(at, (name, points)): (usize, (&String, Vec<Point>))| {
        let (row, column) = ((at / IN_ROW) as f64, (at % IN_ROW) as f64);
        let (from, to) = extent(points.iter().map(|p| p.x));
        let corner = (left + column * (PLOT.0 + GAP), TOP + ABOVE + row * (ABOVE + PLOT.1 + BELOW));
        let name = fit(name, NAME, PLOT.0);
        Panel { name, points, x: Axis::around(from, to), corner, first: at % IN_ROW == 0 }
    };
    let found: Vec<Panel> = drawn.into_iter().enumerate().map(panel).collect();
    let (columns, rows) = (found.len().min(IN_ROW) as f64, found.len().div_ceil(IN_ROW) as f64);
    // A title needs the room of two panels.
    let width = left + columns.max(2.0) * (PLOT.0 + GAP);
    let size = (width.ceil(), TOP + rows * (ABOVE + PLOT.1 + BELOW) + 12.0);
    let svg = page(size, |canvas| {
        headings(canvas, panels, size)?;
        found.iter().try_for_each(|panel| one(canvas, panel, &y))
    });
    let svg = svg.map_err(|failure| failure.about(&panels.title))?;
    let names: Vec<&str> = found.iter().map(|panel| panel.name.as_str()).collect();
    Ok(described(&svg, &panels.title, &format!("{} by ", panels.y_label), &names))
}

fn headings(canvas: &Canvas<'_>, panels: &Panels, size: Place) -> Result<(), Failure> {
    let left = (HPos::Left, VPos::Center);
    let room = size.0 - 40.0;
    canvas.text(&fit(&panels.title, TITLE, room), (20.0, 26.0), TITLE, left, false)?;
    canvas.text(&fit(&panels.subtitle, SUBTITLE, room), (20.0, 52.0), SUBTITLE, left, false)?;
    let (height, centred) = (size.1 - TOP, (HPos::Center, VPos::Center));
    let label = fit(&panels.y_label, LABEL, height);
    canvas.text(&label, (20.0, TOP + height / 2.0), LABEL, centred, true)
}

fn one(canvas: &Canvas<'_>, panel: &Panel, y: &Axis) -> Result<(), Failure> {
    let (left, top) = panel.corner;
    let (right, bottom) = (left + PLOT.0, top + PLOT.1);
    let across = |value: f64| left + PLOT.0 * panel.x.position(value);
    let down = |value: f64| top + PLOT.1 * (1.0 - y.position(value));
    canvas.text(&panel.name, (left, top - 12.0), NAME, (HPos::Left, VPos::Center), false)?;
    for (x, label) in apart(&panel.x.ticks(), across) {
        canvas.line(&[(x, top), (x, bottom)], GRID, 1.0)?;
        canvas.line(&[(x, bottom), (x, bottom + 5.0)], INK, 1.0)?;
        canvas.text(&label, (x, bottom + 9.0), TICK, (HPos::Center, VPos::Top), false)?;
    }
    for tick in y.ticks() {
        let at = down(tick.value);
        let zero = tick.value == 0.0;
        canvas.line(&[(left, at), (right, at)], if zero { INK } else { GRID }, 1.0)?;
        let label = tick.label.filter(|_| panel.first);
        let side = (HPos::Right, VPos::Center);
        label.map_or(Ok(()), |label| canvas.text(&label, (left - 8.0, at), TICK, side, false))?;
    }
    canvas.line(&[(left, top), (left, bottom), (right, bottom)], INK, 1.0)?;
    let colour = Style::of(0).colour;
    let points = &panel.points;
    if points.len() > 1 && points.iter().any(|p| p.low < p.high) {
        let above = points.iter().map(|p| (across(p.x), down(p.high)));
        let below = points.iter().rev().map(|p| (across(p.x), down(p.low)));
        canvas.fill(&above.chain(below).collect::<Vec<_>>(), colour, 0.2)?;
    }
    let line: Vec<Place> = points.iter().map(|p| (across(p.x), down(p.y))).collect();
    canvas.line(&line, colour, 2.0)
}

/// Returns places and labels of ticks, every second or third only where all would touch.
pub(super) fn apart(ticks: &[Tick], across: impl Fn(f64) -> f64) -> Vec<(f64, String)> {
    let labelled = ticks.iter().filter_map(|tick| Some((tick.value, tick.label.clone()?)));
    let labels: Vec<(f64, String)> =
        labelled.map(|(value, label)| (across(value), label)).collect();
    let widest = labels.iter().map(|(_, label)| width(label, TICK)).fold(0.0, f64::max);
    let step = labels.windows(2).map(|pair| pair[1].0 - pair[0].0).fold(f64::INFINITY, f64::min);
    let stride = ((widest + BETWEEN) / step.max(1.0)).ceil().max(1.0) as usize;
    labels.into_iter().step_by(stride).collect()
}
