//! Recognises files that are no CSV by their first bytes.

use crate::error::ErrorKind;

/// First bytes, what they tell, and what to do.
const MAGIC: [(&[u8], &str, &str); 15] = [
    (b"PAR1", "a Parquet file", CONVERT),
    (b"PK\x03\x04", "an Excel workbook or a zip archive", CONVERT),
    (b"ARROW1", "an Arrow file", CONVERT),
    (b"\x89HDF", "an HDF5 file", CONVERT),
    (b"\x93NUMPY", "a NumPy array", CONVERT),
    (b"SQLite format 3", "an SQLite database", CONVERT),
    (b"\x28\xb5\x2f\xfd", "a file compressed by zstd", UNPACK),
    (b"BZh", "a file compressed by bzip2", UNPACK),
    (b"\xfd7zXZ\x00", "a file compressed by xz", UNPACK),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8"),
    (b"{\"", "JSON", MODEL),
    (b"{\n", "JSON", MODEL),
    (b"{\r", "JSON", MODEL),
    (b"\x00\x00\x08", "an IDX file", "give the folder that holds its images and labels"),
];

const CONVERT: &str = "convert it to CSV";
const MODEL: &str = "give a table; if this is a saved model, name it before the data";
const UNPACK: &str = "unpack it, or compress it by gzip";

/// How many bytes [`refuse_foreign`] looks at.
pub(crate) const SNIFFED: usize = 1024;

/// Refuses content that starts like another format or holds NUL bytes in its first kB.
pub(crate) fn refuse_foreign(head: &[u8]) -> Result<(), ErrorKind> {
    let head = &head[..head.len().min(SNIFFED)];
    if let Some(&(_, what, remedy)) = MAGIC.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return Err(ErrorKind::LooksLike { what, remedy });
    }
    if head.contains(&0) {
        return Err(ErrorKind::LooksLike { what: "binary data", remedy: CONVERT });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_foreign_start_is_named_and_text_passes() {
        for (magic, named, _) in MAGIC {
            let head = [magic, b",a\n1,2\n"].concat();
            let refused = refuse_foreign(&head);
            assert!(matches!(refused, Err(ErrorKind::LooksLike { what, .. }) if what == named), "{named}: {refused:?}");
        }
        assert!(refuse_foreign(b"a,b\n1,\0\n").is_err());
        assert!(refuse_foreign("\u{feff}a,é\n1,2\n".as_bytes()).is_ok());
    }
}
