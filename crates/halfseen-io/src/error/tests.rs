//! Provokes every kind of error, and fails if a kind has no test case.

use super::*;
use crate::draw::{Figure, learning_curve};
use crate::{CsvOptions, Source, SvmlightOptions, read_csv, read_data, read_svmlight};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

/// Defines the exhaustive `name` of a kind, and all names.
macro_rules! kinds {
    ($($name:ident)*) => {
        const KINDS: &[&str] = &[$(stringify!($name)),*];
        fn name(kind: &ErrorKind) -> &'static str {
            match kind { $(ErrorKind::$name { .. } => stringify!($name)),* }
        }
    };
}

kinds! {
    Unreadable Folder Damaged LooksLike Empty NoRows UnnamedColumn UnsupportedColumn Ragged BadLine BadCell
    TooManyCells TooMuchMemory PipeTooLong NoPoints Library
}

/// Returns a name that would fill a screen.
fn long() -> String {
    "long\nname ".repeat(500)
}

fn csv(text: impl AsRef<[u8]>) -> Error {
    read_csv(
        Source::bytes("t.csv", text.as_ref()),
        &CsvOptions { record_limit: 10_000, ..CsvOptions::default() },
    )
    .unwrap_err()
}

fn svmlight(text: &str) -> Error {
    let options = SvmlightOptions { line_limit: 10_000, ..SvmlightOptions::default() };
    read_svmlight(Source::bytes("t.svm", text.as_bytes()), &options).unwrap_err()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns at least one error of every kind, with a part of its message.
fn cases() -> Vec<(Error, &'static str)> {
    let nothing = Figure {
        title: long(),
        x_label: long(),
        y_label: long(),
        log_x: true,
        y_limit: None,
        reference: None,
        series: vec![],
    };
    vec![
        (
            read_data("/nowhere/at all.csv").unwrap_err(),
            "/nowhere/at all.csv: cannot be read (No such file",
        ),
        (csv(""), "is empty"),
        (csv(gzip(b"")), "is empty"),
        (csv("\u{feff}\n \n"), "is empty"),
        (csv("a,b\n\n"), "header of 2 columns but no rows"),
        (csv("# by hand\na,b\n1,2\n"), "the header must name every column: remove lines above it"),
        (csv("[{\"a\": 1}]"), "looks like JSON, not like CSV"),
        (csv("<!DOCTYPE html>\n<p>"), "looks like a web page, not like CSV; download the table"),
        (csv("a,b\n1,2\n\n1,2,3\n"), "row 2 (line 4) has 3 fields, but the header has 2"),
        (csv("a,b\n1\n"), "fill or remove the row"),
        (
            csv(format!("a\n\"{}\"\n", long().repeat(9))),
            "line 2 starts a record longer than 10000 bytes",
        ),
        (csv("a\n1\n\"2\n"), "line 3 opens a quote"),
        (csv(",a\n5,1\n"), "column 1 has no name"),
        (csv("a,,b\n0,1,2\n"), "column 2 has no name"),
        (csv(b"a,b\n1,x\n2,\xe9t\xe9\n"), "line 3 is not UTF-8"),
        (csv(b"a,\xe9t\xe9\n1,x\n"), "line 1 is not UTF-8"),
        (csv(format!("\"{}\"\n1\n-inf\n", long())), "row 2 (line 503)"),
        (csv(format!("a\n{}e999\n", "9".repeat(5000))), "is not a finite number"),
        (svmlight(&"1 ".repeat(6000)), "line 1 is longer than 10000 bytes"),
        (svmlight(&format!("1\n1 {}\n", "x".repeat(5000))), "line 2 holds 'xxx"),
        (svmlight("1 4000000000:1"), "'4000000000', which is beyond the limit of 4194304 columns"),
        (
            Error::new(
                "t",
                ErrorKind::UnsupportedColumn { column: long(), what: "a date", remedy: "write it" },
            ),
            "is a date; write it",
        ),
        (
            Error::new("t", ErrorKind::Damaged { format: "Parquet", problem: long() }),
            "the Parquet data are damaged",
        ),
        (Error::new("t", ErrorKind::TooManyCells { limit: 9 }), "more than 9 cells"),
        (csv(&gzip(b"a\n1\n")[..20]), "damaged or truncated"),
        (
            csv("PAR1\u{15}"),
            match cfg!(feature = "parquet") {
                true => "looks like a Parquet file, not like CSV; unpack it if it is compressed",
                false => {
                    "without Parquet: build it by cargo install --path crates/halfseen-cli --features parquet, or"
                }
            },
        ),
        (csv("a,b\n1,\0\n"), "looks like binary data"),
        (csv("a\n\"1,234\"\n"), "row 1 (line 2), column 'a': '1,234' may have a decimal comma"),
        (
            Error::new("t", ErrorKind::TooMuchMemory { needed: 5_000_000_000, rows: 7, limit: 9 }),
            "takes 5.0 GB of memory after 7 rows, and 9 bytes are allowed",
        ),
        (Error::new("t", ErrorKind::PipeTooLong { limit: 2_000_000 }), "more than the 2.0 MB"),
        (csv(b"\0\0\x08\x03"), "looks like an IDX file, not like CSV; convert it to CSV"),
        (read_data(std::env::temp_dir()).unwrap_err(), "is a folder; give a file"),
        (learning_curve(&nothing).unwrap_err(), "no point to draw"),
        (csv("a,b,a\n1,2,3\n"), "column 3 has the same name as column 1, 'a'"),
        (csv(format!("\"{0}\",\"{0}\"\n1,2\n", &long()[..3000])), "the same name"),
    ]
}

#[test]
fn every_kind_is_provoked_and_says_where_in_one_short_line() {
    let mut missing: Vec<&str> = KINDS.to_vec();
    for (error, part) in cases() {
        let text = error.to_string();
        missing.retain(|kind| *kind != name(error.kind()));
        assert!(text.contains(part), "'{part}' is not in: {text}");
        assert!(text.starts_with(&tail(error.subject())), "{text}");
        assert!(text.len() <= 1000 && !text.contains(['\n', '\r']), "{text}");
    }
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn long_paths_keep_their_end() {
    let path = format!("/{}/data.csv", "é".repeat(3000));
    let text = Error::new(path, ErrorKind::Empty).to_string();
    assert!(
        text.starts_with("…é")
            && text.contains("é/data.csv: the file is empty")
            && text.len() < 1000,
        "{text}"
    );
}
