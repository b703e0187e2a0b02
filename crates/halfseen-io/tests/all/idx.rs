//! Reads IDX arrays and folders: complete, truncated and hostile.

use flate2::{Compression, write::GzEncoder};
use halfseen_io::{Data, ErrorKind, IdxData, Source, read_data, read_idx, read_idx_folder};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::Write;

fn idx(shape: &[usize], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, shape.len() as u8];
    shape.iter().for_each(|&n| bytes.extend((n as u32).to_be_bytes()));
    [&bytes, data].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns images of 1 x 2 pixels, one per label.
fn pair(labels: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let pixels: Vec<u8> = labels.iter().flat_map(|&l| [l, 10 * l]).collect();
    (idx(&[labels.len(), 1, 2], &pixels), idx(&[labels.len()], labels))
}

#[test]
fn a_folder_is_read_with_the_training_files_first() {
    let folder = tempfile::tempdir().unwrap();
    let ((test_images, test_labels), (images, labels)) = (pair(&[7]), pair(&[1, 2]));
    for (name, bytes) in [
        ("t10k-images-idx3-ubyte", &test_images),
        ("t10k-labels-idx1-ubyte.gz", &gzip(&test_labels)),
        ("train-images-idx3-ubyte.gz", &gzip(&images)),
        ("train-labels-idx1-ubyte", &labels),
        ("README", &b"not read".to_vec()),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let data = read_idx_folder(folder.path()).unwrap();
    assert_eq!(data.labels, [1, 2, 7]);
    assert_eq!(data.images, ndarray::array![[1, 10], [2, 20], [7, 70]]);
    assert_eq!(data.attribute_names(), ["p0", "p1"]);
    let Data::Images(same) = read_data(folder.path()).unwrap() else { panic!("images expected") };
    assert_eq!(same, data);
}

#[test]
fn a_file_is_read_as_csv_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.bin");
    std::fs::write(&path, gzip(b"a\n1\n")).unwrap();
    let Data::Table(table) = read_data(&path).unwrap() else { panic!("a table expected") };
    assert_eq!(table.rows(), 1);
}

#[test]
fn hostile_dimensions_take_no_memory() {
    let huge = u32::MAX as usize;
    for (shape, expected) in [
        (vec![huge], 8 + huge as u64),
        (vec![huge; 2], 12 + (huge * huge) as u64),
        (vec![huge; 255], u64::MAX),
    ] {
        let bytes = idx(&shape, b"abc");
        let error = read_idx(Source::bytes("x", &bytes)).unwrap_err();
        let found = bytes.len() as u64;
        assert!(
            matches!(error.kind(), ErrorKind::Truncated { expected: e, found: f } if (*e, *f) == (expected, found)),
            "{error}"
        );
    }
    // no image, but an impossible size of each
    let (images, labels) = (idx(&[0, huge, huge], b""), idx(&[0], b""));
    let error = IdxData::from_pairs([(Source::bytes("i", &images), Source::bytes("l", &labels))])
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Empty), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arrays_come_back_exactly(shape in vec(0_usize..5, 0..4), packed: bool, cut in any::<prop::sample::Index>()) {
        let data: Vec<u8> = (0..shape.iter().product()).map(|i: usize| i as u8).collect();
        let bytes = idx(&shape, &data);
        let bytes = if packed { gzip(&bytes) } else { bytes };
        let array = read_idx(Source::bytes("x", &bytes)).unwrap();
        prop_assert_eq!((array.shape, array.data), (shape, data));
        prop_assert!(read_idx(Source::bytes("x", &bytes[..cut.index(bytes.len())])).is_err());
    }

    #[test]
    fn arbitrary_bytes_never_panic(tail in vec(any::<u8>(), 0..40), head in 0_usize..4) {
        let bytes = [&[0, 0, 8, 2][..head], &tail].concat();
        let _ = read_idx(Source::bytes("x", &bytes));
        let _ = read_idx(Source::bytes("x", &gzip(&bytes)));
        let _ = IdxData::from_pairs([(Source::bytes("x", &bytes), Source::bytes("x", &bytes))]);
    }
}
