//! Holds the included digits: every 3 and 5 of MNIST, embedded as gzipped IDX.

use halfseen_io::{IdxData, Source};

const IMAGES: &[u8] = include_bytes!("../data/mnist35-images-idx3-ubyte.gz");
const LABELS: &[u8] = include_bytes!("../data/mnist35-labels-idx1-ubyte.gz");

/// Reads the embedded digits.
pub(crate) fn read() -> halfseen_io::Result<IdxData> {
    IdxData::from_pairs([(
        Source::bytes("digits (images)", IMAGES),
        Source::bytes("digits (labels)", LABELS),
    )])
}
