//! Lays out a figure: title, axes, curves with their bands, and the legend at the right.

use super::Figure;
use super::axis::Axis;
use super::canvas::{Canvas, Failure, Place, described, fit, page, width};
use super::clip;
use super::curve::{Curve, Curves, NAME, range_of_y};
use super::style::{GRID, INK, LABEL, TICK, TITLE};
use crate::error::Result;
use plotters::style::text_anchor::{HPos, VPos};

// All lengths are in pixels.
const PLOT: Place = (560.0, 380.0);
const TOP: f64 = 52.0;
const BELOW: f64 = 66.0;
const ENTRY: f64 = 26.0;
/// Width of the line before a name, with the gaps around it.
const SAMPLE: f64 = 62.0;
/// Least distance between markers of one curve.
const MARKER_GAP: f64 = 55.0;
const MARKER: f64 = 4.5;

/// Position of the plot on the page, and its axes.
struct Frame {
    left: f64,
    x: Axis,
    y: Axis,
}

impl Frame {
    fn place(&self, x: f64, y: f64) -> Place {
        (self.left + PLOT.0 * self.x.position(x), TOP + PLOT.1 * (1.0 - self.y.position(y)))
    }
}

/// Draws curves in one plot.
pub(super) fn draw(figure: &Figure, Curves { mut curves, reference, x }: Curves) -> Result<String> {
    curves.extend(reference);
    let y = range_of_y(figure, curves.iter().flat_map(|c| &c.points));
    let tick_room =
        y.ticks().iter().flat_map(|t| &t.label).map(|l| width(l, TICK)).fold(0.0, f64::max);
    let frame = Frame { left: tick_room + 52.0, x, y };

    // The legend follows the order of the ends of the curves, beside which it stands.
    let drawn = |c: &Curve| if c.points.is_empty() { f64::NEG_INFINITY } else { c.end() };
    curves.sort_by(|a, b| drawn(b).total_cmp(&drawn(a)));
    let name_room = curves.iter().map(|c| width(&c.name, NAME)).fold(0.0, f64::max);
    let height = PLOT.1.max(ENTRY * curves.len() as f64);
    let size = ((frame.left + PLOT.0 + SAMPLE + name_room + 12.0).ceil(), TOP + height + BELOW);
    let drawn = page(size, |canvas| {
        axes(canvas, &frame, figure)?;
        curves.iter().try_for_each(|c| band(canvas, &frame, c))?;
        curves
            .iter()
            .rev()
            .enumerate()
            .try_for_each(|(i, c)| line(canvas, &frame, c, i, curves.len()))?;
        legend(canvas, &frame, &curves)
    });
    let drawn = drawn.map_err(|failure| failure.about(&figure.title))?;
    let level = figure.reference.iter().map(|(name, _)| name.as_str());
    let names = figure.series.iter().map(|series| series.name.as_str()).chain(level);
    let names: Vec<&str> = names.collect();
    let what = format!("{} by {}: ", figure.y_label, figure.x_label);
    Ok(described(&drawn, &figure.title, &what, &names))
}

fn axes(canvas: &Canvas<'_>, frame: &Frame, figure: &Figure) -> Result<(), Failure> {
    let (left, right, bottom) = (frame.left, frame.left + PLOT.0, TOP + PLOT.1);
    for tick in frame.x.ticks() {
        let x = left + PLOT.0 * frame.x.position(tick.value);
        if let Some(label) = &tick.label {
            canvas.line(&[(x, TOP), (x, bottom)], GRID, 1.0)?;
            canvas.text(label, (x, bottom + 11.0), TICK, (HPos::Center, VPos::Top), false)?;
        }
        canvas.line(
            &[(x, bottom), (x, bottom + if tick.label.is_some() { 6.0 } else { 3.0 })],
            INK,
            1.0,
        )?;
    }
    for tick in frame.y.ticks() {
        let y = TOP + PLOT.1 * (1.0 - frame.y.position(tick.value));
        canvas.line(&[(left, y), (right, y)], GRID, 1.0)?;
        canvas.line(&[(left - 6.0, y), (left, y)], INK, 1.0)?;
        if let Some(label) = &tick.label {
            canvas.text(label, (left - 10.0, y), TICK, (HPos::Right, VPos::Center), false)?;
        }
    }
    canvas.line(&[(left, TOP), (left, bottom), (right, bottom)], INK, 1.0)?;
    let middle = left + PLOT.0 / 2.0;
    let centred = (HPos::Center, VPos::Center);
    canvas.text(&fit(&figure.title, TITLE, PLOT.0), (middle, TOP / 2.0), TITLE, centred, false)?;
    canvas.text(
        &fit(&figure.x_label, LABEL, PLOT.0),
        (middle, bottom + 48.0),
        LABEL,
        centred,
        false,
    )?;
    canvas.text(
        &fit(&figure.y_label, LABEL, PLOT.1),
        (20.0, TOP + PLOT.1 / 2.0),
        LABEL,
        centred,
        true,
    )
}

fn band(canvas: &Canvas<'_>, frame: &Frame, curve: &Curve) -> Result<(), Failure> {
    if curve.points.len() < 2 || curve.points.iter().all(|p| p.low == p.high) {
        return Ok(());
    }
    let above = curve.points.iter().map(|p| frame.place(p.x, p.high));
    let below = curve.points.iter().rev().map(|p| frame.place(p.x, p.low));
    let outline = clip::area(&above.chain(below).collect::<Vec<_>>(), TOP);
    if outline.len() < 3 {
        return Ok(());
    }
    canvas.fill(&outline, curve.style.colour, 0.12)
}

/// Draws the curve, with spaced markers that avoid those of other curves.
fn line(
    canvas: &Canvas<'_>,
    frame: &Frame,
    curve: &Curve,
    index: usize,
    of: usize,
) -> Result<(), Failure> {
    let places: Vec<Place> = curve.points.iter().map(|p| frame.place(p.x, p.y)).collect();
    if curve.style.marker.is_empty() {
        return match places.iter().all(|place| place.1 >= TOP) {
            true => canvas.dashed(&places, curve.style.colour, 2.0),
            false => Ok(()),
        };
    }
    clip::line(&places, TOP)
        .iter()
        .try_for_each(|part| canvas.line(part, curve.style.colour, 2.0))?;
    let dense = places.len() > 12;
    let offset = MARKER_GAP * index as f64 / of as f64;
    let mut next = if dense { frame.left + offset } else { f64::NEG_INFINITY };
    for &at in &places {
        if at.0 >= next && at.1 >= TOP {
            canvas.marker(at, curve.style, MARKER)?;
            next = if dense { at.0 + MARKER_GAP } else { next };
        }
    }
    // A single point shows its band as a line.
    if let ([point], [(x, _)]) = (&curve.points[..], &places[..]) {
        let ends = [point.low, point.high].map(|v| (*x, frame.place(point.x, v).1.max(TOP)));
        canvas.line(&ends, curve.style.colour, 1.0)?;
    }
    Ok(())
}

fn legend(canvas: &Canvas<'_>, frame: &Frame, curves: &[Curve]) -> Result<(), Failure> {
    let left = frame.left + PLOT.0 + 20.0;
    for (i, curve) in curves.iter().enumerate() {
        let y = TOP + ENTRY * (i as f64 + 0.5);
        let sample = [(left, y), (left + 32.0, y)];
        if curve.style.marker.is_empty() {
            canvas.dashed(&sample, curve.style.colour, 2.0)?;
        } else {
            canvas.line(&sample, curve.style.colour, 2.0)?;
            canvas.marker((left + 16.0, y), curve.style, MARKER)?;
        }
        canvas.text(&curve.name, (left + 42.0, y), NAME, (HPos::Left, VPos::Center), false)?;
    }
    Ok(())
}
