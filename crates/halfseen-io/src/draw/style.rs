//! Gives figures their sizes and colours. Curves differ by colour and by marker, and so in greyscale
//! too.

use plotters::style::RGBColor;

/// Sizes of texts, in pixels.
pub(super) const TITLE: f64 = 19.0;
pub(super) const LABEL: f64 = 16.0;
pub(super) const TICK: f64 = 14.0;

pub(super) const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
pub(super) const GRID: RGBColor = RGBColor(0xe2, 0xe2, 0xe2);

/// Palette of Okabe and Ito (2008) without its yellow, which is too pale for a line, plus four
/// colours: a comparison draws ten learners.
const COLOURS: [RGBColor; 11] = [
    RGBColor(0x00, 0x72, 0xb2), // blue
    RGBColor(0xd5, 0x5e, 0x00), // vermilion
    RGBColor(0x00, 0x9e, 0x73), // bluish green
    RGBColor(0xcc, 0x79, 0xa7), // reddish purple
    RGBColor(0xe6, 0x9f, 0x00), // orange
    RGBColor(0x00, 0x00, 0x00), // black
    RGBColor(0x56, 0xb4, 0xe9), // sky blue, with a marker unlike blue's
    RGBColor(0x8c, 0x51, 0x0a), // brown
    RGBColor(0x88, 0x88, 0x88), // grey
    RGBColor(0x4b, 0x2e, 0x83), // violet
    RGBColor(0x99, 0x99, 0x33), // olive
];

/// Outlines of markers around (0, 0), of similar area; the unit is the radius of the marker.
const MARKERS: [&[(f64, f64)]; 5] = [
    &[
        (0.9, 0.0),
        (0.64, 0.64),
        (0.0, 0.9),
        (-0.64, 0.64),
        (-0.9, 0.0),
        (-0.64, -0.64),
        (0.0, -0.9),
        (0.64, -0.64),
    ],
    &[(0.8, 0.8), (-0.8, 0.8), (-0.8, -0.8), (0.8, -0.8)],
    &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
    &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)],
    &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
];

/// Appearance of a curve. Colours and markers repeat after 11 and 5, so 55 curves differ.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub colour: RGBColor,
    pub marker: &'static [(f64, f64)],
}

impl Style {
    /// Returns the appearance of a level that curves are compared with, which has no markers.
    pub(super) fn of_reference() -> Self {
        Self { colour: RGBColor(0x75, 0x75, 0x75), marker: &[] }
    }

    pub(super) fn of(series: usize) -> Self {
        Self { colour: COLOURS[series % COLOURS.len()], marker: MARKERS[series % MARKERS.len()] }
    }
}
