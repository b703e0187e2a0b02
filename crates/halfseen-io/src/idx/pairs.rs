//! Joins files of images and labels into a matrix of pixels and a list of labels.

use super::{IdxArray, read_idx};
use crate::error::{Error, ErrorKind, Result};
use crate::source::Source;
use ndarray::Array2;

/// Images with their labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdxData {
    /// Pixels, shape (n_examples, n_pixels): one image per row, in row-major order.
    pub images: Array2<u8>,
    /// One label per image.
    pub labels: Vec<u8>,
}

impl IdxData {
    /// Reads pairs of (images, labels) and appends them in that order.
    ///
    /// # Errors
    /// As for [`read_idx`], for each file; if images have fewer than two dimensions or labels not
    /// one, the numbers of images and labels differ, images of different files differ in size, or
    /// there is no image.
    pub fn from_pairs<'a>(
        pairs: impl IntoIterator<Item = (Source<'a>, Source<'a>)>,
    ) -> Result<Self> {
        let mut joined: Option<Joined> = None;
        let mut subject = String::from("no files");
        for (image_source, label_source) in pairs {
            subject = image_source.name().to_owned();
            let images = read_idx(image_source)?;
            let labels_file = label_source.name().to_owned();
            let labels = read_idx(label_source)?;
            let pair = Joined::pair(&subject, images, &labels_file, labels)?;
            match &mut joined {
                None => joined = Some(pair),
                Some(all) => all.append(&subject, pair)?,
            }
        }
        let empty = |subject: String| Error::new(subject, ErrorKind::Empty);
        let Some(Joined { pixels, images, labels }) = joined else { return Err(empty(subject)) };
        if labels.is_empty() {
            return Err(empty(subject));
        }
        let shape = vec![labels.len(), pixels];
        let images = Array2::from_shape_vec((labels.len(), pixels), images).map_err(|_| {
            Error::new(
                subject,
                ErrorKind::WrongShape { shape, expected: "dimensions that fit into memory" },
            )
        })?;
        Ok(Self { images, labels })
    }

    /// Returns the names of the pixels: `p0`, `p1` and so on.
    pub fn attribute_names(&self) -> Vec<String> {
        (0..self.images.ncols()).map(|i| format!("p{i}")).collect()
    }
}

struct Joined {
    pixels: usize,
    images: Vec<u8>,
    labels: Vec<u8>,
}

impl Joined {
    fn pair(subject: &str, images: IdxArray, labels_file: &str, labels: IdxArray) -> Result<Self> {
        let wrong = |file: &str, shape, expected| {
            Err(Error::new(file, ErrorKind::WrongShape { shape, expected }))
        };
        let &[count, _, ..] = &images.shape[..] else {
            return wrong(subject, images.shape, "images, one per step of the first dimension,");
        };
        let &[label_count] = &labels.shape[..] else {
            return wrong(labels_file, labels.shape, "labels in one dimension");
        };
        if count != label_count {
            let labels_file = labels_file.to_owned();
            return Err(Error::new(
                subject,
                ErrorKind::CountsDiffer { images: count, labels: label_count, labels_file },
            ));
        }
        // Without images the number of pixels is 0.
        let pixels = images.data.len().checked_div(count).unwrap_or(0);
        Ok(Self { pixels, images: images.data, labels: labels.data })
    }

    fn append(&mut self, subject: &str, next: Joined) -> Result<()> {
        if next.labels.is_empty() {
            return Ok(());
        }
        if self.labels.is_empty() {
            *self = next;
            return Ok(());
        }
        if self.pixels != next.pixels {
            let (expected, found) = (self.pixels, next.pixels);
            return Err(Error::new(subject, ErrorKind::ImageSizesDiffer { expected, found }));
        }
        self.images.extend_from_slice(&next.images);
        self.labels.extend_from_slice(&next.labels);
        Ok(())
    }
}
