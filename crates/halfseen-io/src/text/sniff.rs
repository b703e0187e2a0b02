//! Recognises the format of a file by its first bytes, and refuses formats that cannot be read.

use crate::error::{ErrorKind, Result};
use crate::source::Source;
use crate::text::svmlight;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    Svmlight,
    /// Without the feature `parquet` such a file is treated as CSV and refused by name.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// Number of bytes inspected; a long comment may precede the first relevant line.
const HEAD: u64 = 256 << 10;

/// Recognises the format of a source by its decompressed content; CSV if no other format matches.
///
/// # Errors
/// If the content is ARFF, which may start with a long comment and would be taken for CSV.
pub(crate) fn recognise(source: &Source<'_>) -> Result<Format> {
    let mut content = source.open()?;
    let mut head = Vec::new();
    content.append(HEAD, &mut head)?;
    source.meter().give_back(head.capacity() as u64);
    #[cfg(feature = "parquet")]
    if head.starts_with(b"PAR1") && !content.is_gzip() {
        return Ok(Format::Parquet);
    }
    let whole = (head.len() as u64) < HEAD;
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    if is_arff(head) {
        let (what, remedy) = ("an ARFF file", CONVERT);
        return Err(source.fail(ErrorKind::LooksLike { what, remedy }));
    }
    Ok(of_text(head, whole))
}

/// Returns true if the first line that is neither blank nor a comment names a relation.
fn is_arff(head: &[u8]) -> bool {
    let mut lines = head.split(|b| b"\r\n".contains(b)).map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"%"));
    let word = first.and_then(|line| line.split(u8::is_ascii_whitespace).next());
    word.is_some_and(|word| word.eq_ignore_ascii_case(b"@relation"))
}

fn of_text(head: &[u8], whole: bool) -> Format {
    // drop the last, possibly cut word; a long line is judged by its beginning
    let end = if whole { None } else { head.iter().rposition(|b| b" \t\r\n".contains(b)) };
    let lines = || head[..end.unwrap_or(head.len())].split(|b| b"\r\n".contains(b));
    match lines().find_map(svmlight::resembles) {
        Some(true) => Format::Svmlight,
        _ => Format::Csv,
    }
}

/// First bytes, the format that they indicate, and the remedy.
const MAGIC: [(&[u8], &str, &str); 23] = [
    (b"PAR1", "a Parquet file", PARQUET),
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
    (b"[{", "JSON", CONVERT),
    (b"[\n", "JSON", CONVERT),
    (b"[\r", "JSON", CONVERT),
    (b"[[", "JSON", CONVERT),
    (b"<!DOCTYPE", "a web page", SAVE),
    (b"<!doctype", "a web page", SAVE),
    (b"<html", "a web page", SAVE),
    (b"<?xml", "XML", CONVERT),
    (b"\x00\x00\x08", "an IDX file", CONVERT),
];

const CONVERT: &str = "convert it to CSV";
#[cfg(feature = "parquet")]
const PARQUET: &str = "unpack it if it is compressed by gzip, or convert it to CSV";
#[cfg(not(feature = "parquet"))]
const PARQUET: &str = "this program is built without Parquet: build it by cargo install --path \
     crates/halfseen-cli --features parquet, or convert the file to CSV (pandas.read_parquet)";
const MODEL: &str = "give a table; if this is a saved model, name it before the data";
const SAVE: &str = "download the table itself, not the page that shows it";
const UNPACK: &str = "unpack it, or compress it by gzip";

/// Number of bytes that [`refuse_foreign`] inspects.
pub(crate) const SNIFFED: usize = 1024;

/// Refuses content that starts like another format or has a NUL byte among its first 1024.
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
            assert!(
                matches!(refused, Err(ErrorKind::LooksLike { what, .. }) if what == named),
                "{named}: {refused:?}"
            );
        }
        assert!(refuse_foreign(b"a,b\n1,\0\n").is_err());
        assert!(refuse_foreign("\u{feff}a,é\n1,2\n".as_bytes()).is_ok());
    }

    #[test]
    fn arff_is_refused_after_a_comment_too() {
        for text in
            ["@relation x\n@attribute a real\n@data\n1\n", "% a,b\n\n%\n  @RELATION 'a b'\r\n"]
        {
            let refused = recognise(&Source::bytes("t", text.as_bytes())).unwrap_err();
            assert!(
                refused.to_string().contains("an ARFF file, not like CSV; convert"),
                "{refused}"
            );
        }
    }

    fn format(text: &str) -> Format {
        assert_eq!(
            of_text(text.as_bytes(), true),
            recognise(&Source::bytes("t", text.as_bytes())).unwrap()
        );
        of_text(text.as_bytes(), true)
    }

    #[test]
    fn formats_are_told_by_the_first_lines_that_count() {
        for text in [
            "1 1:2\n",
            "+1 3:0.5 7:-1e3 # a,b\n",
            "# comment, with comma\n\n-1\n0\n1 qid:3 1:2",
            "2.5 0:1\n",
            "nan 1:nan\n",
            "1,3 1:2 2:3\n",
            "1 qid:4\n",
        ] {
            assert_eq!(format(text), Format::Svmlight, "{text:?}");
        }
    }

    #[test]
    fn a_csv_that_resembles_another_format_stays_csv() {
        for text in [
            "",
            "\n",
            "a,b\n1 1:2,3\n",
            "@relation,b\n1,2\n",
            "% share,b\n1,2\n",
            "%\n1\n",
            "1\n2\n",
            "1,2\n1 1:2,4\n",
            "time\n1 12:30\n",
            "#id,x\n1,2\n",
            "1 12:30,b\n1,2\n",
            "when 12:30\n1 2:3\n",
            "1 12:30:15\n",
            "1 a:2\n",
            "1 :2\n",
            "1 2:\n",
        ] {
            assert_eq!(format(text), Format::Csv, "{text:?}");
        }
    }

    #[test]
    fn a_first_line_longer_than_the_head_is_judged_by_its_beginning() {
        let long: String = (1..60_000).map(|i| format!(" {i}:0.25")).collect();
        let source = format!("1{long}\n");
        assert!(source.len() as u64 > HEAD);
        assert_eq!(recognise(&Source::bytes("t", source.as_bytes())).unwrap(), Format::Svmlight);
        let source = format!("1{long} x\n").replace(":", ",");
        assert_eq!(recognise(&Source::bytes("t", source.as_bytes())).unwrap(), Format::Csv);
    }
}
