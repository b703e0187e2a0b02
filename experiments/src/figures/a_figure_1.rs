//! Draws figure 1 of paper A: six digits as a full-information learner sees them, and below them
//! what four pixels show.
//!
//! The first three 3s and the first three 5s; four pixels of each drawn uniformly without
//! replacement, seeded. Pixels that are not seen are blue-grey. Nothing is learned, and the
//! protocols do not differ.

use crate::arm::Arm;
use crate::results::write;
use crate::run::Context;
use anyhow::Result;
use halfseen::sampling::{Purpose, Stream, shuffle};
use std::fmt::Write as _;

/// Pixels seen of each digit.
const SEEN: usize = 4;
/// Pixels along a side of a digit, and of the picture per pixel.
const SIDE: usize = 28;
const ZOOM: usize = 4;

/// Nothing learns here.
pub(super) fn arms() -> Vec<Arm> {
    Vec::new()
}

/// Draws the picture.
pub(super) fn make(context: &Context<'_>) -> Result<String> {
    let digits = context.sources.digits()?;
    let of = |digit: u8| {
        digits.labels.iter().enumerate().filter(move |(_, l)| **l == digit).map(|(i, _)| i).take(3)
    };
    let images = of(3).chain(of(5));
    let gap = SIDE * ZOOM + 12;
    let mut body = String::new();
    for (place, image) in images.enumerate() {
        let mut pixels: Vec<u32> = (0..digits.images.ncols() as u32).collect();
        shuffle(&mut Stream::new(context.protocol.seed, Purpose::Query, place as u64), &mut pixels);
        pixels.truncate(SEEN);
        for (row, seen) in [(0, None), (1, Some(&pixels))] {
            let (left, top) = (12 + place * gap, 12 + row * gap);
            let ground = if seen.is_some() { "#b9c6d6" } else { "#ffffff" };
            let size = SIDE * ZOOM;
            writeln!(
                body,
                r##"<rect x="{left}" y="{top}" width="{size}" height="{size}" fill="{ground}" stroke="#333333"/>"##
            )?;
            for (at, &value) in digits.images.row(image).iter().enumerate() {
                let shown = match seen {
                    None => value > 0,
                    Some(seen) => seen.contains(&(at as u32)),
                };
                if shown {
                    let (x, y, grey) =
                        (left + at % SIDE * ZOOM, top + at / SIDE * ZOOM, 255 - value);
                    let edge = if seen.is_some() { r##" stroke="#333333""## } else { "" };
                    writeln!(
                        body,
                        r#"<rect x="{x}" y="{y}" width="{ZOOM}" height="{ZOOM}" fill="rgb({grey},{grey},{grey})"{edge}/>"#
                    )?;
                }
            }
        }
    }
    let (width, height) = (12 + 6 * gap, 12 + 2 * gap);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" shape-rendering=\"crispEdges\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    );
    let file = context.file(".svg");
    write(&context.out.join(&file), &svg)?;
    Ok(format!("![six digits, and four pixels of each](./{file})\n"))
}
