//! Finds the pairs of IDX files in a folder, training files first.

use super::IdxData;
use crate::error::{Error, ErrorKind, Result};
use crate::source::Source;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads all pairs of `*images*idx3*` and `*labels*idx1*` in a folder, gzipped or not.
///
/// Files with `train` in their name come first, then the others (`t10k`), each in the order of
/// their names. A file present both compressed and decompressed is read once.
///
/// # Errors
/// If the folder cannot be read, has no such files or an incomplete pair, or as for
/// [`IdxData::from_pairs`].
pub fn read_idx_folder(folder: impl AsRef<Path>) -> Result<IdxData> {
    let folder = folder.as_ref();
    let subject = folder.display().to_string();
    let unreadable =
        |e: std::io::Error| Error::new(&subject, ErrorKind::Unreadable { reason: e.to_string() });
    let mut names = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        // A name that is not Unicode matches no pattern.
        names.extend(entry.map_err(unreadable)?.file_name().into_string());
    }
    let pairs = pairs(names).map_err(|kind| Error::new(&subject, kind))?;
    let paths: Vec<_> = pairs.iter().map(|(i, l)| (folder.join(i), folder.join(l))).collect();
    IdxData::from_pairs(paths.iter().map(|(i, l)| (Source::path(i), Source::path(l))))
}

/// Returns the image and label file names of each pair, in reading order.
fn pairs(mut names: Vec<String>) -> Result<Vec<(String, String)>, ErrorKind> {
    // A name sorts before the same name with `.gz`, and the first is kept.
    names.sort();
    let mut sets: BTreeMap<(bool, String), [Option<String>; 2]> = BTreeMap::new();
    for name in names {
        let part = match name.as_str() {
            n if n.contains("images") && n.contains("idx3") => 0,
            n if n.contains("labels") && n.contains("idx1") => 1,
            _ => continue,
        };
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        let key = plain.replacen(["images", "labels"][part], "*", 1).replacen(
            ["idx3", "idx1"][part],
            "*",
            1,
        );
        let both = sets.entry((!key.contains("train"), key)).or_default();
        both[part].get_or_insert(name);
    }
    if sets.is_empty() {
        return Err(ErrorKind::NoIdxFiles);
    }
    let whole = |set: [Option<String>; 2]| match set {
        [Some(images), Some(labels)] => Ok((images, labels)),
        [Some(present), None] => Err(ErrorKind::MissingPartner { present, missing: "labels" }),
        [None, Some(present)] => Err(ErrorKind::MissingPartner { present, missing: "images" }),
        [None, None] => Err(ErrorKind::NoIdxFiles),
    };
    sets.into_values().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs_of(names: &[&str]) -> Result<Vec<(String, String)>, ErrorKind> {
        pairs(names.iter().map(|&n| n.to_owned()).collect())
    }

    #[test]
    fn train_comes_first_and_packed_copies_are_left_out() {
        let found = pairs_of(&[
            "t10k-labels-idx1-ubyte.gz",
            "readme.txt",
            "a-images.idx3",
            "train-images-idx3-ubyte.gz",
            "a-labels.idx1",
            "t10k-images-idx3-ubyte",
            "t10k-images-idx3-ubyte.gz",
            "train-labels-idx1-ubyte.gz",
        ]);
        let expected = [
            ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
            ("a-images.idx3", "a-labels.idx1"),
            ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte.gz"),
        ];
        assert_eq!(found.unwrap(), expected.map(|(i, l)| (i.to_owned(), l.to_owned())));
    }
}
