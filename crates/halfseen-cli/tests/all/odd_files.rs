//! Gives the program files as they come, and checks what each gets: a reading that it says, or a
//! refusal. The same table is for users in docs/files.md (`UPDATE_DOCS=1` writes it).

use crate::common::Place;
use std::io::Write;

/// A file, the flags with which it is read, and what it gets.
struct Case {
    file: &'static str,
    content: Vec<u8>,
    flags: &'static str,
    gets: &'static str,
    /// Exit code of `fit`, and parts of what it says on stderr; nothing else may be said if empty.
    code: i32,
    says: &'static [&'static str],
    /// Attributes of the model, if it is fitted.
    attributes: &'static [&'static str],
}

/// Returns a file of rows below a header.
fn rows(header: &str, count: usize, row: impl Fn(usize) -> String) -> Vec<u8> {
    let rows: String = (0..count).map(|i| row(i) + "\n").collect();
    format!("{header}\n{rows}").into_bytes()
}

/// Returns a target that is no class.
fn y(i: usize) -> usize {
    (i * 7) % 23
}

fn fits(
    file: &'static str,
    content: Vec<u8>,
    flags: &'static str,
    gets: &'static str,
    says: &'static [&'static str],
    attributes: &'static [&'static str],
) -> Case {
    Case { file, content, flags, gets, code: 0, says, attributes }
}

fn refused(
    file: &'static str,
    content: Vec<u8>,
    flags: &'static str,
    gets: &'static str,
    says: &'static [&'static str],
) -> Case {
    Case { file, content, flags, gets, code: 2, says, attributes: &[] }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn separators() -> Vec<Case> {
    let points = |by: &str| {
        rows(&["a", "b", "y"].join(by), 40, |i| format!("{}.5{by}{}{by}{}", i, i % 7, y(i)))
    };
    vec![
        fits("commas", points(","), "", "read", &[], &["a", "b"]),
        fits(
            "semicolons",
            points(";"),
            "",
            "read, with a remark",
            &["separated by semicolons"],
            &["a", "b"],
        ),
        fits("tabs", points("\t"), "", "read, with a remark", &["separated by tabs"], &["a", "b"]),
        fits(
            "vertical bars",
            points("|"),
            "",
            "read, with a remark",
            &["vertical bars"],
            &["a", "b"],
        ),
        fits("another mark, `a^b^y`", points("^"), "--delimiter ^", "read", &[], &["a", "b"]),
        refused(
            "the same without the flag",
            points("^"),
            "",
            "refused: one column, without the target",
            &["no column 'y'"],
        ),
        refused(
            "a row with a field too many",
            rows("a,y", 3, |i| format!("1,2{}", if i == 1 { ",3" } else { "" })),
            "",
            "refused with row and line",
            &["row 2 (line 3) has 3 fields"],
        ),
    ]
}

fn numbers() -> Vec<Case> {
    vec![
        fits(
            "semicolons, decimal commas",
            rows("a;b;y", 40, |i| format!("{i},5;{};{}", i % 7, y(i))),
            "",
            "numbers, with a remark",
            &["semicolons", "column a: numbers with decimal comma, as in '0,5'"],
            &["a", "b"],
        ),
        fits(
            "the same, and `1.234` beside `0,5`",
            rows("a;b;y", 40, |i| format!("{i},5;{}.234;{}", i % 7 + 1, y(i))),
            "",
            "1.234 is 1234, with a remark",
            &["columns a, b: numbers with decimal comma"],
            &["a", "b"],
        ),
        fits(
            "`1.234,5`",
            rows("a;y", 40, |i| format!("{}.234,5;{}", i % 9 + 1, y(i))),
            "",
            "numbers, with a remark",
            &["column a: numbers with decimal comma, as in '1.234,5'"],
            &["a"],
        ),
        fits(
            "`\"1,234,567\"`",
            rows("a,y", 40, |i| format!("\"{},234,567\",{}", i + 1, y(i))),
            "",
            "numbers, with a remark",
            &["column a: numbers with decimal point, commas between thousands"],
            &["a"],
        ),
        fits(
            "`\"0,346\"` in one column, `0.5` in another",
            rows("a,b,y", 40, |i| format!("\"0,{}\",{}.5,{}", i + 346, i % 5, y(i))),
            "",
            "numbers, with a remark",
            &["column a: numbers with decimal comma, as in '0,346'", "--decimal point"],
            &["a", "b"],
        ),
        refused(
            "`\"1,234\"` and no other decimals",
            rows("a,y", 40, |i| format!("\"{},234\",{}", i + 1, y(i))),
            "",
            "refused: it may be 1.234 or 1234",
            &["row 1 (line 2), column 'a': '1,234' may have", "--decimal comma"],
        ),
        fits(
            "the same",
            rows("a,y", 40, |i| format!("\"{},234\",{}", i + 1, y(i))),
            "--decimal comma",
            "1,234 is 1.234",
            &[],
            &["a"],
        ),
        fits(
            "`\"1,234\"` in one column, `0.5` in another",
            rows("a,b,y", 40, |i| format!("\"{},234\",{}.25,{}", i + 1, i % 5, y(i))),
            "",
            "1,234 is 1234, with a remark",
            &["column a: numbers with decimal point, commas between thousands", "--decimal comma"],
            &["a", "b"],
        ),
        refused(
            "`\"1,5\"` and `2.5` in one column",
            rows("a,y", 40, |i| {
                if i % 2 == 0 {
                    format!("\"{},5\",{}", i % 3, y(i))
                } else {
                    format!("2.5,{}", y(i))
                }
            }),
            "",
            "refused with row and cell",
            &["row 1 (line 2), column 'a': '0,5' is not a number"],
        ),
        refused(
            "`inf`",
            rows("a,y", 40, |i| format!("{},{}", if i == 3 { "inf" } else { "1" }, y(i))),
            "",
            "refused with row and cell",
            &["row 4 (line 5), column 'a': inf is not a finite number"],
        ),
        refused(
            "`1e308` and `-1e308`, for learners of missing values too",
            rows("a,b,y", 40, |i| format!("{}1e308,{i},{}", ["", "-"][i % 2], y(i))),
            "--learner karma",
            "refused with row and cell",
            &["row 1, column 'a'", "too large"],
        ),
    ]
}

fn missing() -> Vec<Case> {
    let among = |odd: &'static [&'static str]| {
        rows("a,b,y", 40, move |i| {
            let a = odd.get(i).map_or_else(|| i.to_string(), |odd| (*odd).to_owned());
            format!("{a},{},{}", i % 7, y(i))
        })
    };
    vec![
        fits(
            "`N/A` among numbers",
            among(&["N/A", "N/A"]),
            "--missing mean",
            "missing, with a remark",
            &["column 'a': 2 cells among numbers count as missing: 'N/A' in 2"],
            &["a", "b"],
        ),
        fits(
            "`null`, `None`, `-`, `.`, `<NA>`, `#N/A`, `na` among numbers",
            among(&["null", "None", "-", ".", "<NA>", "#N/A", "na"]),
            "--missing mean",
            "missing, with a remark",
            &["7 cells", "'None' in 1"],
            &["a", "b"],
        ),
        fits(
            "`None` among texts",
            rows("a,y", 40, |i| format!("{},{}", ["None", "red"][i % 2], y(i))),
            "",
            "a category",
            &[],
            &["a=None", "a=red"],
        ),
        fits("`-999`", among(&["-999"]), "--na -999 --missing mean", "missing", &[], &["a", "b"]),
        refused(
            "`n.a.` among many numbers",
            among(&["n.a."]),
            "",
            "refused with row and cell",
            &["'a'", "row 1", "'n.a.'", "--na n.a."],
        ),
        fits("the same", among(&["n.a."]), "--na n.a. --missing mean", "missing", &[], &["a", "b"]),
        fits(
            "rows without a target",
            rows("a,b,y", 40, |i| {
                let y = if i % 10 == 3 { String::new() } else { y(i).to_string() };
                format!("{}.5,{},{y}", i * 3, i % 7)
            }),
            "",
            "these rows are left out, with a remark",
            &["rows without a target ('y') that are left out: 4 (row 4, row 14, row 24, row 34)"],
            &["a", "b"],
        ),
        refused(
            "no target in any row",
            rows("a,y", 40, |i| format!("{i},")),
            "",
            "refused",
            &["target column 'y' is missing in all 40 rows"],
        ),
    ]
}

fn identifiers() -> Vec<Case> {
    let iso = || {
        rows("day,b,y", 40, |i| format!("2024-0{}-{:02},{},{}", i % 9 + 1, i % 28 + 1, i % 7, y(i)))
    };
    let german = || {
        rows("day,b,y", 40, |i| format!("{:02}.0{}.2024,{},{}", i % 28 + 1, i % 9 + 1, i % 7, y(i)))
    };
    let ids = || rows("id,b,y", 200, |i| format!("C{:03},{},{}", (i * 37) % 50, i % 7, y(i)));
    vec![
        fits(
            "dates, `2024-01-31`",
            iso(),
            "",
            "the column is left out, with a remark",
            &["column 'day' is left out: it holds dates", "--as day=date"],
            &["b"],
        ),
        fits("the same", iso(), "--as day=date", "days since 1970-01-01", &[], &["day", "b"]),
        fits(
            "dates, `31.01.2024`",
            german(),
            "--as day=date",
            "days since 1970-01-01",
            &[],
            &["day", "b"],
        ),
        fits(
            "times, `2024-01-31T12:30:00Z`",
            rows("at,b,y", 40, |i| {
                format!("2024-01-{:02}T12:30:00Z,{},{}", i % 28 + 1, i % 7, y(i))
            }),
            "--as at=date",
            "days with their fraction",
            &[],
            &["at", "b"],
        ),
        refused(
            "dates, `01/02/2024`, no day above 12",
            rows("day,b,y", 40, |i| format!("{:02}/02/2024,{},{}", i % 9 + 1, i % 7, y(i))),
            "--as day=date",
            "refused: two readings",
            &["--as day=date", "more than one way"],
        ),
        fits(
            "identifiers that come back four times each",
            ids(),
            "",
            "the column is left out, with a remark",
            &["column 'id' is left out: its 50 categories have fewer than 5 rows each"],
            &["b"],
        ),
        fits(
            "30 clinics with ten rows each",
            rows("clinic,y", 300, |i| format!("clinic {},{}", i % 30, y(i))),
            "",
            "categories",
            &[],
            &["clinic"],
        ),
        fits(
            "a code, `1`, `2`, `3`",
            rows("a,y", 40, |i| format!("{},{}", i % 3 + 1, y(i))),
            "--as a=category",
            "categories",
            &[],
            &["a=1", "a=2", "a=3"],
        ),
        refused(
            "names and nothing else",
            rows("who,y", 40, |i| format!("name {i},{}", y(i))),
            "",
            "refused: no attribute is left",
            &["no attribute is left", "'who'", "--as who=category"],
        ),
        fits(
            "a column that counts the rows",
            rows("id,b,y", 40, |i| format!("{},{},{}", i + 100, i % 7, y(i))),
            "",
            "learned from, with a remark",
            &["column 'id' counts the rows", "--ignore id"],
            &["id", "b"],
        ),
        fits(
            "an index without a name, as pandas writes it",
            rows(",b,y", 40, |i| format!("{i},{},{}", i % 7, y(i))),
            "",
            "left out, with a remark",
            &["the first column has no name and counts the rows; it is left out"],
            &["b"],
        ),
        refused(
            "another column without a name",
            rows(",b,y", 40, |i| format!("{},{},{}", 3 * i, i % 7, y(i))),
            "",
            "refused",
            &["column 1 has no name"],
        ),
    ]
}

fn encodings() -> Vec<Case> {
    let plain = || rows("a,y", 40, |i| format!("{}.5,{}", i * 3, y(i)));
    let text = String::from_utf8(plain()).unwrap();
    let utf16: Vec<u8> =
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    vec![
        fits(
            "byte order mark, CR LF, blank lines",
            format!("\u{feff}{}\r\n\r\n", text.replace('\n', "\r\n")).into_bytes(),
            "",
            "read",
            &[],
            &["a"],
        ),
        fits("gzip", gzip(&plain()), "", "read", &[], &["a"]),
        refused(
            "gzip, cut off",
            gzip(&plain())[..60].to_vec(),
            "",
            "refused",
            &["gzip", "truncated"],
        ),
        refused("UTF-16", utf16, "", "refused", &["UTF-16", "save it as UTF-8"]),
        refused(
            "Latin-1",
            b"a,y\ncaf\xe9,1\nthe,2\n".to_vec(),
            "",
            "refused with the line",
            &["line 2 is not UTF-8"],
        ),
        refused("an Excel workbook", b"PK\x03\x04sheet".to_vec(), "", "refused", &["Excel"]),
        refused(
            "Parquet, damaged",
            [b"PAR1".as_slice(), &[7; 64], b"PAR1"].concat(),
            "",
            "refused",
            if cfg!(feature = "parquet") {
                &["Parquet data are damaged"]
            } else {
                &["a Parquet file"]
            },
        ),
        refused(
            "ARFF",
            b"@relation t\n@attribute a real\n@data\n1\n".to_vec(),
            "",
            "refused",
            &["ARFF"],
        ),
        refused("IDX", b"\0\0\x08\x03\0\0\0\x01".to_vec(), "", "refused", &["IDX"]),
        refused("nothing", Vec::new(), "", "refused", &["the file is empty"]),
        refused("a header alone", b"a,y\n".to_vec(), "", "refused", &["no rows"]),
        refused(
            "two columns of one name",
            rows("a,a,y", 4, |i| format!("{i},{i},{i}")),
            "",
            "refused",
            &["column 2 has the same name"],
        ),
        refused(
            "a quote that is never closed",
            b"a,y\n1,2\n\"3,4\n".to_vec(),
            "",
            "refused with the line",
            &["line 3 opens a quote"],
        ),
    ]
}

fn cases() -> Vec<Case> {
    [separators(), numbers(), missing(), identifiers(), encodings()].into_iter().flatten().collect()
}

#[test]
fn every_file_gets_what_the_table_says() {
    let cases = cases();
    assert!(cases.len() >= 40, "{}", cases.len());
    let place = Place::new();
    for Case { file, content, flags, code, says, attributes, .. } in &cases {
        place.write("t.csv", content);
        let learner = if flags.contains("--learner") { "" } else { "--learner ridge" };
        let ran = place.run(&format!("fit t.csv --target y {learner} --out m.json {flags}"));
        assert_eq!(ran.code, Some(*code), "{file}: {}", ran.err);
        assert!(says.iter().all(|part| ran.err.contains(part)), "{file}: {says:?}: {}", ran.err);
        if says.is_empty() {
            assert!(!ran.err.contains("remark"), "{file}: {}", ran.err);
        }
        if *code == 0 {
            assert_eq!(shown(&place, attributes), *attributes, "{file}");
        } else {
            assert_eq!(ran.err.lines().filter(|line| line.starts_with("error: ")).count(), 1);
        }
    }
}

/// Returns the attributes of the model, of texts their categories if those are expected.
fn shown(place: &Place, expected: &[&str]) -> Vec<String> {
    let model = place.json("m.json");
    let mut shown = Vec::new();
    for column in model["schema"]["columns"].as_array().unwrap() {
        let name = column["name"].as_str().unwrap();
        match column["categories"].as_array() {
            Some(categories) if expected.iter().any(|e| e.contains('=')) => {
                let texts = categories.iter().map(|c| format!("{name}={}", c.as_str().unwrap()));
                shown.extend(texts);
            }
            _ => shown.push(name.to_owned()),
        }
    }
    shown
}

/// Returns the table of docs/files.md.
fn documented() -> String {
    let line = |case: &Case| {
        let flags = if case.flags.is_empty() { String::new() } else { format!("`{}`", case.flags) };
        format!("| {} | {flags} | {} |\n", case.file, case.gets)
    };
    let lines: String = cases().iter().map(line).collect();
    format!("| file | flags | what it gets |\n|---|---|---|\n{lines}")
}

#[test]
fn the_documentation_has_the_same_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/files.md");
    let text = std::fs::read_to_string(path).unwrap();
    let start = text.find("| file | flags |").unwrap();
    let length = text[start..].find("\n\n").map_or(text.len() - start, |length| length + 1);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let whole = format!("{}{}{}", &text[..start], documented(), &text[start + length..]);
        std::fs::write(path, whole).unwrap();
        return;
    }
    assert_eq!(&text[start..start + length], documented(), "UPDATE_DOCS=1 writes the table");
}
