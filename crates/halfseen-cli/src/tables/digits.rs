//! Holds the included digits: every 3 and 5 of MNIST, as data/README.md describes the file.

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use halfseen::data::{Matrix, Table};
use ndarray::Array2;
use std::io::Read;

const DIGITS: &[u8] = include_bytes!("../../data/digits.gz");
const PIXELS: usize = 28 * 28;

/// Reads the embedded digits: pixels `p0`, `p1` and so on, and `label`.
pub(crate) fn read() -> Result<Table> {
    let mut labels = Vec::new();
    GzDecoder::new(DIGITS).read_to_end(&mut labels).context("the included digits")?;
    // One byte for each label, and then those of all images.
    let pixels = labels.split_off(labels.len() / (1 + PIXELS));
    let images = Array2::from_shape_vec((labels.len(), PIXELS), pixels)?;
    let names = (0..PIXELS).map(|i| format!("p{i}")).collect();
    let labels = labels.into_iter().map(f64::from).collect();
    Ok(Table::from_matrix(Matrix::U8(images), names)?.with_column("label", labels)?)
}
