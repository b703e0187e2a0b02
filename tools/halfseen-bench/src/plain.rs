//! The same work as a careful programmer writes it first.

use halfseen::data::Examples;
use halfseen::sampling::{Purpose, Stream};

/// Runs AERR with the same draws, and every vector dense; returns the sum of the iterates.
pub fn dense_aerr(examples: &Examples<'_>, k: usize, radius: f64, step: f64) -> Vec<f64> {
    let d = examples.columns();
    let (mut w, mut sum) = (vec![0.0_f64; d], vec![0.0_f64; d]);
    let mut norm_square = 0.0;
    for i in 0..examples.len() {
        sum.iter_mut().zip(&w).for_each(|(s, w)| *s += w);
        let mut stream = Stream::new(0, Purpose::Query, i as u64);
        let mut phi = -examples.target(i);
        if norm_square > 0.0 {
            let mut rest = stream.unit() * norm_square;
            let drawn = w.iter().position(|w| {
                rest -= w * w;
                rest < 0.0
            });
            let j = drawn.unwrap_or(0);
            if w[j] != 0.0 {
                phi += norm_square * examples.value(i, j) / w[j];
            }
        }
        for _ in 0..k - 1 {
            let j = stream.below(d);
            w[j] -= step * phi * examples.value(i, j) * d as f64 / (k - 1) as f64;
        }
        norm_square = norm2(&w);
        if norm_square > radius * radius {
            let scale = radius / norm_square.sqrt();
            w.iter_mut().for_each(|w| *w *= scale);
            norm_square = radius * radius;
        }
    }
    sum
}

/// Squared norm in eight lanes, so that the compiler may use vector registers.
fn norm2(w: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let chunks = w.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().map(|v| v * v).sum();
    for chunk in chunks {
        for (lane, v) in lanes.iter_mut().zip(chunk) {
            *lane += v * v;
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// Parses each cell of the records of the `csv` crate; cells that are no numbers are left out.
pub fn parse_cells(text: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    let mut cells = Vec::new();
    while reader.read_record(&mut record).is_ok_and(|more| more) {
        cells.extend(record.iter().filter_map(|cell| cell.trim().parse::<f64>().ok()));
    }
    cells
}
