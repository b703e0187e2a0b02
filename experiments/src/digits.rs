//! Reads handwritten digits: those that ship with the program, or all of MNIST as IDX files.

use anyhow::{Context, Result, ensure};
use flate2::read::MultiGzDecoder;
use ndarray::Array2;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Every 3 and 5 of MNIST, as crates/halfseen-cli/data/README.md describes the file.
const SHIPPED: &[u8] = include_bytes!("../../crates/halfseen-cli/data/digits.gz");
const PIXELS: usize = 28 * 28;

/// Images with their labels.
#[derive(Debug)]
pub(crate) struct Digits {
    /// Pixels, shape (n_examples, n_pixels).
    pub(crate) images: Array2<u8>,
    pub(crate) labels: Vec<u8>,
}

impl Digits {
    /// Returns the digits that ship.
    pub(crate) fn shipped() -> Result<Digits> {
        let mut labels = Vec::new();
        MultiGzDecoder::new(SHIPPED).read_to_end(&mut labels)?;
        let pixels = labels.split_off(labels.len() / (1 + PIXELS));
        Digits::of(pixels, labels)
    }

    /// Reads the four files of MNIST in a folder, gzipped or not, those of training first.
    pub(crate) fn mnist(folder: &Path) -> Result<Digits> {
        let (mut pixels, mut labels) = (Vec::new(), Vec::new());
        for part in ["train", "t10k"] {
            pixels.extend(idx(folder, &format!("{part}-images-idx3-ubyte"), 3)?);
            labels.extend(idx(folder, &format!("{part}-labels-idx1-ubyte"), 1)?);
        }
        Digits::of(pixels, labels).with_context(|| folder.display().to_string())
    }

    fn of(pixels: Vec<u8>, labels: Vec<u8>) -> Result<Digits> {
        let images = Array2::from_shape_vec((labels.len(), PIXELS), pixels)?;
        Ok(Digits { images, labels })
    }

    /// Names of the pixels: `p0`, `p1` and so on.
    pub(crate) fn names(&self) -> Vec<String> {
        (0..self.images.ncols()).map(|i| format!("p{i}")).collect()
    }
}

/// Reads unsigned bytes behind a header of a magic number and the dimensions, of 4 bytes each.
fn idx(folder: &Path, name: &str, dimensions: u8) -> Result<Vec<u8>> {
    let packed = folder.join(format!("{name}.gz"));
    let path = if packed.exists() { packed } else { folder.join(name) };
    let place = || path.display().to_string();
    let file = File::open(&path).with_context(place)?;
    let mut reader: Box<dyn Read> = Box::new(file);
    if path.extension().is_some_and(|end| end == "gz") {
        reader = Box::new(MultiGzDecoder::new(reader));
    }
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).with_context(place)?;
    let header = 4 * (1 + usize::from(dimensions));
    let starts = bytes.starts_with(&[0, 0, 8, dimensions]) && bytes.len() >= header;
    ensure!(starts, "{}: is not an IDX file of {dimensions} dimensions", place());
    let elements = bytes.split_off(header);
    let lengths = bytes.as_chunks::<4>().0[1..].iter().map(|&length| u32::from_be_bytes(length));
    let expected: u64 = lengths.map(u64::from).fold(1, u64::saturating_mul);
    ensure!(elements.len() as u64 == expected, "{}: is cut off, or too long", place());
    Ok(elements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::write;

    #[test]
    fn all_files_of_a_folder_are_read_and_damaged_ones_refused() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for (part, grey) in [("train", 7), ("t10k", 9)] {
            let header = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 28];
            let images = [&header[..], &[grey; PIXELS]].concat();
            write(place(&format!("{part}-images-idx3-ubyte")), images).unwrap();
            write(place(&format!("{part}-labels-idx1-ubyte")), [0, 0, 8, 1, 0, 0, 0, 1, grey])
                .unwrap();
        }
        let digits = Digits::mnist(folder.path()).unwrap();
        assert_eq!((digits.labels, digits.images.column(783).to_vec()), (vec![7, 9], vec![7, 9]));
        for damaged in [&[0, 0, 8, 1, 0, 0, 0, 2, 7][..], b"P5 2"] {
            write(place("t10k-labels-idx1-ubyte"), damaged).unwrap();
            let error = Digits::mnist(folder.path()).unwrap_err().to_string();
            assert!(error.contains("t10k-labels-idx1-ubyte: is "), "{error}");
        }
    }
}
